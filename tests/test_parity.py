"""Equal to torch.nn with the same weights: outputs on real positions, attention weights, and every parameter's gradient.

The grid: norm_first × activation × mask (none, padding, causal, both) × even and odd sizes × train and eval × fused path
or weights asked for, over five seeds, dropout 0. float64 to 1e-10; float32 to 2e-6 for a layer and 1e-5 for a stack.
`pytest tests/test_parity.py -s` prints the largest difference met.
"""

import itertools

import pytest
import torch
from torch import nn

from tutorial_lib import masks
from tutorial_lib.attention import MultiHeadAttention
from tutorial_lib.encoder import Encoder, EncoderLayer

SEEDS = (0, 1, 2, 3, 4)
EVEN = dict(hid_dim=8, n_heads=2, pf_dim=16)
ODD = dict(hid_dim=15, n_heads=3, pf_dim=13)
IDS = torch.tensor([[3, 4, 5, 6, 7], [3, 4, 0, 0, 0], [3, 4, 5, 6, 0]])
REAL = IDS != 0
ONE_LAYER = {torch.float64: 1e-10, torch.float32: 2e-6}
STACK = {torch.float64: 1e-10, torch.float32: 1e-5}

grid = pytest.mark.parametrize(
    ("norm_first", "activation", "masked", "sizes", "training"),
    list(
        itertools.product(
            [False, True], ["relu", "gelu"], ["none", "padding", "causal", "both"], [EVEN, ODD], [True, False]
        )
    ),
    ids=lambda value: f"hid{value['hid_dim']}" if isinstance(value, dict) else str(value),
)
dtypes = pytest.mark.parametrize("dtype", [torch.float64, torch.float32], ids=["float64", "float32"])
largest = {}


@pytest.fixture(scope="module", autouse=True)
def _report():
    yield
    for key, value in sorted(largest.items()):
        print(f"\nlargest difference, {key}: {value:.1e}", end="")


def note(what, ours, theirs, tolerance):
    difference = (ours - theirs).abs().max().item()
    largest[what] = max(largest.get(what, 0), difference)
    assert difference <= tolerance, f"{what}: {difference:.2e} > {tolerance:.0e}"


def both_masks(masked):
    """Our mask, and torch's keywords for the same."""
    padding = masks.padding_mask(IDS, pad_id=0) if masked in ("padding", "both") else None
    causal = masks.causal_mask(5) if masked in ("causal", "both") else None
    ours = padding if causal is None else causal if padding is None else padding & causal
    hidden = None if padding is None else masks.to_key_padding_mask(padding)
    return ours, hidden, None if causal is None else ~causal[0, 0]


def copy_attention(ours, theirs):
    """torch packs the three projections into one matrix: query on top, then key, then value."""
    with torch.no_grad():
        for parameter in theirs.parameters():
            parameter.normal_(std=0.3)  # torch starts its biases at 0, where a lost bias would not be seen
        for linear, weight, bias in zip(
            (ours.q_proj, ours.k_proj, ours.v_proj), theirs.in_proj_weight.chunk(3), theirs.in_proj_bias.chunk(3)
        ):
            linear.weight.copy_(weight), linear.bias.copy_(bias)
    ours.out_proj.load_state_dict(theirs.out_proj.state_dict())


def copy_layer(ours, theirs):
    copy_attention(ours.self_attn, theirs.self_attn)
    for mine, other in pairs_of_layer(ours, theirs):
        with torch.no_grad():
            other.weight.add_(torch.randn_like(other.weight) * 0.1), other.bias.add_(torch.randn_like(other.bias) * 0.1)
        mine.load_state_dict(other.state_dict())


def pairs_of_layer(ours, theirs):
    return [
        (ours.attn_layer_norm, theirs.norm1),
        (ours.ff_layer_norm, theirs.norm2),
        (ours.ff.linear1, theirs.linear1),
        (ours.ff.linear2, theirs.linear2),
    ]


def gradients_of_attention(ours, theirs):
    projections = (ours.q_proj, ours.k_proj, ours.v_proj)
    yield torch.cat([linear.weight.grad for linear in projections]), theirs.in_proj_weight.grad
    yield torch.cat([linear.bias.grad for linear in projections]), theirs.in_proj_bias.grad
    yield ours.out_proj.weight.grad, theirs.out_proj.weight.grad
    yield ours.out_proj.bias.grad, theirs.out_proj.bias.grad


def gradients_of_layer(ours, theirs):
    yield from gradients_of_attention(ours.self_attn, theirs.self_attn)
    for mine, other in pairs_of_layer(ours, theirs):
        yield mine.weight.grad, other.weight.grad
        yield mine.bias.grad, other.bias.grad


def torch_layer(sizes, dtype, **how):
    names = dict(d_model=sizes["hid_dim"], nhead=sizes["n_heads"], dim_feedforward=sizes["pf_dim"])
    return nn.TransformerEncoderLayer(**names, dropout=0.0, batch_first=True, dtype=dtype, **how)


def run_both(what, ours, theirs, src, masked, need_weights, tolerance):
    """One pass of both, forward and backward, compared at the real tokens; returns our output."""
    mask, hidden, causal = both_masks(masked)
    wanted = theirs(src, causal, src_key_padding_mask=hidden)
    out = ours(src, mask, need_weights=need_weights)
    out = out[0] if need_weights else out
    note(f"{what}, output, {src.dtype}", out[REAL], wanted[REAL], tolerance)
    probe = torch.randn_like(wanted[REAL])
    for output in (wanted, out):
        (output[REAL] * probe).mean().backward()
    return out


