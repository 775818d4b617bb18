"""A notebook keeps the name of the private environment that saved it, and on another machine there is NoSuchKernel.

Whose trouble: https://github.com/computationalmodelling/nbval/issues/106,
https://github.com/ProjectPythia/pythia-foundations/issues/69 and https://github.com/microsoft/vscode-python/issues/9600
"""

import json
import subprocess
import sys

import nbformat
import pytest

from tools import NOTEBOOKS, ROOT

PRIVATE = {"kernelspec": {"name": "conda-env-class-py", "display_name": "Python [class]", "language": "python"}}


def stored():
    """The metadata of every notebook that is handed out or run by a test."""
    found = [*NOTEBOOKS.rglob("*.ipynb"), *(ROOT / "tests").rglob("*.ipynb")]
    return [json.loads(path.read_text(encoding="utf-8"))["metadata"] for path in found]


def check_names(metadata):
    assert {one["kernelspec"]["name"] for one in metadata} == {"python3"}


def check_run(metadata, folder):
    """Plain nbval, without our configuration: the notebook chooses the kernel."""
    cell = nbformat.v4.new_code_cell("print('x')", execution_count=1, id="one")
    cell.outputs = [nbformat.v4.new_output("stream", text="x\n")]
    nbformat.write(nbformat.v4.new_notebook(cells=[cell], metadata=metadata), folder / "one.ipynb")
    command = [sys.executable, "-m", "pytest", "--nbval", "-p", "no:cacheprovider", "one.ipynb"]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stdout


def test_every_notebook_asks_for_the_kernel_that_is_everywhere():
    assert len(stored()) > 4
    check_names(stored())


def test_their_kernel_is_found_by_plain_nbval(tmp_path):
    kernels = {json.dumps(metadata["kernelspec"], sort_keys=True) for metadata in stored()}
    assert len(kernels) == 1
    check_run({"kernelspec": json.loads(kernels.pop())}, tmp_path)


def test_the_reported_mistake_fails(tmp_path):
    with pytest.raises(AssertionError, match="conda-env-class-py"):
        check_names([*stored(), PRIVATE])
    with pytest.raises(AssertionError, match="NoSuchKernel"):
        check_run(PRIVATE, tmp_path)
