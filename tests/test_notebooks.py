"""What nbval does not look at: pictures, a second run in the same kernel, the other language, repeatable builds."""

import base64
import copy
import io
import json
import re

import nbformat
import numpy as np
import pytest
import torch
from PIL import Image

from tests.notebook_runs import TRAINING, after_training, all_notebooks, picture_trouble, pictures, run_twice, texts
from tools import ROOT, build, house, lessons
from tutorial_lib import plot

every = pytest.mark.parametrize("path", all_notebooks(), ids=lambda path: str(path.relative_to(ROOT / "notebooks")))


@every
def test_run_all_twice_in_one_kernel_gives_what_is_stored(path):
    runs, notebook = run_twice(path), nbformat.read(path, as_version=4)
    free = {cell.id for cell in notebook.cells if "nbval-ignore-output" in lessons.tags(cell)}
    size = re.compile(r"<Figure size \S+ with")
    bare = lambda run: {name: [size.sub("", text) for text in shown] for name, shown in texts(run).items()}
    stored = bare(notebook)
    for run in filter(None, (runs.first, runs.second)):
        for name, shown in bare(run).items():
            assert name in free or shown == stored[name], name
    if runs.second:
        assert bare(runs.first) == bare(runs.second)


def test_what_may_vary_is_marked_in_few_cells():
    found = [
        (source.stem[:2], cell.metadata["name"])
        for source in lessons.sources()
        for cell in lessons.load(source)
        if "nbval-ignore-output" in lessons.tags(cell)
    ]
    explorers = [one for one in found if one[1].startswith("explore")]
    assert explorers and sorted(set(found) - set(explorers)) == [("10", "find-office"), ("10", "find-same")]


@every
def test_a_run_warns_of_nothing(path):
    for run in filter(None, (run_twice(path).first, run_twice(path).second)):
        assert not [p for p in house.check_outputs(run) if "warning" in p]


@every
def test_the_stored_pictures_are_those_of_a_fresh_run(path):
    notebook = nbformat.read(path, as_version=4)
    stored, fresh = pictures(notebook), pictures(run_twice(path).first)
    assert stored.keys() == fresh.keys()
    learned = set(after_training(notebook))
    trouble = {
        name: picture_trouble(stored[name], fresh[name], same=name.rsplit("-", 1)[0] not in learned) for name in stored
    }
    assert {name: what for name, what in trouble.items() if what} == {}
    draws = re.compile(r"^ *plt\.show\(\)", re.M)
    cells = [c for c in notebook.cells if c.cell_type == "code" and draws.search(c.source)]
    assert {name.rsplit("-", 1)[0] for name in stored} == {cell.id for cell in cells}


def test_a_picture_that_is_blank_tiny_or_another_is_noticed():
    rng = np.random.default_rng(0)
    picture = np.full((300, 400, 3), 255, dtype=np.uint8)
    picture[50:250, 50:350] = rng.integers(0, 255, (10, 15, 3), dtype=np.uint8).repeat(20, 0).repeat(20, 1)
    moved = np.roll(picture, 1, axis=1)
    other = picture.copy()
    other[50:150, 50:150] = 0
    assert picture_trouble(picture, picture) == picture_trouble(picture, moved) == ""
    assert "differ" in picture_trouble(other, picture)
    assert picture_trouble(np.full_like(picture, 255), picture) == "blank"
    assert "no size" in picture_trouble(picture[:50], picture)
    assert "a fresh one has" in picture_trouble(picture, picture[:, :300])
    assert picture_trouble(other, picture, same=False) == picture_trouble(picture, picture[:, 30:], same=False) == ""
    assert "a fresh one has" in picture_trouble(picture, picture[:, :300], same=False)
    assert picture_trouble(np.full_like(picture, 255), picture, same=False) == "blank"


def test_only_pictures_behind_a_training_may_differ():
    english = [path for path in all_notebooks() if path.parent.name == "en"]
    found = {path.stem[:2]: after_training(nbformat.read(path, as_version=4)) for path in english}
    assert {number for number, ids in found.items() if ids} == {*TRAINING}
    ids = found["09"]
    assert "curves" in ids and "predict" in ids and "splits" not in ids and "count-picture" not in ids


