"""Lesson 07: the feed-forward network and LayerNorm by hand, and a layer that normalises first."""

import torch
import torch.nn.functional as F

from tutorial_lib.check import Exercise, Mistake


def _feed(x, w1, b1, w2, b2):
    return (x @ w1 + b1).relu() @ w2 + b2


def _matrices():
    return [(torch.randn(3, 5, 8), torch.randn(8, 16), torch.randn(16), torch.randn(16, 8), torch.randn(8))]


feed_forward = Exercise(
    name="feed_forward", minutes=5, difficulty={"en": "easy", "ko": "쉬움"},
    inputs=_matrices, reference=_feed,
    variants=[
        lambda x, w1, b1, w2, b2: F.linear(F.relu(F.linear(x, w1.T, b1)), w2.T, b2),
        lambda x, w1, b1, w2, b2: torch.stack([torch.stack([_feed(token, w1, b1, w2, b2) for token in row]) for row in x]),
        lambda x, w1, b1, w2, b2: torch.einsum("bsp,ph->bsh", (torch.einsum("bsh,hp->bsp", x, w1) + b1).clamp(min=0), w2) + b2,
    ],
    mistakes=[
        Mistake("no_bend", lambda x, w1, b1, w2, b2: (x @ w1 + b1) @ w2 + b2, {
            "en": "Nothing bends between the two matrices: together they are one linear layer. ReLU is missing, or its result is not kept.",
            "ko": "두 행렬 사이에 꺾는 것이 없습니다. 그러면 합쳐서 선형 계층 하나와 같습니다. ReLU가 빠졌거나 그 결과를 담지 않았습니다."}),
        Mistake("bend_at_the_end", lambda x, w1, b1, w2, b2: ((x @ w1 + b1) @ w2 + b2).relu(), {
            "en": "ReLU came at the end, where it takes all negative numbers away. It stands between the matrices.",
            "ko": "ReLU가 맨 끝에 있어서 음수가 모두 사라집니다. 두 행렬 사이에 있어야 합니다."}),
        Mistake("bend_first", lambda x, w1, b1, w2, b2: (x.relu() @ w1 + b1) @ w2 + b2, {
            "en": "ReLU came before the first matrix. It stands behind it, where the token is wide.",
            "ko": "ReLU가 첫 행렬 앞에 있습니다. 첫 행렬을 지나 넓어진 뒤에 써야 합니다."}),
        Mistake("bias_after_the_bend", lambda x, w1, b1, w2, b2: ((x @ w1).relu() + b1) @ w2 + b2, {
            "en": "b1 came after ReLU. It moves the place of the bend, so it is added before.",
            "ko": "b1을 ReLU 뒤에 더했습니다. 꺾이는 자리를 옮기는 값이니 앞에서 더해야 합니다."}),
        Mistake("no_b1", lambda x, w1, b1, w2, b2: (x @ w1).relu() @ w2 + b2, {"en": "b1 is missing.", "ko": "b1이 빠졌습니다."}),
        Mistake("no_b2", lambda x, w1, b1, w2, b2: (x @ w1 + b1).relu() @ w2, {"en": "b2 is missing.", "ko": "b2가 빠졌습니다."}),
        Mistake("gelu", lambda x, w1, b1, w2, b2: F.gelu(x @ w1 + b1) @ w2 + b2, {
            "en": "This is GELU, and ReLU is asked for.",
            "ko": "GELU를 썼습니다. 여기서는 ReLU입니다."}),
        Mistake("residual_too", lambda x, w1, b1, w2, b2: x + _feed(x, w1, b1, w2, b2), {
            "en": "You added x. That is the frame's task; the box returns only what it has to say.",
            "ko": "x까지 더했습니다. 그것은 바깥 틀이 할 일이고, 상자는 자기 결과만 돌려줍니다."}),
        Mistake("turned_matrices", lambda x, w1, b1, w2, b2: _feed(x, w1.T, b1, w2.T, b2), {
            "en": "x meets a matrix that does not fit. w1 comes first, and as it is: x @ w1 (F.linear would transpose it).",
            "ko": "x와 맞지 않는 행렬을 곱했습니다. w1을 먼저, 있는 그대로 곱하세요. x @ w1입니다(F.linear는 전치해서 곱합니다)."}),
    ],
    hints=[{"en": "Wide, bend, back: three steps.", "ko": "넓히고, 꺾고, 되돌립니다. 세 단계입니다."},
           {"en": "x @ w1 + b1 works on the last axis alone, whatever stands before it.", "ko": "x @ w1 + b1은 앞에 무엇이 있든 마지막 축에만 작용합니다."}],
)  # fmt: skip


def _norm(x, gain, shift, eps, dim=-1, unbiased=False, root=True):
    variance = x.var(dim=dim, keepdim=True, unbiased=unbiased)
    spread = (variance + eps).sqrt() if root else variance.sqrt() + eps
    return (x - x.mean(dim=dim, keepdim=True)) / spread * gain + shift


