"""A padding mask on the wrong axis hides queries instead of keys; with as many sentences as places nothing complains.

Whose trouble: https://github.com/hyunwoongko/transformer/pull/40
and https://github.com/hyunwoongko/transformer/issues/32
"""

import pytest
import torch

from tutorial_lib.attention import MultiHeadAttention, masked_softmax
from tutorial_lib.encoder import Encoder
from tutorial_lib.masks import padding_mask
from tutorial_lib.trace import attention_weights

IDS = torch.tensor([[4, 0], [4, 5]])


def check(mask_of, softmax=masked_softmax):
    weights = softmax(torch.zeros(2, 1, 2, 2), mask_of(IDS))
    assert weights.shape == (2, 1, 2, 2)
    assert weights[:, 0].tolist() == [[[1, 0], [1, 0]], [[0.5, 0.5], [0.5, 0.5]]]


def test_padding_hides_keys_and_not_queries():
    check(lambda ids: padding_mask(ids, pad_id=0))


def test_so_it_does_in_every_layer_of_an_encoder():
    model = Encoder(input_dim=6, hid_dim=8, pf_dim=16, n_heads=2, n_layers=3).eval()
    for weights in attention_weights(model, IDS, padding_mask(IDS, pad_id=0)):
        assert weights[0, ..., 0].eq(1).all() and weights[0, ..., 1].eq(0).all() and weights[1].gt(0).all()


MISTAKES = {
    "on the axis of the queries": lambda ids: (ids != 0)[:, None, :, None],
    "no axis added": lambda ids: ids != 0,
    "one axis added": lambda ids: (ids != 0)[:, None],
}


def careless(scores, mask):  # as the reports had it, whatever broadcasts is taken
    return scores.masked_fill(~mask, torch.finfo(scores.dtype).min).softmax(-1)


@pytest.mark.parametrize("name", MISTAKES)
def test_each_reported_mistake_fails(name):
    with pytest.raises(AssertionError):
        check(MISTAKES[name], careless)


@pytest.mark.parametrize("need_weights", [True, False])
@pytest.mark.parametrize("name", MISTAKES)
def test_the_library_refuses_each_of_them(name, need_weights):
    mask = MISTAKES[name](IDS)
    met = str(list(mask.shape)).replace("[", r"\[")
    with pytest.raises(ValueError, match=f"got {met}"):
        check(lambda ids: mask)
    attention, x = MultiHeadAttention(hid_dim=4, n_heads=2), torch.randn(2, 2, 4)
    with pytest.raises(ValueError, match=f"got {met}"):
        attention(x, x, x, mask, need_weights=need_weights)
