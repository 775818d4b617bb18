"""What every test starts from."""

import importlib.util
import os

import matplotlib
import pytest
import torch

import tutorial_lib
from tutorial_lib import _weights, bert

matplotlib.use("agg")


@pytest.fixture(autouse=True)
def _same_start():
    """Seeds, one thread, English, fonts: as in a notebook. Pictures are closed afterwards."""
    tutorial_lib.setup(lang="en", seed=0)
    yield
    matplotlib.pyplot.close("all")


@pytest.fixture
def device():
    """Where the lessons run: `TUTORIAL_DEVICE`, else cuda where there is one, else cpu."""
    return tutorial_lib.device()


@pytest.fixture
def short_trainings(monkeypatch):
    """`fit` sees 64 rows of each epoch: for what is the same in every step."""
    shuffle = torch.randperm
    monkeypatch.setattr(torch, "randperm", lambda n, **how: shuffle(n, **how)[:64])


@pytest.fixture
def float64():
    """Build modules in double precision."""
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


def need_pretrained():
    """Leave a test out, saying why, where the pretrained model is not installed; where CI is set, fail instead."""
    if importlib.util.find_spec(_weights.PACKAGE) is None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(f"no pretrained model here: {_weights.INSTALL}")


@pytest.fixture(scope="session")
def pretrained():
    """(Model, tokenizer) of the package, loaded once: look at it, do not change it."""
    need_pretrained()
    return bert.load_pretrained()
