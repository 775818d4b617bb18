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
            "en": "You counted the padding. Count the others: != in place of ==.",
            "ko": "패딩을 세었습니다. 나머지를 세어야 합니다. == 대신 !=를 써 보세요."}),
        Mistake("down_the_columns", lambda src, pad_id: (src != pad_id).sum(dim=0), {
            "en": "You summed down the columns, over the sentences: [sl] numbers. A sentence is a row: use dim=1.",
            "ko": "문장들을 가로질러 열 방향으로 더해 [sl]개가 나왔습니다. 한 문장은 한 행이니 dim=1로 더하세요."}),
        Mistake("one_number", lambda src, pad_id: (src != pad_id).sum(), {
            "en": "You summed over the whole batch: one number. Keep one per sentence: sum along dim=1.",
            "ko": "배치 전체를 더해 숫자 하나가 되었습니다. 문장마다 하나씩 남도록 dim=1로 더하세요."}),
        Mistake("fixed_zero", lambda src, pad_id: (src != 0).sum(dim=1), {
            "en": "You compared with 0. It is right only while PAD happens to be 0: compare with pad_id.",
            "ko": "0과 비교했습니다. PAD의 번호가 0일 때만 맞습니다. pad_id와 비교하세요."}),
    ],
    hints=[{"en": "src != pad_id is True at every real token.", "ko": "src != pad_id는 진짜 토큰 자리에서 True입니다."},
           {"en": "True counts as 1: sum along dim=1.", "ko": "True는 1로 셉니다. dim=1 방향으로 더하세요."}],
    minutes=3,
    difficulty={"en": "easy", "ko": "쉬움"},
)  # fmt: skip
