"""The table of lesson 10: whole names found (F1), every method on four splits in both languages, over several seeds."""

import re
import time
from collections import Counter, defaultdict
from functools import partial

import torch
import torch.nn.functional as F
from sklearn.feature_extraction import DictVectorizer
from sklearn.linear_model import SGDClassifier

from tests.benchmarks.recurrent import Recurrent
from tutorial_lib.data.entities import TYPES, entities
from tutorial_lib.heads import Tagger
from tutorial_lib.tags import entity_scores, places, to_tags
from tutorial_lib.text import Vocab, collate, tokenize
from tutorial_lib.training import fit, predict

LEVEL, N_TRAIN = {"ko": "char", "en": "word"}, {"ko": 6000, "en": 4000}
SPLITS = ("test", "ambiguous", "names", "builds")
TAGS = ["O", *(f"{mark}-{kind}" for kind in TYPES for mark in "BI")]
SIZES = dict(hid_dim=48, pf_dim=96, n_heads=2, n_layers=2, dropout=0.0, norm_first=True)


NETWORKS = {  # how the model is built, and whether names are hidden from it in training
    "encoder, names shown": (partial(Tagger, n_tags=len(TAGS), **SIZES), False),
    "encoder, names hidden": (partial(Tagger, n_tags=len(TAGS), **SIZES), True),
    "GRU, names hidden": (partial(Recurrent, hid_dim=48, n_out=len(TAGS), pool=False), True),
}


def cut(lang: str):
    return partial(tokenize, level=LEVEL[lang])


def tagged(lang: str, sentences) -> list[list[str]]:
    return [to_tags(places(row.text, cut(lang)(row.text)), row.spans) for row in sentences]


def look_up(lang: str, splits: dict, seed: int):
    kinds = defaultdict(Counter)
    for text, spans in splits["train"]:
        for start, end, kind in spans:
            kinds[text[start:end]][kind] += 1
    names = {name: kinds[name].most_common(1)[0][0] for name in sorted(kinds, key=len, reverse=True)}
    find = re.compile("|".join(map(re.escape, names)))

    def say(rows):
        spans = [[(m.start(), m.end(), names[m[0]]) for m in find.finditer(row.text)] for row in rows]
        return tagged(lang, [row._replace(spans=found) for row, found in zip(rows, spans)])

    return say


def window(lang: str, splits: dict, seed: int):
    """A logistic regression on each token and its two neighbours on both sides."""

    def features(rows):
        for row in rows:
            tokens = ["<BOS>", "<BOS>", *cut(lang)(row.text), "<EOS>", "<EOS>"]
            for i in range(2, len(tokens) - 2):
                yield {f"{k}:{tokens[i + k]}": 1 for k in range(-2, 3)}

    vectors, model = DictVectorizer(), SGDClassifier(loss="log_loss", alpha=1e-6, max_iter=30, random_state=seed)
    model.fit(narrow(vectors.fit_transform(features(splits["train"]))), sum(tagged(lang, splits["train"]), []))

    def say(rows):
        said = iter(model.predict(narrow(vectors.transform(features(rows)))).tolist())
        return [[next(said) for _ in tags] for tags in tagged(lang, rows)]

    return say


def narrow(matrix):
    """DictVectorizer counts in 64 bits, and the model takes 32."""
    matrix.indices, matrix.indptr = matrix.indices.astype("int32"), matrix.indptr.astype("int32")
    return matrix


def network(name: str, lang: str, splits: dict, seed: int):
    vocab = Vocab.build([row.text for row in splits["train"]], tokenizer=cut(lang))

    def tensors(rows):
        numbers = [[-100, *map(TAGS.index, tags), -100] for tags in tagged(lang, rows)]
        return vocab.batch([row.text for row in rows]), collate(numbers, pad_id=-100)

    build, hidden = NETWORKS[name]

    def loss(model, src, tags):
        longest = int((src != 0).sum(dim=1).max())
        src, tags = src[:, :longest], tags[:, :longest]
        if model.training and hidden:
            lot, anything = torch.rand(len(src), 1), torch.randint(4, len(vocab), src.shape)
            src = torch.where((lot < 0.2) & (tags > 0), 1, src)
            src = torch.where((lot > 0.7) & (tags > 0), anything, src)
        return F.cross_entropy(model(src).flatten(0, 1), tags.flatten(), ignore_index=-100)

    torch.manual_seed(seed)
    model = build(input_dim=len(vocab))
    fit(model, tensors(splits["train"]), tensors(splits["valid"]), loss, epochs=4, batch_size=32, lr=5e-3, seed=seed)

    def say(rows):
        numbers = predict(model, vocab.batch([row.text for row in rows])).argmax(dim=-1).tolist()
        return [[TAGS[n] for n in line[1 : 1 + len(tags)]] for line, tags in zip(numbers, tagged(lang, rows))]

    return say


def rows(seeds=(0, 1, 2)) -> list[dict]:
    found = []
    for name in ("list of names", "window of five", *NETWORKS):
        for seed in seeds if name != "list of names" else seeds[:1]:
            row, start = {"model": name, "seed": seed}, time.perf_counter()
            for lang in ("ko", "en"):
                splits = entities(lang, n_train=N_TRAIN[lang])
                learn = {"list of names": look_up, "window of five": window}.get(name, partial(network, name))
                say = learn(lang, splits, seed)
                for split in SPLITS:
                    row[f"{lang} {split}"] = entity_scores(tagged(lang, splits[split]), say(splits[split]))["f1"]
            found.append(row | {"seconds": time.perf_counter() - start})
    return found
