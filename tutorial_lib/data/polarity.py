"""Praise and complaint: sentences that a rule writes, in Korean and English, with the label that the rule knows.

A clause praises or complains, plainly or negated. A sentence is one clause, or two of opposite polarity joined by *but* or
*although*; then the last clause decides. Label 1 is praise. The card beside this file says what is held out.
"""

import json
import random
from pathlib import Path
from typing import NamedTuple

from ._korean import particle

WORDS = json.loads((Path(__file__).parent / "polarity_words.json").read_text(encoding="utf-8"))


class Example(NamedTuple):
    """A text, its label (1 = praise), and of what kind it is: "plain", "negated", "contrast" or "double"."""

    text: str
    label: int
    kind: str


class _Clause(NamedTuple):
    noun: str
    adverb: str
    predicate: str
    good: bool  # what the predicate says
    negation: str  # "", "long" (지 않다, is not) or "short" (안 before a few words, else 지는 않다; isn't)

    @property
    def label(self) -> int:
        return int(self.good != bool(self.negation))


def polarity(lang: str, *, n_train: int = 4000, seed: int = 0) -> dict[str, list[Example]]:
    """The splits in "ko" or "en": train, valid and test by one rule, and three that ask for more. No two share a sentence.

    choose, held_out: six and ten predicates that train, valid and test never show negated, now always negated; the six
    are for choosing (a tokenizer, say), the ten for the report. double: one clause negated twice, as no other is.
    A contrast and its mirror image stand in the same split.
    Raises: ValueError for another language, or an n_train that is no multiple of 4.
    """
    if lang not in WORDS:
        raise ValueError(f'there are sentences in "ko" and "en", got {lang!r}')
    if n_train < 4 or n_train % 4:
        raise ValueError(
            f"n_train must be a multiple of 4: half of it are contrasts, which come in pairs, got {n_train}"
        )
    choose, test = WORDS[lang]["never_negated"].values()
    plan = {
        "train": (n_train, lambda: _draw(rng, lang, plain_only=choose + test)),
        "valid": (800, lambda: _draw(rng, lang, plain_only=choose + test)),
        "test": (800, lambda: _draw(rng, lang, plain_only=choose + test)),
        "choose": (400, lambda: _draw(rng, lang, plain_only=test, negated=choose)),
        "held_out": (400, lambda: _draw(rng, lang, plain_only=choose, negated=test)),
        "double": (200, lambda: [_double(rng, lang)]),
    }
    rng, seen = random.Random(seed), set()
    return {name: _collect(rng, seen, n, draw) for name, (n, draw) in plan.items()}


def _collect(rng: random.Random, seen: set, n: int, draw) -> list[Example]:
    """n new sentences, shuffled; half of them contrasts where the draw gives any."""
    room, found = {}, []
    while len(found) < n:
        new = draw()
        kind = len(new)  # one sentence, or a pair
        if any(_bare(one.text) in seen for one in new) or (kind == 2 and room.get(2, 0) >= n // 2):
            continue
        if kind == 1 and new[0].kind != "double" and room.get(1, 0) >= n // 2:
            continue
        room[kind] = room.get(kind, 0) + kind
        seen |= {_bare(one.text) for one in new}
        found += new
    rng.shuffle(found)
    return found


def _draw(rng: random.Random, lang: str, *, plain_only: list[str], negated: list[str] = ()) -> list[Example]:
    """One clause, or a contrast and its mirror image. Where some must be `negated`, the (first) clause negates one of them."""
    usual = lambda predicate, negation: not (negation and predicate in plain_only)
    asked = lambda predicate, negation: negation and predicate in negated
    first = _clause(rng, lang, asked if negated else usual)
    if rng.random() < 0.5:
        return [_single(lang, first, rng)]
    return _pair(lang, first, _clause(rng, lang, usual, label=1 - first.label, but_not=first.noun), rng)


def _double(rng: random.Random, lang: str) -> Example:
    plain_only = sum(WORDS[lang]["never_negated"].values(), [])
    clause = _clause(rng, lang, lambda predicate, negation: negation and predicate not in plain_only)
    if lang == "ko":
        text = f"{_topic(clause)} {clause.predicate}지 않은 것은 아니다"
    else:
        text = f"It is not true that {_words(lang, clause, last=True)}"
    return Example(text, 1 - clause.label, "double")


def _clause(rng: random.Random, lang: str, allowed, label: int | None = None, but_not: str | None = None) -> _Clause:
    words = WORDS[lang]
    while True:
        topic, good = rng.choice(words["topics"]), rng.random() < 0.5
        side = "good" if good else "bad"
        predicate = rng.choice(topic[side] + words["always"][side])
        negation = rng.choice(["", "", "long", "short"])
        adverb = rng.choice(words["adverbs"]["negated" if negation else "plain"])
        clause = _Clause(rng.choice(topic["nouns"]), adverb, predicate, good, negation)
        if allowed(predicate, negation) and label in (None, clause.label) and clause.noun != but_not:
            return clause


def _single(lang: str, clause: _Clause, rng: random.Random) -> Example:
    kind = "negated" if clause.negation else "plain"
    return Example(_finish(_words(lang, clause, last=True), lang, rng), clause.label, kind)


def _pair(lang: str, first: _Clause, second: _Clause, rng: random.Random) -> list[Example]:
    """The contrast and its mirror image: the same words, and the other label."""
    way, end = rng.randrange(3), rng.random()
    pair = []
    for a, b in ((first, second), (second, first)):
        conceded, main = _words(lang, a, last=False), _words(lang, b, last=True)
        if lang == "ko":
            text = f"{conceded} {main}" if way else f"비록 {conceded} {main}"
        else:
            text = f"{conceded}, but {main}" if way else f"although {conceded}, {main}"
        pair.append(Example(_finish(text, lang, random.Random(end)), b.label, "contrast"))
    return pair


def _words(lang: str, clause: _Clause, *, last: bool) -> str:
    if lang == "en":
        verb = {"": "is", "long": "is not", "short": "isn't"}[clause.negation]
        return f"the {clause.noun} {verb} {_spaced(clause.adverb)}{clause.predicate}"
    ending = "다" if last else "지만"
    short = "안 {}" if clause.predicate in WORDS["ko"]["after_an"] else "{}지는 않"  # 안 무뚝뚝하다: nobody says so
    said = {"": "{}", "long": "{}지 않", "short": short}[clause.negation] + ending
    return f"{_topic(clause)} {_spaced(clause.adverb)}{said.format(clause.predicate)}"


def _topic(clause: _Clause) -> str:
    return clause.noun + particle(clause.noun, "은", "는")


def _bare(text: str) -> str:
    return text.rstrip(".")  # a sentence is the same one with and without its full stop


def _spaced(word: str) -> str:
    return word and word + " "


def _finish(text: str, lang: str, rng: random.Random) -> str:
    """A capital letter; a full stop in three sentences of four, so that neither way is foreign to who learns from them."""
    return text[0].upper() + text[1:] + ("." if rng.random() < 0.75 else "")
