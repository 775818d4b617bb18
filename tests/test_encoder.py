import pytest
import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode

from tutorial_lib import masks
from tutorial_lib.attention import MultiHeadAttention
from tutorial_lib.embedding import LearnedPositionLayer, PositionalEncodingLayer
from tutorial_lib.encoder import Encoder, EncoderLayer
from tutorial_lib.feedforward import LayerNorm, PositionwiseFeedForwardLayer
from tutorial_lib.trace import trace_shapes

SIZES = dict(hid_dim=8, pf_dim=16, n_heads=2)


def encoder(**changes):
    return Encoder(**{**dict(input_dim=12, n_layers=3, **SIZES), **changes})


def run(model, ids, **how):
    return model(ids, masks.padding_mask(ids, pad_id=0), **how)


@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize("positions", ["sinusoid", "learned", None])
@pytest.mark.parametrize(("hid_dim", "n_heads"), [(8, 2), (9, 3), (7, 1)])
def test_the_shape_is_kept_and_weights_come_per_layer(norm_first, positions, hid_dim, n_heads):
    model = encoder(norm_first=norm_first, positions=positions, hid_dim=hid_dim, n_heads=n_heads)
    src = torch.tensor([[5, 7, 9, 0], [1, 2, 3, 4]])
    out = run(model.eval(), src)
    same, weights = run(model, src, need_weights=True)
    assert out.shape == (2, 4, hid_dim)
    torch.testing.assert_close(out, same, atol=1e-6, rtol=0)
    assert [tuple(w.shape) for w in weights] == [(2, n_heads, 4, 4)] * 3
    assert all(w[0, ..., 3].eq(0).all() for w in weights)
    torch.testing.assert_close(weights[2].sum(-1), torch.ones(2, n_heads, 4))


def test_attributes_are_the_posts():
    layer = EncoderLayer(**SIZES)
    for name, kind in dict(
        self_attn=MultiHeadAttention,
        attn_layer_norm=nn.LayerNorm,
        ff=PositionwiseFeedForwardLayer,
        ff_layer_norm=nn.LayerNorm,
        dropout=nn.Dropout,
    ).items():
        assert isinstance(getattr(layer, name), kind)
    assert isinstance(encoder().layers, nn.ModuleList)


def test_positions_are_one_switch():
    assert isinstance(encoder().pe, PositionalEncodingLayer)
    assert isinstance(encoder(positions="learned").pe, LearnedPositionLayer)
    assert encoder(positions=None).pe is None
    with pytest.raises(ValueError, match='"sinusoid", "learned" or None, got \'rotary\''):
        encoder(positions="rotary")


def test_floats_skip_the_embedding_only():
    model = encoder().eval()
    src = torch.tensor([[5, 7, 9]])
    torch.testing.assert_close(model(model.embed(src)), model(src))
    bare = encoder(input_dim=None).eval()
    assert bare.embed is None
    bare.load_state_dict({k: v for k, v in model.state_dict().items() if not k.startswith("embed")})
    torch.testing.assert_close(bare(model.embed(src)), model(src))


def test_sizes_come_from_the_arguments_all_the_way():
    model = encoder(
        hid_dim=12, pf_dim=20, n_heads=3, n_layers=4, max_len=9, norm_eps=1e-3, activation="gelu", dropout=0.25
    )
    assert model.embed.embedding.weight.shape == (12, 12) and model.pe.table.shape == (9, 12) and len(model.layers) == 4
    for layer in model.layers:
        assert (
            layer.ff.linear1.weight.shape == (20, 12) and layer.self_attn.n_heads == 3 and layer.ff.activation == "gelu"
        )
    assert {m.p for m in model.modules() if isinstance(m, nn.Dropout)} == {0.25}
    assert {m.eps for m in model.modules() if isinstance(m, nn.LayerNorm)} == {1e-3}
    assert len({id(layer.ff.linear1.weight) for layer in model.layers}) == 4


