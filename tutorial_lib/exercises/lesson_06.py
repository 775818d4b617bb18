"""Lesson 06: a padding mask, the future and padding hidden together, and a softmax that survives every mask."""

import torch

from tutorial_lib.attention import masked_softmax
from tutorial_lib.check import Exercise, Mistake


def _ids():
    square = torch.tensor([[4, 0, 0], [4, 5, 0], [6, 7, 8]])  # as many sentences as places: wrong axes fit here
    return [(square, 0), (torch.tensor([[1, 0, 7, 7, 7], [5, 6, 2, 0, 7]]), 7)]


hide_padding = Exercise(
    name="hide_padding", minutes=4, difficulty={"en": "easy", "ko": "쉬움"},
    inputs=_ids,
    reference=lambda src, pad_id: (src != pad_id)[:, None, None, :],
    variants=[
        lambda src, pad_id: src.ne(pad_id).unsqueeze(1).unsqueeze(2),
        lambda src, pad_id: ~(src == pad_id).view(len(src), 1, 1, -1),
        lambda src, pad_id: torch.stack([torch.tensor([[[i != pad_id for i in row]]], device=src.device) for row in src.tolist()]),
    ],
    mistakes=[
        Mistake("hides_queries", lambda src, pad_id: (src != pad_id)[:, None, :, None], {
            "en": "This hides queries: sl stands on the axis of the questions. Hide keys: put sl on the last axis.",
            "ko": "쿼리를 가리는 마스크입니다. sl이 묻는 쪽 축에 있습니다. 키를 가려야 하니 sl을 마지막 축에 두세요."}),
        Mistake("the_other_way_round", lambda src, pad_id: (src == pad_id)[:, None, None, :], {
            "en": "It is the other way round: True means may be attended, and padding may not.", "ko": "거꾸로입니다. True는 봐도 된다는 뜻인데 패딩은 보면 안 됩니다."}),
        Mistake("two_axes", lambda src, pad_id: src != pad_id, {
            "en": "[bs, sl] broadcasts from the right: bs would land on the queries. Add the axes of heads and queries.",
            "ko": "[bs, sl]은 오른쪽부터 맞춰지므로 bs가 쿼리 축에 놓입니다. 헤드 축과 쿼리 축을 넣으세요."}),
        Mistake("one_axis_short", lambda src, pad_id: (src != pad_id)[:, None, :], {
            "en": "[bs, 1, sl] has three axes, and the scores have four: bs would land on the heads. One more axis.",
            "ko": "[bs, 1, sl]은 축이 셋인데 점수는 넷입니다. 그러면 bs가 헤드 축에 놓입니다. 축이 하나 더 필요합니다."}),
        Mistake("fixed_zero", lambda src, pad_id: (src != 0)[:, None, None, :], {
            "en": "You compared with 0. It is right only while PAD happens to be 0: compare with pad_id.",
            "ko": "0과 비교했습니다. PAD의 번호가 0일 때만 맞습니다. pad_id와 비교하세요."}),
        Mistake("integers", lambda src, pad_id: (src != pad_id)[:, None, None, :].long(), {
            "en": "Right places, but 0 and 1. Our mask is boolean: leave the comparison as it is.",
            "ko": "자리는 맞지만 0과 1입니다. 우리 마스크는 불(bool)입니다. 비교한 결과를 그대로 두세요."}),
    ],
    hints=[{"en": "One comparison, and two axes more.", "ko": "비교 한 번, 그리고 축 두 개입니다."},
           {"en": "[:, None, None, :] puts two axes of length 1 in the middle.", "ko": "[:, None, None, :]은 길이가 1인 축 두 개를 가운데에 넣습니다."}],
)  # fmt: skip


def _both(src, pad_id, diagonal=0, upper=False, join=torch.logical_and):
    square = torch.ones(src.size(1), src.size(1), dtype=torch.bool, device=src.device)
    seen = square.triu(diagonal) if upper else square.tril(diagonal)
    return join(seen[None, None], (src != pad_id)[:, None, None, :])


def _by_places(src, pad_id):
    place = torch.arange(src.size(1), device=src.device)
    return (place <= place[:, None]).expand(len(src), 1, -1, -1) * (src != pad_id)[:, None, None, :]


