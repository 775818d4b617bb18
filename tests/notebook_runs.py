"""Run a notebook as a learner would, and once more in the same kernel: what the tests about notebooks compare."""

import ast
import base64
import copy
import io
import linecache
import re
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

import matplotlib.pyplot as plt
import nbformat
import numpy as np
from nbclient import NotebookClient
from PIL import Image

from tools import build, lessons

TRAINING = ("09", "10", "11", "12", "13")  # lessons that take half a minute

# The library and the lessons call `t` for every word that code shows; this notes both languages of each.
LISTEN = """
import tutorial_lib
from tutorial_lib import runtime

_said, _speak = set(), runtime.t


def _listen(*, en, ko):
    _said.add((en, ko))
    return _speak(en=en, ko=ko)


runtime.t = tutorial_lib.t = _listen
"""


@dataclass(frozen=True)
class Runs:
    """The notebook after a first and a second run, and the words that its code showed, {(en, ko)}.

    A lesson that trains takes long: its second run is left out in Korean, where the code is the same, and is None.
    """

    first: nbformat.NotebookNode
    second: nbformat.NotebookNode | None
    words: frozenset


SEEN: dict[Path, Runs] = {}  # what nbval has run in this session, see conftest.py


def wants_second_run(path: Path) -> bool:
    return path.stem[:2] not in TRAINING or path.parent.name == "en"


@cache
def run_twice(path: Path) -> Runs:
    """Both runs of the notebook at `path`, in its own folder and one kernel: nbval's, or else runs of its own."""
    if path in SEEN:
        return SEEN[path]
    notebook = nbformat.read(path, as_version=4)
    how = dict(kernel_name="python3", record_timing=False, timeout=120)
    how["resources"] = {"metadata": {"path": str(path.parent)}}
    client = NotebookClient(notebook, **how, extra_arguments=["--IPKernelApp.log_level=ERROR"])
    with client.setup_kernel():
        ask = lambda source: _ask(client, notebook, source)
        ask(LISTEN)
        runs = []
        for _ in range(1 + wants_second_run(path)):
            for index, cell in enumerate(notebook.cells):
                client.execute_cell(cell, index)
            runs.append(build.settle(copy.deepcopy(notebook)))
        said = ast.literal_eval(ask("sorted(_said)")[0]["data"]["text/plain"])
    return Runs(*(runs if len(runs) == 2 else [*runs, None]), frozenset(said))


def _ask(client: NotebookClient, notebook, source: str) -> list:
    notebook.cells.append(nbformat.v4.new_code_cell(source))
    client.execute_cell(notebook.cells[-1], len(notebook.cells) - 1)
    return notebook.cells.pop().outputs