@dtypes
@pytest.mark.parametrize("masked", ["none", "padding"])
@pytest.mark.parametrize("kind", ["self", "cross"])
@pytest.mark.parametrize("sizes", [EVEN, ODD], ids=["even", "odd"])
@pytest.mark.parametrize("training", [True, False])
def test_attention(dtype, masked, kind, sizes, training):
    hid_dim, n_heads = sizes["hid_dim"], sizes["n_heads"]
    for seed in SEEDS:
        torch.manual_seed(seed)
        theirs = nn.MultiheadAttention(hid_dim, n_heads, batch_first=True, dtype=dtype).train(training)
        ours = MultiHeadAttention(hid_dim=hid_dim, n_heads=n_heads, dropout=0.0).to(dtype).train(training)
        copy_attention(ours, theirs)
        key = torch.randn(3, 5, hid_dim, dtype=dtype)
        query, value = (
            (key, key) if kind == "self" else (torch.randn(3, 4, hid_dim, dtype=dtype), torch.randn_like(key))
        )
        mask, hidden, _ = both_masks(masked)
        wanted, weights = theirs(query, key, value, key_padding_mask=hidden, average_attn_weights=False)
        out, none = ours(query, key, value, mask)
        shown, ours_weights = ours(query, key, value, mask, need_weights=True)
        assert none is None and ours_weights.shape == (3, n_heads, query.size(1), 5)
        tolerance = ONE_LAYER[dtype]
        for got in (out, shown):
            note(f"attention, output, {dtype}", got, wanted, tolerance)
        note(f"attention, weights, {dtype}", ours_weights, weights, tolerance)
        average = theirs(query, key, value, key_padding_mask=hidden)[1]
        note(f"attention, weights, {dtype}", ours_weights.mean(1), average, tolerance)
        probe = torch.randn_like(wanted)
        for output in (wanted, out):
            (output * probe).mean().backward()
        for mine, other in gradients_of_attention(ours, theirs):
            note(f"attention, gradients, {dtype}", mine, other, tolerance)


@dtypes
@grid
def test_layer(dtype, norm_first, activation, masked, sizes, training):
    _, hidden, causal = both_masks(masked)
    for seed, need_weights in zip(SEEDS, itertools.cycle([False, True])):
        torch.manual_seed(seed)
        theirs = torch_layer(sizes, dtype, norm_first=norm_first, activation=activation).train(training)
        ours = (
            EncoderLayer(**sizes, dropout=0.0, norm_first=norm_first, activation=activation).to(dtype).train(training)
        )
        copy_layer(ours, theirs)
        src = torch.randn(3, 5, sizes["hid_dim"], dtype=dtype)
        out = run_both("layer", ours, theirs, src, masked, need_weights, ONE_LAYER[dtype])
        for mine, other in gradients_of_layer(ours, theirs):
            note(f"layer, gradients, {dtype}", mine, other, ONE_LAYER[dtype])
        with torch.no_grad():  # torch's fast path, which leaves padded places out
            fast = theirs(src, src_mask=causal, src_key_padding_mask=hidden)
        note(f"layer, output, {dtype}", out[REAL], fast[REAL], ONE_LAYER[dtype])


@dtypes
@grid
def test_stack_of_six(dtype, norm_first, activation, masked, sizes, training):
    for seed, need_weights in zip(SEEDS, itertools.cycle([False, True])):
        torch.manual_seed(seed)
        last = nn.LayerNorm(sizes["hid_dim"], dtype=dtype) if norm_first else None
        one = torch_layer(sizes, dtype, norm_first=norm_first, activation=activation)
        theirs = nn.TransformerEncoder(one, 6, norm=last, enable_nested_tensor=False).train(training)
        ours = Encoder(
            input_dim=None,
            n_layers=6,
            **sizes,
            dropout=0.0,
            positions=None,
            norm_first=norm_first,
            activation=activation,
        )
        ours.to(dtype).train(training)
        for mine, other in zip(ours.layers, theirs.layers):
            copy_layer(mine, other)
        src = torch.randn(3, 5, sizes["hid_dim"], dtype=dtype)
        run_both("stack", ours, theirs, src, masked, need_weights, STACK[dtype])
        for mine, other in zip(ours.layers, theirs.layers):
            for my_gradient, gradient in gradients_of_layer(mine, other):
                note(f"stack, gradients, {dtype}", my_gradient, gradient, STACK[dtype])
        if norm_first:
            note(f"stack, gradients, {dtype}", ours.norm.weight.grad, theirs.norm.weight.grad, STACK[dtype])


@dtypes
def test_another_eps(dtype):
    theirs = torch_layer(EVEN, dtype, layer_norm_eps=1e-12)
    ours = EncoderLayer(**EVEN, dropout=0.0, norm_eps=1e-12).to(dtype)
    copy_layer(ours, theirs)
    src = 1e-3 * torch.randn(3, 5, 8, dtype=dtype)
    note(f"layer, output, {dtype}", ours(src), theirs(src), ONE_LAYER[dtype])


def test_the_comparison_can_fail():
    """A lost mask, a lost bias, the other norm order: each is told from the right sum by far more than the tolerance."""
    theirs = torch_layer(EVEN, torch.float32)
    ours = EncoderLayer(**EVEN, dropout=0.0)
    copy_layer(ours, theirs)
    src = torch.randn(3, 5, 8)
    mask, hidden, _ = both_masks("padding")
    wanted = theirs(src, src_key_padding_mask=hidden)
    assert (ours(src, mask) - wanted)[REAL].abs().max() < 2e-6
    assert (ours(src) - wanted)[REAL].abs().max() > 1e-3
    ours.norm_first = True
    assert (ours(src, mask) - wanted)[REAL].abs().max() > 1e-3
    ours.norm_first = False
    with torch.no_grad():
        ours.self_attn.q_proj.bias.zero_()
    assert (ours(src, mask) - wanted)[REAL].abs().max() > 1e-4
