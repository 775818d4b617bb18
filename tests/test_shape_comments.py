"""Every shape comment of the library and of the lessons is run and compared; one that is false, unread or never run fails."""

import itertools
import re

import matplotlib.pyplot as plt
import nbformat
import pytest
import torch

from tests.shape_comments import check_cells, check_files
from tools import ROOT, lessons
from tutorial_lib import bert, broken, decoder, heads, masks, text
from tutorial_lib.attention import MultiHeadAttention
from tutorial_lib.data import timeseries
from tutorial_lib.embedding import LearnedPositionLayer, PositionalEncodingLayer, sinusoid_table
from tutorial_lib.encoder import Encoder
from tutorial_lib.explorer import attention_explorer
from tutorial_lib.feedforward import LayerNorm

FILES = [file for file in sorted((ROOT / "tutorial_lib").rglob("*.py")) if file.name != "broken.py"]
# all different, so that a number tells its axis
SIZES = dict(bs=3, hid_dim=8, pf_dim=16, n_heads=2, head_dim=4, max_len=11)


def run_the_library():
    """Enough calls to reach every line that carries a shape comment."""
    torch.manual_seed(0)
    src = torch.tensor([[2, 4, 5, 6, 3], [2, 7, 3, 0, 0], [2, 8, 9, 3, 0]])
    mask = masks.padding_mask(src, pad_id=0)
    for norm_first, need_weights in itertools.product([False, True], [False, True]):
        model = Encoder(input_dim=10, hid_dim=8, pf_dim=16, n_heads=2, n_layers=6, max_len=11, norm_first=norm_first)
        model(src, mask & masks.causal_mask(5), need_weights=need_weights)
    attention = MultiHeadAttention(hid_dim=8, n_heads=2)
    for need_weights in (False, True):
        attention(torch.randn(3, 7, 8), torch.randn(3, 5, 8), torch.randn(3, 5, 8), mask, need_weights=need_weights)
    sinusoid_table(max_len=11, hid_dim=8)
    for layer in (PositionalEncodingLayer, LearnedPositionLayer):
        layer(hid_dim=8, max_len=11)(torch.randn(3, 5, 8))
    LayerNorm(hid_dim=8)(torch.randn(3, 5, 8))
    masks.from_key_padding_mask(masks.to_key_padding_mask(mask))
    masks.from_integers(masks.to_integers(mask)), masks.from_additive(masks.to_additive(mask, dtype=torch.float32))
    text.Vocab.build(["a b", "c"]).batch(["a b c", "a", ""])
    sizes = dict(vocab_size=10, hidden_size=8, num_hidden_layers=6, num_attention_heads=2, intermediate_size=16)
    for is_causal, asked in itertools.product([False, True], [False, True]):
        model = bert.Model(bert.Config(**sizes, max_position_embeddings=11, is_causal=is_causal))
        weights = model(src, mask, output_attentions=asked, output_hidden_states=asked).attentions
    attention_explorer([one[:1] for one in weights], list("abcde"))
    sizes = dict(hid_dim=8, pf_dim=16, n_heads=2, n_layers=6, max_len=11)
    for pool in ("mean", "bos"):
        heads.Classifier(n_classes=9, pool=pool, input_dim=10, **sizes)(src)
    heads.masked_mean(torch.randn(3, 5, 8), None), heads.Tagger(n_tags=9, input_dim=10, **sizes)(src)
    for head in ("ffn", "lstm"):
        heads.Forecaster(n_values=9, head=head, **sizes)(torch.randn(3, 5, 9))
    model, tgt = decoder.Seq2Seq(input_dim=10, output_dim=9, **sizes), src[:, :4].clamp(max=8)
    for need_weights in (False, True):
        model(src, tgt, need_weights=need_weights)
    decoder.Seq2Seq(input_dim=10, output_dim=9, norm_first=True, **sizes)(src, tgt)
    series, _ = timeseries.motifs(7, length=60, seed=0)
    timeseries.lag_tokens(series, n_values=4), timeseries.find_period(series)
    timeseries.windows(timeseries.sunspots(), sl=13)
    decoder.shift_right(tgt, bos_id=2), decoder.greedy_decode(model, src, bos_id=2, eos_id=3, max_len=4)


def test_every_comment_of_the_library_is_true_and_is_run():
    checked = check_files(FILES, run_the_library, SIZES)
    assert [wrong for one in checked.values() for wrong in one.wrong] == []
    assert {str(file.name): one.unmet for file, one in checked.items() if one.unmet} == {}
    assert sum(len(one.found) for one in checked.values()) >= 50


