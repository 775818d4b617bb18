"""The tables of lesson 11: every forecaster on both tasks, over several seeds.

`python -m tests.benchmarks.forecasting` prints what the settings were chosen by: eight settings for each model that learns,
one seed, the error on validation data. The test data are looked at in `rows` only, which `make tables` runs.
"""

import time
from functools import cache, partial

import torch
import torch.nn.functional as F
from torch import Tensor

from tutorial_lib.data.timeseries import find_period, lag_tokens, motifs, split_and_scale, sunspots, windows
from tutorial_lib.heads import FFNHead, Forecaster, LSTMHead
from tutorial_lib.training import fit, predict

RATES = (5e-3, 1.5e-2, 3e-2, 6e-2)
SETTINGS = {  # (width, learning rate) of what is trained, the strength of ridge's penalty
    "motif": {"ridge": 10.0, "MLP": (128, 6e-2), "LSTM": (64, 3e-2), "encoder, no positions": (32, 3e-2),
              "encoder": (32, 1.5e-2), "encoder, LSTM head": (32, 1.5e-2)},
    "sunspots": {"ridge": 3.0, "MLP": (16, 3e-2), "LSTM": (16, 3e-2), "encoder, no positions": (16, 1.5e-2),
                 "encoder": (16, 6e-2), "encoder, LSTM head": (16, 3e-2)},
}  # fmt: skip
WIDTHS = {"motif": {"MLP": (128, 256), "LSTM": (32, 64)}, "sunspots": {"MLP": (16, 32), "LSTM": (8, 16)}}
PENALTIES = (0.01, 0.1, 0.3, 1.0, 3.0, 10.0, 100.0, 1000.0)
# the last values in a token, epochs, rows in a batch, and the first place whose forecast counts
TASKS = {
    "motif": dict(sl=64, n_values=12, epochs=3, batch_size=32, first=24),
    "sunspots": dict(sl=32, n_values=12, epochs=15, batch_size=16, first=31),
}


@cache
def data(task: str) -> dict[str, tuple[Tensor, Tensor]]:
    """Windows and the value after each place, for "train", "valid" and "test"."""
    sl = TASKS[task]["sl"]
    if task == "motif":
        sizes = {"train": 3000, "valid": 500, "test": 1000}
        all_series = [motifs(n, length=sl + 1, seed=seed)[0] for seed, n in enumerate(sizes.values(), 1)]
        return {name: (series[:, :-1], series[:, 1:]) for name, series in zip(sizes, all_series)}
    train, rest, _ = split_and_scale(sunspots(), n_train=200)
    valid, test = rest[:49], rest[49:]
    parts = {"train": train, "valid": torch.cat([train[-sl:], valid]), "test": torch.cat([valid[-sl:], test])}
    return {name: windows(part, sl=sl) for name, part in parts.items()}


class OnLags(torch.nn.Module):
    """A head or a model on tokens of the last n_values values: `[bs, sl]` → `[bs, sl]`."""

    def __init__(self, model: torch.nn.Module, n_values: int):
        super().__init__()
        self.model, self.n_values = model, n_values

    def forward(self, values: Tensor) -> Tensor:
        return self.model(lag_tokens(values, n_values=self.n_values))


def build(name: str, width: int, *, sl: int, n_values: int) -> torch.nn.Module:
    if name == "MLP":
        return OnLags(
            FFNHead(hid_dim=sl, pf_dim=width), sl
        )  # each place sees a whole window back, 0 where there was none
    if name == "LSTM":
        return OnLags(LSTMHead(hid_dim=n_values, pf_dim=width), n_values)
    positions, head = None if "no positions" in name else "learned", "lstm" if "LSTM head" in name else "ffn"
    sizes = dict(hid_dim=width, pf_dim=2 * width, n_heads=2, n_layers=1, max_len=sl, dropout=0.0, norm_first=True)
    return OnLags(Forecaster(n_values=n_values, head=head, positions=positions, activation="gelu", **sizes), n_values)


