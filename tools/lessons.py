"""One bilingual lesson source (jupytext py:percent) → the cells of its notebooks.

A prose cell is written twice, `lang="en"` and then `lang="ko"`, under one `name`; a code cell once. The name becomes the
cell's id in both languages. Tags: `setup` (the first code cell, written here), `imports` and `exercise` (also in the
solutions), `solution` (only there). A code cell `# from tutorial_lib.attention: MultiHeadAttention` is filled with the
library's own source.
"""

import ast
import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

import jupytext
import nbformat

from tools import NOTEBOOKS, ROOT
from tutorial_lib import data

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10
    import tomli as tomllib

LANGUAGES = ("en", "ko")
SOURCES = ROOT / "lessons"
FROM_LIBRARY = re.compile(r"# from (tutorial_lib(?:\.\w+)+): (\w+(?:, \w+)*)")
MARKER = re.compile(r'^(# %% \[markdown\] lang="ko" name="([^"]+)")(.*)$', re.M)
HANGUL = re.compile(r"[\uac00-\ud7a3]")

SETUP = """\
try:
    import tutorial_lib
except ModuleNotFoundError:  # on Colab: install tutorial_lib alone, and leave torch and the rest as they are
    import subprocess
    import sys

    source = "{source}"
    subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--no-deps", source], check=True)
    import tutorial_lib

tutorial_lib.setup(lang="{lang}")"""

BADGE = {
    "en": "[![Open in Colab](https://colab.research.google.com/assets/colab-badge.svg)]({url})",
    "ko": "[![Colab에서 열기](https://colab.research.google.com/assets/colab-badge.svg)]({url})",
}
SOLUTIONS_TITLE = {
    "en": "# Solutions · {number} {title}\n\nTry first; [the lesson](../{stem}.ipynb) has two hints for each exercise.",
    "ko": "# 풀이 · {number} {title}\n\n먼저 직접 풀어 보세요. [강의](../{stem}.ipynb)에 문제마다 힌트가 두 개씩 있습니다.",
}


@dataclass(frozen=True)
class Target:
    """One notebook to write."""

    stem: str
    lang: str
    solutions: bool = False

    @property
    def path(self) -> Path:
        folder = NOTEBOOKS / self.lang
        return (folder / "solutions" if self.solutions else folder) / f"{self.stem}.ipynb"

    @property
    def url(self) -> str:
        repo = repository()
        place = self.path.relative_to(ROOT).as_posix()
        return f"https://colab.research.google.com/github/{repo['owner']}/{repo['repo']}/blob/{repo['branch']}/{place}"


