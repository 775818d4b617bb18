"""The decoder: equal to torch's with the same weights, blind to future and padding, and the claims of lesson 13 over seeds."""

import itertools

import pytest
import torch
from torch import nn

from tests.notebook_runs import from_seed
from tests.shape_comments import check_files
from tests.test_parity import copy_attention, gradients_of_attention
from tools import ROOT
from tutorial_lib import masks
from tutorial_lib.decoder import Decoder, DecoderLayer, Seq2Seq, greedy_decode, shift_right
from tutorial_lib.exercises import lesson_13

SIZES = dict(hid_dim=8, pf_dim=16, n_heads=2)
SRC = torch.tensor([[2, 4, 5, 6, 3], [2, 7, 3, 0, 0], [2, 8, 9, 3, 0]])
TGT = torch.tensor([[4, 5, 6, 7, 4, 3, 0], [5, 3, 0, 0, 0, 0, 0], [6, 7, 4, 5, 5, 5, 3]])
NORMS = [("self_attn_layer_norm", "norm1"), ("cross_attn_layer_norm", "norm2"), ("ff_layer_norm", "norm3")]
ATTENTIONS = [("self_attn", "self_attn"), ("cross_attn", "multihead_attn")]


def seq2seq(seed=0, **how):
    torch.manual_seed(seed)
    return Seq2Seq(input_dim=10, output_dim=9, n_layers=2, **{**SIZES, **how}).eval()


def copy_layer(ours, theirs):
    for mine, other in ATTENTIONS:
        copy_attention(getattr(ours, mine), getattr(theirs, other))
    for mine, other in others(ours, theirs):
        with torch.no_grad():
            other.weight.add_(torch.randn_like(other.weight) * 0.1), other.bias.add_(torch.randn_like(other.bias) * 0.1)
        mine.load_state_dict(other.state_dict())


def others(ours, theirs):
    return [*((getattr(ours, mine), getattr(theirs, other)) for mine, other in NORMS),
            (ours.ff.linear1, theirs.linear1), (ours.ff.linear2, theirs.linear2)]  # fmt: skip


def gradients(ours, theirs):
    for mine, other in ATTENTIONS:
        yield from gradients_of_attention(getattr(ours, mine), getattr(theirs, other))
    for mine, other in others(ours, theirs):
        yield from ((mine.weight.grad, other.weight.grad), (mine.bias.grad, other.bias.grad))


def run_both(ours, theirs, masked, dtype, tolerance, **how):
    """Output and gradients of both, also those that reach tgt and memory. Returns our extra output, if asked for."""
    tgt, memory = torch.randn(3, 7, 8, dtype=dtype), torch.randn(3, 5, 8, dtype=dtype)
    causal = masks.causal_mask(7) if masked in ("causal", "both") else None
    padding = masks.padding_mask(SRC, pad_id=0) if masked in ("padding", "both") else None
    inputs = [[x.clone().requires_grad_() for x in (tgt, memory)] for _ in range(2)]
    hidden = None if padding is None else masks.to_key_padding_mask(padding)
    wanted = theirs(*inputs[0], None if causal is None else ~causal[0, 0], memory_key_padding_mask=hidden)
    out = ours(*inputs[1], causal, padding, **how)
    out, extra = out if how.get("need_weights") else (out, None)
    probe = torch.randn_like(wanted)
    for output in (wanted, out):
        (output * probe).mean().backward()
    pairs = [(out, wanted), *((a.grad, b.grad) for a, b in zip(*inputs))]
    assert max((a - b).abs().max().item() for a, b in pairs) <= tolerance
    return extra


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32], ids=["float64", "float32"])
@pytest.mark.parametrize("masked", ["none", "padding", "causal", "both"])
@pytest.mark.parametrize("activation", ["relu", "gelu"])
@pytest.mark.parametrize("norm_first", [False, True])
def test_a_layer_equals_torchs(norm_first, activation, masked, dtype):
    tolerance = {torch.float64: 1e-10, torch.float32: 2e-6}[dtype]
    for seed, need_weights in zip(range(4), itertools.cycle([False, True])):
        torch.manual_seed(seed)
        how = dict(dropout=0.0, norm_first=norm_first, activation=activation)
        theirs = nn.TransformerDecoderLayer(8, 2, 16, batch_first=True, dtype=dtype, **how)
        ours = DecoderLayer(**SIZES, **how).to(dtype)
        copy_layer(ours, theirs)
        weights = run_both(ours, theirs, masked, dtype, tolerance, need_weights=need_weights)
        assert max((mine - other).abs().max().item() for mine, other in gradients(ours, theirs)) <= tolerance
        if need_weights:
            assert [list(one.shape) for one in weights] == [[3, 2, 7, 7], [3, 2, 7, 5]]
            assert all(torch.allclose(one.sum(-1), torch.ones(1, dtype=dtype), atol=1e-5) for one in weights)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32], ids=["float64", "float32"])
