"""The house rules hold, and each of them notices when they do not."""

import dataclasses
import json
import time

import nbformat
import pytest

from tools import ROOT, house, lessons
from tutorial_lib.exercises import EXERCISES


def test_the_house_is_in_order():
    start = time.monotonic()
    assert house.problems() == []
    assert time.monotonic() - start < 30


def code_cell(lines, **metadata):
    return nbformat.v4.new_code_cell("\n".join("x = 1" for _ in range(lines)), metadata={"name": "a", **metadata})


@pytest.mark.parametrize(
    ("sizes", "says"),
    [
        ([3, 6, 7, 8], "median code cell has 6.5"),
        ([3] * 8 + [21, 22], "90th percentile of the code cells has 21"),
        ([3] * 20 + [41], "a has 41 lines"),
    ],
)
def test_large_cells_are_noticed(sizes, says):
    assert any(says in problem for problem in house.check_cell_sizes([code_cell(n) for n in sizes]))
    assert house.check_cell_sizes([code_cell(n) for n in [3, 6, 6, 20]]) == []


def test_setup_solutions_and_library_cells_do_not_count():
    cells = [code_cell(50, tags=["setup"]), code_cell(50, tags=["solution"]), code_cell(2)]
    cells.append(nbformat.v4.new_code_cell("# from tutorial_lib.text: Vocab"))
    assert house.own_code(cells) == [cells[2]]


def test_a_section_without_a_picture_is_noticed():
    def section(code):
        return [
            nbformat.v4.new_markdown_cell("## One\n", metadata={"lang": "en"}),
            nbformat.v4.new_code_cell(code, metadata={}),
        ]

    assert house.check_sections(section("plot.curve([1])\nplt.show()")) == []
    assert house.check_sections(section("trace_shapes(model, x)")) == []
    assert "'One'" in house.check_sections(section("print(1)"))[0]


@pytest.mark.parametrize(
    ("printed", "what"),
    [
        ("built 2026-01-31", "a date"),
        ("at 12:34:56", "a time"),
        ("<object at 0x7f00deadbeef>", "an address"),
        ("/home/somebody/x.py", "a path"),
        ("tensor(1., device='cuda:0')", "a device"),
        ("torch 2.13.0", "a version"),
    ],
)
def test_what_varies_is_noticed_in_outputs(printed, what):
    cell = nbformat.v4.new_code_cell("1", execution_count=1, outputs=[nbformat.v4.new_output("stream", text=printed)])
    notebook = nbformat.v4.new_notebook(cells=[cell])
    assert any(what in problem for problem in house.check_outputs(notebook))
    cell.outputs[0].text = "torch.Size([3, 5, 8]) 0.36 ['가', '/']"
    assert house.check_outputs(notebook) == []


def test_missing_outputs_errors_and_warnings_are_noticed():
    def found(source, outputs, count=1):
        cell = nbformat.v4.new_code_cell(source, execution_count=count, outputs=outputs)
        return " ".join(house.check_outputs(nbformat.v4.new_notebook(cells=[cell])))

    stream = nbformat.v4.new_output("stream", text="x")
    assert "not all executed" in found("1", [], count=None) and "not all executed" in found("1", [], count=3)
    assert "output is not stored" in found("print(1)", [])
    assert "no picture is stored" in found("plt.show()", [stream])
    assert "error or a warning" in found("1", [nbformat.v4.new_output("stream", name="stderr", text="UserWarning")])
    assert "error or a warning" in found("1", [nbformat.v4.new_output("error", ename="E", evalue="", traceback=[])])
    assert found("print(1)", [stream]) == ""


@pytest.mark.parametrize(
    ("en", "ko", "says"),
    [
        ("A token is cut.", "조각을 자릅니다.", "'token', and the Korean has no 토큰"),
        ("The layers are equal.", "층은 같습니다.", "'layer'"),
        ("One layer.", "레이어 하나, 계층 하나.", "레이어 should be 계층"),
        ("Its vocabularies.", "어휘 모음.", "'vocabulary'"),
        ("The loss.", "손실, 곧 로스입니다.", "로스 should be 손실"),
    ],
)
def test_the_glossary_is_enforced(en, ko, says):
    assert any(says in problem for problem in house.check_terms(en, ko))


