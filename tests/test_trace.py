import sys
from dataclasses import dataclass

import pytest
import torch
from torch import nn

from tutorial_lib.attention import MultiHeadAttention, split_heads
from tutorial_lib.encoder import Encoder, EncoderLayer
from tutorial_lib.masks import padding_mask
from tutorial_lib.trace import annotate_shapes, attention_weights, trace_shapes


class Attn(nn.Module):
    def forward(self, hidden, mask=None):
        return hidden, None


class Head(nn.Module):
    def __init__(self, fail):
        super().__init__()
        self.linear, self.fail = nn.Linear(4, 2), fail

    def forward(self, x):
        if self.fail:
            raise RuntimeError("on purpose")
        return {"logits": self.linear(x), "extra": [None, x]}


class Block(nn.Module):
    def __init__(self, fail=False):
        super().__init__()
        self.attn, self.head = Attn(), Head(fail)

    def forward(self, x):
        x, _ = self.attn(hidden=x, mask=None)
        x, _ = self.attn(hidden=x[:, :2])
        return self.head(x)


def hooks(model):
    return [m for m in model.modules() if m._forward_hooks or m._forward_pre_hooks]


def test_tuples_dicts_keywords_and_a_module_used_twice():
    model = Block()
    trace = trace_shapes(model, torch.zeros(2, 3, 4))
    assert trace.rows == [
        ("", [(2, 3, 4)], [(2, 2, 2), (2, 2, 4)]),
        ("attn", [(2, 3, 4)], [(2, 3, 4)]),
        ("attn", [(2, 2, 4)], [(2, 2, 4)]),
        ("head", [(2, 2, 4)], [(2, 2, 2), (2, 2, 4)]),
        ("head.linear", [(2, 2, 4)], [(2, 2, 2)]),
    ]
    assert hooks(model) == []


def test_no_hook_is_left_after_an_exception():
    model = Block(fail=True)
    with pytest.raises(RuntimeError, match="on purpose"):
        trace_shapes(model, torch.zeros(2, 3, 4))
    assert hooks(model) == []


@pytest.fixture
def trace():
    model = Encoder(input_dim=12, hid_dim=8, pf_dim=16, n_heads=2, n_layers=2).eval()
    src = torch.tensor([[5, 7, 9, 0, 0], [1, 2, 3, 4, 5], [1, 2, 0, 0, 0]])
    sizes = dict(bs=3, sl=5, hid_dim=8, pf_dim=16)
    return trace_shapes(model, src, padding_mask(src, pad_id=0), sizes=sizes)


def test_the_text(trace):
    lines = str(trace.depth(1)).splitlines()
    assert [line.split()[0] for line in lines] == ["Encoder", "embed:", "pe:", "dropout:", "layers.0:", "layers.1:"]
    assert lines[1].split("   ")[0] == "  embed: Embed" and "[bs, sl] → [bs, sl, hid_dim]" in lines[1]
    assert lines[4].endswith("[3, 5, 8] [3, 1, 1, 5] → [3, 5, 8]") and "[bs, 1, 1, sl]" in lines[4]
    inner = next(line for line in str(trace).splitlines() if "linear1" in line)
    assert inner.startswith("      linear1: Linear") and "→ [bs, sl, pf_dim]" in inner


def test_without_sizes_only_numbers_and_two_letters_for_one_number(trace):
    model = nn.Linear(2, 3)
    assert str(trace_shapes(model, torch.zeros(2, 2))) == "Linear   [2, 2] → [2, 3]"
    assert "[bs|n_heads, bs|n_heads] → [bs|n_heads, 3]" in str(
        trace_shapes(model, torch.zeros(2, 2), sizes=dict(bs=2, n_heads=2))
    )


