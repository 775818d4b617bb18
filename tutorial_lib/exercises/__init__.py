"""The exercises of all lessons: `from tutorial_lib.exercises import lesson_00 as check`."""

from importlib import import_module
from pathlib import Path

from tutorial_lib.check import Exercise

MODULES = [import_module(f"{__name__}.{file.stem}") for file in sorted(Path(__file__).parent.glob("lesson_*.py"))]
EXERCISES: dict[str, Exercise] = {
    f"{module.__name__.rsplit('.', 1)[-1]}.{name}": value
    for module in MODULES
    for name, value in vars(module).items()
    if isinstance(value, Exercise)
}
