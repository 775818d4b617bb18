"""A notebook alone in an empty folder, as Colab opens it: it installs the library, and nothing else, from the repository.

Colab itself cannot be had here. Standing in for it: a Python environment that has every package but ours, a module
`google.colab`, and git told to take the repository's address from a folder on this machine.
"""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from tools import ROOT, lessons

RUN = """
import json, sys
import nbformat
from nbclient import NotebookClient

notebook = nbformat.read(sys.argv[1], as_version=4)
for cell in notebook.cells:
    if cell.cell_type == "code":
        cell.outputs = []
NotebookClient(notebook, kernel_name="python3", timeout=120).execute()
setup = next(cell for cell in notebook.cells if cell.id == "setup")
print(json.dumps({"setup": setup.outputs, "figures": sum("image/png" in o.get("data", {}) for c in notebook.cells
                                                        for o in c.get("outputs", []))}))
"""


def call(*command, **how):
    run = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=300, **how)
    assert run.returncode == 0, run.stdout[-1500:] + run.stderr[-3000:]
    return run.stdout


def packages(python, env):
    return {tuple(p.values()) for p in json.loads(call(python, "-m", "pip", "list", "--format", "json", env=env))}


@pytest.fixture(scope="module")
def colab(tmp_path_factory):
    """(python, environment variables) of the stand-in."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed here, and Colab's first cell needs it")
    home = tmp_path_factory.mktemp("colab")
    # the working tree as a repository: what a push would publish
    clone = home / "clone"
    for name in ("pyproject.toml", "README.md", "LICENSE", "LICENSE-PROSE"):
        clone.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, clone)
    shutil.copytree(ROOT / "tutorial_lib", clone / "tutorial_lib", ignore=shutil.ignore_patterns("__pycache__"))
    repo = lessons.repository()
    author = ["-c", "user.name=test", "-c", "user.email=test@example.org"]
    call("git", "init", "-q", "-b", repo["branch"], cwd=clone)
    call("git", "add", "-A", cwd=clone)
    call("git", *author, "commit", "-qm", "as it stands", cwd=clone)

    # every package that is installed here but ours: a .pth file adds the folder without reading its own .pth files
    venv = home / "venv"
    call(sys.executable, "-m", "venv", "--without-pip", venv)
    site = Path(
        call(venv / "bin" / "python", "-c", "import sysconfig; print(sysconfig.get_paths()['purelib'])").strip()
    )
    ours = Path(sysconfig.get_paths()["purelib"])
    shared = home / "shared"
    shared.mkdir()
    for entry in ours.iterdir():
        if not entry.name.startswith(("tutorial_lib", "__editable__")):
            (shared / entry.name).symlink_to(entry)
    (site / "shared.pth").write_text(str(shared))
    (site / "google" / "colab").mkdir(parents=True)
    (site / "google" / "colab" / "__init__.py").write_text("# a stand-in for Colab's module\n")
    shutil.copytree(Path(sys.prefix) / "share" / "jupyter" / "kernels", venv / "share" / "jupyter" / "kernels")

    env = {
        "PATH": f"{venv / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(home),
        "PYTHONPATH": os.environ["PYTHONPATH"],  # the closed network
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
        "COLAB_RELEASE_TAG": "stand-in",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"url.file://{clone}.insteadOf",
        "GIT_CONFIG_VALUE_0": f"https://github.com/{repo['owner']}/{repo['repo']}",
        # no registry can be reached: build with the setuptools that is there, as Colab has one
        "PIP_NO_BUILD_ISOLATION": "0",
        "PIP_NO_INDEX": "1",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PIP_ROOT_USER_ACTION": "ignore",
    }
    env |= {name: value for name, value in os.environ.items() if name.startswith(("OPENBLAS", "TUTORIAL_"))}
    return venv / "bin" / "python", env


@pytest.mark.parametrize("lang", lessons.LANGUAGES)
def test_a_notebook_alone_installs_the_library_and_leaves_the_rest(colab, tmp_path, lang):
    python, env = colab
    call(python, "-m", "pip", "uninstall", "-qy", "tutorial-lib", env=env)
    before = packages(python, env)
    assert "tutorial-lib" not in {name for name, _ in before}
    target = next(t for t in lessons.targets(lessons.sources()[0]) if t.lang == lang and not t.solutions)
    shutil.copy(target.path, tmp_path)
    told = json.loads(call(python, "-c", RUN, target.path.name, cwd=tmp_path, env=env).splitlines()[-1])
    assert told["setup"] == [], "the first cell printed something"
    assert told["figures"] >= 4
    assert {name for name, _ in packages(python, env) - before} == {"tutorial-lib"}
    assert before - packages(python, env) == set()
    where = call(python, "-c", "import tutorial_lib; print(tutorial_lib.__file__)", cwd=tmp_path, env=env).strip()
    assert str(python.parent.parent) in where
