"""Dates as people write them, in English and Korean, and the one form they all mean: "5 March 1987" → "1987-03-05".

Six ways of writing, three spellings in two orders each. Each way never shows two of the months before the test for it:
see `HELD_OUT`. The card beside this file, `dates.md`, says how the texts are made and what is not in them.
"""

import random
from datetime import date, timedelta
from typing import NamedTuple

FIRST, LAST = date(1950, 1, 1), date(1999, 12, 31)
MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
DIGITS = " 일이삼사오육칠팔구"

# way of writing → the two months that it shows in the split "held_out" only; every month stands in one of these pairs
HELD_OUT = {
    "day month": (3, 9),
    "month day": (5, 12),
    "ko digits": (1, 10),
    "ko digits, year last": (4, 8),
    "ko words": (6, 11),
    "ko words, year last": (2, 7),
}
UNSEEN = "year month"  # English with the year in front: in the split "unseen" only


class Example(NamedTuple):
    """A text, the date that it means as "YYYY-MM-DD", and the way in which it is written."""

    text: str
    target: str
    way: str


def write(day: date, way: str) -> str:
    """The date in words: one of the six ways of `HELD_OUT`, or `UNSEEN`. Raises: ValueError for another way or century."""
    if not FIRST <= day <= LAST:
        raise ValueError(f"dates lie between {FIRST.year} and {LAST.year}, got {day.year}")
    month, year_ko = MONTHS[day.month - 1], f"{day.year}년"
    day_ko = f"{day.month}월 {day.day}일"
    if "words" in way:
        # 6월 and 10월 have words of their own: 유월 and 시월, not 육월 and 십월
        month_ko = {6: "유", 10: "시"}.get(day.month, number_in_words(day.month))
        year_ko, day_ko = f"천구백{number_in_words(day.year % 100)}년", f"{month_ko}월 {number_in_words(day.day)}일"
    ways = {
        "day month": f"{day.day} {month} {day.year}",
        "month day": f"{month} {day.day}, {day.year}",
        UNSEEN: f"{day.year} {month} {day.day}",
        "ko digits": f"{year_ko} {day_ko}",
        "ko words": f"{year_ko} {day_ko}",
        "ko digits, year last": f"{day_ko}, {year_ko}",
        "ko words, year last": f"{day_ko}, {year_ko}",
    }
    if way not in ways:
        raise ValueError(f"way must be one of {', '.join(ways)}, got {way!r}")
    return ways[way]


def number_in_words(number: int) -> str:
    """1 to 99 in Sino-Korean words: 25 → 이십오, 10 → 십."""
    if not 1 <= number <= 99:
        raise ValueError(f"there are words for 1 to 99, got {number}")
    tens, ones = divmod(number, 10)
    return ("" if tens == 0 else "십" if tens == 1 else DIGITS[tens] + "십") + DIGITS[ones].strip()


def dates(*, n_train: int = 4000, n_valid: int = 400, n_test: int = 600, seed: int = 0) -> dict[str, list[Example]]:
    """Five splits without a date in common: train, valid and test by one rule, then held_out and unseen.

    held_out, n_test texts: the pairs of way and month that the first three never show, though they show each of the two.
    unseen, n_test texts: a way of writing that no other split shows. Raises: ValueError for more texts than there are dates.
    """
    days = [FIRST + timedelta(n) for n in range((LAST - FIRST).days + 1)]
    sizes = dict(train=n_train, valid=n_valid, test=n_test, held_out=n_test, unseen=n_test)
    if min(sizes.values()) < 1 or sum(sizes.values()) > len(days):
        raise ValueError(f"every split needs a date of its own, at least 1 and {len(days)} in all, got {sizes}")
    rng = random.Random(seed)
    rng.shuffle(days)
    splits = {}
    for name, size in sizes.items():
        splits[name] = [_example(days.pop(), name, rng) for _ in range(size)]
    return splits


def _example(day: date, split: str, rng: random.Random) -> Example:
    kept_back = [way for way, months in HELD_OUT.items() if day.month in months]
    usual = [way for way in HELD_OUT if way not in kept_back]
    way = rng.choice({"held_out": kept_back, "unseen": [UNSEEN]}.get(split, usual))
    return Example(write(day, way), day.isoformat(), way)
