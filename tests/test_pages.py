"""What README and the lessons say about themselves is true."""

import re

import numpy as np
import pytest
from PIL import Image

from tests.notebook_runs import picture_trouble
from tools import ROOT, images, lessons
from tutorial_lib import data


@pytest.mark.parametrize("page", ["README.md", "README.ko.md"])
def test_the_example_runs_and_its_shapes_are_as_commented(page):
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.S)
    names = {}
    exec(code, names)
    assert list(names["src"].shape) == [3, 5] and list(names["src_mask"].shape) == [3, 1, 1, 5]
    assert list(names["out"].shape) == [3, 5, 8]
    assert [list(w.shape) for w in names["weights"]] == [[3, 2, 5, 5]] * 6


def test_both_readmes_hold_the_same_code_rows_and_targets():
    en, ko = ((ROOT / page).read_text(encoding="utf-8") for page in ("README.md", "README.ko.md"))
    for pattern in (r"```python.*?```", r"^#+ ", r"^\|"):
        assert len(re.findall(pattern, en, re.S | re.M)) == len(re.findall(pattern, ko, re.S | re.M)), pattern
    notebooks = [set(re.findall(r"\((notebooks/[^)]+)\)", text)) for text in (en, ko)]
    built = {str(t.path.relative_to(ROOT)) for source in lessons.sources() for t in lessons.targets(source)}
    assert notebooks == [built, built]


def test_minutes_add_up_and_are_the_same_everywhere():
    for source in lessons.sources():
        titles = {cell.metadata["lang"]: cell.source for cell in lessons.load(source)[:2]}
        for lang, time, page in (
            ("en", r"\*\*Time\*\*: (\d+) minutes", "README.md"),
            ("ko", r"\*\*시간\*\*: (\d+)분", "README.ko.md"),
        ):
            minutes = int(re.search(time, titles[lang])[1])
            sections = [int(number) for number in re.findall(r"^\| \d+ .*\| (\d+) \|$", titles[lang], re.M)]
            assert sum(sections) == minutes
            assert re.search(
                rf"^\| {source.stem[:2]} \|[^|]+\| {minutes} \|", (ROOT / page).read_text(encoding="utf-8"), re.M
            )
            headings = re.findall(
                r"^## (\d+)\. (.+)$",
                "\n".join(c.source for c in lessons.load(source) if c.metadata.get("lang") == lang),
                re.M,
            )
            assert [f"{number} {title}" for number, title in headings] == re.findall(
                r"^\| (\d+ .*?) \| \d+ \|$", titles[lang], re.M
            )


def test_the_pictures_of_the_readme_are_what_the_code_draws(tmp_path):
    drawn = images.draw(tmp_path)
    assert {path.name for path in drawn} == {path.name for path in (ROOT / "images").glob("*.png")}
    for path in drawn:
        stored, fresh = (np.asarray(Image.open(p).convert("RGB")) for p in (ROOT / "images" / path.name, path))
        assert picture_trouble(stored, fresh) == "", path.name


def test_every_lesson_is_in_the_list_once():
    names = [lesson["name"] for part in data.series() for lesson in part["lessons"]]
    assert names == sorted(names) and len(names) == 16
    with pytest.raises(ValueError, match='"en" and "ko", got'):
        data.sentences("fr")
    assert [len(data.sentences(lang)) for lang in ("en", "ko")] == [40, 40]
