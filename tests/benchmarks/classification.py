"""The table of lesson 09: praise and complaint, every method on three splits in both languages, over several seeds.

All networks see the same sentences in the same order for the same number of steps, with words dropped; the last choice among
their epochs is made on `valid`. How each language is cut, and that words are dropped, was chosen on `choose`.
"""

import time
from functools import partial

import torch
import torch.nn.functional as F
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from torch import Tensor, nn

from tests.benchmarks.recurrent import Recurrent
from tutorial_lib.data.polarity import polarity
from tutorial_lib.heads import Classifier
from tutorial_lib.text import Vocab, tokenize
from tutorial_lib.training import fit, predict

LEVEL = {"ko": "char", "en": "word"}
SPLITS = ("test", "held_out", "double")
SIZES = dict(hid_dim=32, pf_dim=64, n_heads=2, n_layers=2, dropout=0.0, norm_first=True)


NETWORKS = {
    "encoder, no positions": partial(Classifier, n_classes=2, positions=None, **SIZES),
    "encoder, `<BOS>`": partial(Classifier, n_classes=2, pool="bos", **SIZES),
    "encoder, mean": partial(Classifier, n_classes=2, **SIZES),
    "GRU, both directions": partial(Recurrent, hid_dim=32, n_out=2, pool=True),
}


def loss(model: nn.Module, src: Tensor, labels: Tensor) -> Tensor:
    if model.training:
        src = src.masked_fill((torch.rand(src.shape) < 0.1) & (src > Vocab.eos_id), Vocab.unk_id)
    return F.cross_entropy(model(src), labels)


def counts(splits: dict, longest: int) -> dict[str, float]:
    vectors = CountVectorizer(tokenizer=tokenize, token_pattern=None, ngram_range=(1, longest))
    model = make_pipeline(vectors, LogisticRegression(max_iter=1000, C=10))
    model.fit([row.text for row in splits["train"]], [row.label for row in splits["train"]])
    return {
        name: float(model.score([r.text for r in splits[name]], [r.label for r in splits[name]])) for name in SPLITS
    }


def network(name: str, lang: str, splits: dict, seed: int) -> dict[str, float]:
    vocab = Vocab.build([row.text for row in splits["train"]], tokenizer=partial(tokenize, level=LEVEL[lang]))
    data = {
        key: (vocab.batch([row.text for row in rows]), torch.tensor([row.label for row in rows]))
        for key, rows in splits.items()
    }
    torch.manual_seed(seed)
    model = NETWORKS[name](input_dim=len(vocab))
    fit(model, data["train"], data["valid"], loss, epochs=8, batch_size=32, lr=5e-3, seed=seed)
    right = lambda src, labels: (predict(model, src).argmax(dim=-1) == labels).double().mean().item()
    return {key: right(*data[key]) for key in SPLITS}


def rows(seeds=(0, 1, 2)) -> list[dict]:
    """Share of right answers; a method without random numbers has one row."""
    found = []
    for name in ("words", "up to three words", *NETWORKS):
        for seed in seeds if name in NETWORKS else seeds[:1]:
            row, start = {"model": name, "seed": seed}, time.perf_counter()
            for lang in ("ko", "en"):
                splits = polarity(lang)
                longest = {"words": 1, "up to three words": 3}.get(name)
                got = counts(splits, longest) if longest else network(name, lang, splits, seed)
                row |= {f"{lang} {split}": share for split, share in got.items()}
            found.append(row | {"seconds": time.perf_counter() - start})
    return found
