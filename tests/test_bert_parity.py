"""Equal to transformers' BertLayer, BertEncoder and BertModel with the same weights: states, attentions, gradients.

The grid: width and heads × activation × eps × eager and sdpa, over five seeds; in each, lengths 1, 2 and 7, without mask
and with padding, with token types and without. float64 to 1e-10; float32 to 2e-6 for a layer and 1e-5 for a stack.
`pytest tests/test_bert_parity.py -s` prints the largest difference met.
"""

import contextlib
import functools
import importlib.util
import itertools
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from tests.conftest import need_pretrained
from tutorial_lib import _weights, bert, masks
from tutorial_lib.bert import Config, Model, load_weights

transformers = pytest.importorskip("transformers")

SEEDS = (0, 1, 2, 3, 4)
WIDTHS = [(hidden, heads) for hidden in (8, 12, 16) for heads in (1, 2, 3, 4) if hidden % heads == 0]
LENGTHS = (1, 2, 7)
ONE_LAYER = {torch.float64: 1e-10, torch.float32: 2e-6}
STACK = {torch.float64: 1e-10, torch.float32: 1e-5}

grid = pytest.mark.parametrize(
    ("width", "activation", "eps"),
    list(itertools.product(WIDTHS, ["gelu", "relu"], [1e-12, 1e-5])),
    ids=lambda value: "x".join(map(str, value)) if isinstance(value, tuple) else str(value),
)
dtypes = pytest.mark.parametrize("dtype", [torch.float64, torch.float32], ids=["float64", "float32"])
kernels = pytest.mark.parametrize("kernel", ["eager", "sdpa"])
largest = {}


@pytest.fixture(scope="module", autouse=True)
def _report():
    transformers.utils.logging.disable_progress_bar()
    yield
    transformers.utils.logging.enable_progress_bar()
    for key, value in sorted(largest.items()):
        print(f"\nlargest difference, {key}: {value:.1e}", end="")


def note(what, ours, theirs, tolerance):
    assert ours.shape == theirs.shape
    difference = (ours - theirs).abs().max().item()
    largest[what] = max(largest.get(what, 0), difference)
    assert difference <= tolerance, f"{what}: {difference:.2e} > {tolerance:.0e}"


def both_models(seed, kernel, dtype, width=(8, 2), activation="gelu", eps=1e-12):
    """Theirs, with random weights, biases and gains, and ours with the same."""
    torch.manual_seed(seed)
    hidden, heads = width
    sizes = dict(
        vocab_size=20, hidden_size=hidden, num_hidden_layers=2, num_attention_heads=heads, intermediate_size=14
    )
    rest = dict(max_position_embeddings=9, hidden_act=activation, layer_norm_eps=eps)
    rates = dict(hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)
    config = transformers.BertConfig(**sizes, **rest, **rates)
    theirs = transformers.BertModel._from_config(config, attn_implementation=kernel).to(dtype).eval()
    with torch.no_grad():
        for parameter in theirs.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.2)
    ours = Model(Config.from_dict(config.to_dict())).to(dtype).eval()
    load_weights(ours, theirs.state_dict(), ignore=["pooler."])
    return ours, theirs


