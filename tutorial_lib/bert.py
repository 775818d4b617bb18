"""The same encoder in Hugging Face's words: post A's classes, repaired, with the attribute names that weights are saved under.

Letters as everywhere: bs, sl, hid_dim (`hidden_size`), pf_dim (`intermediate_size`), n_heads (`num_attention_heads`),
head_dim (`attention_head_size`). Source: post A; `modeling_bert.py` of transformers.
"""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import torch
from torch import Tensor, nn

from tutorial_lib._sizes import require_sizes, require_tokens
from tutorial_lib._weights import load_weights, read_folder
from tutorial_lib.attention import scaled_dot_product_attention
from tutorial_lib.encoder import EncoderLayer
from tutorial_lib.feedforward import ACTIVATIONS
from tutorial_lib.masks import causal_mask, check_mask


@dataclass(frozen=True, kw_only=True)
class Config:
    """Hugging Face's field names. Raises: ValueError for sizes below 1, indivisible heads, another activation or pad id."""

    vocab_size: int
    hidden_size: int
    num_hidden_layers: int
    num_attention_heads: int
    intermediate_size: int
    hidden_act: str = "gelu"
    hidden_dropout_prob: float = 0.1
    attention_probs_dropout_prob: float = 0.1
    max_position_embeddings: int = 512
    type_vocab_size: int = 2
    layer_norm_eps: float = 1e-12
    pad_token_id: int | None = 0
    chunk_size_feed_forward: int | None = 0
    is_causal: bool = False

    def __post_init__(self):
        counts = {field.name: getattr(self, field.name) for field in dataclasses.fields(self) if field.type is int}
        require_sizes(**counts, chunk_size_feed_forward=self.chunk_size_feed_forward or 1)  # 0 and None: in one piece
        if self.hidden_size % self.num_attention_heads:
            sizes = f"hidden_size {self.hidden_size} is not divisible by num_attention_heads {self.num_attention_heads}"
            raise ValueError(f"{sizes}: each head takes an equal slice")
        if self.hidden_act not in ACTIVATIONS:
            raise ValueError(f"hidden_act must be one of {', '.join(ACTIVATIONS)}, got {self.hidden_act!r}")
        if self.pad_token_id is not None and not 0 <= self.pad_token_id < self.vocab_size:
            raise ValueError(f"pad_token_id must lie in 0..{self.vocab_size - 1}, got {self.pad_token_id}")

    @classmethod
    def from_dict(cls, d: Mapping) -> "Config":
        """From a `config.json`. What changes no sum is left out; another model or kind of positions is a ValueError."""
        for key, ours in (("model_type", "bert"), ("position_embedding_type", "absolute")):
            if d.get(key, ours) != ours:
                raise ValueError(f"{key} must be {ours!r}, got {d[key]!r}: here positions are learned, from 0 on")
        known = {field.name for field in dataclasses.fields(cls)}
        return cls(**{"is_causal": bool(d.get("is_decoder")), **{k: v for k, v in d.items() if k in known}})


