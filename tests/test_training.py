"""The loop: it learns, stops early, keeps the best, says why a loss is NaN, and what is saved comes back to the bit."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from tutorial_lib import heads, training
from tutorial_lib.text import Vocab, tokenize

X = torch.arange(40.0)[:, None] / 40
Y = 3 * X[:, 0] - 1


def square(model, x, y):
    return F.mse_loss(model(x)[:, 0], y)


def line(**how):
    torch.manual_seed(0)
    model = nn.Linear(1, 1)
    return model, training.fit(
        model, (X[:32], Y[:32]), (X[32:], Y[32:]), square, **dict(dict(epochs=60, lr=0.1, batch_size=8), **how)
    )


def test_it_learns_and_leaves_the_best_weights_in_eval_mode():
    model, history = line()
    assert model.weight.item() == pytest.approx(3, abs=0.2) and model.bias.item() == pytest.approx(-1, abs=0.2)
    assert len(history.train) == len(history.valid) == 60 and history.ended == "all epochs"
    assert history.valid[history.best_epoch - 1] == min(history.valid)
    assert training.evaluate(model, (X[32:], Y[32:]), square) == pytest.approx(min(history.valid))
    assert not model.training


def test_the_same_seed_gives_the_same_and_another_one_another():
    a, b, c = line(epochs=3), line(epochs=3), line(epochs=3, seed=1)
    assert a[1] == b[1] and torch.equal(a[0].weight, b[0].weight)
    assert a[1].train != c[1].train


def test_every_row_is_seen_once_in_an_epoch_also_those_of_a_last_small_batch():
    seen = []

    def noting(model, x, y):
        if model.training:
            seen.append(x[:, 0])
        return square(model, x, y)

    training.fit(nn.Linear(1, 1), (X[:30], Y[:30]), (X[30:], Y[30:]), noting, epochs=2, batch_size=8)
    assert [len(x) for x in seen] == [8, 8, 8, 6] * 2
    first, second = torch.cat(seen[:4]), torch.cat(seen[4:])
    assert torch.equal(first.sort().values, X[:30, 0]) and torch.equal(second.sort().values, X[:30, 0])
    assert not torch.equal(first, second)


def test_the_learning_rate_climbs_falls_and_moves_the_last_step_too(monkeypatch):
    rates, step = [], torch.optim.AdamW.step
    note = lambda self, *a, **k: (rates.append(self.param_groups[0]["lr"]), step(self, *a, **k))[1]
    monkeypatch.setattr(torch.optim.AdamW, "step", note)
    line(epochs=5)  # 20 steps, of which 2 climb
    assert rates[:3] == pytest.approx([0.05, 0.1, 0.1]) and rates[-1] == pytest.approx(0.1 / 18)
    assert all(a >= b for a, b in zip(rates[1:], rates[2:]))


@pytest.mark.parametrize("epochs", [1, 2, 3])
def test_few_steps_are_no_trouble(epochs):
    training.fit(nn.Linear(1, 1), (X[:1], Y[:1]), (X[1:2], Y[1:2]), square, epochs=epochs)


def test_a_long_gradient_is_shortened(monkeypatch):
    norms, step = [], torch.optim.AdamW.step

    def note(self, *a, **k):
        grads = [p.grad for group in self.param_groups for p in group["params"]]
        norms.append(torch.cat([g.flatten() for g in grads]).norm().item())
        return step(self, *a, **k)

    monkeypatch.setattr(torch.optim.AdamW, "step", note)
    steep = lambda model, x, y: 1000 * square(model, x, y)
    training.fit(nn.Linear(1, 1), (X, Y), (X, Y), steep, epochs=2, clip=0.5)
    assert max(norms) == pytest.approx(0.5, rel=1e-4)


def test_it_stops_when_nothing_gets_better_and_goes_back_to_the_best():
    calls = []

    def worse(model, x, y):  # the loss on valid falls twice and rises from then on
        if model.training:
            return square(model, x, y)
        calls.append({k: v.clone() for k, v in model.state_dict().items()})
        return torch.tensor([3.0, 2.0, 1.0, 1.5, 2.5, 3.5, 4.5][len(calls) - 1])

    model = nn.Linear(1, 1)
    history = training.fit(model, (X, Y), (X, Y), worse, epochs=9, patience=2, lr=0.1)
    assert (history.best_epoch, history.ended, history.valid) == (3, "no better", [3.0, 2.0, 1.0, 1.5, 2.5])
    assert all(torch.equal(v, calls[2][k]) for k, v in model.state_dict().items())


def test_an_interruption_keeps_the_best_so_far_and_in_the_first_epoch_what_there_is():
    def after(n):
        left = [n]

        def loss(model, x, y):
            left[0] -= model.training
            if left[0] < 0:
                raise KeyboardInterrupt
            return square(model, x, y)

        return loss

    for n, epochs_done in ((9, 2), (2, 0)):
        torch.manual_seed(0)
        model = nn.Linear(1, 1)
        start = model.weight.clone()
        history = training.fit(model, (X[:32], Y[:32]), (X[32:], Y[32:]), after(n), epochs=9, batch_size=8, lr=0.1)
        assert history.ended == "interrupted" and len(history.valid) == epochs_done
        assert not torch.equal(model.weight, start) and not model.training
        if epochs_done:
            assert training.evaluate(model, (X[32:], Y[32:]), square) == pytest.approx(min(history.valid))


def test_a_nan_stops_it_with_the_step_and_the_likely_cause():
    model = nn.Linear(1, 1)
    with pytest.raises(FloatingPointError, match="the loss is nan at step 1: the batch itself holds NaN"):
        training.fit(model, (X * float("nan"), Y), (X, Y), square, epochs=1)
    hidden_rows = lambda model, x, y: F.cross_entropy(model(x).expand(-1, 2), torch.full((len(x),), -100))
    with pytest.raises(FloatingPointError, match="look at the loss.*without a single label"):
        training.fit(model, (X, Y), (X, Y), hidden_rows, epochs=1)
    with torch.no_grad():
        model.weight.fill_(float("inf"))
    with pytest.raises(FloatingPointError, match="the weights are no longer finite.*lr is too high"):
        training.fit(model, (X, Y), (X, Y), square, epochs=1)


def test_after_a_nan_the_model_has_the_best_weights_from_before():
    losses = []

    def breaks(model, x, y):
        value = square(model, x, y)
        if model.training:
            losses.append(value)
        return value * float("nan") if len(losses) > 8 and model.training else value

    torch.manual_seed(0)
    model = nn.Linear(1, 1)
    with pytest.raises(FloatingPointError, match="at step 9"):
        training.fit(model, (X[:32], Y[:32]), (X[32:], Y[32:]), breaks, epochs=4, batch_size=8, lr=0.1)
    assert all(p.isfinite().all() for p in model.parameters())
    assert training.evaluate(model, (X[32:], Y[32:]), square) < 0.9 * training.evaluate(
        nn.Linear(1, 1), (X[32:], Y[32:] + 5), square
    )


@pytest.mark.parametrize("train", [(X[:0], Y[:0]), (X, Y[:3]), ()])
def test_sets_that_do_not_fit_are_refused(train):
    with pytest.raises(ValueError, match="train must be tensors with the same number of rows, at least 1, got"):
        training.fit(nn.Linear(1, 1), train, (X, Y), square, epochs=1)


def test_predictions_come_in_order_on_the_cpu_without_dropout():
    model = nn.Sequential(nn.Linear(1, 4), nn.Dropout(0.5)).train()
    got = training.predict(model, X, batch_size=7)
    assert torch.allclose(got, model(X)) and not model.training and got.device.type == "cpu"


def test_progress_is_shown_where_one_looks_and_leaves_nothing(monkeypatch, capsys):
    line(epochs=2)
    assert capsys.readouterr() == ("", "")  # the tests, and what builds the notebooks, switch it off
    import tqdm

    monkeypatch.setattr(training, "tqdm", lambda *a, **k: tqdm.tqdm(*a, **dict(k, disable=False)))
    line(epochs=2)
    out, err = capsys.readouterr()
    assert "epoch" in out and err == "" and out.split("\r")[-1].strip() == ""


def test_what_is_saved_comes_back_to_the_bit(tmp_path, device):
    vocab = Vocab.build(["나는 책을 읽었다", "I read a book"])
    config = dict(n_classes=2, input_dim=len(vocab), hid_dim=8, pf_dim=16, n_heads=2, n_layers=2, positions="learned")
    model = heads.Classifier(**config).to(device).eval()
    training.save(tmp_path / "new" / "folder", model, config=config, vocab=vocab)
    again, words = training.load(tmp_path / "new" / "folder", heads.Classifier, tokenizer=tokenize)
    src = words.batch(["책을 읽었다", "a book"]).to(device)
    assert torch.equal(again.to(device)(src), model(src)) and words.tokens == vocab.tokens and not again.training
    with pytest.raises(ValueError, match="give load the tokenizer= that the vocabulary was built with"):
        training.load(tmp_path / "new" / "folder", heads.Classifier, tokenizer=str.split)
    (tmp_path / "new" / "folder" / "config.json").unlink()
    with pytest.raises(FileNotFoundError, match="lacks config.json: give the folder that training.save wrote"):
        training.load(tmp_path / "new" / "folder", heads.Classifier, tokenizer=tokenize)