hide_future = Exercise(
    name="hide_future", minutes=7, difficulty={"en": "medium", "ko": "보통"},
    inputs=_ids, reference=_both,
    variants=[_by_places, lambda src, pad_id: ~(~_both(src, pad_id))],
    mistakes=[
        Mistake("hides_the_past", lambda src, pad_id: _both(src, pad_id, upper=True), {
            "en": "This is the upper triangle: each token sees the future and not the past. You want tril, with the diagonal.",
            "ko": "위쪽 삼각형이라 토큰이 과거가 아니라 미래를 봅니다. 대각선을 포함한 아래쪽 삼각형이 필요하니 tril을 쓰세요."}),
        Mistake("hides_itself", lambda src, pad_id: _both(src, pad_id, diagonal=-1), {
            "en": "The diagonal is hidden too: a token must see itself, or the first one sees nothing.",
            "ko": "대각선까지 가려졌습니다. 토큰은 자기 자신을 봐야 합니다. 그러지 않으면 첫 토큰은 아무것도 보지 못합니다."}),
        Mistake("one_too_wide", lambda src, pad_id: _both(src, pad_id, diagonal=1), {
            "en": "One diagonal too wide: each token sees the next one, which is what it may have to predict.",
            "ko": "삼각형이 대각선 하나만큼 넓습니다. 토큰이 바로 다음 토큰을 봅니다. 맞혀야 할 답을 미리 보는 셈입니다."}),
        Mistake("the_other_way_round", lambda src, pad_id: ~_both(src, pad_id), {
            "en": "It is the other way round: True means may be attended.", "ko": "거꾸로입니다. True는 봐도 된다는 뜻입니다."}),
        Mistake("strictly_above", lambda src, pad_id: _both(src, pad_id, diagonal=1, upper=True), {
            "en": "This keeps what is above the diagonal: the future alone. You want tril, with the diagonal.",
            "ko": "대각선 위만 남겼습니다. 미래만 봅니다. 대각선을 포함한 아래쪽 삼각형, tril을 쓰세요."}),
        Mistake("padding_on_queries", lambda src, pad_id: _both(src, pad_id, join=lambda seen, real: seen & real.mT), {
            "en": "The padding part hides queries. Put sl on the last axis: [:, None, None, :].",
            "ko": "패딩 쪽이 쿼리를 가립니다. sl을 마지막 축에 두세요. [:, None, None, :]입니다."}),
        Mistake("only_padding_seen", lambda src, pad_id: _both(src, pad_id, join=lambda seen, real: seen & ~real), {
            "en": "You keep the padding and hide the tokens: src != pad_id, not ==.", "ko": "패딩을 남기고 토큰을 가렸습니다. ==가 아니라 src != pad_id입니다."}),
        Mistake("fixed_zero", lambda src, pad_id: _both(src, 0), {
            "en": "You compared with 0. It is right only while PAD happens to be 0: compare with pad_id.",
            "ko": "0과 비교했습니다. PAD의 번호가 0일 때만 맞습니다. pad_id와 비교하세요."}),
        Mistake("either", lambda src, pad_id: _both(src, pad_id, join=torch.logical_or), {
            "en": "With | (and with +) one permission is enough. A key must be allowed by both masks: &.",
            "ko": "|나 +를 쓰면 한쪽만 허락해도 보입니다. 두 마스크가 모두 허락해야 하니 &를 쓰세요."}),
        Mistake("padding_only", lambda src, pad_id: (src != pad_id)[:, None, None, :].expand(-1, 1, src.size(1), -1), {
            "en": "Only padding is hidden; the future can still be seen.", "ko": "패딩만 가렸습니다. 미래가 아직 보입니다."}),
        Mistake("causal_only", lambda src, pad_id: _both(src, pad_id, join=lambda a, b: a | torch.zeros_like(b)), {
            "en": "Only the future is hidden; padding can still be seen.", "ko": "미래만 가렸습니다. 패딩이 아직 보입니다."}),
    ],
    hints=[{"en": "Two masks, [1, 1, sl, sl] and [bs, 1, 1, sl]. What does broadcasting make of them?",
            "ko": "마스크 두 개, [1, 1, sl, sl]과 [bs, 1, 1, sl]입니다. 브로드캐스팅하면 어떤 모양이 될까요?"},
           {"en": "torch.ones(sl, sl, dtype=torch.bool).tril() is the triangle.", "ko": "torch.ones(sl, sl, dtype=torch.bool).tril()이 삼각형입니다."}],
)  # fmt: skip


def _filled(scores, mask, fill=float("-inf")):
    return scores.masked_fill(~mask, fill).softmax(-1)


def _on_scores():
    some = torch.tensor([[[[True, True, False]]], [[[False, False, False]]]])  # the second sentence is empty
    front = torch.tensor(
        [[[[False, False, False], [False, True, False], [False, True, True]]]]
    )  # only one row is empty
    half, high = torch.full((2, 1, 2, 3), -40.0, dtype=torch.float16), torch.tensor([[[[-2e4, -2e4, 40.0]]]])
    return [(torch.randn(2, 2, 3, 3) * 3, some), (half, some), (torch.randn(1, 2, 3, 3), front), (high, some[:1])]


