"""The praise and complaint of lesson 09: what the rule promises, and that its card says what is so."""

import re
from collections import Counter
from pathlib import Path

import pytest

from tutorial_lib.data import polarity as module
from tutorial_lib.data.polarity import polarity
from tutorial_lib.text import tokenize


@pytest.fixture(scope="module", params=["ko", "en"])
def corpus(request):
    return request.param, polarity(request.param)


def predicates(lang, text):
    """(predicate, negated) of each clause, read from the text alone."""
    found = []
    topics = module.WORDS[lang]["topics"]
    known = {p: good for good, side in ((1, "good"), (0, "bad")) for t in topics for p in t[side]}
    known |= {p: good for good, side in ((1, "good"), (0, "bad")) for p in module.WORDS[lang]["always"][side]}
    for clause in re.split(r"(?<=지만) |, ", text.lower().rstrip(".")):
        words = clause.split()
        if lang == "ko":
            negated = "안" in words or words[-1].startswith("않")
            last = words[-2] if words[-1].startswith("않") else words[-1]
            predicate = re.sub(r"(지만|지는|지|다)$", "", last)
        else:
            negated, predicate = "not" in words or "isn't" in words, words[-1]
        found.append((predicate, negated, known[predicate]))
    return found


def test_the_label_is_what_the_words_say(corpus):
    """A second reading of the rule, from the surface: the main clause decides, a negation turns it round."""
    lang, splits = corpus
    for name in ("train", "valid", "test", "choose", "held_out"):
        for text, label, kind in splits[name]:
            clauses = predicates(lang, text)
            main = clauses[-1]
            if lang == "en" and re.search(r", although ", text):
                main = clauses[0]
            assert label == (main[2] != main[1]), text
            assert kind == ("contrast" if len(clauses) == 2 else "negated" if main[1] else "plain")


def test_more_than_four_clauses_in_ten_are_negated(corpus):
    lang, splits = corpus
    clauses = [clause for row in splits["train"] for clause in predicates(lang, row.text)]
    assert 0.4 < sum(negated for _, negated, _ in clauses) / len(clauses) < 0.5
    for good in (0, 1):
        share = [negated for _, negated, kind in clauses if kind == good]
        assert 0.4 < sum(share) / len(share) < 0.5


def test_sizes_balance_and_no_sentence_twice(corpus):
    _, splits = corpus
    assert {name: len(rows) for name, rows in splits.items()} == {
        "train": 4000, "valid": 800, "test": 800, "choose": 400, "held_out": 400, "double": 200,
    }  # fmt: skip
    texts = [row.text.rstrip(".") for rows in splits.values() for row in rows]
    assert len(set(texts)) == len(texts)
    for rows in splits.values():
        assert 0.42 < sum(row.label for row in rows) / len(rows) < 0.58
    for name in ("train", "valid", "test", "choose", "held_out"):
        assert sum(row.kind == "contrast" for row in splits[name]) * 2 == len(splits[name])


def test_contrasts_come_with_their_mirror_image_so_that_a_bag_of_words_is_blind(corpus):
    lang, splits = corpus
    level = "char" if lang == "ko" else "word"  # in Korean the endings move, and the syllables stay
    for rows in splits.values():
        bags = {}
        for text, label, kind in rows:
            if kind == "contrast":
                bags.setdefault(tuple(sorted(tokenize(text.lower(), level=level))), []).append(label)
        assert all(sum(labels) * 2 == len(labels) for labels in bags.values())


def test_ten_predicates_are_never_seen_negated_before_they_are_asked_for(corpus):
    lang, splits = corpus
    never = module.WORDS[lang]["never_negated"]
    assert (len(never["choose"]), len(never["test"])) == (6, 10) and not set(never["choose"]) & set(never["test"])
    said = {name: Counter(predicates(lang, row.text)[i][:2] for row in rows for i in range(len(predicates(lang, row.text))))
            for name, rows in splits.items() if name != "double"}  # fmt: skip
    for word in never["choose"] + never["test"]:
        for name in ("train", "valid", "test"):
            assert said[name][word, True] == 0 and (name != "train" or said[name][word, False] > 10)
    for name, asked, other in (("choose", "choose", "test"), ("held_out", "test", "choose")):
        assert all(said[name][word, True] for word in never[asked])
        assert not any(said[name][word, True] for word in never[other])
        for row in splits[name]:
            if row.kind == "negated":
                assert predicates(lang, row.text)[0][0] in never[asked]


def test_nothing_but_double_is_negated_twice(corpus):
    lang, splits = corpus
    sign = "것은 아니다" if lang == "ko" else "It is not true that"
    for name, rows in splits.items():
        assert all((sign in row.text) == (name == "double") for row in rows)


def test_it_is_the_same_every_time_and_another_seed_gives_others():
    assert polarity("en", n_train=40) == polarity("en", n_train=40) != polarity("en", n_train=40, seed=1)
    assert polarity("ko")["train"][0].text == polarity("ko")["train"][0].text


@pytest.mark.parametrize(
    ("how", "said"),
    [(dict(lang="fr"), '"ko" and "en", got \'fr\''), (dict(lang="ko", n_train=6), "multiple of 4.*got 6")],
)
def test_bad_requests(how, said):
    with pytest.raises(ValueError, match=said):
        polarity(**how)


def test_particles_fit():
    rows = polarity("ko", n_train=400)["train"]
    topics = {word for row in rows for word in row.text.split() if word[-1] in "은는" and word[-2:] != "않은"}
    assert {"영화는", "공연은", "빵은", "의사는"} <= topics
    assert all((word[-1] == "은") == bool((ord(word[-2]) - ord("가")) % 28) for word in topics)


def test_the_card_says_what_is_so(corpus):
    lang, splits = corpus
    card = (Path(module.__file__).parent / "polarity.md").read_text(encoding="utf-8")
    for name, rows in splits.items():
        assert card.count(f"{name} {len(rows)}") == 2, name  # once in each language
    words = module.WORDS[lang]
    for side in ("good", "bad"):
        assert len({p for topic in words["topics"] for p in topic[side]} | set(words["always"][side])) == 32
    assert len(words["never_negated"]["choose"]) == 6 and len(words["never_negated"]["test"]) == 10
    stops = [row.text.endswith(".") for rows in splits.values() for row in rows if row.kind != "double"]
    assert 0.7 < sum(stops) / len(stops) < 0.8
