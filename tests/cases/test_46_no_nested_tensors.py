"""Evaluation stops on Apple's and Intel's devices: `nn.TransformerEncoder` takes a fast path of nested tensors there.

Whose trouble: https://github.com/pytorch/pytorch/issues/141287,
https://github.com/pytorch/pytorch/issues/127743, https://github.com/yutanagano/sceptr/issues/35
and https://github.com/intel/intel-extension-for-pytorch/issues/493
"""

import pytest
import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode

from tutorial_lib.attention import MultiHeadAttention
from tutorial_lib.encoder import Encoder, EncoderLayer
from tutorial_lib.masks import from_integers, to_key_padding_mask
from tutorial_lib.trace import attention_weights

X, MASK = torch.randn(2, 4, 8), from_integers(torch.tensor([[1, 1, 1, 0], [1, 1, 0, 0]]))
SIZES = dict(hid_dim=8, n_heads=2)
RUNS = {
    "attention": lambda **how: MultiHeadAttention(**SIZES).eval()(X, X, X, MASK, **how),
    "layer": lambda **how: EncoderLayer(**SIZES, pf_dim=16).eval()(X, MASK, **how),
    "encoder": lambda **how: Encoder(**SIZES, pf_dim=16, n_layers=2, input_dim=None).eval()(X, MASK, **how),
}
CLOSED = ("nested", "_transformer_encoder_layer_fwd", "_native_multi_head_attention")


class Calls(TorchDispatchMode):
    names = frozenset()

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.names |= {str(func)}
        return func(*args, **(kwargs or {}))


def check(run):
    with torch.no_grad(), Calls() as calls:
        run()
    assert calls.names and [name for name in sorted(calls.names) if any(part in name for part in CLOSED)] == []


@pytest.mark.parametrize("need_weights", [False, True])
@pytest.mark.parametrize("name", RUNS)
def test_our_own_modules_take_no_closed_path(name, need_weights):
    check(lambda: RUNS[name](need_weights=need_weights))


def torchs():
    return nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 2).eval()


def test_nor_does_torchs_encoder_when_its_weights_are_looked_at():
    check(lambda: attention_weights(torchs(), X))


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
def test_the_reported_mistake_fails():
    model = torchs()
    with pytest.raises(AssertionError, match="_nested_tensor_from_mask"):
        check(lambda: model(X, src_key_padding_mask=to_key_padding_mask(MASK)))