class SelfAttention(nn.Module):
    """Multi-head attention up to the heads' results side by side. `[bs, sl, hid_dim]` → the same, and the weights if asked.

    attention_mask follows `masks`; with `is_causal` the future is hidden, too. Post A adds positions in here, in every
    layer; they are added once, in `Embeddings`.
    """

    def __init__(self, config: Config):
        super().__init__()
        self.num_attention_heads = config.num_attention_heads
        self.attention_head_size = config.hidden_size // config.num_attention_heads
        self.is_causal = config.is_causal
        self.query = nn.Linear(config.hidden_size, config.hidden_size)
        self.key = nn.Linear(config.hidden_size, config.hidden_size)
        self.value = nn.Linear(config.hidden_size, config.hidden_size)
        self.dropout = nn.Dropout(config.attention_probs_dropout_prob)

    def transpose_for_scores(self, x: Tensor) -> Tensor:
        x = x.view(*x.shape[:-1], self.num_attention_heads, self.attention_head_size)  # x: [bs, sl, n_heads, head_dim]
        return x.permute(0, 2, 1, 3)  # [bs, n_heads, sl, head_dim]

    def forward(self, hidden_states: Tensor, attention_mask: Tensor | None = None, *, output_attentions: bool = False):
        require_tokens("hidden_states", hidden_states, self.query.in_features)
        if self.is_causal:
            past = causal_mask(hidden_states.size(1), device=hidden_states.device)  # past: [1, 1, sl, sl]
            if attention_mask is not None:  # looked at before `&`, which would broadcast a wrong one into a right shape
                check_mask(attention_mask, (len(hidden_states), self.num_attention_heads, *past.shape[2:]))
            attention_mask = past if attention_mask is None else past & attention_mask
        query_layer = self.transpose_for_scores(self.query(hidden_states))  # query_layer: [bs, n_heads, sl, head_dim]
        key_layer = self.transpose_for_scores(self.key(hidden_states))  # key_layer: [bs, n_heads, sl, head_dim]
        value_layer = self.transpose_for_scores(self.value(hidden_states))  # value_layer: [bs, n_heads, sl, head_dim]
        how = dict(dropout_p=self.dropout.p if self.training else 0.0, need_weights=output_attentions)
        context_layer, attention_probs = scaled_dot_product_attention(
            query_layer, key_layer, value_layer, attention_mask, **how
        )
        context_layer = context_layer.permute(0, 2, 1, 3).flatten(2)  # context_layer: [bs, sl, hid_dim]
        return context_layer, attention_probs


class SelfOutput(nn.Module):
    """The paper's W^O, then dropout, the residual connection and LayerNorm. `[bs, sl, hid_dim]`, twice → once."""

    def __init__(self, config: Config):
        super().__init__()
        self.dense = nn.Linear(config.hidden_size, config.hidden_size)
        self.LayerNorm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.dropout = nn.Dropout(config.hidden_dropout_prob)

    def forward(self, hidden_states: Tensor, input_tensor: Tensor) -> Tensor:
        hidden_states = self.dropout(self.dense(hidden_states))  # hidden_states: [bs, sl, hid_dim]
        return self.LayerNorm(hidden_states + input_tensor)  # [bs, sl, hid_dim]


class Attention(nn.Module):
    """SelfAttention and SelfOutput. `[bs, sl, hid_dim]` → the same, and the weights if asked."""

    def __init__(self, config: Config):
        super().__init__()
        self.self = SelfAttention(config)
        self.output = SelfOutput(config)

    def forward(self, hidden_states: Tensor, attention_mask: Tensor | None = None, *, output_attentions: bool = False):
        context_layer, probs = self.self(hidden_states, attention_mask, output_attentions=output_attentions)
        return self.output(context_layer, hidden_states), probs


class Intermediate(nn.Module):
    """The first half of the feed-forward network: wide and bent. `[bs, sl, hid_dim]` → `[bs, sl, pf_dim]`."""

    def __init__(self, config: Config):
        super().__init__()
        self.dense = nn.Linear(config.hidden_size, config.intermediate_size)
        self.hidden_act = config.hidden_act

    def forward(self, hidden_states: Tensor) -> Tensor:
        return ACTIVATIONS[self.hidden_act](self.dense(hidden_states))  # [bs, sl, pf_dim]


class Output(SelfOutput):
    """The second half, and the frame around both: `[bs, sl, pf_dim]` and `[bs, sl, hid_dim]` → `[bs, sl, hid_dim]`."""

    def __init__(self, config: Config):
        super().__init__(config)
        self.dense = nn.Linear(config.intermediate_size, config.hidden_size)


