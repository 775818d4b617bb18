"""Shape traces: run any `nn.Module` or function once, and see the shape of everything that went in and came out."""

import html
import inspect
import re
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import is_dataclass
from types import CodeType, FrameType
from typing import NamedTuple

import torch
from torch import Tensor, nn

Shape = tuple[int, ...]


class Row(NamedTuple):
    """One call of one module: its dotted name ("" for the model itself), and the shapes of its tensors."""

    name: str
    inputs: list[Shape]
    outputs: list[Shape]


class ShapeTrace:
    """What `trace_shapes` returns; print it. `rows` are the calls in order, `sizes` the letters for the numbers."""

    def __init__(self, rows: list[Row], classes: list[str], sizes: Mapping[str, int]):
        self.rows, self.classes, self.sizes = rows, classes, dict(sizes)

    def depth(self, deepest: int) -> "ShapeTrace":
        """The same trace without the modules nested deeper than `deepest` calls (the model's own call is 0)."""
        kept = [i for i, row in enumerate(self.rows) if self._place(row.name)[0] <= deepest]
        return ShapeTrace([self.rows[i] for i in kept], [self.classes[i] for i in kept], self.sizes)

    def expect(self, name: str, shape: str) -> None:
        """Assert that the first tensor that each call of module `name` returned has `shape`, "[bs, sl]".

        Raises: KeyError for a module without output, ValueError for a letter without a size of its own, AssertionError.
        """
        met = [row.outputs[0] for row in self.rows if row.name == name and row.outputs]
        if not met:
            raise KeyError(f"no output of a module {name!r} in this trace; it has {[row.name for row in self.rows]}")
        wanted = tuple(self._size(axis.strip()) for axis in shape.strip("[] ").split(",") if axis.strip())
        for got in met:
            assert got == wanted, f"{name} returned {self.letters(got)} = {list(got)}, not {shape} = {list(wanted)}"

    def __str__(self) -> str:
        lines = []
        for row, kind in zip(self.rows, self.classes):
            depth, name = self._place(row.name)
            part = f"{name}: {kind}" if depth else kind
            letters = [" ".join(map(self.letters, shapes)) for shapes in row[1:]]
            numbers = [" ".join(str(list(shape)) for shape in shapes) for shapes in row[1:]]
            lines.append(("  " * depth + part, " → ".join(letters), " → ".join(numbers)))
        if not self.sizes:
            lines = [(name, numbers) for name, _, numbers in lines]
        widths = [max(map(len, column)) for column in zip(*lines)]
        return "\n".join("   ".join(cell.ljust(w) for cell, w in zip(line, widths)).rstrip() for line in lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """A table for notebooks. It takes its colours from the page, and stays readable where styles are stripped."""
        head, rows = "<tr><th>part</th><th>in</th><th>out</th></tr>", ""
        for row, kind in zip(self.rows, self.classes):
            depth, name = self._place(row.name)
            part = "&nbsp;" * 4 * depth + (f"<code>{name}</code> " if depth else "") + html.escape(kind)
            cells = [part, *("<br>".join(map(self._cell, shapes)) for shapes in row[1:])]
            rows += f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"
        return re.sub("<(t[hd])>", r'<\1 style="text-align:left">', f"<table>{head}{rows}</table>")

    def _cell(self, shape: Shape) -> str:
        letters = f"{html.escape(self.letters(shape))} " if self.sizes else ""
        return f'{letters}<small style="opacity:0.6">{list(shape)}</small>'

    def _place(self, name: str) -> tuple[int, str]:
        """How many calls hold this module's (a ModuleList is never called itself), and its name in the innermost."""
        others = {row.name for row in self.rows if row.name != name}
        holders = [other for other in others if not other or name.startswith(f"{other}.")]
        return len(holders), name.removeprefix(max(holders, key=len, default="") + ".")

    def letters(self, shape: Shape) -> str:
        return "[" + ", ".join(self._names(size) or str(size) for size in shape) + "]"

    def _names(self, size: int) -> str:
        return "|".join(letter for letter, value in self.sizes.items() if value == size) if size != 1 else "1"

    def _size(self, axis: str) -> int:
        if axis.isdigit():
            return int(axis)
        if axis not in self.sizes:
            raise ValueError(f"no size for {axis!r}: trace_shapes takes sizes={{{axis!r}: …}}, and has {self.sizes}")
        same = [letter for letter, size in self.sizes.items() if size == self.sizes[axis]]
        if len(same) > 1:
            raise ValueError(f"{'|'.join(same)} are both {self.sizes[axis]}: change one size to tell them apart")
        return self.sizes[axis]


def trace_shapes(model: nn.Module, /, *inputs, sizes: Mapping[str, int] | None = None, **kwargs) -> ShapeTrace:
    """Call `model(*inputs, **kwargs)` without gradients and note the shapes of every module on the way.

    `sizes` names the numbers, {"bs": 3, "sl": 5}; an axis that could be two letters shows both, "bs|n_heads". A module
    that stands under two names is shown under the first. No hook is left behind, whatever the model raises. A model from
    `torch.compile` cannot be traced: give the one it was made from.
    """
    names = {module: name for name, module in model.named_modules()}
    rows, classes, running = [], [], []

    def enter(module, args, kwargs):
        rows.append(Row(names[module], list(_shapes((args, kwargs))), []))
        running.append(rows[-1])
        classes.append(type(module).__name__)

    def leave(module, args, kwargs, output):
        running.pop().outputs.extend(_shapes(output))  # calls are nested: the last one to begin is the first to end

    with _looking(names, enter, leave):
        model(*inputs, **kwargs)
    return ShapeTrace(rows, classes, sizes or {})


@contextmanager
def _looking(modules: Iterable[nn.Module] = (), enter: Callable | None = None, leave: Callable | None = None):
    """Hooks on `modules`, no gradients, and torch's fast path closed: it keeps no weights, and its tensors have no shape."""
    fast, handles = torch.backends.mha.get_fastpath_enabled(), []
    torch.backends.mha.set_fastpath_enabled(False)
    try:
        for module in modules:
            handles.append(module.register_forward_pre_hook(enter, with_kwargs=True))
            handles.append(module.register_forward_hook(leave, with_kwargs=True))
        with torch.no_grad():
            yield
    finally:
        torch.backends.mha.set_fastpath_enabled(fast)
        for handle in handles:
            handle.remove()


def _shapes(value) -> Iterator[Shape]:
    if isinstance(value, Tensor):
        yield tuple(value.shape)
    parts = value.values() if isinstance(value, Mapping) else vars(value).values() if is_dataclass(value) else value
    if isinstance(parts, (tuple, list)) or parts is not value:
        for part in parts:
            yield from _shapes(part)


class Annotated:
    """A function's source and the shapes it made: `lines` is {number of the line shown: {name, or "return": shape}}."""

    def __init__(self, source: list[str], lines: dict[int, dict[str, Shape]], sizes: Mapping[str, int]):
        self.source, self.lines, self.sizes = source, lines, dict(sizes)

    def named(self, **sizes: int) -> "Annotated":
        """The same with letters in place of numbers: `named(bs=3, sl=5)`."""
        return Annotated(self.source, self.lines, sizes)

    def __str__(self) -> str:
        letters = ShapeTrace([], [], self.sizes).letters
        width = min(max(map(len, self.source)), 70) + 2  # a longer line has its shapes below it
        shown = []
        for number, line in enumerate(self.source, 1):
            met = [f"{name}: {letters(s)}".removeprefix("return: ") for name, s in self.lines.get(number, {}).items()]
            gap = "\n" + " " * width if len(line) >= width else " " * (width - len(line))
            shown.append(f"{line}{gap}# {', '.join(met)}" if met else line)
        return "\n".join(shown)

    __repr__ = __str__


def annotate_shapes(target: nn.Module | Callable, /, *inputs, **kwargs) -> Annotated:
    """Call a function, or a module's `forward`, and write the shape of each tensor it assigns or returns beside its source.

    A line that runs more than once has its last shapes. Shape comments in the source are left out: these are measured.
    The tracer that was there before (a debugger's, say) is put back. Raises: TypeError for what has no Python source.
    """
    function = inspect.unwrap(target.forward if isinstance(target, nn.Module) else target)
    code = getattr(function, "__code__", None)
    if code is None:
        raise TypeError(f"annotate_shapes shows Python source, and {target!r} has none")
    source, first = inspect.getsourcelines(code)
    source = [re.sub(r"  # (?:\w+: )?\[[^]]*\]$", "", line) for line in textwrap.dedent("".join(source)).splitlines()]
    lines, known = {}, {}  # {line: {name: shape}}, and {name: the tensor that it was}

    def note(frame: FrameType, line: int, returned) -> None:
        for name, value in frame.f_locals.items():
            if isinstance(value, Tensor) and known.get(name) is not value:
                known[name] = value
                lines.setdefault(line - first + 1, {})[name] = tuple(value.shape)
        if isinstance(returned, Tensor):
            lines.setdefault(line - first + 1, {})["return"] = tuple(returned.shape)

    with watch_lines(lambda other: other is code, note), _looking():
        target(*inputs, **kwargs)
    return Annotated(source, lines, {})


@contextmanager
def watch_lines(wanted: Callable[[CodeType], bool], note: Callable[[FrameType, int, object], None]) -> Iterator[None]:
    """Call `note(frame, line, returned)` after each line of `wanted` code, the `def` with its arguments being the first."""
    running: dict[FrameType, int] = {}

    def inside(frame, event, argument):
        if event in ("line", "return"):
            note(frame, running[frame], argument if event == "return" else None)
            running[frame] = frame.f_lineno
        return inside

    def enter(frame, event, argument):
        running[frame] = frame.f_lineno
        return inside if wanted(frame.f_code) else None

    before = sys.gettrace()
    sys.settrace(enter)
    try:
        yield
    finally:
        sys.settrace(before)


def attention_weights(model: nn.Module, /, *inputs, **kwargs) -> list[Tensor]:
    """The attention weights of every layer, `[bs, n_heads, sl_q, sl_k]` each, of one call `model(*inputs, **kwargs)`.

    For models whose `forward` takes `need_weights` (ours) or `output_attentions` (Hugging Face's, loaded with
    `attn_implementation="eager"`), or that are made of `nn.MultiheadAttention`. Raises: ValueError saying why there are none.
    """
    takes = inspect.signature(model.forward).parameters
    if built_in := [module for module in model.modules() if isinstance(module, nn.MultiheadAttention)]:
        weights, ask = [], {"need_weights": True, "average_attn_weights": False}  # torch's layers ask for none
        with _looking(built_in, lambda m, a, k: (a, {**k, **ask}), lambda m, a, k, out: weights.append(out[1])):
            model(*inputs, **kwargs)
        if len(weights) < len(built_in):
            raise ValueError(f"of {len(built_in)} nn.MultiheadAttention only {len(weights)} took part in this call")
        return weights
    with torch.no_grad():
        if "need_weights" in takes:
            weights = model(*inputs, **kwargs, need_weights=True)[1]
            return list(weights) if isinstance(weights, (tuple, list)) else [weights]
        if "output_attentions" in takes or hasattr(model, "config"):
            weights = getattr(model(*inputs, **kwargs, output_attentions=True), "attentions", None)
            if not weights or any(w is None for w in weights):
                raise ValueError('this model keeps no weights: load it with attn_implementation="eager"')
            return list(weights)
    raise ValueError(f"{type(model).__name__}.forward takes neither need_weights nor output_attentions")
