"""Tags and the score of whole names: published examples, round trips, and a second, slower count."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tutorial_lib import tags
from tutorial_lib.text import tokenize

BIO = st.lists(st.lists(st.sampled_from(["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]), max_size=8), min_size=1, max_size=4)


def test_the_example_that_seqeval_publishes():
    """https://github.com/chakki-works/seqeval: of two names one is found exactly, the other begins a token too early."""
    true = [["O", "O", "O", "B-MISC", "I-MISC", "I-MISC", "O"], ["B-PER", "I-PER", "O"]]
    said = [["O", "O", "B-MISC", "I-MISC", "I-MISC", "I-MISC", "O"], ["B-PER", "I-PER", "O"]]
    assert tags.entity_scores(true, said) == {"precision": 0.5, "recall": 0.5, "f1": 0.5}


@pytest.mark.parametrize(
    ("row", "spans"),
    [
        ([], []),
        (["O", "O"], []),
        (["B-PER", "I-PER", "O", "B-LOC"], [(0, 2, "PER"), (3, 4, "LOC")]),
        (["B-PER", "B-PER"], [(0, 1, "PER"), (1, 2, "PER")]),
        (["I-PER", "I-PER"], [(0, 2, "PER")]),
        (["B-PER", "I-LOC", "I-LOC"], [(0, 1, "PER"), (1, 3, "LOC")]),
        (["B-LOC", "O", "I-LOC"], [(0, 1, "LOC"), (2, 3, "LOC")]),
    ],
)
def test_names_in_a_row_of_tags(row, spans):
    assert tags.to_spans(row) == spans


@given(BIO)
def test_spans_and_tags_and_back(rows):
    for row in rows:
        spans = tags.to_spans(row)
        assert tags.to_spans(tags.to_tags([(i, i + 1) for i in range(len(row))], spans)) == spans
        inside = {i for start, end, _ in spans for i in range(start, end)}
        assert inside == {i for i, tag in enumerate(row) if tag != "O"}


@given(BIO, st.randoms())
def test_the_score_agrees_with_a_count_one_by_one(true, random):
    said = [[random.choice([tag, "O", "B-PER", "I-LOC"]) for tag in row] for row in true]
    right = wanted = found = 0
    for a, b in zip(true, said):
        a, b = tags.to_spans(a), tags.to_spans(b)
        wanted, found = wanted + len(a), found + len(b)
        right += sum(span in a for span in b)
    got = tags.entity_scores(true, said)
    assert got["precision"] == (right / found if found else 0) and got["recall"] == (right / wanted if wanted else 0)
    p, r = got["precision"], got["recall"]
    assert got["f1"] == pytest.approx(2 * p * r / (p + r) if p + r else 0)
    assert tags.entity_scores(true, true)["f1"] == (1 if wanted else 0)


def test_a_half_found_name_counts_nothing_though_most_tokens_are_right():
    true, said = [["B-ORG", "I-ORG", "I-ORG", "O"]], [["B-ORG", "I-ORG", "O", "O"]]
    assert tags.entity_scores(true, said)["f1"] == 0


def test_a_name_in_another_sentence_is_not_the_same_name():
    assert tags.entity_scores([["B-PER"], ["O"]], [["O"], ["B-PER"]])["f1"] == 0


def test_places_of_words_syllables_and_subwords():
    text = "김민수는 New York에 갔다."
    for tokens in (
        tokenize(text),
        tokenize(text, level="char"),
        ["▁김민", "수는", "▁New", "▁York", "에", "▁갔다", "."],
    ):
        places = tags.places(text, tokens)
        assert [text[a:b] for a, b in places] == [token.removeprefix("▁") for token in tokens]
        assert places == sorted(places)
    with pytest.raises(ValueError, match="the token 'x' does not come next in ' York"):
        tags.places("New York", ["New", "x"])
    with pytest.raises(ValueError, match="'York' does not come next"):  # it is there, but New would be skipped
        tags.places("New York", ["York"])


def test_subwords_that_overlap_a_name_are_inside_it():
    text, spans = "김민수는 서울에 산다", [(0, 3, "PER"), (5, 7, "LOC")]
    pieces = ["▁김민", "수는", "▁서울", "에", "▁산다"]
    assert tags.to_tags(tags.places(text, pieces), spans) == ["B-PER", "I-PER", "B-LOC", "O", "O"]
    assert tags.to_tags([], spans) == []


def test_two_names_that_touch_both_begin():
    assert tags.to_tags([(0, 1), (1, 2)], [(0, 1, "PER"), (1, 2, "PER")]) == ["B-PER", "B-PER"]


@pytest.mark.parametrize("row", [["PER"], ["B-"], ["E-PER"], [""]])
def test_what_is_no_tag(row):
    with pytest.raises(ValueError, match=r"tag 0 must be O, B-… or I-…, got"):
        tags.to_spans(row)


def test_rows_of_another_length():
    with pytest.raises(ValueError, match="a tag is needed for each token: 2 true ones, 1 said"):
        tags.entity_scores([["O", "O"]], [["O"]])
