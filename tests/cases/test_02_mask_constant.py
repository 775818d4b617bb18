"""A constant that hides a key, such as -1e9, does not fit into float16; added to a low score, a smaller one overflows.

Whose trouble: https://github.com/NVIDIA/apex/issues/1052 and https://github.com/bentrevett/pytorch-seq2seq/issues/191
"""

import pytest
import torch

from tutorial_lib.attention import MultiHeadAttention, masked_softmax
from tutorial_lib.masks import from_additive, from_integers, to_additive

HALVES = [torch.float16, torch.bfloat16]
ZERO, LOW = torch.zeros(1, 1, 1, 3), torch.full((1, 1, 1, 3), -40.0)
TWO, NONE = from_integers(torch.tensor([[1, 1, 0]])), from_integers(torch.tensor([[0, 0, 0]]))


def check(softmax, dtype=torch.float16):
    weights = softmax(ZERO.to(dtype), TWO)
    assert weights.dtype == dtype and weights.flatten().tolist() == [0.5, 0.5, 0.0]
    assert softmax(LOW.to(dtype), TWO).flatten().tolist() == [0.5, 0.5, 0.0]
    assert softmax(LOW.to(dtype), NONE).flatten().tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("dtype", [*HALVES, torch.float32, torch.float64])
def test_the_library_has_it_right(dtype):
    check(masked_softmax, dtype)


@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize("need_weights", [True, False])
def test_hidden_values_count_for_nothing_in_half_precision(need_weights, dtype):
    attention = MultiHeadAttention(hid_dim=4, n_heads=2, dropout=0.0).to(dtype)
    x = torch.randn(1, 3, 4).to(dtype)
    other = torch.cat([x[:, :2], 100 * x[:, 2:]], dim=1)
    a, b = (attention(x[:, :2], keys, keys, TWO, need_weights=need_weights)[0] for keys in (x, other))
    assert torch.equal(a, b)


@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize("low", [-10000.0, "min", float("-inf")])
def test_the_constants_of_others_are_read_in_half_precision(dtype, low):
    low = torch.finfo(dtype).min if low == "min" else low
    assert from_additive(torch.tensor([[0.0, low]], dtype=dtype)).tolist() == [[[[True, False]]]]
    assert to_additive(TWO, dtype=dtype).flatten().tolist() == [0, 0, float("-inf")]


def minus_a_billion(scores, mask):
    return scores.masked_fill(~mask, -1e9).softmax(-1)


def the_smallest_number_added(scores, mask):
    return (scores + (~mask).to(scores.dtype) * torch.finfo(scores.dtype).min).softmax(-1)


def test_each_reported_mistake_fails():
    with pytest.raises(RuntimeError, match="overflow"):
        check(minus_a_billion)
    with pytest.raises(AssertionError, match="nan"):
        check(the_smallest_number_added)
