"""Forecasting: no look into the future, no leak over a split, and heads that padding does not change."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import torch

import tutorial_lib
from tests.benchmarks import forecasting
from tools import tables
from tutorial_lib import data
from tutorial_lib.data import timeseries
from tutorial_lib.heads import FFNHead, Forecaster, LSTMHead
from tutorial_lib.trace import attention_weights

SIZES = dict(n_values=4, hid_dim=8, pf_dim=16, n_heads=2, n_layers=2, max_len=12, dropout=0.0)


@pytest.mark.parametrize("head", ["ffn", "lstm"])
def test_changing_the_future_changes_no_forecast_and_changing_the_past_does(head):
    torch.manual_seed(0)
    model = Forecaster(head=head, **SIZES).eval()
    series = torch.randn(3, 9)
    changed = series.clone()
    changed[:, 5:] += 10
    before, after = (model(timeseries.lag_tokens(x, n_values=4)) for x in (series, changed))
    assert before.shape == (3, 9)
    assert torch.equal(before[:, :5], after[:, :5])
    assert ((before - after)[:, 5:].abs() > 1e-4).all()


@pytest.mark.parametrize("head", ["ffn", "lstm"])
def test_a_forecast_depends_on_neither_batch_nor_padding_nor_asking_for_weights(head):
    torch.manual_seed(0)
    model = Forecaster(head=head, **SIZES).eval()
    values, lengths = torch.randn(3, 6, 4), torch.tensor([6, 4, 1])
    together, weights = model(values, lengths, need_weights=True)
    assert torch.allclose(together, model(values, lengths), atol=1e-6)
    assert [tuple(w.shape) for w in weights] == [(3, 2, 6, 6)] * 2
    assert all((w.triu(1) == 0).all() for w in weights)
    assert torch.equal(attention_weights(model, values)[0], weights[0])
    for i, n in enumerate(lengths):
        assert torch.allclose(together[i, :n], model(values[i : i + 1, :n])[0], atol=1e-6)


def test_the_lstm_head_is_a_plain_lstm_over_real_places_whatever_stands_in_the_padding():
    torch.manual_seed(0)
    head, hidden, lengths = LSTMHead(hid_dim=8, pf_dim=5), torch.randn(3, 6, 8), torch.tensor([2, 6, 3])
    out = head(hidden, lengths)
    for i, n in enumerate(lengths):
        states, _ = head.lstm(hidden[i : i + 1, :n])  # unpadded, unpacked, alone
        assert torch.allclose(out[i, :n], head.linear(states)[0, :, 0], atol=1e-6)
        assert (out[i, n:] == 0).all()
    hidden[0, 2:] = float("nan")
    assert torch.equal(head(hidden, lengths), out)
    assert torch.equal(head(hidden[1:2]), head(hidden[1:2], torch.tensor([6])))


def test_the_ffn_head_looks_at_its_own_place_alone():
    head, hidden = FFNHead(hid_dim=8, pf_dim=5), torch.randn(3, 6, 8)
    first, _, second = head.net
    by_hand = torch.nn.functional.gelu(hidden @ first.weight.T + first.bias) @ second.weight[0] + second.bias
    assert torch.allclose(head(hidden), by_hand, atol=1e-6)


ERRORS = [
    (lambda: Forecaster(head="tail", **SIZES), '"ffn" or "lstm", got \'tail\''),
    (lambda: Forecaster(**SIZES)(torch.randn(2, 5, 3)), r"with hid_dim 4, got \[2, 5, 3\]"),
    (lambda: Forecaster(**SIZES)(torch.randn(2, 13, 4)), "sl 13 is longer than max_len 12"),
    (lambda: FFNHead(hid_dim=8, pf_dim=0), "pf_dim must be a whole number of at least 1, got 0"),
    (lambda: LSTMHead(hid_dim=0, pf_dim=5), "hid_dim must be a whole number of at least 1, got 0"),
    (lambda: LSTMHead(hid_dim=8, pf_dim=5)(torch.randn(2, 3, 7)), r"hid_dim 8, got \[2, 3, 7\]"),
    (lambda: LSTMHead(hid_dim=8, pf_dim=5)(torch.randn(2, 3, 8), torch.tensor([0, 3])), r"1..sl = 1..3, got \[0, 3\]"),
    (lambda: LSTMHead(hid_dim=8, pf_dim=5)(torch.randn(2, 3, 8), torch.tensor([4, 3])), r"1..3, got \[4, 3\]"),
    (lambda: LSTMHead(hid_dim=8, pf_dim=5)(torch.randn(2, 3, 8), torch.tensor([3])), r"2 numbers .* got \[3\]"),
    (lambda: data.split_and_scale(torch.arange(10.0), n_train=10), r"n_train must lie in 2..9.* got 10"),
    (lambda: data.split_and_scale(torch.arange(10.0), n_train=1), r"n_train must lie in 2..9.* got 1"),
    (lambda: data.split_and_scale(torch.zeros(2, 5), n_train=3), r"finite numbers \[length\], got \[2, 5\]"),
    (lambda: data.split_and_scale([1.0, float("nan"), 2.0, 3.0], n_train=2), "finite numbers"),
    (lambda: data.split_and_scale([7.0, 7.0, 7.0, 1.0], n_train=3), "3 training values are all 7"),
    (lambda: timeseries.windows(torch.arange(5.0), sl=5), r"window of 5 .* longer, got \[5\]"),
    (lambda: timeseries.windows(torch.arange(5.0), sl=0), "window of 0"),
    (lambda: timeseries.windows(torch.zeros(2, 5), sl=2), r"got \[2, 5\]"),
    (lambda: timeseries.lag_tokens(torch.zeros(5), n_values=2), r"series must be \[n, sl\] .* got \[5\] and 2"),
    (lambda: timeseries.lag_tokens(torch.zeros(1, 5), n_values=0), "got .* and 0"),
    (lambda: timeseries.motifs(0, length=5, seed=0), "at least 1 .* got 0, 5 and 0.1"),
    (lambda: timeseries.motifs(1, length=5, seed=0, noise=-1.0), "got 1, 5 and -1.0"),
    (lambda: timeseries.find_period(torch.zeros(2, 24)), r"more than 24 places, got \[2, 24\]"),
]


@pytest.mark.parametrize(("call", "says"), ERRORS)
def test_bad_input_is_named(call, says):
    with pytest.raises(ValueError, match=says):
        call()


def test_mean_and_std_come_from_the_training_part_alone():
    """Case 42: https://github.com/huseinzol05/Stock-Prediction-Models/issues/126"""
    known = list(range(8))
    train, test, scale = data.split_and_scale([*known, 100.0, 200.0], n_train=8)
    other, _, _ = data.split_and_scale([*known, 0.0, 7.0], n_train=8)
    assert torch.equal(train, other)
    assert scale == pytest.approx((3.5, 2.291288), abs=1e-6)
    assert [train[0].item(), test[0].item()] == pytest.approx([-1.527525, 42.116053], rel=1e-6)
    assert torch.allclose(scale.undo(test), torch.tensor([100.0, 200.0]))
    assert (train.shape, test.shape, train.dtype) == ((8,), (2,), torch.float32)


