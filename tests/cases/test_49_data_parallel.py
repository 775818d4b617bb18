"""Under DataParallel maps kept as an attribute are lost with a throw-away copy, and saved names begin with "module.".

Whose trouble: https://github.com/pytorch/pytorch/issues/11476,
https://github.com/pytorch/pytorch/issues/42478 and https://github.com/meta-pytorch/captum/pull/477
"""

import pytest
import torch
from torch import nn

from tutorial_lib.encoder import Encoder
from tutorial_lib.trace import attention_weights

SIZES = dict(input_dim=9, hid_dim=8, pf_dim=16, n_heads=2, n_layers=2)
SRC = torch.tensor([[5, 7, 8]])


def replica(module):
    """What DataParallel runs on each device: a copy of the module, and of those inside."""
    twin = module.__new__(type(module))
    twin.__dict__ = {**module.__dict__, "_modules": {name: replica(m) for name, m in module._modules.items()}}
    return twin


def check_maps(run, maps_of):
    """`maps_of(run)` calls `run`, which is a model or its copy."""
    maps = maps_of(run)
    assert maps is not None, "lost"
    assert [w.shape for w in maps] == [(1, 2, 3, 3)] * 2 and all((w.sum(-1) - 1).abs().max() < 1e-6 for w in maps)


def check_load(load):
    model = Encoder(**SIZES)
    saved = {name: torch.full_like(value, 0.25) for name, value in nn.DataParallel(model).state_dict().items()}
    with pytest.raises(
        RuntimeError, match=r'Unexpected key\(s\) in state_dict: "module\.embed\.embedding\.weight", "mod'
    ):
        load(model, saved)
    assert not any(value.eq(0.25).any() for value in model.state_dict().values())  # nothing is half loaded
    nn.modules.utils.consume_prefix_in_state_dict_if_present(saved, "module.")  # what to do then
    load(model, saved)
    assert all(value.eq(0.25).all() for value in model.state_dict().values())


def test_maps_come_out_of_the_call_itself():
    for run in (model := Encoder(**SIZES).eval(), replica(model)):
        check_maps(run, lambda run: run(SRC, need_weights=True)[1])
        check_maps(run, lambda run: attention_weights(run, SRC))


def test_weights_saved_under_other_names_are_refused_by_name_and_change_nothing():
    check_load(lambda model, saved: model.load_state_dict(saved))


class Keeps(Encoder):
    def forward(self, src):
        out, self.last = super().forward(src, need_weights=True)
        return out


def test_each_reported_mistake_fails():
    model = Keeps(**SIZES).eval()
    check_maps(model, lambda run: (run(SRC), model.last)[1])  # on the model itself nothing is to be seen
    model.last = None
    with pytest.raises(AssertionError, match="lost"):
        check_maps(replica(model), lambda run: (run(SRC), model.last)[1])
    with pytest.raises(pytest.fail.Exception, match="DID NOT RAISE"):
        check_load(lambda model, saved: model.load_state_dict(saved, strict=False))
