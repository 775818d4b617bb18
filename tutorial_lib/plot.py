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
    weights, tokens: Sequence[str], *, key_tokens=None, real=None, annotate=False, title=None, ax: Axes | None = None
) -> Axes:
    """One attention map `[sl_q, sl_k]`, dark = much: a row for each query, a column for each key, colours from 0 to 1.

    NaN is red. With `real`, `[sl_k]` booleans, the columns of padding are hatched.
    Raises: ValueError when the numbers of tokens and of rows or columns differ.
    """
    key_tokens = tokens if key_tokens is None else key_tokens
    weights = _numbers(weights)
    if tuple(weights.shape) != (len(tokens), len(key_tokens)):
        wanted = f"[{len(tokens)}, {len(key_tokens)}] for {len(tokens)} query and {len(key_tokens)} key tokens"
        raise ValueError(f"weights must be {wanted}, got {list(weights.shape)}")
    ax = ax or _new_axes(CELL * len(key_tokens) + 2.4, CELL * len(tokens) + 1.6)
    numbers = dict(
        annot=annotate, fmt=".2f", annot_kws={"size": 9}, linewidths=0.5, xticklabels=False, yticklabels=False
    )
    before = len(ax.texts)
    sns.heatmap(weights.numpy(), vmin=0, vmax=1, cmap="Blues", square=True, cbar=False, ax=ax, **numbers)
    ax.set_facecolor("#e34a33")  # what NaN leaves open shows red
    for text, weight in zip(ax.texts[before:], weights[~weights.isnan()]):
        text.set_color("white" if weight > 0.6 else "black")  # seaborn turns to white too early to be read
    for i, is_real in enumerate([] if real is None else real):
        if not is_real:
            ax.axvspan(i, i + 1, facecolor="none", hatch="///", edgecolor="#999999", linewidth=0)
    _token_ticks(ax, tokens, key_tokens)
    ax.set(xlabel=t(en="key →", ko="키(key) →"), ylabel=t(en="← query", ko="← 쿼리(query)"), title=title)
    return ax


def attention_grid(weights, tokens: Sequence[str], *, titles=None, annotate=False, bar=True) -> Figure:
    """Several maps `[n, sl, sl]` side by side, with one scale from 0 to 1 for all of them, shown unless `bar` is False.

    Raises: ValueError for a wrong number of titles or tokens.
    """
    n = len(weights)
    if titles is not None and len(titles) != n:
        raise ValueError(f"there are {n} maps, and {len(titles)} titles: {list(titles)}")
    size = (n * (CELL * len(tokens) + 1.4) + 1, CELL * len(tokens) + 1.6)
    figure, axes = plt.subplots(1, n, figsize=size, layout="constrained", squeeze=False)
    for ax, one, title in zip(axes[0], weights, titles or [None] * n):
        attention_heatmap(one, tokens, title=title, annotate=annotate, ax=ax)
    if bar:
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
    widest = max(0.95, *(0.11 * _columns(token) for row in rows for token, _ in row))
    ax = _new_axes(widest * sl + 1, 0.62 * bs + 1)
    shade = (src == pad_id).cpu().numpy()
    sns.heatmap(shade, annot=words, fmt="", cmap=[READY, "#bdbdbd"], cbar=False, linewidths=2, vmin=0, vmax=1, ax=ax)
    for text, is_padding in zip(ax.texts, shade.flatten()):
        text.set(color="#444444" if is_padding else "black", size=10)
    ax.set_xlabel(t(en="place in the row, sl →", ko="행 안의 자리, sl →"))
    ax.set_ylabel(t(en="← sentence, bs", ko="← 문장, bs"))
    ax.set_xticklabels(range(sl))
    ax.set_yticklabels(range(bs), rotation=0)
    return ax


