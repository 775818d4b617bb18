import json
import unicodedata
from functools import partial

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tutorial_lib.text import LEVELS, SPECIALS, Vocab, collate, frame, normalize, tokenize

TRAINING = ["나는 학교에 간다", "the cat sat"]


@pytest.mark.parametrize("level", LEVELS)
@given(st.text())
def test_only_blanks_are_lost(level, text):
    assert "".join(tokenize(text, level=level)) == "".join(normalize(text).split())


@given(st.text())
def test_tokens_hold_no_blank_and_are_never_empty(text):
    for level in LEVELS:
        assert all(token and not any(char.isspace() for char in token) for token in tokenize(text, level=level))


@pytest.mark.parametrize("text", ["오늘 최고 👍🏽", "가족 👨‍👩‍👧 사진"])
@pytest.mark.parametrize("level", ["space", "word"])
def test_an_emoji_of_several_code_points_is_one_token(text, level):
    assert len(tokenize(text, level=level)) == 3


def test_levels():
    text = "갔다. I don't"
    assert tokenize(text, level="space") == ["갔다.", "I", "don't"]
    assert tokenize(text) == ["갔다", ".", "I", "don't"]
    assert tokenize(text, level="char") == ["갔", "다", ".", "I", "d", "o", "n", "'", "t"]


def test_an_unknown_level_is_named():
    with pytest.raises(ValueError, match="'words'.*space, word, char|space, word, char.*'words'"):
        tokenize("a", level="words")


def test_composed_and_decomposed_korean_are_the_same_tokens():
    decomposed = unicodedata.normalize("NFD", "한국어")
    assert len(decomposed) == 8 and normalize(decomposed) == "한국어"
    for level in LEVELS:
        assert tokenize(decomposed, level=level) == tokenize("한국어", level=level)
    vocab = Vocab.build([decomposed], tokenizer=str.split)  # a tokenizer that does not compose
    assert vocab.encode("한국어", specials=False) == vocab.encode(decomposed, specials=False) == [4]


@pytest.mark.parametrize(
    ("max_len", "framed"), [(4, "^ab$"), (7, "^abcde$"), (9, "^abcde$"), (2, "^$"), (None, "^abcde$")]
)
def test_frame_cuts_the_text_and_never_the_frame(max_len, framed):
    assert "".join(frame("abcde", max_len=max_len, bos="^", eos="$")) == framed


@pytest.mark.parametrize("max_len", [1, 0, -3])
def test_frame_refuses_a_length_without_room(max_len):
    with pytest.raises(ValueError, match=f"at least 2, got {max_len}"):
        frame(["a"], max_len=max_len)


def test_collate_pads_to_the_longest_with_the_pad_id_given():
    src = collate([[5, 6, 7], [8], []], pad_id=9)
    assert src.tolist() == [[5, 6, 7], [8, 9, 9], [9, 9, 9]] and src.dtype == torch.int64


def test_collate_of_empty_rows_is_a_column_of_padding():
    src = collate([[], []], pad_id=0)
    assert src.shape == (2, 1) and src.dtype == torch.int64


def test_collate_of_no_rows_says_so():
    with pytest.raises(ValueError, match="no row"):
        collate([], pad_id=0)


def test_special_ids():
    vocab = Vocab.build(TRAINING)
    assert (vocab.pad_id, vocab.unk_id, vocab.bos_id, vocab.eos_id) == (0, 1, 2, 3)
    assert vocab.tokens[:4] == list(SPECIALS) and len(vocab) == 4 + 6 == len(vocab.ids)


def test_known_words_keep_their_ids_and_others_are_unknown():
    vocab = Vocab.build(TRAINING)
    for known, new in zip(TRAINING, ["나는 병원에 간다", "the dog sat"]):
        a, b = vocab.encode(known, specials=False), vocab.encode(new, specials=False)
        assert b == [a[0], vocab.unk_id, a[2]] and max(a) < len(vocab)


@pytest.mark.parametrize("text", ["the cat sat", "", "   ", "나는 학교에 간다"])
def test_round_trip(text):
    vocab = Vocab.build(TRAINING)
    assert vocab.decode(vocab.encode(text)) == tokenize(text)
    assert vocab.decode(vocab.encode(text), specials=True) == ["<BOS>", *tokenize(text), "<EOS>"]
    assert vocab.decode(torch.tensor(vocab.encode(text))) == tokenize(text)


def test_an_unknown_word_comes_back_as_unk():
    assert Vocab.build(TRAINING).decode([2, 1, 3]) == ["<UNK>"]


@pytest.mark.parametrize("wrong", [-1, 10, 99])
def test_decode_refuses_an_id_outside(wrong):
    with pytest.raises(ValueError, match=rf"0\.\.9, got \[{wrong}\]"):
        Vocab.build(TRAINING).decode([2, wrong])


