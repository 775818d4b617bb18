"""The attention explorer: what its HTML holds, and what a browser makes of it, with scripts and without."""

import json
import re
from html.parser import HTMLParser

import matplotlib.colors
import pytest
import torch
from torch import nn

import tutorial_lib
from tests.browser import browser
from tutorial_lib import plot
from tutorial_lib.encoder import Encoder
from tutorial_lib.explorer import LOOKS, attention_explorer
from tutorial_lib.trace import attention_weights

IDS = torch.tensor([[2, 4, 5, 6, 3]])
ABC = ["a", "b", "c"]
NASTY = [
    "</script><script>window.hacked = 1</script>",
    '<img src="x" onerror="window.hacked = 1">',
    "\"onpointermove='window.hacked = 1'",
    "&lt;&amp;",
    "`${window.hacked = 1}`",
    "🙂",
    "나는",
    "<BOS>",
    "$x$",
    "<!--",
]


def maps(sizes=((2, 3, 3), (4, 3, 3), (1, 3, 3)), sharp=3.0):
    return [(sharp * torch.randn(size)).softmax(-1) for size in sizes]


class Parsed(HTMLParser):
    """The elements of an explorer, every one closed, and the words in them."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.open, self.styles = [], [], []
        self.words = {"row": [], "col": [], "td": [], "script": [], "pre": []}
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        kind = dict(attributes).get("scope", tag)
        self.open.append((tag, kind))
        if kind in self.words:
            self.words[kind].append("")
        if tag == "td" and "style" in dict(attributes):
            self.styles.append(dict(attributes)["style"])

    def handle_endtag(self, tag):
        assert self.open.pop()[0] == tag

    def handle_data(self, data):
        for _, kind in self.open:
            if kind in self.words:
                self.words[kind][-1] += data

    @property
    def cells(self):
        return self.words["td"][: len(self.styles)]  # the cells of the sketch come after those of the table


def stored(html):
    """The thousandths that the script works with: [layer][head][query][key]."""
    return json.loads(re.search(r"\)\('attention-[0-9a-f]{12}',(\[\[\[\[.*?\]\]\]\]),", html)[1])


def of_ours(device):
    model = Encoder(input_dim=10, hid_dim=8, pf_dim=16, n_heads=2, n_layers=3).eval().to(device)
    return model(IDS.to(device), need_weights=True)[1]


def of_torch(device):
    layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    model = nn.TransformerEncoder(layer, 3, enable_nested_tensor=False).eval().to(device)
    return attention_weights(model, torch.randn(1, 5, 8, device=device))


def of_hugging_face(device):
    transformers = pytest.importorskip("transformers")
    sizes = dict(vocab_size=20, hidden_size=8, num_hidden_layers=3, num_attention_heads=2, intermediate_size=16)
    config = transformers.BertConfig(**sizes, attn_implementation="eager")
    return transformers.BertModel(config).eval().to(device)(IDS.to(device), output_attentions=True).attentions


@pytest.mark.parametrize("source", [of_ours, of_torch, of_hugging_face])
def test_the_html_holds_the_weights_of_every_layer_and_head(source, device):
    weights = source(device)
    html = attention_explorer(weights, list("abcde"), layer=1, head=1)._repr_html_()
    for got, wanted in zip(stored(html), weights, strict=True):
        wanted = wanted[0].detach().cpu().double()
        torch.testing.assert_close(torch.tensor(got).double() / 1000, wanted, atol=5.001e-4, rtol=0)
    page = Parsed(html)
    shown = torch.tensor([float(cell) for cell in page.cells])
    torch.testing.assert_close(shown, weights[1][0, 1].detach().cpu().float().flatten(), atol=5.51e-3, rtol=0)
    assert page.words["row"] == page.words["col"] == list("abcde") and "layer 1, head 1" in html


def test_layers_may_differ_in_their_heads_and_come_with_or_without_a_batch_axis():
    weights = maps()
    html = attention_explorer(weights, ABC)._repr_html_()
    assert [len(heads) for heads in stored(html)] == [2, 4, 1]
    assert attention_explorer(tuple(one[None] for one in weights), ABC)._repr_html_() == html
    assert attention_explorer([one.numpy() for one in weights], ABC)._repr_html_() == html
    graph = [one.clone().requires_grad_() for one in weights]
    assert attention_explorer(graph, ABC)._repr_html_() == html
    for dtype in (torch.float16, torch.bfloat16):
        half = [one.to(dtype) for one in weights]
        for got, wanted in zip(stored(attention_explorer(half, ABC)._repr_html_()), half):
            torch.testing.assert_close(torch.tensor(got).double() / 1000, wanted.double(), atol=5.001e-4, rtol=0)


def test_keys_may_have_tokens_of_their_own():
    explorer = attention_explorer([torch.ones(1, 2, 3) / 3], ["x", "y"], key_tokens=ABC)
    page = Parsed(explorer._repr_html_())
    assert page.words["row"] == ["x", "y"] and page.words["col"] == ABC and page.cells == ["0.33"] * 6
    assert repr(explorer) == "attention explorer: 1 layer, 1 head, 2 × 3 tokens"


def test_the_text_says_how_much_there_is():
    assert repr(attention_explorer(maps([(12, 9, 9)] * 6), list("abcdefghi"))) == (
        "attention explorer: 6 layers, 12 heads, 9 × 9 tokens"
    )
    assert repr(attention_explorer(maps(), ABC)) == "attention explorer: 3 layers, 1/2/4 heads, 3 × 3 tokens"


def test_the_same_weights_give_the_same_bytes_and_others_another_id():
    weights = maps()
    html = attention_explorer(weights, ABC)._repr_html_()
    assert attention_explorer([one.clone() for one in weights], tuple(ABC))._repr_html_() == html
    others = [
        attention_explorer([*weights[:2], weights[2] + 0.001], ABC),  # seen by the script only
        attention_explorer(weights, ["a", "b", "d"]),
        attention_explorer(weights, ABC, layer=1),
        attention_explorer(weights, ABC, head=1),
    ]
    pages = [html, *(other._repr_html_() for other in others)]
    assert len({re.search(r'id="([\w-]+)"', page)[1] for page in pages}) == 5
    assert all(len(set(re.findall(r"attention-[0-9a-f]{12}", page))) == 1 for page in pages)


def test_tokens_are_text_and_nothing_else():
    n = len(NASTY)
    html = attention_explorer(maps([(2, n, n)]), NASTY)._repr_html_()
    page = Parsed(html)
    assert page.words["row"] == page.words["col"] == NASTY
    assert {tag for tag, _ in page.tags} == {"div", "style", "table", "tr", "th", "td", "span", "p", "pre", "script"}
    assert len(page.words["script"]) == 1 and "hacked" not in page.words["script"][0]
    known = {"id", "class", "translate", "tabindex", "role", "style", "scope", "rowspan", "colspan"}
    assert {name for _, attributes in page.tags for name in attributes} == known | {"aria-label", "aria-live"}


def test_nothing_is_loaded_from_anywhere():
    html = attention_explorer(maps(), ABC)._repr_html_()
    for sign in ("http", "//", "src=", "href", "url(", "@import", "import(", "fetch", "<link", "<img"):
        assert sign not in re.sub(r" // .*", "", html), sign  # a comment of the script


def test_a_page_stays_small():
    tokens = [f"token{i}" for i in range(15)]
    html = attention_explorer(maps([(12, 15, 15)] * 6, sharp=1.0), tokens)._repr_html_()
    assert len(html.encode()) < 150_000


def test_nan_is_red_and_said_and_so_is_what_is_no_weight():
    weights = torch.tensor([[[float("nan"), 0.0], [float("-inf"), 1.111]]])
    html = attention_explorer([weights], ["a", "b"])._repr_html_()
    ((((first, second), (third, fourth)),),) = stored(html)
    assert first != first and (second, third, fourth) == (0, float("-inf"), 1111)
    page = Parsed(html)
    assert page.cells == ["NaN", "0.00", "-inf", "1.11"]
    assert page.styles == [LOOKS[101], LOOKS[0], LOOKS[0], LOOKS[100]] and "#e34a33" in LOOKS[101]
    assert page.words["pre"] == ["? \n █"]


def test_the_sketch_shows_every_map_in_five_shades():
    weights = torch.tensor([[[0.049, 0.05, 0.249], [0.25, 0.499, 0.5], [0.749, 0.75, 1.0]]])
    page = Parsed(attention_explorer([weights, weights.flip(-1), maps()[1]], ABC)._repr_html_())
    assert page.words["pre"][:2] == [" ░░\n▒▒▓\n▓██", "░░ \n▓▒▒\n██▓"] and len(page.words["pre"]) == 6


def luminance(colour):
    channels = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in matplotlib.colors.to_rgb(colour)]
    return sum(weight * channel for weight, channel in zip((0.2126, 0.7152, 0.0722), channels))


def contrast(one, other):
    bright, dark = sorted([luminance(one), luminance(other)], reverse=True)
    return (bright + 0.05) / (dark + 0.05)


def test_the_colours_are_those_of_the_heatmap_and_every_number_can_be_read_on_its_own():
    mesh = plot.attention_heatmap(torch.eye(3), ABC).collections[0]
    for i, look in enumerate(LOOKS):
        background, ink = re.fullmatch(r"background:(#\w{6});color:(#\w{3})", look).groups()
        if i <= 100:
            assert background == matplotlib.colors.to_hex(mesh.cmap(mesh.norm(i / 100)))
        assert contrast(background, ink) >= 4.5, look


EAGER = r'attn_implementation="eager"'


@pytest.mark.parametrize(
    ("weights", "how", "says"),
    [
        (None, {}, rf"got None: .*{EAGER}"),
        ((), {}, rf"got \(\): .*{EAGER}"),
        (torch.zeros(2, 3, 3), {}, r"must be a list with a tensor for each layer, got tensor"),
        ([torch.zeros(2, 3, 3), None], {}, rf"layer 1 are None: .*{EAGER}"),
        ([torch.zeros(4, 2, 3, 3)], {}, r"\[4, 2, 3, 3\], a batch of 4: pick one .*\[w\[0\] for w in weights\]"),
        ([torch.zeros(0, 2, 3, 3)], {}, r"a batch of 0"),
        ([torch.zeros(3, 3)], {}, r"layer 0 are \[3, 3\], not \[n_heads, 3, 3\]"),
        ([torch.zeros(2, 3, 3), torch.zeros(2, 5, 5)], {}, r"layer 1 are \[2, 5, 5\], not \[n_heads, 3, 3\]: got 3"),
        ([torch.zeros(2, 3, 3)], {"key_tokens": ["x"]}, r"not \[n_heads, 3, 1\]: got 3 tokens .* 1 \(key_tokens\)"),
        ([torch.zeros(0, 3, 3)], {}, r"are \[0, 3, 3\], not \[n_heads, 3, 3\]"),
        ([torch.zeros(2, 3, 3)], {"layer": 1}, r"no layer 1 with a head 0: the layers have \[2\] heads"),
        ([torch.zeros(2, 3, 3)], {"layer": -1}, r"no layer -1"),
        (maps(), {"layer": 2, "head": 1}, r"no layer 2 with a head 1: the layers have \[2, 4, 1\] heads, from 0"),
    ],
)
def test_what_cannot_be_shown_is_refused_with_the_value_met(weights, how, says):
    with pytest.raises(ValueError, match=f"(?s){says}"):
        attention_explorer(weights, ABC, **how)


def test_weights_that_hugging_face_does_not_keep_are_told():
    transformers = pytest.importorskip("transformers")
    sizes = dict(vocab_size=20, hidden_size=8, num_hidden_layers=2, num_attention_heads=2, intermediate_size=16)
    model = transformers.BertModel(transformers.BertConfig(**sizes, attn_implementation="sdpa")).eval()
    with pytest.raises(ValueError, match=EAGER):
        attention_explorer(model(IDS).attentions, list("abcde"))


def test_its_words_are_korean_in_a_korean_notebook():
    tutorial_lib.setup(lang="ko")
    explorer = attention_explorer(maps(), ["나는", "책을", "읽는다"])
    html = explorer._repr_html_()
    assert repr(explorer) == "어텐션 탐색기: 계층 3개, 헤드 1/2/4개, 토큰 3 × 3개"
    for words in ("계층 0, 헤드 0", "← 쿼리(query)", "키(key) →", "모든 어텐션 맵", 'aria-label="어텐션 맵: 계층 0'):
        assert words in html
    assert json.dumps(["계층", "헤드"], separators=(",", ":")) in html and "Point at" not in html
    assert not re.search(r">[^<]*(layer|head|map)[^<]*<", re.sub(r"<(style|script)>.*?</\1>", "", html, flags=re.S))


@pytest.fixture(scope="module")
def chromium():
    """A browser that is installed here already; it sees files of this machine and asks for nothing else."""
    with browser() as running:
        yield running


@pytest.fixture
def opened(chromium, tmp_path):
    """Open a page with these explorers in it. At the end: no script has failed, and nothing but the page was loaded."""
    contexts, trouble = [], []

    def open_page(*explorers, body="", **how):
        file = tmp_path / f"page{len(contexts)}.html"
        parts = "<hr>".join(explorer._repr_html_() for explorer in explorers)
        file.write_text(f'<!doctype html><meta charset="utf-8"><body style="{body}">{parts}', encoding="utf-8")
        contexts.append(chromium.new_context(viewport={"width": 1000, "height": 1400}, **how))
        page = contexts[-1].new_page()
        page.on("pageerror", lambda error: trouble.append(str(error)))
        page.on("request", lambda request: trouble.append(request.url) if request.url != file.as_uri() else None)
        page.goto(file.as_uri())
        return page, [page.locator("[id^=attention-]").nth(i) for i in range(len(explorers))]

    yield open_page
    for context in contexts:
        context.close()
    assert trouble == []


def state(explorer):
    return [box.input_value() for box in explorer.locator("select").all()]


def line(explorer):
    return explorer.locator(".line").inner_text()


def assert_shows(explorer, weights):
    """Every cell of the map has the number of `weights` [sl_q, sl_k], and the colours that belong to it."""
    style = "cells => cells.map(cell => [cell.textContent, cell.style.backgroundColor, cell.style.color])"
    cells = explorer.locator(".map td").evaluate_all(style)
    for (text, background, ink), weight in zip(cells, weights.flatten().tolist(), strict=True):
        assert abs(float(text) - weight) < 5.51e-3
        colours = [tuple(int(n) / 255 for n in re.findall(r"\d+", colour)) for colour in (background, ink)]
        hexes = [matplotlib.colors.to_hex(colour) for colour in colours]
        wanted = LOOKS[int(round(1000 * weight) // 10)]
        assert hexes == [matplotlib.colors.to_hex(c) for c in re.findall(r"#\w+", wanted)], (text, weight)


def test_layer_and_head_are_chosen_by_select_and_by_keys(opened):
    weights, others = maps(), maps([(2, 3, 3)] * 2)
    page, (one, other) = opened(attention_explorer(weights, ABC), attention_explorer(others, ABC, layer=1, head=1))
    assert state(one) == ["0", "0"] and state(other) == ["1", "1"] and line(one).startswith("Point at a cell")
    assert_shows(one, weights[0][0]), assert_shows(other, others[1][1])
    assert one.locator("label").all_inner_texts()[0].startswith("layer") and one.locator("pre").count() == 0

    (
        one.get_by_role("combobox", name="layer").select_option("1"),
        one.get_by_role("combobox", name="head").select_option("3"),
    )
    assert_shows(one, weights[1][3])
    assert one.locator(".map").get_attribute("aria-label") == "attention map: layer 1, head 3"
    one.locator(".map td").nth(5).hover()
    assert line(one) == f"b → c: {weights[1][3][1, 2]:.3f}"

    page.keyboard.press("Tab"), one.locator(".map").focus()
    assert one.locator(".map").evaluate("map => getComputedStyle(map).outlineWidth") == "2px"
    for key, layer, head in [
        ("ArrowLeft", 1, 2),
        ("ArrowRight", 1, 3),
        ("ArrowRight", 1, 3),  # there is no other head to the right
        ("ArrowUp", 0, 1),  # this layer has two heads
        ("ArrowUp", 0, 1),
        ("ArrowLeft", 0, 0),
        ("ArrowDown", 1, 0),
        ("ArrowDown", 2, 0),
        ("ArrowDown", 2, 0),
    ]:
        page.keyboard.press(key)
        assert state(one) == [str(layer), str(head)], key
        assert line(one) == f"b → c: {weights[layer][head][1, 2]:.3f}"
        assert_shows(one, weights[layer][head])
    assert one.locator("option").all_inner_texts() == ["0", "1", "2", "0"]

    for key, pair in [("Left", "b → b"), ("Up", "a → b"), ("Right", "a → c"), ("Down", "b → c"), ("Down", "c → c")]:
        page.keyboard.press(f"Shift+Arrow{key}")
        assert line(one).startswith(f"{pair}: ") and one.locator(".here").count() == 1
    assert state(one) == ["2", "0"] and state(other) == ["1", "1"] and line(other).startswith("Point")
    assert_shows(other, others[1][1])

    other.get_by_role("combobox", name="head").focus(), page.keyboard.press("ArrowUp")
    assert state(other) == ["1", "0"] and page.evaluate("document.activeElement.tagName") == "SELECT"
    assert_shows(other, others[1][0])


def test_keys_that_the_map_uses_go_no_further_and_all_others_do(opened):
    page, (one,) = opened(attention_explorer(maps(), ABC), body="height:9000px")
    page.evaluate("window.seen = []; document.addEventListener('keydown', event => window.seen.push(event.key))")
    one.locator(".map").focus()
    for key in ("ArrowDown", "Shift+ArrowDown", "Control+ArrowRight", "x"):
        page.keyboard.press(key)
    page.wait_for_timeout(200)  # a page takes a moment to scroll
    assert page.evaluate("window.seen") == ["Shift", "Control", "ArrowRight", "x"] and page.evaluate("scrollY") == 0
    assert state(one) == ["1", "0"]


def test_long_words_of_columns_stand_upright_and_cells_stay_small(opened):
    long = ["unbelievable", "어마어마하게", "words"]
    _, explorers = opened(attention_explorer(maps(), long), attention_explorer(maps(), ["<BOS>", "나는", "it"]))
    sizes = [[cell.bounding_box() for cell in one.locator(".map td").all()] for one in explorers]
    assert all(20 <= size["width"] <= 40 and 20 <= size["height"] <= 40 for size in sizes[0])
    assert max(size["width"] for size in sizes[1]) - min(size["width"] for size in sizes[1]) < 1
    upright = [head.bounding_box() for head in explorers[0].locator("[scope=col]").all()[:2]]
    assert all(head["height"] > head["width"] for head in upright)


def test_a_tap_on_a_cell_is_enough(opened):
    weights = maps()
    _, (one,) = opened(attention_explorer(weights, ABC), has_touch=True)
    one.locator(".map td").nth(6).tap()
    assert line(one) == f"c → a: {weights[0][0][2, 0]:.3f}"


def test_the_same_explorer_twice_on_a_page_is_two(opened):
    weights = maps()
    explorer = attention_explorer(weights, ABC)
    _, (one, other) = opened(explorer, explorer)
    other.get_by_role("combobox", name="layer").select_option("2")
    assert state(one) == ["0", "0"] and state(other) == ["2", "0"]
    assert_shows(one, weights[0][0]), assert_shows(other, weights[2][0])


def test_a_token_that_is_code_is_shown_and_does_nothing(opened):
    n = len(NASTY)
    page, (one,) = opened(attention_explorer(maps([(2, n, n)]), NASTY))
    for i, token in enumerate(NASTY):
        one.locator(".map td").nth(i * n + i).hover()
        assert line(one).startswith(f"{token} → {token}: ")
    assert page.evaluate("window.hacked") is None and page.locator("img").count() == 0


def test_nan_and_infinity_are_said_by_the_script_too(opened):
    weights = torch.tensor([[[float("nan"), 0.5], [float("-inf"), 0.25]]])
    _, (one,) = opened(attention_explorer([weights], ["a", "b"]))
    one.locator(".map td").nth(0).hover()
    assert line(one) == "a → a: NaN"
    assert one.locator(".map td").all_inner_texts() == ["NaN", "0.50", "-Infinity", "0.25"]
    red = one.locator(".map td").nth(0).evaluate("cell => getComputedStyle(cell).backgroundColor")
    assert red == "rgb(227, 74, 51)"


@pytest.mark.parametrize("scripts", [True, False])
@pytest.mark.parametrize("system", ["light", "dark"])
@pytest.mark.parametrize("page", ["#ffffff", "#111111"])
def test_all_words_can_be_read_on_light_and_dark_pages(opened, page, system, scripts):
    ink = {"#ffffff": "#000000", "#111111": "#dddddd"}[page]
    how = dict(body=f"background:{page};color:{ink}", color_scheme=system, java_script_enabled=scripts)
    _, (one,) = opened(attention_explorer(maps(), ABC), **how)
    colour = "parts => parts.map(part => [getComputedStyle(part).color, getComputedStyle(part).backgroundColor])"
    parts = "th, .top, label, select, .line" if scripts else "th, .top, p"
    found = one.locator(parts).evaluate_all(colour)
    assert len(found) > 7
    for words, behind in found:
        rgb = [int(n) / 255 for n in re.findall(r"\d+", words)]
        assert behind == "rgba(0, 0, 0, 0)" and contrast(rgb, page) >= 4.5
    for words, behind in one.locator("td[style], pre, option").evaluate_all(colour):
        assert contrast(*([int(n) / 255 for n in re.findall(r"\d+", part)] for part in (words, behind))) >= 4.5


def test_without_scripts_the_table_and_every_map_are_there(opened):
    weights = maps()
    page, (one,) = opened(attention_explorer(weights, ABC, layer=1, head=2), java_script_enabled=False)
    assert one.locator(".top").inner_text() == "layer 1, head 2" and one.locator("select").count() == 0
    assert one.locator(".map td").first.is_visible()
    assert_shows(one, weights[1][2])
    assert one.locator("pre").count() == 7 and all(sketch.is_visible() for sketch in one.locator("pre").all())
    assert [head.inner_text() for head in one.locator(".all th").all()][1:5] == [f"head {i}" for i in range(4)]
