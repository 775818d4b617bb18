"""Every picture of the lessons. A function returns Axes or a Figure and shows nothing: end a cell with `plt.show()`.

Knows no model of ours: it takes arrays, tokens and words.
"""

import unicodedata
from collections.abc import Mapping, Sequence
from functools import cache

import matplotlib.pyplot as plt
import seaborn as sns
import torch
from matplotlib import font_manager, rcParams
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch, Patch

from tutorial_lib.runtime import t

CELL = 0.72  # inches of one heatmap cell: a token of five Hangul syllables fits beneath it
READY, PLANNED, HERE = "#d6e6f4", "#f2f2f2", "#fdd49e"  # light fills, so that black words stay legible on them


def label(text: str) -> str:
    """A token as a picture can show it: lone jamo in the form the font has, a square for any glyph it has not."""
    drawable = _glyphs(tuple(rcParams["font.family"]))
    shown = "".join(char if ord(char) in drawable else "□" for char in map(_whole_jamo, text))
    return shown.replace("$", r"\$")  # a token of money is no formula


def attention_heatmap(
    weights, tokens: Sequence[str], *, key_tokens: Sequence[str] | None = None, annotate=False, title=None, ax=None
) -> Axes:
    """One attention map `[sl_q, sl_k]`, dark = much: a row for each query, a column for each key, colours from 0 to 1.

    Raises: ValueError when the numbers of tokens and of rows or columns differ.
    """
    key_tokens = tokens if key_tokens is None else key_tokens
    weights = torch.as_tensor(weights).detach().float().cpu()
    if tuple(weights.shape) != (len(tokens), len(key_tokens)):
        wanted = f"[{len(tokens)}, {len(key_tokens)}] for {len(tokens)} query and {len(key_tokens)} key tokens"
        raise ValueError(f"weights must be {wanted}, got {list(weights.shape)}")
    ax = ax or _new_axes(CELL * len(key_tokens) + 2.4, CELL * len(tokens) + 1.6)
    numbers = dict(annot=annotate, fmt=".2f", annot_kws={"size": 9})
    before = len(ax.texts)
    sns.heatmap(weights.numpy(), vmin=0, vmax=1, cmap="Blues", square=True, cbar=False, ax=ax, **numbers)
    for text, weight in zip(ax.texts[before:], weights.flatten()):
        text.set_color("white" if weight > 0.6 else "black")  # seaborn turns to white too early to be read
    _token_ticks(ax, tokens, key_tokens)
    ax.set(xlabel=t(en="key →", ko="키(key) →"), ylabel=t(en="← query", ko="← 쿼리(query)"), title=title)
    return ax


def attention_grid(weights, tokens: Sequence[str], *, titles: Sequence[str] | None = None, annotate=False) -> Figure:
    """Several maps `[n, sl, sl]` side by side, with one scale from 0 to 1 for all of them.

    Raises: ValueError for a wrong number of titles or tokens.
    """
    n = len(weights)
    if titles is not None and len(titles) != n:
        raise ValueError(f"there are {n} maps, and {len(titles)} titles: {list(titles)}")
    size = (n * (CELL * len(tokens) + 1.4) + 1, CELL * len(tokens) + 1.6)
    figure, axes = plt.subplots(1, n, figsize=size, layout="constrained", squeeze=False)
    for ax, one, title in zip(axes[0], weights, titles or [None] * n):
        attention_heatmap(one, tokens, title=title, annotate=annotate, ax=ax)
    share = t(en="share of the query's attention", ko="쿼리가 나눠 준 어텐션의 비율")
    figure.colorbar(axes[0][0].collections[0], ax=list(axes[0]), label=share, shrink=0.8)
    return figure


def batch_grid(src, tokens: Sequence[Sequence[str]], *, pad_id: int, ids: bool = True) -> Axes:
    """A batch of ids `[bs, sl]` as a table: each cell shows its token and its id; padding is grey, a blank token blank.

    Raises: ValueError unless there is a token for each id.
    """
    bs, sl = src.shape
    if [len(row) for row in tokens] != [sl] * bs:
        raise ValueError(f"ids are [{bs}, {sl}], so give {bs} rows of {sl} tokens, got {[len(row) for row in tokens]}")
    rows = [
        [(label(token), f"\n{number}" if ids else "") for token, number in zip(*row)]
        for row in zip(tokens, src.tolist())
    ]
    words = [[token + number if token.strip() else "" for token, number in row] for row in rows]
    ax = _new_axes(0.95 * sl + 1, 0.62 * bs + 1)
    shade = (src == pad_id).cpu().numpy()
    sns.heatmap(shade, annot=words, fmt="", cmap=[READY, "#bdbdbd"], cbar=False, linewidths=2, vmin=0, vmax=1, ax=ax)
    for text, is_padding in zip(ax.texts, shade.flatten()):
        text.set(color="#444444" if is_padding else "black", size=10)
    ax.set(
        xlabel=t(en="place in the row, sl →", ko="행 안의 자리, sl →"),
        ylabel=t(en="← sentence, bs", ko="← 문장, bs"),
    )
    ax.set_xticklabels(range(sl))
    ax.set_yticklabels(range(bs), rotation=0)
    return ax


