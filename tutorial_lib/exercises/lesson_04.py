"""Lesson 04: a residual connection with its norm, and the loop over the layers."""

import functools

import torch

from tutorial_lib.check import Exercise, Mistake


def _loop(layers, src, src_mask):
    return _loop(layers[1:], layers[0](src, src_mask), src_mask) if layers else src


def _layers():
    layers = [lambda src, mask, k=k: torch.where(mask, k * src + 1, src) for k in (2, 3, 5)]
    return [(layers, torch.arange(4.0), torch.tensor([True, True, False, True]))]


add_and_norm = Exercise(
    name="add_and_norm", minutes=4, difficulty={"en": "easy", "ko": "쉬움"},
    inputs=lambda: [(torch.arange(12.0).reshape(1, 3, 4) ** 2, torch.arange(12.0).reshape(1, 3, 4).sin() * 9, torch.nn.LayerNorm(4))],
    reference=lambda src, _src, norm: norm(src + _src), variants=[lambda src, _src, norm: norm(torch.stack([src, _src]).sum(0))],
    mistakes=[
        Mistake("norm_first", lambda src, _src, norm: src + norm(_src), {
            "en": "You normalised the box's output before adding. Here the sum is normalised.", "ko": "더하기 전에 상자의 출력만 정규화했습니다. 여기서는 합을 정규화합니다."}),
        Mistake("no_residual", lambda src, _src, norm: norm(_src), {
            "en": "src is lost: without it this is no residual connection.", "ko": "src가 사라졌습니다. 그러면 잔차 연결이 아닙니다."}),
        Mistake("no_norm", lambda src, _src, norm: src + _src, {
            "en": "The sum is right, but nothing normalises it.", "ko": "합은 맞지만 정규화를 하지 않았습니다."})],
    hints=[{"en": "Two steps, and their order matters.", "ko": "두 단계이고, 순서가 중요합니다."},
           {"en": "First the sum, then norm(...).", "ko": "먼저 더하고, 그다음에 norm(...)입니다."}],
)  # fmt: skip
run_layers = Exercise(
    name="run_layers", minutes=6, difficulty={"en": "medium", "ko": "보통"}, inputs=_layers, reference=_loop,
    variants=[lambda layers, src, mask: functools.reduce(lambda src, layer: layer(src, mask), layers, src)],
    mistakes=[
        Mistake("forgets", lambda layers, src, mask: [layer(src, mask) for layer in layers][-1], {
            "en": "Every layer got the first src again. Each needs what the one before returned.", "ko": "계층마다 처음의 src를 다시 받았습니다. 바로 앞 계층이 돌려준 것을 받아야 합니다."}),
        Mistake("drops_mask", lambda layers, src, mask: _loop(layers, src, torch.ones_like(mask)), {
            "en": "The mask did not reach the layers: hand src_mask to every one.", "ko": "마스크가 계층에 전달되지 않았습니다. src_mask를 모든 계층에 넘기세요."}),
        Mistake("returns_early", lambda layers, src, mask: layers[0](src, mask), {
            "en": "Only the first layer ran: the return stands inside the loop.", "ko": "첫 계층만 돌았습니다. return이 반복문 안에 있습니다."})],
    hints=[{"en": "src goes in, and what comes out is src again.", "ko": "src가 들어가고, 나온 것이 다시 src입니다."},
           {"en": "src = layer(src, src_mask), inside a for.", "ko": "for 안에서 src = layer(src, src_mask)입니다."}],
)  # fmt: skip
