"""The machine behind the exercises: compare with the reference, else find the mistake that gives the same answer."""

import copy
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from tutorial_lib._compare import difference, same, say, show
from tutorial_lib.runtime import t

TORCH = str(Path(torch.__file__).parent)


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
    `weights` is true where a call has to move the weights of its first argument, a model: they are compared as well.
    """

    name: str
    inputs: Callable[[], list[tuple]]
    reference: Callable
    mistakes: Sequence[Mistake]
    variants: Sequence[Callable]
    hints: Sequence[dict[str, str]]
    minutes: int
    difficulty: dict[str, str]
    weights: bool = False

    def __call__(self, attempt) -> Result:
        result = self.judge(attempt)
        print(result)
        return result

    def judge(self, attempt) -> Result:
        """The Result without printing it. The random numbers of the notebook go on as if it had not been called."""
        if not callable(attempt):
            nothing = attempt is None or attempt is ...
            return _result("unwritten") if nothing else _result("error", "no function", type(attempt).__name__)
        asked, got, left, changed, error = self._run(attempt)
        if not error and all(answer is None or answer is ... for answer in got):
            return _result("unwritten", "no return" if _does_something(attempt) else "unwritten")
        if changed:
            return Result("mistake", say("in place"), "in_place")
        try:
            return self._compare(asked, got, left, error)
        except Exception as odd:  # a result that cannot even be compared: on no device, or of an odd class
            return _result("error", "odd", _first_line(odd))

    def _compare(self, asked: list, got: list, left: list, error: Exception | None) -> Result:
        _, wanted, moved, *_ = self._run(self.reference)
        if not error and same([got, left], [wanted, moved]):
            return _result("passed", "passed", self.name)
        for mistake in self.mistakes:
            _, answers, weights, _, other = self._run(mistake.attempt)
            if error and other and _first_line(error) == _first_line(other):
                return Result("mistake", f"{t(**mistake.message)} ({_first_line(error)})", mistake.name)
            if not error and same([got, left], [answers, weights]):
                return Result("mistake", t(**mistake.message), mistake.name)
        wrong = [i for i, (a, b) in enumerate(zip(got, wanted)) if not same(a, b)]
        if not error and not wrong:
            return Result("different", say("weights"))
        i = wrong[0] if wrong else len(got)
        line, said = (_own_line(error), _first_line(error)) if error else (None, "")
        told = say("stopped", line, said) if line else say("not started" if line is None else "stopped somewhere", said)
        if wrong:  # what went wrong first is told, an error after it comes later
            told = difference(got[i], wanted[i])
        if len(wanted) > 1 and (wrong or line is not None):
            told = say("input", i + 1, len(wanted), ", ".join(map(show, asked[i]))) + told
        return Result("different" if wrong else "error", told[0].upper() + told[1:])

    def _run(self, attempt: Callable) -> tuple[list, list, list, bool, Exception | None]:
        """What an attempt is asked, answers and leaves as weights, whether it changed its input, and what it raised."""
        asked, answers, left, changed = [], [], [], False
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)
            for arguments in self.inputs():
                asked.append(copy.deepcopy(arguments))
                try:
                    answers.append(attempt(*arguments))
                except Exception as error:
                    return asked, answers, left, changed, error
                left += [[p.detach() for p in arguments[0].parameters()]] if self.weights else []
                data = [isinstance(argument, (Tensor, list, dict)) for argument in arguments]
                changed |= any(is_data and not same(*two) for is_data, *two in zip(data, asked[-1], arguments))
        return asked, answers, left, changed, None


def _result(status: str, key: str | None = None, *values) -> Result:
    return Result(status, say(key or status, *values))


def _does_something(attempt: Callable) -> bool:
    """Whether a function is more than a stub, so that a None means a forgotten return."""
    code, stub = getattr(attempt, "__code__", None), (lambda: ...).__code__
    return code is not None and len(code.co_code) > len(stub.co_code)


def _first_line(error: Exception) -> str:
    return f"{type(error).__name__}: {str(error).strip().split(chr(10))[0][:300]}"


def _own_line(error: Exception) -> str | None:
    """The line of the learner's code, not of torch's, in which it stopped; None for a wrong number of arguments.

    "" where the source is not there to be read, as behind `python -c`.
    """
    calls = [call for call in traceback.extract_tb(error.__traceback__)[1:] if not call.filename.startswith(TORCH)]
    own = [call.line or "" for call in calls if call.filename == calls[0].filename]
    return own[-1].strip() if own else None
