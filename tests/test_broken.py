"""The patients of lesson 14: each runs, has every shape right and the weights of the healthy, and is seen as the lesson says."""

import pytest
import torch

from tutorial_lib import broken
from tutorial_lib.encoder import Encoder
from tutorial_lib.exercises.lesson_14 import batch_test, padding_test
from tutorial_lib.masks import padding_mask
from tutorial_lib.text import Vocab

VOCAB = Vocab.build(["나는 간다"])
SRC = VOCAB.batch(["나는 간다", "간다", ""])  # [3, 4]
NUMBERS = range(1, 14)


def run(model, src, **asked):
    with torch.no_grad():
        return model(src, padding_mask(src, pad_id=0), **asked)


def far(a, b):
    return (a - b).abs().max().item() > 0.01


def padding(model):
    return padding_test.reference(model, SRC) > 0.01


def neighbours(model):
    return bool((batch_test.reference(model, SRC) > 0.01).any())


def twice(model):
    return far(run(model, SRC), run(model, SRC))


def rows(model):
    return any(far(one.sum(dim=-1), torch.ones(())) for one in run(model, SRC, need_weights=True)[1])


def count(model):
    return len(list(model.parameters())) != len(list(broken.healthy(input_dim=6).parameters()))


def compare(model):
    return far(run(model, SRC)[SRC != 0], run(broken.healthy(input_dim=6), SRC)[SRC != 0])


# what the chart of the lesson shows, and its text says
SEEN = {
    padding: {1, 2, 3, 4, 7, 8, 9, 11},
    neighbours: {6, 11},
    twice: {11},
    rows: {8},
    count: {10},
    compare: set(NUMBERS),
}


def test_the_vocabulary_is_the_lessons():
    assert len(VOCAB) == 6 and SRC.shape == (3, 4)


@pytest.mark.parametrize("test", SEEN, ids=lambda test: test.__name__)
def test_each_instrument_sees_what_the_lesson_says(test):
    torch.manual_seed(0)
    assert {n for n in NUMBERS if test(broken.patient(n, input_dim=6))} == SEEN[test]
    assert not test(broken.healthy(input_dim=6))


@pytest.mark.parametrize("number", NUMBERS)
def test_a_patient_has_the_shapes_and_the_weights_of_the_healthy(number):
    sick, well = broken.patient(number, input_dim=6), broken.healthy(input_dim=6)
    assert isinstance(sick, Encoder) and not sick.training
    out, maps = run(sick, SRC, need_weights=True)
    assert out.shape == (3, 4, 16) and [one.shape for one in maps] == [(3, 2, 4, 4)] * 3
    assert all(bool(one.isfinite().all()) for one in (out, *maps))
    if broken.FAULTS[number - 1] != "dropout_alive":
        assert torch.equal(run(sick, SRC), out)
    healthy = well.state_dict()
    for name, value in sick.state_dict().items():
        origin = name.replace("layers.1.", "layers.0.").replace("layers.2.", "layers.0.") if count(sick) else name
        assert torch.equal(value, healthy[origin]), name


def test_the_random_numbers_of_the_learner_are_left_alone():
    torch.manual_seed(3)
    before = torch.get_rng_state()
    broken.healthy(input_dim=6)
    assert torch.equal(before, torch.get_rng_state())


@pytest.mark.parametrize("number", [0, 14])
def test_there_are_thirteen(number):
    with pytest.raises(ValueError, match=f"patients 1 to 13, got {number}"):
        broken.patient(number, input_dim=6)
