"""Lesson 04: a residual connection with its norm, the loop over the layers, and a whole layer."""

import functools

import torch

from tutorial_lib.attention import MultiHeadAttention
from tutorial_lib.check import Exercise, Mistake
from tutorial_lib.feedforward import PositionwiseFeedForwardLayer


def _loop(layers, src, src_mask):
    return _loop(layers[1:], layers[0](src, src_mask), src_mask) if layers else src


def _layers():
    layers = [lambda src, mask, k=k: torch.where(mask, k * src + 1, src) for k in (2, 3, 5)]
    return [(layers, torch.arange(4.0), torch.tensor([True, True, False, True]))]


add_and_norm = Exercise(
    name="add_and_norm", minutes=4, difficulty={"en": "easy", "ko": "쉬움"},
    inputs=lambda: [(*torch.randn(2, 1, 3, 4), norm) for norm in (torch.nn.LayerNorm(4), lambda x: 2 * x + 1)],
    reference=lambda src, _src, norm: norm(src + _src), variants=[lambda src, _src, norm: norm(torch.stack([src, _src]).sum(0))],
    mistakes=[
        Mistake("norm_first", lambda src, _src, norm: src + norm(_src), {
            "en": "You normalised the box's output before adding. Here the sum is normalised.", "ko": "더하기 전에 상자의 출력만 정규화했습니다. 여기서는 합을 정규화합니다."}),
        Mistake("no_residual", lambda src, _src, norm: norm(_src), {
            "en": "src is lost: without it this is no residual connection.", "ko": "src가 사라졌습니다. 그러면 잔차 연결이 아닙니다."}),
        Mistake("no_norm", lambda src, _src, norm: src + _src, {
            "en": "The sum is right, but nothing normalises it, or the result is not kept.", "ko": "합은 맞지만 정규화를 하지 않았거나 그 결과를 담지 않았습니다."}),
        Mistake("src_normed", lambda src, _src, norm: norm(src) + _src, {
            "en": "You normalised src before the sum. Normalise the sum.", "ko": "더하기 전에 src를 정규화했습니다. 합을 정규화하세요."}),
        Mistake("norm_twice", lambda src, _src, norm: norm(norm(src + _src)), {
            "en": "The sum was normalised twice.", "ko": "합을 두 번 정규화했습니다."}),
    ],
    hints=[{"en": "Two steps, and their order matters.", "ko": "두 단계이고, 순서가 중요합니다."},
           {"en": "First the sum, then norm(...).", "ko": "먼저 더하고, 그다음에 norm(...)입니다."}],
)  # fmt: skip
run_layers = Exercise(
    name="run_layers", minutes=6, difficulty={"en": "medium", "ko": "보통"}, inputs=_layers, reference=_loop,
    variants=[lambda layers, src, mask: functools.reduce(lambda src, layer: layer(src, mask), layers, src)],
    mistakes=[
        Mistake("forgets", lambda layers, src, mask: [layer(src, mask) for layer in layers][-1], {
            "en": "This is what the last layer makes of the very first src. Each layer needs what the one before returned.",
            "ko": "마지막 계층이 맨 처음의 src를 받은 결과입니다. 계층마다 바로 앞 계층이 돌려준 것을 받아야 합니다."}),
        Mistake("drops_mask", lambda layers, src, mask: _loop(layers, src, torch.ones_like(mask)), {
            "en": "The mask did not reach the layers: hand src_mask to every one.", "ko": "마스크가 계층에 전달되지 않았습니다. src_mask를 모든 계층에 넘기세요."}),
        Mistake("returns_early", lambda layers, src, mask: layers[0](src, mask), {
            "en": "Only the first layer ran. Is the return inside the loop?", "ko": "첫 계층만 돌았습니다. return이 반복문 안에 있지는 않나요?"}),
        Mistake("result_not_kept", lambda layers, src, mask: src, {
            "en": "src comes out as it went in: what a layer returns is thrown away. src = layer(src, src_mask).",
            "ko": "src가 들어간 그대로 나왔습니다. 계층이 돌려준 것을 버렸습니다. src = layer(src, src_mask)로 받으세요."}),
        Mistake("one_left_out", lambda layers, src, mask: _loop(layers[1:], src, mask), {
            "en": "The first layer never ran.", "ko": "첫 계층이 돌지 않았습니다."}),
    ],
    hints=[{"en": "src goes in, and what comes out is src again.", "ko": "src가 들어가고, 나온 것이 다시 src입니다."},
           {"en": "src = layer(src, src_mask), inside a for.", "ko": "for 안에서 src = layer(src, src_mask)입니다."}],
)  # fmt: skip


def _layer(src, mask, attn, ff, norm1, norm2):
    src = norm1(src + attn(src, src, src, mask)[0])
    return norm2(src + ff(src))


def _by_hand(src, mask, attn, ff, norm1, norm2):
    attended, _ = attn(query=src, key=src, value=src, mask=mask)
    middle = norm1(torch.stack([attended, src]).sum(dim=0))
    return norm2(ff(middle) + middle)


def _parts():
    norms = [torch.nn.LayerNorm(8) for _ in range(2)]
    for norm in norms:
        torch.nn.init.normal_(norm.weight)
    boxes = MultiHeadAttention(hid_dim=8, n_heads=2).eval(), PositionwiseFeedForwardLayer(hid_dim=8, pf_dim=16).eval()
    mask = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0], [1, 1, 0, 0, 0]]).bool()[:, None, None, :]
    return [(torch.randn(3, 5, 8), mask, *boxes, *norms)]


