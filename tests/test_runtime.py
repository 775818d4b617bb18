import os
import random
import subprocess
import sys

import numpy as np
import pytest
import torch
from matplotlib import font_manager, rcParams

import tutorial_lib
from tutorial_lib import runtime


def test_setup_seeds_everything_and_takes_one_thread():
    drawn = []
    for _ in range(2):
        tutorial_lib.setup(seed=7)
        drawn.append((random.random(), np.random.rand(), torch.rand(1).item()))
    assert drawn[0] == drawn[1] and torch.get_num_threads() == 1
    tutorial_lib.setup(seed=8)
    assert (random.random(), np.random.rand(), torch.rand(1).item()) != drawn[0]


def test_language():
    tutorial_lib.setup(lang="ko")
    assert tutorial_lib.t(en="key", ko="키") == "키"
    tutorial_lib.setup(lang="en")
    assert tutorial_lib.t(en="key", ko="키") == "key"
    with pytest.raises(ValueError, match="en, ko, got 'fr'"):
        tutorial_lib.setup(lang="fr")


def test_device(monkeypatch):
    monkeypatch.setenv("TUTORIAL_DEVICE", "meta")
    assert tutorial_lib.device() == torch.device("meta")
    monkeypatch.delenv("TUTORIAL_DEVICE")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert tutorial_lib.device() == torch.device("cpu")
    monkeypatch.setenv("TUTORIAL_DEVICE", "gpu-of-my-dreams")
    with pytest.raises(RuntimeError, match="gpu-of-my-dreams.*TUTORIAL_DEVICE=cpu"):
        tutorial_lib.device()


def test_the_korean_font_is_the_shipped_one():
    assert runtime.FONT_FILE.is_file() and (runtime.FONT_FILE.parent / "OFL.txt").is_file()
    assert rcParams["font.family"] == ["DejaVu Sans", "NanumSquare"]
    assert font_manager.findfont("NanumSquare") == str(runtime.FONT_FILE)
    glyphs = font_manager.get_font(runtime.FONT_FILE).get_charmap()
    assert all(code in glyphs for code in range(0xAC00, 0xD7A4)), "a Hangul syllable is missing"


def test_importing_the_library_stays_quick():
    """Neither seaborn nor matplotlib's pyplot is loaded before somebody asks for a picture."""
    code = (
        "import sys, tutorial_lib; print([m for m in ('seaborn', 'matplotlib.pyplot', 'pandas') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=dict(os.environ), check=True)
    assert run.stdout.strip() == "[]"
