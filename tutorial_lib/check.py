"""The machine behind the exercises: compare with the reference, else find the mistake that gives the same answer."""

import copy
import json
import math
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from tutorial_lib.runtime import t

TORCH = str(Path(torch.__file__).parent)
SAYS = json.loads((Path(__file__).parent / "data" / "check_words.json").read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Mistake:
    """A typical wrong attempt (it may be one that stops with an error), and what to say about it: {"en": …, "ko": …}."""

    name: str
    attempt: Callable
    message: dict[str, str]


@dataclass(frozen=True)
class Result:
    """`status` is "unwritten", "passed", "mistake", "different" or "error"; `mistake` names the one recognised."""

    status: str
    message: str
    mistake: str | None = None

    def __str__(self) -> str:
        sign = {"unwritten": "…", "passed": "✓"}.get(self.status, "✗")
        return f"{sign} {self.message}"

    def _ipython_display_(self) -> None:
        """The check has printed it already: as the last value of a cell it is not shown once more."""


@dataclass(frozen=True, kw_only=True)
class Exercise:
    """Called with a learner's attempt, prints and returns a Result.

    `inputs()` lists argument tuples; random numbers in them are the same every time. `variants` are other right ways than
    `reference`, `mistakes` typical wrong ones: the first that fits is named. `hints`, `difficulty`: {"en": …, "ko": …}.
    """

    name: str
    inputs: Callable[[], list[tuple]]
    reference: Callable
    mistakes: Sequence[Mistake]
    variants: Sequence[Callable]
    hints: Sequence[dict[str, str]]
    minutes: int
    difficulty: dict[str, str]

    def __call__(self, attempt) -> Result:
        result = self.judge(attempt)
        print(result)
        return result

    def judge(self, attempt) -> Result:
        """The Result without printing it. The random numbers of the notebook go on as if it had not been called."""
        if not callable(attempt):
            nothing = attempt is None or attempt is ...
            return _result("unwritten") if nothing else _result("error", "no function", type(attempt).__name__)
        asked, got, changed, error = self._run(attempt)
        if error:
            return self._stopped(error)
        if all(answer is None or answer is ... for answer in got):
            return _result("unwritten")
        if changed:
            return Result("mistake", _say("in place"), "in_place")
        try:
            return self._compare(asked, got)
        except Exception as error:  # a result that cannot even be compared: on no device, or of an odd class
            return _result("error", "odd", _first_line(error))

    def _compare(self, asked: list, got: list) -> Result:
        wanted = self._run(self.reference)[1]
        if _same(got, wanted):
            return _result("passed", "passed", self.name)
        for mistake in self.mistakes:
            if _same(got, self._run(mistake.attempt)[1]):
                return Result("mistake", t(**mistake.message), mistake.name)
        each = zip(asked, got, wanted)
        return Result("different", next(_difference(*one) for one in each if not _same(*one[1:])))

    def _stopped(self, error: Exception) -> Result:
        said = _first_line(error)
        for mistake in self.mistakes:
            if (other := self._run(mistake.attempt)[3]) and _first_line(other) == said:
                return Result("mistake", f"{t(**mistake.message)} ({said})", mistake.name)
        calls = [call for call in traceback.extract_tb(error.__traceback__)[1:] if not call.filename.startswith(TORCH)]
        own = [call.line for call in calls if call.filename == calls[0].filename]  # the learner's, down to the last
        return _result("error", "stopped", own[-1], said) if own and own[-1] else _result("error", "not started", said)

    def _run(self, attempt: Callable) -> tuple[list, list, bool, Exception | None]:
        """What an attempt is asked and answers, whether it changed what it was given, and what it raised."""
        asked, answers, changed = [], [], False
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)
            for arguments in self.inputs():
                asked.append(copy.deepcopy(arguments))
                try:
                    answers.append(attempt(*arguments))
                except Exception as error:
                    return asked, answers, changed, error
                data = [isinstance(argument, (Tensor, list, dict)) for argument in arguments]
                changed |= any(is_data and not _same(*two) for is_data, *two in zip(data, asked[-1], arguments))
        return asked, answers, changed, None


def _say(key: str, *values) -> str:
    return t(**SAYS[key]).format(*values)


def _result(status: str, key: str | None = None, *values) -> Result:
    return Result(status, _say(key or status, *values))


def _first_line(error: Exception) -> str:
    return f"{type(error).__name__}: {str(error).strip().split(chr(10))[0][:300]}"


def _same(a, b) -> bool:
    """Equal in kind, shape, dtype and value, on whatever device; floats within 1e-6, or 1e-5 of their size."""
    if isinstance(a, Tensor) and isinstance(b, Tensor):
        return a.shape == b.shape and a.dtype == b.dtype and not _differs(a, b).any()
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return type(a) is type(b) and len(a) == len(b) and all(map(_same, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(_same(a[key], b[key]) for key in b)
    if isinstance(a, float) and isinstance(b, float):
        return math.isclose(a, b, rel_tol=1e-5, abs_tol=1e-6) or (math.isnan(a) and math.isnan(b))
    return type(a) is type(b) and (callable(a) or bool(a == b))


def _differs(a: Tensor, b: Tensor) -> Tensor:
    a, b = a.detach().cpu(), b.detach().cpu()
    near = dict(rtol=4e-3, atol=1e-3) if a.dtype in (torch.float16, torch.bfloat16) else dict(atol=1e-6)
    return ~torch.isclose(a, b, equal_nan=True, **near) if a.is_floating_point() else a != b


def _difference(asked: tuple, got, wanted) -> str:
    """What a result that fits no known mistake has wrong: its kind, its axes, its dtype, or which entries and how far."""
    if not (isinstance(got, Tensor) and isinstance(wanted, Tensor)):
        return _say("value", ", ".join(map(_show, asked)), _show(got), _show(wanted))
    have, want = list(got.shape), list(wanted.shape)
    if len(have) != len(want):
        return _say("axes", have, want, len(have), len(want))
    if have != want:
        unlike = ", ".join(str(i) for i, (a, b) in enumerate(zip(have, want)) if a != b)
        return _say("order", have, want) if sorted(have) == sorted(want) else _say("length", have, want, unlike)
    if got.dtype != wanted.dtype:
        return _say("dtype", *(str(x.dtype).removeprefix("torch.") for x in (got, wanted)))
    got, wanted, wrong = got.detach().cpu(), wanted.detach().cpu(), _differs(got, wanted)
    if got.is_floating_point() and (new := got.isnan() & ~wanted.isnan()).any():
        return _say("nan", int(new.sum()), new.numel())
    places, first = wrong.nonzero(), wrong.nonzero()[0].tolist()
    lines = [i for i, n in enumerate(want) if n > 1 and len(places[:, i].unique()) == 1]
    where = _say("alone", first[lines[0]], lines[0]) if lines else ""
    ratio = (got.double() / wanted.double())[wrong]
    if len(ratio) > 1 and ratio[0] not in (0, math.inf, -math.inf) and torch.isclose(ratio, ratio[0], rtol=1e-4).all():
        where += _say("factor", ratio[0])
    far = "" if got.dtype == torch.bool else _say("far", (got.double() - wanted.double()).abs().max())
    values = [x[tuple(first)].item() for x in (got, wanted)]
    shown = [f"{value:g}" if isinstance(value, float) else value for value in values]
    return _say("entries", len(places), wrong.numel(), where, first, *shown, far)


def _show(value) -> str:
    if isinstance(value, Tensor):
        return f"tensor {list(value.shape)} {str(value.dtype).removeprefix('torch.')}"
    return getattr(value, "__name__", type(value).__name__) if callable(value) else repr(value)