def test_no_window_crosses_a_split_and_each_test_value_is_asked_for_once():
    line = torch.arange(20.0)  # each value is its own place
    train, test = line[:13], line[13:]
    inputs, targets = timeseries.windows(train, sl=4)
    assert inputs.shape == targets.shape == (9, 4)
    assert inputs.max() < 13
    assert targets.max() == 12
    assert torch.equal(targets, inputs + 1)
    inputs, targets = timeseries.windows(torch.cat([train[-4:], test]), sl=4)
    assert torch.equal(targets[:, -1], test)
    assert (inputs[:, -1] == test - 1).all()


def test_windows_and_tokens_can_be_written_to_without_changing_a_neighbour():
    series = torch.arange(1.0, 8)
    tokens = timeseries.lag_tokens(series[None], n_values=3)
    assert tokens[0, :3].tolist() == [[0, 0, 1], [0, 1, 2], [1, 2, 3]]
    inputs, targets = timeseries.windows(series, sl=3)
    tokens[0, 0], inputs[0] = 9.0, 9.0
    assert tokens[0, 1].tolist() == [0, 1, 2]
    assert inputs[1].tolist() == [2, 3, 4]
    assert series.tolist() == [1, 2, 3, 4, 5, 6, 7]


def test_motifs_repeat_after_their_period_and_are_drawn_again_by_their_seed():
    series, periods = timeseries.motifs(200, length=80, seed=1, noise=0.0)
    assert (periods.min(), periods.max()) == (8, 24)
    for row, period in zip(series, periods.tolist()):
        assert torch.equal(row[period:], row[:-period])
        assert not any(torch.equal(row[shift:], row[:-shift]) for shift in range(1, period))
    assert torch.equal(timeseries.motifs(200, length=80, seed=1, noise=0.0)[0], series)
    noisy, _ = timeseries.motifs(200, length=80, seed=1)
    assert (noisy - series).std().item() == pytest.approx(0.1, abs=0.005)
    assert not torch.equal(timeseries.motifs(200, length=80, seed=2, noise=0.0)[0], series)


