"""The other stack: a decoder writes one token at a time, looking at what it has written and at what the encoder has read.

Letters: bs batch, sl source length, tl target length, hid_dim width, n_heads heads, output_dim target vocabulary.
"""

import torch
from torch import Tensor, nn

from tutorial_lib._sizes import require_sizes, require_tokens
from tutorial_lib.attention import MultiHeadAttention
from tutorial_lib.embedding import Embed
from tutorial_lib.encoder import POSITIONS, Encoder
from tutorial_lib.feedforward import PositionwiseFeedForwardLayer
from tutorial_lib.masks import causal_mask, padding_mask


class DecoderLayer(nn.Module):
    """Self-attention, cross-attention into the encoder's output, feed-forward; a residual and a LayerNorm for each.

    Shapes: tgt `[bs, tl, hid_dim]`, memory `[bs, sl, hid_dim]`, masks (see `masks`) → the same as tgt, and with
    `need_weights` also the pair of self-attention `[bs, n_heads, tl, tl]` and cross-attention `[bs, n_heads, tl, sl]`.
    Without a tgt_mask every place sees all others: give `masks.causal_mask`. Equal to `nn.TransformerDecoderLayer`.
    Raises: ValueError for sizes, batches and masks that do not fit. Source: Vaswani et al. 2017, section 3.1.
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
        self.self_attn_layer_norm = nn.LayerNorm(hid_dim, eps=norm_eps)
        self.cross_attn = MultiHeadAttention(hid_dim=hid_dim, n_heads=n_heads, dropout=dropout)
        self.cross_attn_layer_norm = nn.LayerNorm(hid_dim, eps=norm_eps)
        self.ff = PositionwiseFeedForwardLayer(hid_dim=hid_dim, pf_dim=pf_dim, dropout=dropout, activation=activation)
        self.ff_layer_norm = nn.LayerNorm(hid_dim, eps=norm_eps)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(self, tgt: Tensor, memory: Tensor, tgt_mask=None, memory_mask=None, *, need_weights: bool = False):
        for name, x in (("tgt", tgt), ("memory", memory)):
            require_tokens(name, x, self.self_attn.hid_dim)
        how = dict(need_weights=need_weights)

        entry = self.self_attn_layer_norm(tgt) if self.norm_first else tgt  # entry: [bs, tl, hid_dim]
        _tgt, own = self.self_attn(entry, entry, entry, tgt_mask, **how)  # _tgt: [bs, tl, hid_dim]
        tgt = tgt + self.dropout(_tgt)  # tgt: [bs, tl, hid_dim]
        if not self.norm_first:
            tgt = self.self_attn_layer_norm(tgt)  # tgt: [bs, tl, hid_dim]

        entry = self.cross_attn_layer_norm(tgt) if self.norm_first else tgt  # entry: [bs, tl, hid_dim]
        _tgt, cross = self.cross_attn(entry, memory, memory, memory_mask, **how)  # _tgt: [bs, tl, hid_dim]
        tgt = tgt + self.dropout(_tgt)  # tgt: [bs, tl, hid_dim]
        if not self.norm_first:
            tgt = self.cross_attn_layer_norm(tgt)  # tgt: [bs, tl, hid_dim]

        entry = self.ff_layer_norm(tgt) if self.norm_first else tgt  # entry: [bs, tl, hid_dim]
        tgt = tgt + self.dropout(self.ff(entry))  # tgt: [bs, tl, hid_dim]
        if not self.norm_first:
            tgt = self.ff_layer_norm(tgt)  # tgt: [bs, tl, hid_dim]

        return (tgt, (own, cross)) if need_weights else tgt


class Decoder(nn.Module):
    """Embedding, positions, dropout, n_layers decoder layers, and a linear layer to a logit for each token of the target.

    Shapes: tgt `[bs, tl]` ids, memory `[bs, sl, hid_dim]` → logits `[bs, tl, output_dim]`, and with `need_weights` also a
    tuple of n_layers pairs of weights. The causal mask is built in: the logits of a place depend on no later one.
    `layer` are the other sizes and switches of `DecoderLayer`; with `norm_first` one last LayerNorm, as in `Encoder`.
    Raises: ValueError for wrong sizes, ids, lengths and masks. Source: Vaswani et al. 2017, sections 3.1 and 3.4.
    """

    def __init__(
        self, *, output_dim, hid_dim, n_layers, dropout=0.1, max_len=512, pad_id=0, positions="sinusoid", **layer
    ):
        super().__init__()
        require_sizes(n_layers=n_layers)
        if positions not in POSITIONS:
            raise ValueError(f'positions must be "sinusoid", "learned" or None, got {positions!r}')
        self.embed = Embed(input_dim=output_dim, hid_dim=hid_dim, pad_id=pad_id)
        self.pe = None if positions is None else POSITIONS[positions](hid_dim=hid_dim, max_len=max_len)
        self.dropout = nn.Dropout(dropout)
        self.layers = nn.ModuleList(DecoderLayer(hid_dim=hid_dim, dropout=dropout, **layer) for _ in range(n_layers))
        self.norm = nn.LayerNorm(hid_dim, eps=layer.get("norm_eps", 1e-5)) if layer.get("norm_first") else None
        self.out = nn.Linear(hid_dim, output_dim)

    def forward(self, tgt: Tensor, memory: Tensor, memory_mask=None, *, need_weights: bool = False):
        if tgt.dim() != 2:
            raise ValueError(f"ids must be [bs, tl], got {list(tgt.shape)}")
        x = self.embed(tgt)  # x: [bs, tl, hid_dim]
        x = self.dropout(x if self.pe is None else self.pe(x))  # x: [bs, tl, hid_dim]
        # the target's padding lies behind its tokens, where the causal mask lets none of them look
        tgt_mask = causal_mask(tgt.size(1), device=tgt.device)  # tgt_mask: [1, 1, tl, tl]
        all_maps = []
        for layer in self.layers:
            out = layer(x, memory, tgt_mask, memory_mask, need_weights=need_weights)
            x, maps = out if need_weights else (out, None)  # x: [bs, tl, hid_dim]
            all_maps.append(maps)
        logits = self.out(x if self.norm is None else self.norm(x))  # logits: [bs, tl, output_dim]
        return (logits, tuple(all_maps)) if need_weights else logits


class Seq2Seq(nn.Module):
    """Encoder and decoder: src `[bs, sl]` and tgt `[bs, tl]` ids → logits `[bs, tl, output_dim]`. `sizes` are those of both."""

    def __init__(self, *, input_dim: int, output_dim: int, pad_id: int = 0, **sizes):
        super().__init__()
        self.pad_id = pad_id
        self.encoder = Encoder(input_dim=input_dim, pad_id=pad_id, **sizes)
        self.decoder = Decoder(output_dim=output_dim, pad_id=pad_id, **sizes)

    def forward(self, src: Tensor, tgt: Tensor, *, need_weights: bool = False):
        mask = padding_mask(src, pad_id=self.pad_id)  # mask: [bs, 1, 1, sl]
        memory = self.encoder(src, mask)  # memory: [bs, sl, hid_dim]
        return self.decoder(tgt, memory, mask, need_weights=need_weights)


def shift_right(tgt: Tensor, *, bos_id: int) -> Tensor:
    """What the decoder may see when it is asked for tgt `[bs, tl]`: BOS, then tgt without its last place; same shape."""
    return torch.cat([torch.full_like(tgt[:, :1], bos_id), tgt[:, :-1]], dim=1)  # [bs, tl]


@torch.no_grad()
def greedy_decode(model: Seq2Seq, src: Tensor, *, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    """Write the likeliest token, look at it, write the next: src `[bs, sl]` → `[bs, tl]`, tl ≤ max_len, padding behind EOS.

    The model is left in `eval()`. Raises: ValueError for a max_len below 1.
    """
    require_sizes(max_len=max_len)
    model.eval()
    mask = padding_mask(src, pad_id=model.pad_id)  # mask: [bs, 1, 1, sl]
    memory = model.encoder(src, mask)  # memory: [bs, sl, hid_dim]
    seen = torch.full((len(src), 1), bos_id, device=src.device)
    done = torch.zeros(len(src), dtype=torch.bool, device=src.device)  # done: [bs]
    for _ in range(max_len):
        logits = model.decoder(seen, memory, mask)[:, -1]  # logits: [bs, output_dim]
        token = logits.argmax(dim=-1).masked_fill(done, model.pad_id)  # token: [bs]
        seen = torch.cat([seen, token[:, None]], dim=1)
        done = done | (token == eos_id)  # done: [bs]
        if done.all():
            break
    return seen[:, 1:]  # [bs, tl]
