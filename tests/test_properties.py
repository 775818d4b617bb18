"""What must hold for any input, found or refuted by hypothesis; below, broken versions of the library that each refute it.

Models are in double precision where numbers are compared, so that a small leak is no rounding.
"""

import pytest
import torch
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from tutorial_lib import attention, encoder, masks
from tutorial_lib.text import collate

settings.register_profile("steady", deadline=None, derandomize=True, max_examples=40, report_multiple_bugs=False)
settings.load_profile("steady")

ids = st.lists(st.integers(1, 11), min_size=1, max_size=6)
batches = st.lists(st.lists(st.integers(1, 11), max_size=6), min_size=1, max_size=4)  # an empty row is padding alone
seeds = st.integers(0, 2**31)
switches = st.fixed_dictionaries(
    {"norm_first": st.booleans(), "positions": st.sampled_from(["sinusoid", "learned", None])}
)
dtypes = st.sampled_from([torch.float64, torch.float32, torch.bfloat16, torch.float16])


def always(*strategies):
    """`given`, and beside it `.quickly`: the same without a search for the smallest counterexample."""

    def decorate(test):
        holds = given(*strategies)(test)
        holds.quickly = settings(phases=[Phase.generate])(given(*strategies)(test))
        return holds

    return decorate


def model(**changes):
    torch.manual_seed(0)
    sizes = dict(input_dim=12, hid_dim=8, pf_dim=16, n_heads=2, n_layers=2)
    return encoder.Encoder(**{**sizes, **changes}).eval().double()


def run(net, src, mask=None):
    """The output, and the weights of both layers in one tensor."""
    out, weights = net(src, masks.padding_mask(src, pad_id=0) if mask is None else mask, need_weights=True)
    return out, torch.stack(weights)


def same(a, b):
    torch.testing.assert_close(a, b, atol=1e-10, rtol=0)


def random_mask(*shape):
    """Hides about half, and of some queries everything."""
    return (torch.rand(shape) > 0.5) & (torch.rand(*shape[:-1], 1) > 0.2)


@always(batches, st.integers(0, 5), switches)
def test_more_padding_never_changes_a_real_token(rows, more, how):
    net, src = model(**how), collate(rows, pad_id=0)
    before, weights = run(net, src)
    after, padded = run(net, torch.nn.functional.pad(src, (0, more)))
    real, sl = src != 0, src.size(1)
    same(after[:, :sl][real], before[real])
    same(padded[..., :sl, :sl].transpose(2, 3)[:, real], weights.transpose(2, 3)[:, real])
    assert padded[..., sl:].masked_select(real.any(1)[:, None, None, None]).eq(0).all()


@always(batches, switches)
def test_a_result_does_not_depend_on_its_batch(rows, how):
    net = model(**how)
    for row, together in zip(rows, run(net, collate(rows, pad_id=0))[0]):
        same(together[: len(row)], run(net, collate([row], pad_id=0))[0][0, : len(row)])


@always(ids, st.lists(st.integers(0, 6), max_size=4), st.booleans())
def test_without_positions_padding_may_stand_anywhere(row, places, norm_first):
    net, spread = model(positions=None, norm_first=norm_first), list(row)
    for place in places:
        spread.insert(place, 0)
    spread = torch.tensor([spread])
    same(run(net, spread)[0][spread != 0], run(net, torch.tensor([row]))[0][0])


@always(batches, seeds, switches)
def test_what_stands_in_a_hidden_place_changes_nothing_elsewhere(rows, seed, how):
    net, src = model(**how), collate(rows, pad_id=0)
    mask, real = masks.padding_mask(src, pad_id=0), src != 0
    torch.manual_seed(seed)
    other = torch.where(real, src, torch.randint_like(src, 12))
    same(run(net, other, mask)[0][real], run(net, src, mask)[0][real])


@always(batches, st.randoms(use_true_random=False), switches)
def test_the_order_of_the_batch_is_the_order_of_the_result(rows, random, how):
    net, src = model(**how), collate(rows, pad_id=0)
    order = random.sample(range(len(rows)), len(rows))
    (out, weights), (moved, moved_weights) = run(net, src), run(net, src[order])
    same(moved, out[order])
    same(moved_weights, weights[:, order])


@always(st.lists(st.integers(0, 11), min_size=1, max_size=6), st.randoms(use_true_random=False), st.booleans())
def test_without_positions_the_order_of_tokens_is_the_order_of_outputs(row, random, norm_first):
    net, src = model(positions=None, norm_first=norm_first), torch.tensor([row])
    order = random.sample(range(len(row)), len(row))
    (out, weights), (moved, moved_weights) = run(net, src), run(net, src[:, order])
    same(moved, out[:, order])
    same(moved_weights, weights[..., order, :][..., order])


@always(seeds, st.integers(1, 3), st.integers(1, 5), st.integers(1, 5), dtypes)
def test_rows_of_weights_add_up_to_one_or_are_exactly_zero(seed, bs, sl_q, sl_k, dtype):
    torch.manual_seed(seed)
    mask = random_mask(bs, 1, sl_q, sl_k)
    weights = attention.masked_softmax((torch.randn(bs, 2, sl_q, sl_k) * 10).to(dtype), mask)
    rows_are_right(weights, mask, dtype)