def repository() -> dict[str, str]:
    """Owner, name and branch of the repository: the one place is pyproject.toml."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["tutorial"]


def sources() -> list[Path]:
    """The lesson sources in their order."""
    return sorted(SOURCES.glob("[0-9][0-9]_*.py"))


def targets(source: Path) -> list[Target]:
    """The four notebooks of a lesson."""
    return [Target(source.stem, lang, solutions) for solutions in (False, True) for lang in LANGUAGES]


def load(source: Path) -> list[nbformat.NotebookNode]:
    """The cells of a lesson source, in both languages."""
    return jupytext.read(source, fmt="py:percent").cells


def tags(cell) -> list[str]:
    return cell.metadata.get("tags", [])


def digest(text: str) -> str:
    """What a Korean cell records of its English cell."""
    return hashlib.sha256(text.strip().encode()).hexdigest()[:8]


def library_source(code: str) -> str | None:
    """The source of the names that a code cell asks for, word for word; None when it asks for none."""
    asked = FROM_LIBRARY.fullmatch(code.strip())
    if not asked:
        return None
    module, names = asked[1], asked[2].split(", ")
    file = ROOT / f"{module.replace('.', '/')}.py"
    text = file.read_text(encoding="utf-8")
    found = {}
    for node in ast.parse(text).body:
        for name in [getattr(node, "name", None), *(t.id for t in getattr(node, "targets", []) if hasattr(t, "id"))]:
            first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
            found[name] = "\n".join(text.splitlines()[first - 1 : node.end_lineno])
    missing = [name for name in names if name not in found]
    if missing:
        raise ValueError(f"{file.relative_to(ROOT)} has no {', '.join(missing)}")
    return f"# {file.relative_to(ROOT).as_posix()}, word for word\n" + "\n\n\n".join(found[name] for name in names)


def render(cells: list, target: Target) -> nbformat.NotebookNode:
    """The notebook of `target`, without outputs."""
    notebook = nbformat.v4.new_notebook()
    notebook.metadata = nbformat.from_dict(
        {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
            "tutorial": {"lang": target.lang, "source": f"lessons/{target.stem}.py"},
        }
    )
    notebook.nbformat_minor = 5
    _add(notebook, "markdown", "colab", BADGE[target.lang].format(url=target.url), [])
    if target.solutions:
        titles = {lesson["name"]: lesson for part in data.series() for lesson in part["lessons"]}
        lesson = titles[target.stem]
        words = dict(number=lesson["number"], title=lesson[target.lang], stem=target.stem)
        _add(notebook, "markdown", "title", SOLUTIONS_TITLE[target.lang].format(**words), [])
    for cell in cells:
        if cell.metadata.get("lang", target.lang) != target.lang or not _belongs(cell, target.solutions):
            continue
        source = cell.source
        if "setup" in tags(cell):
            repo = repository()
            source = SETUP.format(
                source=f"git+https://github.com/{repo['owner']}/{repo['repo']}@{repo['branch']}", lang=target.lang
            )
        elif cell.cell_type == "code":
            source = library_source(source) or source
        _add(notebook, cell.cell_type, cell.metadata["name"], source, tags(cell))
    return notebook


def _belongs(cell, solutions: bool) -> bool:
    if not solutions:
        return "solution" not in tags(cell)
    kept = {"setup", "imports", "solution"} | ({"exercise"} if cell.cell_type == "markdown" else set())
    return bool(kept & set(tags(cell)))


def _add(notebook, kind: str, name: str, source: str, cell_tags: list[str]) -> None:
    make = nbformat.v4.new_code_cell if kind == "code" else nbformat.v4.new_markdown_cell
    cell = make(source, id=name, metadata={"tags": cell_tags} if cell_tags else {})
    notebook.cells.append(cell)


def pairs(cells: list) -> list[tuple]:
    """The prose cells two by two, (English, Korean)."""
    prose = [cell for cell in cells if cell.metadata.get("lang")]
    return list(zip(prose[::2], prose[1::2]))


def problems(source: Path) -> list[str]:
    """What is wrong with a lesson source: an unpaired or stale cell, a repeated name, languages that differ."""
    cells, found = load(source), []
    where = source.name
    for cell in cells:
        name = cell.metadata.get("name")
        if not name or not re.fullmatch(r"[a-z0-9][a-z0-9-]{0,60}", name):
            found.append(f"{where}: a cell needs a name of small letters, digits and dashes: {cell.source[:50]!r}")
        elif cell.cell_type == "markdown" and cell.metadata.get("lang") not in LANGUAGES:
            found.append(f'{where}: {name}: a prose cell needs lang="en" or lang="ko"')
    if found:
        return found
    for lang in LANGUAGES:
        names = [cell.metadata["name"] for cell in cells if cell.metadata.get("lang", lang) == lang]
        found += [
            f"{where}: {name}: the name is used twice" for name in sorted({n for n in names if names.count(n) > 1})
        ]
    prose = [cell for cell in cells if cell.metadata.get("lang")]
    order = [(cell.metadata["name"], cell.metadata["lang"]) for cell in prose]
    for i, (name, lang) in enumerate(order):
        partner = order[i + 1 : i + 2] if lang == "en" else order[max(0, i - 1) : i]
        if partner != [(name, "ko" if lang == "en" else "en")]:
            found.append(
                f"{where}: {name}: the {lang} cell has no partner right {'behind' if lang == 'en' else 'before'} it"
            )
    if found:
        return found
    for en, ko in pairs(cells):
        at = f"{where}: {en.metadata['name']}"
        if ko.metadata.get("of") != digest(en.source):
            found.append(
                f"{at}: the English has changed since the Korean was written: read it again, then "
                f"`make stamp L={source.stem[:2]} CELL={en.metadata['name']}`"
            )
        found += [f"{at}: {problem}" for problem in differences(en.source, ko.source)]
    for cell in cells:
        if cell.cell_type == "code":
            try:
                library_source(cell.source)
            except (ValueError, OSError) as error:
                found.append(f"{where}: {cell.metadata['name']}: {error}")
    return found


def differences(en: str, ko: str) -> list[str]:
    """Where two prose cells do not agree in what is no matter of language: headings, formulas, code spans, links."""
    code = re.compile(r"(?<!`)`[^`\n]+`(?!`)")
    parts = {
        "headings": lambda s: re.findall(r"^(#+) ", s, re.M),
        "formulas": lambda s: sorted(re.findall(r"\$\$.+?\$\$|\$[^$\n]+\$", code.sub("", s), re.S)),
        "code spans": lambda s: sorted(code.findall(s)),
        "code tags": lambda s: sorted(re.findall(r"<code>.*?</code>", s)),
        "links": lambda s: sorted(re.findall(r"\]\(([^)\s]+)\)", s)),
        "folds": lambda s: len(re.findall(r"<details>", s)),
        "table rows": lambda s: len(re.findall(r"^\|", s, re.M)),
    }
    found = [f"{what} differ: {take(en)} and {take(ko)}" for what, take in parts.items() if take(en) != take(ko)]
    if not HANGUL.search(ko) and re.search(r"[A-Za-z]{3,} [a-z]{2,} [a-z]{2,}", ko):
        found.append("the Korean cell has no Hangul")
    return found


def stamp(source: Path, names: list[str]) -> None:
    """Record in the Korean cells `names` the hash of their English cells. Raises: ValueError for a name that is not there."""
    digests = {en.metadata["name"]: digest(en.source) for en, _ in pairs(load(source))}
    unknown = [name for name in names if name not in digests]
    if unknown:
        raise ValueError(f"{source.name} has no prose cell named {', '.join(unknown)}; it has {', '.join(digests)}")

    def mark(found):
        head, name, rest = found.groups()
        return f'{head} of="{digests[name]}"' + re.sub(r' of="[^"]*"', "", rest) if name in names else found[0]

    text = source.read_text(encoding="utf-8")
    source.write_text(MARKER.sub(mark, text), encoding="utf-8")
