"""`make tables`: run every method of lessons 09, 10, 11 and 13 over the seeds fixed here, and write README's tables.

What was run is kept in tests/benchmarks/results.json; both README files are made from it, and `make check` compares them.
`L=09` runs one lesson's alone; `--readme` writes the pages anew without running.
"""

import json
import sys
from importlib import import_module

from tools import ROOT

SEEDS = (0, 1, 2)  # fixed before anything was run; all are reported
RESULTS = ROOT / "tests" / "benchmarks" / "results.json"
PAGES = {"en": "README.md", "ko": "README.ko.md"}
# lesson, module, digits, and what the numbers are
TABLES = {
    "09": ("classification", 2, {"en": "share of right answers", "ko": "맞힌 비율"}),
    "10": ("tagging", 2, {"en": "F1 of whole names", "ko": "이름 단위 F1"}),
    "11": (
        "forecasting",
        3,
        {"en": "root mean square error, lower is better", "ko": "평균 제곱근 오차, 낮을수록 좋음"},
    ),
    "13": ("decoding", 2, {"en": "share of whole dates right", "ko": "날짜 전체를 맞힌 비율"}),
}
WORDS = {"en": ("Lesson", "seconds"), "ko": ("강의", "초")}


def run(lessons: list[str]) -> None:
    """Run these lessons' methods, and keep what each gave as soon as it is there."""
    import torch

    torch.set_num_threads(1)
    for lesson in lessons:
        found = import_module(f"tests.benchmarks.{TABLES[lesson][0]}").rows(SEEDS)
        results = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
        results = {key: value for key, value in {**results, lesson: found}.items() if key in TABLES}
        RESULTS.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def cell(values: list[float], digits: int) -> str:
    """The mean over the seeds, and the range where they differ."""
    low, high, mean = (f"{x:.{digits}f}" for x in (min(values), max(values), sum(values) / len(values)))
    return mean if low == high else f"{mean} ({low}–{high})"


def table(lang: str, results: dict[str, list[dict]]) -> str:
    lines = []
    for lesson, (_, digits, what) in TABLES.items():
        rows = results[lesson]
        columns = [key for key in rows[0] if key not in ("model", "seed", "seconds")]
        head = [f"{WORDS[lang][0]} {lesson}: {what[lang]}", *columns, WORDS[lang][1]]
        lines += [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
        for name in dict.fromkeys(row["model"] for row in rows):
            own = [row for row in rows if row["model"] == name]
            numbers = [cell([row[key] for row in own], 1 if key == "sunspots" else digits) for key in columns]
            seconds = sum(row["seconds"] for row in own) / len(own)
            lines.append(f"| {name} | {' | '.join(numbers)} | {seconds:.0f} |")
        lines.append("")
    return "\n".join(lines).strip()


def write(results: dict[str, list[dict]]) -> None:
    """Put the tables between the two comments that hold their place."""
    for lang, page in PAGES.items():
        text = (ROOT / page).read_text(encoding="utf-8")
        before, rest = text.split("<!-- tables -->")
        after = rest.split("<!-- /tables -->")[1]
        made = f"{before}<!-- tables -->\n{table(lang, results)}\n<!-- /tables -->{after}"
        (ROOT / page).write_text(made, encoding="utf-8")


def main() -> None:
    asked = [argument for argument in sys.argv[1:] if argument != "--readme"]
    if set(asked) - set(TABLES):
        sys.exit(f"there are tables of lessons {', '.join(TABLES)}; got {' '.join(asked)}")
    if "--readme" not in sys.argv:
        run(asked or list(TABLES))
    write(json.loads(RESULTS.read_text(encoding="utf-8")))


if __name__ == "__main__":
    main()
