"""The vectors of real tokens change with the padding behind them: the mask is not passed on, or not to every layer.

Whose trouble: https://github.com/huggingface/transformers/issues/278 and https://github.com/HazyResearch/m2/issues/43
"""

import pytest
import torch

from tutorial_lib.encoder import Encoder
from tutorial_lib.masks import padding_mask

PADDED = [
    [[5, 7, 9]],
    [[5, 7, 9, 0]],
    [[5, 7, 9, 0, 0, 0, 0]],
    [[5, 7, 9, 0, 0], [1, 2, 3, 4, 6]],  # beside a longer sentence
]


def build(**changes):
    model = Encoder(input_dim=12, hid_dim=8, pf_dim=16, n_heads=2, n_layers=2, **changes).eval()
    for parameter in model.parameters():
        if parameter.dim() > 1:
            torch.nn.init.normal_(parameter, std=0.5)
    return model


def check(model, **how):
    runs = []
    for rows in PADDED:
        ids = torch.tensor(rows)
        out = model(ids, padding_mask(ids, pad_id=0), **how)
        runs.append((out[0] if how else out)[0, :3])
    for run in runs[1:]:
        assert (run - runs[0]).abs().max() < 1e-5


@pytest.mark.parametrize("how", [{}, {"need_weights": True}], ids=["fused", "weights"])
@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize("positions", ["sinusoid", "learned", None])
def test_padding_does_not_change_the_real_tokens(positions, norm_first, how):
    check(build(positions=positions, norm_first=norm_first), **how)


@pytest.mark.parametrize("deaf", [[0, 1], [0], [1]], ids=["every layer", "the first", "the second"])
def test_a_mask_that_does_not_arrive_fails(deaf):
    model = build()
    for number in deaf:
        forward = model.layers[number].forward
        model.layers[number].forward = lambda src, mask, forward=forward, **how: forward(src, None, **how)
    with pytest.raises(AssertionError):
        check(model)
