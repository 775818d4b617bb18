"""What a notebook needs around the lesson: one language, one device, seeds and fonts that do not vary."""

import os
import random
from pathlib import Path

import numpy as np
import torch

LANGUAGES = ("en", "ko")
FONT_FILE = Path(__file__).parent / "data" / "fonts" / "NanumSquareR.ttf"

_language = "en"


def setup(*, lang: str = "en", seed: int = 0) -> None:
    """Make a notebook behave the same everywhere: choose the language of its words, seed, use one thread, set up fonts.

    Raises: ValueError for a language other than "en" and "ko".
    """
    global _language
    if lang not in LANGUAGES:
        raise ValueError(f"lang must be one of {', '.join(LANGUAGES)}, got {lang!r}")
    _language = lang
    seed_everything(seed)
    # a lesson's tensors are tiny: a second thread gains little, and on a busy machine it costs a hundred times more
    torch.set_num_threads(1)
    _use_fonts()


def seed_everything(seed: int) -> None:
    """Seed every source of random numbers that a lesson draws from."""
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


def t(*, en: str, ko: str) -> str:
    """The words that code shows, in the language of this notebook. It chooses words, never data."""
    return {"en": en, "ko": ko}[_language]


def device() -> torch.device:
    """`TUTORIAL_DEVICE` where it is set, else cuda where there is one, else cpu.

    Raises: RuntimeError when that device cannot be used here.
    """
    name = os.environ.get("TUTORIAL_DEVICE") or ("cuda" if torch.cuda.is_available() else "cpu")
    try:
        torch.empty(0, device=name)
    except Exception as error:
        raise RuntimeError(f"the device {name!r} cannot be used here: set TUTORIAL_DEVICE=cpu") from error
    return torch.device(name)


def _use_fonts() -> None:
    """DejaVu Sans first, then the Korean font that comes with the library, in a plain seaborn theme."""
    import seaborn as sns  # takes a second to import: only when a notebook asks for pictures
    from matplotlib import font_manager, rcParams

    manager = font_manager.fontManager
    manager.ttflist = [
        font for font in manager.ttflist if font.name != "NanumSquare"
    ]  # another one may be installed here
    manager.addfont(FONT_FILE)
    sns.set_theme(style="white")
    rcParams["font.family"] = ["DejaVu Sans", "NanumSquare"]
    rcParams["axes.unicode_minus"] = False  # one sign less that a font may lack
    rcParams["figure.dpi"] = 100
