"""`make check`: is the house in order? Sources, notebooks, numbers, words, budgets. Executes nothing.

Every check returns sentences that say what is wrong and where; no sentence, no trouble. The tests run the same checks.
"""

import ast
import json
import math
import re
import statistics
import subprocess
import sys
from pathlib import Path

import nbformat
from markdown_it import MarkdownIt

from tools import NOTEBOOKS, ROOT, exercises, lab, lessons, tables
from tutorial_lib import data

# physical lines of each module; the first six are the evening's reading
BUDGETS = {
    "text": 140, "embedding": 90, "masks": 110, "attention": 110, "feedforward": 60, "encoder": 120,
    "bert": 310, "_weights": 65, "explorer": 130, "broken": 110, "heads": 155, "decoder": 150, "training": 180, "tags": 75,
    "trace": 250, "plot": 345, "check": 145, "_compare": 110, "runtime": 100, "data/*": 250,
    "__init__": 20, "_sizes": 20, "exercises/__init__": 20,
}  # fmt: skip
EXERCISE = 60  # lines of one exercise: a mistake is three, with a sentence in each language
MEDIAN, NINETIETH, LONGEST = 6, 20, 40
PROMISES = {
    "en": ("**You will be able to**", "**Read first**", "**Time**", "For the classroom"),
    "ko": ("**이 강의를 마치면**", "**먼저 볼 것**", "**시간**", "수업용 안내"),
}
VARIES = {
    "a date": r"\b20\d\d-\d\d-\d\d\b",
    "a time": r"\b\d\d:\d\d:\d\d\b",
    "an address in memory": r"\b0x[0-9a-f]{6,}\b",
    "a path": r"(?<![\w.])/(?:home|root|tmp|usr|work|content|Users)/",
    "a device": r"\bcuda(?::\d)?\b|\bdevice='|\bcpu\b",
    "a version": r"\b\d+\.\d+\.\d+\b",
}
TRACE = re.compile(r"\b(trace_shapes|annotate_shapes)\(")


def problems() -> list[str]:
    """Everything that is wrong, one sentence each."""
    checks = [check_sources, check_notebooks, check_numbers, check_words, check_glossary_page, check_series]
    checks += [check_exercise_tables, check_exercise_texts, check_tables, check_budgets, check_imports]
    checks += [check_pages, check_ruff]
    return [problem for check in checks for problem in check()]


def check_sources() -> list[str]:
    """Prose in pairs, Korean up to date, the two languages alike in all that is no matter of language."""
    return [problem for source in lessons.sources() for problem in lessons.problems(source)]


def stripped(notebook) -> dict:
    """A notebook without what running it adds."""
    bare = json.loads(nbformat.writes(notebook))
    for cell in bare["cells"]:
        if cell["cell_type"] == "code":
            cell["outputs"], cell["execution_count"] = [], None
    return bare


def check_notebooks() -> list[str]:
    """Each notebook is what its source builds; its outputs are stored, free of errors and of what varies."""
    found, expected = [], set()
    for source in lessons.sources():
        cells = lessons.load(source)
        expected |= {target.path for target in lessons.targets(source)}
        if lessons.problems(source):
            continue  # told already, and the cells may not be ones that can be built
        for target in lessons.targets(source):
            place = target.path.relative_to(ROOT)
            if not target.path.exists():
                found.append(f"{place} is missing: make notebooks L={source.stem[:2]}")
                continue
            stored = nbformat.read(target.path, as_version=4)
            if stripped(stored) != stripped(lessons.render(cells, target)):
                found.append(f"{place} is not what its source builds: make notebooks L={source.stem[:2]}")
            found += [f"{place}: {problem}" for problem in check_outputs(stored)]
    there = {NOTEBOOKS / place for place in lab.notebooks()}
    return found + [f"{path.relative_to(ROOT)} has no source" for path in sorted(there - expected)]


