"""A word outside the vocabulary is a KeyError, or gets an id that is in no table, or is dropped without a word.

Whose trouble: https://github.com/donghyeonk/match-lstm/issues/6,
https://github.com/tatsuokun/context2vec/issues/4, https://github.com/keras-team/keras-hub/issues/1466
and https://github.com/pytorch/pytorch/issues/123119
"""

from functools import partial

import pytest
import torch

from tutorial_lib.embedding import Embed
from tutorial_lib.text import Vocab, tokenize

TRAINING = ["나는 학교에 간다", "the cat sat"]
NEW = ["나는 병원에 간다", "the dog sat"]
KNOWN = {word: number for number, word in enumerate(["<PAD>", "<UNK>", *" ".join(TRAINING).split()])}


def check(encode, *, size, pad_id, unk_id):
    assert pad_id != unk_id and 0 <= pad_id < size and 0 <= unk_id < size
    for known, new in zip(TRAINING, NEW):
        first, _, last = encode(known)
        assert encode(new) == [first, unk_id, last]
        assert all(0 <= number < size for number in encode(new))


@pytest.mark.parametrize("level", ["word", "space"])
def test_an_unknown_word_is_unk_and_its_neighbours_keep_their_ids(level):
    vocab = Vocab.build(TRAINING, tokenizer=partial(tokenize, level=level))
    check(partial(vocab.encode, specials=False), size=len(vocab), pad_id=vocab.pad_id, unk_id=vocab.unk_id)
    assert Embed(input_dim=len(vocab), hid_dim=4)(vocab.batch(NEW)).shape == (2, 5, 4)


@pytest.mark.parametrize("wrong", [-1, 10])
def test_an_id_in_no_table_is_named_where_it_is_met(wrong):
    vocab = Vocab.build(TRAINING)
    with pytest.raises(ValueError, match=rf"0\.\.9, got {wrong}$"):
        Embed(input_dim=len(vocab), hid_dim=4)(torch.tensor([[4, wrong]]))
    with pytest.raises(ValueError, match=rf"0\.\.9, got \[{wrong}\]"):
        vocab.decode([4, wrong])


MISTAKES = {
    "no way out": (lambda text: [KNOWN[word] for word in text.split()], 1, KeyError),
    "minus one": (lambda text: [KNOWN.get(word, -1) for word in text.split()], -1, AssertionError),
    "past the end": (lambda text: [KNOWN.get(word, 8) for word in text.split()], 8, AssertionError),
    "dropped": (lambda text: [KNOWN[word] for word in text.split() if word in KNOWN], 1, AssertionError),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_each_reported_mistake_fails(name):
    encode, unk_id, error = MISTAKES[name]
    with pytest.raises(error):
        check(encode, size=len(KNOWN), pad_id=0, unk_id=unk_id)