def test_the_period_search_finds_the_period_or_a_multiple_of_it():
    series, periods = timeseries.motifs(500, length=96, seed=3)
    found = timeseries.find_period(series)
    assert ((found % periods) == 0).float().mean() > 0.99
    long = periods > 12  # twice the period is not searched
    assert (found == periods)[long].float().mean() > 0.99
    # a plain wave, from which the answer is known
    wave = torch.sin(torch.arange(90.0) * 2 * torch.pi / 17)[None]
    assert timeseries.find_period(wave).item() == 17


def test_the_baselines_of_the_table_are_what_they_say():
    past = torch.arange(30.0)[None] % 10
    for only_last in (True, False):
        assert forecasting.repeats(past, only_last=only_last).item() == pytest.approx(0.0)
    torch.manual_seed(0)
    x, weights = torch.randn(200, 5), torch.randn(5)
    formula = forecasting.ridge(x, x @ weights + 3, 1e-6)
    new = torch.randn(7, 5)
    assert torch.allclose(formula(new), new @ weights + 3, atol=1e-3)
    rows = [dict(model="a", seed=s, motif=m, sunspots=20.0, seconds=1.0) for s, m in enumerate((0.1, 0.3))]
    results = dict.fromkeys(tables.TABLES, rows)
    assert "| a | 0.200 (0.100–0.300) | 20.0 | 1 |" in tables.table("en", results).splitlines()


def test_without_statsmodels_the_library_works_and_sunspots_say_what_to_install():
    code = (
        "import sys; sys.modules['statsmodels'] = None\n"
        "from tutorial_lib.data import timeseries\n"
        "try:\n    timeseries.sunspots()\nexcept ModuleNotFoundError as error:\n    print(error)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pip install statsmodels" in run.stdout


def test_the_data_card_is_true_in_both_languages():
    statsmodels = pytest.importorskip("statsmodels.datasets.sunspots")
    card = (Path(tutorial_lib.__file__).parent / "data" / "timeseries.md").read_text(encoding="utf-8")
    counts = timeseries.sunspots()
    scale = data.split_and_scale(counts, n_train=200)[2]
    lesson = (Path(__file__).parent.parent / "lessons" / "11_forecasting.py").read_text(encoding="utf-8")
    assert "((3000, 1), (500, 2), (1000, 3))" in lesson
    assert "n_train=200" in lesson
    assert "rest[:49], rest[49:]" in lesson
    figures = [len(counts), 1700 + 199, 1700 + 248, 1700 + len(counts) - 1, len(counts) - 249, 3000, 500, 1000, 65]
    figures += [timeseries.SHORTEST, timeseries.LONGEST, f"{scale.mean:.2f}", f"{scale.std:.2f}"]
    figures += [f"{part.max():.1f}" for part in (counts[:200], counts[200:249], counts[249:])]
    halves = card.split("## 무늬")
    assert len(halves) == 2
    for half in halves:
        assert [f for f in figures if not re.search(rf"(?<![\d.]){re.escape(str(f))}(?![\d]|\.\d)", half)] == []
        assert statsmodels.COPYRIGHT.strip() in half
    assert json.dumps(counts[:3].tolist()) == "[5.0, 11.0, 16.0]"
