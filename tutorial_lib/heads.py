"""What stands on top of an encoder: one vector for a sentence, a label for it or for each token, the next value of a series.

Letters: bs batch, sl sequence length, hid_dim width. A mask is the padding mask of `masks`, `[bs, 1, 1, sl]`, or None.
Every head gives logits or values, never probabilities: the loss takes the softmax itself.
"""

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from tutorial_lib._sizes import require_sizes, require_tokens
from tutorial_lib.encoder import Encoder
from tutorial_lib.masks import causal_mask, padding_mask


def masked_mean(hidden: Tensor, mask: Tensor | None) -> Tensor:
    """The mean over real tokens only: `[bs, sl, hid_dim]` → `[bs, hid_dim]`. A sentence of padding alone gives zeros.

    Raises: ValueError for a mask that is not `[bs, 1, 1, sl]`.
    """
    if mask is None:
        return hidden.mean(dim=1)  # [bs, hid_dim]
    real = _places(hidden, mask)[..., None]  # real: [bs, sl, 1]
    # filled, not multiplied: what stands at padding may be inf or NaN, and 0 × NaN is NaN
    total = hidden.masked_fill(~real, 0.0).sum(dim=1)  # total: [bs, hid_dim]
    return total / real.sum(dim=1).clamp(min=1)  # [bs, hid_dim]


def first_token(hidden: Tensor, mask: Tensor | None = None) -> Tensor:
    """The vector of the first token, `<BOS>`: `[bs, sl, hid_dim]` → `[bs, hid_dim]`. BERT calls it [CLS]."""
    return hidden[:, 0]  # [bs, hid_dim]


POOLS = {"mean": masked_mean, "bos": first_token}


class ClassificationHead(nn.Module):
    """A vector → a logit for each class: `[bs, hid_dim]`, or `[bs, sl, hid_dim]` for each token; last axis n_classes."""

    def __init__(self, *, hid_dim: int, n_classes: int, dropout: float = 0.1):
        super().__init__()
        require_sizes(hid_dim=hid_dim, n_classes=n_classes)
        self.dropout = nn.Dropout(dropout)
        self.linear = nn.Linear(hid_dim, n_classes)

    def forward(self, pooled: Tensor) -> Tensor:
        return self.linear(self.dropout(pooled))


class Classifier(nn.Module):
    """An encoder, one vector for the sentence, one logit per class: src `[bs, sl]` ids → `[bs, n_classes]`.

    `pool` is "mean" (over real tokens) or "bos"; `sizes` are those of `Encoder`.
    Raises: ValueError for another `pool`, and what `Encoder` raises. Source: Devlin et al. 2018 (BERT), section 4.1.
    """

    def __init__(self, *, n_classes: int, pool: str = "mean", dropout: float = 0.1, pad_id: int = 0, **sizes):
        super().__init__()
        if pool not in POOLS:
            raise ValueError(f'pool must be "mean" or "bos", got {pool!r}')
        self.pad_id, self.pool = pad_id, pool
        self.encoder = Encoder(dropout=dropout, pad_id=pad_id, **sizes)
        self.head = ClassificationHead(hid_dim=sizes["hid_dim"], n_classes=n_classes, dropout=dropout)

    def forward(self, src: Tensor) -> Tensor:
        mask = padding_mask(src, pad_id=self.pad_id)  # mask: [bs, 1, 1, sl]
        hidden = self.encoder(src, mask)  # hidden: [bs, sl, hid_dim]
        return self.head(POOLS[self.pool](hidden, mask))  # [bs, n_classes]


class Tagger(nn.Module):
    """An encoder and a logit per tag for every token: src `[bs, sl]` ids → `[bs, sl, n_tags]`.

    The same linear layer with the vocabulary for tags is a language-model head. Source: BERT, sections 3.1 and 5.3.
    """

    def __init__(self, *, n_tags: int, dropout: float = 0.1, pad_id: int = 0, **sizes):
        super().__init__()
        self.pad_id = pad_id
        self.encoder = Encoder(dropout=dropout, pad_id=pad_id, **sizes)
        self.head = ClassificationHead(hid_dim=sizes["hid_dim"], n_classes=n_tags, dropout=dropout)

    def forward(self, src: Tensor) -> Tensor:
        hidden = self.encoder(src, padding_mask(src, pad_id=self.pad_id))  # hidden: [bs, sl, hid_dim]
        return self.head(hidden)  # [bs, sl, n_tags]