def test_the_glossary_looks_at_prose_only():
    assert house.check_terms("The loss.", "손실은 크로스 엔트로피입니다.") == []  # 로스 is no word of its own here
    assert house.check_terms("See `token` and [x](token.html), *Self-attention*.", "코드를 보세요.") == []
    assert house.check_terms("A token in a batch.", "배치 안의 토큰.") == []


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("**어텐션(attention)**은 굵게", True),
        ("**어텐션**은 굵게", False),
        ("*기울임(italic)*은", True),
        ("2 * 3 = 6 and `**kwargs`", False),
        ("**가중치**: 값", False),
        (":::{note}\nx\n:::", True),
        ("> [!NOTE]\n> x", True),
        ("![](https://example.org/x.png)", True),
        ("![a cat](cat.png)", True),
        ("![a cat](https://example.org/x.png)", False),
    ],
)
def test_what_renders_nowhere_or_somewhere_only_is_noticed(text, wrong):
    assert bool(house.check_markdown(text)) == wrong


GOOD = """# %% [markdown] lang="en" name="a"
# ## Head
# A `code` span, $x$, a [link](b.html).

# %% [markdown] lang="ko" name="a" of="{of}"
# ## 머리
# `code` 조각, $x$, [링크](b.html).

# %% name="b"
1
"""


@pytest.fixture
def source(tmp_path):
    def write(text=GOOD, fresh=True):
        path = tmp_path / "07_test.py"
        path.write_text(text, encoding="utf-8")
        if fresh:
            lessons.stamp(path, ["a"])
        return path

    return write


def test_a_good_source_has_no_problem_and_a_stamp_touches_nothing_else(source):
    path = source()
    assert lessons.problems(path) == []
    lines = path.read_text(encoding="utf-8").splitlines()
    changed = [i for i, (a, b) in enumerate(zip(GOOD.splitlines(), lines, strict=True)) if a != b]
    assert changed == [4]


def test_changed_english_makes_its_korean_stale_and_names_the_cell(source):
    path = source()
    path.write_text(path.read_text(encoding="utf-8").replace("A `code`", "One `code`"), encoding="utf-8")
    assert any("07_test.py: a: the English has changed" in problem for problem in lessons.problems(path))
    lessons.stamp(path, ["a"])
    assert lessons.problems(path) == []
    with pytest.raises(ValueError, match="no prose cell named nobody; it has a"):
        lessons.stamp(path, ["nobody"])


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("# ## 머리", "# ### 머리", "headings differ"),
        ("$x$, [링크]", "$y$, [링크]", "formulas differ"),
        ("`code` 조각", "`cod` 조각", "code spans differ"),
        ("(b.html).\n\n# %% name", "(c.html).\n\n# %% name", "links differ"),
        ('lang="ko" name="a"', 'lang="ko" name="c"', "no partner"),
        ('name="b"', 'name="a"', "used twice"),
        ('# %% name="b"', "# %%", "needs a name"),
        (
            "# ## 머리\n# `code` 조각, $x$, [링크](b.html).",
            "# ## Head of the cell\n# `code` $x$ [link](b.html)",
            "no Hangul",
        ),
        ("1\n", "# from tutorial_lib.text: Nothing\n", "has no Nothing"),
        ("1\n", "# from tutorial_lib.nothing: Nothing\n", "nothing.py"),
    ],
)
def test_what_is_wrong_in_a_source_is_named(source, old, new, says):
    assert GOOD.count(old) >= 1
    path = source(GOOD.replace(old, new), fresh=False)
    found = lessons.problems(path)
    assert any(says in problem and "07_test.py" in problem for problem in found), found


def test_a_notebook_out_of_step_is_noticed(monkeypatch, tmp_path):
    source = lessons.sources()[0]
    target = lessons.targets(source)[0]
    notebook = nbformat.read(target.path, as_version=4)
    fresh = lessons.render(lessons.load(source), target)
    assert house.stripped(notebook) == house.stripped(fresh)
    notebook.cells[1].source += "\nA sentence nobody wrote."
    assert house.stripped(notebook) != house.stripped(fresh)