def check_outputs(notebook) -> list[str]:
    """Executed from top to bottom, no error, nothing on stderr, nothing that another machine would print otherwise."""
    found = []
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    if [cell.execution_count for cell in code] != list(range(1, len(code) + 1)):
        found.append("the cells were not all executed, once and in order")
    for cell in code:
        if re.search(r"^(print|check)\b|plt\.show\(\)", cell.source, re.M) and not cell.outputs:
            found.append(f"{cell.id}: its output is not stored")
        for output in cell.outputs:
            if output.output_type == "error" or output.get("name") == "stderr":
                found.append(f"{cell.id}: an error or a warning is stored")
            text = output.get("text", "") or output.get("data", {}).get("text/plain", "")
            found += [f"{cell.id}: {what} is printed" for what, sign in VARIES.items() if re.search(sign, text)]
        shown = [output for output in cell.outputs if "image/png" in output.get("data", {})]
        if "plt.show()" in cell.source and not shown:
            found.append(f"{cell.id}: it draws, and no picture is stored")
    return found


def own_code(cells: list) -> list:
    """The code cells that the house numbers are about: not the setup, the library's own, or solutions."""
    code = [cell for cell in cells if cell.cell_type == "code" and not {"setup", "solution"} & set(lessons.tags(cell))]
    return [cell for cell in code if lessons.library_source(cell.source) is None]


def first_cell(cells: list, lang: str) -> str:
    return next(cell.source for cell in cells if cell.metadata.get("lang") == lang)


def count_lines(source: str) -> int:
    return sum(bool(line.strip()) for line in source.splitlines())


def percentile(values: list[int], share: float) -> int:
    return sorted(values)[math.ceil(share * len(values)) - 1]


def words_per_line(source: Path) -> float:
    """English words of prose for each line of code: reported, not enforced (the best lie between 6 and 20)."""
    cells = lessons.load(source)
    words = sum(len(cell.source.split()) for cell in cells if cell.metadata.get("lang") == "en")
    return words / sum(count_lines(cell.source) for cell in own_code(cells))


def check_numbers() -> list[str]:
    """Small cells; a picture or a trace in every section with code; goals, prerequisites, minutes, a classroom box."""
    found = []
    for source in lessons.sources():
        cells = lessons.load(source)
        found += [f"{source.name}: {problem}" for problem in check_cell_sizes(own_code(cells)) + check_sections(cells)]
        for lang, promises in PROMISES.items():
            title = first_cell(cells, lang)
            found += [
                f"{source.name}: {lang}: the first cell lacks {promise}" for promise in promises if promise not in title
            ]
        for cell in own_code(cells):
            drawn = re.findall(r"\bplt\.(?!show\(\)|close\()\w+|\bsns\.\w+|\.imshow\(", cell.source)
            if drawn:
                found.append(
                    f"{source.name}: {cell.metadata['name']}: {drawn[0]}: pictures come from tutorial_lib.plot"
                )
            for words in english_shown(cell.source):
                found.append(f"{source.name}: {cell.metadata['name']}: {words!r} is shown in both languages: use t()")
            if re.search(r"\w\[t\(|\bif t\(|== ?t\(|\bt\([^)]*\)\s*==", cell.source):
                found.append(f"{source.name}: {cell.metadata['name']}: t() chooses words, never data")
    return found


def english_shown(source: str) -> list[str]:
    """English sentences that a cell shows without `t`: words in print, or in a string that the cell ends with."""
    tree = ast.parse(source)
    shown = [
        arg for call in ast.walk(tree) if isinstance(call, ast.Call) and _name(call) == "print" for arg in call.args
    ]
    if tree.body and isinstance(tree.body[-1], ast.Expr):
        value = tree.body[-1].value
        shown += value.elts if isinstance(value, ast.Tuple) else [value] if isinstance(value, ast.JoinedStr) else []
    found = []
    for part in shown:
        hidden = {id(inner) for call in ast.walk(part) if isinstance(call, ast.Call) for inner in ast.walk(call)}
        for node in ast.walk(part):
            words = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
            if id(node) not in hidden and re.search(
                r"^(?!pip install).*[A-Za-z]{2,}[ ,;:]+[a-z]{2,}|^(of|at|to|is|and)$", words.strip()
            ):
                found.append(words)
    return found


def _name(call: ast.Call) -> str:
    return getattr(call.func, "id", "")


