"""The exercises of all lessons: `from tutorial_lib.exercises import lesson_00 as check`."""

from tutorial_lib.check import Exercise
from tutorial_lib.exercises import (
    lesson_00,
    lesson_01,
    lesson_02,
    lesson_03,
    lesson_04,
    lesson_05,
    lesson_06,
    lesson_07,
)

EXERCISES: dict[str, Exercise] = {
    f"{module.__name__.rsplit('.', 1)[-1]}.{name}": value
    for module in (lesson_00, lesson_01, lesson_02, lesson_03, lesson_04, lesson_05, lesson_06, lesson_07)
    for name, value in vars(module).items()
    if isinstance(value, Exercise)
}
