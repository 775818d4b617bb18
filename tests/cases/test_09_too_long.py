"""A sentence longer than the table of positions gives an obscure error, or its positions wrap, or it is cut.

Whose trouble: https://github.com/bentrevett/pytorch-seq2seq/issues/89 and https://github.com/CUNY-CL/yoyodyne/issues/40
"""

import pytest
import torch

from tests.cases import told
from tutorial_lib.embedding import LearnedPositionLayer, PositionalEncodingLayer, sinusoid_table
from tutorial_lib.encoder import Encoder

SIZES = dict(input_dim=9, hid_dim=4, pf_dim=8, n_heads=2, n_layers=1, max_len=4)
TABLE = sinusoid_table(max_len=4, hid_dim=4)


def check(module, x_of=lambda sl: torch.zeros(1, sl, 4)):
    assert module(x_of(4)).shape == (1, 4, 4)
    assert told(lambda: module(x_of(5))).startswith("sl 5 is longer than max_len 4: cut the text, or build a larger")


@pytest.mark.parametrize("layer", [PositionalEncodingLayer, LearnedPositionLayer])
def test_both_lengths_are_named(layer):
    check(layer(hid_dim=4, max_len=4))


@pytest.mark.parametrize("positions", ["sinusoid", "learned"])
def test_the_encoder_names_them_for_ids_and_for_floats(positions):
    model = Encoder(**SIZES, positions=positions)
    check(model)
    check(model, lambda sl: torch.ones(1, sl, dtype=torch.long))


def test_without_positions_no_length_is_too_long():
    assert Encoder(**SIZES, positions=None)(torch.ones(1, 600, dtype=torch.long)).shape == (1, 600, 4)


MISTAKES = {
    "broadcasts": (lambda x: x + TABLE[: x.size(1)], RuntimeError),
    "wraps": (lambda x: x + TABLE[torch.arange(x.size(1)) % 4], AssertionError),
    "cuts the input": (lambda x: x[:, :4] + TABLE, AssertionError),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_each_reported_mistake_fails(name):
    mistake, error = MISTAKES[name]
    with pytest.raises(error):
        check(mistake)
