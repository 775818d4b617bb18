"""`make images`: draw the pictures of README with the library's own functions, in both languages."""

import sys
from pathlib import Path

import matplotlib
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


PICTURES = {"map": lambda: plot.series_map(data.series()), "heatmap": heatmaps}


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
    return written


if __name__ == "__main__":
    for path in draw(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "images"):
        print(path.relative_to(ROOT) if path.is_relative_to(ROOT) else path)
