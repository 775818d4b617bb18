"""An empty or blank text crashes the batch, vanishes from it, or makes it a float tensor without a column.

Whose trouble: https://github.com/elixir-nx/bumblebee/issues/373,
https://github.com/keras-team/keras/issues/959 and https://github.com/allenai/allennlp/issues/1591
"""

import pytest
import torch

from tutorial_lib.encoder import Encoder
from tutorial_lib.masks import padding_mask
from tutorial_lib.text import Vocab, collate

VOCAB = Vocab(["나는", "간다", "a", "b"])
FRAMED = {  # <PAD> 0, <BOS> 2, <EOS> 3
    ("", "나는 간다"): [[2, 3, 0, 0], [2, 4, 5, 3]],
    ("",): [[2, 3]],
    ("   ",): [[2, 3]],
    ("a b",): [[2, 6, 7, 3]],
}
BARE = {("", "나는 간다"): [[0, 0], [4, 5]], ("",): [[0]], ("   ",): [[0]], ("a b",): [[6, 7]]}


def check(batch, wanted):
    for texts, ids in wanted.items():
        src = batch(texts)
        assert src.dtype == torch.int64 and src.tolist() == ids
        assert padding_mask(src, pad_id=0)[:, 0, 0].tolist() == [[number != 0 for number in row] for row in ids]


def bare(texts):
    return collate([VOCAB.encode(text, specials=False) for text in texts], pad_id=0)


def test_an_empty_text_is_a_row_like_any_other():
    check(VOCAB.batch, FRAMED)
    check(bare, BARE)


@pytest.mark.parametrize("batch", [VOCAB.batch, bare])
def test_an_encoder_takes_it(batch):
    model = Encoder(input_dim=len(VOCAB), hid_dim=4, pf_dim=8, n_heads=2, n_layers=2)
    for texts in FRAMED:
        src = batch(texts)
        assert model(src, padding_mask(src, pad_id=0)).isfinite().all()


def without_a_least_width(texts):
    rows = [VOCAB.encode(text, specials=False) for text in texts]
    return torch.tensor([row + [0] * (max(map(len, rows)) - len(row)) for row in rows])


def blank_texts_left_out(texts):
    return bare([text for text in texts if text.strip()] or ["a"])


@pytest.mark.parametrize("mistake", [without_a_least_width, blank_texts_left_out])
def test_each_reported_mistake_fails(mistake):
    with pytest.raises(AssertionError):
        check(mistake, BARE)
