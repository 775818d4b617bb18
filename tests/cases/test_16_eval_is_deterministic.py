"""Dropout written as a function stays on after `model.eval()`: the same input gives another answer each time.

Whose trouble: https://github.com/pytorch/pytorch/issues/124464,
https://github.com/huggingface/pytorch-image-models/pull/1978, https://github.com/coleygroup/ms-pred/issues/38
and https://github.com/huggingface/transformers/issues/2627
"""

from functools import partial

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from tutorial_lib.attention import MultiHeadAttention
from tutorial_lib.encoder import Encoder, EncoderLayer
from tutorial_lib.feedforward import PositionwiseFeedForwardLayer

SIZES = dict(hid_dim=8, n_heads=2)
ENCODER = dict(**SIZES, pf_dim=16, n_layers=2, input_dim=None)
MODULES = {  # each builds with dropout=…, and says how it is called
    "attention": (partial(MultiHeadAttention, **SIZES), lambda m, x: m(x, x, x)[0]),
    "attention, weights": (partial(MultiHeadAttention, **SIZES), lambda m, x: m(x, x, x, need_weights=True)[0]),
    "feed-forward": (partial(PositionwiseFeedForwardLayer, hid_dim=8, pf_dim=16), lambda m, x: m(x)),
    "layer": (partial(EncoderLayer, **SIZES, pf_dim=16), lambda m, x: m(x)),
    "layer, weights": (partial(EncoderLayer, **SIZES, pf_dim=16), lambda m, x: m(x, need_weights=True)[0]),
    "encoder": (partial(Encoder, **ENCODER), lambda m, x: m(x)),
    "encoder, weights": (partial(Encoder, **ENCODER, norm_first=True), lambda m, x: m(x, need_weights=True)[1][1]),
}


def check(build, call=lambda module, x: module(x)):
    strong, none = build(dropout=0.5), build(dropout=0.0)
    none.load_state_dict(strong.state_dict())
    x = torch.randn(2, 4, 8)
    strong.eval(), none.eval()
    assert torch.equal(call(strong, x), call(strong, x)), "dropout stays on"
    torch.testing.assert_close(call(strong, x), call(none, x), atol=1e-6, rtol=0)
    assert not torch.equal(call(strong.train(), x), call(strong, x)), "dropout is never on"


@pytest.mark.parametrize("name", MODULES)
def test_eval_is_deterministic_and_the_model_without_dropout(name):
    check(*MODULES[name])


class AlwaysOn(nn.Module):
    def __init__(self, drop, dropout):
        super().__init__()
        self.drop, self.p, self.linear = drop, dropout, nn.Linear(8, 8)

    def forward(self, x):
        return self.drop(self.linear(x)[:, None], self.p)


@pytest.mark.parametrize("mistake", [lambda x, p: F.scaled_dot_product_attention(x, x, x, dropout_p=p), F.dropout])
def test_each_reported_mistake_fails(mistake):
    with pytest.raises(AssertionError, match="dropout stays on"):
        check(partial(AlwaysOn, mistake))
