"""Numbers stand in the first row of the heatmap only: seaborn before 0.13 with matplotlib from 3.8 on.

Whose trouble: https://github.com/mwaskom/seaborn/issues/3478,
https://github.com/matplotlib/matplotlib/issues/26822 and https://github.com/matplotlib/matplotlib/issues/29702
"""

import pytest
import torch
from packaging.requirements import Requirement

from tools import ROOT
from tools.lessons import tomllib
from tutorial_lib import plot

WEIGHTS = [[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.25, 0.25, 0.5]]
SHOWN = [["0.70", "0.20", "0.10"], ["0.10", "0.80", "0.10"], ["0.25", "0.25", "0.50"]]


def check(ax):
    found = {text.get_position(): text.get_text() for text in ax.texts}
    assert found == {(j + 0.5, i + 0.5): SHOWN[i][j] for i in range(3) for j in range(3)}


def test_every_cell_has_its_number():
    check(plot.attention_heatmap(WEIGHTS, "abc", annotate=True))
    for ax in plot.attention_grid(torch.tensor([WEIGHTS] * 2), "abc", annotate=True).axes[:2]:
        check(ax)


def test_so_has_every_cell_of_a_batch():
    ax = plot.batch_grid(torch.tensor([[4, 5], [6, 0]]), [["a", "b"], ["c", "<PAD>"]], pad_id=0)
    found = {text.get_position(): text.get_text() for text in ax.texts}
    assert found == {(0.5, 0.5): "a\n4", (1.5, 0.5): "b\n5", (0.5, 1.5): "c\n6", (1.5, 1.5): "<PAD>\n0"}


def test_that_seaborn_is_not_installed():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    seaborn = next(r for r in map(Requirement, project["dependencies"]) if r.name == "seaborn")
    assert not seaborn.specifier.contains("0.12.2") and seaborn.specifier.contains("0.13")


def test_the_reported_mistake_fails():
    ax = plot.attention_heatmap(WEIGHTS, "abc", annotate=True)
    for text in ax.texts[3:]:
        text.remove()
    with pytest.raises(AssertionError):
        check(ax)
