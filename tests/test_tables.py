"""README's tables: every method and seed is in the stored results, and the lessons' claims hold in them."""

import json
from functools import partial

import pytest

from tests.benchmarks import classification, decoding, forecasting, tagging
from tools import ROOT, tables

RESULTS = json.loads(tables.RESULTS.read_text(encoding="utf-8"))
METHODS = {
    "09": {"words", "up to three words", "encoder, no positions", "encoder, `<BOS>`", "encoder, mean", "GRU, both directions"},
    "10": {"list of names", "window of five", "encoder, names shown", "encoder, names hidden", "GRU, names hidden"},
    "13": {"nearest text", "decoder without a source", "encoder and decoder"},
}  # fmt: skip


def of(lesson, model, column):
    return [row[column] for row in RESULTS[lesson] if row["model"] == model]


def mean(lesson, model, column):
    values = of(lesson, model, column)
    return sum(values) / len(values)


def test_every_method_and_every_seed_is_reported():
    assert set(RESULTS) == set(tables.TABLES)
    for lesson, rows in RESULTS.items():
        seeds = {}
        for row in rows:
            seeds.setdefault(row["model"], []).append(row["seed"])
        assert {tuple(found) for found in seeds.values()} <= {tables.SEEDS, tables.SEEDS[:1]}
        assert METHODS.get(lesson, set(seeds)) == set(seeds)
        assert all(found == list(tables.SEEDS) for name, found in seeds.items() if "encoder" in name or "GRU" in name)


def test_the_tables_say_what_the_lessons_say():
    for lang in ("ko", "en"):
        assert (
            mean("09", "encoder, mean", f"{lang} held_out") > mean("09", "up to three words", f"{lang} held_out") + 0.1
        )
        assert mean("09", "encoder, mean", f"{lang} test") > 0.95
        hidden, shown = (mean("10", f"encoder, names {how}", f"{lang} names") for how in ("hidden", "shown"))
        assert hidden > shown + 0.2 and hidden > mean("10", "list of names", f"{lang} names") + 0.5
        assert (
            mean("10", "encoder, names hidden", f"{lang} ambiguous")
            > 0.95
            > 0.5
            > mean("10", "list of names", f"{lang} ambiguous")
        )
        for lesson, ours, theirs, split in (
            ("09", "encoder, mean", "GRU, both directions", "held_out"),
            ("10", "encoder, names hidden", "GRU, names hidden", "names"),
            ("10", "encoder, names hidden", "GRU, names hidden", "builds"),
        ):
            assert mean(lesson, theirs, f"{lang} {split}") > mean(lesson, ours, f"{lang} {split}") + 0.05
    assert min(mean("10", "window of five", f"en {split}") for split in ("test", "ambiguous", "builds")) > 0.98
    assert mean("10", "window of five", "en names") < 0.7
    assert mean("11", "ridge", "sunspots") < min(mean("11", name, "sunspots") for name in ("MLP", "LSTM", "encoder"))
    assert mean("09", "encoder, no positions", "en test") < 0.8
    assert (
        mean("11", "encoder", "motif")
        < 0.15
        < 0.3
        < min(mean("11", name, "motif") for name in ("MLP", "LSTM", "ridge"))
    )
    assert mean("13", "encoder and decoder", "test") > 0.97 and mean("13", "nearest text", "test") == 0
    assert mean("13", "encoder and decoder", "held_out") > 0.6 > 0.2 > mean("13", "encoder and decoder", "unseen")


def test_a_range_is_shown_where_seeds_differ():
    assert tables.cell([0.5], 2) == tables.cell([0.5, 0.501], 2) == "0.50"
    assert tables.cell([0.4, 0.5, 0.6], 2) == "0.50 (0.40–0.60)"


def test_the_place_of_the_tables_is_kept(tmp_path, monkeypatch):
    for page in tables.PAGES.values():
        (tmp_path / page).write_text("before\n<!-- tables -->\nold\n<!-- /tables -->\nafter\n", encoding="utf-8")
    monkeypatch.setattr(tables, "ROOT", tmp_path)
    tables.write(RESULTS)
    text = (tmp_path / "README.ko.md").read_text(encoding="utf-8")
    assert text.startswith("before\n<!-- tables -->\n| 강의 09: 맞힌 비율 |") and text.endswith(
        "<!-- /tables -->\nafter\n"
    )
    assert "old" not in text and text.count("<!-- tables -->") == 1
    (tmp_path / "README.md").write_text("no place", encoding="utf-8")
    with pytest.raises(ValueError):
        tables.write(RESULTS)


def test_what_lessons_quote_from_the_tables_stands_there():
    text = (ROOT / "lessons" / "09_text_classification.py").read_text(encoding="utf-8")
    en, ko = of("09", "encoder, mean", "en held_out"), of("09", "encoder, mean", "ko held_out")
    assert f"get between {min(en):.2f} and {max(en):.2f} of English `held_out` right" in text
    assert f"(Korean: {min(ko):.2f} to {max(ko):.2f})" in text
    assert f"영어의 `held_out`이 {min(en):.2f}에서 {max(en):.2f}까지" in text
    assert f"(한국어는 {min(ko):.2f}에서 {max(ko):.2f})" in text
    assert (
        min(*of("09", "GRU, both directions", "en held_out"), *of("09", "GRU, both directions", "ko held_out")) > 0.98
    )

    columns = [f"{lang} {split}" for lang in ("ko", "en") for split in ("test", "ambiguous", "names", "builds")]
    gru, encoder = ({c: mean("10", f"{name}, names hidden", c) for c in columns} for name in ("GRU", "encoder"))
    assert all(gru[c] >= encoder[c] - 0.005 for c in columns)
    assert all(gru[c] > encoder[c] + 0.1 for c in ("ko names", "ko builds", "en builds"))
    window = {c: mean("10", "window of five", c) for c in columns}
    assert min(window[f"en {split}"] for split in ("test", "ambiguous", "builds")) > 0.995 and window["en names"] < 0.7

    assert min(of("11", "encoder", "sunspots")) > max(of("11", "ridge", "sunspots"))


@pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.ConvergenceWarning"
)  # so few sentences are not fitted to the end
def test_every_method_still_runs(monkeypatch, short_trainings):
    """On little data and two batches an epoch: `make tables` would say so after a quarter of an hour only."""
    monkeypatch.setattr(classification, "polarity", partial(classification.polarity, n_train=80))
    monkeypatch.setattr(tagging, "N_TRAIN", {"ko": 80, "en": 80})
    few = decoding.dates
    monkeypatch.setattr(decoding, "dates", lambda n_train, seed: few(n_train=400, seed=seed))
    for lesson, module in (("09", classification), ("10", tagging), ("11", forecasting), ("13", decoding)):
        rows = module.rows(seeds=(0,))
        stored = [row for row in RESULTS[lesson] if row["seed"] == 0]
        assert [(row["model"], *row) for row in rows] == [(row["model"], *row) for row in stored]
