"""Run code and compare every shape comment with the shape that was really there.

The grammar: `# name: [axis, axis]` for what a line assigns, `# [axis, axis]` for what it returns or, at the end of a cell,
shows. An axis is a letter, a number, `a|b` for one that could be two, or a sum such as `sl+1`. Within one call of a
function, or one cell, a letter stands for one size; some letters have the same size everywhere.
"""

import ast
import io
import linecache
import re
import tokenize
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

from torch import Tensor

from tutorial_lib.trace import watch_lines

LOOKS_LIKE = re.compile(r"^#\s*(?:[A-Za-z_]\w*:\s*)?\[")
COMMENT = re.compile(r"^# (?:(?P<name>[A-Za-z_]\w*): )?\[(?P<axes>[^\[\]]*)\]$")
AXIS = re.compile(r"^(?:\.\.\.|\d+|[A-Za-z_]\w*(?:[+-]\d+)?(?:\|[A-Za-z_]\w*)*)$")
ALTERNATIVES = {"sl": {"sl_q", "sl_k"}, "sl_q": {"sl"}, "sl_k": {"sl"}}


@dataclass
class Checked:
    """What came of checking one source: comments found, lines met, and what is wrong."""

    found: dict[int, tuple[str | None, list[str]]]
    met: set[int] = field(default_factory=set)
    wrong: list[str] = field(default_factory=list)

    @property
    def unmet(self) -> set[int]:
        return set(self.found) - self.met


def parse(source: str, where: str) -> Checked:
    """The shape comments of a source by line, and a complaint for each that looks like one and cannot be read."""
    checked = Checked({})
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type != tokenize.COMMENT or not LOOKS_LIKE.match(token.string):
            continue
        line, comment = token.start[0], COMMENT.match(token.string)
        axes = [axis.strip() for axis in comment["axes"].split(",")] if comment else []
        axes = [] if axes == [""] else axes
        if not comment or not all(map(AXIS.match, axes)):
            checked.wrong.append(f"{where}:{line}: cannot be read: {token.string}")
        else:
            checked.found[line] = (comment["name"], axes)
    return checked


def statement_lines(source: str) -> dict[int, int]:
    """For each line of a source the first line of the innermost statement that it belongs to."""
    starts = {}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.stmt) and not hasattr(node, "body"):
            for line in range(node.lineno, node.end_lineno + 1):
                starts[line] = max(starts.get(line, 0), node.lineno)
    return starts


def compare(checked: Checked, line: int, shape: tuple, bound: dict[str, int], where: str) -> None:
    """Hold one comment against one shape; `bound` are the letters of this call, and learns new ones."""
    checked.met.add(line)
    name, axes = checked.found[line]
    text = f"{where}:{line}: the comment says [{', '.join(axes)}], and {name or 'the result'} is {list(shape)}"
    if len(axes) != len(shape):
        checked.wrong.append(text)
        return
    for axis, size in zip(axes, shape):
        letters = axis.split("|")
        if axis.isdigit():
            right = int(axis) == size
        elif match := re.match(r"^(\w+)([+-]\d+)$", axis):
            right = bound.setdefault(match[1], size - int(match[2])) + int(match[2]) == size
        else:
            right = all(bound.setdefault(letter, size) == size for letter in letters)
        if not right:
            known = {letter: bound.get(letter) for letter in letters}
            checked.wrong.append(f"{text}; here {known}" if not axis.isdigit() else text)
            return


def check_files(files: list[Path], run, sizes: dict[str, int]) -> dict[Path, Checked]:
    """Call `run()` and check the comments of `files` in every call of every function in them."""
    sources = {file: file.read_text(encoding="utf-8") for file in files}
    checked = {file: parse(source, file.name) for file, source in sources.items()}
    starts = {file: statement_lines(source) for file, source in sources.items()}
    by_start = {
        file: {
            start: [line for line in checked[file].found if starts[file].get(line) == start]
            for start in set(starts[file].values())
        }
        for file in files
    }
    known = {str(file): file for file in files}
    bound: dict[FrameType, dict[str, int]] = {}  # keeps the frames alive, so that none is taken for another

    def note(frame, line, returned):
        file = known[frame.f_code.co_filename]
        letters = bound.setdefault(frame, dict(sizes))
        for commented in by_start[file].get(line, []):
            value = frame.f_locals.get(checked[file].found[commented][0], None)
            value = returned if checked[file].found[commented][0] is None else value
            if isinstance(value, Tensor):
                compare(checked[file], commented, tuple(value.shape), letters, file.name)

    with watch_lines(lambda code: code.co_filename in known, note):
        run()
    return checked


def check_cells(cells: list[tuple[str, str]], namespace: dict, sizes: dict[str, int]) -> dict[str, Checked]:
    """Run the cells (name, source) of a notebook one after the other in `namespace`, and check the comments of each."""
    known, bound = {}, {}

    def note(frame, line, returned):
        name, checked, starts = known[frame.f_code.co_filename]
        own = bound.setdefault(name if frame.f_code.co_name == "<module>" else frame, dict(sizes))
        for commented, (variable, _) in checked.found.items():
            value = returned if variable is None else frame.f_locals.get(variable)
            if starts.get(commented) == line and isinstance(value, Tensor):
                compare(checked, commented, tuple(value.shape), own, name)

    for name, source in cells:
        tree, file = ast.parse(source), f"<cell {name}>"
        linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)  # as a kernel does
        checked, starts = parse(source, name), statement_lines(source)
        known[file] = (name, checked, starts)
        shown = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        with watch_lines(lambda code: code.co_filename in known, note):  # functions of earlier cells run here, too
            exec(compile(tree, file, "exec"), namespace)
            value = shown and eval(compile(ast.Expression(shown.value), file, "eval"), namespace)
        for commented, (variable, _) in checked.found.items():
            if shown and variable is None and starts.get(commented) == shown.lineno and isinstance(value, Tensor):
                compare(checked, commented, tuple(value.shape), bound.setdefault(name, dict(sizes)), name)
    return {name: checked for name, checked, _ in known.values()}
