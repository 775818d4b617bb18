"""What every test starts from."""

import matplotlib
import pytest
import torch

import tutorial_lib

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
def float64():
    """Build modules in double precision."""
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)
