"""A browser, and a JupyterLab for it to open."""

import importlib.util
import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import pytest

from tools import lab

CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@contextmanager
def browser():
    """A Chromium that is installed here already. Where there is none the test is left out, saying so; in CI it fails."""
    program = next(filter(None, map(shutil.which, CHROMIUM)), None)
    missing = None if program else f"no browser is installed: none of {', '.join(CHROMIUM)}"
    if importlib.util.find_spec("playwright") is None:
        missing = "playwright is not installed"
    if missing:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(missing)
    from playwright.sync_api import sync_playwright

    flags = ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync"]
    flags += ["--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"]  # no other machine has an address
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=program, args=flags)
        yield running
        running.close()


@contextmanager
def jupyterlab(folder: Path, *options: str):
    """The command of `make lab` on a port of its own, without a token, in a filled working copy: its address."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    lab.fill(folder)
    asked = ["--no-browser", f"--port={port}", "--IdentityProvider.token=", "--ServerApp.port_retries=0", *options]
    command = lab.lab_command(asked, folder)
    command[0] = str(Path(sys.executable).with_name(command[0]))
    with open(folder / "log", "w") as log:
        process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)
        try:
            _await(f"http://127.0.0.1:{port}/api/contents/en", process, folder / "log")
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait(20)


def _await(address: str, process: subprocess.Popen, log: Path) -> None:
    for _ in range(300):
        try:
            with urllib.request.urlopen(address, timeout=5) as answer:
                json.load(answer)
            return
        except OSError:
            assert process.poll() is None, log.read_text()[-2000:]
            time.sleep(0.1)
    pytest.fail(f"JupyterLab does not answer: {log.read_text()[-2000:]}")
