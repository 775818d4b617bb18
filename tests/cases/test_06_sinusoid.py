"""The sinusoid table breaks at an odd width, gives cosine another exponent than its sine, or sets them in two halves.

Whose trouble: https://github.com/codertimo/BERT-pytorch/issues/78,
https://github.com/SamLynnEvans/Transformer/issues/25 and https://github.com/tensorflow/text/issues/1122
"""

import pytest
import torch

from tutorial_lib.embedding import PositionalEncodingLayer, sinusoid_table
from tutorial_lib.encoder import Encoder

EVEN = [[0, 1, 0, 1], [0.841471, 0.540302, 0.01, 0.99995]]
ODD = [[0, 1, 0, 1, 0], [0.841471, 0.540302, 0.025116, 0.999685, 0.000631]]


def check(table_of):
    """`table_of(max_len, hid_dim)`; known are the rows of positions 0 and 1."""
    for rows in (EVEN, ODD):
        table = table_of(6, len(rows[0]))
        assert table.shape == (6, len(rows[0]))
        torch.testing.assert_close(table[:2], torch.tensor(rows), atol=1e-6, rtol=0)


def test_the_library_has_it_right():
    check(lambda max_len, hid_dim: sinusoid_table(max_len=max_len, hid_dim=hid_dim))


def test_so_has_the_layer_and_the_encoder():
    check(lambda max_len, hid_dim: PositionalEncodingLayer(hid_dim=hid_dim)(torch.zeros(1, max_len, hid_dim))[0])
    sizes = dict(input_dim=None, pf_dim=8, n_heads=1, n_layers=1)
    check(lambda max_len, hid_dim: Encoder(**sizes, hid_dim=hid_dim).pe(torch.zeros(1, max_len, hid_dim))[0])


def room_for_even_widths_only(max_len, hid_dim):
    table = torch.zeros(max_len, hid_dim)
    angle = torch.arange(max_len)[:, None] / 10000 ** (torch.arange(0, hid_dim, 2) / hid_dim)
    table[:, 0::2], table[:, 1::2] = angle.sin(), angle.cos()
    return table


def an_exponent_for_each_column(max_len, hid_dim):
    column = torch.arange(hid_dim)
    angle = torch.arange(max_len)[:, None] / 10000 ** (column / hid_dim)
    return torch.where(column % 2 == 0, angle.sin(), angle.cos())


def sines_before_cosines(max_len, hid_dim):
    table = sinusoid_table(max_len=max_len, hid_dim=hid_dim)
    return torch.cat([table[:, 0::2], table[:, 1::2]], dim=1)


def test_each_reported_mistake_fails():
    with pytest.raises(RuntimeError, match="shape|size"):
        check(room_for_even_widths_only)
    for mistake in (an_exponent_for_each_column, sines_before_cosines):
        with pytest.raises(AssertionError):
            check(mistake)
