"""Attention is not `nn.MultiheadAttention`: packed weights in another order, √hid_dim, one input for all, averaged heads.

Whose trouble: https://github.com/KyanChen/MakeMultiHeadNaive/issues/2,
https://github.com/omihub777/ViT-CIFAR/pull/11, https://github.com/pytorch/pytorch/issues/34537
and https://github.com/jadore801120/attention-is-all-you-need-pytorch/issues/42
"""

import pytest
import torch
from torch import nn

from tutorial_lib.attention import MultiHeadAttention
from tutorial_lib.masks import from_integers, to_key_padding_mask

MASK = from_integers(torch.tensor([[1, 1, 1, 1], [1, 1, 0, 0]]))


def ours_from(theirs, order=(0, 1, 2), scale=1.0):
    """Our attention with torch's weights, which it packs as query, key, value."""
    ours = MultiHeadAttention(hid_dim=8, n_heads=2).eval()
    packed = list(zip(theirs.in_proj_weight.chunk(3), theirs.in_proj_bias.chunk(3)))
    with torch.no_grad():
        for linear, place in zip((ours.q_proj, ours.k_proj, ours.v_proj), order):
            for parameter, part in zip((linear.weight, linear.bias), packed[place]):
                parameter.copy_(part * (scale if linear is ours.q_proj else 1))
    ours.out_proj.load_state_dict(theirs.out_proj.state_dict())
    return lambda query, key, value: ours(query, key, value, MASK, need_weights=True)


def check(call_from):
    theirs = nn.MultiheadAttention(8, 2, batch_first=True).eval()
    nn.init.normal_(theirs.in_proj_bias), nn.init.normal_(theirs.out_proj.bias)
    call, hidden = call_from(theirs), to_key_padding_mask(MASK)
    query, key, value = torch.randn(2, 3, 8), torch.randn(2, 4, 8), torch.randn(2, 4, 8)
    for inputs in ((key, key, key), (query, key, value)):
        out, weights = call(*inputs)
        wanted, per_head = theirs(*inputs, key_padding_mask=hidden, average_attn_weights=False)
        averaged = theirs(*inputs, key_padding_mask=hidden)[1]
        assert weights.shape == per_head.shape == (2, 2, inputs[0].size(1), 4)
        for got, right in ((out, wanted), (weights, per_head), (weights.mean(1), averaged)):
            torch.testing.assert_close(got, right, atol=1e-6, rtol=0)


def test_self_and_cross_attention_are_torchs_for_every_head():
    check(ours_from)


MISTAKES = {
    "key before query": lambda theirs: ours_from(theirs, order=(1, 0, 2)),
    "scaled by the whole width": lambda theirs: ours_from(theirs, scale=0.5**0.5),
    "keys from the query": lambda theirs: lambda q, k, v: ours_from(theirs)(q, *[torch.cat([q, q], 1)[:, :4]] * 2),
    "averaged": lambda theirs: lambda *qkv: (ours_from(theirs)(*qkv)[0], ours_from(theirs)(*qkv)[1].mean(1)),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_each_reported_mistake_fails(name):
    with pytest.raises(AssertionError):
        check(MISTAKES[name])