@always(batches, seeds, st.booleans(), switches, dtypes)
def test_so_do_those_of_every_layer(rows, seed, causal, how, dtype):
    src = collate(rows, pad_id=0)
    torch.manual_seed(seed)
    mask = random_mask(len(src), 2, src.size(1), src.size(1))
    if causal:
        mask = masks.padding_mask(src, pad_id=0) & masks.causal_mask(src.size(1))
    out, weights = run(model(**how).to(dtype), src, mask)
    assert out.isfinite().all()
    for one in weights:
        rows_are_right(one, mask, dtype)


def rows_are_right(weights, mask, dtype):
    assert weights.dtype == dtype and weights.ge(0).all()
    assert weights.masked_select(~mask).eq(0).all()
    sums, seen = weights.double().sum(-1), mask.any(-1).expand(weights.shape[:-1])
    assert sums[~seen].eq(0).all()
    rounding = {torch.bfloat16: 2e-2, torch.float16: 2e-3, torch.float32: 1e-6, torch.float64: 1e-12}[dtype]
    assert sums[seen].sub(1).abs().lt(rounding).all()


@always(batches, seeds, switches)
def test_asking_for_weights_changes_nothing(rows, seed, how):
    net, src = model(**how), collate(rows, pad_id=0)
    torch.manual_seed(seed)
    mask = random_mask(len(src), 2, src.size(1), src.size(1))
    same(net(src, mask), run(net, src, mask)[0])


@always(st.lists(st.integers(0, 11), min_size=2, max_size=6), st.integers(1, 5), seeds, switches, st.booleans())
def test_the_future_never_changes_the_past(row, place, seed, how, padding):
    src, place = torch.tensor([row]), min(place, len(row) - 1)
    torch.manual_seed(seed)
    changed = torch.cat([src[:, :place], torch.randint_like(src[:, place:], 12)], dim=1)
    net, causal = model(**how), masks.causal_mask(len(row))
    both = [causal & masks.padding_mask(one, pad_id=0) if padding else causal for one in (src, changed)]
    (out, weights), (other, other_weights) = (run(net, one, mask) for one, mask in zip((src, changed), both))
    same(out[:, :place], other[:, :place])
    same(weights[..., :place, :], other_weights[..., :place, :])


@always(st.integers(1, 3), st.integers(0, 5), st.integers(1, 4), st.integers(1, 4))
def test_merge_and_split_undo_each_other(bs, sl, n_heads, head_dim):
    x, heads = torch.randn(bs, sl, n_heads * head_dim), torch.randn(bs, n_heads, sl, head_dim)
    split = attention.split_heads(x, n_heads=n_heads)
    assert torch.equal(attention.merge_heads(split), x)
    assert torch.equal(attention.split_heads(attention.merge_heads(heads), n_heads=n_heads), heads)
    for head, part in enumerate(x.split(head_dim, dim=-1)):
        assert torch.equal(split[:, head], part)


@always(seeds, st.tuples(*[st.integers(1, 3)] * 3, st.integers(1, 5)), dtypes)
def test_converters_are_inverses(seed, shape, dtype):
    torch.manual_seed(seed)
    mask, padding = torch.rand(shape) > 0.5, torch.rand(shape[0], shape[3]) > 0.5
    for one in (mask, padding[:, None, None]):
        assert torch.equal(masks.from_integers(masks.to_integers(one)), one)
        assert torch.equal(masks.from_additive(masks.to_additive(one, dtype=dtype)), one)
    assert torch.equal(masks.to_integers(masks.from_integers(padding.long())), padding.long())
    assert torch.equal(masks.to_key_padding_mask(masks.from_key_padding_mask(padding)), padding)
    added = torch.zeros(shape, dtype=dtype).masked_fill(mask, float("-inf"))
    assert torch.equal(masks.to_additive(masks.from_additive(added), dtype=dtype), added)


@always(seeds, st.integers(1, 3), st.integers(1, 5))
def test_the_three_conventions_hide_the_same_keys(seed, bs, sl):
    torch.manual_seed(seed)
    mask = (torch.rand(bs, 1, 1, sl) > 0.5).index_fill(3, torch.tensor(0), True)  # each sentence has a key
    scores = torch.randn(bs, 1, sl, sl)
    wanted = attention.masked_softmax(scores, mask)
    same((scores + masks.to_additive(mask, dtype=torch.float32)).softmax(-1), wanted)
    numbers = scores.exp() * masks.to_integers(mask)[:, None, None]
    torch.testing.assert_close(numbers / numbers.sum(-1, keepdim=True), wanted)
    assert wanted.masked_select(masks.to_key_padding_mask(mask)[:, None, None]).eq(0).all()


