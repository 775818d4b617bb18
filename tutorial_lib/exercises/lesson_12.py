"""Lesson 12: one vector for a sentence, from its real tokens only, and a measure of how much a head looks back."""

import torch

from tutorial_lib.check import Exercise, Mistake


def _batch():
    mask = torch.tensor([[1, 1, 1, 1], [1, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0]]).bool()[:, None, None, :]
    zeros = torch.tensor(
        [[[9.0, 9.0], [0.0, 2.0], [4.0, 0.0]]]
    )  # one sentence, padded in front, with zeros at real tokens
    return [(torch.randn(4, 4, 3), mask), (torch.randn(2, 5, 2), torch.ones(2, 1, 1, 5).bool()),
            (zeros, torch.tensor([0, 1, 1]).bool()[None, None, None])]  # fmt: skip


def _mean(hidden, mask):
    real = mask[:, 0, 0, :, None].to(hidden.dtype)
    return (hidden * real).sum(dim=1) / real.sum(dim=1).clamp(min=1)


def _one_by_one(hidden, mask):
    rows = [one[real] if real.any() else torch.zeros_like(one[:1]) for one, real in zip(hidden, mask[:, 0, 0])]
    return torch.stack([row.mean(dim=0) for row in rows])


mean_of_real = Exercise(
    name="mean_of_real", minutes=7, difficulty={"en": "medium", "ko": "보통"}, inputs=_batch, reference=_mean,
    variants=[_one_by_one, lambda h, m: torch.einsum("bsh,bs->bh", h, m.flatten(1).float()) / m.flatten(1).sum(1, keepdim=True).clamp(min=1)],
    mistakes=[
        Mistake("padding_too", lambda h, m: h.mean(dim=1), {
            "en": "This is the mean of all places, padding too: a sentence would depend on how long its neighbours are.",
            "ko": "패딩까지 넣은 평균입니다. 문장의 벡터가 옆 문장의 길이에 따라 달라집니다."}),
        Mistake("divided_by_all", lambda h, m: (h * m[:, 0, 0, :, None]).mean(dim=1), {
            "en": "The padding is 0 now, but you still divide by sl. Divide by the number of real tokens.",
            "ko": "패딩은 0이 되었지만 여전히 sl로 나눕니다. 진짜 토큰의 수로 나누세요."}),
        Mistake("not_divided", lambda h, m: (h * m[:, 0, 0, :, None]).sum(dim=1), {
            "en": "This is the sum. Divide by the number of real tokens.", "ko": "이것은 합입니다. 진짜 토큰의 수로 나누세요."}),
        Mistake("empty_is_nan", lambda h, m: (h * (r := m[:, 0, 0, :, None])).sum(dim=1) / r.sum(dim=1), {
            "en": "A sentence without a real token gives NaN, from 0 / 0. Its vector should be 0: divide by at least 1.",
            "ko": "진짜 토큰이 없는 문장에서 0 / 0, 곧 NaN이 나옵니다. 그 벡터는 0이어야 하니 적어도 1로 나누세요."}),
        Mistake("first_token", lambda h, m: h[:, 0], {
            "en": "This is the first token. Here the mean of all real tokens is wanted.", "ko": "이것은 첫 토큰의 벡터입니다. 여기서는 진짜 토큰들의 평균을 구합니다."}),
        Mistake("over_the_batch", lambda h, m: (h * m[:, 0, 0, :, None]).sum(dim=(0, 1)) / m.sum(), {
            "en": "One mean for the whole batch. Every sentence has its own.", "ko": "배치 전체의 평균 하나입니다. 문장마다 따로 구하세요."}),
    ],
    hints=[{"en": "mask[:, 0, 0, :, None] has the axes [bs, sl, 1].", "ko": "mask[:, 0, 0, :, None]의 축은 [bs, sl, 1]입니다."},
           {"en": "Sum of hidden * real over sl, divided by the sum of real, but never by less than 1: clamp(min=1).",
            "ko": "hidden * real을 sl 방향으로 더하고 real의 합으로 나누되, 1보다 작은 수로는 나누지 않습니다: clamp(min=1)"}],
)  # fmt: skip


def _diagonal(weights, offset=-1):
    return weights.diagonal(offset, -2, -1).mean(dim=-1)


looks_back = Exercise(
    name="looks_back", minutes=6, difficulty={"en": "a stretch", "ko": "도전"},
    inputs=lambda: [(torch.rand(2, 5, 5).softmax(-1),), (torch.rand(3, 3, 3).softmax(-1),), (torch.rand(1, 4, 4).softmax(-1),)],
    reference=_diagonal,
    variants=[lambda w: torch.stack([torch.stack([head[i, i - 1] for i in range(1, len(head))]).mean() for head in w]),
              lambda w: (w[:, 1:, :-1] * torch.eye(w.size(1) - 1, device=w.device)).sum((1, 2)) / (w.size(1) - 1)],
    mistakes=[
        Mistake("looks_forward", lambda w: _diagonal(w, 1), {
            "en": "This is the token behind: rows are queries, so the one before stands below the diagonal.",
            "ko": "바로 뒤의 토큰입니다. 행이 쿼리이므로 바로 앞은 대각선 아래에 있습니다."}),
        Mistake("looks_at_itself", lambda w: _diagonal(w, 0), {
            "en": "This is what a token gives to itself: the diagonal. You want the line below it.", "ko": "토큰이 자신에게 주는 몫, 곧 대각선입니다. 그 바로 아래 줄이 필요합니다."}),
        Mistake("first_row_counted", lambda w: _diagonal(w) * (w.size(1) - 1) / w.size(1), {
            "en": "You divided by sl. The first token has none before it: there are sl - 1 numbers.",
            "ko": "sl로 나누었습니다. 첫 토큰 앞에는 아무도 없으니 숫자는 sl - 1개입니다."}),
        Mistake("not_divided", lambda w: w.diagonal(-1, -2, -1).sum(dim=-1), {
            "en": "This is the sum. Take the mean.", "ko": "이것은 합입니다. 평균을 구하세요."}),
        Mistake("heads_mixed", lambda w: _diagonal(w).mean(), {
            "en": "One number for all heads. Every head has its own.", "ko": "모든 헤드에 숫자 하나입니다. 헤드마다 따로 구하세요."}),
        Mistake("all_before", lambda w: w.tril(-1).sum(dim=-1)[:, 1:].mean(dim=-1), {
            "en": "You counted everything before the token. Only the one right before it counts.", "ko": "앞에 있는 것을 모두 셌습니다. 바로 앞 하나만 세야 합니다."}),
    ],
    hints=[{"en": "In a map the one before stands right below the diagonal.", "ko": "히트맵에서 바로 앞의 토큰은 대각선 바로 아래에 있습니다."},
           {"en": "weights.diagonal(-1, -2, -1) takes that line out of the last two axes.", "ko": "weights.diagonal(-1, -2, -1)은 마지막 두 축에서 그 줄을 꺼냅니다."}],
)  # fmt: skip
