"""A width that the number of heads does not divide is noticed deep inside `forward`, by an error about shapes.

Whose trouble: https://github.com/google-research/bert/issues/316,
https://github.com/rasbt/LLMs-from-scratch/issues/444 and https://github.com/huggingface/transformers/issues/23081
"""

import pytest
import torch
from torch import nn

from tests.cases import told
from tutorial_lib.attention import MultiHeadAttention, split_heads
from tutorial_lib.encoder import Encoder, EncoderLayer


def check(build):
    x = torch.randn(1, 2, 12)
    module = build(hid_dim=12, n_heads=3)
    assert (module(x, x, x)[0] if isinstance(module, MultiHeadAttention) else module(x)).shape == (1, 2, 12)
    assert told(lambda: build(hid_dim=10, n_heads=3)).startswith("hid_dim 10 is not divisible by n_heads 3")


@pytest.mark.parametrize(
    "build",
    [
        MultiHeadAttention,
        lambda **sizes: EncoderLayer(**sizes, pf_dim=8),
        lambda **sizes: Encoder(**sizes, pf_dim=8, n_layers=1, input_dim=None),
    ],
    ids=["attention", "layer", "encoder"],
)
def test_both_sizes_are_named_when_the_module_is_built(build):
    check(build)


def test_both_sizes_are_named_when_a_tensor_is_split():
    assert "10 is not divisible by n_heads 3" in told(lambda: split_heads(torch.ones(1, 2, 10), n_heads=3))


class Late(nn.Module):
    def __init__(self, *, hid_dim, n_heads):
        super().__init__()
        self.linear, self.n_heads = nn.Linear(hid_dim, hid_dim), n_heads

    def forward(self, x):
        return self.linear(x).view(len(x), -1, self.n_heads, x.size(2) // self.n_heads).flatten(2)


def test_the_reported_mistake_fails():
    with pytest.raises(AssertionError, match="nothing"):
        check(Late)
    with pytest.raises(RuntimeError, match="shape"):  # which is all that its user is told
        Late(hid_dim=10, n_heads=3)(torch.randn(1, 2, 10))