def check_cell_sizes(cells: list) -> list[str]:
    sizes = [count_lines(cell.source) for cell in cells]
    found = []
    if statistics.median(sizes) > MEDIAN:
        found.append(f"the median code cell has {statistics.median(sizes)} lines, allowed are {MEDIAN}")
    if percentile(sizes, 0.9) > NINETIETH:
        found.append(
            f"the 90th percentile of the code cells has {percentile(sizes, 0.9)} lines, allowed are {NINETIETH}"
        )
    if max(sizes) > LONGEST:
        longest = cells[sizes.index(max(sizes))].metadata["name"]
        found.append(f"{longest} has {max(sizes)} lines, allowed are {LONGEST}")
    return found


def check_sections(cells: list) -> list[str]:
    """A section is what stands between two `##` headings."""
    sections, title = {}, None
    for cell in cells:
        if cell.metadata.get("lang") == "en":
            headings = re.findall(r"^## (.+)$", cell.source, re.M)
            title = headings[-1] if headings else title
        elif cell.cell_type == "code" and "solution" not in lessons.tags(cell) and title:
            sections.setdefault(title, []).append(cell.source)
    return [
        f"section {title!r} has code, and neither a picture nor a shape trace"
        for title, code in sections.items()
        if not any("plt.show()" in source or TRACE.search(source) for source in code)
    ]


def prose(markdown: str) -> str:
    """A prose cell without code, formulas, addresses, and titles of what is linked elsewhere."""
    bare = re.sub(r"\[[^]]*\]\(https://[^)]*\)|`[^`]*`|<code>.*?</code>|\$[^$]+\$|\]\([^)]*\)|<[^>]+>", " ", markdown)
    return re.sub(r"\s+", " ", bare)


def glossary() -> list[dict]:
    return json.loads((lessons.SOURCES / "glossary.json").read_text(encoding="utf-8"))


def check_words() -> list[str]:
    """The terms of the glossary, in every pair of cells; emphasis that renderers show; nothing that only one renderer knows."""
    found = []
    for source in lessons.sources():
        for en, ko in lessons.pairs(lessons.load(source)):
            at = f"{source.name}: {en.metadata['name']}"
            found += [f"{at}: {problem}" for problem in check_terms(en.source, ko.source)]
            for lang, cell in (("en", en), ("ko", ko)):
                found += [f"{at}: {lang}: {problem}" for problem in check_markdown(cell.source)]
    return found


def check_terms(en: str, ko: str) -> list[str]:
    english, korean, found = prose(en), prose(ko), []
    for term in glossary():
        forms = "|".join([term["en"] + "s?", term.get("plural", term["en"])])
        if re.search(rf"(?<![\w-])(?:{forms})(?![\w-])", english, re.I) and not any(
            form in korean for form in term["ko"]
        ):
            found.append(f"the English says {term['en']!r}, and the Korean has no {' or '.join(term['ko'])}")
        words = [re.search(bad, korean) for bad in term["avoid"]]  # an expression: 크로스 is no 로스
        found += [f"{word[0]} should be {term['ko'][0]}" for word in words if word]
    return found


def check_markdown(text: str) -> list[str]:
    """Emphasis that CommonMark leaves as literal asterisks (beside Hangul it often does), directives, alerts, attachments."""
    found = []
    for block in MarkdownIt("commonmark").enable("table").parse(text):
        for token in block.children or []:
            if token.type == "text" and ("**" in token.content or re.search(r"(?<!\w)\*\S|\S\*(?!\w)", token.content)):
                found.append(f"emphasis is shown as literal asterisks: {token.content[:50]!r}")
            if token.type == "image":
                if not token.content.strip():
                    found.append(f"a picture without alt text: {token.attrs['src']}")
                if not str(token.attrs["src"]).startswith("https://") and "/" not in str(token.attrs["src"]):
                    found.append(f"a picture that does not load on Colab: {token.attrs['src']}")
    for sign in (r"^:::", r"^```\{", r"^> \[!", r"\(attachment:"):
        if re.search(sign, text, re.M):
            found.append(f"{sign} is shown by some renderers only")
    return found


def glossary_page() -> str:
    """GLOSSARY.md, from the data."""
    rows = [f"| {term['en']} | {' · '.join(term['ko'])} |" for term in glossary()]
    head = ["# Glossary · 용어집", "", "Made from `lessons/glossary.json` by `python -m tools.house --glossary`.", ""]
    return "\n".join([*head, "| English | 한국어 |", "|---|---|", *rows]) + "\n"