class Layer(nn.Module):
    """Attention, Intermediate, Output: an encoder layer. `[bs, sl, hid_dim]` → the same, and the weights if asked.

    With `chunk_size_feed_forward` the feed-forward network works on so many places at a time: less memory, the same
    numbers. Raises: ValueError when sl is not a multiple of it.
    """

    def __init__(self, config: Config):
        super().__init__()
        self.attention = Attention(config)
        self.intermediate = Intermediate(config)
        self.output = Output(config)
        self.chunk_size_feed_forward = config.chunk_size_feed_forward

    def feed_forward_chunk(self, attention_output: Tensor) -> Tensor:
        return self.output(self.intermediate(attention_output), attention_output)

    def forward(self, hidden_states: Tensor, attention_mask: Tensor | None = None, *, output_attentions: bool = False):
        attention_output, probs = self.attention(hidden_states, attention_mask, output_attentions=output_attentions)
        size, sl = self.chunk_size_feed_forward or hidden_states.size(1), hidden_states.size(1)
        if sl and sl % size:
            raise ValueError(f"sl {sl} is not a multiple of chunk_size_feed_forward {size}")
        chunks = [self.feed_forward_chunk(chunk) for chunk in attention_output.split(max(size, 1), dim=1)]
        return torch.cat(chunks, dim=1), probs


class LayerStack(nn.Module):
    """N layers in an `nn.ModuleList`. → hidden states, and if asked a tuple of all weights; `all_states` collects the others."""

    def __init__(self, config: Config):
        super().__init__()
        self.layer = nn.ModuleList(Layer(config) for _ in range(config.num_hidden_layers))

    def forward(self, hidden_states, attention_mask=None, *, output_attentions=False, all_states=None):
        all_probs = []
        for layer in self.layer:
            if all_states is not None:
                all_states.append(hidden_states)
            hidden_states, probs = layer(hidden_states, attention_mask, output_attentions=output_attentions)
            all_probs.append(probs)
        return hidden_states, tuple(all_probs) if output_attentions else None


class Embeddings(nn.Module):
    """Word, position and token type, added and normalised. Ids `[bs, sl]`, token types `[bs, sl]` → `[bs, sl, hid_dim]`.

    Raises: TypeError for ids that are not int64 or int32; ValueError for ids outside their table, or too long a text.
    """

    def __init__(self, config: Config):
        super().__init__()
        self.word_embeddings = nn.Embedding(config.vocab_size, config.hidden_size, padding_idx=config.pad_token_id)
        self.position_embeddings = nn.Embedding(config.max_position_embeddings, config.hidden_size)
        self.token_type_embeddings = nn.Embedding(config.type_vocab_size, config.hidden_size)
        self.LayerNorm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.dropout = nn.Dropout(config.hidden_dropout_prob)

    def forward(self, input_ids: Tensor, token_type_ids: Tensor | None = None) -> Tensor:
        token_type_ids = torch.zeros_like(input_ids) if token_type_ids is None else token_type_ids
        _require_ids("input_ids", input_ids, self.word_embeddings.num_embeddings)
        _require_ids("token_type_ids", token_type_ids, self.token_type_embeddings.num_embeddings)
        places = torch.arange(input_ids.size(1), device=input_ids.device)  # places: [sl]
        if len(places) > self.position_embeddings.num_embeddings:
            limit = f"max_position_embeddings {self.position_embeddings.num_embeddings}"
            raise ValueError(f"sl {len(places)} is longer than {limit}: cut the text")
        words = self.word_embeddings(input_ids)  # words: [bs, sl, hid_dim]
        summed = words + self.token_type_embeddings(token_type_ids) + self.position_embeddings(places)
        return self.dropout(self.LayerNorm(summed))  # [bs, sl, hid_dim]


class ModelOutput(NamedTuple):
    """last_hidden_state `[bs, sl, hid_dim]`; N + 1 hidden_states and N attentions `[bs, n_heads, sl, sl]` if asked for."""

    last_hidden_state: Tensor
    hidden_states: tuple[Tensor, ...] | None = None
    attentions: tuple[Tensor, ...] | None = None


class Model(nn.Module):
    """Embeddings and the stack: BERT without its heads. Ids `[bs, sl]` → ModelOutput. attention_mask follows `masks`."""

    def __init__(self, config: Config):
        super().__init__()
        self.config = config
        self.embeddings = Embeddings(config)
        self.encoder = LayerStack(config)

    def forward(
        self,
        input_ids,
        attention_mask=None,
        token_type_ids=None,
        *,
        output_attentions=False,
        output_hidden_states=False,
    ) -> ModelOutput:
        states = [] if output_hidden_states else None
        hidden = self.embeddings(input_ids, token_type_ids)  # hidden: [bs, sl, hid_dim]
        how = dict(output_attentions=output_attentions, all_states=states)
        hidden, attentions = self.encoder(hidden, attention_mask, **how)  # hidden: [bs, sl, hid_dim]
        return ModelOutput(hidden, (*states, hidden) if output_hidden_states else None, attentions)


