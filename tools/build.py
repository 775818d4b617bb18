"""`make notebooks`: write the notebooks of the lessons, executed, with outputs that do not vary.

`--no-run` writes without executing and keeps the stored outputs; it refuses where code has changed and they would lie.
"""

import argparse
import base64
import io
import os
import sys
import time
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from PIL import Image

from tools import ROOT, lessons


def execute(notebook, folder: Path, *, timeout: int = 300):
    """Run all cells in `folder` and return the notebook with outputs that a second run repeats to the byte."""
    folder.mkdir(parents=True, exist_ok=True)
    os.environ["TQDM_DISABLE"] = "1"  # a progress bar is for who looks on: stored outputs keep no trace of it
    how = dict(kernel_name="python3", record_timing=False, timeout=timeout)
    how["resources"] = {"metadata": {"path": str(folder)}}
    how["extra_arguments"] = ["--IPKernelApp.log_level=ERROR"]  # a new kernel warns of plain TCP on every start
    NotebookClient(notebook, **how).execute()
    return settle(notebook)


def settle(notebook):
    """Take out what varies from run to run: split streams, kernel details, widget state; shrink the pictures."""
    notebook.metadata["language_info"] = {"name": "python"}
    notebook.metadata.pop("widgets", None)
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        if cell.cell_type == "code":
            cell.outputs = _join_streams(cell.outputs)
            for output in cell.outputs:
                if "image/png" in output.get("data", {}):
                    output.data["image/png"] = _shrink(output.data["image/png"])
    return notebook


def _join_streams(outputs: list) -> list:
    joined = []
    for output in outputs:
        before = joined[-1] if joined else {}
        if output.output_type == "stream" and before.get("name") == output.name:
            before["text"] += output.text
        else:
            joined.append(output)
    return joined


def _shrink(png: str) -> str:
    """A third of the size, with a palette of 256 colours. Maximum coverage keeps the steps of a colour bar; others lose them."""
    picture = Image.open(io.BytesIO(base64.b64decode(png))).convert("RGB")
    small = io.BytesIO()
    palette = picture.quantize(256, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    palette.save(small, format="PNG", optimize=True)
    return base64.b64encode(small.getvalue()).decode() + "\n"


def keep_outputs(new, old) -> list[str]:
    """Copy the stored outputs of `old` into `new`; return the names of the cells whose code has changed since."""
    stored = {cell.id: cell for cell in old.cells if cell.cell_type == "code"}
    changed = []
    for cell in new.cells:
        if cell.cell_type == "code":
            before = stored.get(cell.id)
            if before is None or (before.source != cell.source and "setup" not in lessons.tags(cell)):
                changed.append(cell.id)
            else:
                cell.outputs, cell.execution_count = before.outputs, before.execution_count
    return changed


def build(source: Path, *, run: bool) -> None:
    cells = lessons.load(source)
    for target in lessons.targets(source):
        start = time.monotonic()
        notebook = lessons.render(cells, target)
        place = target.path.relative_to(ROOT)
        if run:
            try:
                execute(notebook, target.path.parent)
            except CellExecutionError as error:
                sys.exit(f"{place}: {error}")
        elif not target.path.exists():
            sys.exit(f"{place} is not there yet: build it with `make notebooks L={source.stem[:2]}`")
        else:
            changed = keep_outputs(notebook, nbformat.read(target.path, as_version=4))
            if changed:
                sys.exit(f"{place}: code has changed in {', '.join(changed)}: `make notebooks L={source.stem[:2]}`")
        nbformat.validate(notebook)
        target.path.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(notebook, target.path)
        print(f"{place}  {target.path.stat().st_size // 1024} KB  {time.monotonic() - start:.1f} s", flush=True)


def chosen(numbers: list[str]) -> list[Path]:
    """The sources of the lessons `numbers`, all of them for none. Exits naming the ones that are not there."""
    found = [source for source in lessons.sources() if not numbers or source.stem[:2] in numbers]
    missing = set(numbers) - {source.stem[:2] for source in found}
    if missing:
        sys.exit(
            f"no lesson {', '.join(sorted(missing))}; there are {', '.join(s.stem[:2] for s in lessons.sources())}"
        )
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("lessons", nargs="*", help="numbers such as 01; all of them when left out")
    parser.add_argument("--no-run", action="store_true", help="write without executing, keeping the stored outputs")
    parser.add_argument(
        "--stamp", metavar="CELL", nargs="+", help="mark these Korean cells of ONE lesson as up to date"
    )
    options = parser.parse_args()
    found = chosen(options.lessons)
    if options.stamp:
        if len(options.lessons) != 1:
            sys.exit("name one lesson: make stamp L=01 CELL=name")
        try:
            lessons.stamp(found[0], options.stamp)
        except ValueError as error:
            sys.exit(str(error))
        return
    for source in found:
        build(source, run=not options.no_run)


if __name__ == "__main__":
    main()
