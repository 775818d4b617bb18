"""One sentence of padding alone turns to NaN, and its NaN gradients poison the weights that the whole batch shares.

Whose trouble: https://github.com/pytorch/pytorch/issues/41508 and https://github.com/pytorch/pytorch/issues/24816
"""

import pytest
import torch
from torch import nn

from tutorial_lib.attention import MultiHeadAttention
from tutorial_lib.encoder import Encoder, EncoderLayer
from tutorial_lib.masks import from_integers, to_key_padding_mask

MASK = from_integers(torch.tensor([[1, 1, 0], [0, 0, 0]]))
SIZES = dict(hid_dim=4, n_heads=2, dropout=0.0)
MODULES = {  # and how many times each wants its input
    "attention": (lambda: MultiHeadAttention(**SIZES), 3),
    "layer": (lambda: EncoderLayer(**SIZES, pf_dim=8), 1),
    "encoder": (lambda: Encoder(**SIZES, pf_dim=8, n_layers=2, input_dim=None), 1),
}


def tensors(value):
    return [value] if isinstance(value, torch.Tensor) else [t for part in value or () for t in tensors(part)]


def check(module, run, *, dtype=torch.float32, tolerance=1e-6):
    """`run(x, mask)` returns the output, and weights if there are any; the loss is of the first sentence only."""
    x = torch.randn(2, 3, 4).to(dtype)
    out, *weights = tensors(run(x, MASK))
    out[0].sum().backward()
    gradients = [parameter.grad for parameter in module.parameters() if parameter.grad is not None]
    assert gradients and all(t.isfinite().all() for t in [out, *weights, *gradients]), "NaN"
    assert all(w[0, ..., 2].eq(0).all() for w in weights), "padding is attended to"
    assert (out[0] - tensors(run(x[:1], MASK[:1]))[0][0]).abs().max() <= tolerance, "it depends on its neighbour"
    return weights


@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float32, 1e-6), (torch.bfloat16, 0.02), (torch.float16, 2e-3)])
@pytest.mark.parametrize("need_weights", [True, False])
@pytest.mark.parametrize("name", MODULES)
def test_padding_alone_stays_finite_and_harms_nobody(name, need_weights, dtype, tolerance):
    module, times = MODULES[name][0]().to(dtype), MODULES[name][1]
    run = lambda x, mask: module(*[x] * times, mask, need_weights=need_weights)
    weights = check(module, run, dtype=dtype, tolerance=tolerance)
    assert bool(weights) == need_weights and all(w[1].eq(0).all() for w in weights)  # nothing to attend to: exactly 0


def minus_infinity(linear, x, mask):
    query, key, value = linear(x).chunk(3, -1)
    weights = (query @ key.mT).masked_fill(~mask[:, 0], float("-inf")).softmax(-1)
    return weights @ value, weights


def test_each_reported_mistake_fails():
    theirs, linear = nn.MultiheadAttention(4, 2, batch_first=True), nn.Linear(4, 12)
    with pytest.raises(AssertionError, match="NaN"):
        check(linear, lambda x, mask: minus_infinity(linear, x, mask))
    with pytest.raises(AssertionError, match="NaN"):  # up to torch 2.13, when asked for weights
        check(theirs, lambda x, mask: theirs(x, x, x, key_padding_mask=to_key_padding_mask(mask)))
