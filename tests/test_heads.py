"""Heads: pooling over real tokens, logits and not probabilities, padding that changes nothing."""

import pytest
import torch
import torch.nn.functional as F

from tutorial_lib import heads, masks
from tutorial_lib.trace import trace_shapes

SIZES = dict(input_dim=20, hid_dim=8, pf_dim=16, n_heads=2, n_layers=2, max_len=12)
SRC = torch.tensor([[2, 5, 6, 7, 3], [2, 9, 3, 0, 0], [2, 3, 0, 0, 0]])


def test_the_mean_is_over_real_tokens_whatever_stands_at_padding():
    hidden, mask = torch.randn(3, 5, 8), masks.padding_mask(SRC, pad_id=0)
    pooled = heads.masked_mean(hidden, mask)
    for row, n in enumerate((5, 3, 2)):
        assert torch.allclose(pooled[row], hidden[row, :n].mean(dim=0), atol=1e-6)
    hidden[~mask[:, 0, 0]] = float("nan")
    assert torch.equal(heads.masked_mean(hidden, mask), pooled)
    assert torch.equal(heads.masked_mean(hidden[:1], None), hidden[:1].mean(dim=1))


def test_the_gradient_of_a_mean_reaches_real_tokens_alone():
    hidden, mask = torch.randn(3, 5, 8, requires_grad=True), masks.padding_mask(SRC, pad_id=0)
    heads.masked_mean(hidden, mask).sum().backward()
    assert torch.equal(hidden.grad[..., 0] != 0, mask[:, 0, 0])
    assert torch.allclose(hidden.grad[1, :3], torch.full((3, 8), 1 / 3))


@pytest.mark.parametrize(
    "mask", [torch.ones(3, 5), torch.ones(3, 5, dtype=torch.bool), torch.ones(1, 1, 1, 5, dtype=torch.bool)]
)
def test_another_mask_is_refused(mask):
    with pytest.raises(ValueError, match=r"\[bs, 1, 1, sl\] = \[3, 1, 1, 5\], got"):
        heads.masked_mean(torch.randn(3, 5, 8), mask)


@pytest.mark.parametrize("pool", ["mean", "bos"])
def test_a_classifier_gives_logits_that_padding_and_neighbours_do_not_change(pool):
    model = heads.Classifier(n_classes=3, pool=pool, **SIZES).eval()
    logits = model(SRC)
    assert logits.shape == (3, 3) and not torch.allclose(logits.sum(dim=1), torch.ones(3), atol=1e-3)
    assert torch.allclose(model(SRC[1:2, :3]), logits[1:2], atol=1e-5)
    assert torch.allclose(model(F.pad(SRC, (0, 6))), logits, atol=1e-5)


def test_the_two_poolings_and_their_errors():
    hidden = torch.randn(2, 4, 8)
    assert torch.equal(heads.first_token(hidden), hidden[:, 0])
    with pytest.raises(ValueError, match='"mean" or "bos", got \'max\''):
        heads.Classifier(n_classes=2, pool="max", **SIZES)
    with pytest.raises(ValueError, match="n_classes must be a whole number of at least 1, got 0"):
        heads.Classifier(n_classes=0, **SIZES)


def test_a_tagger_has_logits_for_each_token_that_padding_does_not_change():
    model = heads.Tagger(n_tags=7, **SIZES).eval()
    trace_shapes(model, SRC, sizes={"bs": 3, "sl": 5, "n_tags": 7}).expect("", "[bs, sl, n_tags]")
    assert torch.allclose(model(SRC)[1, :3], model(SRC[1:2, :3])[0], atol=1e-5)


def test_a_language_model_head_is_a_tagger_whose_tags_are_the_vocabulary():
    assert heads.Tagger(n_tags=20, **SIZES)(SRC).shape == (3, 5, 20)
