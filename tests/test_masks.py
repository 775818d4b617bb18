import numpy as np
import pytest
import torch

from tutorial_lib import masks
from tutorial_lib.attention import masked_softmax

IDS = torch.tensor([[4, 0], [4, 5]])  # as many sentences as places: a wrong axis would broadcast without a word


def test_padding_hides_keys_and_not_queries():
    mask = masks.padding_mask(IDS, pad_id=0)
    assert mask.shape == (2, 1, 1, 2) and mask.dtype == torch.bool
    weights = masked_softmax(torch.zeros(2, 1, 2, 2), mask)
    assert weights[:, 0].tolist() == [[[1, 0], [1, 0]], [[0.5, 0.5], [0.5, 0.5]]]


def test_padding_mask_with_another_pad_id():
    assert masks.padding_mask(torch.tensor([[7, 0, 1]]), pad_id=7).flatten().tolist() == [False, True, True]


@pytest.mark.parametrize("src", [torch.ones(3, dtype=torch.long), torch.ones(1, 2, 3, dtype=torch.long)])
def test_padding_mask_wants_ids(src):
    with pytest.raises(ValueError, match=r"\[bs, sl\], got"):
        masks.padding_mask(src, pad_id=0)
    with pytest.raises(TypeError, match="float32"):
        masks.padding_mask(torch.ones(2, 3), pad_id=0)


def test_causal_mask_and_both():
    causal = masks.causal_mask(3)
    assert causal.shape == (1, 1, 3, 3)
    assert causal[0, 0].tolist() == [[True, False, False], [True, True, False], [True, True, True]]
    both = causal & masks.padding_mask(torch.tensor([[5, 6, 0], [5, 0, 0]]), pad_id=0)
    assert both.shape == (2, 1, 3, 3)
    assert both[1, 0].tolist() == [[True, False, False]] * 3


def test_the_three_other_conventions_lead_to_the_same_mask():
    mask = masks.padding_mask(torch.tensor([[5, 6, 0], [5, 0, 0]]), pad_id=0)
    integers = torch.tensor([[1, 1, 0], [1, 0, 0]])
    key_padding = torch.tensor([[False, False, True], [False, True, True]])
    added = torch.tensor([[0, 0, float("-inf")], [0, float("-inf"), float("-inf")]])
    assert torch.equal(masks.from_integers(integers), mask)
    assert torch.equal(masks.from_integers(integers.to(torch.uint8)), mask)
    assert torch.equal(masks.from_key_padding_mask(key_padding), mask)
    assert torch.equal(masks.from_additive(added), mask)
    assert torch.equal(masks.from_additive(added.clamp(min=torch.finfo(torch.float32).min)), mask)
    assert torch.equal(masks.from_additive(added.clamp(min=-10000.0)), mask)
    assert torch.equal(masks.to_integers(mask), integers)
    assert torch.equal(masks.to_key_padding_mask(mask), key_padding)
    assert torch.equal(masks.to_additive(mask, dtype=torch.float32)[:, 0, 0], added)


@pytest.mark.parametrize(
    "mask", [masks.causal_mask(4), masks.padding_mask(IDS, pad_id=0), torch.rand(2, 3, 4, 5) > 0.5]
)
def test_there_and_back(mask):
    assert torch.equal(masks.from_integers(masks.to_integers(mask)), mask)
    for dtype in (torch.float32, torch.float16, torch.bfloat16, torch.float64):
        added = masks.to_additive(mask, dtype=dtype)
        assert added.dtype == dtype and torch.equal(masks.from_additive(added), mask)


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: masks.from_integers(torch.ones(2, 3)), TypeError, "from_additive"),
        (lambda: masks.from_integers(torch.tensor([[0, 2, -1]])), ValueError, r"0 and 1 only, got \[-1, 2\]"),
        (lambda: masks.from_integers(torch.ones(2, 3, 4, dtype=torch.long)), ValueError, r"got \[2, 3, 4\]"),
        (lambda: masks.from_key_padding_mask(torch.ones(2, 3)), TypeError, "float32"),
        (lambda: masks.from_key_padding_mask(torch.ones(2, 1, 1, 3, dtype=torch.bool)), ValueError, r"\[bs, sl\], got"),
        (lambda: masks.from_additive(torch.ones(2, 3, dtype=torch.long)), TypeError, "from_integers"),
        (lambda: masks.from_additive(torch.tensor([[0.0, 1.0]])), ValueError, r"got \[1.0\]"),  # ones for zeros: post A
        (lambda: masks.from_additive(torch.tensor([[0.0, float("nan")]])), ValueError, "nan"),
        (lambda: masks.to_key_padding_mask(masks.causal_mask(3)), ValueError, r"got \[1, 1, 3, 3\]"),
        (lambda: masks.to_integers(torch.ones(2, 1, 1, 3)), TypeError, "float32"),
        (lambda: masks.from_integers(torch.ones(2, 3, dtype=torch.bool)), TypeError, "from_key_padding_mask"),
        (lambda: masks.to_integers(torch.ones(2, 1, 1, dtype=torch.bool)), ValueError, r"4 axes .* got \[2, 1, 1\]"),
        (lambda: masks.to_additive(torch.ones(3, dtype=torch.bool), dtype=torch.half), ValueError, r"got \[3\]"),
        (lambda: masks.to_key_padding_mask(torch.ones(2, 1, 1, dtype=torch.bool)), ValueError, r"got \[2, 1, 1\]"),
        (lambda: masked_softmax(torch.ones(3, 3), masks.causal_mask(3)), ValueError, r"= \[3, 3\], got \[1, 1, 3, 3\]"),
        (lambda: masks.to_additive(torch.ones(2, 1, 1, 3), dtype=torch.float32), TypeError, "float32"),
    ],
)
def test_what_is_no_mask_of_its_kind_is_refused(call, error, says):
    with pytest.raises(error, match=says):
        call()


@pytest.mark.parametrize("shape", [(2, 1, 1, 5), (1, 1, 4, 5), (2, 3, 4, 5), (1, 1, 1, 5)])
def test_a_mask_that_broadcasts_is_right(shape):
    masks.check_mask(torch.ones(shape, dtype=torch.bool), (2, 3, 4, 5))


@pytest.mark.parametrize(
    "shape",
    [(2, 5), (2, 1, 5), (5,), (3, 1, 1, 5), (2, 2, 1, 5), (2, 1, 5, 5), (2, 1, 1, 4), (2, 1, 1, 1), (1, 2, 1, 1, 5)],
)
def test_a_mask_of_another_shape_names_both(shape):
    with pytest.raises(ValueError, match=r"= \[2, 3, 4, 5\], got \[" + ", ".join(map(str, shape))):
        masks.check_mask(torch.ones(shape, dtype=torch.bool), (2, 3, 4, 5))


@pytest.mark.parametrize(
    "mask", [torch.ones(2, 1, 1, 5), torch.ones(2, 1, 1, 5, dtype=torch.long), [[True]], np.ones(5, bool)]
)
def test_a_mask_of_another_dtype_is_named(mask):
    with pytest.raises(TypeError, match="boolean tensor.*got (torch.float32|torch.int64|.*list|.*ndarray)"):
        masks.check_mask(mask, (2, 3, 4, 5))
