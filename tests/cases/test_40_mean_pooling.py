"""The sentence vector is the mean over all places, padding included: it depends on the longest neighbour in the batch.

Whose trouble: https://github.com/jsboige/CoursIA/issues/15045,
https://github.com/huggingface/sentence-transformers/issues/230
and https://github.com/HKUDS/LightRAG/pull/3675
"""

import pytest
import torch

from tutorial_lib import heads, masks

HIDDEN = torch.tensor([[[1.0, 1], [3, 3], [9, 9]], [[2, 4], [7, 7], [7, 7]], [[5, 5], [5, 5], [5, 5]]])
MASK = masks.from_integers(torch.tensor([[1, 1, 0], [1, 0, 0], [0, 0, 0]]))


def check(pool):
    got = pool(HIDDEN, MASK)
    assert torch.allclose(got[:2], torch.tensor([[2.0, 2.0], [2.0, 4.0]]), atol=1e-6)
    assert torch.equal(got[2], torch.zeros(2)), "a row of padding alone"


def test_the_mean_of_real_tokens():
    check(heads.masked_mean)


@pytest.mark.parametrize(
    "pool",
    [
        lambda hidden, mask: hidden.mean(dim=1),
        lambda hidden, mask: (hidden * mask[:, 0, 0, :, None]).mean(dim=1),
        lambda hidden, mask: (hidden * mask[:, 0, 0, :, None]).sum(dim=1) / mask[:, 0, 0].sum(dim=1, keepdim=True),
    ],
)
def test_the_usual_wrong_means_are_seen(pool):
    with pytest.raises(AssertionError):
        check(pool)