@pytest.mark.parametrize("norm_first", [False, True])
def test_every_parameter_takes_part(norm_first):
    model = encoder(norm_first=norm_first, positions="learned", max_len=3)
    run(model, torch.tensor([[5, 7, 9], [1, 0, 0]])).square().sum().backward()
    # a key's bias adds the same number to every score of a query, and the softmax does not see it
    missing = [
        n for n, p in model.named_parameters() if p.grad is None or (p.grad.eq(0).all() and "k_proj.bias" not in n)
    ]
    assert missing == []


@pytest.mark.parametrize("norm_first", [False, True])
def test_the_stack_ends_with_a_norm(norm_first):
    out = encoder(input_dim=None, hid_dim=16, norm_first=norm_first).eval()(50 * torch.randn(1, 4, 16))
    assert out.mean(-1).abs().max() < 1e-4
    torch.testing.assert_close(out.std(-1, unbiased=False), torch.ones(1, 4), atol=1e-2, rtol=0)


def test_dropout_sits_where_the_paper_has_it():
    """Section 5.4: on the sum of embedding and positions, and on each sub-layer's output before it is added.

    Two more, on the attention weights and inside the feed-forward network, come from the authors' code, as in torch.
    """
    rows = [row.name for row in trace_shapes(encoder(n_layers=1), torch.tensor([[5, 7]])).rows]
    kept = [name for name in rows if "proj" not in name and "linear" not in name and "embedding" not in name]
    assert kept == [
        "",
        "embed",
        "pe",
        "dropout",
        "layers.0",
        "layers.0.self_attn",
        "layers.0.dropout",
        "layers.0.attn_layer_norm",
        "layers.0.ff",
        "layers.0.ff.dropout",
        "layers.0.dropout",
        "layers.0.ff_layer_norm",
    ]


def test_dropout_has_its_rate_on_each_place():
    model = encoder(input_dim=None, hid_dim=64, n_heads=2, n_layers=1, dropout=0.3, positions=None)
    seen = []
    for module in model.modules():
        if isinstance(module, nn.Dropout):
            module.register_forward_hook(
                lambda m, args, out: seen.append((args[0].ne(0) & out.eq(0)).sum() / args[0].ne(0).sum())
            )
    model(torch.randn(64, 16, 64))
    assert len(seen) == 4
    assert [share.item() for share in seen] == pytest.approx([0.3] * 4, abs=0.02)


def test_eval_is_deterministic_and_the_model_without_dropout():
    strong, none = encoder(dropout=0.5), encoder(dropout=0.0)
    none.load_state_dict(strong.state_dict())
    src = torch.tensor([[5, 7, 9, 4]])
    assert not torch.equal(strong(src), strong(src))
    strong.eval(), none.eval()
    assert torch.equal(strong(src), strong(src))
    torch.testing.assert_close(strong(src), none(src), atol=1e-6, rtol=0)


@pytest.mark.parametrize("norm_first", [False, True])
def test_padding_and_neighbours_change_nothing(norm_first):
    model = encoder(norm_first=norm_first).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() > 1:
                parameter.normal_(std=0.5)
    alone = run(model, torch.tensor([[5, 7, 9]]))[0]
    for pads in (1, 4):
        torch.testing.assert_close(run(model, torch.tensor([[5, 7, 9] + [0] * pads]))[0, :3], alone, atol=1e-5, rtol=0)
    beside = run(model, torch.tensor([[5, 7, 9, 0, 0], [1, 2, 3, 4, 6]]))
    torch.testing.assert_close(beside[0, :3], alone, atol=1e-5, rtol=0)
    assert not torch.allclose(model(torch.tensor([[5, 7, 9, 0]]))[0, :3], alone, atol=1e-3)  # without the mask they do


