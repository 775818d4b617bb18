"""All attention maps of one sentence in one output that needs no kernel. Without scripts a table and a sketch remain."""

import hashlib
import html
import json
from collections.abc import Sequence

import torch
from matplotlib import colormaps, colors

from tutorial_lib.runtime import t

# a level is the hundredths of a weight, or 101 for NaN: it has a colour (that of `plot.attention_heatmap`) and a character
COLOURS = [*(colors.to_hex(colormaps["Blues"](i / 100)) for i in range(101)), "#e34a33"]
LOOKS = [f"background:{colour};color:{'#fff' if 72 <= i <= 100 else '#000'}" for i, colour in enumerate(COLOURS)]
SHADES = " " * 5 + "░" * 20 + "▒" * 25 + "▓" * 25 + "█" * 26 + "?"
ASK = 'ask the model for them (Hugging Face: load it with attn_implementation="eager")'


class Explorer:
    """What `attention_explorer` returns; a notebook shows it. `maps[layer][head][query][key]` are thousandths."""

    def __init__(self, maps: list[torch.Tensor], queries: list[str], keys: list[str], layer: int, head: int):
        self.maps, self.queries, self.keys, self.layer, self.head = maps, queries, keys, layer, head
        self.levels = [(one.clamp(0, 1000) // 10).nan_to_num(101).int().tolist() for one in maps]

    def __repr__(self) -> str:
        n, heads = len(self.maps), "/".join(map(str, sorted(set(map(len, self.maps)))))
        size = f"{len(self.queries)} × {len(self.keys)}"
        en = f"{n} layer{'s' * (n != 1)}, {heads} head{'s' * (heads != '1')}, {size} tokens"
        return t(en=f"attention explorer: {en}", ko=f"어텐션 탐색기: 계층 {n}개, 헤드 {heads}개, 토큰 {size}개")

    def _repr_html_(self) -> str:
        words = [t(en="layer", ko="계층"), t(en="head", ko="헤드"), t(en="attention map", ko="어텐션 맵")]
        hint = t(en="Point at a cell, or tap it. Arrow keys:", ko="칸을 가리키거나 누르세요. 방향키:")
        hint += t(en=" ← → head, ↑ ↓ layer, with Shift the cell.", ko=" ← → 헤드, ↑ ↓ 계층, Shift를 더하면 칸 이동.")
        at = f"{words[0]} {self.layer}, {words[1]} {self.head}"
        body = f'<div class="top">{at}</div><div class="map" tabindex="0" role="group" aria-label="{words[2]}: {at}">'
        body += f'{self._table()}</div><div class="line" aria-live="polite"></div>{self._sketch(*words[:2])}'
        data = [[one.tolist() for one in self.maps], [self.layer, self.head], LOOKS, words[:2], words[2], hint]
        data = json.dumps(data, separators=(",", ":")).replace(".0", "")[1:-1]  # JavaScript, also NaN and Infinity
        mark = "attention-" + hashlib.sha256(f"{STYLE}{SCRIPT}{body}{data}".encode()).hexdigest()[:12]
        body = f"<style>{STYLE.replace('&', '#' + mark)}</style>{body}<script>({SCRIPT})('{mark}',{data})</script>"
        return f'<div id="{mark}" class="mathjax_ignore tex2jax_ignore" translate="no">{body}</div>'

    def _table(self) -> str:
        form = "<span>{}</span>" if max(len(key.encode()) for key in self.keys) > 6 else "{}"  # long ones upright
        keys = "".join(f'<th scope="col">{form.format(html.escape(key))}</th>' for key in self.keys)
        rows = f'<th rowspan="{len(self.queries)}"><span>{t(en="← query", ko="← 쿼리(query)")}</span></th>'
        for i, query in enumerate(self.queries):
            weights, levels = self.maps[self.layer][self.head, i] / 1000, self.levels[self.layer][self.head][i]
            cells = "".join(f'<td style="{LOOKS[n]}">{x:.2f}</td>' for n, x in zip(levels, weights.tolist()))
            rows += f'<th scope="row">{html.escape(query)}</th>{cells.replace("nan", "NaN")}</tr><tr>'
        return f'<table><tr>{rows}<th colspan="2">{t(en="key →", ko="키(key) →")}</th>{keys}</tr></table>'

    def _sketch(self, layer: str, head: str) -> str:  # characters remain where styles and pictures are stripped, too
        look = 'style="margin:0;border:1px solid;font:8px/8px Menlo,Consolas,monospace;color:#08306b;background-color:#fff"'
        rows = "<tr><th></th>" + "".join(f"<th>{head} {i}</th>" for i in range(max(map(len, self.maps)))) + "</tr>"
        for i, heads in enumerate(self.levels):
            maps = ("\n".join("".join(SHADES[level] for level in row) for row in one) for one in heads)
            rows += f"<tr><th>{layer} {i}</th>" + "".join(f"<td><pre {look}>{one}</pre></td>" for one in maps) + "</tr>"
        legend = t(en="All maps", ko="모든 어텐션 맵") + ": ░ ≥ 0.05, ▒ ≥ 0.25, ▓ ≥ 0.5, █ ≥ 0.75, ? NaN"
        return f'<div class="all"><p>{legend}</p><table>{rows}</table></div>'


def attention_explorer(weights, tokens: Sequence[str], *, key_tokens=None, layer: int = 0, head: int = 0) -> Explorer:
    """An explorer of the maps of one sentence, dark = much and NaN red, open at `layer` and `head`. End a cell with it.

    Shapes: weights, as from `attention_weights`: a list of `[n_heads, sl_q, sl_k]` or `[1, n_heads, sl_q, sl_k]`. Raises:
    ValueError for a layer without weights, a batch of sentences, a wrong number of tokens, a layer or head not there.
    """
    queries, keys = ([*map(str, names)] for names in (tokens, tokens if key_tokens is None else key_tokens))
    if not isinstance(weights, (list, tuple)) or not weights:
        raise ValueError(f"weights must be a list with a tensor for each layer, got {weights!r:.60}: {ASK}")
    maps, n, m = [], len(queries), len(keys)
    for i, one in enumerate(weights):
        if one is None:
            raise ValueError(f"the weights of layer {i} are None: {ASK}")
        one = torch.as_tensor(one).detach().cpu().double()
        got = f"the weights of layer {i} are {list(one.shape)}"
        if one.dim() == 4 and len(one) != 1:
            raise ValueError(f"{got}, a batch of {len(one)}: pick one sentence, for example [w[0] for w in weights]")
        one = one[0] if one.dim() == 4 else one  # one: [n_heads, sl_q, sl_k]
        if one.dim() != 3 or one.shape[1:] != (n, m) or not one.numel():
            raise ValueError(f"{got}, not [n_heads, {n}, {m}]: got {n} tokens for rows, {m} (key_tokens) for columns")
        maps.append((1000 * one).round())
    if layer not in range(len(maps)) or head not in range(len(maps[layer])):
        raise ValueError(f"no layer {layer} with a head {head}: the layers have {[*map(len, maps)]} heads, from 0")
    return Explorer(maps, queries, keys, layer, head)


STYLE = """& .top,& .line{margin:4px}& option{color:#000;background:#fff}& .map:focus,& select:focus-visible{outline:2px solid}
& select{color:inherit;background:transparent;border:1px solid;font:inherit}& [scope=col]:not(:has(span)){min-width:3.6em}
& .map{width:fit-content;max-width:calc(100% - 12px);margin:2px}& .all,& .map{overflow:auto;padding:4px}& tr{background:none}
& table{width:auto;margin:0;border:0;border-spacing:1px;border-collapse:separate;font-size:12px}& td{forced-color-adjust:none}
& th,& td{border:0;padding:1px 4px;text-align:right;font-weight:normal;white-space:nowrap}& .here{box-shadow:inset 0 0 0 2px}
& .map td,& [scope=col]{min-width:2.3em;height:2.3em;padding:1px 3px;text-align:center}& .map tr:last-child>*{vertical-align:top}
& th span{writing-mode:vertical-rl;text-orientation:sideways;transform:rotate(180deg)}"""
SCRIPT = """(mark, maps, start, looks, words, mapWord, hint) =>
document.querySelectorAll(`[id="${mark}"] > .all`).forEach(({parentNode: root}) => { // may be there twice
  const find = what => [...root.querySelectorAll(what)], within = (i, n) => Math.max(0, Math.min(i, n - 1))
  const fill = (box, n, at) => box.replaceChildren(...Array.from({length: n}, (_, i) => new Option(i, i, false, i == at)))
  const [queries, keys] = ["row", "col"].map(side => find(`[scope=${side}]`).map(th => th.textContent))
  const pairs = queries.flatMap(query => keys.map(key => `${query} → ${key}`)), [top, map, line, all] = find("div")
  top.innerHTML = words.map(word => `<label>${word} <select data-lm-suppress-shortcuts></select></label>`).join(" &emsp; ")
  let numbers, here = -1, cells = find(".map td"), [layer, head] = find("select")
  const tell = i => {
    find(".here").concat(cells[here = i] ?? []).forEach(cell => cell.classList.toggle("here"))
    line.textContent = i < 0 ? hint : `${pairs[i]}: ${(numbers[i] / 1000).toFixed(3)}`
  }
  const show = (l, h) => {
    fill(layer, maps.length, l = within(l, maps.length))
    fill(head, maps[l].length, h = within(h, maps[l].length)) // layers may have different numbers of heads
    numbers = maps[l][h].flat()
    cells.forEach((cell, i) => cell.textContent = (numbers[i] / 1000).toFixed(2))
    cells.forEach((cell, i) => cell.style = looks[isNaN(numbers[i]) ? 101 : Math.floor(within(numbers[i], 1001) / 10)])
    map.setAttribute("aria-label", `${mapWord}: ${words[0]} ${l}, ${words[1]} ${h}`)
    tell(here)
  }
  map.onkeydown = event => {
    const step = {ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1]}[event.key]
    if (!step || event.altKey || event.ctrlKey || event.metaKey) return
    event.preventDefault(), event.stopPropagation() // JupyterLab has uses of its own for the arrows
    if (event.shiftKey) tell(within(Math.max(here, 0) + step[0] * keys.length + step[1], cells.length))
    else show(layer.selectedIndex + step[0], head.selectedIndex + step[1])
  }
  cells.forEach((cell, i) => cell.onpointermove = cell.onpointerdown = () => i == here || tell(i))
  layer.onchange = head.onchange = () => show(layer.selectedIndex, head.selectedIndex)
  show(...start), all.remove()
})"""
