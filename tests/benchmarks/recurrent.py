"""The rival without attention in the tables of lessons 09 and 10."""

from torch import Tensor, nn

from tutorial_lib.heads import masked_mean
from tutorial_lib.masks import padding_mask


class Recurrent(nn.Module):
    """A GRU in both directions: logits for each token, or with `pool` for the mean over real tokens."""

    def __init__(self, *, input_dim: int, hid_dim: int, n_out: int, pool: bool):
        super().__init__()
        self.embed = nn.Embedding(input_dim, hid_dim, padding_idx=0)
        self.gru = nn.GRU(hid_dim, hid_dim, batch_first=True, bidirectional=True)
        self.out = nn.Linear(2 * hid_dim, n_out)
        self.pool = pool

    def forward(self, src: Tensor) -> Tensor:
        hidden = self.gru(self.embed(src))[0]
        return self.out(masked_mean(hidden, padding_mask(src, pad_id=0)) if self.pool else hidden)
