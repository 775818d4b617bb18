"""Special tokens are added first and the list is cut afterwards: a long text loses its end token.

Whose trouble: https://github.com/pytorch-ignite/trainite/pull/161,
https://github.com/facebookresearch/SLIP/issues/18 and https://github.com/huggingface/tokenizers/issues/174
"""

import pytest

from tutorial_lib.text import Vocab, frame

TOKENS = ["a", "b", "c", "d", "e"]
RIGHT = {
    4: ["<BOS>", "a", "b", "<EOS>"],
    7: ["<BOS>", "a", "b", "c", "d", "e", "<EOS>"],
    9: ["<BOS>", "a", "b", "c", "d", "e", "<EOS>"],
}


def check(framed):
    for max_len, wanted in RIGHT.items():
        assert framed(TOKENS, max_len) == wanted


def test_the_text_is_cut_and_never_its_frame():
    check(lambda tokens, max_len: frame(tokens, max_len=max_len))


def test_so_it_is_by_a_vocabulary_for_one_text_and_for_many():
    vocab = Vocab(TOKENS)
    check(lambda tokens, max_len: vocab.decode(vocab.encode(" ".join(tokens), max_len=max_len), specials=True))
    check(lambda tokens, max_len: vocab.decode(vocab.batch([" ".join(tokens)], max_len=max_len)[0], specials=True))
    beside = vocab.batch(["a", "a b c d e"], max_len=4)
    assert beside.tolist() == [[2, 4, 3, 0], [2, 4, 5, 3]]


MISTAKES = {
    "framed, then cut": lambda tokens, max_len: ["<BOS>", *tokens, "<EOS>"][:max_len],
    "cut without the frame": lambda tokens, max_len: ["<BOS>", *tokens[:max_len], "<EOS>"],
}


@pytest.mark.parametrize("name", MISTAKES)
def test_each_reported_mistake_fails(name):
    with pytest.raises(AssertionError):
        check(MISTAKES[name])
