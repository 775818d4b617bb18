"""Sentences with names of people, places and companies, written by a rule in Korean and English, with the spans marked.

Some names may be any of the three, as Jordan may: only the sentence tells. The card beside this file says what is held out.
"""

import json
import random
import re
from pathlib import Path
from typing import NamedTuple

from ._korean import particle

WORDS = json.loads((Path(__file__).parent / "entity_words.json").read_text(encoding="utf-8"))
TYPES = ("PER", "LOC", "ORG")
_SLOT = re.compile(r"\{(\w+)(?::(\w+)/(\w+))?\}")


class Sentence(NamedTuple):
    """A text and its entities: (start, end, type), counted in characters, end exclusive, from left to right."""

    text: str
    spans: tuple[tuple[int, int, str], ...]


def entities(lang: str, *, n_train: int = 3000, seed: int = 0) -> dict[str, list[Sentence]]:
    """The splits in "ko" or "en": train, valid and test by one rule; ambiguous, names and builds, each harder in one way.

    ambiguous: every name may be any type. names: none was in training. builds: beginning and end of the sentence
    were, but never together. No sentence stands in two splits.
    Raises: ValueError for another language, or an n_train below 1.
    """
    if lang not in WORDS:
        raise ValueError(f'there are sentences in "ko" and "en", got {lang!r}')
    if n_train < 1:
        raise ValueError(f"n_train must be at least 1, got {n_train}")
    rng, seen, words = random.Random(seed), set(), WORDS[lang]
    plan = {  # how many, of which builds, with which names, and the share of names that may be any type
        "train": (n_train, False, words["names"], 0.35),
        "valid": (500, False, words["names"], 0.35),
        "test": (500, False, words["names"], 0.35),
        "ambiguous": (300, False, words["names"], 1.0),
        "names": (300, False, words["unseen"], 0.0),
        "builds": (300, True, words["names"], 0.35),
    }
    return {
        name: [_new(rng, seen, lang, held_out, names, share) for _ in range(n)]
        for name, (n, held_out, names, share) in plan.items()
    }


def _new(rng: random.Random, seen: set, lang: str, held_out: bool, names: dict, share: float) -> Sentence:
    while True:
        sentence = _fill(rng, WORDS[lang], _template(rng, lang, held_out), names, share)
        if sentence.text not in seen:
            seen.add(sentence.text)
            return sentence


def _template(rng: random.Random, lang: str, held_out: bool) -> str:
    """A beginning, a middle and an end; every third pair of beginning and end is held out."""
    parts = WORDS[lang]["builds"][rng.choice(TYPES)]
    while True:
        i, j = rng.randrange(len(parts["subjects"])), rng.randrange(len(parts["predicates"]))
        if ((i + j) % 3 == 2) == held_out:
            subject, middle, predicate = parts["subjects"][i], rng.choice(parts["middles"]), parts["predicates"][j]
            return subject + (predicate + middle if lang == "en" else middle + predicate)


def _fill(rng, words: dict, template: str, names: dict, share: float) -> Sentence:
    """Put names and words into the slots, with the particle that fits, and note where the names stand."""
    text, spans, place = "", [], 0
    for slot in _SLOT.finditer(template):
        kind, after_consonant, after_vowel = slot.groups()
        text += template[place : slot.start()]
        if kind in TYPES:
            name = _name(rng, words["any"], names[kind], share)
            while name in text:  # nobody meets himself
                name = _name(rng, words["any"], names[kind], share)
            spans.append((len(text), len(text) + len(name), kind))
        else:
            name = rng.choice(words["words"][kind])
        text += name if text else name[0].upper() + name[1:]
        if after_consonant:
            text += particle(name, after_consonant, after_vowel)
        place = slot.end()
    return Sentence(text + template[place:], tuple(spans))


def _name(rng: random.Random, of_any_type: list[str], parts: list[list[str]], share: float) -> str:
    """A name that may be any type, or one put together of its parts, as 김 + 민수."""
    return rng.choice(of_any_type) if rng.random() < share else "".join(map(rng.choice, parts))
