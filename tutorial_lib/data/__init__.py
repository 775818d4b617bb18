"""The small texts that come with the library, all written for it (CC BY 4.0), and the list of lessons."""

import json
from pathlib import Path

from .timeseries import split_and_scale as split_and_scale

HERE = Path(__file__).parent


def sentences(lang: str) -> list[str]:
    """Forty everyday sentences in "ko" or "en". The same nouns come back with other particles and in other roles.

    Raises: ValueError for another language.
    """
    if lang not in ("en", "ko"):
        raise ValueError(f'there are sentences in "en" and "ko", got {lang!r}')
    return (HERE / f"sentences_{lang}.txt").read_text(encoding="utf-8").splitlines()


def series() -> list[dict]:
    """The parts of the series with their lessons: titles in both languages, and whether a lesson is ready."""
    return json.loads((HERE / "series.json").read_text(encoding="utf-8"))["parts"]


def checkpoints() -> list[dict]:
    """What the published configurations of BERT, RoBERTa and DeBERTa (base) say; source and date stand in the file."""
    return json.loads((HERE / "checkpoints.json").read_text(encoding="utf-8"))["models"]