@settings(max_examples=5)
@always(seeds, st.booleans())
def test_one_thread_or_two_makes_no_difference(seed, norm_first):
    net = model(hid_dim=64, n_heads=4, norm_first=norm_first)
    torch.manual_seed(seed)
    src = torch.randint(0, 12, (8, 60))
    one, threads = run(net, src), torch.get_num_threads()
    try:
        torch.set_num_threads(2 if threads == 1 else 1)
        two = run(net, src)
    finally:
        torch.set_num_threads(threads)
    same(two[0], one[0])
    same(two[1], one[1])


def deaf(number, build=model):
    """A model whose layer `number` never gets the mask."""

    def build_deaf(**how):
        net = build(**how)
        forward = net.layers[number].forward
        net.layers[number].forward = lambda src, mask, **more: forward(src, None, **more)
        return net

    return build_deaf


def at_the_end(src, *, pad_id):
    return (torch.arange(src.size(1)) < (src != pad_id).sum(1, keepdim=True))[:, None, None]


def filled(number):
    """Softmax that writes `number` over the scores of hidden keys, and nothing more."""
    return lambda scores, mask: scores.masked_fill(~mask, number).softmax(-1)


def plain(x, n_heads):
    return x.reshape(len(x), n_heads, x.size(1), x.size(2) // n_heads)


def plain_back(x):
    return x.reshape(len(x), x.size(2), x.size(1) * x.size(3))


old = dict(scores=attention.attention_scores, to=masks.to_integers, read=masks.from_integers, model=model)
SOFTMAX, FEED_FORWARD = "attention.masked_softmax", "feedforward.PositionwiseFeedForwardLayer.forward"
POSITIONS, SPLIT, MERGE = "embedding.PositionalEncodingLayer.forward", "attention.split_heads", "attention.merge_heads"
BROKEN = [
    (test_more_padding_never_changes_a_real_token, {"model": deaf(0)}),
    (test_more_padding_never_changes_a_real_token, {"model": deaf(1)}),
    (test_more_padding_never_changes_a_real_token, {FEED_FORWARD: lambda self, x: x - x.mean(1, keepdim=True)}),
    (test_a_result_does_not_depend_on_its_batch, {"model": deaf(1)}),
    (test_a_result_does_not_depend_on_its_batch, {FEED_FORWARD: lambda self, x: x - x.mean(0)}),
    (test_without_positions_padding_may_stand_anywhere, {"masks.padding_mask": at_the_end}),
    (test_what_stands_in_a_hidden_place_changes_nothing_elsewhere, {SOFTMAX: filled(-9)}),
    (
        test_the_order_of_the_batch_is_the_order_of_the_result,
        {POSITIONS: lambda self, x: x + self.table[: len(x), None]},
    ),
    (
        test_without_positions_the_order_of_tokens_is_the_order_of_outputs,
        {"model": lambda positions, **how: old["model"](**how)},
    ),
    (test_rows_of_weights_add_up_to_one_or_are_exactly_zero, {SOFTMAX: filled(-1e4)}),  # a query without keys
    (test_rows_of_weights_add_up_to_one_or_are_exactly_zero, {SOFTMAX: lambda s, m: s.softmax(-1) * m}),
    (test_rows_of_weights_add_up_to_one_or_are_exactly_zero, {SOFTMAX: lambda s, m: s.softmax(-2) * m}),
    (test_so_do_those_of_every_layer, {"model": deaf(1)}),
    (test_so_do_those_of_every_layer, {SOFTMAX: filled(float("-inf"))}),
    (test_asking_for_weights_changes_nothing, {SOFTMAX: lambda s, m: s.softmax(-1)}),
    (test_the_future_never_changes_the_past, {"masks.causal_mask": lambda sl: torch.ones(1, 1, sl, sl).tril(1) > 0}),
    (test_merge_and_split_undo_each_other, {MERGE: plain_back}),
    (test_merge_and_split_undo_each_other, {MERGE: plain_back, SPLIT: plain}),  # they do, and mix the tokens
    (test_converters_are_inverses, {"masks.from_additive": lambda m: m < 0}),
    (test_converters_are_inverses, {"masks.from_integers": lambda m: old["read"](m)[:, :1]}),
    (test_the_three_conventions_hide_the_same_keys, {"masks.to_integers": lambda m: 1 - old["to"](m)}),
    (
        test_one_thread_or_two_makes_no_difference,
        {"attention.attention_scores": lambda q, k: old["scores"](q, k) * (1 + torch.get_num_threads() / 1e6)},
    ),
]


@pytest.mark.parametrize(("holds", "broken"), BROKEN)
def test_a_broken_library_is_refuted(holds, broken, monkeypatch):
    for place, wrong in broken.items():
        monkeypatch.setattr(f"{__name__}.model" if place == "model" else f"tutorial_lib.{place}", wrong)
    with pytest.raises(AssertionError):
        holds.quickly()


def test_every_property_has_a_broken_version():
    properties = {holds for name, holds in globals().items() if name.startswith("test_") and hasattr(holds, "quickly")}
    assert properties == {holds for holds, _ in BROKEN}
