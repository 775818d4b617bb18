"""Labels stand beside their cells, too few for the weights, over each other, or outside the picture.

Whose trouble: https://github.com/matplotlib/matplotlib/issues/8779,
https://github.com/jessevig/bertviz/issues/101 and https://github.com/jessevig/bertviz/issues/82
"""

import pytest
import torch

from tutorial_lib import plot

WEIGHTS = torch.full((12, 12), 1 / 12)
SHORT = [f"t{i}" for i in range(12)]
LONG = [f"{i:02d}supercalifragilist" for i in range(12)]


def check(draw, labels, shown=("xy",)):
    """`draw(weights, labels)` → the Axes; in a grid, a map inside shows the labels of no axis."""
    drawn = draw(WEIGHTS, labels)
    figure = drawn[0].figure
    figure.canvas.draw()
    for ax, sides in zip(drawn, shown, strict=True):
        for side, axis in enumerate((ax.xaxis, ax.yaxis)):
            texts = axis.get_ticklabels()
            assert [text.get_text() for text in texts] == (labels if "xy"[side] in sides else [])
            assert [text.get_position()[side] for text in texts] == [i + 0.5 for i in range(len(texts))], "beside"
            boxes = [text.get_window_extent() for text in texts]
            if side == 0:
                assert all(left.x1 <= right.x0 for left, right in zip(boxes, boxes[1:])), "over each other"
            assert all(figure.bbox.contains(x, y) for box in boxes for x, y in (box.min, box.max)), "outside"
    with pytest.raises(ValueError, match=r"must be \[11, 11\] for 11 query and 11 key tokens, got \[12, 12\]"):
        draw(WEIGHTS, labels[:11])


@pytest.mark.parametrize("labels", [SHORT, LONG], ids=["short", "long"])
def test_each_token_has_its_label_in_place_and_readable(labels):
    check(lambda weights, words: [plot.attention_heatmap(weights, words)], labels)
    check(lambda weights, words: plot.attention_grid([weights] * 2, words).axes[:2], labels, ("xy", "xy"))
    grid = lambda weights, words: plot.layer_head_grid([[weights] * 2] * 2, words).axes[:4]
    check(grid, labels, ("y", "", "xy", "x"))


MISTAKES = {
    "beside": lambda ax, labels: ax.set_xticks(range(12), labels),
    "over each other": lambda ax, labels: ax.tick_params(axis="x", rotation=0),
    "outside": lambda ax, labels: ax.figure.set_layout_engine("none"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_each_reported_mistake_fails(name):
    def draw(weights, labels):
        ax = plot.attention_heatmap(weights, labels)
        MISTAKES[name](ax, labels)
        return [ax]

    with pytest.raises(AssertionError, match=name):
        check(draw, LONG)
