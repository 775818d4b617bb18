"""The encoder of post B: tokens get vectors and positions, then pass through n_layers equal layers.

Letters: bs batch, sl sequence length, hid_dim width, pf_dim width inside the feed-forward network, n_heads, n_layers.
"""

from torch import Tensor, nn

from tutorial_lib._sizes import require_sizes, require_tokens
from tutorial_lib.attention import MultiHeadAttention
from tutorial_lib.embedding import Embed, LearnedPositionLayer, PositionalEncodingLayer
from tutorial_lib.feedforward import PositionwiseFeedForwardLayer

POSITIONS = {"sinusoid": PositionalEncodingLayer, "learned": LearnedPositionLayer, None: None}


class EncoderLayer(nn.Module):
    """Self-attention, then the feed-forward network, each with dropout, a residual connection and LayerNorm.

    Shapes: src `[bs, sl, hid_dim]`, src_mask (see `masks`) → the same as src, and with `need_weights` also the weights
    `[bs, n_heads, sl, sl]`. `norm_first=False` normalises the sum, as the paper does; `True` normalises what
    enters each box. Equal to `nn.TransformerEncoderLayer`.
    Source: Vaswani et al. 2017, section 3.1; `EncoderLayer` of post B, with its attribute names.
    """

    def __init__(
        self,
        *,
        hid_dim: int,
        pf_dim: int,
        n_heads: int,
        dropout: float = 0.1,
        norm_first: bool = False,
        activation: str = "relu",
        norm_eps: float = 1e-5,
    ):
        super().__init__()
        self.self_attn = MultiHeadAttention(hid_dim=hid_dim, n_heads=n_heads, dropout=dropout)
        self.attn_layer_norm = nn.LayerNorm(hid_dim, eps=norm_eps)
        self.ff = PositionwiseFeedForwardLayer(hid_dim=hid_dim, pf_dim=pf_dim, dropout=dropout, activation=activation)
        self.ff_layer_norm = nn.LayerNorm(hid_dim, eps=norm_eps)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(self, src: Tensor, src_mask: Tensor | None = None, *, need_weights: bool = False):
        require_tokens("src", src, self.self_attn.hid_dim)
        entry = self.attn_layer_norm(src) if self.norm_first else src  # entry: [bs, sl, hid_dim]
        _src, weights = self.self_attn(
            entry, entry, entry, src_mask, need_weights=need_weights
        )  # _src: [bs, sl, hid_dim]
        src = src + self.dropout(_src)  # src: [bs, sl, hid_dim]
        if not self.norm_first:
            src = self.attn_layer_norm(src)  # src: [bs, sl, hid_dim]

        entry = self.ff_layer_norm(src) if self.norm_first else src  # entry: [bs, sl, hid_dim]
        _src = self.ff(entry)  # _src: [bs, sl, hid_dim]
        src = src + self.dropout(_src)  # src: [bs, sl, hid_dim]
        if not self.norm_first:
            src = self.ff_layer_norm(src)  # src: [bs, sl, hid_dim]

        return (src, weights) if need_weights else src


class Encoder(nn.Module):
    """Embedding, positions, dropout, then n_layers encoder layers; with `norm_first` one last LayerNorm.

    Shapes: src `[bs, sl]` integer ids, or floats `[bs, sl, hid_dim]`, which skip the embedding → `[bs, sl, hid_dim]`
    and, with `need_weights`, also a tuple of n_layers weights `[bs, n_heads, sl, sl]`. For src_mask see `masks`.
    `positions` is "sinusoid", "learned" or None; `input_dim=None` builds no embedding.
    Raises: ValueError for wrong sizes, ids, lengths and masks, TypeError for ids or a mask of another dtype.
    Source: Vaswani et al. 2017, section 3.1 (dropout on the sum of embedding and position: 5.4); `Encoder` of post B.
    """

    def __init__(
        self,
        *,
        input_dim: int | None,
        hid_dim: int,
        pf_dim: int,
        n_heads: int,
        n_layers: int,
        dropout: float = 0.1,
        max_len: int = 512,
        pad_id: int = 0,
        positions: str | None = "sinusoid",
        norm_first: bool = False,
        activation: str = "relu",
        norm_eps: float = 1e-5,
    ):
        super().__init__()
        require_sizes(n_layers=n_layers)
        if positions not in POSITIONS:
            raise ValueError(f'positions must be "sinusoid", "learned" or None, got {positions!r}')
        self.embed = None if input_dim is None else Embed(input_dim=input_dim, hid_dim=hid_dim, pad_id=pad_id)
        self.pe = None if positions is None else POSITIONS[positions](hid_dim=hid_dim, max_len=max_len)
        self.dropout = nn.Dropout(dropout)
        layer = dict(hid_dim=hid_dim, pf_dim=pf_dim, n_heads=n_heads, dropout=dropout)
        layer |= dict(norm_first=norm_first, activation=activation, norm_eps=norm_eps)
        self.layers = nn.ModuleList(EncoderLayer(**layer) for _ in range(n_layers))
        self.norm = nn.LayerNorm(hid_dim, eps=norm_eps) if norm_first else None

    def forward(self, src: Tensor, src_mask: Tensor | None = None, *, need_weights: bool = False):
        if not src.is_floating_point():
            if self.embed is None:
                raise ValueError(f"built with input_dim=None, so src must be floats [bs, sl, hid_dim], got {src.dtype}")
            if src.dim() != 2:
                raise ValueError(f"ids must be [bs, sl], got {list(src.shape)}")
            src = self.embed(src)  # src: [bs, sl, hid_dim]
        if self.pe is not None:
            src = self.pe(src)  # src: [bs, sl, hid_dim]
        src = self.dropout(src)  # src: [bs, sl, hid_dim]

        all_weights = []
        for layer in self.layers:
            out = layer(src, src_mask, need_weights=need_weights)
            src, weights = out if need_weights else (out, None)  # src: [bs, sl, hid_dim]
            all_weights.append(weights)
        if self.norm is not None:
            src = self.norm(src)  # src: [bs, sl, hid_dim]
        return (src, tuple(all_weights)) if need_weights else src