def _tokens():
    x = torch.randn(3, 4, 4) * 2 + 1  # as many places as numbers: a wrong axis fits here
    x[1, 2] = 3.0  # a token without spread
    return [(x, torch.randn(4), torch.randn(4), eps) for eps in (1e-5, 0.25)]


layer_norm = Exercise(
    name="layer_norm", minutes=8, difficulty={"en": "medium", "ko": "보통"},
    inputs=_tokens, reference=_norm,
    variants=[
        lambda x, gain, shift, eps: F.layer_norm(x, x.shape[-1:], gain, shift, eps),
        lambda x, gain, shift, eps: (x - (m := x.mean(-1, True))) * ((x - m).square().mean(-1, True) + eps).rsqrt() * gain + shift,
        lambda x, gain, shift, eps: torch.stack([torch.stack([_norm(token, gain, shift, eps) for token in row]) for row in x]),
    ],
    mistakes=[
        Mistake("n_minus_one", lambda *a: _norm(*a, unbiased=True), {
            "en": "You divided by hid_dim - 1, which is torch's default. LayerNorm divides by hid_dim: unbiased=False.",
            "ko": "hid_dim - 1로 나누었습니다(torch의 기본값입니다). LayerNorm은 hid_dim으로 나누니 unbiased=False를 넘기세요."}),
        Mistake("eps_outside", lambda *a: _norm(*a, root=False), {
            "en": "eps stands outside the root. It is added to the variance, before the root is taken.",
            "ko": "eps가 제곱근 밖에 있습니다. 제곱근을 구하기 전에 분산에 더해야 합니다."}),
        Mistake("std_and_eps", lambda *a: _norm(*a, unbiased=True, root=False), {
            "en": "Two things at once: std divides by hid_dim - 1, and eps belongs inside the root.",
            "ko": "두 가지가 겹쳤습니다. std는 hid_dim - 1로 나누고, eps는 제곱근 안에 있어야 합니다."}),
        Mistake("no_eps", lambda x, gain, shift, eps: _norm(x, gain, shift, 0.0), {
            "en": "eps is missing: a token without spread becomes 0 / 0.",
            "ko": "eps가 없습니다. 값이 모두 같은 토큰은 0 / 0이 됩니다."}),
        Mistake("along_the_sentence", lambda *a: _norm(*a, dim=1), {
            "en": "You normalised along the sentence, so that tokens mix. Each token is normalised alone: the last axis.",
            "ko": "문장 방향으로 정규화해서 토큰이 섞였습니다. 토큰마다 따로, 마지막 축을 따라 정규화하세요."}),
        Mistake("along_the_batch", lambda *a: _norm(*a, dim=0), {
            "en": "You normalised along the batch: a sentence would depend on its neighbours. Take the last axis.",
            "ko": "배치 방향으로 정규화했습니다. 문장의 값이 옆 문장에 따라 달라집니다. 마지막 축을 쓰세요."}),
        Mistake("over_everything", lambda *a: _norm(*a, dim=(0, 1, 2)), {
            "en": "One mean and one variance for all numbers. Every token has its own: keep the first two axes.",
            "ko": "배치 전체의 평균과 분산을 하나씩만 구했습니다. 토큰마다 따로 구해야 하니 마지막 축만 따라 계산하세요."}),
        Mistake("variance_not_root", lambda x, gain, shift, eps: (x - x.mean(-1, True)) / (x.var(-1, unbiased=False, keepdim=True) + eps) * gain + shift, {
            "en": "You divided by the variance. Divide by its square root, the standard deviation.", "ko": "분산으로 나누었습니다. 그 제곱근인 표준 편차로 나누세요."}),
        Mistake("no_gain", lambda x, gain, shift, eps: _norm(x, 1.0, 0.0, eps), {
            "en": "Mean 0 and variance 1, so far right. The learned gain and shift are missing.",
            "ko": "평균 0, 분산 1까지는 맞습니다. 학습되는 배율 gain을 곱하고 이동 shift를 더하세요."}),
        Mistake("no_shift", lambda x, gain, shift, eps: _norm(x, gain, 0.0, eps), {"en": "shift is missing.", "ko": "이동 shift가 빠졌습니다."}),
        Mistake("gain_and_shift_swapped", lambda x, gain, shift, eps: _norm(x, shift, gain, eps), {
            "en": "gain multiplies and shift is added; you swapped them.", "ko": "gain은 곱하고 shift는 더합니다. 둘이 뒤바뀌었습니다."}),
        Mistake("mean_not_taken", lambda x, gain, shift, eps: x / (x.square().mean(-1, keepdim=True) + eps).sqrt() * gain + shift, {
            "en": "The mean was not subtracted.",
            "ko": "평균을 빼지 않았습니다."}),
    ],
    hints=[{"en": "mean and var along dim=-1, with keepdim=True.", "ko": "mean과 var를 dim=-1, keepdim=True로 구하세요."},
           {"en": "var divides by n - 1 unless you say unbiased=False.", "ko": "var는 unbiased=False라고 하지 않으면 n - 1로 나눕니다."}],
)  # fmt: skip