def test_every_comment_of_the_patients_is_true_and_is_run():
    def run_the_patients():
        src = torch.tensor([[2, 4, 5, 6, 3], [2, 7, 3, 0, 0], [2, 8, 9, 3, 0]])
        for number in range(1, 14):
            broken.patient(number, input_dim=10)(src, masks.padding_mask(src, pad_id=0), need_weights=True)

    file = ROOT / "tutorial_lib" / "broken.py"
    checked = check_files([file], run_the_patients, dict(bs=3, sl=5, head_dim=8, **broken.SIZES))[file]
    assert (checked.wrong, checked.unmet) == ([], set()) and len(checked.found) >= 10


WRONG = {
    "attention": ("# x: [bs, sl, n_heads, head_dim]", "# x: [bs, sl, head_dim, n_heads]"),
    "embedding": ("# [max_len, hid_dim]", "# [hid_dim, max_len]"),
    "masks": ("# [1, 1, sl, sl]", "# [1, sl, sl]"),
    "encoder": ("# _src: [bs, sl, hid_dim]", "# _src: [bs, sl, pf_dim]"),
    "feedforward": ("# x: [bs, sl, pf_dim]", "# x: [bs, pf_dim, sl]"),
    "heads": ("# real: [bs, sl, 1]", "# real: [bs, 1, sl]"),
    "decoder": ("# logits: [bs, tl, output_dim]", "# logits: [bs, output_dim, tl]"),
    "bert": ("# context_layer: [bs, sl, hid_dim]", "# context_layer: [bs, hid_dim, sl]"),
}


@pytest.mark.parametrize("module", WRONG)
def test_a_comment_made_wrong_on_purpose_is_noticed(module, monkeypatch):
    right, wrong = WRONG[module]
    file = ROOT / "tutorial_lib" / f"{module}.py"
    source = file.read_text(encoding="utf-8")
    assert right in source
    changed = source.replace(right, wrong, 1)
    read = type(file).read_text
    monkeypatch.setattr(type(file), "read_text", lambda self, **how: changed if self == file else read(self, **how))
    checked = check_files([file], run_the_library, SIZES)[file]
    monkeypatch.undo()
    assert checked.wrong and all(f"{module}.py" in line for line in checked.wrong)


@pytest.mark.parametrize(
    "comment", ["# x: [bs sl]", "# x: [bs, sl", "# x: [bs, [sl]]", "# x: [bs, 2*sl]", "#x: [bs, sl]"]
)
def test_a_comment_that_cannot_be_read_is_noticed(tmp_path, comment):
    file = tmp_path / "unread.py"
    file.write_text(f"def f(x):\n    x = x + 1  {comment}\n    return x\n")
    assert "cannot be read" in check_files([file], lambda: None, {})[file].wrong[0]


def test_a_comment_that_is_never_run_is_noticed(tmp_path):
    file = tmp_path / "unmet.py"
    file.write_text("def f(x):\n    if x is None:\n        x = 1  # x: [bs]\n    return x  # [bs]\n")
    assert check_files([file], lambda: None, {})[file].unmet == {3, 4}


FIXED = ("hid_dim", "n_heads", "pf_dim")


@pytest.mark.parametrize("source", lessons.sources(), ids=lambda source: source.stem)
def test_every_comment_of_a_lesson_is_true_and_is_run(source, monkeypatch, capsys, short_trainings):
    monkeypatch.setattr(plt, "show", lambda: plt.close("all"))
    found = 0
    for target in lessons.targets(source):
        if target.lang == "en":
            notebook = nbformat.read(target.path, as_version=4)
            library = {cell.metadata["name"] for cell in lessons.load(source) if lessons.library_source(cell.source)}
            cells = [(c.id, c.source) for c in notebook.cells if c.cell_type == "code"]
            checked = check_cells(cells, {"__name__": "__main__"}, {})
            own = {name: one for name, one in checked.items() if name not in library}  # the library's are checked above
            assert [wrong for one in own.values() for wrong in one.wrong] == []
            assert {name: one.unmet for name, one in own.items() if one.unmet} == {}
            found += sum(len(one.found) for one in own.values())
    assert found >= 4


def test_a_wrong_comment_in_a_cell_is_noticed():
    cells = [
        ("first", "import torch\nx = torch.zeros(3, 5)  # x: [bs, sl]\nx.sum(dim=1)  # [bs]"),
        ("second", "y = x.T  # y: [bs, 5]"),
        ("third", "def f(z):\n    z = z[0]  # z: [sl]\n    return z[:, None]  # [sl]\n\n\nf(x)"),
    ]
    checked = check_cells(cells, {}, {})
    assert checked["first"].wrong == [] and checked["first"].met == {2, 3}
    assert "the comment says [bs, 5], and y is [5, 3]" in checked["second"].wrong[0]
    assert re.search(r"says \[sl\], and the result is \[5, 1\]", checked["third"].wrong[0])
