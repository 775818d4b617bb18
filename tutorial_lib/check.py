"""The machine behind the exercises: compare with the reference, else find the mistake that gives the same answer."""

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from tutorial_lib import runtime


@dataclass(frozen=True)
class Mistake:
    """A typical wrong attempt, and what to say to somebody who made it: `message` {"en": …, "ko": …}."""

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

    `inputs()` gives a list of argument tuples, fresh and seeded; `reference` is the right function, `variants` are
    other right ways, `mistakes` the typical wrong ones. `hints` and `difficulty` are {"en": …, "ko": …}.
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
        """The Result without printing it."""
        if not callable(attempt):
            return _unwritten() if attempt is None or attempt is ... else _not_a_function(attempt)
        try:
            got = self._run(attempt)
        except NotImplementedError:
            return _unwritten()
        except Exception as error:
            says = f"{type(error).__name__}: {error}"
            return Result("error", runtime.t(en=f"Your code stopped with {says}", ko=f"코드가 멈췄습니다. {says}"))
        if all(answer is None or answer is ... for answer in got):
            return _unwritten()
        wanted = self._run(self.reference)
        if _same(got, wanted):
            return Result("passed", runtime.t(en=f"{self.name}: correct.", ko=f"{self.name}: 맞았습니다."))
        for mistake in self.mistakes:
            if _same(got, self._run(mistake.attempt)):
                return Result("mistake", runtime.t(**mistake.message), mistake.name)
        i = next(i for i, pair in enumerate(zip(got, wanted)) if not _same(*pair))
        return Result("different", _difference(self.inputs()[i], got[i], wanted[i]))

    def _run(self, attempt: Callable) -> list:
        return [attempt(*arguments) for arguments in copy.deepcopy(self.inputs())]


def _unwritten() -> Result:
    return Result(
        "unwritten", runtime.t(en="Not written yet: replace the ...", ko="아직 비어 있습니다. ... 자리를 채워 보세요.")
    )


def _not_a_function(attempt) -> Result:
    kind = type(attempt).__name__
    en = f"Give the check your function itself, without calling it: it got a {kind}."
    ko = f"함수를 호출하지 말고 함수 자체를 넘겨 주세요. 받은 값: {kind}"
    return Result("error", runtime.t(en=en, ko=ko))


def _same(a, b) -> bool:
    """Equal in kind, shape, dtype and value; floats within 1e-6."""
    if isinstance(a, Tensor) and isinstance(b, Tensor):
        alike = a.shape == b.shape and a.dtype == b.dtype
        exact = not a.is_floating_point()
        return alike and (torch.equal(a, b) if exact else torch.allclose(a, b, atol=1e-6, equal_nan=True))
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return type(a) is type(b) and len(a) == len(b) and all(map(_same, a, b))
    return type(a) is type(b) and a == b


def _difference(arguments: tuple, got, wanted) -> str:
    if (
        isinstance(got, Tensor)
        and isinstance(wanted, Tensor)
        and got.shape == wanted.shape
        and got.dtype == wanted.dtype
    ):
        at = (~torch.isclose(got, wanted, atol=1e-6, equal_nan=True)).nonzero()[0].tolist()
        values = got[tuple(at)].item(), wanted[tuple(at)].item()
        en = f"Shape and dtype are right, but entry {at} is {values[0]:g} and should be {values[1]:g}."
        ko = f"모양과 dtype은 맞지만, {at} 위치의 값이 {values[0]:g}입니다. {values[1]:g}이어야 합니다."
        return runtime.t(en=en, ko=ko)
    shown = ", ".join(map(_show, arguments))
    en = f"For ({shown}) you return {_show(got)}, and it should be {_show(wanted)}."
    ko = f"({shown})에 대한 반환값이 {_show(got)}입니다. {_show(wanted)}이어야 합니다."
    return runtime.t(en=en, ko=ko)


def _show(value) -> str:
    if isinstance(value, Tensor):
        return f"tensor {list(value.shape)} {str(value.dtype).removeprefix('torch.')}"
    return repr(value)
