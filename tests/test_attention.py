import pytest
import torch
import torch.nn.functional as F

from tutorial_lib.attention import (
    MultiHeadAttention,
    attention_scores,
    masked_softmax,
    merge_heads,
    scaled_dot_product_attention,
    split_heads,
)
from tutorial_lib.masks import causal_mask

DTYPES = [torch.float64, torch.float32, torch.bfloat16, torch.float16]
# the second sentence has nothing to attend to; the first has two keys
SOME_NONE = torch.tensor([[True, True, False], [False, False, False]])[:, None, None]


def test_split_heads_keeps_tokens_together():
    x = torch.arange(8.0).reshape(1, 2, 4)
    assert split_heads(x, n_heads=2).tolist() == [[[[0, 1], [4, 5]], [[2, 3], [6, 7]]]]
    assert torch.equal(merge_heads(split_heads(x, n_heads=2)), x)
    turned = torch.randn(4, 2, 1).permute(2, 1, 0)  # not contiguous in memory
    assert torch.equal(merge_heads(split_heads(turned, n_heads=2)), turned)


@pytest.mark.parametrize(
    "call", [lambda: split_heads(torch.ones(1, 2, 10), n_heads=3), lambda: MultiHeadAttention(hid_dim=10, n_heads=3)]
)
def test_indivisible_sizes_are_named_at_once(call):
    with pytest.raises(ValueError, match="10 .*3"):
        call()


def test_scores_are_scaled_by_the_width_of_a_head():
    query, key = torch.randn(2, 3, 4, 16), torch.randn(2, 3, 5, 16)
    torch.testing.assert_close(attention_scores(query, key), torch.einsum("bhqd,bhkd->bhqk", query, key) / 4)


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_hidden_key_and_a_query_without_keys_get_exactly_zero(dtype):
    scores = torch.randn(2, 2, 3, 3).to(dtype).requires_grad_()
    weights = masked_softmax(scores, SOME_NONE)
    assert weights.dtype == dtype
    assert weights[0, ..., 2].eq(0).all() and weights[1].eq(0).all()
    torch.testing.assert_close(weights[0].sum(-1), torch.ones(2, 3, dtype=dtype), atol=1e-2, rtol=0)
    weights.sum().backward()
    assert scores.grad.isfinite().all() and scores.grad[1].eq(0).all()


def test_very_low_scores_stay_finite_in_half_precision():
    low = torch.full((1, 1, 1, 3), -40.0, dtype=torch.float16)
    assert masked_softmax(low, torch.tensor([[[[True, True, False]]]])).flatten().tolist() == [0.5, 0.5, 0]
    assert masked_softmax(low, torch.zeros(1, 1, 1, 3, dtype=torch.bool)).flatten().tolist() == [0, 0, 0]


def test_a_nan_in_the_input_stays_visible():
    scores = torch.zeros(1, 1, 2, 3)
    scores[0, 0, 0, 1] = float("nan")
    weights = masked_softmax(scores, torch.tensor([[[[True, True, False]]]]))
    assert weights[0, 0, 0, :2].isnan().all() and weights[0, 0, 1].isfinite().all()
    for need_weights in (True, False):
        x = torch.randn(1, 2, 3, 4)
        x[0, 0, 1] = float("nan")
        context, _ = scaled_dot_product_attention(x, x, x, need_weights=need_weights)
        assert context[0, 0].isnan().all() and context[0, 1].isfinite().all()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("need_weights", [True, False])
@pytest.mark.parametrize(
    "mask", [None, SOME_NONE, causal_mask(3), causal_mask(3) & SOME_NONE], ids=["none", "pad", "causal", "both"]
)
def test_both_paths_are_the_same_sum_in_every_dtype(dtype, need_weights, mask):
    query, key, value = torch.randn(3, 2, 2, 3, 4)
    allowed = torch.ones(2, 1, 3, 3, dtype=torch.bool) if mask is None else mask.expand(2, 1, 3, 3)
    wanted = F.softmax((query @ key.mT / 2).masked_fill(~allowed, -1e30), -1) * allowed @ value
    inputs = [x.to(dtype).requires_grad_() for x in (query, key, value)]
    context, weights = scaled_dot_product_attention(*inputs, mask, need_weights=need_weights)
    assert (weights is not None) == need_weights and context.dtype == dtype
    tolerance = {torch.bfloat16: 3e-2, torch.float16: 4e-3}.get(dtype, 1e-6)
    torch.testing.assert_close(context.float(), wanted, atol=tolerance, rtol=0)
    assert context[~allowed.any(-1).expand(2, 2, 3)].eq(0).all()
    context.sum().backward()
    assert all(x.grad.isfinite().all() for x in inputs)


@pytest.mark.filterwarnings("ignore:Anomaly Detection")
@pytest.mark.parametrize("need_weights", [True, False])
def test_one_padded_sentence_does_not_poison_the_batch(need_weights):
    attention = MultiHeadAttention(hid_dim=4, n_heads=2)
    attention.eval()
    x = torch.randn(2, 3, 4)
    with torch.autograd.detect_anomaly(check_nan=True):
        out, weights = attention(x, x, x, SOME_NONE, need_weights=need_weights)
        out[0].sum().backward()
    assert out.isfinite().all() and all(p.grad.isfinite().all() for p in attention.parameters())
    alone, _ = attention(x[:1], x[:1], x[:1], SOME_NONE[:1])
    torch.testing.assert_close(out[:1], alone, atol=1e-6, rtol=0)
    torch.testing.assert_close(out[1], attention.out_proj.bias.expand(3, 4))  # a mixture of exactly 0, projected