def inputs(length, padded):
    """Ids, Hugging Face's mask or None, ours of the same, token types or None. Each sentence has a real token."""
    ids, types = torch.randint(1, 20, (3, length)), torch.randint(0, 2, (3, length))
    if not padded:
        return ids, None, None, types
    ids[1, 1:], ids[2, (length + 1) // 2 :] = 0, 0
    return ids, (ids != 0).long(), masks.padding_mask(ids, pad_id=0), None


@dtypes
@kernels
@grid
def test_model(dtype, kernel, width, activation, eps):
    for seed in SEEDS:
        ours, theirs = both_models(seed, kernel, dtype, width, activation, eps)
        for length, padded in zip(LENGTHS, itertools.cycle([seed % 2 == 0, seed % 2 == 1])):
            ids, integers, mask, types = inputs(length, padded)
            asked = dict(output_hidden_states=True, output_attentions=kernel == "eager")
            with torch.no_grad():
                wanted = theirs(ids, attention_mask=integers, token_type_ids=types, **asked)
                out = ours(ids, mask, types, **asked)
            compare(out, wanted, f"{kernel}, {dtype}", STACK[dtype])
            for layer, before, after in zip(ours.encoder.layer, wanted.hidden_states, wanted.hidden_states[1:]):
                with torch.no_grad():  # each layer alone, from their states
                    note(f"layer, output, {kernel}, {dtype}", layer(before, mask)[0], after, ONE_LAYER[dtype])


def compare(out, wanted, which, tolerance):
    note(f"model, last hidden state, {which}", out.last_hidden_state, wanted.last_hidden_state, tolerance)
    for ours, theirs in zip(out.hidden_states, wanted.hidden_states, strict=True):
        note(f"model, hidden states, {which}", ours, theirs, tolerance)
    if out.attentions is not None:
        for ours, theirs in zip(out.attentions, wanted.attentions, strict=True):
            note(f"model, attentions, {which}", ours, theirs, tolerance)


@dtypes
@kernels
@pytest.mark.parametrize("activation", ["gelu", "relu"])
@pytest.mark.parametrize("padded", [False, True])
def test_layer_and_encoder_called_by_themselves(dtype, kernel, activation, padded):
    """These take the mask as floats that are added to the scores."""
    for seed, width, eps in zip(SEEDS, itertools.cycle(WIDTHS[1::2]), itertools.cycle([1e-12, 1e-5])):
        ours, theirs = both_models(seed, kernel, dtype, width, activation, eps)
        for length in LENGTHS:
            mask = inputs(length, padded)[2]
            added = None if mask is None else masks.to_additive(mask, dtype=dtype)
            states = torch.randn(3, length, width[0], dtype=dtype)
            with torch.no_grad():
                for mine, other in zip(ours.encoder.layer, theirs.encoder.layer, strict=True):
                    out, (wanted, *_) = mine(states, mask)[0], as_tuple(other(states, added))
                    note(f"layer, output, {kernel}, {dtype}", out, wanted, ONE_LAYER[dtype])
                    out, (wanted, *_) = mine.attention(states, mask)[0], as_tuple(other.attention(states, added))
                    note(f"layer, attention's output, {kernel}, {dtype}", out, wanted, ONE_LAYER[dtype])
                out, wanted = ours.encoder(states, mask)[0], theirs.encoder(states, added).last_hidden_state
            note(f"encoder, output, {kernel}, {dtype}", out, wanted, STACK[dtype])


def as_tuple(out):
    return out if isinstance(out, tuple) else (out,)


@dtypes
@kernels
@pytest.mark.parametrize(("width", "activation", "eps"), [((8, 2), "gelu", 1e-12), ((12, 3), "relu", 1e-5)])
@pytest.mark.parametrize("padded", [False, True])
def test_gradients_of_every_parameter(dtype, kernel, width, activation, eps, padded):
    """In training mode; dropout is 0. The mean keeps gradients of the size that the tolerance is meant for."""
    for seed in SEEDS:
        ours, theirs = both_models(seed, kernel, dtype, width, activation, eps)
        ours.train(), theirs.train()
        ids, integers, mask, types = inputs(7, padded)
        real = ids != 0
        probe = torch.randn(int(real.sum()), width[0], dtype=dtype)
        for out in (ours(ids, mask, types), theirs(ids, attention_mask=integers, token_type_ids=types)):
            (out.last_hidden_state[real] * probe).mean().backward()
        wanted = {name: p.grad for name, p in theirs.named_parameters() if not name.startswith("pooler.")}
        assert len(wanted) == 5 + 2 * 16
        for name, parameter in ours.named_parameters():
            note(f"model, gradients, {kernel}, {dtype}", parameter.grad, wanted.pop(name), STACK[dtype])
        assert wanted == {}


@contextlib.contextmanager
def tanh_gelu():
    exact, bert.ACTIVATIONS["gelu"] = bert.ACTIVATIONS["gelu"], functools.partial(F.gelu, approximate="tanh")
    yield
    bert.ACTIVATIONS["gelu"] = exact


def other_eps(model):
    for module in model.modules():
        if isinstance(module, nn.LayerNorm):
            module.eps = 1e-5


SLIPS = {
    "tanh-GELU": lambda ours: None,
    "eps 1e-5 in place of 1e-12": other_eps,
    "no token types": lambda ours: ours.embeddings.token_type_embeddings.weight.data.zero_(),
    "heads in another order": lambda ours: swap_heads(ours.encoder.layer[1].attention.output.dense.weight.data),
}


def swap_heads(weight):
    weight.copy_(weight.roll(weight.size(1) // 2, dims=1))


@pytest.mark.parametrize("slip", SLIPS)
@pytest.mark.parametrize("seed", SEEDS)
def test_the_tolerance_bites(seed, slip):
    """What is nearly BERT is told from BERT by every seed, in float32, and by the looser of the two tolerances."""
    ours, theirs = both_models(seed, "eager", torch.float32)
    ids, _, _, types = inputs(7, padded=False)
    with torch.no_grad():
        wanted = theirs(ids, token_type_ids=types, output_hidden_states=True)
        compare(ours(ids, None, types, output_hidden_states=True), wanted, "eager, torch.float32", 1e-5)
        SLIPS[slip](ours)
        with tanh_gelu() if slip == "tanh-GELU" else contextlib.nullcontext():
            spoilt = ours(ids, None, types)[0]
    with pytest.raises(AssertionError, match="nobody's slip: .* > 1e-05"):
        note("nobody's slip", spoilt, wanted.last_hidden_state, STACK[torch.float32])
    del largest["nobody's slip"]


# --- the real model

SENTENCES = {
    "en": "The bank raised its rates, and the river left its bank.",
    "ko": "나는 오늘 학교에 가서 친구를 만났다.",
}


@pytest.fixture(scope="module")
def real_one():
    """Hugging Face's own model, from the folder that the package holds."""
    need_pretrained()
    folder = Path(importlib.util.find_spec(_weights.PACKAGE).origin).parent / "model"
    how = dict(attn_implementation="eager", local_files_only=True)
    return transformers.BertModel.from_pretrained(str(folder), **how).eval()


def batch(tokenizer, sentences):
    rows = [torch.tensor(tokenizer.encode(sentence).ids) for sentence in sentences]
    return nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=0)


@pytest.mark.parametrize("sentences", [["en"], ["ko"], ["en", "ko"]], ids="+".join)
def test_the_real_model_in_every_layer(pretrained, real_one, sentences):
    ours, tokenizer = pretrained
    ids = batch(tokenizer, [SENTENCES[lang] for lang in sentences])
    assert (ids == 0).any() == (len(sentences) == 2)  # the batch is padded, the others are not
    asked = dict(output_hidden_states=True, output_attentions=True)
    with torch.no_grad():
        wanted = real_one(ids, attention_mask=(ids != 0).long(), **asked)
        out = ours(ids, masks.padding_mask(ids, pad_id=0), **asked)
    assert (
        len(out.hidden_states) == len(wanted.hidden_states) == 7 and len(out.attentions) == len(wanted.attentions) == 6
    )
    compare(out, wanted, "all-MiniLM-L6-v2, eager, torch.float32", 1e-5)


def test_loading_the_real_model_prints_nothing(capfd):
    need_pretrained()
    bert.load_pretrained()
    assert capfd.readouterr() == ("", "")


def test_the_real_weights_are_hugging_faces_number_for_number(pretrained, real_one):
    theirs = real_one.state_dict()
    for name, value in pretrained[0].state_dict().items():
        assert torch.equal(value, theirs[name]), name
