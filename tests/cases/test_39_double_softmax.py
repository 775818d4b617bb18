"""The model gives probabilities and the loss takes their softmax once more: it cannot fall below 0.31, and training crawls.

Whose trouble: https://github.com/bkitano/llama-from-scratch/issues/5,
https://github.com/illiterate/BertClassifier/issues/2
and https://github.com/MicrosoftDocs/ml-basics/issues/48
"""

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from tutorial_lib import heads

SRC = torch.tensor([[2, 5, 6, 3], [2, 7, 3, 0]])


def classifier():
    return heads.Classifier(n_classes=2, input_dim=9, hid_dim=8, pf_dim=16, n_heads=2, n_layers=1).eval()


def check(model, loss):
    for label, wanted in ((0, 0.018150), (1, 4.018150)):
        assert loss(torch.tensor([[4.0, 0.0]]), torch.tensor([label])).item() == pytest.approx(wanted, abs=1e-5)
    sums = model(SRC).sum(dim=-1)
    assert not torch.allclose(sums, torch.ones_like(sums), atol=1e-4), "what the model gives are probabilities already"


def test_models_give_logits_and_the_loss_takes_the_softmax_once():
    check(classifier(), F.cross_entropy)
    check(heads.Tagger(n_tags=3, input_dim=9, hid_dim=8, pf_dim=16, n_heads=2, n_layers=1).eval(), F.cross_entropy)


@pytest.mark.parametrize(
    ("model", "loss"),
    [
        (nn.Sequential(classifier(), nn.Softmax(dim=-1)), F.cross_entropy),
        (classifier(), lambda logits, labels: F.cross_entropy(logits.softmax(dim=-1), labels)),
    ],
)
def test_a_second_softmax_is_seen(model, loss):
    with pytest.raises(AssertionError):
        check(model, loss)
