"""Attention: every query asks every key how much to listen, and takes that mixture of the values.

Letters: bs batch, sl_q queries and sl_k keys (sl where they are one), hid_dim width, n_heads heads of width head_dim.
"""

import math

import torch.nn.functional as F
from torch import Tensor, nn

from tutorial_lib._sizes import require_sizes, require_tokens
from tutorial_lib.masks import check_mask


def split_heads(x: Tensor, *, n_heads: int) -> Tensor:
    """`[bs, sl, hid_dim]` → `[bs, n_heads, sl, head_dim]`. Raises: ValueError when n_heads does not divide hid_dim."""
    bs, sl, hid_dim = x.shape
    _require_divisible(hid_dim, n_heads)
    # cut the last axis first and move it then: one `view` to the final shape would mix the tokens
    x = x.reshape(bs, sl, n_heads, hid_dim // n_heads)  # x: [bs, sl, n_heads, head_dim]
    return x.transpose(1, 2)  # [bs, n_heads, sl, head_dim]


def merge_heads(x: Tensor) -> Tensor:
    """The way back: `[bs, n_heads, sl, head_dim]` → `[bs, sl, hid_dim]`."""
    return x.transpose(1, 2).flatten(2)  # [bs, sl, hid_dim]


def attention_scores(query: Tensor, key: Tensor) -> Tensor:
    """Dot product of each query with each key, over √head_dim: `[..., sl_q, sl_k]`. Source: Vaswani et al., eq. 1."""
    # divided first: the product of two long vectors may not fit into float16, the mean of it does
    return (query / math.sqrt(query.size(-1))) @ key.transpose(-2, -1)


def masked_softmax(scores: Tensor, mask: Tensor | None = None) -> Tensor:
    """Scores → weights along the keys, same shape. A hidden key gets exactly 0, also where no other key is left.

    Raises: TypeError and ValueError for a mask that does not follow the rule, see `masks.check_mask`.
    """
    if mask is None:
        return scores.softmax(dim=-1)
    check_mask(mask, tuple(scores.shape))
    # a row of -inf alone would be NaN: a query without keys sees them all here, and then loses their weights
    seen = mask | ~mask.any(dim=-1, keepdim=True)
    return scores.masked_fill(~seen, float("-inf")).softmax(dim=-1).masked_fill(~mask, 0.0)


def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, *, dropout_p=0.0, need_weights: bool = False
) -> tuple[Tensor, Tensor | None]:
    """Mix the values: context `[bs, n_heads, sl_q, head_dim]`, and if asked for weights `[bs, n_heads, sl_q, sl_k]`.

    The weights are those used, after dropout. Without them PyTorch's fused kernel, which never holds them, does the
    same sum. A query without keys gets exactly 0. Source: Vaswani et al. 2017, section 3.2.1.
    Raises: ValueError for lengths or batches that do not fit; TypeError and ValueError for a wrong mask.
    """
    if key.shape[:-1] != value.shape[:-1] or query.shape[:-2] != key.shape[:-2]:  # the fused kernel does not look
        shapes = [list(x.shape) for x in (query, key, value)]
        raise ValueError(f"key and value must be equally long and in the query's batch, got {shapes}")
    weights = seen = None
    if mask is not None:
        check_mask(mask, (*query.shape[:-1], key.size(-2)))
        heard = mask.any(dim=-1, keepdim=True)
        seen = mask | ~heard  # kernels differ on a query without keys: let it see them all, and wipe that below
    if need_weights:
        weights = masked_softmax(attention_scores(query, key), mask)  # weights: [bs, n_heads, sl_q, sl_k]
        weights = F.dropout(weights, p=dropout_p)  # weights: [bs, n_heads, sl_q, sl_k]
        context = weights @ value  # context: [bs, n_heads, sl_q, head_dim]
    else:
        context = F.scaled_dot_product_attention(query, key, value, attn_mask=seen, dropout_p=dropout_p)
    return context if mask is None else context.masked_fill(~heard, 0.0), weights


class MultiHeadAttention(nn.Module):
    """n_heads attentions side by side, each on its own slice of the width, then one linear layer over all.

    Shapes: query `[bs, sl_q, hid_dim]`, key and value `[bs, sl_k, hid_dim]` → output `[bs, sl_q, hid_dim]`, and with
    `need_weights` the weights `[bs, n_heads, sl_q, sl_k]`, else None. Dropout acts on the weights, in training only.
    Raises: ValueError for indivisible sizes, widths or lengths that do not fit; TypeError and ValueError for a wrong mask.
    Source: Vaswani et al. 2017, section 3.2.2; `MultiHeadAttention` of post B.
    """

    def __init__(self, *, hid_dim: int, n_heads: int, dropout: float = 0.1):
        super().__init__()
        require_sizes(hid_dim=hid_dim, n_heads=n_heads)
        _require_divisible(hid_dim, n_heads)
        self.hid_dim, self.n_heads = hid_dim, n_heads
        self.q_proj = nn.Linear(hid_dim, hid_dim)
        self.k_proj = nn.Linear(hid_dim, hid_dim)
        self.v_proj = nn.Linear(hid_dim, hid_dim)
        self.out_proj = nn.Linear(hid_dim, hid_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, *, need_weights: bool = False
    ) -> tuple[Tensor, Tensor | None]:
        for name, x in (("query", query), ("key", key), ("value", value)):
            require_tokens(name, x, self.hid_dim)
        query = split_heads(self.q_proj(query), n_heads=self.n_heads)  # query: [bs, n_heads, sl_q, head_dim]
        key = split_heads(self.k_proj(key), n_heads=self.n_heads)  # key: [bs, n_heads, sl_k, head_dim]
        value = split_heads(self.v_proj(value), n_heads=self.n_heads)  # value: [bs, n_heads, sl_k, head_dim]
        dropout_p = self.dropout.p if self.dropout.training else 0.0
        how = dict(dropout_p=dropout_p, need_weights=need_weights)
        context, weights = scaled_dot_product_attention(query, key, value, mask, **how)
        return self.out_proj(merge_heads(context)), weights


def _require_divisible(hid_dim: int, n_heads: int) -> None:
    if n_heads < 1 or hid_dim % n_heads:
        raise ValueError(f"hid_dim {hid_dim} is not divisible by n_heads {n_heads}: each head takes an equal slice")
