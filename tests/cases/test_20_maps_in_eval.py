"""Attention maps are missing under `eval()` and `no_grad()`: torch's fast path calls no hook, or hands it None.

Whose trouble: https://github.com/pytorch/pytorch/issues/128413,
https://github.com/pytorch/pytorch/issues/132700 and https://github.com/pytorch/pytorch/issues/88810
"""

import pytest
import torch
from torch import nn

from tutorial_lib.encoder import Encoder
from tutorial_lib.trace import attention_weights

SIZES = dict(input_dim=None, hid_dim=8, pf_dim=16, n_heads=2, n_layers=2)
FROZEN = pytest.mark.parametrize("frozen", [torch.no_grad, torch.inference_mode, torch.enable_grad])


def torchs():
    return nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 2).eval()


def check(maps_of, frozen=torch.no_grad):
    with frozen():
        maps = maps_of(torch.randn(1, 3, 8))
    assert len(maps) == 2
    for weights in maps:
        assert weights is not None and weights.shape == (1, 2, 3, 3)
        torch.testing.assert_close(weights.sum(-1), torch.ones(1, 2, 3))


@FROZEN
@pytest.mark.parametrize("norm_first", [False, True])
def test_our_encoder_gives_a_map_for_each_layer(norm_first, frozen):
    model = Encoder(**SIZES, norm_first=norm_first).eval()
    check(lambda x: model(x, need_weights=True)[1], frozen)
    check(lambda x: attention_weights(model, x), frozen)


@FROZEN
@pytest.mark.parametrize("trained", [True, False])
def test_torchs_encoder_gives_them_to_attention_weights(trained, frozen):
    """Also where it would take its fast path, which cuts off what is padding in every sentence."""
    model = torchs().requires_grad_(trained)
    check(lambda x: attention_weights(model, x), frozen)
    check(lambda x: attention_weights(model, x, src_key_padding_mask=torch.tensor([[False, False, True]])), frozen)
    assert torch.backends.mha.get_fastpath_enabled()  # left as it was


def test_the_reported_mistake_fails():
    model, maps = torchs(), []
    for layer in model.layers:
        layer.self_attn.register_forward_hook(lambda module, inputs, output: maps.append(output[1]))
    with pytest.raises(AssertionError):
        check(lambda x: (model(x), maps)[1])
