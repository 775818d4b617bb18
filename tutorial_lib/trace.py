"""Shape traces: run a module once, and see the shape of everything that went in and came out.

Knows no model of ours: any `nn.Module` will do.
"""

from collections.abc import Iterator, Mapping
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
        kept = [i for i, row in enumerate(self.rows) if len(self._callers(row.name)) <= deepest]
        return ShapeTrace([self.rows[i] for i in kept], [self.classes[i] for i in kept], self.sizes)

    def expect(self, name: str, shape: str) -> None:
        """Assert that module `name` was called and that the first tensor of each call's output has `shape`, "[bs, sl]".

        Raises: KeyError for a module that was not called; ValueError for a letter that `sizes` does not have, or whose
        size another letter has too; AssertionError, with both shapes, when they differ.
        """
        met = [row.outputs[0] for row in self.rows if row.name == name and row.outputs]
        if not met:
            raise KeyError(f"no output of a module {name!r} in this trace; it has {[row.name for row in self.rows]}")
        wanted = tuple(self._size(axis.strip()) for axis in shape.strip("[] ").split(",") if axis.strip())
        for got in met:
            assert got == wanted, (
                f"{name} returned {self._letters(got)} = {list(got)}, expected {shape} = {list(wanted)}"
            )

    def __str__(self) -> str:
        lines = []
        for row, kind in zip(self.rows, self.classes):
            callers = self._callers(row.name)
            name = f"{row.name.removeprefix(max(callers, key=len) + '.')}: {kind}" if callers else kind
            shapes = [" ".join(map(self._letters, part)) for part in row[1:]]
            numbers = [" ".join(str(list(s)) for s in part) for part in row[1:]]
            lines.append(("  " * len(callers) + name, " → ".join(shapes), " → ".join(numbers)))
        if not self.sizes:
            lines = [(name, numbers) for name, _, numbers in lines]
        widths = [max(map(len, column)) for column in zip(*lines)]
        return "\n".join("   ".join(cell.ljust(w) for cell, w in zip(line, widths)).rstrip() for line in lines)

    __repr__ = __str__

    def _callers(self, name: str) -> set[str]:
        """The names of the called modules that hold this one; a ModuleList is never called itself."""
        holders = {row.name for row in self.rows if row.name != name}
        return {holder for holder in holders if not holder or name.startswith(f"{holder}.")}

    def _letters(self, shape: Shape) -> str:
        return "[" + ", ".join(self._names(size) or str(size) for size in shape) + "]"

    def _names(self, size: int) -> str:
        return "|".join(letter for letter, value in self.sizes.items() if value == size) if size != 1 else "1"

    def _size(self, axis: str) -> int:
        if axis.isdigit():
            return int(axis)
        if axis not in self.sizes:
            raise ValueError(
                f"no size for {axis!r}: give trace_shapes(..., sizes={{{axis!r}: …}}), it has {self.sizes}"
            )
        same = [letter for letter, size in self.sizes.items() if size == self.sizes[axis]]
        if len(same) > 1:
            both = "|".join(same)
            raise ValueError(
                f"{both} are both {self.sizes[axis]}, so the trace cannot tell them apart: change one size"
            )
        return self.sizes[axis]


def trace_shapes(model: nn.Module, /, *inputs, sizes: Mapping[str, int] | None = None, **kwargs) -> ShapeTrace:
    """Call `model(*inputs, **kwargs)` without gradients and note the shapes of every module on the way.

    `sizes` names the numbers, {"bs": 3, "sl": 5}; an axis that could be two letters shows both, "bs|n_heads". Tensors
    inside tuples, lists and dicts count. A module that stands under two names is shown under the first. No hook is left
    behind, whatever the model raises. A model from `torch.compile` cannot be traced: give the one it was made from.
    """
    names = {module: name for name, module in model.named_modules()}
    rows, classes, handles, running = [], [], [], []

    def enter(module, args, kwargs):
        rows.append(Row(names[module], list(_shapes((args, kwargs))), []))
        running.append(rows[-1])
        classes.append(type(module).__name__)

    def leave(module, args, kwargs, output):
        running.pop().outputs.extend(_shapes(output))  # calls are nested: the last one to begin is the first to end

    try:
        for module in names:
            handles.append(module.register_forward_pre_hook(enter, with_kwargs=True))
            handles.append(module.register_forward_hook(leave, with_kwargs=True))
        with torch.no_grad():
            model(*inputs, **kwargs)
    finally:
        for handle in handles:
            handle.remove()
    return ShapeTrace(rows, classes, sizes or {})


def _shapes(value) -> Iterator[Shape]:
    if isinstance(value, Tensor):
        yield tuple(value.shape)
    elif isinstance(value, Mapping):
        yield from _shapes(list(value.values()))
    elif isinstance(value, (tuple, list)):
        for part in value:
            yield from _shapes(part)
