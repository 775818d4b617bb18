"""No test and no kernel that a test starts can leave this machine."""

import os
import shutil
import socket
import subprocess
import sys

import pytest

from tools import ROOT

CANARY = ROOT / "tests" / "canary" / "network.ipynb"


def test_this_process_is_closed():
    with pytest.raises(PermissionError, match="the network is closed in tests"):
        socket.create_connection(("192.0.2.1", 80), timeout=1)
    with pytest.raises(PermissionError, match="example.com"):
        socket.getaddrinfo("example.com", 80)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp, pytest.raises(PermissionError):
        udp.sendto(b"x", ("192.0.2.1", 53))


def test_loopback_is_open():
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(("localhost", server.getsockname()[1]), timeout=5).close()


def run_nbval(path, *more):
    command = [
        sys.executable,
        "-m",
        "pytest",
        "--nbval",
        "--nbval-current-env",
        "-p",
        "no:cacheprovider",
        str(path),
        *more,
    ]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=dict(os.environ), timeout=120)


def test_a_kernel_is_closed_and_the_canary_refused(tmp_path):
    path = tmp_path / "network.ipynb"  # the folder of the canary is left out of the tests
    shutil.copy(CANARY, path)
    run = run_nbval(
        path, "--rootdir", str(ROOT), "-c", str(ROOT / "pyproject.toml"), "--confcutdir", str(ROOT), "-p", "conftest"
    )
    assert run.returncode == 1 and "2 failed" in run.stdout, run.stdout[-2000:]
    assert run.stdout.count("the network is closed in tests") >= 2


def test_a_hanging_cell_ends_and_a_dead_kernel_is_noticed(tmp_path):
    import nbformat

    def notebook(name, code):
        cell = nbformat.v4.new_code_cell(code, execution_count=1, id="one")
        kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
        nbformat.write(nbformat.v4.new_notebook(cells=[cell], metadata=kernel), tmp_path / name)
        return tmp_path / name

    how = ["--rootdir", str(ROOT), "-c", str(ROOT / "pyproject.toml"), "--confcutdir", str(ROOT), "-p", "conftest"]
    hanging = run_nbval(notebook("hangs.ipynb", "while True:\n    pass"), *how, "--nbval-cell-timeout", "3")
    assert hanging.returncode == 1 and "Timeout" in hanging.stdout
    dead = run_nbval(notebook("dies.ipynb", "import os\n\nos._exit(1)"), *how, "--nbval-cell-timeout", "100")
    assert dead.returncode == 1 and "the kernel died" in dead.stdout
