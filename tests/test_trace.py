import pytest
import torch
from torch import nn

from tutorial_lib.encoder import Encoder
from tutorial_lib.masks import padding_mask
from tutorial_lib.trace import trace_shapes


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
    with pytest.raises(AssertionError, match=r"embed returned \[bs, sl, hid_dim\] = \[3, 5, 8\], expected \[bs, sl\]"):
        trace.expect("embed", "[bs, sl]")
    with pytest.raises(KeyError, match="'layer.0'"):
        trace.expect("layer.0", "[bs, sl, hid_dim]")
    with pytest.raises(ValueError, match="no size for 'tl'"):
        trace.expect("embed", "[bs, tl, hid_dim]")


def test_expect_on_an_axis_that_could_be_two_says_which_size_to_change():
    trace = trace_shapes(nn.Linear(2, 3), torch.zeros(2, 2), sizes=dict(bs=2, n_heads=2, out=3))
    with pytest.raises(ValueError, match=r"bs\|n_heads are both 2.*change one size"):
        trace.expect("", "[bs, out]")
    ones = trace_shapes(nn.Linear(1, 3), torch.zeros(1, 1), sizes=dict(bs=1, sl=1, out=3))
    with pytest.raises(ValueError, match=r"bs\|sl are both 1"):
        ones.expect("", "[sl, out]")
