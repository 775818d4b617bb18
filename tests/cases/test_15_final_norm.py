"""A stack that normalises before each box hands on sums that nobody has normalised, unless a last norm stands behind it.

Whose trouble: https://github.com/marian-nmt/marian-dev/pull/719
and https://github.com/harvardnlp/annotated-transformer/issues/1
"""

import pytest
import torch

from tutorial_lib.encoder import Encoder

SIZES = dict(hid_dim=16, pf_dim=32, n_heads=2, n_layers=3)


def check(model, src, **how):
    out = model.eval()(src, **how)
    out = out[0] if how else out
    assert out.mean(-1).abs().max() < 1e-4
    assert (out.std(-1, unbiased=False) - 1).abs().max() < 1e-2


@pytest.mark.parametrize("how", [{}, {"need_weights": True}], ids=["fused", "weights"])
@pytest.mark.parametrize("norm_first", [False, True])
def test_in_both_orders_every_vector_comes_out_normalised(norm_first, how):
    check(Encoder(**SIZES, input_dim=None, norm_first=norm_first), 50 * torch.randn(1, 4, 16), **how)
    check(Encoder(**SIZES, input_dim=9, norm_first=norm_first), torch.tensor([[3, 4, 5, 6]]), **how)


def test_there_is_no_second_norm_where_the_layers_end_with_one():
    assert Encoder(**SIZES, input_dim=9).norm is None


def test_the_reported_mistake_fails():
    model = Encoder(**SIZES, input_dim=None, norm_first=True)
    model.norm = None
    with pytest.raises(AssertionError):
        check(model, 50 * torch.randn(1, 4, 16))
