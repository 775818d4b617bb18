import pytest
import torch
from torch import nn

from tutorial_lib.feedforward import LayerNorm, PositionwiseFeedForwardLayer


@pytest.mark.parametrize("hid_dim", [2, 5, 8])
@pytest.mark.parametrize("eps", [1e-5, 1e-12])
def test_layer_norm_is_torchs(hid_dim, eps, float64):
    ours, theirs = LayerNorm(hid_dim=hid_dim, eps=eps), nn.LayerNorm(hid_dim, eps=eps)
    with torch.no_grad():
        for parameter in ours.parameters():
            parameter.normal_()
    theirs.load_state_dict(ours.state_dict())
    x = torch.randn(3, 4, hid_dim, requires_grad=True)
    torch.testing.assert_close(ours(x), theirs(x), atol=1e-10, rtol=0)
    mine, other = (torch.autograd.grad(norm(x).square().sum(), x)[0] for norm in (ours, theirs))
    torch.testing.assert_close(mine, other, atol=1e-9, rtol=0)


@pytest.mark.parametrize(
    ("row", "eps", "wanted"),
    [
        ([2, 4, 6, 12], 1e-12, [-1.069045, -0.534522, 0, 1.603567]),
        ([3, 3, 3, 3], 1e-12, [0, 0, 0, 0]),
        ([0.001, -0.001], 1e-6, [0.707107, -0.707107]),
    ],
)
def test_known_values(row, eps, wanted):
    out = LayerNorm(hid_dim=len(row), eps=eps)(torch.tensor(row, dtype=torch.float32))
    torch.testing.assert_close(out, torch.tensor(wanted, dtype=torch.float32), atol=1e-4, rtol=0)


@pytest.mark.parametrize("shape", [(2, 3, 1), (2, 3, 7)])
def test_another_width_is_refused_and_not_stretched(shape):
    for module in (LayerNorm(hid_dim=8), PositionwiseFeedForwardLayer(hid_dim=8, pf_dim=16)):
        with pytest.raises(ValueError, match=rf"hid_dim 8, got \[2, 3, {shape[2]}\]"):
            module(torch.randn(shape))


def test_no_token_sees_another():
    ff = PositionwiseFeedForwardLayer(hid_dim=8, pf_dim=16).eval()
    x = torch.randn(2, 5, 8)
    together = ff(x)
    for place in range(5):
        torch.testing.assert_close(ff(x[:, place : place + 1]), together[:, place : place + 1])


@pytest.mark.parametrize(("activation", "bend"), [("relu", nn.ReLU()), ("gelu", nn.GELU())])
def test_activation(activation, bend):
    ff = PositionwiseFeedForwardLayer(hid_dim=8, pf_dim=16, activation=activation).eval()
    x = torch.randn(2, 5, 8)
    torch.testing.assert_close(ff(x), ff.linear2(bend(ff.linear1(x))))


def test_gelu_is_the_exact_one():
    ff = PositionwiseFeedForwardLayer(hid_dim=1, pf_dim=1, activation="gelu").eval()
    with torch.no_grad():
        for linear in (ff.linear1, ff.linear2):
            linear.weight.fill_(1)
            linear.bias.fill_(0)
    assert ff(torch.ones(1, 1, 1)).item() == pytest.approx(0.841345, abs=1e-6)  # the tanh form gives 0.841192


def test_an_unknown_activation_is_named():
    with pytest.raises(ValueError, match="relu, gelu, got 'tanh'"):
        PositionwiseFeedForwardLayer(hid_dim=8, pf_dim=16, activation="tanh")
