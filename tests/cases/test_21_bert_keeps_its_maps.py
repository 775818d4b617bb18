"""Hugging Face's models return no attention maps as they come (`()` or None), and the cell that draws them breaks later.

Whose trouble: https://github.com/huggingface/transformers/issues/30978 and
https://github.com/huggingface/transformers/issues/31990
"""

import pytest
import torch

from tutorial_lib.bert import Config, Model
from tutorial_lib.trace import attention_weights

transformers = pytest.importorskip("transformers")

SIZES = dict(vocab_size=20, hidden_size=8, num_hidden_layers=2, num_attention_heads=2, intermediate_size=16)
IDS = torch.tensor([[2, 5, 6, 3]])


def theirs(kernel=None):
    how = {} if kernel is None else {"attn_implementation": kernel}
    return transformers.BertModel._from_config(
        transformers.BertConfig(**SIZES, max_position_embeddings=16), **how
    ).eval()


def check(maps_of):
    maps = maps_of(IDS)
    assert maps is not None and len(maps) == 2, "no maps"
    for weights in maps:
        assert weights is not None and weights.shape == (1, 2, 4, 4)
        torch.testing.assert_close(weights.sum(-1), torch.ones(1, 2, 4))


@pytest.mark.parametrize("frozen", [torch.no_grad, torch.inference_mode, torch.enable_grad])
def test_our_model_gives_a_map_for_each_layer(frozen):
    model = Model(Config(**SIZES, max_position_embeddings=16)).eval()
    with frozen():
        check(lambda ids: model(ids, output_attentions=True).attentions)
        check(lambda ids: attention_weights(model, ids))


def test_theirs_gives_them_when_it_is_built_with_eager():
    check(lambda ids: theirs("eager")(ids, output_attentions=True).attentions)
    check(lambda ids: attention_weights(theirs("eager"), ids))


def test_the_reported_mistake_fails_and_our_reader_says_what_to_do():
    with pytest.raises(AssertionError, match="no maps"):
        check(lambda ids: theirs()(ids, output_attentions=True).attentions)
    with pytest.raises(ValueError, match='load it with attn_implementation="eager"'):
        attention_weights(theirs(), IDS)
