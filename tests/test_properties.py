"""What must hold for any input, found or refuted by hypothesis."""

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tutorial_lib import masks
from tutorial_lib.attention import masked_softmax, merge_heads, split_heads
from tutorial_lib.encoder import Encoder
from tutorial_lib.text import collate

ids = st.lists(st.integers(1, 11), min_size=1, max_size=6)
batches = st.lists(ids, min_size=1, max_size=4)
settings.register_profile("steady", deadline=None, derandomize=True, max_examples=40)
settings.load_profile("steady")


def model(**changes):
    torch.manual_seed(0)
    return Encoder(**{**dict(input_dim=12, hid_dim=8, pf_dim=16, n_heads=2, n_layers=2), **changes}).eval()


def run(encoder, src):
    return encoder(src, masks.padding_mask(src, pad_id=0))


@given(batches, st.integers(0, 5), st.booleans())
def test_a_result_depends_on_neither_batch_nor_padding(rows, more, norm_first):
    encoder = model(norm_first=norm_first)
    src = torch.nn.functional.pad(collate(rows, pad_id=0), (0, more))
    out = run(encoder, src)
    for row, got in zip(rows, out):
        torch.testing.assert_close(got[: len(row)], run(encoder, torch.tensor([row]))[0], atol=1e-5, rtol=0)


@given(batches, st.randoms(use_true_random=False))
def test_the_order_of_the_batch_is_the_order_of_the_result(rows, random):
    order = random.sample(range(len(rows)), len(rows))
    src = collate(rows, pad_id=0)
    torch.testing.assert_close(run(model(), src)[order], run(model(), src[order]), atol=1e-6, rtol=0)


@given(ids, st.randoms(use_true_random=False))
def test_without_positions_the_order_of_tokens_is_the_order_of_outputs(row, random):
    order = random.sample(range(len(row)), len(row))
    encoder, src = model(positions=None), torch.tensor([row])
    torch.testing.assert_close(run(encoder, src)[:, order], run(encoder, src[:, order]), atol=1e-5, rtol=0)


@given(st.integers(0, 2**31), st.integers(1, 3), st.integers(1, 5), st.integers(1, 5))
def test_rows_of_weights_add_up_to_one_or_are_exactly_zero(seed, bs, sl_q, sl_k):
    torch.manual_seed(seed)
    mask = torch.rand(bs, 1, sl_q, sl_k) > 0.5
    weights = masked_softmax(torch.randn(bs, 2, sl_q, sl_k) * 10, mask)
    assert weights[~mask.expand_as(weights)].eq(0).all()
    wanted = mask.any(-1).float().expand(bs, 2, sl_q)
    torch.testing.assert_close(weights.sum(-1), wanted, atol=1e-6, rtol=0)


@given(st.integers(1, 3), st.integers(0, 5), st.integers(1, 4), st.integers(1, 4))
def test_merge_undoes_split(bs, sl, n_heads, head_dim):
    x = torch.randn(bs, sl, n_heads * head_dim)
    assert torch.equal(merge_heads(split_heads(x, n_heads=n_heads)), x)


@given(st.integers(0, 2**31), st.integers(1, 4), st.integers(1, 5))
def test_converters_are_inverses(seed, bs, sl):
    torch.manual_seed(seed)
    mask = torch.rand(bs, 1, 1, sl) > 0.5
    assert torch.equal(masks.from_integers(masks.to_integers(mask)), mask)
    assert torch.equal(masks.from_key_padding_mask(masks.to_key_padding_mask(mask)), mask)
    assert torch.equal(masks.from_additive(masks.to_additive(mask, dtype=torch.float16)), mask)


@given(ids, st.integers(1, 11), st.data())
def test_the_future_never_changes_the_past(row, other, data):
    place = data.draw(st.integers(0, len(row) - 1))
    changed = [*row[:place], other, *row[place + 1 :]]
    mask = masks.causal_mask(len(row))
    a, b = (model()(torch.tensor([r]), mask) for r in (row, changed))
    torch.testing.assert_close(a[:, :place], b[:, :place], atol=1e-6, rtol=0)