@pytest.mark.parametrize("norm_first", [False, True])
def test_a_stack_equals_torchs(norm_first, dtype):
    one = nn.TransformerDecoderLayer(8, 2, 16, dropout=0.0, batch_first=True, norm_first=norm_first, dtype=dtype)
    last = nn.LayerNorm(8, dtype=dtype) if norm_first else None
    theirs = nn.TransformerDecoder(one, 3, norm=last)
    ours = Decoder(output_dim=9, n_layers=3, **SIZES, dropout=0.0, norm_first=norm_first).to(dtype)
    for mine, other in zip(ours.layers, theirs.layers):
        copy_layer(mine, other)
    memory, padding = torch.randn(3, 5, 8, dtype=dtype), masks.padding_mask(SRC, pad_id=0)
    x = ours.pe(ours.embed(TGT))
    hidden = masks.to_key_padding_mask(padding)
    wanted = ours.out(theirs(x, memory, ~masks.causal_mask(7)[0, 0], memory_key_padding_mask=hidden))
    assert (ours(TGT, memory, padding) - wanted).abs().max() <= (1e-10 if dtype == torch.float64 else 1e-5)


def test_the_comparison_can_fail():
    theirs = nn.TransformerDecoderLayer(8, 2, 16, dropout=0.0, batch_first=True)
    ours = DecoderLayer(**SIZES, dropout=0.0)
    copy_layer(ours, theirs)
    run_both(ours, theirs, "both", torch.float32, 2e-6)
    ours.cross_attn_layer_norm, ours.ff_layer_norm = ours.ff_layer_norm, ours.cross_attn_layer_norm
    with pytest.raises(AssertionError):
        run_both(ours, theirs, "both", torch.float32, 1e-4)


@pytest.mark.parametrize(
    "how", [{}, dict(norm_first=True, activation="gelu"), dict(positions="learned"), dict(positions=None)]
)
def test_no_logit_depends_on_a_later_token(how):
    model = seq2seq(**how)
    before = model(SRC, TGT)
    for place in range(7):
        changed = TGT.clone()
        changed[:, place] = 8
        moved = (model(SRC, changed) - before).abs().amax(dim=(0, 2))
        assert moved[:place].max() < 1e-6 if place else True
        assert moved[place] > 1e-3


def test_padding_changes_nothing_in_the_source_and_in_the_target():
    model = seq2seq()
    before = model(SRC, TGT)
    assert torch.allclose(model(nn.functional.pad(SRC, (0, 4)), TGT), before, atol=1e-5)
    assert torch.allclose(model(SRC, nn.functional.pad(TGT, (0, 3)))[:, :7], before, atol=1e-5)
    for i in range(3):
        alone = model(SRC[i : i + 1, : (SRC[i] != 0).sum()], TGT[i : i + 1])
        assert torch.allclose(alone[0], before[i], atol=1e-5)
    changed = SRC.clone()
    changed[0, 2] = 9  # a real token does change it
    assert (model(changed, TGT) - before)[0].abs().max() > 1e-3 and torch.equal(model(changed, TGT)[1:], before[1:])


def test_weights_are_given_when_asked_for_and_an_empty_source_gets_none():
    model = seq2seq()
    logits, maps = model(SRC, TGT, need_weights=True)
    assert torch.allclose(logits, model(SRC, TGT), atol=1e-5) and len(maps) == 2
    own, cross = maps[1]
    assert own.shape == (3, 2, 7, 7) and cross.shape == (3, 2, 7, 5)
    assert not own.triu(1).any() and not (cross * (SRC == 0)[:, None, None]).any()
    logits, maps = model(SRC * 0, TGT, need_weights=True)
    assert logits.isfinite().all() and not maps[0][1].any()
    logits.sum().backward()
    assert all(p.grad is None or p.grad.isfinite().all() for p in model.parameters())


def test_shift_right():
    assert shift_right(TGT, bos_id=2)[1].tolist() == [2, 5, 3, 0, 0, 0, 0]
    assert shift_right(torch.tensor([[9]], dtype=torch.int32), bos_id=7).tolist() == [[7]]
    assert shift_right(TGT.int(), bos_id=2).dtype == torch.int32


@pytest.mark.parametrize("seed", range(6))
def test_greedy_is_the_loop_of_the_exercise_in_a_batch_as_alone(seed):
    model = seq2seq(seed=seed)
    with torch.no_grad():
        model.decoder.out.bias[3] += 0.6  # so that some rows end early, and at different steps
    src = torch.cat([SRC, torch.randint(4, 10, (5, 5))])
    out = greedy_decode(model, src, bos_id=2, eos_id=3, max_len=6)
    assert out.dtype == torch.long and 1 <= out.size(1) <= 6
    for i, row in enumerate(out.tolist()):
        one = src[i : i + 1]
        wanted = lesson_13.greedy.reference(lambda ids, one=one: model(one, torch.tensor([ids]))[0], 2, 3, 6)
        assert row == wanted + [0] * (out.size(1) - len(wanted))
        assert greedy_decode(model, one, bos_id=2, eos_id=3, max_len=6)[0].tolist() == wanted
    with torch.no_grad():  # all at once, given what was written, it says the same again
        again = model(src, shift_right(out, bos_id=2)).argmax(dim=-1)
    ended = (out == 3).cumsum(dim=1) - (out == 3).long() > 0
    assert torch.equal(again[~ended], out[~ended])