def _pre_norm(src, attn, ff, norm1, norm2):
    src = src + attn(norm1(src))
    return src + ff(norm2(src))


def _boxes():
    norms = [torch.nn.LayerNorm(4) for _ in range(2)]
    for norm in norms:
        torch.nn.init.normal_(norm.weight)
    return [(torch.randn(2, 3, 4) * 3, lambda x: x.flip(1).sin(), lambda x: x**2 - 1, *norms)]


norm_first = Exercise(
    name="norm_first", minutes=6, difficulty={"en": "a stretch", "ko": "도전"},
    inputs=_boxes, reference=_pre_norm,
    variants=[lambda src, attn, ff, n1, n2: torch.stack([ff(n2(y := torch.add(attn(n1(src)), src))), y]).sum(0)],
    mistakes=[
        Mistake("norm_last", lambda src, attn, ff, n1, n2: n2((y := n1(src + attn(src))) + ff(y)), {
            "en": "This is post-norm: the sum is normalised. Here only what enters a box is.",
            "ko": "post-norm입니다. 합을 정규화했습니다. 여기서는 상자에 들어가는 것만 정규화합니다."}),
        Mistake("normed_residual", lambda src, attn, ff, n1, n2: (y := n2((x := n1(src)) + attn(x))) + ff(y), {
            "en": "You added to the normalised token. The residual connection carries src itself, untouched.",
            "ko": "정규화한 토큰에 더했습니다. 잔차 연결로는 손대지 않은 src가 지나가야 합니다."}),
        Mistake("norm_behind_the_box", lambda src, attn, ff, n1, n2: (y := src + n1(attn(src))) + n2(ff(y)), {
            "en": "You normalised what comes out of the boxes. Normalise what goes in.", "ko": "상자에서 나온 것을 정규화했습니다. 들어가는 것을 정규화하세요."}),
        Mistake("one_norm", lambda src, attn, ff, n1, n2: _pre_norm(src, attn, ff, n1, n1), {
            "en": "norm1 stands at both places. Each box has a norm of its own.", "ko": "두 자리에 모두 norm1을 썼습니다. 상자마다 자기 norm이 있습니다."}),
        Mistake("second_not_normed", lambda src, attn, ff, n1, n2: (y := src + attn(n1(src))) + ff(y), {
            "en": "The feed-forward network got src as it is. norm2 comes before it.", "ko": "피드포워드에 src를 그대로 넣었습니다. 그 앞에 norm2가 와야 합니다."}),
        Mistake("first_not_normed", lambda src, attn, ff, n1, n2: (y := src + attn(src)) + ff(n2(y)), {
            "en": "Attention got src as it is. norm1 comes before it.", "ko": "어텐션에 src를 그대로 넣었습니다. 그 앞에 norm1이 와야 합니다."}),
        Mistake("half", lambda src, attn, ff, n1, n2: src + attn(n1(src)), {
            "en": "This is the first line. The feed-forward network is still to come.",
            "ko": "첫째 줄까지 왔습니다. 피드포워드가 아직 남았습니다."}),
        Mistake("norms_swapped", lambda src, attn, ff, n1, n2: _pre_norm(src, attn, ff, n2, n1), {
            "en": "norm1 and norm2 are swapped.",
            "ko": "norm1과 norm2가 뒤바뀌었습니다."}),
        Mistake("ff_of_the_first_src", lambda src, attn, ff, n1, n2: src + attn(n1(src)) + ff(n2(src)), {
            "en": "The feed-forward network got the src from before attention. It gets what the first line has made.",
            "ko": "피드포워드가 어텐션을 지나기 전의 src를 받았습니다. 첫째 줄이 만든 것을 넣어야 합니다."}),
        Mistake("one_more_norm", lambda src, attn, ff, n1, n2: n2(_pre_norm(src, attn, ff, n1, n2)), {
            "en": "A last norm stands once, behind the whole stack, not in each layer.", "ko": "마지막 norm은 계층마다가 아니라 전체의 끝에 한 번만 둡니다."}),
        Mistake("old_residual", lambda src, attn, ff, n1, n2: src + ff(n2(src + attn(n1(src)))), {
            "en": "At the second box you added the src from the beginning, so what attention said is lost. Add what the first line has made.",
            "ko": "둘째 상자에서 맨 처음의 src를 더했습니다. 그러면 어텐션의 결과가 잔차 연결에서 빠집니다. 첫째 줄이 만든 src에 더하세요."}),
        Mistake("no_residual", lambda src, attn, ff, n1, n2: ff(n2(attn(n1(src)))), {
            "en": "Nothing was added: src is lost at the first box.",
            "ko": "더하기가 없습니다. 첫 상자에서 src가 사라집니다."}),
    ],
    hints=[{"en": "src = src + box(norm(src)), twice.", "ko": "src = src + box(norm(src))를 두 번 합니다."},
           {"en": "The second line starts from the src that the first has made.", "ko": "둘째 줄은 첫째 줄이 만든 src에서 시작합니다."}],
)  # fmt: skip
