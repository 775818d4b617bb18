"""`make lab`: open JupyterLab at a working copy of the notebooks; `make reset-lesson L=01`: a fresh copy of one lesson.

`work/` is the learner's own. A notebook that is there is never overwritten: a reset keeps it beside the fresh one.
"""

import argparse
import hashlib
import json
import os
import shlex
import shutil
import socket
import sys
from pathlib import Path

from tools import NOTEBOOKS, ROOT

WORK = ROOT / "work"
ORIGINS = ".origins.json"


def _sha(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def notebooks(number: str = "") -> list[Path]:
    """The places below `notebooks/` of lesson `number`, or of all; not the copies that Jupyter keeps."""
    found = sorted(path.relative_to(NOTEBOOKS) for path in NOTEBOOKS.rglob(f"{number}*.ipynb"))
    return [path for path in found if ".ipynb_checkpoints" not in path.parts]


def _read_origins(work: Path) -> dict[str, str]:
    try:
        return json.loads((work / ORIGINS).read_text())
    except (OSError, ValueError):
        return {}


def fill(work: Path = WORK) -> list[str]:
    """Copy the notebooks that are not in `work` yet. Returns the ones that have changed since they were copied."""
    origins, changed = _read_origins(work), []
    for place in notebooks():
        new, mine = NOTEBOOKS / place, work / place
        if not mine.exists():
            mine.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(new, mine)
            origins[str(place)] = _sha(new)
        elif origins.get(str(place)) != _sha(new):
            changed.append(str(place))
    work.mkdir(exist_ok=True)
    (work / ORIGINS).write_text(json.dumps(origins, indent=1))
    return changed


def reset(number: str, work: Path = WORK) -> list[tuple[Path, Path | None]]:
    """Put a fresh copy of lesson `number` into `work`; what was there is kept as NAME.mine-1.ipynb. Returns both paths."""
    origins, done = _read_origins(work), []
    for place in notebooks(f"{number}_"):
        mine, kept = work / place, None
        if mine.exists():
            kept = next(p for i in range(1, 10_000) if not (p := mine.with_suffix(f".mine-{i}.ipynb")).exists())
            mine.rename(kept)
        mine.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(NOTEBOOKS / place, mine)
        origins[str(place)] = _sha(mine)
        done.append((mine, kept))
    if done:
        (work / ORIGINS).write_text(json.dumps(origins, indent=1))
    return done


def asked_port(arguments: list[str]) -> int | None:
    """The port that the arguments for JupyterLab name, if any."""
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--port", "--ServerApp.port", type=int)
    return parser.parse_known_args(arguments)[0].port


def is_busy(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def language() -> str:
    """The folder to open first: Korean where the machine speaks Korean."""
    spoken = os.environ.get("LC_ALL") or os.environ.get("LC_MESSAGES") or os.environ.get("LANG") or ""
    return "ko" if spoken.startswith("ko") else "en"


def silence(prefix: Path | None = None) -> None:
    """Let JupyterLab ask nothing and look nothing up at its start: a setting of this environment, not of the user."""
    overrides = (prefix or Path(sys.prefix)) / "share" / "jupyter" / "lab" / "settings" / "overrides.json"
    if not overrides.exists():
        overrides.parent.mkdir(parents=True, exist_ok=True)
        quiet = {"fetchNews": "false", "checkForUpdates": False}
        overrides.write_text(json.dumps({"@jupyterlab/apputils-extension:notification": quiet}))


def lab_command(arguments: list[str], work: Path = WORK) -> list[str]:
    root = ["--allow-root"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []  # a container, most likely
    first = f"/lab/tree/{language()}/00_start_here.ipynb"
    return ["jupyter-lab", f"--ServerApp.root_dir={work}", f"--LabApp.default_url={first}", *root, *arguments]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lab", default="", help='more arguments for JupyterLab, such as "--no-browser --port 8899"')
    parser.add_argument("--reset", metavar="NUMBER", help="a fresh copy of this lesson, such as 01")
    options = parser.parse_args()
    if options.reset is not None:
        done = reset(options.reset) if options.reset else []
        if not done:
            there = ", ".join(sorted({place.name[:2] for place in notebooks()}))
            sys.exit(f"Which lesson? make reset-lesson L=01 (there are {there})")
        for fresh, kept in done:
            kept_too = f", yours is kept as {kept.name}" if kept else ""
            print(f"fresh: {fresh.relative_to(ROOT)}{kept_too}")
        return
    arguments = shlex.split(options.lab)
    port = asked_port(arguments)
    if port and is_busy(port):
        sys.exit(f'Port {port} is busy: choose another, make lab LAB="--port {port + 1}"')
    for place in fill():
        print(
            f"{place} is newer than your copy in work/; make reset-lesson L={Path(place).name[:2]} brings it, and keeps yours"
        )
    silence()
    command = lab_command(arguments)
    os.execv(Path(sys.executable).parent / command[0], command)


if __name__ == "__main__":
    main()
