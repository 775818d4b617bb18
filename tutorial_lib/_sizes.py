"""The one check that every constructor makes first."""


def require_sizes(**sizes: int) -> None:
    """Raise ValueError, naming the size and the value met, unless every size is a whole number of at least 1."""
    for name, size in sizes.items():
        if isinstance(size, bool) or not isinstance(size, int) or size < 1:
            raise ValueError(f"{name} must be a whole number of at least 1, got {size!r}")
