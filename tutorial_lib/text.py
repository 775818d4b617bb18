"""Text to tensor: normalise, tokenise, number, frame, pad.

A text becomes tokens, tokens become ids, and the ids of several texts become one tensor.
Letters: bs batch, sl sequence length.
"""

import json
import operator
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import regex
import torch
from torch import Tensor

SPECIALS = PAD, UNK, BOS, EOS = "<PAD>", "<UNK>", "<BOS>", "<EOS>"
PROBE = "우리는 3.14를 don't 👍🏽!"

# `\X` is one character as a reader sees it, so an emoji made of several code points stays whole, also 1️⃣ beside a word.
EMOJI = r"\p{Emoji}\uFE0F"
LEVELS = {
    "space": regex.compile(r"\S+"),  # whatever stands between blanks, punctuation included
    "word": regex.compile(rf"(?={EMOJI})\X|(?:(?!{EMOJI})\w)+(?:['’]\w+)*|\X"),  # words, and each other character
    "char": regex.compile(r"\X"),
}


def normalize(text: str) -> str:
    """Put letters together to syllables (Unicode NFC): 한 is one code point, also where it came as the three ᄒ ᅡ ᆫ."""
    if not isinstance(text, str):
        raise TypeError(f"a text must be a str, got {text!r}")
    return unicodedata.normalize("NFC", text)


def tokenize(text: str, *, level: str = "word") -> list[str]:
    """Normalise, then cut at a level of LEVELS; only blanks are lost. Raises: ValueError for a level that is not there."""
    if level not in LEVELS:
        raise ValueError(f"level must be one of {', '.join(LEVELS)}, got {level!r}")
    return [token for piece in normalize(text).split() for token in LEVELS[level].findall(piece)]


def frame(tokens: Sequence, *, max_len: int | None = None, bos=BOS, eos=EOS) -> list:
    """Put `bos` before and `eos` behind the tokens (or their ids); `max_len` counts both, and cuts the text only.

    Raises: ValueError for a max_len below 2, which leaves no room for the frame.
    """
    if max_len is not None and max_len < 2:
        raise ValueError(f"max_len must leave room for {bos!r} and {eos!r}, so at least 2, got {max_len}")
    room = len(tokens) if max_len is None else max_len - 2
    return [bos, *tokens[:room], eos]


def collate(rows: Iterable[Sequence[int]], *, pad_id: int) -> Tensor:
    """Pad rows of ids to the longest, at least 1, and stack them: `[bs, sl]` int64. Raises: ValueError without a row."""
    rows = [list(map(operator.index, row)) for row in rows]
    if not rows:
        raise ValueError("there is no row to stack: give at least one list of ids")
    sl = max(1, *map(len, rows))
    padded = [row + [pad_id] * (sl - len(row)) for row in rows]
    return torch.tensor(padded, dtype=torch.long)  # [bs, sl]


class Vocab:
    """Numbers for tokens: the four special tokens first, then the given ones in their order.

    `tokens` is the list (id → token), `ids` the dictionary (token → id). Build one on the training texts only.
    Source: post B calls this dictionary `korbow`, and its size `len(korbow.keys())`.
    """

    pad_id, unk_id, bos_id, eos_id = range(4)

    def __init__(self, tokens: Iterable[str], *, tokenizer: Callable[[str], list[str]] = tokenize):
        self.tokens = [*SPECIALS, *_many(tokens)]
        self.ids = {token: number for number, token in enumerate(self.tokens)}
        self.tokenizer = tokenizer
        if len(self.ids) < len(self.tokens):
            twice = [token for token, count in Counter(self.tokens).items() if count > 1]
            raise ValueError(f"each token may stand in a vocabulary once, got twice: {twice}")

    @classmethod
    def build(
        cls, texts: Iterable[str], *, tokenizer=tokenize, min_freq: int = 1, max_size: int | None = None
    ) -> "Vocab":
        """Number the tokens of `texts`, the frequent ones first; ties keep their order of appearance.

        A token seen fewer than `min_freq` times is left out; `max_size` counts the four special tokens.
        Raises: TypeError for one text in place of a list; ValueError for a max_size below 4.
        """
        if max_size is not None and max_size < len(SPECIALS):
            raise ValueError(f"max_size must hold the {len(SPECIALS)} special tokens, got {max_size}")
        counts = Counter(token for text in _many(texts) for token in tokenizer(normalize(text)))
        kept = [token for token, count in counts.most_common() if count >= min_freq and token not in SPECIALS]
        return cls(kept if max_size is None else kept[: max_size - len(SPECIALS)], tokenizer=tokenizer)

    def __len__(self) -> int:
        return len(self.tokens)

    def encode(self, text: str, *, max_len: int | None = None, specials: bool = True) -> list[int]:
        """Text → ids, framed by BOS and EOS unless `specials` is False. An unknown token is UNK; so is a typed "<PAD>"."""
        tokens = self.tokenizer(normalize(text))
        ids = [self.unk_id if token in SPECIALS else self.ids.get(token, self.unk_id) for token in tokens]
        if not specials:
            return ids[: None if max_len is None else max(0, max_len)]
        return frame(ids, max_len=max_len, bos=self.bos_id, eos=self.eos_id)

    def decode(self, ids: Iterable[int] | Tensor, *, specials: bool = False) -> list[str]:
        """Ids → tokens; PAD, BOS and EOS only with `specials`. Raises: ValueError for an id outside the vocabulary."""
        ids = list(map(operator.index, ids))
        wrong = [i for i in ids if not 0 <= i < len(self)]
        if wrong:
            raise ValueError(f"ids must lie in 0..{len(self) - 1}, got {wrong}")
        return [self.tokens[i] for i in ids if specials or i not in (self.pad_id, self.bos_id, self.eos_id)]

    def batch(self, texts: Iterable[str], *, max_len: int | None = None) -> Tensor:
        """Texts → one padded tensor `[bs, sl]` int64."""
        return collate([self.encode(text, max_len=max_len) for text in _many(texts)], pad_id=self.pad_id)  # [bs, sl]

    def save(self, path: str | Path) -> None:
        """Write the tokens as JSON, and how the tokenizer cuts a probe, by which `load` knows it again."""
        content = {"probe": self.tokenizer(PROBE), "tokens": self.tokens[len(SPECIALS) :]}
        Path(path).write_bytes(json.dumps(content, ensure_ascii=False, indent=0).encode("utf-8"))

    @classmethod
    def load(cls, path: str | Path, *, tokenizer=tokenize) -> "Vocab":
        """Read what `save` wrote. Raises: ValueError for a tokenizer that cuts otherwise than the one it was built with."""
        content = json.loads(Path(path).read_text(encoding="utf-8"))
        if content["probe"] != tokenizer(PROBE):
            cuts = f"cuts {PROBE!r} into {content['probe']}, and this one into {tokenizer(PROBE)}"
            raise ValueError(f"give load the tokenizer= that the vocabulary was built with: it {cuts}")
        return cls(content["tokens"], tokenizer=tokenizer)


def _many(texts: Iterable[str]) -> Iterable[str]:
    if isinstance(texts, str):  # a text is itself a sequence of texts, of one letter each: silently wrong
        raise TypeError(f"give a list of texts, got the one text {texts!r}: write [text]")
    return texts
