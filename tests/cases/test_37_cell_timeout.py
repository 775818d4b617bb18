"""A hanging cell blocks the tests for nbval's 2000 s; and a short limit takes a cell that computes in silence for dead.

Whose trouble: https://github.com/computationalmodelling/nbval/issues/40,
https://github.com/computationalmodelling/nbval/issues/41, https://github.com/computationalmodelling/nbval/issues/151
and https://github.com/computationalmodelling/nbval/issues/231
"""

import re
import signal
import subprocess
import sys
from functools import partial

import nbformat
import pytest

from tools import ROOT

RECIPE = re.search(r"^test:.*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)[1]
LIMIT = re.compile(r" --nbval-cell-timeout (\d+)")
HANGS, SILENT = "while True:\n    pass", "import time\n\ntime.sleep(6)\nprint('ok')"
KERNEL = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}


def options(recipe, seconds):
    """What `make test` gives to nbval, with another limit if it has one."""
    return re.findall(r"(?<= )(--nbval\S*)(?: (\w[\w./]*))?", LIMIT.sub(f" --nbval-cell-timeout {seconds}", recipe))


def run(folder, code, recipe, seconds, *, patience):
    cell = nbformat.v4.new_code_cell(code, execution_count=1, id="one")
    cell.outputs = [nbformat.v4.new_output("stream", text="ok\n")] if code == SILENT else []
    nbformat.write(nbformat.v4.new_notebook(cells=[cell], metadata=KERNEL), folder / "one.ipynb")
    ours = ["--rootdir", ROOT, "-c", ROOT / "pyproject.toml", "--confcutdir", ROOT, "-p", "conftest"]
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *ours, folder / "one.ipynb"]
    command += [part for option in options(recipe, seconds) for part in option if part]
    pipes = dict(stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    heed = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)  # a shell's background jobs are born deaf to Ctrl-C
    with subprocess.Popen(command, cwd=ROOT, preexec_fn=heed, **pipes) as process:
        try:
            return process.communicate(timeout=patience)[0], process.returncode
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)  # as Ctrl-C does: it takes its kernel along
            try:
                process.communicate(timeout=30)
            finally:
                process.kill()  # else leaving the `with` would wait for nbval's 2000 s
            raise AssertionError(f"still running after {patience} s") from None


def check_hanging(folder, recipe, *, patience=60):
    said, code = run(folder, HANGS, recipe, 3, patience=patience)
    assert code == 1 and "Timeout" in said, said


def test_the_tests_have_a_limit_of_their_own():
    assert 60 <= int(LIMIT.search(RECIPE)[1]) <= 300
    assert ("--nbval-cell-timeout", "3") in options(RECIPE, 3) and ("--nbval-current-env", "") in options(RECIPE, 3)


def test_a_hanging_cell_is_ended_and_a_silent_one_is_not(tmp_path):
    check_hanging(tmp_path, RECIPE)
    said, code = run(tmp_path, SILENT, RECIPE, 30, patience=60)
    assert code == 0 and "1 passed" in said, said


def test_the_reported_mistake_fails(tmp_path):
    with pytest.raises(AssertionError, match="still running after 12 s"):
        check_hanging(tmp_path, LIMIT.sub("", RECIPE), patience=12)