def test_a_module_that_calls_itself_and_returns_nothing_inside():
    class Countdown(nn.Module):
        def forward(self, x):
            return None if len(x) == 1 else (self(x[1:]), x)[1]

    trace = trace_shapes(Countdown(), torch.zeros(3, 2))
    assert trace.rows == [("", [(3, 2)], [(3, 2)]), ("", [(2, 2)], [(2, 2)]), ("", [(1, 2)], [])]


def test_an_argument_may_be_called_model():
    class Takes(nn.Module):
        def forward(self, model):
            return model

    assert trace_shapes(Takes(), model=torch.zeros(2)).rows == [("", [(2,)], [(2,)])]


def test_expect(trace):
    trace.expect("layers.0.self_attn", "[bs, sl, hid_dim]")
    trace.expect("", "[3, 5, hid_dim]")
    with pytest.raises(AssertionError, match=r"embed returned \[bs, sl, hid_dim\] = \[3, 5, 8\], not \[bs, sl\]"):
        trace.expect("embed", "[bs, sl]")
    with pytest.raises(KeyError, match="'layer.0'"):
        trace.expect("layer.0", "[bs, sl, hid_dim]")
    with pytest.raises(ValueError, match="no size for 'tl'"):
        trace.expect("embed", "[bs, tl, hid_dim]")


def test_expect_on_an_axis_that_could_be_two_says_which_size_to_change():
    trace = trace_shapes(nn.Linear(2, 3), torch.zeros(2, 2), sizes=dict(bs=2, n_heads=2, out=3))
    with pytest.raises(ValueError, match=r"bs\|n_heads are both 2: change one size"):
        trace.expect("", "[bs, out]")
    ones = trace_shapes(nn.Linear(1, 3), torch.zeros(1, 1), sizes=dict(bs=1, sl=1, out=3))
    with pytest.raises(ValueError, match=r"bs\|sl are both 1"):
        ones.expect("", "[sl, out]")


@dataclass
class Output:
    hidden: torch.Tensor
    rest: tuple


def test_a_dataclass_is_an_output_like_any_other():
    class Returns(nn.Module):
        def forward(self, x):
            return Output(x, (x[0], {"a": [x[0, 0]]}, "word", None))

    assert trace_shapes(Returns(), torch.zeros(2, 3)).rows[0].outputs == [(2, 3), (3,), ()]


def test_the_table_for_notebooks(trace):
    table = trace.depth(1)._repr_html_()
    assert (
        table.count("<tr>") == 7
        and table.count('style="text-align:left"') == 21
        and "<code>layers.0</code> EncoderLayer" in table
    )
    assert "[bs, sl, hid_dim] <small" in table and "[3, 5, 8]</small>" in table
    assert (
        "color" not in table and "background" not in table
    )  # the page's own colours, so that a dark theme stays readable
    numbers_only = trace_shapes(nn.Linear(2, 3), torch.zeros(4, 2))._repr_html_()
    assert ">[4, 3]</small>" in numbers_only and "Linear" in numbers_only


def test_annotated_source_of_a_function():
    found = annotate_shapes(split_heads, torch.zeros(3, 5, 8), n_heads=2)
    assert list(found.lines.values()) == [{"x": (3, 5, 8)}, {"x": (3, 5, 2, 4)}, {"return": (3, 2, 5, 4)}]
    shown = str(found.named(bs=3, sl=5, hid_dim=8, n_heads=2, head_dim=4)).splitlines()
    assert shown[0].startswith("def split_heads(") and shown[0].endswith("# x: [bs, sl, hid_dim]")
    assert shown[-1].endswith("# [bs, n_heads, sl, head_dim]") and shown[-1].count("#") == 1
    assert str(found).splitlines()[-1].endswith("# [3, 2, 5, 4]")


def test_annotated_source_of_a_module_is_its_forward():
    layer = EncoderLayer(hid_dim=8, pf_dim=16, n_heads=2).eval()
    found = annotate_shapes(layer, torch.zeros(3, 5, 8))
    assert found.source[0].startswith("def forward(self, src")
    shapes = [
        shape for line in found.lines.values() for name, shape in line.items() if name in ("src", "_src", "return")
    ]
    assert set(shapes) == {(3, 5, 8)} and len(shapes) >= 6


