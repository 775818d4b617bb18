"""The vector of padding is zero only until an initialisation overwrites it, or is trained as if padding were a word.

Whose trouble: https://github.com/pytorch/pytorch/issues/6495, https://github.com/pytorch/pytorch/issues/6411,
https://github.com/facebookresearch/fairseq/issues/4633 and https://github.com/NVIDIA-NeMo/Speech/issues/5726
"""

import pytest
import torch
from torch import nn

from tutorial_lib.embedding import Embed
from tutorial_lib.encoder import Encoder
from tutorial_lib.masks import padding_mask


def check(embed, table, step=0.1):
    """Five ids, padding is 0; after one step of SGD (rate 0.1) on the sum, two vectors have moved by `step`."""
    before = table.detach().clone()
    assert before[0].eq(0).all(), "padding does not start at zero"
    assert before[1:].ne(0).all()
    optimizer = torch.optim.SGD([table], lr=0.1)
    embed(torch.tensor([[1, 2, 0, 0]])).sum().backward()
    optimizer.step()
    moved = table.detach() - before
    assert moved[0].eq(0).all(), "padding was trained"
    torch.testing.assert_close(moved[1:3], torch.full((2, 4), -step), atol=1e-6, rtol=0)
    assert moved[3:].eq(0).all()


@pytest.mark.parametrize(("scale", "step"), [(False, 0.1), (True, 0.2)])  # scaled by √4, and so is the gradient
def test_the_row_of_padding_is_zero_and_stays_zero(scale, step):
    embed = Embed(input_dim=5, hid_dim=4, scale=scale)
    check(embed, embed.embedding.weight, step)


def test_so_it_is_in_an_encoder_also_after_training():
    model = Encoder(input_dim=5, hid_dim=4, pf_dim=8, n_heads=2, n_layers=2, pad_id=3)
    table = model.embed.embedding.weight
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)
    for _ in range(3):
        src = torch.tensor([[1, 2, 3, 3], [4, 0, 1, 3]])
        optimizer.zero_grad()
        model(src, padding_mask(src, pad_id=3)).square().sum().backward()
        optimizer.step()
    assert table[3].eq(0).all() and table[[0, 1, 2, 4]].ne(0).all()


def test_each_reported_mistake_fails():
    overwritten, trained = nn.Embedding(5, 4, padding_idx=0), nn.Embedding(5, 4)
    nn.init.normal_(overwritten.weight)
    trained.weight.data[0] = 0
    with pytest.raises(AssertionError, match="padding does not start at zero"):
        check(overwritten, overwritten.weight)
    with pytest.raises(AssertionError, match="padding was trained"):
        check(trained, trained.weight)
