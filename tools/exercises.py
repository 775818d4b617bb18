"""`make exercises`: every exercise with every mistake it knows, run through its check. `--readme` writes the tables of README."""

import re
import sys

import tutorial_lib
from tools import ROOT
from tutorial_lib.exercises import EXERCISES
from tutorial_lib.runtime import t

PAGES = {"en": "README.md", "ko": "README.ko.md"}
HEADS = {
    "en": "| Lesson | Exercise | Difficulty | Minutes | Mistakes it names |",
    "ko": "| 강의 | 연습 문제 | 난이도 | 분 | 알아보는 실수(가지) |",
}
BETWEEN = re.compile(r"(?<=<!-- exercises -->\n).*?(?=<!-- /exercises -->)", re.S)


def matrix(lang: str) -> tuple[list[str], list[str]]:
    """The lines to print, and what is wrong: judged afresh, not read from the exercises."""
    tutorial_lib.setup(lang=lang)
    lines, wrong = [], []
    for name, exercise in EXERCISES.items():
        minutes = t(en=f"{exercise.minutes} min", ko=f"{exercise.minutes}분")
        lines += ["", f"{name} · {exercise.difficulty[lang]} · {minutes}"]
        right = [exercise.reference, *exercise.variants]
        attempts = [(t(en="stub", ko="빈 칸"), lambda *given: ..., "unwritten", None)]
        attempts += [
            (t(en=f"right way {i}", ko=f"맞는 방법 {i}"), attempt, "passed", None) for i, attempt in enumerate(right, 1)
        ]
        attempts += [(mistake.name, mistake.attempt, "mistake", mistake.name) for mistake in exercise.mistakes]
        for row, attempt, status, mistake in attempts:
            result = exercise.judge(attempt)
            lines.append(f"  {row:22} {result}")
            if (result.status, result.mistake) != (status, mistake):
                wrong.append(f"{name}, {row}: {result.status} {result.mistake or ''}, wanted {status} {mistake or ''}")
    return lines, wrong


def table(lang: str) -> str:
    """The table of README in one language."""
    rows = [HEADS[lang], "|---|---|---|---|---|"]
    for name, exercise in EXERCISES.items():
        lesson = name.split(".")[0].removeprefix("lesson_")
        cells = [lesson, f"`{exercise.name}`", exercise.difficulty[lang], exercise.minutes, len(exercise.mistakes)]
        rows.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(rows) + "\n"


def main() -> None:
    if "--readme" in sys.argv:
        for lang, page in PAGES.items():
            text = (ROOT / page).read_text(encoding="utf-8")
            (ROOT / page).write_text(BETWEEN.sub(table(lang), text), encoding="utf-8")
        return
    lang = sys.argv[sys.argv.index("--lang") + 1] if "--lang" in sys.argv else "en"
    lines, wrong = matrix(lang)
    print("\n".join(lines))
    n_mistakes = sum(len(exercise.mistakes) for exercise in EXERCISES.values())
    en = f"{len(EXERCISES)} exercises, {n_mistakes} mistakes, {len(wrong)} judged wrongly"
    ko = f"연습 문제 {len(EXERCISES)}개, 실수 {n_mistakes}개, 잘못 판정한 것 {len(wrong)}개"
    print("\n" + t(en=en, ko=ko))
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
