"""An install cell pins or caps a package that Colab ships, and leaves the runtime half replaced; or it wants torchtext.

Whose trouble: https://github.com/bentrevett/pytorch-seq2seq/issues/210,
https://github.com/googlecolab/colabtools/issues/4899, https://github.com/inseq-team/inseq/issues/299
and https://github.com/TransformerLensOrg/TransformerLens/issues/1080
"""

import re

import nbformat
import pytest
from packaging.requirements import Requirement

from tools import NOTEBOOKS, ROOT
from tools.lessons import tomllib

SHIPPED = "torch|numpy|pandas|matplotlib|scipy|ipykernel|ipython"
INSTALLS = re.compile(r"\b(?:pip|conda|mamba)\W+(?:\S+\W+)*?install\b.*")  # in a shell's words, or in a list of strings
BOUND = re.compile(rf"(?<![\w-])(?:{SHIPPED})(?:\[\w+\])?\s*(?:==|<=?|~=)")


def check(cells):
    for code in cells:
        assert not re.search(r"^\s*(?:from|import)\s+torchtext\b", code, re.M), "torchtext"
        for line in INSTALLS.findall(code):
            assert not BOUND.search(line), "bound"
            assert not re.search(r"--force-reinstall|--upgrade|\s-U\b", line), "forced"


def test_every_notebook_leaves_alone_what_is_installed():
    notebooks = list(NOTEBOOKS.rglob("*.ipynb"))
    assert notebooks
    for path in notebooks:
        cells = [cell.source for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
        check(cells)
        line = INSTALLS.search("\n".join(cells))[0]  # there is one, and it brings no dependency along
        assert "--no-deps" in line


def test_the_library_itself_asks_for_floors_only():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert {spec.operator for one in project["dependencies"] for spec in Requirement(one).specifier} == {">="}


MISTAKES = {
    "!pip install numpy==1.26.4 torch": "bound",
    "%pip install -q 'numpy<2' transformers": "bound",
    'run([sys.executable, "-m", "pip", "install", "torch~=2.4"])': "bound",
    "!pip install --force-reinstall tutorial-lib": "forced",
    "from torchtext.data.utils import get_tokenizer": "torchtext",
}


@pytest.mark.parametrize("code", MISTAKES)
def test_each_reported_mistake_fails(code):
    check(["%pip install -q 'tutorial-lib>=0.1' 'seaborn>=0.13' 'torch>=2.4'", "import torch"])
    with pytest.raises(AssertionError, match=MISTAKES[code]):
        check([code])
