"""The dates of lesson 13: right by another road than the one that wrote them, split as the card says, and the card's numbers."""

import re
from collections import Counter
from datetime import date, timedelta
from pathlib import Path

import pytest

from tutorial_lib.data import dates as module
from tutorial_lib.data.dates import FIRST, HELD_OUT, LAST, UNSEEN, dates, number_in_words, write
from tutorial_lib.text import tokenize

CARD = (Path(module.__file__).parent / "dates.md").read_text(encoding="utf-8")
SPLITS = dates()
USUAL = ("train", "valid", "test")
NUMBER = {"": 0, "일": 1, "이": 2, "삼": 3, "사": 4, "오": 5, "육": 6, "유": 6, "칠": 7, "팔": 8, "구": 9}
MONTHS = {"JanFebMarAprMayJunJulAugSepOctNovDec"[3 * n : 3 * n + 3]: n + 1 for n in range(12)}


def number(text):
    """A number in digits, by an English month's first letters, or in Sino-Korean words."""
    if text.isdigit():
        return int(text)
    if text[:3] in MONTHS:
        return MONTHS[text[:3]]
    if text == "시":
        return 10
    hundreds, _, text = text.rpartition("백")
    tens, has_tens, ones = text.rpartition("십")
    return (1900 if hundreds == "천구" else 0) + (NUMBER[tens] or 1) * 10 * bool(has_tens) + NUMBER[ones]


def read(text):
    """The date that a text means, found by expressions and not by `write`. Blanks may be missing."""
    text = text.replace(" ", "")
    if "월" in text:
        year = re.search(r"(천[^년]*|\d{4})년", text)
        month, day = text.replace(year[0], "").replace(",", "").split("월")
        year, day = year[1], day.removesuffix("일")
    else:
        month = re.search("[A-Za-z]+", text)[0]
        before, after = text.split(month)
        day, year = sorted([*filter(None, [before, *after.split(",")])], key=len)
    return date(number(year), number(month), number(day)).isoformat()


def all_days():
    return [FIRST + timedelta(n) for n in range((LAST - FIRST).days + 1)]


def pairs(split):
    return Counter((example.way, int(example.target[5:7])) for example in SPLITS[split])


def test_every_date_in_every_way_can_be_read_back_also_without_its_blanks():
    met = {}
    for way in (*HELD_OUT, UNSEEN):
        for day in all_days():
            text = write(day, way)
            assert read(text) == day.isoformat()
            met.setdefault("".join(tokenize(text, level="char")), set()).add(day)
    assert max(map(len, met.values())) == 1


def test_what_each_way_looks_like():
    day = date(1987, 10, 20)
    assert [write(day, way) for way in (*HELD_OUT, UNSEEN)] == [
        "20 October 1987", "October 20, 1987", "1987년 10월 20일", "10월 20일, 1987년",
        "천구백팔십칠년 시월 이십일", "시월 이십일, 천구백팔십칠년", "1987 October 20",
    ]  # fmt: skip
    assert write(date(1950, 6, 1), "ko words") == "천구백오십년 유월 일일"


@pytest.mark.parametrize(
    ("n", "words"), [(1, "일"), (10, "십"), (11, "십일"), (20, "이십"), (31, "삼십일"), (99, "구십구")]
)
def test_numbers_in_words(n, words):
    assert number_in_words(n) == words and number(words) == n


@pytest.mark.parametrize("seed", [0, 1])
def test_each_text_means_its_target_and_no_date_stands_in_two_splits(seed):
    splits = dates(seed=seed)
    targets = [example.target for split in splits.values() for example in split]
    assert all(read(example.text) == example.target for split in splits.values() for example in split)
    assert len(set(targets)) == len(targets)


def test_the_pairs_that_are_held_out_are_never_shown_though_both_halves_are():
    kept_back = {(way, month) for way, months in HELD_OUT.items() for month in months}
    shown = set().union(*map(pairs, USUAL))
    assert set(pairs("held_out")) == kept_back and not shown & kept_back
    assert (
        shown | kept_back
        == {(way, month) for way in HELD_OUT for month in range(1, 13)}
        == set(pairs("train")) | kept_back
    )
    assert sorted(month for _, month in kept_back) == list(range(1, 13))  # each month once
    for way, month in kept_back:  # its spelling shows the month in the other order
        spelling = {"month day": "day month"}.get(way, way.removesuffix(", year last"))
        others = {"day month": ["month day"]}.get(way, [spelling, f"{spelling}, year last"])
        assert any((other, month) in shown for other in others)
    assert {example.way for example in SPLITS["unseen"]} == {UNSEEN} and UNSEEN not in HELD_OUT


def test_the_same_seed_gives_the_same_and_another_gives_another():
    assert dates(n_train=50) == dates(n_train=50) != dates(n_train=50, seed=1)


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="1950 and 1999, got 2001"):
        write(date(2001, 1, 1), UNSEEN)
    with pytest.raises(ValueError, match="'backwards'"):
        write(date(1999, 1, 1), "backwards")
    with pytest.raises(ValueError, match="got 0"):
        number_in_words(0)
    for sizes in (dict(n_train=18_000), dict(n_test=0)):
        with pytest.raises(ValueError, match="18262 in all, got"):
            dates(**sizes)


def test_every_number_of_the_card():
    """In both languages: a number that is another, and one that no line here knows, fails."""
    train, ways = pairs("train"), Counter(example.way for example in SPLITS["train"])
    shares = sorted(f"{n / 40:.1f}" for n in ways.values())
    texts = {name: [tokenize(example.text, level="char") for example in split] for name, split in SPLITS.items()}
    lengths = sorted(len(text) for split in texts.values() for text in split)
    shown = {character for text in texts["train"] for character in text}
    assert all(set(text) <= shown for split in texts.values() for text in split)
    known = [
        f"{len(all_days()):,}",
        f"{sum(map(len, SPLITS.values())):,}",
        *(f"{len(split):,}" for split in SPLITS.values()),
    ]
    known += [str(n) for n in (FIRST.year, LAST.year, 12 * len(HELD_OUT), len(train), 12 * len(HELD_OUT) - len(train))]
    known += [
        shares[0],
        shares[-1],
        *map(str, (min(train.values()), max(train.values()), lengths[0], lengths[-1], len(shown))),
    ]
    english, korean = re.sub(r"`[^`]*`|\(5th\)|6월과 10월", "", CARD).split("\n---\n")[:2]
    for page in (english, korean):
        assert set(re.findall(r"\d[\d,.]*\d|\d", page)) == set(known)
    for day, way in ((date(1987, 3, 5), way) for way in (*HELD_OUT, UNSEEN)):
        assert CARD.count(f"`{write(day, way)}`") == 2
