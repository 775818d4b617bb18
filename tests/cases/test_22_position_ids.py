"""Some checkpoints hold the buffer position_ids and some do not: strict loading stops, `strict=False` hides what is missing.

Whose trouble: https://github.com/huggingface/transformers/issues/6882,
https://github.com/eagle705/pytorch-bert-crf-ner/pull/17 and https://github.com/xlxwalex/FCGEC/issues/28
"""

import pytest
import torch
from torch import nn

from tutorial_lib.bert import Config, Model, load_weights

SIZES = dict(vocab_size=9, hidden_size=4, num_hidden_layers=1, num_attention_heads=2, intermediate_size=8)


class Buffered(nn.Module):
    """As in Hugging Face: the buffer is there, and is not saved."""

    def __init__(self):
        super().__init__()
        self.embeddings = nn.ModuleDict({"position_embeddings": nn.Embedding(6, 4), "LayerNorm": nn.LayerNorm(4)})
        self.embeddings.register_buffer("position_ids", torch.arange(6)[None], persistent=False)


MODELS = {"ours": lambda: Model(Config(**SIZES, max_position_embeddings=6)), "with the buffer": Buffered}


def told(load, model, state) -> str:
    """What the loader says, by an error or by a report."""
    try:
        return str(load(model, state))
    except (KeyError, RuntimeError) as error:
        return str(error)


def check(load, build):
    fresh = {name: torch.randn_like(value) for name, value in build().state_dict().items()}
    buffer = {"embeddings.position_ids": torch.arange(6)[None]}
    for more in ({}, buffer, {f"bert.{name}": value for name, value in buffer.items()}):
        model = build()
        load(model, fresh | more)
        assert all(torch.equal(value, fresh[name]) for name, value in model.state_dict().items()), (
            "an old number is left"
        )
    typo, gone = "encoder.layr.0.weight", "embeddings.position_embeddings.weight"
    assert typo in told(load, build(), fresh | buffer | {typo: torch.zeros(2)}), f"{typo} was swallowed"
    without = {name: value for name, value in fresh.items() if name != gone}
    assert gone in told(load, build(), without | buffer), f"{gone} is missing, and nobody says so"


@pytest.mark.parametrize("name", MODELS)
def test_the_buffer_is_dropped_and_every_other_key_must_fit(name):
    check(load_weights, MODELS[name])


def only_ours(model, state):
    model.load_state_dict({**model.state_dict(), **{k: v for k, v in state.items() if k in model.state_dict()}})


MISTAKES = {
    "strict": (lambda model, state: model.load_state_dict(state), RuntimeError, "position_ids"),
    "not strict": (
        lambda model, state: model.load_state_dict(state, strict=False) and None,
        AssertionError,
        "swallowed",
    ),
    "what is known, and the rest as it was": (only_ours, AssertionError, "swallowed"),
}


@pytest.mark.parametrize("build", MODELS.values(), ids=MODELS)
@pytest.mark.parametrize("name", MISTAKES)
def test_each_reported_mistake_fails(name, build):
    load, error, says = MISTAKES[name]
    with pytest.raises(error, match=says):
        check(load, build)
