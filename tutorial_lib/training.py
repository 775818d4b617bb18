"""Training in one loop that fits on a page, and what goes with it: evaluation, scores, saving and loading.

Data are tensors with one row per example, such as (src, labels); a loss is a function `loss(model, *batch)` that gives a number.
"""

import json
import sys
from dataclasses import dataclass, field
from pathlib import Path

import torch
from torch import Tensor, nn
from tqdm import tqdm

from tutorial_lib._weights import load_weights
from tutorial_lib.text import Vocab


@dataclass
class History:
    """What `fit` saw: the mean loss of each epoch on both sets, the best epoch (counted from 1), and why it ended."""

    train: list[float] = field(default_factory=list)
    valid: list[float] = field(default_factory=list)
    best_epoch: int = 0
    ended: str = "all epochs"  # or "no better" (patience), or "interrupted"


def fit(
    model: nn.Module,
    train: tuple[Tensor, ...],
    valid: tuple[Tensor, ...],
    loss,
    *,
    epochs: int,
    batch_size: int = 64,
    lr: float = 2e-3,
    clip: float = 1.0,
    patience: int | None = None,
    seed: int = 0,
) -> History:
    """Train with AdamW, and leave the model with the weights of the epoch whose loss on `valid` was lowest.

    The learning rate climbs for a tenth of the steps and falls to 0; gradients longer than `clip` are shortened. It ends early
    after `patience` epochs without a better one, or when you interrupt it (the best weights so far are kept).
    Raises: ValueError for sets without rows or with unequal ones; FloatingPointError for a loss that is not finite,
    with the step and the likely cause.
    """
    n_rows, place = _rows("train", train), next(model.parameters()).device
    _rows("valid", valid)
    torch.manual_seed(seed)  # dropout draws from here; the order of the rows from a generator of its own
    order = torch.Generator().manual_seed(seed)
    optimizer = torch.optim.AdamW(model.parameters(), lr=lr, fused=True)
    steps = epochs * -(-n_rows // batch_size)
    climb = max(1, steps // 10)
    pace = lambda done: min((done + 1) / climb, (steps - done) / max(1, steps - climb))
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, pace)
    history, best, step = History(), _copy(model), 0
    try:
        for epoch in tqdm(range(1, epochs + 1), leave=False, unit="epoch", file=sys.stdout):
            model.train()
            total = 0.0
            for rows in torch.randperm(n_rows, generator=order).split(batch_size):
                batch, step = [x[rows].to(place) for x in train], step + 1
                value = loss(model, *batch)
                if not value.isfinite():
                    raise FloatingPointError(f"the loss is {value.item()} at step {step}: {_cause(model, batch)}")
                optimizer.zero_grad()
                value.backward()
                nn.utils.clip_grad_norm_(model.parameters(), clip)
                optimizer.step()
                schedule.step()
                total += value.item() * len(rows)
            history.train.append(total / n_rows)
            history.valid.append(evaluate(model, valid, loss, batch_size=batch_size))
            if history.valid[-1] == min(history.valid):
                history.best_epoch, best = epoch, _copy(model)
            elif patience and epoch - history.best_epoch >= patience:
                history.ended = "no better"
                break
    except KeyboardInterrupt:
        history.ended = "interrupted"
        best = best if history.valid else _copy(model)  # in the first epoch there is nothing better than now
    finally:
        model.load_state_dict(best)
        model.eval()
    return history


@torch.no_grad()
def evaluate(model: nn.Module, data: tuple[Tensor, ...], loss, *, batch_size: int = 256) -> float:
    """The mean loss over the rows of `data`, without dropout and without learning."""
    n_rows, place = _rows("data", data), next(model.parameters()).device
    model.eval()
    total = 0.0
    for rows in torch.arange(n_rows).split(batch_size):
        total += loss(model, *(x[rows].to(place) for x in data)).item() * len(rows)
    return total / n_rows


@torch.no_grad()
def predict(model: nn.Module, *inputs: Tensor, batch_size: int = 256) -> Tensor:
    """What the model gives for all rows, on the CPU, without dropout."""
    place = next(model.parameters()).device
    model.eval()
    batches = torch.arange(_rows("inputs", inputs)).split(batch_size)
    return torch.cat([model(*(x[rows].to(place) for x in inputs)).cpu() for rows in batches])


def scores(y_true, y_pred) -> dict[str, float]:
    """accuracy, balanced_accuracy (every class counts the same) and macro_f1; a class never predicted has F1 0."""
    from sklearn.metrics import accuracy_score, balanced_accuracy_score, f1_score

    return {
        "accuracy": float(accuracy_score(y_true, y_pred)),
        "balanced_accuracy": float(balanced_accuracy_score(y_true, y_pred)),
        "macro_f1": float(f1_score(y_true, y_pred, average="macro", zero_division=0)),
    }


def class_weights(labels) -> Tensor:
    """A weight for each class, so that all weigh the same in a loss: n / (n_classes × count). Give training labels only."""
    import numpy as np
    from sklearn.utils.class_weight import compute_class_weight

    labels = np.asarray(labels)
    return torch.tensor(compute_class_weight("balanced", classes=np.unique(labels), y=labels), dtype=torch.float32)


def save(folder: str | Path, model: nn.Module, *, config: dict, vocab: Vocab) -> None:
    """Write weights (safetensors), config and vocabulary (JSON) into `folder`, which is made."""
    from safetensors.torch import save_file

    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    save_file({name: x.contiguous() for name, x in model.state_dict().items()}, folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps(config, indent=1), encoding="utf-8")
    vocab.save(folder / "vocab.json")


def load(folder: str | Path, build, *, tokenizer) -> tuple[nn.Module, Vocab]:
    """(model, vocabulary) of what `save` wrote: `build(**config)` makes the model, ready to predict.

    Raises: FileNotFoundError for a file that is missing, KeyError or ValueError for weights that do not fit, ValueError
    for another tokenizer than the vocabulary was built with.
    """
    from safetensors.torch import load_file

    folder = Path(folder)
    missing = [name for name in ("config.json", "model.safetensors", "vocab.json") if not (folder / name).is_file()]
    if missing:
        raise FileNotFoundError(f"{folder} lacks {', '.join(missing)}: give the folder that training.save wrote")
    model = build(**json.loads((folder / "config.json").read_text(encoding="utf-8")))
    load_weights(model, load_file(folder / "model.safetensors"))
    return model.eval(), Vocab.load(folder / "vocab.json", tokenizer=tokenizer)


def _copy(model: nn.Module) -> dict[str, Tensor]:
    return {name: x.detach().clone() for name, x in model.state_dict().items()}


def _rows(name: str, data) -> int:
    lengths = [len(x) for x in data]
    if not lengths or len(set(lengths)) > 1 or not lengths[0]:
        raise ValueError(f"{name} must be tensors with the same number of rows, at least 1, got {lengths}")
    return lengths[0]


def _cause(model: nn.Module, batch: list[Tensor]) -> str:
    if any(x.is_floating_point() and not x.isfinite().all() for x in batch):
        return "the batch itself holds NaN or inf, so look at the data"
    if any(not p.isfinite().all() for p in model.parameters()):
        return "the weights are no longer finite, most likely since lr is too high: try a tenth of it"
    return (
        "data and weights are finite, so look at the loss: a log of 0, a row without a single label, a division by 0?"
    )