def test_a_text_cannot_smuggle_in_a_special_token():
    by_blanks = partial(tokenize, level="space")
    vocab = Vocab.build(["a <PAD> b"], tokenizer=by_blanks)
    assert len(vocab) == 6
    assert vocab.encode("a <PAD> <EOS> b", specials=False) == [4, 1, 1, 5]


def test_frequent_tokens_come_first_and_equals_in_order_of_appearance():
    assert Vocab.build(["b a", "c a"]).tokens[4:] == ["a", "b", "c"]


def test_min_freq_and_max_size():
    assert Vocab.build(["b a", "c a"], min_freq=2).tokens[4:] == ["a"]
    assert Vocab.build(["b a", "c a"], max_size=6).tokens[4:] == ["a", "b"]
    assert len(Vocab.build(["b a"], max_size=4)) == 4
    with pytest.raises(ValueError, match="got 3"):
        Vocab.build(["a"], max_size=3)


@pytest.mark.parametrize("call", [Vocab.build, Vocab.build(["a"]).batch])
def test_one_text_in_place_of_a_list_is_refused(call):
    with pytest.raises(TypeError, match=r"got the one text 'the cat'"):
        call("the cat")


def test_a_token_twice_is_refused():
    with pytest.raises(ValueError, match="'a'"):
        Vocab(["a", "b", "a"])


def test_batch():
    vocab = Vocab.build(TRAINING)
    src = vocab.batch(["the cat", "", "the cat sat the cat sat"], max_len=5)
    assert src.shape == (3, 5) and src.dtype == torch.int64
    assert src[1].tolist() == [2, 3, 0, 0, 0] and src[2, -1] == vocab.eos_id


@pytest.mark.parametrize("texts", [["", "나는 간다"], [""], ["   "], ["a b"]])
def test_an_empty_text_is_a_row_of_its_frame(texts):
    src = Vocab.build(TRAINING).batch(texts)
    real = (src != 0).sum(dim=1).tolist()
    assert real == [2 + len(text.split()) for text in texts]


def test_save_and_load(tmp_path):
    path = tmp_path / "vocab.json"
    vocab = Vocab.build(TRAINING, tokenizer=partial(tokenize, level="char"))
    vocab.save(path)
    again = Vocab.load(path, tokenizer=partial(tokenize, level="char"))
    assert again.tokens == vocab.tokens and again.encode("나는") == vocab.encode("나는")
    assert "나" in json.loads(path.read_text(encoding="utf-8"))["tokens"]


@pytest.mark.parametrize(
    ("text", "tokens"), [("1️⃣2️⃣ 나는🅰️형", ["1️⃣", "2️⃣", "나는", "🅰️", "형"]), ("불❤️‍🔥1", ["불", "❤️‍🔥", "1"])]
)
def test_an_emoji_beside_a_word_is_a_token_of_its_own(text, tokens):
    assert tokenize(text) == tokens


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: collate([[1.7], [2, 3]], pad_id=0), "float"),
        (lambda: collate([["a"]], pad_id=0), "str"),
        (lambda: Vocab.build(TRAINING).decode([4.9]), "float"),
        (lambda: Vocab.build(TRAINING).decode("45"), "str"),
        (lambda: Vocab.build(TRAINING).encode(None), "a text must be a str, got None"),
        (lambda: tokenize(5), "a text must be a str, got 5"),
        (lambda: Vocab("abc"), "got the one text 'abc'"),
    ],
)
def test_what_is_no_id_or_no_text_is_refused_and_not_rounded(call, says):
    with pytest.raises(TypeError, match=says):
        call()


def test_a_save_that_fails_leaves_the_old_file(tmp_path):
    path = tmp_path / "vocab.json"
    Vocab.build(TRAINING).save(path)
    before = path.read_bytes()
    with pytest.raises(UnicodeEncodeError):
        Vocab(["\ud800"]).save(path)
    assert path.read_bytes() == before


def test_load_with_another_tokenizer_is_refused(tmp_path):
    path = tmp_path / "vocab.json"
    Vocab.build(TRAINING, tokenizer=partial(tokenize, level="char")).save(path)
    for other in (tokenize, lambda text: text.split(), partial(tokenize, level="space")):
        with pytest.raises(ValueError, match=r"tokenizer= .* it cuts .* into \['우', '리'"):
            Vocab.load(path, tokenizer=other)
    assert (
        Vocab.load(path, tokenizer=lambda text: tokenize(text, level="char")).tokens[4] == "t"
    )  # cuts alike: the same


def test_without_specials_the_whole_length_is_the_texts():
    vocab = Vocab.build(TRAINING)
    assert vocab.encode("the cat sat", specials=False, max_len=1) == [vocab.ids["the"]]
    assert vocab.encode("the cat sat", specials=False, max_len=0) == []
    with pytest.raises(ValueError, match="at least 2, got 1"):
        vocab.encode("the cat sat", max_len=1)
