"""Ids to vectors, and vectors that know their position. Letters: bs batch, sl sequence length, hid_dim width."""

import torch
from torch import Tensor, nn

from tutorial_lib._sizes import require_sizes, require_tokens


class Embed(nn.Module):
    """A vector for each id. The vector of `pad_id` is zero and stays zero.

    Shapes: `[bs, sl]` int → `[bs, sl, hid_dim]`. With `scale`, vectors are drawn small (variance 1 / hid_dim) and
    multiplied by √hid_dim; without, they are drawn with variance 1: either way what comes out starts with variance 1.
    Raises: TypeError for ids that are not int64 or int32, ValueError for an id or a pad_id outside 0..input_dim-1.
    Source: Vaswani et al. 2017, section 3.4; `Embed` of post B.
    """

    def __init__(self, *, input_dim: int, hid_dim: int, pad_id: int = 0, scale: bool = True):
        super().__init__()
        require_sizes(input_dim=input_dim, hid_dim=hid_dim)
        if not 0 <= pad_id < input_dim:
            raise ValueError(f"pad_id must lie in 0..input_dim-1 = 0..{input_dim - 1}, got {pad_id}")
        self.embedding = nn.Embedding(input_dim, hid_dim, padding_idx=pad_id)
        self.factor = hid_dim**0.5 if scale else 1.0
        nn.init.normal_(self.embedding.weight, std=1 / self.factor)
        with torch.no_grad():  # padding_idx stops the gradient of this row, and normal_ has just filled it
            self.embedding.weight[pad_id].zero_()

    def forward(self, src: Tensor) -> Tensor:
        if src.dtype not in (torch.int64, torch.int32):
            raise TypeError(f"ids must be int64 or int32, got {src.dtype}: a batch of ids comes from text.collate")
        size = self.embedding.num_embeddings
        # a compiled or shape-only run has no numbers to look at
        if src.numel() and not src.is_meta and not torch.compiler.is_compiling():
            wrong = src.min().item() if src.min() < 0 else src.max().item()
            if not 0 <= wrong < size:
                raise ValueError(f"ids must lie in 0..input_dim-1 = 0..{size - 1}, got {wrong}")
        return self.embedding(src) * self.factor  # [bs, sl, hid_dim]


def sinusoid_table(*, max_len: int, hid_dim: int) -> Tensor:
    """`[max_len, hid_dim]`: columns 2i, 2i+1 are sine and cosine of pos / 10000^(2i / hid_dim). Source: paper, 3.5."""
    require_sizes(max_len=max_len, hid_dim=hid_dim)
    position = torch.arange(max_len, dtype=torch.float64)[:, None]
    column = torch.arange(hid_dim, dtype=torch.float64)
    angle = position / 10000 ** ((column - column % 2) / hid_dim)
    table = torch.where(column % 2 == 0, angle.sin(), angle.cos())
    return table.to(torch.get_default_dtype())  # [max_len, hid_dim]


class PositionalEncodingLayer(nn.Module):
    """Add the sinusoid table to the tokens. No parameter; the table follows `.to()` and is not saved.

    Shapes: `[bs, sl, hid_dim]` → the same. Raises: ValueError for sl > max_len or another width.
    Source: Vaswani et al. 2017, section 3.5; `PositionalEncodingLayer` of post B.
    """

    def __init__(self, *, hid_dim: int, max_len: int = 512):
        super().__init__()
        self.register_buffer("table", sinusoid_table(max_len=max_len, hid_dim=hid_dim), persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        return x + _first_rows(self.table, x)  # [bs, sl, hid_dim]


class LearnedPositionLayer(nn.Module):
    """Add a learned vector per position; shapes and errors as above. Source: post A (`position_embedding`), BERT."""

    def __init__(self, *, hid_dim: int, max_len: int = 512):
        super().__init__()
        require_sizes(max_len=max_len, hid_dim=hid_dim)
        self.table = nn.Parameter(torch.randn(max_len, hid_dim) * 0.02)

    def forward(self, x: Tensor) -> Tensor:
        return x + _first_rows(self.table, x)  # [bs, sl, hid_dim]


def _first_rows(table: Tensor, x: Tensor) -> Tensor:
    max_len, hid_dim = table.shape
    require_tokens("x", x, hid_dim)
    if x.size(1) > max_len:
        raise ValueError(f"sl {x.size(1)} is longer than max_len {max_len}: cut the text, or build a larger table")
    return table[: x.size(1)]  # [sl, hid_dim]
