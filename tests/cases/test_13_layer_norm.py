"""A LayerNorm written by hand divides by n - 1, or adds eps outside the root: it is not the one of pretrained weights.

Whose trouble: https://github.com/harvardnlp/annotated-transformer/issues/122,
https://github.com/hyunwoongko/transformer/issues/7 and https://github.com/codertimo/BERT-pytorch/issues/30
"""

import pytest
import torch
from torch import nn

from tutorial_lib.encoder import Encoder
from tutorial_lib.feedforward import LayerNorm

KNOWN = [  # row, eps, and what comes out with gain 1 and shift 0
    ([2.0, 4.0, 6.0, 12.0], 1e-12, [-1.069045, -0.534522, 0.0, 1.603567]),
    ([3.0, 3.0, 3.0, 3.0], 1e-12, [0.0, 0.0, 0.0, 0.0]),
    ([0.001, -0.001], 1e-6, [0.707107, -0.707107]),
]


def check(norm):
    """`norm(x, eps)` along the last axis."""
    for row, eps, wanted in KNOWN:
        torch.testing.assert_close(norm(torch.tensor([row]), eps), torch.tensor([wanted]), atol=1e-5, rtol=0)


def test_the_library_has_it_right():
    check(lambda x, eps: LayerNorm(hid_dim=x.size(-1), eps=eps)(x))


@pytest.mark.parametrize("norm_first", [False, True])
def test_so_has_every_norm_inside_an_encoder(norm_first):
    def build(hid_dim, eps):
        sizes = dict(input_dim=None, hid_dim=hid_dim, pf_dim=8, n_heads=1, n_layers=2)
        return [
            m for m in Encoder(**sizes, norm_first=norm_first, norm_eps=eps).modules() if isinstance(m, nn.LayerNorm)
        ]

    assert len(build(4, 1e-5)) == 4 + norm_first
    for number in range(4 + norm_first):
        check(lambda x, eps, number=number: build(x.size(-1), eps)[number](x))


def divided_by_one_less(x, eps):
    return (x - x.mean(-1, keepdim=True)) / (x.var(-1, keepdim=True) + eps).sqrt()


def eps_outside_the_root(x, eps):
    return (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True, unbiased=False) + eps)


@pytest.mark.parametrize("mistake", [divided_by_one_less, eps_outside_the_root])
def test_each_reported_mistake_fails(mistake):
    with pytest.raises(AssertionError):
        check(mistake)
