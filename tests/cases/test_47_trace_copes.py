"""A shape trace dies on a module that returns (tensor, None) or a dict, and sees no input given by keyword.

Whose trouble: https://github.com/sksq96/pytorch-summary/pull/191,
https://github.com/pytorch/pytorch/issues/156695, https://github.com/huggingface/transformers/issues/29247
and https://github.com/TylerYep/torchinfo/issues/251
"""

import pytest
import torch
from torch import nn

from tutorial_lib.encoder import Encoder
from tutorial_lib.trace import attention_weights, trace_shapes


class Attn(nn.Module):
    def forward(self, *, hidden, mask=None):
        return hidden * 2, None


class Head(nn.Linear):
    def forward(self, x):
        return {"logits": super().forward(x), "note": "ok"}


class Block(nn.ModuleDict):
    def forward(self, x):
        return self["head"](self["attn"](hidden=x, mask=None)[0])


def check(rows_of):
    model = Block({"attn": Attn(), "head": Head(4, 2)})
    rows = {name: tuple(shapes) for name, *shapes in rows_of(model, torch.zeros(2, 3, 4))}
    assert rows["attn"] == ([(2, 3, 4)], [(2, 3, 4)]) and rows["head"] == ([(2, 3, 4)], [(2, 3, 2)]), "shapes"
    check_nothing_is_left(rows_of, model)


def check_nothing_is_left(look, model):
    with pytest.raises((RuntimeError, ValueError, AssertionError), match="mat1 and mat2|hid_dim 4|embedding dim"):
        look(model, torch.zeros(2, 3, 5))
    assert not any(m._forward_hooks or m._forward_pre_hooks for m in model.modules()), "a hook was left"
    assert torch.backends.mha.get_fastpath_enabled()


def test_the_library_has_it_right():
    check(lambda model, x: trace_shapes(model, x).rows)


@pytest.mark.parametrize("look", [trace_shapes, attention_weights])
def test_so_it_has_for_an_encoder_of_ours_and_of_torchs(look):
    ours = Encoder(input_dim=None, hid_dim=4, pf_dim=8, n_heads=2, n_layers=1).eval()
    theirs = nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 8, batch_first=True), 1).eval()
    x, real = torch.zeros(2, 3, 4), torch.tensor([[True, True, False]] * 2)
    rows = {row.name: row for row in trace_shapes(ours, src=x, src_mask=real[:, None, None], need_weights=True).rows}
    assert rows[""][1:] == ([(2, 3, 4), (2, 1, 1, 3)], [(2, 3, 4), (2, 2, 3, 3)])
    rows = {row.name: row for row in trace_shapes(theirs, src=x, src_key_padding_mask=~real).rows}
    assert rows[""][1:] == ([(2, 3, 4), (2, 3)], [(2, 3, 4)])  # left alone, its inner tensors have no shape here
    assert rows["layers.0.self_attn"].outputs == [(2, 3, 4)]  # and None for the weights
    check_nothing_is_left(look, ours)
    check_nothing_is_left(look, theirs)


def shapes(value):
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, tuple) else ()
    return [tuple(value.shape)] if torch.is_tensor(value) else [shape for part in parts for shape in shapes(part)]


def by_hooks(model, x, *, of=shapes, keywords=True, tidy=True):
    rows, handles = [], []
    for name, module in model.named_modules():
        note = lambda m, a, k, out, name=name: rows.append((name, shapes((a, k) if keywords else a), of(out)))
        handles.append(module.register_forward_hook(note, with_kwargs=True))
    try:
        model(x)
    finally:
        for handle in handles if tidy or len(rows) == len(handles) else []:
            handle.remove()
    return rows


MISTAKES = [
    (dict(of=lambda out: [tuple(out.shape)]), AttributeError, "'tuple' object has no attribute 'shape'"),
    (dict(keywords=False), AssertionError, "shapes"),
    (dict(tidy=False), AssertionError, "a hook was left"),
]


@pytest.mark.parametrize(("mistake", "error", "says"), MISTAKES)
def test_each_reported_mistake_fails(mistake, error, says):
    check(by_hooks)
    with pytest.raises(error, match=says):
        check(lambda model, x: by_hooks(model, x, **mistake))