def test_annotating_puts_the_old_tracer_back_also_after_an_exception():
    def tracer(frame, event, argument):
        return None

    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        annotate_shapes(split_heads, torch.zeros(1, 2, 4), n_heads=2)
        with pytest.raises(ValueError, match="not divisible"):
            annotate_shapes(split_heads, torch.zeros(1, 2, 4), n_heads=3)
        assert sys.gettrace() is tracer
    finally:
        sys.settrace(before)


def test_what_has_no_source_is_refused():
    with pytest.raises(TypeError, match="has none"):
        annotate_shapes(torch.sum, torch.zeros(2))


SRC = torch.tensor([[5, 7, 9, 0, 0], [1, 2, 3, 4, 5], [1, 2, 0, 0, 0]])


def test_weights_of_ours():
    model = Encoder(input_dim=12, hid_dim=8, pf_dim=16, n_heads=2, n_layers=2).eval()
    mask = padding_mask(SRC, pad_id=0)
    weights = attention_weights(model, SRC, mask)
    for got, wanted in zip(weights, model(SRC, mask, need_weights=True)[1], strict=True):
        torch.testing.assert_close(got, wanted)
    x = torch.randn(3, 5, 8)
    assert [w.shape for w in attention_weights(model.layers[0], x)] == [(3, 2, 5, 5)]
    attention = MultiHeadAttention(hid_dim=8, n_heads=2)
    assert [w.shape for w in attention_weights(attention, x, x[:, :4], x[:, :4])] == [(3, 2, 5, 4)]


@pytest.mark.parametrize("training", [True, False])
def test_weights_of_torchs_encoder_per_head_although_it_asks_for_none(training):
    layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)
    model = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False).train(training)
    x, hidden = torch.randn(3, 5, 8), SRC == 0
    weights = attention_weights(model, x, src_key_padding_mask=hidden)
    assert [w.shape for w in weights] == [(3, 2, 5, 5)] * 2 and not weights[0].requires_grad
    assert all(w[0, ..., 3:].eq(0).all() for w in weights)
    torch.testing.assert_close(weights[1].sum(-1), torch.ones(3, 2, 5))
    assert hooks(model) == []
    assert "self_attn: MultiheadAttention" in str(trace_shapes(model, x))


def test_weights_of_hugging_faces_bert():
    transformers = pytest.importorskip("transformers")
    sizes = dict(vocab_size=20, hidden_size=8, num_hidden_layers=2, num_attention_heads=2, intermediate_size=16)
    config = transformers.BertConfig(**sizes, attn_implementation="eager")
    model = transformers.BertModel(config).eval()
    weights = attention_weights(model, SRC, attention_mask=(SRC != 0).long())
    assert [w.shape for w in weights] == [(3, 2, 5, 5)] * 2 and weights[0][0, ..., 3:].eq(0).all()
    assert "[3, 5, 8]" in str(trace_shapes(model, SRC))
    config = transformers.BertConfig(**sizes, attn_implementation="sdpa")
    with pytest.raises(ValueError, match='attn_implementation="eager"'):
        attention_weights(transformers.BertModel(config).eval(), SRC)


def test_a_model_without_weights_says_why():
    with pytest.raises(ValueError, match=r"Linear.forward takes neither"):
        attention_weights(nn.Linear(2, 2), torch.zeros(2, 2))


def test_an_attention_that_takes_no_part_is_told():
    model = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 2).eval()
    model.layers[1] = nn.Identity()
    model.idle = nn.MultiheadAttention(8, 2)
    model.layers[1].forward = lambda x, **masks: x
    with pytest.raises(ValueError, match="of 2 nn.MultiheadAttention only 1 took part in this call"):
        attention_weights(model, torch.randn(3, 5, 8))