def loss(model, inputs: Tensor, targets: Tensor, *, first: int) -> Tensor:
    return F.mse_loss(model(inputs)[:, first:], targets[:, first:])


def ridge(inputs: Tensor, target: Tensor, penalty: float):
    """Least squares with a penalty on the coefficients: a function that forecasts from the window."""
    x, mean = (inputs - inputs.mean(dim=0)).double(), (inputs.mean(dim=0), target.mean())
    right = x.T @ (target - mean[1]).double()
    coefficients = torch.linalg.solve(x.T @ x + penalty * torch.eye(x.size(1), dtype=torch.float64), right).float()
    return lambda new: (new - mean[0]) @ coefficients + mean[1]


def repeats(past: Tensor, *, only_last: bool) -> Tensor:
    """The value one period before the next one, or the mean over all periods before it: `[n, sl]` → `[n]`."""
    period, sl = find_period(past)[:, None], past.size(1)
    place = sl - period * torch.arange(1, 2 if only_last else sl)
    seen = place >= 0
    return (past.gather(1, place.clamp(min=0)) * seen).sum(dim=1) / seen.sum(dim=1)


def forecaster(task: str, name: str, setting, seed: int):
    """A function from windows `[n, sl]` to forecasts `[n]`, trained where it has to be."""
    fixed = {"last value": lambda x: x[:, -1], "mean of the training data": lambda x: torch.zeros(len(x))}
    fixed |= {"period search, one back": partial(repeats, only_last=True)}
    fixed |= {"period search, mean of all": partial(repeats, only_last=False)}
    if name in fixed:
        return fixed[name]
    train, valid, how = data(task)["train"], data(task)["valid"], TASKS[task]
    if name == "ridge":
        return ridge(train[0], train[1][:, -1], setting)
    torch.manual_seed(seed)
    model = build(name, setting[0], sl=how["sl"], n_values=how["n_values"])
    counts = partial(loss, first=how["first"])
    fit(model, train, valid, counts, epochs=how["epochs"], batch_size=how["batch_size"], lr=setting[1], seed=seed)
    return lambda x: predict(model, x)[:, -1]


def rmse(forecast, part: tuple[Tensor, Tensor]) -> float:
    return (forecast(part[0]) - part[1][:, -1]).square().mean().sqrt().item()


FIXED = ("mean of the training data", "last value", "period search, one back", "period search, mean of all")


def rows(seeds=(0, 1, 2)) -> list[dict]:
    """{"model", "seed", "motif", "sunspots", "seconds"} of every model and seed; a seed changes nothing where none is drawn.

    Errors are root mean squares of one-step forecasts on the test data; for sunspots in the unit of the series.
    """
    unit = split_and_scale(sunspots(), n_train=200)[2].std
    found = []
    for name in (*FIXED, *SETTINGS["motif"]):
        for seed in seeds:
            row, start = {"model": name, "seed": seed}, time.perf_counter()
            for task in TASKS:
                row[task] = rmse(forecaster(task, name, SETTINGS[task].get(name), seed), data(task)["test"])
            row["sunspots"] *= unit
            found.append(row | {"seconds": time.perf_counter() - start})
    return found


def tune(task: str) -> None:
    """Print the validation error of eight settings for each model that learns."""
    narrow_wide = {"motif": (32, 64), "sunspots": (16, 32)}[task]
    for name in SETTINGS[task]:
        grid = [(w, rate) for w in WIDTHS[task].get(name, narrow_wide) for rate in RATES]
        for setting in PENALTIES if name == "ridge" else grid:
            print(
                task, name, setting, f"{rmse(forecaster(task, name, setting, 0), data(task)['valid']):.3f}", flush=True
            )


if __name__ == "__main__":
    torch.set_num_threads(1)
    for task in TASKS:
        tune(task)