def bars(groups: Mapping[str, Sequence[float]], names: Sequence[str], *, xlabel: str, ylabel: str, title=None) -> Axes:
    """A bar for each of `names` in each group, with its number above it. Raises: ValueError for a group of another length."""
    for group, values in groups.items():
        if len(values) != len(names):
            raise ValueError(f"{group!r} has {len(values)} values for the {len(names)} names {list(names)}")
    ax = _new_axes(1.5 + 0.55 * len(groups) * len(names), 3.4)
    width = 0.8 / len(groups)
    for i, (group, values) in enumerate(groups.items()):
        left = [position + i * width for position in range(len(names))]
        drawn = ax.bar(left, values, width=width * 0.92, label=label(group), color=sns.color_palette("colorblind")[i])
        ax.bar_label(drawn, fmt="%.1f", padding=2, fontsize=9)
    ax.set_xticks([position + 0.4 - width / 2 for position in range(len(names))], list(map(label, names)))
    ax.set(xlabel=xlabel, ylabel=ylabel, title=title)
    ax.margins(y=0.15)
    ax.legend(frameon=False)
    sns.despine(ax=ax)
    return ax


def curve(values: Sequence[float], *, xlabel: str, ylabel: str, title: str | None = None) -> Axes:
    """A line through one value per step."""
    ax = _new_axes(5.2, 3)
    ax.plot(range(1, len(values) + 1), values, color=sns.color_palette("colorblind")[0], linewidth=2)
    ax.set(xlabel=xlabel, ylabel=ylabel, title=title)
    if min(values) >= 0:
        ax.set_ylim(bottom=0)
    sns.despine(ax=ax)
    return ax


def series_map(parts: Sequence[Mapping], *, here: str | None = None) -> Figure:
    """The lessons in their parts, as `data.series()` gives them: ready ones blue, planned ones grey, `here` orange."""
    tallest = max(len(part["lessons"]) for part in parts)
    figure, ax = plt.subplots(figsize=(11.5, 0.55 * tallest + 1.1), layout="constrained")
    for column, part in enumerate(parts):
        ax.text(column * 3, 0.75, t(en=part["en"], ko=part["ko"]), fontsize=12, va="center")
        for row, lesson in enumerate(part["lessons"]):
            colour = HERE if lesson["number"] == here else READY if lesson["ready"] else PLANNED
            shape = FancyBboxPatch((column * 3, -row - 0.36), 2.75, 0.72, boxstyle="round,pad=0,rounding_size=0.15")
            ax.add_patch(shape).set(facecolor=colour, edgecolor="#7f7f7f", linestyle="-" if lesson["ready"] else "--")
            title = t(en=lesson["en"], ko=lesson["ko"])
            ax.text(column * 3 + 0.12, -row, f"{lesson['number']}  {title}", fontsize=9, va="center")
    kinds = [(HERE, "-", t(en="you are here", ko="지금 여기"))] if here else []
    kinds += [(READY, "-", t(en="ready", ko="준비됨")), (PLANNED, "--", t(en="planned", ko="준비 중"))]
    shown = [Patch(facecolor=colour, linestyle=line, edgecolor="#7f7f7f", label=kind) for colour, line, kind in kinds]
    ax.legend(handles=shown, loc="lower right", frameon=False, fontsize=10)
    ax.set(xlim=(-0.1, 3 * len(parts)), ylim=(-tallest + 0.4, 1.1))
    ax.axis("off")
    return figure


def _new_axes(width: float, height: float) -> Axes:
    return plt.subplots(figsize=(width, height), layout="constrained")[1]


def _token_ticks(ax: Axes, tokens: Sequence[str], key_tokens: Sequence[str]) -> None:
    """One tick a token, in the middle of its cell; the words of the columns stand upright when they would not fit."""
    longest = max((_columns(token) for token in key_tokens), default=0)
    ax.tick_params(labelsize=10)
    ax.set_xticks([i + 0.5 for i in range(len(key_tokens))], map(label, key_tokens), rotation=90 if longest > 10 else 0)
    ax.set_yticks([i + 0.5 for i in range(len(tokens))], map(label, tokens), rotation=0)


def _columns(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def _whole_jamo(char: str) -> str:
    """ᄒ, ᅡ, ᆫ (the parts of a decomposed syllable) → ㅎ, ㅏ, ㄴ, which the font has."""
    name = unicodedata.name(char, "")
    for part in ("CHOSEONG", "JUNGSEONG", "JONGSEONG"):
        if name.startswith(f"HANGUL {part} "):
            try:
                return unicodedata.lookup(f"HANGUL LETTER {name.removeprefix(f'HANGUL {part} ')}")
            except KeyError:
                return char
    return char


@cache
def _glyphs(families: tuple[str, ...]) -> set[int]:
    """The code points that fonts of these families can draw."""
    files = [font_manager.findfont(font_manager.FontProperties(family=[family])) for family in families]
    return {point for file in files for point in font_manager.get_font(file).get_charmap()} | {ord("\n")}
