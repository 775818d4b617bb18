"""A classifier that always says the largest class is reported as "90 % right".

Whose trouble: https://github.com/ThilinaRajapakse/simpletransformers/issues/18,
https://github.com/dmis-lab/biobert/issues/44
and https://github.com/huggingface/transformers/issues/9374
"""

import math

import pytest
import torch

from tutorial_lib import training

TRUE, SAID = [0] * 9 + [1], [0] * 10


def check(report):
    for name, wanted in {"accuracy": 0.9, "balanced_accuracy": 0.5, "macro_f1": 0.473684}.items():
        assert math.isfinite(report.get(name, math.nan)) and report[name] == pytest.approx(wanted, abs=1e-6), name


def test_the_scores_see_it():
    check(training.scores(TRUE, SAID))
    check(training.scores(torch.tensor(TRUE), torch.tensor(SAID)))


def test_weights_for_the_loss_make_both_classes_weigh_the_same():
    assert training.class_weights(TRUE).tolist() == pytest.approx([0.555556, 5.0], abs=1e-6)
    assert training.class_weights(torch.tensor(TRUE)).tolist() == pytest.approx([0.555556, 5.0], abs=1e-6)


@pytest.mark.parametrize(
    "report",
    [
        {"accuracy": 0.9},
        dict(training.scores(TRUE, SAID), macro_f1=0.9),
        dict(training.scores(TRUE, SAID), macro_f1=math.nan),
    ],
)
def test_a_report_that_hides_it_is_seen(report):
    with pytest.raises(AssertionError):
        check(report)
