"""The names of lesson 10: spans that are right, splits that hold what their names promise."""

import re
from pathlib import Path

import pytest

from tutorial_lib.data import entities as module
from tutorial_lib.data.entities import TYPES, entities


@pytest.fixture(scope="module", params=["ko", "en"])
def corpus(request):
    return request.param, entities(request.param)


def names_of(words, kind):
    combine = lambda parts: [""] if not parts else [a + b for a in parts[0] for b in combine(parts[1:])]
    return set(combine(words[kind]))


def test_a_span_is_a_name_of_its_type(corpus):
    lang, splits = corpus
    words = module.WORDS[lang]
    for split, rows in splits.items():
        known = words["unseen" if split == "names" else "names"]
        for text, spans in rows:
            assert spans and list(spans) == sorted(spans)
            for start, end, kind in spans:
                assert text[start:end] in names_of(known, kind) | set(words["any"]), text


def test_no_sentence_twice_and_no_unseen_name_before_its_time(corpus):
    lang, splits = corpus
    texts = [row.text for rows in splits.values() for row in rows]
    assert len(set(texts)) == len(texts)
    assert {name: len(rows) for name, rows in splits.items()} == {
        "train": 3000, "valid": 500, "test": 500, "ambiguous": 300, "names": 300, "builds": 300,
    }  # fmt: skip
    unseen = {text[a:b] for text, spans in splits["names"] for a, b, _ in spans}
    seen = {text[a:b] for name in ("train", "valid") for text, spans in splits[name] for a, b, _ in spans}
    assert not unseen & seen and len(unseen) > 40


def test_a_name_of_any_type_is_met_as_all_three_and_alone_in_ambiguous(corpus):
    lang, splits = corpus
    free = set(module.WORDS[lang]["any"])
    as_types = {
        name: {kind for text, spans in splits["train"] for a, b, kind in spans if text[a:b] == name} for name in free
    }
    assert all(kinds == set(TYPES) for kinds in as_types.values())
    assert all(text[a:b] in free for text, spans in splits["ambiguous"] for a, b, _ in spans)
    assert not any(text[a:b] in free for text, spans in splits["names"] for a, b, _ in spans)


def test_beginning_and_end_of_a_held_out_build_are_known_and_their_pair_is_not():
    for lang in ("ko", "en"):
        for kind in TYPES:
            parts = module.WORDS[lang]["builds"][kind]
            n, m = len(parts["subjects"]), len(parts["predicates"])
            usual = {(i, j) for i in range(n) for j in range(m) if (i + j) % 3 != 2}
            held_out = {(i, j) for i in range(n) for j in range(m)} - usual
            assert {i for i, _ in held_out} <= {i for i, _ in usual} and {j for _, j in held_out} <= {
                j for _, j in usual
            }
            assert held_out


def test_a_held_out_build_is_not_in_training(corpus):
    lang, splits = corpus
    pattern = lambda part: re.sub(r"\\\{\w+(?::\w+/\w+)?\\\}", "[^,.]+", re.escape(part))
    for kind in TYPES:
        parts = module.WORDS[lang]["builds"][kind]
        for i, subject in enumerate(parts["subjects"]):
            for j, predicate in enumerate(parts["predicates"]):
                if (i + j) % 3 == 2 and subject not in (
                    "{PER}",
                    "{ORG}",
                    "{LOC}",
                    "{PER:은/는}",
                    "{ORG:은/는}",
                    "{LOC:은/는}",
                ):
                    whole = re.compile("^" + pattern(subject) + "( [^,.]+)?" + pattern(predicate.rstrip(".")))
                    clear = [row.text for row in splits["train"] if whole.search(row.text)]
                    assert not clear, clear[:3]


def test_nobody_meets_himself(corpus):
    for rows in corpus[1].values():
        for text, spans in rows:
            assert len({text[a:b] for a, b, _ in spans}) == len(spans)


def test_particles_fit():
    for text, spans in entities("ko", n_train=1500)["train"]:
        for _, end, _ in spans:
            final, after = (ord(text[end - 1]) - ord("가")) % 28, text[end : end + 2]
            if after[:1] in ("은", "는", "을", "를"):
                assert (after[0] in "은을") == bool(final), text
            if after == "으로" or after[:1] == "로":
                assert (after == "으로") == (final not in (0, 8)), text


def test_it_is_the_same_every_time_and_bad_requests_are_told():
    assert entities("en", n_train=50) == entities("en", n_train=50) != entities("en", n_train=50, seed=1)
    with pytest.raises(ValueError, match='"ko" and "en", got \'fr\''):
        entities("fr")
    with pytest.raises(ValueError, match="n_train must be at least 1, got 0"):
        entities("ko", n_train=0)


def test_the_card_says_what_is_so(corpus):
    lang, splits = corpus
    card = (Path(module.__file__).parent / "entities.md").read_text(encoding="utf-8")
    for name, rows in splits.items():
        assert card.count(f"{name} {len(rows)}") == 2, name
    free = module.WORDS[lang]["any"]
    share = [text[a:b] in free for text, spans in splits["train"] for a, b, _ in spans]
    assert len(free) == 12 and 0.3 < sum(share) / len(share) < 0.4
