"""The checks that many modules make first."""

from numbers import Integral

from torch import Tensor


def require_sizes(**sizes: int) -> None:
    """Raise ValueError, naming the size and the value met, unless every size is a whole number of at least 1."""
    for name, size in sizes.items():
        if isinstance(size, bool) or not isinstance(size, Integral) or size < 1:
            raise ValueError(f"{name} must be a whole number of at least 1, got {size!r}")


def require_tokens(name: str, x: Tensor, hid_dim: int) -> None:
    """Raise ValueError, naming the argument and its shape, unless `x` is `[bs, sl, hid_dim]`."""
    if x.dim() != 3 or x.size(2) != hid_dim:
        raise ValueError(f"{name} must be [bs, sl, hid_dim] with hid_dim {hid_dim}, got {list(x.shape)}")