def bars(groups: Mapping[str, Sequence[float]], names: Sequence[str], *, xlabel: str, ylabel: str, title=None) -> Axes:
    """A bar for each of `names` in each group, with its number above it. Raises: ValueError for a group of another length."""
    for group, values in groups.items():
        if len(values) != len(names):
            raise ValueError(f"{group!r} has {len(values)} values for the {len(names)} names {list(names)}")
    widest = max(0.55 * len(groups), 1.15, *(0.09 * _columns(name) for name in names))
    ax = _new_axes(min(13.0, 1.5 + widest * len(names)), 3.4)  # a page is no wider
    numbers = [float(value) for values in groups.values() for value in values]
    whole = all(map(float.is_integer, numbers)) and max(numbers) > 2
    form = "%.0f" if whole else "%.1f" if max(numbers) > 2 else "%.2f"
    width = 0.8 / len(groups)
    for i, (group, values) in enumerate(groups.items()):
        left = [position + i * width for position in range(len(names))]
        style = dict(width=width * 0.92, label=label(group), color=sns.color_palette("colorblind")[i])
        drawn = ax.bar(left, list(map(float, values)), **style)
        ax.bar_label(drawn, fmt=form, padding=2, fontsize=9)
    ax.set_xticks([position + 0.4 - width / 2 for position in range(len(names))], list(map(label, names)))
    ax.set(xlabel=xlabel, ylabel=ylabel, title=title)
    ax.margins(y=0.15)
    if len(groups) > 1:  # outside, where no bar can stand behind it
        ax.legend(frameon=False, loc="upper left", bbox_to_anchor=(1, 1))
    sns.despine(ax=ax)
    return ax


def lines(x: Sequence[float], groups: Mapping[str, Sequence[float]], *, xlabel: str, ylabel: str, title=None) -> Axes:
    """A line for each group over the same `x`, told apart by colour and by dashes. Raises: ValueError as `bars` does."""
    ax = _new_axes(7.4, 3.3)
    for i, (group, values) in enumerate(groups.items()):
        if len(values) != len(x):
            raise ValueError(f"{group!r} has {len(values)} values for {len(x)} places on the axis")
        style = dict(color=sns.color_palette("colorblind")[i], linestyle=["-", "--", ":", "-."][i % 4], linewidth=2)
        ax.plot(list(map(float, x)), list(map(float, values)), label=label(group), **style)
    ax.set(xlabel=xlabel, ylabel=ylabel, title=title)
    ax.legend(frameon=False, loc="upper left", bbox_to_anchor=(1, 1))
    sns.despine(ax=ax)
    return ax


