"""The scaler is fitted on the whole series before the split: the test part leaks into the scaled training data.

Whose trouble: https://github.com/huseinzol05/Stock-Prediction-Models/issues/126,
https://github.com/unit8co/darts/issues/573
and https://github.com/sktime/pytorch-forecasting/issues/751
"""

import pytest
import torch

from tutorial_lib import data

TRAIN = torch.arange(8.0)


def check(split):
    first, test = split(torch.cat([TRAIN, torch.tensor([100.0, 200.0])]), 8)[:2]
    second, _ = split(torch.cat([TRAIN, torch.tensor([0.0, 7.0])]), 8)[:2]
    assert torch.equal(first, second), "the training part depends on what comes after it"
    assert first[0].item() == pytest.approx(-1.527525, rel=1e-5) and test[0].item() == pytest.approx(
        42.116053, rel=1e-5
    )


def test_mean_and_deviation_come_from_the_training_part():
    check(lambda series, n: data.split_and_scale(series, n_train=n))


def whole(series, n):
    scaled = (series - series.mean()) / series.std(correction=0)
    return scaled[:n], scaled[n:]


def each(series, n):
    return tuple((part - part.mean()) / (part.std(correction=0) + 1e-9) for part in (series[:n], series[n:]))


@pytest.mark.parametrize("split", [whole, each])
def test_a_scale_from_elsewhere_is_seen(split):
    with pytest.raises(AssertionError):
        check(split)