@pytest.mark.parametrize("source", lessons.sources(), ids=lambda source: source.stem)
@pytest.mark.parametrize("solutions", [False, True])
def test_both_languages_show_the_same_once_the_words_are_replaced(source, solutions):
    en, ko = (target.path for target in lessons.targets(source) if target.solutions == solutions)
    words = run_twice(en).words | run_twice(ko).words
    shown_en, shown_ko = (texts(nbformat.read(path, as_version=4)) for path in (en, ko))
    assert shown_en.keys() == shown_ko.keys()
    for name in shown_en:
        for a, b in zip(shown_en[name], shown_ko[name], strict=True):
            for english, korean in sorted(words, key=lambda pair: -len(pair[0])):
                # not inside padding_mask, no layer in layers, and not the name of a module in a trace, `output: Output  [`
                whole = rf"(?<![\w.]){re.escape(english)}(?!\w|\.\d|: \w+\s+\[)"
                a = re.sub(whole, lambda _, korean=korean: korean, a)
            ignore = re.compile(r"<Figure size \S+ with|\s+")  # words of other lengths move columns
            assert ignore.sub(" ", a) == ignore.sub(" ", b), name


def test_the_code_is_the_same_in_both_languages():
    for source in lessons.sources():
        for solutions in (False, True):
            en, ko = (nbformat.read(t.path, as_version=4) for t in lessons.targets(source) if t.solutions == solutions)
            assert [cell.id for cell in en.cells] == [cell.id for cell in ko.cells]
            for a, b in zip(en.cells, ko.cells):
                if a.cell_type == "code":
                    assert a.source.replace('lang="en"', 'lang="ko"') == b.source


def test_a_learners_notebook_holds_no_solution_and_the_solutions_solve_every_exercise():
    for source in lessons.sources():
        for target in lessons.targets(source):
            notebook = nbformat.read(target.path, as_version=4)
            solved = [c for c in notebook.cells if "solution" in lessons.tags(c)]
            asked = [c for c in notebook.cells if "exercise" in lessons.tags(c) and c.cell_type == "code"]
            assert bool(solved) == target.solutions and bool(asked) == (not target.solutions)
            said = [cell.outputs[0]["text"][0] for cell in solved or asked]
            assert set(said) == ({"✓"} if target.solutions else {"…"})


def test_packing_a_picture_hardly_changes_a_colour():
    weights = torch.rand(2, 8, 8)
    figure = plot.attention_grid(weights, list("abcdefgh"), titles=["one", "other"], annotate=True)
    raw = io.BytesIO()
    figure.savefig(raw, format="png")
    packed = base64.b64decode(build._shrink(base64.b64encode(raw.getvalue()).decode()))
    before, after = (np.asarray(Image.open(io.BytesIO(b)).convert("RGB"), dtype=int) for b in (raw.getvalue(), packed))
    assert np.abs(before - after).max() <= 10
    assert len(packed) < 0.6 * len(raw.getvalue())


def test_two_builds_give_identical_files(tmp_path):
    source = lessons.sources()[-1]
    target = lessons.targets(source)[0]
    cells = lessons.load(source)
    built = [nbformat.writes(build.execute(lessons.render(cells, target), tmp_path)) for _ in range(2)]
    assert built[0] == built[1]
    assert "execution" not in json.loads(built[0])["cells"][2]["metadata"]


def test_library_cells_are_the_library_word_for_word():
    for source in lessons.sources():
        asked = [cell for cell in lessons.load(source) if lessons.library_source(cell.source)]
        notebook = nbformat.read(lessons.targets(source)[0].path, as_version=4)
        shown = {cell.id: cell.source for cell in notebook.cells}
        for cell in asked:
            module = lessons.FROM_LIBRARY.fullmatch(cell.source.strip())[1]
            library = (ROOT / f"{module.replace('.', '/')}.py").read_text(encoding="utf-8")
            note, source = shown[cell.metadata["name"]].split("\n", 1)
            assert note == f"# {module.replace('.', '/')}.py, word for word"
            assert all(part in library for part in source.split("\n\n\n"))


def test_kernel_and_outputs_are_portable():
    for path in all_notebooks():
        notebook = nbformat.read(path, as_version=4)
        nbformat.validate(notebook)
        assert notebook.metadata.kernelspec.name == "python3" and "widgets" not in notebook.metadata
        assert path.stat().st_size < 400_000


def test_a_build_without_running_keeps_outputs_and_refuses_changed_code():
    source = lessons.sources()[0]
    target = lessons.targets(source)[0]
    old = nbformat.read(target.path, as_version=4)
    new = lessons.render(lessons.load(source), target)
    assert build.keep_outputs(new, old) == [] and new.cells == old.cells
    changed = copy.deepcopy(old)
    cell = next(cell for cell in changed.cells if cell.id == "sums")
    cell.source += "  # changed"
    assert build.keep_outputs(lessons.render(lessons.load(source), target), changed) == ["sums"]