def test_the_future_never_changes_the_past():
    model = encoder().eval()
    a, b = torch.tensor([[5, 7, 9, 1, 2]]), torch.tensor([[5, 7, 9, 8, 6]])
    out_a, weights = model(a, masks.causal_mask(5), need_weights=True)
    out_b = model(b, masks.causal_mask(5))
    torch.testing.assert_close(out_a[:, :3], out_b[:, :3], atol=1e-6, rtol=0)
    assert not torch.allclose(out_a[:, 3], out_b[:, 3], atol=1e-4)
    for w in weights:
        assert w.triu(1).eq(0).all() and w[..., 0, 0].eq(1).all()


@pytest.mark.parametrize("src", [torch.zeros(2, 1, dtype=torch.long), torch.zeros(2, 0, dtype=torch.long)])
def test_a_sentence_without_a_real_token_is_finite(src):
    model = encoder()
    out = run(model, src)
    out.sum().backward()
    assert out.shape == (*src.shape, 8) and out.isfinite().all()
    assert all(p.grad is None or p.grad.isfinite().all() for p in model.parameters())


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_is_finite_with_a_fully_padded_sentence(dtype):
    model = encoder().to(dtype)
    out = run(model, torch.tensor([[5, 7, 0], [0, 0, 0]]))
    out.float().sum().backward()
    assert out.dtype == dtype and out.isfinite().all()
    assert all(p.grad.isfinite().all() for p in model.parameters() if p.grad is not None)


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: encoder()(torch.tensor([[5, 12]])), ValueError, r"0\.\.11, got 12"),
        (lambda: encoder()(torch.tensor([5, 7])), ValueError, r"\[bs, sl\], got \[2\]"),
        (lambda: encoder()(torch.ones(1, 2, dtype=torch.bool)), TypeError, "bool"),
        (lambda: encoder(max_len=4)(torch.ones(1, 5, dtype=torch.long)), ValueError, "5 .*4"),
        (lambda: encoder(input_dim=None)(torch.ones(1, 5, dtype=torch.long)), ValueError, "input_dim=None.*int64"),
        (lambda: encoder()(torch.randn(1, 5, 9)), ValueError, "hid_dim 8, got"),
        (lambda: encoder(positions=None)(torch.randn(1, 5, 9)), ValueError, "hid_dim 8, got"),
        (lambda: encoder(positions=None, norm_first=True)(torch.randn(1, 5, 9)), ValueError, "hid_dim 8, got"),
        (lambda: EncoderLayer(**SIZES)(torch.randn(5, 8)), ValueError, r"src must be .* got \[5, 8\]"),
        (lambda: encoder()(torch.ones(1, 5, dtype=torch.long), torch.ones(1, 5)), TypeError, "boolean"),
        (lambda: encoder(n_heads=3), ValueError, "8 .*3"),
        (lambda: encoder(n_layers=0), ValueError, "n_layers .* got 0"),
        (lambda: encoder(pf_dim=None), ValueError, "pf_dim .* got None"),
        (lambda: encoder(dropout=1.5), ValueError, "1.5"),
    ],
)
def test_bad_input_is_named(call, error, says):
    with pytest.raises(error, match=says):
        call()


class Devices(TorchDispatchMode):
    """Writes down every tensor with an axis that is made, and where."""

    def __init__(self):
        super().__init__()
        self.met, self.names = set(), set()

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        self.names.add(func.name())
        for tensor in out if isinstance(out, (tuple, list)) else [out]:
            if isinstance(tensor, torch.Tensor) and tensor.dim() > 0:
                self.met.add(tensor.device.type)
        return out


MODULES = {
    "Encoder": (
        lambda: encoder(),
        lambda: (torch.ones(2, 4, dtype=torch.long), torch.ones(2, 1, 1, 4, dtype=torch.bool)),
    ),
    "Encoder, learned": (
        lambda: encoder(positions="learned", norm_first=True),
        lambda: (torch.ones(2, 4, dtype=torch.long),),
    ),
    "EncoderLayer": (lambda: EncoderLayer(**SIZES), lambda: (torch.ones(2, 4, 8), masks.causal_mask(4))),
    "MultiHeadAttention": (lambda: MultiHeadAttention(hid_dim=8, n_heads=2), lambda: [torch.ones(2, 4, 8)] * 3),
    "PositionwiseFeedForwardLayer": (
        lambda: PositionwiseFeedForwardLayer(hid_dim=8, pf_dim=16),
        lambda: (torch.ones(2, 4, 8),),
    ),
    "LayerNorm": (lambda: LayerNorm(hid_dim=8), lambda: (torch.ones(2, 4, 8),)),
}