def remember(path: Path, kernel, outputs: dict[int, list]) -> None:
    """Keep nbval's run of a notebook, {number of the code cell: outputs}, and run it again in the same kernel."""
    notebook = nbformat.read(path, as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    if len(outputs) < len(code):
        return  # a part was run, or a cell stopped: nothing to compare with
    first, second = (copy.deepcopy(notebook) for _ in range(2))
    for number, (one, two) in enumerate(zip(*([c for c in n.cells if c.cell_type == "code"] for n in (first, second)))):
        one.outputs = outputs[number]
        one.execution_count = number + 1
        if wants_second_run(path):
            two.outputs = ask_kernel(kernel, two.source)
            two.execution_count = number + 1
    said = ast.literal_eval(ask_kernel(kernel, "sorted(_said)")[0]["data"]["text/plain"])
    again = build.settle(second) if wants_second_run(path) else None
    SEEN[path] = Runs(build.settle(first), again, frozenset(said))


def ask_kernel(kernel, source: str) -> list:
    """Run code in a kernel of nbval's and return its outputs."""
    outputs = []

    def take(message):
        if message["msg_type"] in ("stream", "display_data", "execute_result", "error"):
            outputs.append(nbformat.v4.output_from_msg(message))

    kernel.kc.execute_interactive(source, store_history=True, allow_stdin=False, output_hook=take, timeout=300)
    return outputs


def texts(notebook) -> dict[str, list[str]]:
    """What each code cell printed and returned, as text."""
    return {
        cell.id: [output.get("text") or output.get("data", {}).get("text/plain", "") for output in cell.outputs]
        for cell in notebook.cells
        if cell.cell_type == "code"
    }


def pictures(notebook) -> dict[str, np.ndarray]:
    """The pictures of a notebook, as RGB arrays, under cell and number."""
    found = {}
    for cell in notebook.cells:
        for number, output in enumerate(cell.get("outputs", [])):
            if "image/png" in output.get("data", {}):
                png = base64.b64decode(output["data"]["image/png"])
                found[f"{cell.id}-{number}"] = np.asarray(Image.open(io.BytesIO(png)).convert("RGB"))
    return found


def after_training(notebook: nbformat.NotebookNode) -> list[str]:
    """The code cells from the first on that trains for long: a rounding of 1e-7, which differs between processors,
    has become another result after a thousand steps, and the pictures are others on another machine."""
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    trains = [bool(re.search(r"(?<![\w.])(?<!def )fit\(", cell.source)) for cell in cells]
    return [cell.id for cell in cells[trains.index(True) :]] if True in trains else []


def picture_trouble(picture: np.ndarray, fresh: np.ndarray, *, same: bool = True) -> str:
    """What is wrong with a stored picture beside a freshly drawn one; "" for nothing.

    Fonts move by a pixel between versions, so both are compared at a quarter of their size. Unless they show the `same`,
    only their size is compared.
    """
    height, width = picture.shape[:2]
    if not (150 <= width <= 1440 and 120 <= height <= 1400):
        return f"{width} × {height} pixels is no size for a page"
    if len(np.unique(picture.reshape(-1, 3), axis=0)) < 4 or picture.std() < 5:
        return "blank"
    if max(abs(height - fresh.shape[0]), abs(width - fresh.shape[1])) > (12 if same else 60):
        return f"{picture.shape[:2]} pixels, a fresh one has {fresh.shape[:2]}"
    if not same:
        return ""
    small = [
        np.asarray(Image.fromarray(image).resize((width // 4, height // 4), Image.Resampling.BOX), dtype=float)
        for image in (picture, fresh)
    ]
    share = (np.abs(small[0] - small[1]).max(axis=2) > 60).mean()
    return f"{share:.1%} of it differ from a fresh one" if share > 0.02 else ""


def all_notebooks() -> list[Path]:
    return [target.path for source in lessons.sources() for target in lessons.targets(source)]


def run_cells(number: str, change=lambda source: source) -> Iterator[tuple[str, dict]]:
    """The English lesson, cell after cell in this process, each source changed first: (cell, names that there are after it)."""
    lesson = next(source for source in lessons.sources() if source.stem.startswith(number))
    target = next(target for target in lessons.targets(lesson) if target.lang == "en" and not target.solutions)
    names, show = {"__name__": "__main__"}, plt.show
    plt.show = lambda: plt.close("all")
    try:
        for cell in nbformat.read(target.path, as_version=4).cells:
            if cell.cell_type == "code":
                source, file = change(cell.source), f"<{number} {cell.id}>"
                linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
                with redirect_stdout(io.StringIO()):
                    exec(compile(source, file, "exec"), names)
                yield cell.id, names
    finally:
        plt.show = show


@cache
def from_seed(number: str, seed: int) -> dict[str, dict]:
    """All of the English lesson started from another seed: {cell: the names after it}."""

    def change(source):
        source = source.replace('setup(lang="en")', f'setup(lang="en", seed={seed})')
        return source.replace("torch.manual_seed(0)", f"torch.manual_seed({seed})") if number in TRAINING else source

    after = {}
    for cell, names in run_cells(number, change):
        if cell == "imports" and "fit" in names:
            names["fit"] = partial(names["fit"], seed=seed)
        after[cell] = dict(names)
    return after
