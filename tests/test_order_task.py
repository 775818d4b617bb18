"""What lesson 03 shows with one seed holds for several: order is learned only where positions are there and can be heard."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from tutorial_lib.encoder import Encoder

SEEDS = (0, 1, 2)


def order_task(n):
    src = torch.randint(6, 20, (n, 8))
    places = torch.rand(n, 8).argsort(dim=1)[:, :2]
    return src.scatter(1, places, torch.tensor([[4, 5]]).expand(n, 2)), (places[:, 0] < places[:, 1]).long()


def share_right(seed, positions, epochs, loud=False):
    torch.manual_seed(seed)
    src, label = order_task(2048)
    test_src, test_label = order_task(1000)
    encoder = Encoder(input_dim=20, hid_dim=128, pf_dim=256, n_heads=4, n_layers=1, dropout=0.0, positions=positions)
    if loud:
        nn.init.normal_(encoder.embed.embedding.weight)
    head = nn.Linear(128, 2)
    optimizer = torch.optim.Adam([*encoder.parameters(), *head.parameters()], lr=2e-3)
    for _ in range(epochs):
        for batch in torch.randperm(2048).split(32):
            optimizer.zero_grad()
            F.cross_entropy(head(encoder(src[batch]).mean(dim=1)), label[batch]).backward()
            optimizer.step()
    with torch.no_grad():
        return (head(encoder(test_src).mean(dim=1)).argmax(dim=1) == test_label).float().mean().item()


@pytest.mark.parametrize("seed", SEEDS)
def test_order_is_learned_where_positions_can_be_heard(seed):
    assert share_right(seed, None, 2) < 0.6
    assert share_right(seed, "sinusoid", 2, loud=True) < 0.65
    assert share_right(seed, "sinusoid", 2) > 0.9
    assert share_right(seed, "learned", 6) > 0.9
