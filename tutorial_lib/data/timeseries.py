"""Series to forecast: motifs that a rule writes, the yearly sunspots, and what turns a series into windows without a leak.

Letters: n series or windows, sl places in each, n_values the last values that make a token.
"""

from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

SHORTEST, LONGEST = 8, 24  # places of a motif


class Scale(NamedTuple):
    """What was taken away and divided by; both come from the training part alone."""

    mean: float
    std: float

    def undo(self, x):
        """Scaled values → values in the unit of the series."""
        return x * self.std + self.mean


def motifs(n: int, *, length: int, seed: int, noise: float = 0.1) -> tuple[Tensor, Tensor]:
    """n series `[n, length]`, each a motif of 8 to 24 random values, repeated, in noise; and their periods `[n]`.

    Period, motif and the place where it begins are drawn for each series. Drawn on the CPU: the same everywhere.
    Raises: ValueError for fewer than 1 series or value, and for noise below 0.
    """
    if n < 1 or length < 1 or noise < 0:
        raise ValueError(f"n and length must be at least 1 and noise at least 0, got {n}, {length} and {noise}")
    draw = torch.Generator().manual_seed(seed)
    periods = torch.randint(SHORTEST, LONGEST + 1, (n,), generator=draw)  # periods: [n]
    values = torch.randn(n, LONGEST, generator=draw)
    begin = torch.randint(0, LONGEST, (n, 1), generator=draw)
    place = (torch.arange(length) + begin) % periods[:, None]  # place: [n, length]
    return values.gather(1, place) + noise * torch.randn(n, length, generator=draw), periods


def lag_tokens(series: Tensor, *, n_values: int) -> Tensor:
    """A token for each place, the n_values last values with the newest at the end: `[n, sl]` → `[n, sl, n_values]`.

    What lies before the series is 0, the mean of a scaled one. Raises: ValueError for another shape or n_values below 1.
    """
    if series.dim() != 2 or n_values < 1:
        raise ValueError(f"series must be [n, sl] and n_values at least 1, got {list(series.shape)} and {n_values}")
    # copied: the places of an unfolded view share their memory, and a change of one would change its neighbours
    return F.pad(series, (n_values - 1, 0)).unfold(1, n_values, 1).clone()  # [n, sl, n_values]


def split_and_scale(series, *, n_train: int) -> tuple[Tensor, Tensor, Scale]:
    """The first n_train values and the rest, both scaled by mean and population std of the first: train, test, Scale.

    Raises: ValueError for a series that is not `[length]` or not finite, for n_train that leaves fewer than 2 values for
    training or none for the test, and for a training part that is constant.
    """
    series = torch.as_tensor(series, dtype=torch.float64)
    if series.dim() != 1 or not series.isfinite().all():
        raise ValueError(f"the series must be finite numbers [length], got {list(series.shape)}")
    if not 2 <= n_train < len(series):
        raise ValueError(f"n_train must lie in 2..{len(series) - 1}, to leave values for both parts, got {n_train}")
    seen = series[:n_train]
    scale = Scale(seen.mean().item(), seen.std(correction=0).item())
    if scale.std == 0:
        raise ValueError(f"the {n_train} training values are all {scale.mean:g}: there is nothing to scale by")
    scaled = ((series - scale.mean) / scale.std).to(torch.get_default_dtype())
    return scaled[:n_train], scaled[n_train:], scale


def windows(part: Tensor, *, sl: int) -> tuple[Tensor, Tensor]:
    """Every window of sl values of ONE part of a series, and the value after each place: both `[n, sl]`.

    Call it for each part alone, and no window reaches over a split. To forecast the first values of a part, put the last
    sl values of the past before it: the last place of every window is then a forecast of the part.
    Raises: ValueError for a part that is not `[length]` with more than sl values.
    """
    if part.dim() != 1 or not 1 <= sl < len(part):
        raise ValueError(
            f"a window of {sl} and the value after it need a part [length] that is longer, got {list(part.shape)}"
        )
    both = part.unfold(0, sl + 1, 1).clone()  # both: [n, sl+1]
    return both[:, :-1], both[:, 1:]


def sunspots() -> Tensor:
    """The yearly mean sunspot numbers, 1700 to 2008, as statsmodels ships them: `[309]`, float64.

    Its note on the data set says: "This data is public domain." Raises: ModuleNotFoundError that says what to install.
    """
    try:
        from statsmodels.datasets import sunspots as source
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError("the sunspots come with statsmodels: pip install statsmodels") from error
    return torch.tensor(source.load_pandas().data["SUNACTIVITY"].to_numpy(), dtype=torch.float64)  # [309]


def find_period(past: Tensor) -> Tensor:
    """The shift of 8 to 24 places at which a series agrees best with itself (autocorrelation): `[n, sl]` → `[n]`.

    Raises: ValueError for a past that is not `[n, sl]` with more than 24 places.
    """
    if past.dim() != 2 or past.size(1) <= LONGEST:
        raise ValueError(f"past must be [n, sl] with more than {LONGEST} places, got {list(past.shape)}")
    x = past - past.mean(dim=1, keepdim=True)
    agree = [(x[:, shift:] * x[:, :-shift]).mean(dim=1) for shift in range(SHORTEST, LONGEST + 1)]
    return torch.stack(agree, dim=1).argmax(dim=1) + SHORTEST  # [n]