def test_cross_attention_has_its_own_lengths():
    attention = MultiHeadAttention(hid_dim=6, n_heads=3)
    out, weights = attention(torch.randn(2, 4, 6), torch.randn(2, 5, 6), torch.randn(2, 5, 6), need_weights=True)
    assert out.shape == (2, 4, 6) and weights.shape == (2, 3, 4, 5)
    assert attention(torch.randn(2, 4, 6), torch.randn(2, 5, 6), torch.randn(2, 5, 6))[1] is None


@pytest.mark.parametrize("x", [torch.ones(2, 3, 5), torch.ones(3, 4)])
def test_another_width_is_refused_and_the_argument_named(x):
    good = torch.ones(2, 3, 4)
    attention = MultiHeadAttention(hid_dim=4, n_heads=2)
    for name, arguments in (("query", (x, good, good)), ("key", (good, x, good)), ("value", (good, good, x))):
        with pytest.raises(ValueError, match=rf"{name} must be .*hid_dim 4, got \["):
            attention(*arguments)


@pytest.mark.parametrize("need_weights", [True, False])
@pytest.mark.parametrize(
    "mask", [torch.ones(2, 3), torch.ones(2, 3, dtype=torch.bool), torch.ones(2, 1, 1, 1, dtype=torch.bool)]
)
def test_a_wrong_mask_is_refused_on_both_paths(need_weights, mask):
    x = torch.randn(2, 3, 4)
    with pytest.raises((TypeError, ValueError), match="mask"):
        MultiHeadAttention(hid_dim=4, n_heads=2)(x, x, x, mask, need_weights=need_weights)


@pytest.mark.parametrize("need_weights", [True, False])
@pytest.mark.parametrize(
    "shapes", [[(1, 3), (1, 4), (1, 5)], [(1, 3), (1, 5), (1, 4)], [(2, 3), (1, 4), (1, 4)], [(2, 3), (2, 4), (1, 4)]]
)
def test_keys_and_values_that_do_not_fit_are_refused(need_weights, shapes):
    """PyTorch's fused kernel takes the length from the values and reads past the end of shorter keys."""
    inputs = [torch.randn(*shape, 4) for shape in shapes]
    with pytest.raises(ValueError, match="key and value must be equally long and in the query's batch"):
        MultiHeadAttention(hid_dim=4, n_heads=2)(*inputs, need_weights=need_weights)


def test_large_numbers_do_not_overflow_in_half_precision():
    """On our own path; what the fused kernel does is torch's affair, and 2.4's overflows."""
    x = torch.full((1, 1, 3, 64), 33.0, dtype=torch.float16)
    context, _ = scaled_dot_product_attention(x, x, x, causal_mask(3), need_weights=True)
    assert context.eq(33).all()
    context, _ = scaled_dot_product_attention(-40 * x / 33, 40 * x / 33, x, causal_mask(3), need_weights=True)
    assert context.eq(33).all()  # very low scores are still scores


def test_a_score_of_minus_infinity_that_nobody_hid_is_not_hidden():
    scores = torch.tensor([[[[float("-inf"), 0.0]]]])
    assert masked_softmax(scores, torch.tensor([[[[True, False]]]]))[..., 0].isnan().all()


@pytest.mark.parametrize("need_weights", [True, False])
def test_a_query_without_keys_gets_zero_whatever_the_values(need_weights):
    query, key, value = torch.randn(3, 1, 1, 2, 4)
    value[0, 0, 0] = float("nan")
    mask = torch.tensor([[False, False], [True, True]])[None, None]
    context, _ = scaled_dot_product_attention(query, key, value, mask, need_weights=need_weights)
    assert context[0, 0, 0].eq(0).all() and context[0, 0, 1].isnan().all()


def test_weights_are_the_ones_used():
    attention = MultiHeadAttention(hid_dim=4, n_heads=2, dropout=0.5)
    x = torch.randn(2, 9, 4)
    out, weights = attention(x, x, x, need_weights=True)
    value = split_heads(attention.v_proj(x), n_heads=2)
    torch.testing.assert_close(out, attention.out_proj(merge_heads(weights @ value)))
    assert weights.eq(0).any()  # dropout has taken some of them


@pytest.mark.parametrize("need_weights", [True, False])
def test_dropout_acts_on_the_weights_at_its_rate_and_in_training_only(need_weights):
    eye = torch.eye(64).expand(8, 4, 64, 64)  # values that hand the weights on as they are
    query = torch.zeros(8, 4, 64, 64)
    context, _ = scaled_dot_product_attention(query, query, eye, dropout_p=0.3, need_weights=need_weights)
    assert context.eq(0).float().mean().item() == pytest.approx(0.3, abs=0.01)
    torch.testing.assert_close(context[context > 0], torch.full_like(context[context > 0], 1 / 64 / 0.7))
    attention = MultiHeadAttention(hid_dim=4, n_heads=2, dropout=0.5)
    x = torch.randn(2, 9, 4)
    first, second = (attention(x, x, x, need_weights=need_weights)[0] for _ in range(2))
    assert not torch.equal(first, second)
    attention.eval()
    first, second = (attention(x, x, x, need_weights=need_weights)[0] for _ in range(2))
    assert torch.equal(first, second)
