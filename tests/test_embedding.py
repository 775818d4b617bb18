import math

import numpy as np
import pytest
import torch

from tutorial_lib.embedding import Embed, LearnedPositionLayer, PositionalEncodingLayer, sinusoid_table


@pytest.mark.parametrize("hid_dim", [1, 2, 5, 8, 33])
def test_the_table_is_the_papers_formula(hid_dim):
    table = sinusoid_table(max_len=40, hid_dim=hid_dim)
    assert table.shape == (40, hid_dim) and table.dtype == torch.float32
    for pos in range(40):
        for column in range(hid_dim):
            angle = pos / 10000 ** ((column - column % 2) / hid_dim)
            wanted = math.cos(angle) if column % 2 else math.sin(angle)
            assert table[pos, column].item() == pytest.approx(wanted, abs=1e-7)


def test_known_rows():
    assert sinusoid_table(max_len=2, hid_dim=4)[0].tolist() == [0, 1, 0, 1]
    row = sinusoid_table(max_len=2, hid_dim=5)[1]
    torch.testing.assert_close(row, torch.tensor([0.841471, 0.540302, 0.025116, 0.999685, 0.000631]), atol=1e-6, rtol=0)


def test_the_table_is_exact_in_double_precision_far_out(float64):
    assert sinusoid_table(max_len=5000, hid_dim=6)[4999, 2].item() == pytest.approx(
        math.sin(4999 / 10000 ** (2 / 6)), abs=1e-12
    )


@pytest.mark.parametrize("layer", [PositionalEncodingLayer, LearnedPositionLayer])
def test_positions_run_along_the_sentence_for_every_sample(layer):
    pe = layer(hid_dim=4, max_len=6)
    for bs, sl in ((3, 3), (2, 5)):
        out = pe(torch.zeros(bs, sl, 4))
        assert out.shape == (bs, sl, 4)
        assert all(torch.equal(sample, out[0]) for sample in out)
        assert len(out[0].unique(dim=0)) == sl


@pytest.mark.parametrize("layer", [PositionalEncodingLayer, LearnedPositionLayer])
def test_too_long_a_text_names_both_lengths(layer):
    pe = layer(hid_dim=4, max_len=4)
    assert pe(torch.zeros(1, 4, 4)).shape == (1, 4, 4)
    with pytest.raises(ValueError, match=r"5 .*4"):
        pe(torch.zeros(1, 5, 4))


@pytest.mark.parametrize("layer", [PositionalEncodingLayer, LearnedPositionLayer])
@pytest.mark.parametrize("shape", [(2, 3, 5), (3, 4), (2, 3, 4, 4)])
def test_another_width_or_number_of_axes_is_refused(layer, shape):
    with pytest.raises(ValueError, match="hid_dim 4, got"):
        layer(hid_dim=4)(torch.zeros(shape))


def test_the_sinusoid_has_nothing_to_learn_or_to_save_and_follows_to():
    pe = PositionalEncodingLayer(hid_dim=4)
    assert list(pe.parameters()) == [] and pe.state_dict() == {}
    assert pe.to(torch.float16)(torch.zeros(1, 2, 4, dtype=torch.float16)).dtype == torch.float16
    assert sum(p.numel() for p in LearnedPositionLayer(hid_dim=4, max_len=6).parameters()) == 24


@pytest.mark.parametrize(("scale", "factor"), [(True, 8**0.5), (False, 1.0)])
def test_embed_is_the_row_times_the_factor(scale, factor):
    embed = Embed(input_dim=9, hid_dim=8, scale=scale)
    src = torch.tensor([[1, 5, 0]])
    torch.testing.assert_close(embed(src)[0, 1], embed.embedding.weight[5] * factor)


@pytest.mark.parametrize("scale", [True, False])
def test_tokens_start_as_large_as_positions(scale):
    out = Embed(input_dim=2000, hid_dim=64, scale=scale)(torch.arange(1, 2000)[None])
    assert out.std().item() == pytest.approx(1, abs=0.02)


@pytest.mark.parametrize("pad_id", [0, 3])
def test_the_padding_row_is_zero_and_stays_zero(pad_id):
    embed = Embed(input_dim=5, hid_dim=4, pad_id=pad_id, scale=False)
    before = embed.embedding.weight.detach().clone()
    assert before[pad_id].eq(0).all() and before.ne(0).any(dim=1).sum() == 4
    optimizer = torch.optim.SGD(embed.parameters(), lr=0.1)
    embed(torch.tensor([[1, 2, pad_id, pad_id]])).sum().backward()
    optimizer.step()
    moved = embed.embedding.weight.detach() - before
    assert moved[pad_id].eq(0).all() and moved[4].eq(0).all()
    torch.testing.assert_close(moved[1:3], torch.full((2, 4), -0.1))


@pytest.mark.parametrize("wrong", [-1, 5, 70])
def test_an_id_outside_is_named(wrong):
    with pytest.raises(ValueError, match=rf"0\.\.4, got {wrong}"):
        Embed(input_dim=5, hid_dim=4)(torch.tensor([[1, wrong, 2]]))


def test_ids_must_be_integers():
    with pytest.raises(TypeError, match="float32"):
        Embed(input_dim=5, hid_dim=4)(torch.ones(2, 3))
    assert Embed(input_dim=5, hid_dim=4)(torch.ones(2, 3, dtype=torch.int32)).shape == (2, 3, 4)


@pytest.mark.parametrize("pad_id", [-1, 5])
def test_pad_id_must_be_in_the_table(pad_id):
    with pytest.raises(ValueError, match=rf"0\.\.4, got {pad_id}"):
        Embed(input_dim=5, hid_dim=4, pad_id=pad_id)


def test_sizes_may_be_numpys():
    assert sinusoid_table(max_len=np.int64(4), hid_dim=np.int32(6)).shape == (4, 6)


@pytest.mark.parametrize("size", [0, -2, 2.5, True, "8"])
def test_sizes_are_whole_numbers(size):
    for build in (
        lambda: Embed(input_dim=size, hid_dim=4),
        lambda: sinusoid_table(max_len=4, hid_dim=size),
        lambda: LearnedPositionLayer(hid_dim=4, max_len=size),
    ):
        with pytest.raises(ValueError, match="whole number of at least 1, got"):
            build()