layer_forward = Exercise(
    name="layer_forward", inputs=_parts, reference=_layer, variants=[_by_hand],
    mistakes=[
        Mistake("keeps_the_pair", lambda src, mask, attn, ff, norm1, norm2: norm1(src + attn(src, src, src, mask)), {
            "en": "Attention returns a pair, the output and the weights. Add the first of the two.", "ko": "어텐션은 출력과 가중치, 두 개를 돌려줍니다. 그중 첫째를 더하세요."}),
        Mistake("drops_the_mask", lambda src, mask, *parts: _layer(src, None, *parts), {
            "en": "The mask did not reach attention: real tokens looked at padding. Hand src_mask on.",
            "ko": "마스크가 어텐션에 전달되지 않아 진짜 토큰이 패딩을 보았습니다. src_mask를 넘기세요."}),
        Mistake("old_residual", lambda src, mask, attn, ff, norm1, norm2: norm2(src + ff(norm1(src + attn(src, src, src, mask)[0]))), {
            "en": "At the second box you added the src from the very beginning. Add what went into this box.",
            "ko": "둘째 상자에서 맨 처음의 src를 더했습니다. 그 상자에 들어간 것을 더해야 합니다."}),
        Mistake("one_norm", lambda src, mask, attn, ff, norm1, norm2: _layer(src, mask, attn, ff, norm1, norm1), {
            "en": "norm1 stands at both places. Each has a norm of its own, with its own scale and shift.",
            "ko": "두 자리에 모두 norm1을 썼습니다. 자리마다 자기 norm이 있고, 배율과 이동도 따로입니다."}),
        Mistake("no_second_residual", lambda src, mask, attn, ff, norm1, norm2: norm2(ff(norm1(src + attn(src, src, src, mask)[0]))), {
            "en": "The second box replaced src. Add what it returns to what went in.", "ko": "둘째 상자가 src를 갈아 치웠습니다. 들어간 것에 나온 것을 더하세요."}),
        Mistake("both_at_once", lambda src, mask, attn, ff, norm1, norm2: norm2(norm1(src + attn(src, src, src, mask)[0]) + ff(src)), {
            "en": "The feed-forward network got the src from before attention. The boxes stand one behind the other.",
            "ko": "피드포워드가 어텐션을 지나기 전의 src를 받았습니다. 두 상자는 차례로 지나야 합니다."}),
        Mistake("src_overwritten", lambda src, mask, attn, ff, n1, n2: n2((y := n1(2 * attn(src, src, src, mask)[0])) + ff(y)), {
            "en": "You called attention's output src, so the old src is lost and the output was added to itself. Call it _src.",
            "ko": "어텐션의 출력을 src라는 이름으로 받아서 원래 src가 사라지고 출력이 자신에게 더해졌습니다. _src로 받으세요."}),
        Mistake("no_first_residual", lambda src, mask, attn, ff, n1, n2: n2((y := n1(attn(src, src, src, mask)[0])) + ff(y)), {
            "en": "Attention replaced src. Add what it returns to what went in.", "ko": "어텐션이 src를 갈아 치웠습니다. 들어간 것에 나온 것을 더하세요."}),
        Mistake("half", lambda src, mask, attn, ff, n1, n2: n1(src + attn(src, src, src, mask)[0]), {
            "en": "This is the first half. The feed-forward network with its frame is still to come.", "ko": "절반까지 왔습니다. 틀을 씌운 피드포워드가 아직 남았습니다."}),
        Mistake("norm_first", lambda src, mask, attn, ff, n1, n2: (y := src + attn(x := n1(src), x, x, mask)[0]) + ff(n2(y)), {
            "en": "You normalised what enters the boxes. Here, as in post B, the sums are normalised.",
            "ko": "상자에 들어가는 것을 정규화했습니다. 여기서는 글 B처럼 합을 정규화합니다."}),
        Mistake("norms_swapped", lambda src, mask, attn, ff, n1, n2: _layer(src, mask, attn, ff, n2, n1), {
            "en": "norm1 and norm2 are swapped: norm1 belongs to attention.", "ko": "norm1과 norm2가 뒤바뀌었습니다. norm1이 어텐션 쪽입니다."}),
        Mistake("ff_of_the_box", lambda src, mask, attn, ff, n1, n2: n2(n1(src + (x := attn(src, src, src, mask)[0])) + ff(x)), {
            "en": "The feed-forward network got what attention returned. It gets the sum, normalised.",
            "ko": "피드포워드에 어텐션이 돌려준 것만 넣었습니다. 더해서 정규화한 것을 넣어야 합니다."}),
    ],
    hints=[{"en": "Twice the frame of add_and_norm, around two boxes.", "ko": "add_and_norm의 틀을 두 상자에 한 번씩 씌웁니다."},
           {"en": "attn(src, src, src, src_mask)[0] is the output of attention.", "ko": "attn(src, src, src, src_mask)[0]이 어텐션의 출력입니다."}],
    minutes=10, difficulty={"en": "a stretch", "ko": "도전"},
)  # fmt: skip