def positional_encoding(table) -> Axes:
    """A table of positions `[sl, hid_dim]` in colours from -1 to 1: a row for each position, a column for each number of it."""
    table = _numbers(table)
    ax = _new_axes(6.4, 4)
    ticks = dict(xticklabels=max(1, table.size(1) // 8), yticklabels=max(1, len(table) // 8))
    sns.heatmap(table.numpy(), cmap="vlag", vmin=-1, vmax=1, cbar_kws={"label": t(en="value", ko="값")}, ax=ax, **ticks)
    ax.tick_params(rotation=0)
    ax.set_xlabel(t(en="place in the vector, hid_dim →", ko="벡터 안의 자리, hid_dim →"))
    ax.set_ylabel(t(en="← position, sl", ko="← 위치, sl"))
    return ax


def layer_head_grid(weights: Sequence, tokens: Sequence[str]) -> Figure:
    """A sentence's maps, layers ↓ heads →, one scale 0 to 1: a `[n_heads, sl, sl]` per layer, equally many, or ValueError."""
    n_layers, n_heads = len(weights), len(weights[0])
    if any(len(one) != n_heads for one in weights):
        raise ValueError(f"every layer must have as many heads as the first, got {[len(one) for one in weights]}")
    side = min(0.27 * len(tokens) + 0.4, 11.5 / n_layers, 11.6 / n_heads)  # a page should hold them all
    legible = side / len(tokens) > 0.2  # inches of a token
    size = (n_heads * side + 2.2, n_layers * side + 0.9)
    figure, axes = plt.subplots(n_layers, n_heads, figsize=size, squeeze=False)
    plt.setp(list(axes.flat), visible=False)  # seaborn draws the whole figure for each map: let it see one at a time
    for layer, row in enumerate(axes):
        for head, ax in enumerate(row):
            ax.set_visible(True)
            attention_heatmap(weights[layer][head], tokens, ax=ax)
            ax.set_visible(False)
            edge = dict(labelbottom=legible and layer == n_layers - 1, labelleft=legible and head == 0)
            ax.tick_params(labelsize=8, **edge)
            ax.set_xticks(ax.get_xticks(), ax.get_xticklabels(), rotation=90)
            ax.set(xlabel="", ylabel=t(en=f"layer {layer}", ko=f"계층 {layer}") if head == 0 else "")
            if layer == 0:
                ax.set_title(t(en=f"head {head}", ko=f"헤드 {head}"), fontsize=10)
    plt.setp(list(axes.flat), visible=True)
    figure.set_layout_engine("constrained")
    figure.supxlabel(t(en="key →", ko="키(key) →"), fontsize=10)
    share = t(en="share of the query's attention (query ↓)", ko="쿼리가 나눠 준 어텐션의 비율 (쿼리 ↓)")
    figure.colorbar(axes[0][0].collections[0], ax=list(axes.flat), label=share, shrink=0.6)
    return figure


def diagram(boxes: Mapping[str, tuple], arrows: Sequence[tuple]) -> Figure:
    """Boxes {name: (x, y, words, kind)}, centred at (x, y), and arrows (from, to), (from, to, words beside it), or
    (from, to, words, "left" or "right"), which passes the boxes between on that side.

    `kind` is "data", "part", "frame" or "group"; a group is (x, y, words, "group", width, height) and lies behind the others.
    """
    figure, ax = plt.subplots(layout="constrained")
    usual = dict.fromkeys(["data", "part", "frame"], (2.3, 0.62))
    size = {name: tuple(area) or usual[kind] for name, (_, _, _, kind, *area) in boxes.items()}
    for name, (x, y, words, kind, *_) in boxes.items():
        width, height = size[name]
        colour = {"data": "white", "part": READY, "frame": "#eeeeee", "group": "#f7f7f7"}[kind]
        corner = (x - width / 2, y - height / 2)
        shape = FancyBboxPatch(corner, width, height, boxstyle="round,pad=0,rounding_size=0.12")
        ax.add_patch(shape).set(facecolor=colour, edgecolor="#7f7f7f", zorder=0 if kind == "group" else 2)
        place = (x + width / 2 - 0.1, y + height / 2 - 0.1) if kind == "group" else (x, y)
        how = dict(ha="right", va="top") if kind == "group" else dict(ha="center", va="center")
        ax.text(*place, words, fontsize=9.5, zorder=3, **how)
    for start, end, *words in arrows:
        (x0, y0), (x1, y1) = boxes[start][:2], boxes[end][:2]
        if words[1:]:
            sign = -1 if words[1] == "left" else 1
            edges = [x0 + sign * size[start][0] / 2, x1 + sign * size[end][0] / 2]
            far = sign * (max(sign * edge for edge in edges) + 0.6)
            ax.plot([edges[0], far, far], [y0, y0, y1], color="#444444", linewidth=1)
            ax.annotate("", (edges[1], y1), (far, y1), arrowprops=dict(arrowstyle="-|>", color="#444444", shrinkA=0))
            ax.text(far + sign * 0.08, (y0 + y1) / 2, words[0], fontsize=9, ha="right" if sign < 0 else "left")
            continue
        sideways = abs(x1 - x0) > 1.5
        half = [size[name][0 if sideways else 1] / 2 for name in (start, end)]
        step = (1 if x1 > x0 else -1) if sideways else (1 if y1 > y0 else -1)
        tail = (x0 + step * half[0], y0) if sideways else (x0, y0 + step * half[0])
        head = (x1 - step * half[1], y1) if sideways else (x1, y1 - step * half[1])
        ax.annotate("", head, tail, arrowprops=dict(arrowstyle="-|>", color="#444444"), zorder=1)
        if words:
            aside, above = (0, 0.06) if sideways else (0.1, 0)
            side = dict(ha="center", va="bottom") if sideways else dict(ha="left", va="center")
            x, y = (tail[0] + head[0]) / 2 + aside, (tail[1] + head[1]) / 2 + above
            ax.text(x, y, words[0], fontsize=9, **side)
    edges = [(*box[:2], *size[name]) for name, box in boxes.items()]
    around = 1.6 if any(arrow[3:] for arrow in arrows) else 0.1
    left = min(x - w / 2 for x, _, w, _ in edges) - around
    right = max(x + w / 2 for x, _, w, _ in edges) + max(around, 1.1)
    low, high = min(y - h / 2 for _, y, _, h in edges) - 0.1, max(y + h / 2 for _, y, _, h in edges) + 0.1
    ax.set(xlim=(left, right), ylim=(low, high))
    ax.axis("off")
    figure.set_size_inches(min(11.5, 0.95 * (right - left)), min(11, 0.8 * (high - low)))
    return figure


def shape_flow(trace) -> Figure:
    """A shape trace as a picture: a box for each call inside the model, top to bottom, the shapes on the arrows.

    Give it a trace that is cut to one level, `trace_shapes(...).depth(1)`.
    """
    calls = [(row, kind) for row, kind in zip(trace.rows, trace.classes) if row.name]
    shapes = [calls[0][0].inputs[0], *(row.outputs[0] for row, _ in calls)]
    words = [f"{trace.letters(shape)} = {list(shape)}" if trace.sizes else str(list(shape)) for shape in shapes]
    boxes = {str(i): (0, -1.25 * i, f"{row.name}: {kind}", "part", 4.2, 0.62) for i, (row, kind) in enumerate(calls)}
    boxes["in"] = (0, 1.25, words[0], "data", 4.2, 0.62)
    boxes["out"] = (0, -1.25 * len(calls), words[-1], "data", 4.2, 0.62)
    order = ["in", *map(str, range(len(calls))), "out"]
    between = [words[i : i + 1] if 0 < i < len(calls) else [] for i in range(len(order) - 1)]
    return diagram(boxes, [(a, b, *word) for a, b, word in zip(order, order[1:], between)])


def curve(values: Sequence[float], *, xlabel: str, ylabel: str, title: str | None = None) -> Axes:
    """A line through one value per step."""
    ax = _new_axes(5.2, 3)
    ax.plot(range(1, len(values) + 1), values, color=sns.color_palette("colorblind")[0], linewidth=2)
    ax.set(xlabel=xlabel, ylabel=ylabel, title=title)
    if min(values) >= 0:
        ax.set_ylim(bottom=0)
    sns.despine(ax=ax)
    return ax


def confusion(true: Sequence[int], said: Sequence[int], names: Sequence[str]) -> Axes:
    """How often class i (row) was called class j (column), counted, with the share of the row as colour.

    Raises: ValueError for unequal numbers of labels, or a label that has no name.
    """
    true, said = _numbers(true).long(), _numbers(said).long()
    if true.shape != said.shape or not 0 <= min(true.min(), said.min()) <= max(true.max(), said.max()) < len(names):
        raise ValueError(f"{list(true.shape)} true and {list(said.shape)} said labels must lie in 0..{len(names) - 1}")
    counts = torch.zeros(len(names), len(names), dtype=torch.long)
    counts.index_put_((true, said), torch.ones_like(true), accumulate=True)
    ax = _new_axes(1.9 + 0.9 * len(names), 1.2 + 0.7 * len(names))
    share = counts / counts.sum(dim=1, keepdim=True).clamp(min=1)
    ticks = dict(xticklabels=list(map(label, names)), yticklabels=list(map(label, names)))
    bar = dict(label=t(en="share of the row", ko="행에서 차지하는 비율"))
    sns.heatmap(
        share.numpy(), annot=counts.numpy(), fmt="d", cmap="Blues", vmin=0, vmax=1, cbar_kws=bar, ax=ax, **ticks
    )
    ax.set(xlabel=t(en="what the model said →", ko="모델의 답 →"), ylabel=t(en="← what is true", ko="← 정답"))
    ax.tick_params(rotation=0)
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


def _numbers(values) -> torch.Tensor:
    """What matplotlib can draw: numbers without a gradient, in float32 (numpy knows no bfloat16), on the CPU."""
    return torch.as_tensor(values).detach().float().cpu()


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