def check_glossary_page() -> list[str]:
    page = ROOT / "GLOSSARY.md"
    if not page.exists() or page.read_text(encoding="utf-8") != glossary_page():
        return ["GLOSSARY.md is not what lessons/glossary.json makes: python -m tools.house --glossary"]
    return []


def check_exercise_tables() -> list[str]:
    """Both README files have the table that the exercises make."""
    return [
        f"{page}: the table of exercises is not what they make: python -m tools.exercises --readme"
        for lang, page in exercises.PAGES.items()
        if exercises.table(lang) not in (ROOT / page).read_text(encoding="utf-8")
    ]


def check_exercise_texts() -> list[str]:
    """A lesson says of each exercise what the exercise itself says: difficulty, minutes, both hints."""
    found = []
    for source in lessons.sources():
        cells = lessons.load(source)
        for lang, time in (("en", "about {} minutes"), ("ko", "약 {}분")):
            texts = [c.source for c in cells if c.metadata.get("lang") == lang and "exercise" in lessons.tags(c)]
            bare = re.sub("</?code>", "", "\n".join(texts))
            for name, exercise in exercises.EXERCISES.items():
                if name.startswith(f"lesson_{source.stem[:2]}."):
                    said = [f"· {exercise.difficulty[lang]} · {time.format(exercise.minutes)}"]
                    said += [hint[lang] for hint in exercise.hints]
                    missing = [one for one in said if one not in bare]
                    found += [f"{source.name}: {name}: {lang}: the lesson does not say {one!r}" for one in missing]
    return found


def check_tables() -> list[str]:
    """README's tables are what the stored results say, and the results are of all methods and seeds."""
    results = json.loads(tables.RESULTS.read_text(encoding="utf-8"))
    if missing := sorted(tables.TABLES.keys() - results.keys()):
        return [f"tests/benchmarks/results.json lacks lessons {', '.join(missing)}: make tables"]
    return [
        f"{page}: the tables are not what tests/benchmarks/results.json says: python -m tools.tables --readme"
        for lang, page in tables.PAGES.items()
        if tables.table(lang, results) not in (ROOT / page).read_text(encoding="utf-8")
    ]


def check_series() -> list[str]:
    """The list of lessons says `ready` of those that are there, and of no other; titles and README's map agree with it."""
    there = {source.stem for source in lessons.sources()}
    found = []
    for part in data.series():
        for lesson in part["lessons"]:
            if lesson["ready"] != (lesson["name"] in there):
                found.append(
                    f"series.json: {lesson['name']} is ready = {lesson['ready']}, and its source says otherwise"
                )
            elif lesson["ready"]:
                cells = lessons.load(lessons.SOURCES / f"{lesson['name']}.py")
                for lang in lessons.LANGUAGES:
                    title = first_cell(cells, lang).splitlines()[0]
                    if title != f"# {lesson['number']} · {lesson[lang]}":
                        found.append(
                            f"{lesson['name']}: {lang}: the title is {title!r}, series.json says {lesson[lang]!r}"
                        )
            for lang, page in (("en", "README.md"), ("ko", "README.ko.md")):
                if lesson[lang] not in (ROOT / page).read_text(encoding="utf-8"):
                    found.append(f"{page}: the map lacks {lesson['number']} {lesson[lang]}")
    names = {lesson["name"] for part in data.series() for lesson in part["lessons"]}
    return found + [f"series.json does not know {stem}" for stem in sorted(there - names)]


def check_budgets() -> list[str]:
    """No module is longer than its budget, and every module has one."""
    found = []
    for file in sorted((ROOT / "tutorial_lib").rglob("*.py")):
        name = file.relative_to(ROOT / "tutorial_lib").with_suffix("").as_posix()
        text = file.read_text(encoding="utf-8")
        lines = len(text.splitlines())
        budget = BUDGETS.get(name, BUDGETS.get(f"{name.rsplit('/', 1)[0]}/*"))
        if name.startswith("exercises/lesson_"):
            budget = EXERCISE * text.count("= Exercise(")
        if budget is None:
            found.append(f"tutorial_lib/{name}.py has no budget in tools/house.py")
        elif lines > budget:
            found.append(f"tutorial_lib/{name}.py has {lines} lines, allowed are {budget}")
    return found