def test_budgets_are_enforced(monkeypatch):
    assert house.check_budgets() == []
    monkeypatch.setitem(house.BUDGETS, "encoder", 10)
    assert house.check_budgets()[0].startswith("tutorial_lib/encoder.py has ")
    monkeypatch.delitem(house.BUDGETS, "trace")
    assert "tutorial_lib/trace.py has no budget in tools/house.py" in house.check_budgets()


def test_an_exercise_has_a_budget_of_its_own(monkeypatch):
    monkeypatch.setattr(house, "EXERCISE", 20)
    assert "tutorial_lib/exercises/lesson_02.py has 50 lines, allowed are 40" in house.check_budgets()


def test_a_table_of_exercises_that_is_old_is_noticed(monkeypatch):
    assert house.check_exercise_tables() == []
    monkeypatch.delitem(EXERCISES, "lesson_05.cut_heads")
    assert len(house.check_exercise_tables()) == 2 and "README.ko.md" in house.check_exercise_tables()[1]


def test_a_lesson_that_says_other_than_its_exercise_is_noticed(monkeypatch):
    assert house.check_exercise_texts() == []
    exercise = EXERCISES["lesson_05.cut_heads"]
    hints = [{"en": "Another hint.", "ko": exercise.hints[0]["ko"]}, exercise.hints[1]]
    monkeypatch.setitem(EXERCISES, "lesson_05.cut_heads", dataclasses.replace(exercise, minutes=77, hints=hints))
    said = house.check_exercise_texts()
    said = [line.split("lesson does not say ")[1] for line in said]
    assert said == ["'· medium · about 77 minutes'", "'Another hint.'", "'· 보통 · 약 77분'"]


def test_the_owner_stands_in_one_place():
    repo = lessons.repository()
    holders = []
    for path in ROOT.rglob("*"):
        parts = path.relative_to(ROOT).parts
        if path.is_file() and not {".git", ".venv", "work", "notebooks"} & set(parts) and "__pycache__" not in parts:
            try:
                holders += [str(path.relative_to(ROOT))] if repo["owner"] in path.read_text(encoding="utf-8") else []
            except UnicodeDecodeError:
                continue
    assert holders == ["pyproject.toml"]
    notebook = json.loads(lessons.targets(lessons.sources()[0])[0].path.read_text(encoding="utf-8"))
    badge, setup = (
        next("".join(c["source"]) for c in notebook["cells"] if c["id"] == name) for name in ("colab", "setup")
    )
    assert f"github/{repo['owner']}/{repo['repo']}/blob/{repo['branch']}/notebooks/en/00_start_here.ipynb" in badge
    assert f"git+https://github.com/{repo['owner']}/{repo['repo']}@{repo['branch']}" in setup


def test_the_setup_cell_leaves_installed_packages_alone():
    for source in lessons.sources():
        for target in lessons.targets(source):
            code = "\n".join(c.source for c in nbformat.read(target.path, as_version=4).cells if c.cell_type == "code")
            # a line that prints advice installs nothing
            lines = [line for line in code.splitlines() if not line.lstrip().startswith("print(")]
            installs = [line for line in lines if '"install"' in line or "pip install" in line]
            assert len(installs) == 1 and "--no-deps" in installs[0]
            assert not any(sign in installs[0] for sign in ("==", "<", "~=", "--force", "--upgrade"))


def test_english_that_code_shows_in_both_languages_is_noticed():
    shown = house.english_shown
    assert shown('print(3, "of", len(x))') == ["of"]
    assert shown('print(f"length of the value {x:.1f}")') == ["length of the value "]
    assert shown('f"{n} rows are empty"') == [" rows are empty"]
    assert not shown('print(t(en="length of the value", ko="값의 길이"), f"{x:.1f}")')
    assert not shown('print(f"{name:8} {score:.2f}", " ".join(words), find("Jordan met Paris", "en"))')
    assert not shown('x = "a sentence of data"\nx')