class FFNHead(nn.Module):
    """A value for each place from its vector alone: `[bs, sl, hid_dim]` → `[bs, sl]`. Source: post A ("FFN, LSTM등")."""

    def __init__(self, *, hid_dim: int, pf_dim: int):
        super().__init__()
        require_sizes(hid_dim=hid_dim, pf_dim=pf_dim)
        self.net = nn.Sequential(nn.Linear(hid_dim, pf_dim), nn.GELU(), nn.Linear(pf_dim, 1))

    def forward(self, hidden: Tensor, lengths: Tensor | None = None) -> Tensor:
        return self.net(hidden)[..., 0]  # [bs, sl]


class LSTMHead(nn.Module):
    """A value for each place from those up to it: `[bs, sl, hid_dim]`, lengths `[bs]` or None → `[bs, sl]`. As above, post A.

    Packed: it runs over real places only, and behind a row's end stands 0. Raises: ValueError for lengths outside 1..sl.
    """

    def __init__(self, *, hid_dim: int, pf_dim: int):
        super().__init__()
        require_sizes(hid_dim=hid_dim, pf_dim=pf_dim)
        self.lstm = nn.LSTM(hid_dim, pf_dim, batch_first=True)
        self.linear = nn.Linear(pf_dim, 1)

    def forward(self, hidden: Tensor, lengths: Tensor | None = None) -> Tensor:
        require_tokens("hidden", hidden, self.lstm.input_size)
        bs, sl = hidden.shape[:2]
        lengths = torch.full((bs,), sl) if lengths is None else lengths.cpu()  # lengths: [bs]
        if lengths.shape != (bs,) or not ((lengths >= 1) & (lengths <= sl)).all():
            raise ValueError(f"lengths must be {bs} numbers in 1..sl = 1..{sl}, got {lengths.tolist()}")
        packed = pack_padded_sequence(hidden, lengths, batch_first=True, enforce_sorted=False)
        states, _ = pad_packed_sequence(self.lstm(packed)[0], batch_first=True, total_length=sl)
        real = torch.arange(sl, device=hidden.device) < lengths.to(hidden.device)[:, None]  # real: [bs, sl]
        return self.linear(states)[..., 0].masked_fill(~real, 0.0)  # [bs, sl]


class Forecaster(nn.Module):
    """The next value at every place, looking only back: values `[bs, sl, n_values]` → `[bs, sl]`, and weights if asked.

    A linear layer takes the embedding's place: a value is a quantity, no name. `head` is "ffn" or "lstm", which may be told
    lengths `[bs]`. Raises: ValueError for another `head` or width, and what `Encoder` raises. Source: post A's use.
    """

    def __init__(self, *, n_values: int, head: str = "ffn", **sizes):
        super().__init__()
        if head not in ("ffn", "lstm"):
            raise ValueError(f'head must be "ffn" or "lstm", got {head!r}')
        self.project = nn.Linear(n_values, sizes["hid_dim"])
        self.encoder = Encoder(input_dim=None, **sizes)
        self.head = (FFNHead if head == "ffn" else LSTMHead)(hid_dim=sizes["hid_dim"], pf_dim=sizes["pf_dim"])

    def forward(self, values: Tensor, lengths: Tensor | None = None, *, need_weights: bool = False):
        require_tokens("values", values, self.project.in_features)
        x = self.project(values)  # x: [bs, sl, hid_dim]
        mask = causal_mask(x.size(1), device=x.device)  # mask: [1, 1, sl, sl]
        out = self.encoder(x, mask, need_weights=need_weights)
        hidden, weights = out if need_weights else (out, None)  # hidden: [bs, sl, hid_dim]
        return (self.head(hidden, lengths), weights) if need_weights else self.head(hidden, lengths)


def _places(hidden: Tensor, mask: Tensor) -> Tensor:
    bs, sl, _ = hidden.shape
    if mask.dtype != torch.bool or mask.shape != (bs, 1, 1, sl):
        raise ValueError(
            f"the mask must be boolean [bs, 1, 1, sl] = {[bs, 1, 1, sl]}, got {mask.dtype} {list(mask.shape)}"
        )
    return mask[:, 0, 0]  # [bs, sl]
