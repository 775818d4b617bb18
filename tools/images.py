"""`make images`: the pictures of README, drawn with the library's own functions or by a lesson, in both languages."""

import base64
import sys
from pathlib import Path

import matplotlib
import nbformat
import torch

from tools import ROOT

matplotlib.use("agg")

import tutorial_lib
from tutorial_lib import data, plot, t
from tutorial_lib.encoder import Encoder
from tutorial_lib.masks import padding_mask
from tutorial_lib.text import Vocab

SENTENCES = ["나는 책을 읽었다", "The cat sleeps", "안녕하세요"]  # those of lesson 00


def heatmaps():
    """Both heads of layer 0 of lesson 00's untrained encoder, for its first sentence."""
    vocab = Vocab.build(SENTENCES)
    src = vocab.batch(SENTENCES)
    encoder = Encoder(input_dim=len(vocab), hid_dim=8, pf_dim=16, n_heads=2, n_layers=6).eval()
    with torch.no_grad():
        _, weights = encoder(src, padding_mask(src, pad_id=vocab.pad_id), need_weights=True)
    titles = [t(en=f"head {head}, untrained", ko=f"헤드 {head}, 학습 전") for head in range(2)]
    return plot.attention_grid(weights[0][0], vocab.decode(src[0], specials=True), titles=titles, annotate=True)


def post_a_block():
    """Post A's layer in BERT's words: which class holds which, and where the sum is taken."""
    boxes = {
        "layer": (0, 2.6, "Layer", "group", 7.4, 7.4),
        "attention": (0, 4.25, "Attention", "group", 6.6, 2.9),
        "in": (0, 7.0, "hidden_states [bs, sl, hid_dim]", "data", 4.6, 0.62),
        "self": (0, 4.85, "SelfAttention", "part", 4.6, 0.62),
        "self-out": (0, 3.5, "SelfOutput: dense, dropout, LayerNorm(+)", "part", 5.2, 0.62),
        "inter": (0, 1.85, "Intermediate: dense, activation", "part", 5.2, 0.62),
        "output": (0, 0.3, "Output: dense, dropout, LayerNorm(+)", "part", 5.2, 0.62),
        "out": (0, -1.8, "hidden_states [bs, sl, hid_dim]", "data", 4.6, 0.62),
    }
    arrows = [("in", "self"), ("self", "self-out"), ("self-out", "inter"), ("inter", "output"), ("output", "out")]
    arrows += [("in", "self-out", "", "left"), ("self-out", "output", "", "right")]
    return plot.diagram(boxes, arrows)


PICTURES = {"map": lambda: plot.series_map(data.series()), "heatmap": heatmaps, "post_a_block": post_a_block}
# drawn by a lesson's cell: taken from its notebook, so that there is one drawing
FROM_LESSONS = {
    "structure": ("02_transformer_at_a_glance", "halves-picture"),
    "flow": ("02_transformer_at_a_glance", "flow-picture"),
    "encoder_layer": ("04_encoder", "layer-picture"),
}


def draw(folder: Path) -> list[Path]:
    """Write every picture in every language into `folder`."""
    written = []
    for name, make in PICTURES.items():
        for lang in ("en", "ko"):
            tutorial_lib.setup(lang=lang)
            figure = make()
            written.append(folder / f"{name}_{lang}.png")
            figure.savefig(written[-1], dpi=110, metadata={"Software": None})
            matplotlib.pyplot.close(figure)
    for name, (lesson, cell_id) in FROM_LESSONS.items():
        for lang in ("en", "ko"):
            notebook = nbformat.read(ROOT / "notebooks" / lang / f"{lesson}.ipynb", as_version=4)
            (cell,) = [cell for cell in notebook.cells if cell.id == cell_id]
            written.append(folder / f"{name}_{lang}.png")
            written[-1].write_bytes(base64.b64decode(cell.outputs[0]["data"]["image/png"]))
    return written


if __name__ == "__main__":
    for path in draw(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "images"):
        print(path.relative_to(ROOT) if path.is_relative_to(ROOT) else path)
