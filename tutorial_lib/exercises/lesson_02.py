"""Lesson 02: the first token of each sentence, and shapes predicted without running anything."""

import torch

from tutorial_lib.check import Exercise, Mistake

first_token = Exercise(
    name="first_token", minutes=3, difficulty={"en": "easy", "ko": "쉬움"},
    inputs=lambda: [(torch.randn(2, 3, 4),), (torch.randn(3, 3, 3),), (torch.randn(1, 2, 4),)],
    reference=lambda out: out[:, 0],
    variants=[lambda out: out[:, 0, :], lambda out: out.select(1, 0), lambda out: out.unbind(1)[0]],
    mistakes=[
        Mistake("first_sentence", lambda out: out[0], {
            "en": "This is the first sentence with all its tokens; the others are gone. Keep the first axis whole.",
            "ko": "첫 문장의 모든 토큰입니다. 나머지 문장이 사라졌습니다. 첫째 축은 통째로 남겨야 합니다."}),
        Mistake("last_token", lambda out: out[:, -1], {
            "en": "This is the last place of each sentence, and that is often padding.", "ko": "문장마다 마지막 자리입니다. 그 자리는 패딩일 때가 많습니다."}),
        Mistake("first_number", lambda out: out[..., 0], {
            "en": "This is the first number of every vector: you indexed the last axis, hid_dim.",
            "ko": "모든 벡터의 첫 숫자입니다. 마지막 축 hid_dim에 인덱스를 썼습니다."}),
        Mistake("mean", lambda out: out.mean(dim=1), {
            "en": "This is the mean of all tokens. Take the first one only.", "ko": "모든 토큰의 평균입니다. 첫 토큰만 꺼내세요."}),
        Mistake("second_token", lambda out: out[:, 1], {
            "en": "This is the second token: counting begins at 0.", "ko": "둘째 토큰입니다. 0부터 셉니다."}),
        Mistake("axis_kept", lambda out: out[:, :1], {
            "en": "A slice keeps the axis, with length 1. An index takes it away.", "ko": "슬라이스를 쓰면 길이가 1인 축이 남습니다. 숫자 인덱스를 쓰면 축이 사라집니다."}),
    ],
    hints=[{"en": "Which of the three axes has to disappear?", "ko": "세 축 가운데 사라져야 할 축은 무엇일까요?"},
           {"en": "An index takes one place of an axis, a colon keeps the whole axis.",
            "ko": "숫자 인덱스는 축에서 한 자리를 꺼내고, 콜론은 축을 통째로 남깁니다."}],
)  # fmt: skip
predict_shapes = Exercise(
    name="predict_shapes", minutes=6, difficulty={"en": "a stretch", "ko": "도전"},
    inputs=lambda: [(3, 5, 8, 4), (2, 7, 12, 9)],
    reference=lambda bs, sl, hid_dim, n: [[bs, sl, hid_dim], [bs, n], [bs, sl, n]],
    variants=[lambda *sizes: [list(sizes[:3]), [sizes[0], sizes[3]], [*sizes[:2], sizes[3]]]],
    mistakes=[
        Mistake("class_per_token", lambda bs, sl, hid_dim, n: [[bs, sl, hid_dim], [bs, sl, n], [bs, sl, n]], {
            "en": "A classification has one row of scores per sentence: the second shape should have no sl.",
            "ko": "분류는 문장마다 점수가 한 줄입니다. 둘째 모양에는 sl이 없어야 합니다."}),
        Mistake("tag_per_sentence", lambda bs, sl, hid_dim, n: [[bs, sl, hid_dim], [bs, n], [bs, n]], {
            "en": "Tagging needs a row of scores for every token: the third shape should keep sl.",
            "ko": "태그는 토큰마다 점수가 한 줄씩 필요합니다. 셋째 모양에는 sl이 남아야 합니다."}),
        Mistake("width_kept", lambda bs, sl, hid_dim, n: [[bs, sl, hid_dim], [bs, hid_dim], [bs, sl, hid_dim]], {
            "en": "These are the vectors before the head. It turns the last axis, hid_dim, into n scores.",
            "ko": "헤드를 지나기 전의 벡터입니다. 헤드는 마지막 축 hid_dim을 점수 n개로 바꿉니다."}),
    ],
    hints=[{"en": "The first of the three is [bs, sl, hid_dim].", "ko": "셋 가운데 첫째는 [bs, sl, hid_dim]입니다."},
           {"en": "A linear layer changes the last axis only.", "ko": "선형 계층은 마지막 축만 바꿉니다."}],
)  # fmt: skip
