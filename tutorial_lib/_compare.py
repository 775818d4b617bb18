"""What a check compares and how it says what differs. Its sentences stand in data/check_words.json, in both languages."""

import json
import math
from pathlib import Path

import torch
from torch import Tensor

from tutorial_lib.runtime import t

SAYS = json.loads((Path(__file__).parent / "data" / "check_words.json").read_text(encoding="utf-8"))


def say(key: str, *values) -> str:
    """The sentence `key` with its values, in the language of the notebook."""
    return t(**{lang: words.format(*values) for lang, words in SAYS[key].items()})


def same(a, b) -> bool:
    """Equal in shape, dtype and value, on whatever device; floats within 1e-6, or 1e-5 of their size; a tuple is a list."""
    if isinstance(a, Tensor) and isinstance(b, Tensor):
        return a.shape == b.shape and a.dtype == b.dtype and not differs(a, b).any()
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in b)
    if isinstance(a, float) and isinstance(b, float):
        return math.isclose(a, b, rel_tol=1e-5, abs_tol=1e-6) or (math.isnan(a) and math.isnan(b))
    return type(a) is type(b) and (callable(a) or bool(a == b))


def differs(a: Tensor, b: Tensor) -> Tensor:
    """True at each entry that is another; half precision is compared to its own accuracy."""
    a, b = a.detach().cpu(), b.detach().cpu()
    near = dict(rtol=4e-3, atol=1e-3) if a.dtype in (torch.float16, torch.bfloat16) else dict(atol=1e-6)
    return ~torch.isclose(a, b, equal_nan=True, **near) if a.is_floating_point() else a != b


def difference(got, wanted) -> str:
    """What is wrong with a result: its kind, its axes, its dtype, or which entries and how far they are off."""
    if not (isinstance(got, Tensor) and isinstance(wanted, Tensor)):
        return say("value", show(got), show(wanted)) if show(got) != show(wanted) else _within(got, wanted)
    have, want = list(got.shape), list(wanted.shape)
    if len(have) != len(want):
        return say("axes", have, want, len(have), len(want))
    if have != want:
        unlike = ", ".join(str(i) for i, (a, b) in enumerate(zip(have, want)) if a != b)
        return say("order", have, want) if sorted(have) == sorted(want) else say("length", have, want, unlike)
    if got.dtype != wanted.dtype:
        return say("dtype", *(str(x.dtype).removeprefix("torch.") for x in (got, wanted)))
    return _entries(got.detach().cpu(), wanted.detach().cpu(), differs(got, wanted))


def _within(got, wanted) -> str:
    """What differs between two values that look alike in few words."""
    if not isinstance(wanted, (list, tuple)):
        return say("value", repr(got)[:60], repr(wanted)[:60])
    if len(got) != len(wanted):
        return say("longer", show(got), len(got), len(wanted))
    i = next(i for i, (a, b) in enumerate(zip(got, wanted)) if not same(a, b))
    return say("within", i, difference(got[i], wanted[i]))


def _entries(got: Tensor, wanted: Tensor, wrong: Tensor) -> str:
    if got.is_floating_point() and (new := got.isnan() & ~wanted.isnan()).any():
        return say("nan", int(new.sum()), new.numel())
    if not got.dim():
        alike = show(got) == show(wanted)
        return _within(got.item(), wanted.item()) if alike else say("value", show(got), show(wanted))
    places, first = wrong.nonzero(), wrong.nonzero()[0].tolist()
    lines = [i for i, n in enumerate(wrong.shape) if n > 1 and len(places[:, i].unique()) == 1]
    where = say("alone", first[lines[0]], lines[0]) if lines else ""
    ratio = (got.double() / wanted.double())[wrong]
    steady = len(ratio) > 1 and ratio[0].isfinite() and torch.isclose(ratio, ratio[0], rtol=1e-4).all()
    if steady and ratio[0] and abs(ratio[0] - 1) > 1e-3:
        where += say("factor", ratio[0])
    far = (got.double() - wanted.double()).abs().max()
    after = "" if got.dtype == torch.bool or not far.isfinite() else say("far", far)
    return say(
        "entries",
        len(places),
        wrong.numel(),
        where,
        first,
        *(show(x[tuple(first)].item()) for x in (got, wanted)),
        after,
    )


def show(value) -> str:
    """A value in few words: a tensor by its shape, and its dtype where that is not float32; functions by their name."""
    if isinstance(value, Tensor) and not value.dim():
        return f"tensor({show(value.item())})"
    if isinstance(value, Tensor):
        dtype = str(value.dtype).removeprefix("torch.")
        return f"tensor {list(value.shape)}" + ("" if dtype == "float32" else f" {dtype}")
    if isinstance(value, (list, tuple)) and not isinstance(value, torch.Size):
        inside = ", ".join(map(show, value[:8])) + (", …" if len(value) > 8 else "")
        return f"[{inside}]" if isinstance(value, list) else f"({inside},)" if len(value) == 1 else f"({inside})"
    if isinstance(value, float):
        return f"{value:.4g}"
    if callable(value):
        name = getattr(value, "__name__", type(value).__name__)
        return "function" if name == "<lambda>" else name
    shown = repr(value)
    return shown if len(shown) <= 60 else f"a {type(value).__name__}"
