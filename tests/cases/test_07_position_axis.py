"""Positions count the batch instead of the sentence: code for [sl, bs, hid_dim] was given [bs, sl, hid_dim].

Whose trouble: https://github.com/datawhalechina/hello-agents/issues/61,
https://github.com/tanjimin/C.Origami/issues/42
and https://github.com/KasperGroesLudvigsen/influenza_transformer/issues/9
"""

import pytest
import torch

from tutorial_lib.embedding import LearnedPositionLayer, PositionalEncodingLayer, sinusoid_table
from tutorial_lib.encoder import Encoder

FIRST_ROWS = [[0, 1, 0, 1], [0.841471, 0.540302, 0.01, 0.99995]]
TABLE = sinusoid_table(max_len=50, hid_dim=4)


def check(add_positions, first_rows=FIRST_ROWS):
    for bs, sl in ((3, 3), (2, 5)):  # with as many sentences as places the wrong axis fits
        out = add_positions(torch.zeros(bs, sl, 4))
        assert out.shape == (bs, sl, 4)
        assert all(torch.equal(sentence, out[0]) for sentence in out), "sentences differ"
        assert len(out[0].unique(dim=0)) == sl, "two places are alike"
        torch.testing.assert_close(out[0, :2], torch.as_tensor(first_rows), atol=1e-6, rtol=0)


def test_positions_run_along_the_sentence():
    check(PositionalEncodingLayer(hid_dim=4))
    check(Encoder(input_dim=None, hid_dim=4, pf_dim=8, n_heads=1, n_layers=1).pe)


def test_so_do_learned_positions():
    layer = LearnedPositionLayer(hid_dim=4, max_len=6)
    check(layer, layer.table[:2])


def along_the_batch(x):
    return x + TABLE[: x.size(0), None]


def the_whole_table(x):
    return x + TABLE[None]


@pytest.mark.parametrize(
    ("mistake", "error", "says"),
    [
        (along_the_batch, AssertionError, "sentences differ"),
        (the_whole_table, RuntimeError, r"size of tensor a \(3\)"),
    ],
)
def test_each_reported_mistake_fails(mistake, error, says):
    with pytest.raises(error, match=says):
        check(mistake)
