"""One `view` to [bs, n_heads, sl, head_dim] has the right shape, and mixes the tokens into the heads.

Whose trouble: https://github.com/hyunwoongko/transformer/issues/15 and https://github.com/reczoo/FuxiCTR/issues/30
"""

import pytest
import torch

from tutorial_lib import attention
from tutorial_lib.attention import MultiHeadAttention, merge_heads, split_heads
from tutorial_lib.masks import from_integers

X = torch.arange(8.0).reshape(1, 2, 4)
HEADS = [[[[0, 1], [4, 5]], [[2, 3], [6, 7]]]]


def check(split, merge=merge_heads):
    heads = split(X, n_heads=2)
    assert heads.shape == (1, 2, 2, 2)
    assert heads.tolist() == HEADS
    assert torch.equal(merge(torch.tensor(HEADS, dtype=torch.float32)), X)


def check_attention():
    """Through the public module: a hidden token must not reach the others."""
    module, x = MultiHeadAttention(hid_dim=4, n_heads=2).eval(), torch.randn(1, 3, 4)
    mask = from_integers(torch.tensor([[1, 1, 0]]))
    a, b = (module(x, x, x, mask)[0] for x in (x, torch.cat([x[:, :2], -x[:, 2:]], dim=1)))
    torch.testing.assert_close(a[:, :2], b[:, :2])


def test_a_head_is_the_same_slice_of_every_token():
    check(split_heads)
    check_attention()


def plain_view(x, n_heads):
    return x.view(len(x), n_heads, x.size(1), -1)


def heads_folded_into_the_batch(x, n_heads):
    return x.view(len(x) * n_heads, -1, x.size(2) // n_heads).view(len(x), n_heads, x.size(1), -1)


def plain_view_back(x):
    return x.reshape(len(x), x.size(2), -1)


@pytest.mark.parametrize("mistake", [plain_view, heads_folded_into_the_batch])
def test_each_reported_mistake_fails(mistake, monkeypatch):
    with pytest.raises(AssertionError):
        check(mistake)
    with pytest.raises(AssertionError):
        check(split_heads, plain_view_back)  # the same on the way back
    monkeypatch.setattr(attention, "split_heads", mistake)
    monkeypatch.setattr(attention, "merge_heads", plain_view_back)  # the two mistakes undo each other
    assert torch.equal(plain_view_back(mistake(X, n_heads=2)), X)
    with pytest.raises(AssertionError):
        check_attention()
