"""The label leaks into its own prediction: trained with the padding mask only, or a causal mask one diagonal too wide.

Whose trouble: https://github.com/huggingface/transformers/issues/22001,
https://github.com/kzl/decision-transformer/issues/30
and https://github.com/alex-matton/causal-transformer-decoder/issues/1
"""

import pytest
import torch

from tutorial_lib.attention import MultiHeadAttention
from tutorial_lib.encoder import Encoder, EncoderLayer
from tutorial_lib.masks import causal_mask

SIZES = dict(hid_dim=8, n_heads=2)
MODULES = {
    "attention": lambda: MultiHeadAttention(**SIZES),
    "layer": lambda: EncoderLayer(**SIZES, pf_dim=16),
    "encoder": lambda: Encoder(**SIZES, pf_dim=16, n_layers=2, input_dim=None),
    "encoder, norm first": lambda: Encoder(**SIZES, pf_dim=16, n_layers=2, input_dim=None, norm_first=True),
}


def check(module, mask):
    x = torch.randn(1, 5, 8)
    changed = torch.cat([x[:, :3], x[:, 3:] + torch.randn(1, 2, 8)], dim=1)
    run = lambda x, **how: module.eval()(*[x] * (3 if isinstance(module, MultiHeadAttention) else 1), mask, **how)
    for how in ({}, {"need_weights": True}):
        a, b = (out if isinstance(out, torch.Tensor) else out[0] for out in (run(x, **how), run(changed, **how)))
        assert (a[:, :3] - b[:, :3]).abs().max() < 1e-6, "the future changes the past"
        assert (a[:, 3] - b[:, 3]).abs().max() > 1e-4, "a place does not see itself"
    weights = run(x, need_weights=True)[1]
    for w in weights if isinstance(weights, tuple) else [weights]:
        assert w.triu(1).eq(0).all() and w[:, :, 0].tolist() == [[[1, 0, 0, 0, 0]] * 2], "weights"


@pytest.mark.parametrize("name", MODULES)
def test_the_future_never_changes_the_past(name):
    check(MODULES[name](), causal_mask(5))


MISTAKES = {
    "no mask": (None, "the future changes the past"),
    "padding only": (torch.ones(1, 1, 1, 5, dtype=torch.bool), "the future changes the past"),
    "one diagonal too wide": (causal_mask(6)[..., 1:, :5], "the future changes the past"),
    "a place hidden from itself": (~causal_mask(5).mT, "weights"),
    "all hidden": (torch.zeros(1, 1, 1, 5, dtype=torch.bool), "a place does not see itself|weights"),
}


@pytest.mark.parametrize("module", MODULES)
@pytest.mark.parametrize("name", MISTAKES)
def test_each_reported_mistake_fails(name, module):
    mask, says = MISTAKES[name]
    with pytest.raises(AssertionError, match=says):
        check(MODULES[module](), mask)
