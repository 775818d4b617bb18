"""Lesson 03: one row of the sinusoid, and positions added to a batch."""

import math

import torch

from tutorial_lib.check import Exercise, Mistake


def _row(pos, hid_dim, exponent=lambda i: i - i % 2, even=math.sin, odd=math.cos):
    return [(odd if i % 2 else even)(pos / 10000 ** (exponent(i) / hid_dim)) for i in range(hid_dim)]


position_row = Exercise(
    name="position_row", minutes=8, difficulty={"en": "a stretch", "ko": "도전"},
    inputs=lambda: [(1, 4), (3, 8), (7, 5)], reference=_row,
    variants=[lambda pos, d: [math.sin(pos * 10000 ** (-(i - i % 2) / d) + (i % 2) * math.pi / 2) for i in range(d)]],
    mistakes=[
        Mistake("own_exponent", lambda pos, d: _row(pos, d, exponent=lambda i: i), {
            "en": "Each cosine has an exponent of its own. A sine and the cosine after it share one: i - i % 2.",
            "ko": "코사인이 앞의 사인과 다른 지수를 썼습니다. 사인과 바로 다음 코사인은 지수가 같아야 하니 i 대신 i - i % 2를 쓰세요."}),
        Mistake("halves", lambda pos, d: _row(pos, d)[0::2] + _row(pos, d)[1::2], {
            "en": "All sines come first and all cosines after them. Here they take turns.", "ko": "사인이 모두 앞에, 코사인이 모두 뒤에 있습니다. 여기서는 번갈아 나와야 합니다."}),
        Mistake("swapped", lambda pos, d: _row(pos, d, even=math.cos, odd=math.sin), {
            "en": "Sine and cosine are swapped: even columns hold sines.", "ko": "사인과 코사인이 뒤바뀌었습니다. 짝수 열이 사인입니다."}),
        Mistake("doubled", lambda pos, d: _row(pos, d, exponent=lambda i: 2 * i), {
            "en": "The formula says 2i for the i-th pair; column i already counts both. Take i - i % 2.",
            "ko": "공식의 2i는 i번째 쌍을 뜻합니다. 열 번호 i는 이미 둘을 다 셉니다. i - i % 2를 쓰세요."}),
        Mistake("pairs_counted", lambda pos, d: _row(pos, d, exponent=lambda i: i // 2), {
            "en": "Your exponent counts 0, 1, 2, … for the pairs. It should count 0, 2, 4, ….",
            "ko": "지수가 쌍마다 0, 1, 2, …로 늘어납니다. 0, 2, 4, …로 늘어나야 합니다."}),
        Mistake("sines_only", lambda pos, d: _row(pos, d, odd=math.sin), {
            "en": "All columns are sines. Odd columns are cosines.", "ko": "모든 열이 사인입니다. 홀수 열은 코사인이어야 합니다."}),
        Mistake("from_one", lambda pos, d: _row(pos + 1, d), {
            "en": "You counted positions from 1. They start at 0: take pos as it is.", "ko": "위치를 1부터 셌습니다. 0부터 시작하니 pos를 그대로 쓰세요."}),
    ],
    hints=[{"en": "First write down the angle of column i.", "ko": "먼저 i번 열의 각도를 적어 보세요."},
           {"en": "Odd columns take the cosine of the angle of the column before.", "ko": "홀수 열은 바로 앞 열 각도의 코사인입니다."}],
)  # fmt: skip
add_positions = Exercise(
    name="add_positions", minutes=5, difficulty={"en": "easy", "ko": "쉬움"},
    inputs=lambda: [(torch.randn(bs, sl, 2), torch.arange(12.0).reshape(6, 2) ** 2) for bs, sl in ((3, 3), (2, 5), (1, 4))],
    reference=lambda x, table: x + table[: x.size(1)], variants=[lambda x, table: torch.stack([sentence + table[: len(sentence)] for sentence in x])],
    mistakes=[
        Mistake("batch_axis", lambda x, table: x + table[: x.size(0), None], {
            "en": "Every token of a sentence got the same row: you counted sentences. Positions run along axis 1.",
            "ko": "한 문장의 모든 토큰이 표의 같은 행을 받았습니다. 자리가 아니라 문장을 센 것입니다. 위치는 1번 축을 따라갑니다."}),
        Mistake("sentences_counted", lambda x, table: x + table[: len(x)], {
            "en": "len(x) is the number of sentences. You need as many rows as there are places: x.size(1).",
            "ko": "len(x)는 문장 수입니다. 자리 수만큼 행이 필요하니 x.size(1)을 쓰세요."}),
        Mistake("rows_from_one", lambda x, table: x + table[1 : x.size(1) + 1], {
            "en": "You took the rows from 1 on; position 0 is row 0.", "ko": "1번 행부터 썼습니다. 0번 위치는 0번 행입니다."}),
        Mistake("last_rows", lambda x, table: x + table[-x.size(1) :], {
            "en": "You took the last rows of the table; position 0 is the first.", "ko": "표의 마지막 행들입니다. 0번 위치는 첫 행입니다."}),
        Mistake("positions_only", lambda x, table: table[: x.size(1)].expand_as(x), {
            "en": "These are the positions alone. Add them to x.", "ko": "위치만 남고 토큰이 사라졌습니다. x에 더해야 합니다."})],
    hints=[{"en": "Which rows of the table does a sentence of sl places need?", "ko": "자리가 sl개인 문장에는 표의 어느 행들이 필요할까요?"},
           {"en": "[sl, hid_dim] broadcasts over [bs, sl, hid_dim].", "ko": "[sl, hid_dim]은 [bs, sl, hid_dim]에 브로드캐스팅됩니다."}],
)  # fmt: skip