def _row_by_row(scores, mask):
    weights = torch.zeros_like(scores)
    for row, seen, to in zip(*(x.expand_as(scores).flatten(0, 2) for x in (scores, mask)), weights.flatten(0, 2)):
        to[seen] = row[seen].softmax(-1)
    return weights


safe_softmax = Exercise(
    name="safe_softmax", minutes=10, difficulty={"en": "a stretch", "ko": "도전"},
    inputs=_on_scores, reference=masked_softmax,
    variants=[_row_by_row, lambda scores, mask: _filled(scores, mask).nan_to_num(0.0),
              lambda scores, mask: _filled(scores, mask, torch.finfo(scores.dtype).min) * mask],
    mistakes=[
        Mistake("nan_rows", _filled, {
            "en": "A row that may see nothing is NaN: its shares add up to 0, and 0 / 0 is NaN. Make such rows 0; NaN times 0 stays NaN.",
            "ko": "아무것도 볼 수 없는 행이 NaN이 되었습니다. 비율의 합이 0이라 0 / 0이 된 것입니다. 이런 행은 0으로 만드세요. NaN에 0을 곱해도 NaN입니다."}),
        Mistake("minus_a_billion", lambda scores, mask: _filled(scores, mask, -1e9), {
            "en": "This number does not fit into float16, which ends at 65504. Fill with -inf.",
            "ko": "이 수는 float16에 들어가지 않습니다. float16은 65504까지입니다. -inf로 채우세요."}),
        Mistake("not_low_enough", lambda scores, mask: _filled(scores, mask, -1e4) * mask, {
            "en": "A real score may be lower still than the number you filled in. Only -inf is lower than all.",
            "ko": "진짜 점수가 채워 넣은 수보다 더 낮을 수도 있습니다. 무엇보다도 낮은 것은 -inf뿐입니다."}),
        Mistake("even_shares", lambda scores, mask: _filled(scores, mask, torch.finfo(scores.dtype).min), {
            "en": "A row that may see nothing shares its attention evenly over keys that are all hidden. It should be 0.",
            "ko": "아무것도 볼 수 없는 행이 가려진 키들에 관심을 고르게 나눠 주었습니다. 0이어야 합니다."}),
        Mistake("hidden_after", lambda scores, mask: scores.softmax(-1) * mask, {
            "en": "You hid the keys after the softmax: the shares that are left no longer add up to 1. Hide the scores.",
            "ko": "softmax를 한 뒤에 키를 가려서, 남은 비율을 더해도 1이 되지 않습니다. softmax 전에 점수를 가리세요."}),
        Mistake("adds_the_mask", lambda scores, mask: (scores + mask.to(scores.dtype)).softmax(-1), {
            "en": "Adding 1 where a key may be seen hides nothing: a hidden key still gets its share.",
            "ko": "볼 수 있는 키에 1을 더해도 가려지는 것은 없습니다. 가려져야 할 키가 여전히 제 몫을 받습니다."}),
        Mistake("multiplied", lambda scores, mask: (scores * mask).softmax(-1), {
            "en": "A score of 0 is not a share of 0: softmax gives it exp(0) = 1. Fill hidden scores with -inf.",
            "ko": "점수가 0이라고 비율이 0은 아닙니다. softmax는 exp(0) = 1을 줍니다. 가려진 점수는 -inf로 채우세요."}),
        Mistake("no_mask", lambda scores, mask: scores.softmax(-1), {
            "en": "The mask was not used: hidden keys get their share.", "ko": "마스크를 쓰지 않았습니다. 가려져야 할 키도 제 몫을 받습니다."}),
        Mistake("the_other_way_round", lambda scores, mask: _filled(scores, ~mask), {
            "en": "You hid what may be seen: True in the mask means look, and masked_fill fills where it finds True.",
            "ko": "봐도 되는 것을 가렸습니다. 마스크의 True는 봐도 된다는 뜻인데, masked_fill은 True인 자리를 채웁니다."}),
    ],
    hints=[{"en": "exp(-inf) is 0. Fill the hidden scores with it, then take the softmax.", "ko": "exp(-inf)는 0입니다. 가려진 점수를 -inf로 채우고 softmax를 적용하세요."},
           {"en": "What is left to do are the rows where mask.any(-1, keepdim=True) is False.", "ko": "남은 일은 mask.any(-1, keepdim=True)가 False인 행입니다."}],
)  # fmt: skip
