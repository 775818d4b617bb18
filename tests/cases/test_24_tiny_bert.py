"""A BERT of one's own is close and not equal: eps 1e-5, the tanh form of GELU, no token types, or arguments exchanged.

Whose trouble: https://github.com/keras-team/keras-hub/issues/642,
https://github.com/idiap/fast-transformers/issues/103, https://github.com/CyberZHG/keras-bert/issues/129,
https://github.com/kyutai-labs/pocket-tts/pull/278 and https://github.com/huggingface/transformers/issues/2506
"""

import dataclasses
import functools

import pytest
import torch
import torch.nn.functional as F

from tutorial_lib.bert import Config, Model, load_weights
from tutorial_lib.feedforward import ACTIVATIONS
from tutorial_lib.masks import from_integers, padding_mask

transformers = pytest.importorskip("transformers")

SIZES = dict(vocab_size=20, hidden_size=8, num_hidden_layers=2, num_attention_heads=2, intermediate_size=16)
IDS = torch.tensor([[2, 5, 6, 3], [2, 7, 3, 0]])
REAL = IDS != 0
TYPES = torch.tensor([[0, 0, 1, 1], [0, 0, 0, 0]])


def ours_from(theirs, **changes):
    config = Config.from_dict(theirs.config.to_dict())
    model = Model(dataclasses.replace(config, **changes)).eval()
    load_weights(model, theirs.state_dict(), ignore=["pooler."])
    return model


def right(theirs):
    model = ours_from(theirs)
    return lambda ids, mask, types: model(ids, mask, types).last_hidden_state


@torch.no_grad()
def check(call_from):
    """Embeddings of a thousandth: there eps is no small number."""
    config = transformers.BertConfig(**SIZES, max_position_embeddings=16, initializer_range=0.6)
    theirs = transformers.BertModel(config).eval()
    for name, parameter in theirs.named_parameters():
        if name.startswith("embeddings.") and "LayerNorm" not in name:
            parameter.mul_(1e-3)
        elif name.endswith("bias"):
            parameter.normal_(std=0.3)
    wanted = theirs(IDS, attention_mask=REAL.long(), token_type_ids=TYPES).last_hidden_state
    got = call_from(theirs)(IDS, padding_mask(IDS, pad_id=0), TYPES)
    difference = (got - wanted)[REAL].abs().max().item()
    assert difference < 1e-5, f"{difference:.1e} from BertModel"


@pytest.mark.parametrize("seed", range(5))
def test_our_model_is_bert_to_the_fifth_decimal(seed):
    torch.manual_seed(seed)
    check(right)


def test_gelu_is_the_exact_one():
    one = torch.tensor(1.0)
    assert ACTIVATIONS["gelu"](one).item() == pytest.approx(0.841345, abs=1e-6)
    assert F.gelu(one, approximate="tanh").item() == pytest.approx(0.841192, abs=1e-6)


def other_eps(theirs):
    model = ours_from(theirs, layer_norm_eps=1e-5)
    return lambda ids, mask, types: model(ids, mask, types)[0]


def tanh_gelu(theirs):
    model = ours_from(theirs)

    def call(*arguments):
        with pytest.MonkeyPatch.context() as patch:
            patch.setitem(ACTIVATIONS, "gelu", functools.partial(F.gelu, approximate="tanh"))
            return model(*arguments)[0]

    return call


def no_token_types(theirs):
    model = ours_from(theirs)
    return lambda ids, mask, types: model(ids, mask)[0]


def exchanged(theirs):
    """Types in the mask's place, made to fit; as they are our model refuses them, see below."""
    model = ours_from(theirs)
    return lambda ids, mask, types: model(ids, from_integers(types), mask[:, 0, 0].long())[0]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("mistake", [other_eps, tanh_gelu, no_token_types, exchanged])
def test_each_reported_mistake_fails(mistake, seed):
    torch.manual_seed(seed)
    with pytest.raises(AssertionError, match="from BertModel"):
        check(mistake)


def test_a_mask_and_token_types_in_each_others_place_are_refused():
    with pytest.raises(ValueError, match=r"token_type_ids must be \[bs, sl\], got \[2, 1, 1, 4\]"):
        check(lambda theirs: lambda ids, mask, types: ours_from(theirs)(ids, types, mask)[0])
    with pytest.raises(TypeError, match="from_integers"):
        check(lambda theirs: lambda ids, mask, types: ours_from(theirs)(ids, types, REAL.long())[0])