NAMES = {  # of an EncoderLayer, and of the Layer that does the same
    "self_attn.q_proj": "attention.self.query", "self_attn.k_proj": "attention.self.key",
    "self_attn.v_proj": "attention.self.value", "self_attn.out_proj": "attention.output.dense",
    "attn_layer_norm": "attention.output.LayerNorm", "ff.linear1": "intermediate.dense",
    "ff.linear2": "output.dense", "ff_layer_norm": "output.LayerNorm",
}  # fmt: skip


def to_bert(encoder_layer: EncoderLayer) -> Layer:
    """The same layer in BERT's words, weights and dropout rates included. Raises: ValueError for norm_first=True."""
    if encoder_layer.norm_first:
        raise ValueError("norm_first is True: BERT's Layer normalises the sum, so there is no such Layer")
    attn, ff = encoder_layer.self_attn, encoder_layer.ff
    sizes = dict(hidden_size=attn.hid_dim, num_attention_heads=attn.n_heads, intermediate_size=ff.linear1.out_features)
    rates = dict(hidden_dropout_prob=encoder_layer.dropout.p, attention_probs_dropout_prob=attn.dropout.p)
    rest = dict(hidden_act=ff.activation, layer_norm_eps=encoder_layer.attn_layer_norm.eps)
    layer = Layer(Config(vocab_size=1, num_hidden_layers=1, **sizes, **rates, **rest))
    _copy(encoder_layer, layer, NAMES)
    return layer.train(encoder_layer.training)


def from_bert(layer: Layer) -> EncoderLayer:
    """The way back, without chunks; inside the feed-forward network, where BERT has no dropout, none is set."""
    attn, inner = layer.attention.self, layer.intermediate
    if attn.is_causal:
        raise ValueError("is_causal is True: an EncoderLayer gets its causal mask from outside")
    sizes = dict(hid_dim=inner.dense.in_features, pf_dim=inner.dense.out_features, n_heads=attn.num_attention_heads)
    rest = dict(dropout=layer.output.dropout.p, activation=inner.hidden_act, norm_eps=layer.output.LayerNorm.eps)
    encoder_layer = EncoderLayer(**sizes, **rest)
    encoder_layer.self_attn.dropout.p, encoder_layer.ff.dropout.p = attn.dropout.p, 0.0
    _copy(layer, encoder_layer, {theirs: ours for ours, theirs in NAMES.items()})
    return encoder_layer.train(layer.training)


def _require_ids(name: str, ids: Tensor, size: int) -> None:
    if ids.dim() != 2:
        raise ValueError(f"{name} must be [bs, sl], got {list(ids.shape)}")
    if ids.dtype not in (torch.int64, torch.int32):
        raise TypeError(f"{name} must be int64 or int32, got {ids.dtype}")
    if ids.numel() and not ids.is_meta and not torch.compiler.is_compiling() and not 0 <= ids.min() <= ids.max() < size:
        raise ValueError(f"{name} must lie in 0..{size - 1}, got {ids.min()} to {ids.max()}")


def _copy(source: nn.Module, target: nn.Module, names: Mapping[str, str]) -> None:
    target.to(next(source.parameters()))  # its device and dtype
    for old, new in names.items():
        target.get_submodule(new).load_state_dict(source.get_submodule(old).state_dict())


def load_pretrained(folder: str | Path | None = None):
    """(Model in eval mode, its tokenizer): all-MiniLM-L6-v2 from the package that carries it, or what a local folder holds.

    Raises: FileNotFoundError that says what to install, or which file the folder lacks; ValueError for altered weights.
    """
    config, weights, tokenizer = read_folder(folder)
    model = Model(Config.from_dict(config))
    load_weights(model, weights, ignore=["pooler.", "cls."])
    return model.eval(), tokenizer