@pytest.mark.parametrize("name", MODULES)
@pytest.mark.parametrize("training", [True, False])
def test_on_the_meta_device_no_tensor_is_made_elsewhere(name, training):
    build, inputs = MODULES[name]
    with torch.device("meta"), Devices() as devices:
        out = build().train(training)(*inputs())
    assert devices.met == {"meta"}
    assert (out[0] if isinstance(out, tuple) else out).device.type == "meta"
    with Devices() as devices:
        build().to("meta").train(training)(*(x.to("meta") for x in inputs()))
    moved = devices.met
    assert moved <= {"meta", "cpu"}  # built here, then moved ...
    model, moved_inputs = build().to("meta"), [x.to("meta") for x in inputs()]
    with Devices() as devices:
        model(*moved_inputs)
    assert devices.met == {"meta"}  # ... and then nothing is made here any more


def test_masks_are_made_where_the_ids_are():
    src = torch.ones(2, 4, dtype=torch.long, device="meta")
    with Devices() as devices:
        mask = masks.padding_mask(src, pad_id=0) & masks.causal_mask(4, device=src.device)
        masks.to_additive(mask, dtype=torch.float32), masks.to_integers(mask), masks.from_integers(src)
    assert devices.met == {"meta"}


def test_no_nested_tensors_and_no_closed_fast_path():
    with torch.no_grad(), Devices() as devices:
        run(encoder().eval(), torch.tensor([[5, 7, 9, 0], [1, 2, 0, 0]]))
    assert devices.names
    closed = ("nested", "_transformer_encoder_layer_fwd", "_native_multi_head_attention")
    assert [name for name in devices.names if any(part in name for part in closed)] == []


def test_the_device_makes_no_difference(device):
    model = encoder().eval()
    src = torch.tensor([[5, 7, 9, 0], [1, 2, 3, 4]])
    here = run(model, src)
    there = run(model.to(device), src.to(device))
    assert there.device.type == device.type
    torch.testing.assert_close(there.cpu(), here, atol=1e-5, rtol=0)


def test_one_thread_or_two():
    model = encoder(hid_dim=64, n_heads=4).eval()
    src = torch.randint(1, 12, (8, 60))
    one = run(model, src)
    torch.set_num_threads(2)
    try:
        torch.testing.assert_close(run(model, src), one, atol=1e-5, rtol=0)
    finally:
        torch.set_num_threads(1)


def test_weights_come_out_of_the_call_itself():
    """Under DataParallel forward runs on throw-away copies: what a module keeps as an attribute is lost there."""
    model = encoder().eval()
    copy = model.__class__.__new__(model.__class__)
    copy.__dict__ = dict(model.__dict__)
    _, weights = copy(torch.tensor([[5, 7, 9]]), need_weights=True)
    assert weights[0].shape == (1, 2, 3, 3)
    wrapped = nn.DataParallel(model).state_dict()
    with pytest.raises(RuntimeError, match=r"module\."):
        encoder().load_state_dict(wrapped)


def test_it_compiles_whole_and_exports():
    """The range check of ids, which looks at numbers, must step aside there."""
    model = encoder(n_layers=1).eval()
    src = torch.tensor([[5, 7, 9, 0]])
    compiled = torch.compile(model, fullgraph=True, backend="eager")
    torch.testing.assert_close(run(compiled, src), run(model, src))
    exported = torch.export.export(model, (src, masks.padding_mask(src, pad_id=0))).module()
    torch.testing.assert_close(run(exported, src), run(model, src))
