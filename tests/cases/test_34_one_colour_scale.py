"""Each head is drawn with a colour range of its own, so a flat one looks sharp; or queries and keys are exchanged.

Whose trouble: https://github.com/microsoft/hi-ml/pull/723,
https://github.com/Prisma-Multimodal/ViT-Prisma/issues/74 and https://github.com/jessevig/bertviz/issues/61
"""

import numpy as np
import pytest
import torch

from tutorial_lib import plot

FLAT = [[0.25] * 4] * 4
SHARP = [[0, 0, 0, 1], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]]  # query 0 looks at key 3, and so on round
WEIGHTS = torch.tensor([FLAT, SHARP], dtype=torch.float32)


def check(draw):
    """`draw(weights, tokens)` → the axes of the two heads."""
    meshes = [ax.collections[0] for ax in draw(WEIGHTS, list("abcd"))]
    for mesh, head in zip(meshes, (FLAT, SHARP), strict=True):
        assert mesh.get_clim() == (0, 1), "a scale of its own"
        assert np.array_equal(mesh.get_array().reshape(4, 4), head), "not weights[query, key]"
    assert len({mesh.cmap(mesh.norm(0.25)) for mesh in meshes}) == 1


def heatmaps(weights, tokens):
    return [plot.attention_heatmap(head, tokens) for head in weights]


def test_all_heads_have_one_scale_and_queries_run_down():
    check(heatmaps)
    check(lambda weights, tokens: plot.attention_grid(weights, tokens).axes[:2])
    check(lambda weights, tokens: plot.layer_head_grid([weights], tokens).axes[:2])
    check(lambda weights, tokens: plot.layer_head_grid(weights[:, None], tokens).axes[:2])


@pytest.mark.parametrize("draw", [plot.attention_grid, lambda *inputs: plot.layer_head_grid([inputs[0]], inputs[1])])
def test_the_colour_bar_is_of_that_scale(draw):
    bar = draw(WEIGHTS, list("abcd")).axes[2]
    assert bar.get_label() == "<colorbar>" and bar.get_ylim() == (0, 1)


def a_scale_of_its_own(weights, tokens):
    drawn = heatmaps(weights, tokens)
    for ax in drawn:
        ax.collections[0].autoscale()
    return drawn


def exchanged(weights, tokens):
    return heatmaps(weights.mT, tokens)


@pytest.mark.parametrize(
    ("mistake", "says"), [(a_scale_of_its_own, "a scale of its own"), (exchanged, r"not weights\[query, key\]")]
)
def test_each_reported_mistake_fails(mistake, says):
    with pytest.raises(AssertionError, match=says):
        check(mistake)
