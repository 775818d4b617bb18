import subprocess
import sys
import unicodedata
import warnings

import matplotlib.pyplot as plt
import numpy as np
import pytest
import torch

import tutorial_lib
from tutorial_lib import data, plot
from tutorial_lib.embedding import sinusoid_table
from tutorial_lib.trace import trace_shapes

WEIGHTS = torch.tensor([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.25, 0.25, 0.5]])
ABC = ["a", "b", "c"]


def ticks(axis):
    return [text.get_text() for text in axis.get_ticklabels()]


def draw(figure):
    """Draw, and let a missing glyph or a clumsy layout be an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        figure.canvas.draw()
    return figure.canvas.get_renderer()


def test_a_heatmap_shows_queries_down_and_keys_across_on_one_scale():
    ax = plot.attention_heatmap(WEIGHTS, ABC, title="head 0, untrained")
    mesh = ax.collections[0]
    np.testing.assert_allclose(mesh.get_array().reshape(3, 3), WEIGHTS)
    assert mesh.get_clim() == (0, 1) and ticks(ax.xaxis) == ticks(ax.yaxis) == ABC
    assert ax.yaxis_inverted() and "key" in ax.get_xlabel() and "query" in ax.get_ylabel()
    assert ax.get_title() == "head 0, untrained"


def test_every_cell_is_annotated_with_its_own_value():
    ax = plot.attention_heatmap(WEIGHTS, ABC, annotate=True)
    assert len(ax.texts) == 9
    for text in ax.texts:
        x, y = text.get_position()
        assert text.get_text() == f"{WEIGHTS[int(y), int(x)]:.2f}"


def test_nan_is_red_and_every_number_keeps_its_own_colour():
    weights = torch.tensor([[float("nan"), float("nan")], [0.9, 0.1]])
    ax = plot.attention_heatmap(weights, ["a", "b"], annotate=True)
    assert [text.get_text() for text in ax.texts] == ["0.90", "0.10"]
    assert [text.get_color() for text in ax.texts] == ["white", "black"]
    draw(ax.figure)
    pixels = np.asarray(ax.figure.canvas.buffer_rgba())[..., :3]
    x, y = ax.transData.transform((0.5, 0.5)).astype(int)
    assert pixels[len(pixels) - y, x].tolist() == [227, 74, 51]


def test_arrays_and_half_precision_can_be_drawn_and_other_texts_stay():
    ax = plot.attention_heatmap(WEIGHTS.numpy(), ABC)
    note = ax.text(0, 0, "a note")
    plot.attention_heatmap(WEIGHTS.bfloat16(), ABC, annotate=True, ax=ax)
    assert len(ax.texts) == 10 and note.get_text() == "a note"
    assert {text.get_text(): text.get_color() for text in ax.texts[1:]}["0.80"] == "white"


def test_a_token_of_money_is_no_formula():
    ax = plot.attention_heatmap(torch.eye(2), ["$$", "US$100/$200"])
    draw(ax.figure)
    assert [text.get_text().replace("\\$", "$") for text in ax.get_yticklabels()] == ["$$", "US$100/$200"]
    draw(plot.batch_grid(torch.tensor([[5]]), [["$5_$"]], pad_id=0).figure)


def test_what_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="3 maps, and 1 titles"):
        plot.attention_grid(torch.eye(2).expand(3, 2, 2), ["a", "b"], titles=["one"])
    with pytest.raises(ValueError, match=r"1 rows of 2 tokens, got \[3\]"):
        plot.batch_grid(torch.tensor([[1, 2]]), [["a", "b", "c"]], pad_id=0)
    with pytest.raises(ValueError, match="'a' has 1 values for the 2 names"):
        plot.bars({"a": [1]}, ["x", "y"], xlabel="", ylabel="")


def test_without_setup_and_after_it(tmp_path):
    code = (
        "import matplotlib; matplotlib.use('agg'); import torch, tutorial_lib; from tutorial_lib import plot;"
        "plot.attention_heatmap(torch.eye(1), ['a']); print(plot.label('한'));"
        "tutorial_lib.setup(); print(plot.label('한'))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["□", "한"]


def test_cross_attention_has_its_own_key_tokens():
    ax = plot.attention_heatmap(torch.ones(2, 3) / 3, ["x", "y"], key_tokens=ABC)
    assert ticks(ax.xaxis) == ABC and ticks(ax.yaxis) == ["x", "y"]


@pytest.mark.parametrize(
    "labels", [list("abcdefghijkl"), ["가나다라마바사아자차카타파하거너더러머버"] * 12, ["x" * 20] * 12]
)
def test_labels_stand_at_their_cells_and_neither_overlap_nor_leave_the_figure(labels):
    ax = plot.attention_heatmap(torch.rand(12, 12), labels)
    renderer = draw(ax.figure)
    for axis, side in ((ax.xaxis, 0), (ax.yaxis, 1)):
        texts = axis.get_ticklabels()
        assert [text.get_text() for text in texts] == labels
        assert [text.get_position()[side] for text in texts] == [i + 0.5 for i in range(12)]
        boxes = [text.get_window_extent(renderer) for text in texts]
        assert all(ax.figure.bbox.x0 - 1 <= b.x0 and b.x1 <= ax.figure.bbox.x1 + 1 for b in boxes)
        assert all(ax.figure.bbox.y0 - 1 <= b.y0 and b.y1 <= ax.figure.bbox.y1 + 1 for b in boxes)
        if axis is ax.xaxis:
            assert all(left.x1 <= right.x0 + 1 for left, right in zip(boxes, boxes[1:]))


@pytest.mark.parametrize("tokens", [ABC[:2], [*ABC, "d"]])
def test_a_wrong_number_of_tokens_is_refused(tokens):
    with pytest.raises(ValueError, match=rf"{len(tokens)} query .*got \[3, 3\]"):
        plot.attention_heatmap(WEIGHTS, tokens)


def test_the_grid_has_one_scale_for_all_heads():
    flat, sharp = torch.full((4, 4), 0.25), torch.eye(4).roll(1, 0)
    figure = plot.attention_grid(torch.stack([flat, sharp]), list("abcd"), titles=["flat", "sharp"])
    meshes = [ax.collections[0] for ax in figure.axes[:2]]
    assert [mesh.get_clim() for mesh in meshes] == [(0, 1), (0, 1)]
    assert len({mesh.cmap(mesh.norm(0.25)) for mesh in meshes}) == 1
    np.testing.assert_allclose(meshes[1].get_array().reshape(4, 4), sharp)
    assert [ax.get_title() for ax in figure.axes[:2]] == ["flat", "sharp"]
    draw(figure)


def test_a_batch_shows_tokens_ids_and_its_padding_in_grey():
    src = torch.tensor([[2, 4, 3], [2, 3, 0]])
    ax = plot.batch_grid(src, [["<BOS>", "책", "<EOS>"], ["<BOS>", "<EOS>", "<PAD>"]], pad_id=0)
    assert [text.get_text() for text in ax.texts] == [
        "<BOS>\n2",
        "책\n4",
        "<EOS>\n3",
        "<BOS>\n2",
        "<EOS>\n3",
        "<PAD>\n0",
    ]
    colours = ax.collections[0].get_facecolors() if draw(ax.figure) else None
    assert len({tuple(colour) for colour in colours[:5]}) == 1 and tuple(colours[5]) != tuple(colours[0])
    assert ax.get_xlabel() and ax.get_ylabel()


def test_a_batch_without_ids_and_with_a_blank_cell():
    ax = plot.batch_grid(torch.tensor([[5, 0]]), [["True", " "]], pad_id=0, ids=False)
    assert [text.get_text() for text in ax.texts] == ["True", ""]


def test_bars_say_their_numbers():
    ax = plot.bars({"한국어": [1, 2.5], "English": [3, 4]}, ["space", "word"], xlabel="cut at", ylabel="tokens")
    assert [text.get_text() for text in ax.texts] == ["1.0", "2.5", "3.0", "4.0"]
    assert ticks(ax.xaxis) == ["space", "word"] and (ax.get_xlabel(), ax.get_ylabel()) == ("cut at", "tokens")
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["한국어", "English"]
    draw(ax.figure)


def test_curve():
    ax = plot.curve([3, 2, 1], xlabel="step", ylabel="loss")
    assert ax.lines[0].get_xydata().tolist() == [[1, 3], [2, 2], [3, 1]] and ax.get_ylim()[0] == 0
    below = plot.curve([-3, -2, -1], xlabel="step", ylabel="log-likelihood")
    assert below.get_ylim()[0] < -3 and below.get_ylim()[1] > -1


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_the_map_names_every_lesson_and_no_title_leaves_its_box(lang):
    tutorial_lib.setup(lang=lang)
    figure = plot.series_map(data.series(), here="01")
    renderer = draw(figure)
    ax = figure.axes[0]
    lessons = [lesson for part in data.series() for lesson in part["lessons"]]
    titles = [text for text in ax.texts if text.get_text()[:2].isdigit() and text.get_text()[2:4] == "  "]
    assert [text.get_text() for text in titles] == [f"{lesson['number']}  {lesson[lang]}" for lesson in lessons]
    assert len(ax.get_legend().get_texts()) == 3
    for text, box in zip(titles, ax.patches):
        inner, outer = text.get_window_extent(renderer), box.get_window_extent(renderer)
        assert inner.x0 >= outer.x0 and inner.x1 <= outer.x1, text.get_text()
    here = [box.get_facecolor() for box, lesson in zip(ax.patches, lessons) if lesson["number"] == "01"]
    assert here == [plt.matplotlib.colors.to_rgba(plot.HERE)]


def test_labels_show_lone_jamo_and_a_square_for_what_no_font_has():
    assert plot.label(unicodedata.normalize("NFD", "한글 값")) == "ㅎㅏㄴㄱㅡㄹ ㄱㅏㅄ"
    assert plot.label("최고👍🏽") == "최고□□"
    ax = plot.attention_heatmap(torch.eye(2), [unicodedata.normalize("NFD", "값"), "👨‍👩‍👧"])
    draw(ax.figure)


def test_a_glyph_that_is_missing_would_be_noticed():
    figure, ax = plt.subplots()
    ax.set_title("👍")
    with pytest.raises(UserWarning, match="Glyph 128077"):
        draw(figure)


def test_padding_is_hatched():
    ax = plot.attention_heatmap(WEIGHTS, ABC, real=[True, False, False])
    assert [patch.get_hatch() for patch in ax.patches] == ["///", "///"]
    assert [patch.get_x() for patch in ax.patches] == [1, 2]


def test_lines():
    ax = plot.lines([1, 2], {"sinus": [1, 2], "학습": [2, 1]}, xlabel="distance", ylabel="dot product")
    assert [line.get_xydata().tolist() for line in ax.lines] == [[[1, 1], [2, 2]], [[1, 2], [2, 1]]]
    assert len({line.get_linestyle() for line in ax.lines}) == 2  # told apart without colours, too
    with pytest.raises(ValueError, match="'a' has 1 values for 2 places"):
        plot.lines([1, 2], {"a": [1]}, xlabel="", ylabel="")
    draw(ax.figure)


def test_positions_are_shown_as_they_are():
    table = sinusoid_table(max_len=20, hid_dim=8)
    ax = plot.positional_encoding(table)
    np.testing.assert_allclose(ax.collections[0].get_array().reshape(20, 8), table)
    assert ax.collections[0].get_clim() == (-1, 1) and "hid_dim" in ax.get_xlabel() and "position" in ax.get_ylabel()
    draw(ax.figure)


def test_layers_and_heads_on_one_scale():
    weights = torch.softmax(torch.randn(3, 2, 4, 4), -1)
    figure = plot.layer_head_grid(list(weights), list("abcd"))
    maps = [ax for ax in figure.axes if ax.collections and ax.get_label() != "<colorbar>"]
    for ax, wanted in zip(maps[:6], weights.flatten(0, 1), strict=True):
        np.testing.assert_allclose(ax.collections[0].get_array().reshape(4, 4), wanted)
        assert ax.collections[0].get_clim() == (0, 1)
    assert [ax.get_ylabel() for ax in maps[:6:2]] == ["layer 0", "layer 1", "layer 2"]
    draw(figure)


def test_layers_with_another_number_of_heads_are_refused():
    for other in (1, 3):
        with pytest.raises(ValueError, match=rf"as many heads as the first, got \[2, {other}\]"):
            plot.layer_head_grid([torch.rand(2, 3, 3), torch.rand(other, 3, 3)], ABC)


def test_a_long_token_stays_in_its_cell():
    ax = plot.batch_grid(torch.tensor([[1, 2]]), [["supercalifragilistic", "ok"]], pad_id=0)
    renderer = draw(ax.figure)
    left, right = ax.transData.transform([(0, 0), (1, 0)])[:, 0]
    box = ax.texts[0].get_window_extent(renderer)
    assert left <= box.x0 and box.x1 <= right


def test_the_shapes_of_a_flow_are_those_of_the_trace():
    model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 2))
    trace = trace_shapes(model, torch.zeros(3, 5, 4), sizes=dict(bs=3, sl=5, wide=8))
    figure = plot.shape_flow(trace.depth(1))
    words = [text.get_text() for text in figure.axes[0].texts if text.get_text()]
    assert words[:3] == ["0: Linear", "1: ReLU", "2: Linear"]
    assert words[3:5] == ["[bs, sl, 4] = [3, 5, 4]", "[bs, sl, 2] = [3, 5, 2]"]
    assert words[5:] == ["[bs, sl, wide] = [3, 5, 8]"] * 2
    draw(figure)


def test_a_diagram_keeps_words_in_their_boxes_and_arrows_between_them():
    boxes = {"a": (0, 0, "src", "data"), "b": (0, -1.2, "embed", "part"), "g": (0, -0.6, "Encoder", "group", 3, 2.6)}
    figure = plot.diagram(boxes, [("a", "b", "[bs, sl]")])
    renderer = draw(figure)
    ax = figure.axes[0]
    for text, patch in zip(ax.texts[:3], ax.patches[:3]):
        inner, outer = text.get_window_extent(renderer), patch.get_window_extent(renderer)
        assert outer.x0 <= inner.x0 and inner.x1 <= outer.x1 and outer.y0 <= inner.y0 and inner.y1 <= outer.y1
    assert {text.get_text() for text in ax.texts} >= {"src", "embed", "Encoder", "[bs, sl]"}
