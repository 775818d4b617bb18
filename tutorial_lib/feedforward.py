"""The two boxes of an encoder layer that look at one token at a time: LayerNorm and the feed-forward network."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from tutorial_lib._sizes import require_sizes, require_tokens

ACTIVATIONS = {"relu": F.relu, "gelu": F.gelu}


class LayerNorm(nn.Module):
    """Give every token mean 0 and variance 1 along its width, then a learned gain and shift.

    Equal to `nn.LayerNorm` in float32 and float64 (in float16 the variance of large numbers overflows here).
    Shapes: `[..., hid_dim]` → the same. Raises: ValueError for another width. Source: Ba et al. 2016, section 3.
    """

    def __init__(self, *, hid_dim: int, eps: float = 1e-5):
        super().__init__()
        require_sizes(hid_dim=hid_dim)
        self.weight = nn.Parameter(torch.ones(hid_dim))
        self.bias = nn.Parameter(torch.zeros(hid_dim))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        if x.size(-1) != self.weight.size(0):
            raise ValueError(f"x must be [..., hid_dim] with hid_dim {self.weight.size(0)}, got {list(x.shape)}")
        mean = x.mean(dim=-1, keepdim=True)
        variance = x.var(dim=-1, keepdim=True, unbiased=False)  # divided by hid_dim, not by hid_dim - 1
        return (x - mean) / torch.sqrt(variance + self.eps) * self.weight + self.bias


class PositionwiseFeedForwardLayer(nn.Module):
    """Widen each token to pf_dim, bend it, and bring it back to hid_dim; no token sees another.

    Shapes: `[bs, sl, hid_dim]` → the same. Dropout sits between the two linear layers.
    Raises: ValueError for an activation other than "relu" and "gelu", or another width.
    Source: Vaswani et al. 2017, section 3.3; `PositionwiseFeedForwardLayer` of post B.
    """

    def __init__(self, *, hid_dim: int, pf_dim: int, dropout: float = 0.1, activation: str = "relu"):
        super().__init__()
        require_sizes(hid_dim=hid_dim, pf_dim=pf_dim)
        if activation not in ACTIVATIONS:
            raise ValueError(f"activation must be one of {', '.join(ACTIVATIONS)}, got {activation!r}")
        self.linear1 = nn.Linear(hid_dim, pf_dim)
        self.linear2 = nn.Linear(pf_dim, hid_dim)
        self.activation = activation
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        require_tokens("x", x, self.linear1.in_features)
        x = ACTIVATIONS[self.activation](self.linear1(x))  # x: [bs, sl, pf_dim]
        return self.linear2(self.dropout(x))  # [bs, sl, hid_dim]
