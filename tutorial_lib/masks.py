"""One mask rule, and the roads to and from the other three conventions.

A mask is boolean, True = may be attended, broadcasts to `[bs, n_heads, sl_q, sl_k]` (last axis in full), and hides keys.
The others: PyTorch's `key_padding_mask` (True = hidden), floats added to the scores (0 or -inf), 0/1 integers.
"""

import torch
from torch import Tensor


def padding_mask(src: Tensor, *, pad_id: int) -> Tensor:
    """True at real tokens: ids `[bs, sl]` → `[bs, 1, 1, sl]`. Raises: TypeError, ValueError. Source: post B's `src_mask`."""
    if src.is_floating_point():
        raise TypeError(f"a padding mask is made from ids, which are integers, got {src.dtype}")
    if src.dim() != 2:
        raise ValueError(f"a padding mask is made from ids [bs, sl], got {list(src.shape)}")
    return (src != pad_id)[:, None, None, :]  # [bs, 1, 1, sl]


def causal_mask(sl: int, *, device=None) -> Tensor:
    """True at and before the query's own place: `[1, 1, sl, sl]`. Source: Vaswani et al. 2017, section 3.2.3."""
    return torch.ones(sl, sl, dtype=torch.bool, device=device).tril()[None, None]  # [1, 1, sl, sl]


def from_integers(m: Tensor) -> Tensor:
    """1 = may be attended, 0 = hidden (Hugging Face's `attention_mask`): `[bs, sl]`, or 4-D as it is.

    Raises: TypeError for floats and booleans, ValueError for another number than 0 and 1.
    """
    if m.is_floating_point() or m.dtype == torch.bool:
        raise TypeError(f"a 0/1 mask is made of integers, got {m.dtype}: see from_additive and from_key_padding_mask")
    _require((m == 0) | (m == 1), m, "a 0/1 mask holds 0 and 1 only")
    return _four_axes(m == 1)


def from_key_padding_mask(m: Tensor) -> Tensor:
    """PyTorch's `key_padding_mask`, True = hidden: `[bs, sl]` → `[bs, 1, 1, sl]`. Raises: TypeError unless boolean."""
    if m.dtype != torch.bool:
        raise TypeError(f"a key_padding_mask is boolean, got {m.dtype}: see from_integers and from_additive")
    if m.dim() != 2:
        raise ValueError(f"a key_padding_mask is [bs, sl], got {list(m.shape)}")
    return _four_axes(~m)  # [bs, 1, 1, sl]


def from_additive(m: Tensor) -> Tensor:
    """Floats that are added to scores: 0 = may be attended, -10000 and below (to -inf) = hidden; `[bs, sl]`, or 4-D.

    Two axes are always read as `[bs, sl]`: give a square `[sl, sl]` of PyTorch's as `m[None, None]`.
    Raises: TypeError unless floating, ValueError for any other number: it would shift a score and hide nothing.
    """
    if not m.is_floating_point():
        raise TypeError(f"an additive mask is made of floats, got {m.dtype}: for 0/1 use from_integers")
    _require((m == 0) | (m <= -1e4), m, "an additive mask holds 0 (may be attended) and -10000 or less (hidden)")
    return _four_axes(m == 0)


def to_integers(mask: Tensor) -> Tensor:
    """Our mask as 0/1 int64: a padding mask becomes `[bs, sl]`, any other keeps its 4 axes."""
    _require_mask(mask)
    return (mask[:, 0, 0] if mask.shape[1:3] == (1, 1) else mask).long()


def to_key_padding_mask(mask: Tensor) -> Tensor:
    """Our padding mask as PyTorch's, `[bs, sl]`, True = hidden. Raises: ValueError unless it is `[bs, 1, 1, sl]`."""
    _require_mask(mask)
    if mask.shape[1:3] != (1, 1):
        raise ValueError(f"only a padding mask [bs, 1, 1, sl] has this form, got {list(mask.shape)}: see to_additive")
    return ~mask[:, 0, 0]  # [bs, sl]


def to_additive(mask: Tensor, *, dtype: torch.dtype) -> Tensor:
    """Our mask as floats to add to scores, same axes: 0 for True, -inf for False (elsewhere a row of -inf may give NaN)."""
    _require_mask(mask)
    return torch.zeros(mask.shape, dtype=dtype, device=mask.device).masked_fill(~mask, float("-inf"))


def check_mask(mask: Tensor, shape: tuple[int, int, int, int]) -> None:
    """Raise unless `mask` follows the rule for scores of `shape` = (bs, n_heads, sl_q, sl_k).

    Raises: TypeError for another dtype; ValueError for another shape. The axis of the keys must be there in full: a
    length of 1 would broadcast, and hide either every key or none.
    """
    _require_boolean(mask)
    fits = len(shape) == mask.dim() == 4 and all(size in (1, whole) for size, whole in zip(mask.shape, shape))
    if not fits or mask.size(3) != shape[3]:
        wanted = f"[bs|1, n_heads|1, sl_q|1, sl_k] for scores [bs, n_heads, sl_q, sl_k] = {list(shape)}"
        raise ValueError(f"a mask must be {wanted}, got {list(mask.shape)}: see masks.padding_mask and causal_mask")


def _require_boolean(mask: Tensor) -> None:
    kind = mask.dtype if isinstance(mask, Tensor) else type(mask)
    if kind != torch.bool:
        raise TypeError(f"a mask is a boolean tensor, True = may be attended, got {kind}: see masks.from_integers etc.")


def _require_mask(mask: Tensor) -> None:
    _require_boolean(mask)
    if mask.dim() != 4:
        raise ValueError(f"a mask has the 4 axes [bs|1, n_heads|1, sl_q|1, sl_k], got {list(mask.shape)}")


def _four_axes(mask: Tensor) -> Tensor:
    if mask.dim() not in (2, 4):
        raise ValueError(f"this mask must be [bs, sl] or [bs, n_heads, sl_q, sl_k], got {list(mask.shape)}")
    return mask[:, None, None, :] if mask.dim() == 2 else mask


def _require(allowed: Tensor, m: Tensor, rule: str) -> None:
    if not m.is_meta and not torch.compiler.is_compiling() and not allowed.all():
        raise ValueError(f"{rule}, got {m[~allowed].unique().tolist()[:3]}")