def test_greedy_stops_when_all_rows_have_ended_and_at_max_len():
    model = seq2seq().train()
    with torch.no_grad():
        model.decoder.out.bias[3] = 99
    assert greedy_decode(model, SRC, bos_id=2, eos_id=3, max_len=9).tolist() == [[3]] * 3 and not model.training
    with torch.no_grad():
        model.decoder.out.bias[3] = -99
    assert greedy_decode(model, SRC, bos_id=2, eos_id=3, max_len=4).shape == (3, 4)


def test_bad_input_is_named():
    model, layer, x = seq2seq(), DecoderLayer(**SIZES), torch.randn(3, 7, 8)
    for call, says in [
        (lambda: greedy_decode(model, SRC, bos_id=2, eos_id=3, max_len=0), "max_len .* got 0"),
        (lambda: layer(x[..., :6], x), r"tgt must be .* hid_dim 8, got \[3, 7, 6\]"),
        (lambda: layer(x, x[0]), r"memory must be .* got \[7, 8\]"),
        (lambda: layer(x, x[:2]), "the query's batch"),
        (lambda: layer(x, x, masks.causal_mask(6)), "a mask must be"),
        (lambda: model.decoder(TGT[0], x), r"ids must be \[bs, tl\], got \[7\]"),
        (lambda: model(SRC, TGT + 5), "12"),
        (lambda: seq2seq(max_len=6)(SRC, TGT), "7.*6"),
        (lambda: Decoder(output_dim=9, n_layers=0, **SIZES), "n_layers .* got 0"),
        (lambda: Decoder(output_dim=9, n_layers=1, positions="waves", **SIZES), "'waves'"),
        (lambda: DecoderLayer(hid_dim=8, pf_dim=16, n_heads=3), "8 is not divisible by n_heads 3"),
    ]:
        with pytest.raises(ValueError, match=says):
            call()
    with pytest.raises(TypeError, match="boolean"):
        layer(x, x, memory_mask=torch.ones(3, 1, 1, 7))


def test_every_shape_comment_is_true_and_is_run():
    def run():
        for norm_first, need_weights in itertools.product([False, True], [False, True]):
            model = seq2seq(norm_first=norm_first)
            model(SRC, TGT, need_weights=need_weights)
        greedy_decode(model, SRC, bos_id=2, eos_id=3, max_len=4), shift_right(TGT, bos_id=2)

    file = ROOT / "tutorial_lib" / "decoder.py"
    checked = check_files([file], run, dict(bs=3, hid_dim=8, pf_dim=16, n_heads=2, output_dim=9))[file]
    assert (checked.wrong, checked.unmet) == ([], set()) and len(checked.found) >= 20


@pytest.mark.parametrize("seed", [1])
def test_reversal_is_learned_and_a_leak_is_seen_by_writing_alone(seed):
    after = from_seed("13", seed)
    names = list(after.values())[-1]
    right, *leaks = names["curves"].values()
    assert all(leak[0] < right[0] / 3 and leak[-1] < 0.05 for leak in leaks) and right[-1] < 0.05
    share, *broken = after["break-write"]["shares"]
    assert share > 0.95 and max(broken) < 0.02
    said = [answer.tolist() for answer in names["answers_of_three"]]
    assert names["letters"].decode(said[0]) == list("egabbac")
    assert len(set(said[1])) == 1 and said[2][0] == names["letters"].eos_id
    hit = (names["darkest"] == names["needed"])[names["is_letter"]]
    assert hit.float().mean() > 0.85


@pytest.mark.parametrize("seed", [1])
def test_dates_are_read_put_together_mostly_and_not_understood(seed):
    after = from_seed("13", seed)
    names = list(after.values())[-1]
    ((test, held_out, unseen),) = after["dates-train"]["shares"].values()
    assert test > 0.97 and 0.6 < held_out < test - 0.02 and unseen < 0.2
    ((*by_way,),) = after["pairs"]["shares"].values()
    assert min(by_way[3], by_way[5]) > 0.9 and min(by_way) < 0.9
    nearest, blind, model = names["table"].values()
    assert nearest[1] > 0.8 and all(0.35 < share < 0.65 for share in (nearest[0], nearest[2])) and nearest[3] == 0
    assert max(blind) < 0.2 and blind[3] < 0.01 and min(model) > 0.97
    assert min(share.mean() for share in (*names["months"], *names["years"])) > 0.3
    year, month, day, _ = names["parts"](names["guesses"], "unseen")
    assert month > 0.55 and max(year, day) < 0.45
    ((right, last, nineteen),) = after["unseen-why"]["shares"].values()
    assert last > right and nineteen > 0.3