# what each module may import of the library; the roads run one way
CORE = {"_sizes", "text", "embedding", "masks", "attention", "feedforward"}
MAY_IMPORT = {
    "text": set(), "embedding": {"_sizes"}, "masks": set(), "attention": {"_sizes", "masks"},
    "feedforward": {"_sizes"}, "_sizes": set(), "encoder": CORE, "runtime": set(), "data": set(),
    "trace": set(), "plot": {"runtime"}, "check": {"runtime", "_compare"}, "_compare": {"runtime"}, "__init__": {"runtime"},
    "heads": CORE | {"encoder"}, "decoder": CORE | {"encoder"}, "training": {"text", "_weights"}, "tags": set(),
    "_weights": set(), "bert": CORE | {"encoder", "_weights"}, "explorer": {"runtime"}, "broken": CORE | {"encoder"},
}  # fmt: skip


def check_imports() -> list[str]:
    """Imports run one way, and nothing in the library imports the tools, the lessons or (save themselves) the exercises."""
    found = []
    for file in sorted((ROOT / "tutorial_lib").rglob("*.py")):
        name = file.relative_to(ROOT / "tutorial_lib").with_suffix("").as_posix()
        name = name.removesuffix("/__init__")
        text = file.read_text(encoding="utf-8")
        taken = set(re.findall(r"^\s*from tutorial_lib\.(\w+)", text, re.M))
        for names in re.findall(r"^\s*from tutorial_lib import ([\w, ]+)", text, re.M):
            taken |= set(names.split(", "))
        if re.search(r"^\s*(from|import) (tools|lessons|tests)\b", text, re.M):
            found.append(f"tutorial_lib/{name} imports what is outside the library")
        if not name.startswith("exercises") and taken - MAY_IMPORT.get(name, set()):
            found.append(f"tutorial_lib/{name} imports {', '.join(sorted(taken - MAY_IMPORT.get(name, set())))}")
    return found


def check_pages() -> list[str]:
    """Links inside the repository lead somewhere, pictures have alt text; the same for the links of the notebooks."""
    found = []
    pages = [*sorted(ROOT.glob("*.md")), *(NOTEBOOKS / place for place in lab.notebooks())]
    for page in pages:
        text = page.read_text(encoding="utf-8")
        if page.suffix == ".ipynb":
            cells = nbformat.reads(text, as_version=4).cells
            text = "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
        else:
            found += [f"{page.name}: {p}" for p in check_markdown(text) if "Colab" not in p]
        for link in re.findall(r"\]\(([^)\s]+)\)", text):
            target = link.split("#")[0]
            if not link.startswith(("https://", "#")) and not (page.parent / target).exists():
                found.append(f"{page.relative_to(ROOT)}: the link {link} leads nowhere")
    return found


def check_ruff() -> list[str]:
    """ruff finds nothing, and would format nothing."""
    found = []
    for command in (["check", "--quiet", "--output-format", "concise"], ["format", "--quiet", "--check"]):
        run = subprocess.run([sys.executable, "-m", "ruff", *command, "."], cwd=ROOT, capture_output=True, text=True)
        if run.returncode:
            said = (run.stdout + run.stderr).strip().splitlines()[:10]
            found += [f"ruff {command[0]}: {line}" for line in said] or [
                f"ruff {command[0]} would change a file: make format"
            ]
    return found


def main() -> None:
    if "--glossary" in sys.argv:
        (ROOT / "GLOSSARY.md").write_text(glossary_page(), encoding="utf-8")
        return
    found = problems()
    for problem in found:
        print(problem)
    for source in lessons.sources():
        sizes = [count_lines(cell.source) for cell in own_code(lessons.load(source))]
        print(
            f"{source.stem}: {len(sizes)} code cells, median {statistics.median(sizes):g} lines, 90th percentile "
            f"{percentile(sizes, 0.9)}, longest {max(sizes)}; {words_per_line(source):.1f} words of prose per code line"
        )
    if found:
        sys.exit(f"{len(found)} to mend")
    print("the house is in order")


if __name__ == "__main__":
    main()
