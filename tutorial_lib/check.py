"""The machine behind the exercises: compare with the reference, else find the mistake that gives the same answer."""

import math
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
        except Exception as error:
            en, ko = "Your code stopped with", "코드가 멈췄습니다."
            return Result("error", f"{runtime.t(en=en, ko=ko)} {_first_line(error)}")
        if all(answer is None or answer is ... for answer in got):
            return _unwritten()
        try:
            return self._compare(got, self._run(self.reference))
        except Exception as error:  # a result that cannot even be compared: on no device, or of an odd class
            en, ko = "Your result cannot be compared with the right one.", "결과를 정답과 비교할 수 없습니다."
            return Result("error", f"{runtime.t(en=en, ko=ko)} {_first_line(error)}")

    def _compare(self, got: list, wanted: list) -> Result:
        if _same(got, wanted):
            return Result("passed", runtime.t(en=f"{self.name}: correct.", ko=f"{self.name}: 맞았습니다."))
        for mistake in self.mistakes:
            if _same(got, self._run(mistake.attempt)):
                return Result("mistake", runtime.t(**mistake.message), mistake.name)
        i = next(i for i, pair in enumerate(zip(got, wanted)) if not _same(*pair))
        return Result("different", _difference(self.inputs()[i], got[i], wanted[i]))

    def _run(self, attempt: Callable) -> list:
        return [attempt(*arguments) for arguments in self.inputs()]


def _first_line(error: Exception) -> str:
    return f"{type(error).__name__}: {str(error).strip().split(chr(10))[0][:300]}"


def _unwritten() -> Result:
    en = "Not written yet: replace the ... (or is the return missing?)"
    ko = "아직 비어 있습니다. ... 자리를 채워 보세요. (return을 빠뜨리지는 않았나요?)"
    return Result("unwritten", runtime.t(en=en, ko=ko))


def _not_a_function(attempt) -> Result:
    kind = type(attempt).__name__
    en = f"Give the check your function itself, without calling it: it got a {kind}."
    ko = f"함수를 호출하지 말고 함수 자체를 넘겨 주세요. 받은 값: {kind}"
    return Result("error", runtime.t(en=en, ko=ko))


def _same(a, b) -> bool:
    """Equal in kind, shape, dtype and value, on whatever device; floats within 1e-6, or 1e-5 of their size."""
    if isinstance(a, Tensor) and isinstance(b, Tensor):
        alike = a.shape == b.shape and a.dtype == b.dtype
        return alike and not _differs(a, b).any()
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return type(a) is type(b) and len(a) == len(b) and all(map(_same, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(_same(a[key], b[key]) for key in b)
    if isinstance(a, float) and isinstance(b, float):
        return math.isclose(a, b, rel_tol=1e-5, abs_tol=1e-6) or (math.isnan(a) and math.isnan(b))
    return type(a) is type(b) and bool(a == b)


def _differs(a: Tensor, b: Tensor) -> Tensor:
    a, b = a.detach().cpu(), b.detach().cpu()
    return ~torch.isclose(a, b, atol=1e-6, equal_nan=True) if a.is_floating_point() else a != b


def _difference(arguments: tuple, got, wanted) -> str:
    if (
        isinstance(got, Tensor)
        and isinstance(wanted, Tensor)
        and got.shape == wanted.shape
        and got.dtype == wanted.dtype
    ):
        at = _differs(got, wanted).nonzero()[0].tolist()
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
