r"""A pattern such as \w+ drops emoji and marks, or cuts a joined emoji: tokens no longer add up to the text.

Whose trouble: https://github.com/dhfbk/variationist/issues/8,
https://github.com/huggingface/tokenizers/issues/122, https://github.com/explosion/spacymoji/issues/20
and https://github.com/winkjs/wink-tokenizer/issues/30
"""

import re
from functools import partial

import pytest
import torch

from tutorial_lib import plot
from tutorial_lib.text import Vocab, tokenize

TEXTS = {
    "오늘 최고 👍🏽": ["오늘", "최고", "👍🏽"],  # a thumb and its colour
    "가족 👨‍👩‍👧 사진": ["가족", "👨‍👩‍👧", "사진"],  # three people joined by U+200D
}


def check(tokens_of, ids_of):
    for text, words in TEXTS.items():
        assert "".join(tokens_of(text)) == text.replace(" ", "")
        assert tokens_of(text) == words
        assert len(ids_of(text)) == 3


@pytest.mark.parametrize("level", ["word", "space"])
@pytest.mark.parametrize("known", [["오늘"], list(TEXTS)])
def test_nothing_is_lost_and_every_token_has_an_id(known, level):
    cut = partial(tokenize, level=level)
    check(cut, partial(Vocab.build(known, tokenizer=cut).encode, specials=False))


@pytest.mark.parametrize("text", TEXTS)
def test_characters_add_up_to_the_text_too(text):
    assert "".join(tokenize(text, level="char")) == text.replace(" ", "")
    assert len(tokenize(text, level="char")) == 5


@pytest.mark.parametrize("text", TEXTS)
def test_no_label_of_a_picture_moves(text):
    ax = plot.attention_heatmap(torch.eye(3), tokenize(text))
    assert [label.get_text() for label in ax.get_xticklabels()] == [plot.label(token) for token in TEXTS[text]]


words = partial(re.findall, r"\w+")
MISTAKES = {
    "a pattern of letters": (words, words),
    "no id for an unknown one": (tokenize, lambda text: [1 for token in tokenize(text) if token.isalpha()]),
    "cut into code points": (lambda text: list(text.replace(" ", "")), list),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_each_reported_mistake_fails(name):
    with pytest.raises(AssertionError):
        check(*MISTAKES[name])
