"""Lesson 00: count the real tokens of each sentence. Shapes: ids [bs, sl] → [bs]."""

import torch

from tutorial_lib.check import Exercise, Mistake


def _inputs():
    padded = torch.tensor([[2, 4, 5, 6, 3], [2, 7, 8, 3, 0], [2, 9, 3, 0, 0]])
    other_pad = torch.tensor([[1, 0, 0, 7], [5, 6, 7, 8]])  # here 7 is the padding, and 0 an ordinary id
    return [(padded, 0), (other_pad, 7)]


real_tokens = Exercise(
    name="real_tokens",
    inputs=_inputs,
    reference=lambda src, pad_id: (src != pad_id).sum(dim=1),
    variants=[lambda src, pad_id: src.size(1) - (src == pad_id).sum(dim=-1)],
    mistakes=[
        Mistake("counts_padding", lambda src, pad_id: (src == pad_id).sum(dim=1), {
            "en": "You counted the padding. Count all the other tokens.",
            "ko": "패딩을 세었습니다. 나머지 토큰을 세어야 합니다."}),
        Mistake("down_the_columns", lambda src, pad_id: (src != pad_id).sum(dim=0), {
            "en": "With dim=0 the sentences disappear and one number per place is left: [sl]. You want one for each sentence.",
            "ko": "dim=0으로 더하면 문장 축이 사라지고 자리마다 하나씩 [sl]개가 남습니다. 문장마다 하나씩 남아야 합니다."}),
        Mistake("one_number", lambda src, pad_id: (src != pad_id).sum(), {
            "en": "You summed over the whole batch, and one number is left. You want one for each sentence.",
            "ko": "배치 전체를 더해 숫자 하나만 남았습니다. 문장마다 하나씩 남아야 합니다."}),
        Mistake("all_places", lambda src, pad_id: torch.full((len(src),), src.size(1)), {
            "en": "You counted every place of the row, padding too: each sentence gets the same number.",
            "ko": "패딩까지 포함해 행의 모든 자리를 세었습니다. 그래서 어느 문장이나 같은 값이 나옵니다."}),
        Mistake("fixed_zero", lambda src, pad_id: (src != 0).sum(dim=1), {
            "en": "You compared with 0. It is right only while PAD happens to be 0: compare with pad_id.",
            "ko": "0과 비교했습니다. PAD의 번호가 0일 때만 맞습니다. pad_id와 비교하세요."}),
    ],
    hints=[{"en": "src != pad_id is True at every real token.", "ko": "src != pad_id는 진짜 토큰 자리에서 True입니다."},
           {"en": "True counts as 1 in a sum. Which dim has to disappear?",
            "ko": "더할 때 True는 1로 셉니다. 어느 dim이 사라져야 할까요?"}],
    minutes=3,
    difficulty={"en": "easy", "ko": "쉬움"},
)  # fmt: skip
