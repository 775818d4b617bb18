"""Thirteen broken encoders for lesson 14: one fault each, right in every shape. Read it after the lesson, not before.

All have the weights of the healthy `Encoder`, so that a difference is the fault's. Source of the faults: posts A and B,
and reports in public repositories (see tests/cases).
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from tutorial_lib.attention import MultiHeadAttention, attention_scores, masked_softmax, merge_heads, split_heads
from tutorial_lib.encoder import Encoder
from tutorial_lib.masks import causal_mask

FAULTS = (
    "mask_dropped", "mask_added", "queries_masked", "length_one", "mask_overwritten", "sample_zero", "view",
    "softmax_axis", "norm_axis", "shared_layers", "dropout_alive", "positions_again", "no_scale",
)  # fmt: skip
SIZES = dict(hid_dim=16, pf_dim=32, n_heads=2, n_layers=3)


def healthy(*, input_dim: int) -> Encoder:
    """An encoder in eval mode, with weights that are large enough to have opinions, the same every time."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return _large(Encoder(input_dim=input_dim, **SIZES)).eval()


def patient(number: int, *, input_dim: int) -> nn.Module:
    """Patient 1 to 13: called as an Encoder, `(src, src_mask)`, with the weights of `healthy`. Raises: ValueError."""
    if not 1 <= number <= len(FAULTS):
        raise ValueError(f"there are patients 1 to {len(FAULTS)}, got {number}")
    well = healthy(input_dim=input_dim)
    sick = _Sick(input_dim=input_dim, **SIZES)
    sick.load_state_dict(well.state_dict())
    return sick.fall_ill(FAULTS[number - 1]).eval()


def _large(model: Encoder) -> Encoder:
    for layer in model.layers:
        for linear in (layer.self_attn.q_proj, layer.self_attn.k_proj):
            nn.init.normal_(linear.weight, std=0.45)
    return model


class _Sick(Encoder):
    def fall_ill(self, fault: str) -> "_Sick":
        self.fault = fault
        for layer in self.layers:
            layer.self_attn.__class__ = _SickAttention
            layer.self_attn.fault = fault
            if fault == "norm_axis":
                layer.attn_layer_norm = _NormAlongSentence(layer.attn_layer_norm)
        if fault == "shared_layers":
            self.layers = nn.ModuleList([self.layers[0]] * len(self.layers))
        return self

    def forward(self, src: Tensor, src_mask: Tensor | None = None, *, need_weights: bool = False):
        src, all_weights = self.dropout(self.pe(self.embed(src))), []  # src: [bs, sl, hid_dim]
        for i, layer in enumerate(self.layers):
            mask = None if self.fault == "mask_dropped" and i else src_mask
            src = self.pe(src) if self.fault == "positions_again" and i else src  # src: [bs, sl, hid_dim]
            src = F.dropout(src, 0.1) if self.fault == "dropout_alive" else src  # src: [bs, sl, hid_dim]
            out = layer(src, mask, need_weights=need_weights)
            src, weights = out if need_weights else (out, None)  # src: [bs, sl, hid_dim]
            all_weights.append(weights)
        return (src, tuple(all_weights)) if need_weights else src


class _SickAttention(MultiHeadAttention):
    def forward(self, query, key, value, mask=None, *, need_weights=False):
        fault, (bs, sl, _) = self.fault, query.shape
        cut = (lambda x, n_heads: x.reshape(bs, n_heads, sl, -1)) if fault == "view" else split_heads
        query, key, value = self.q_proj(query), self.k_proj(key), self.v_proj(value)
        query, key, value = (cut(x, n_heads=self.n_heads) for x in (query, key, value))
        scores = attention_scores(query, key)  # scores: [bs, n_heads, sl, sl]
        if fault == "no_scale":
            scores = scores * query.size(-1) ** 0.5  # scores: [bs, n_heads, sl, sl]
        if fault == "mask_overwritten":
            mask = causal_mask(sl, device=scores.device)
        if mask is None:
            weights = scores.softmax(-1)  # weights: [bs, n_heads, sl, sl]
        elif fault == "mask_added":
            weights = (scores + mask).softmax(-1)  # weights: [bs, n_heads, sl, sl]
        elif fault == "queries_masked":
            weights = scores.masked_fill(~mask.mT, torch.finfo(scores.dtype).min).softmax(-1)
        elif fault == "length_one":
            weights = scores.masked_fill(~mask[..., :1], float("-inf")).softmax(-1)
        elif fault == "softmax_axis":
            weights = scores.masked_fill(~mask, float("-inf")).softmax(-2).nan_to_num(0.0)
        else:
            weights = masked_softmax(scores, mask)  # weights: [bs, n_heads, sl, sl]
        context = weights @ value  # context: [bs, n_heads, sl, head_dim]
        context = context.reshape(bs, sl, -1) if fault == "view" else merge_heads(context)  # context: [bs, sl, hid_dim]
        context = context[:1].expand(bs, -1, -1) if fault == "sample_zero" else context  # context: [bs, sl, hid_dim]
        return self.out_proj(context), weights if need_weights else None


class _NormAlongSentence(nn.Module):
    def __init__(self, norm: nn.LayerNorm):
        super().__init__()
        self.weight, self.bias = norm.weight, norm.bias

    def forward(self, x: Tensor) -> Tensor:
        centred = x - x.mean(dim=1, keepdim=True)  # centred: [bs, sl, hid_dim]
        return centred / (x.var(dim=1, keepdim=True, unbiased=False) + 1e-5).sqrt() * self.weight + self.bias
