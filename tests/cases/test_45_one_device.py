"""Masks or positions are made on the CPU, or on a hard-wired "cuda", while ids and model are elsewhere.

Whose trouble: https://github.com/SamLynnEvans/Transformer/issues/30,
https://github.com/GestaltCogTeam/BasicTS/issues/202 and https://github.com/facebookresearch/sam3/pull/188
"""

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from tutorial_lib import masks
from tutorial_lib.embedding import sinusoid_table
from tutorial_lib.encoder import Encoder

IDS = torch.tensor([[3, 4, 5, 0], [6, 7, 8, 1]])
DEVICES = ["meta", *(["cuda"] if torch.cuda.is_available() else [])]  # "meta" has shapes and no numbers
MASKS = {
    "padding": lambda ids, padding: padding,
    "causal": lambda ids, padding: masks.causal_mask(4, device=ids.device),
    "both": lambda ids, padding: masks.causal_mask(4, device=ids.device) & padding,
    "from integers": lambda ids, padding: masks.from_integers(masks.to_integers(padding)),
    "from hidden": lambda ids, padding: masks.from_key_padding_mask(masks.to_key_padding_mask(padding)),
    "from floats": lambda ids, padding: masks.from_additive(masks.to_additive(padding, dtype=torch.half)),
}


class Only(TorchDispatchMode):  # no tensor with an axis may be made on another device
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        for tensor in filter(torch.is_tensor, tree_leaves(out)):
            assert tensor.dim() == 0 or tensor.device.type == self.device, f"made on {tensor.device} by {func}"
        return out


def check(run, device, **changes):
    """`run(model, ids)` makes its own mask, and positions if it must."""
    model = Encoder(input_dim=9, hid_dim=8, pf_dim=16, n_heads=2, n_layers=2, **changes).eval()
    here, model, ids, only = run(model, IDS), model.to(device), IDS.to(device), Only()
    only.device = device
    with only:
        out = run(model, ids)
    assert out.device.type == device and out.shape == (2, 4, 8)
    assert device == "meta" or (out.cpu() - here).abs().max() < 1e-4


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("positions", ["sinusoid", "learned", None])
@pytest.mark.parametrize("name", MASKS)
def test_masks_and_positions_are_made_where_the_ids_are(name, positions, device):
    mask_of = lambda ids: MASKS[name](ids, masks.padding_mask(ids, pad_id=0))
    check(lambda model, ids: model(ids, mask_of(ids)), device, positions=positions)
    check(lambda model, ids: model(ids, mask_of(ids), need_weights=True)[0], device, positions=positions)


MISTAKES = {
    "positions": lambda model, ids: model(model.embed(ids) + sinusoid_table(max_len=4, hid_dim=8)),
    "mask": lambda model, ids: model(ids, masks.causal_mask(ids.size(1))),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_each_reported_mistake_fails(name):
    with pytest.raises(AssertionError, match="made on cpu"):
        check(MISTAKES[name], "meta")
