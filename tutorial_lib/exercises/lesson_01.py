"""Lesson 01: cut a list of ids so that BOS and EOS survive, and pad lists of ids to a batch [bs, sl]."""

import torch

from tutorial_lib.check import Exercise, Mistake

BOS, EOS = 2, 3


def _inputs():
    ids = [7, 4, 8, 5, 6]
    return [(ids, 4), (ids, 5), (ids, 6), (ids, 7), (ids, 9), ([], 5), (ids, 2)]


cut_and_frame = Exercise(
    name="cut_and_frame", minutes=5, difficulty={"en": "easy", "ko": "쉬움"},
    inputs=_inputs,
    reference=lambda ids, max_len: [BOS, *ids[: max_len - 2], EOS],
    variants=[lambda ids, max_len: ([BOS] + ids)[: max_len - 1] + [EOS]],
    mistakes=[
        Mistake("cut_last", lambda ids, max_len: [BOS, *ids, EOS][:max_len], {
            "en": "You framed first and cut afterwards: a long sentence loses its EOS. Cut the ids first.",
            "ko": "먼저 앞뒤를 붙이고 나중에 잘랐습니다. 긴 문장은 EOS를 잃습니다. 번호부터 자르세요."}),
        Mistake("frame_not_counted", lambda ids, max_len: [BOS, *ids[:max_len], EOS], {
            "en": "max_len counts BOS and EOS too: two places fewer are left for the sentence.",
            "ko": "max_len에는 BOS와 EOS도 들어갑니다. 문장이 쓸 수 있는 자리는 두 칸 적습니다."}),
        Mistake("one_counted", lambda ids, max_len: [BOS, *ids[: max_len - 1], EOS], {
            "en": "You left room for one special token, and there are two: BOS and EOS.", "ko": "특수 토큰 자리를 하나만 남겼습니다. BOS와 EOS, 두 개가 필요합니다."}),
        Mistake("keeps_the_end", lambda ids, max_len: [BOS, *ids[max(0, len(ids) - max_len + 2) :], EOS], {
            "en": "You kept the end of the sentence. Here we keep its beginning.", "ko": "문장의 끝부분을 남겼습니다. 여기서는 앞부분을 남깁니다."}),
        Mistake("no_frame", lambda ids, max_len: ids[:max_len], {
            "en": "You cut, but BOS and EOS are missing.", "ko": "자르기는 했지만 BOS와 EOS가 없습니다."}),
        Mistake("cuts_too_late", lambda ids, max_len: [BOS, *(ids[: max_len - 2] if len(ids) > max_len else ids), EOS], {
            "en": "You cut only what is longer than max_len by itself. With BOS and EOS it is too long two ids earlier.",
            "ko": "문장만으로 max_len을 넘을 때만 잘랐습니다. BOS와 EOS가 붙으므로 두 개 더 일찍 잘라야 합니다."}),
    ],
    hints=[{"en": "How many ids fit between BOS and EOS?", "ko": "BOS와 EOS 사이에 번호가 몇 개 들어갈까요?"},
           {"en": "Cut first, with a slice. Then build the list around what is left.",
            "ko": "먼저 슬라이스로 자르고, 남은 것의 앞과 뒤에 붙이세요."}],
)  # fmt: skip


def _pad(rows, pad_id, left=False, width=None):
    width = max([1, *map(len, rows)]) if width is None else width
    fill = [[pad_id] * (width - len(row)) for row in rows]
    return torch.tensor([[*gap, *row[:width]] if left else [*row[:width], *gap] for row, gap in zip(rows, fill)])


def _filled(rows, pad_id):
    batch = torch.full((len(rows), max([1, *map(len, rows)])), pad_id)
    for row, place in zip(rows, batch):
        place[: len(row)] = torch.tensor(row, dtype=torch.long)
    return batch


pad_rows = Exercise(
    name="pad_rows", minutes=8, difficulty={"en": "a stretch", "ko": "도전"},
    inputs=lambda: [([[2, 4, 5, 3], [2, 6, 3], [3]], 0), ([[], [5], [6, 7]], 9), ([[], []], 9)],
    reference=_pad,
    variants=[_filled, lambda rows, pad_id: torch.tensor([(row + [pad_id] * 99)[: max([1, *map(len, rows)])] for row in rows])],
    mistakes=[
        Mistake("not_padded", lambda rows, pad_id: torch.tensor(rows), {
            "en": "The rows do not all have the same length, and a tensor is a box. Fill each up to the longest first.",
            "ko": "행의 길이가 모두 같지 않습니다. 텐서는 반듯한 상자여야 합니다. 먼저 모든 행을 가장 긴 행의 길이로 채우세요."}),
        Mistake("padded_in_front", lambda rows, pad_id: _pad(rows, pad_id, left=True), {
            "en": "The padding stands in front of the tokens. Here it comes behind them.", "ko": "패딩이 토큰 앞에 붙었습니다. 여기서는 뒤에 붙입니다."}),
        Mistake("fixed_zero", lambda rows, pad_id: _pad(rows, 0), {
            "en": "You filled with 0. It is right only while PAD happens to be 0: fill with pad_id.",
            "ko": "0으로 채웠습니다. PAD의 번호가 0일 때만 맞습니다. pad_id로 채우세요."}),
        Mistake("cut_to_the_shortest", lambda rows, pad_id: _pad(rows, pad_id, width=max(1, min(map(len, rows)))), {
            "en": "The long rows were cut to the shortest, and tokens are lost. Fill the short rows up to the longest.",
            "ko": "가장 짧은 행에 맞춰 잘라서 토큰이 사라졌습니다. 짧은 행을 가장 긴 행에 맞춰 채우세요."}),
        Mistake("width_zero", lambda rows, pad_id: _pad(rows, pad_id, width=max(map(len, rows))), {
            "en": "When all rows are empty your batch has no column, and torch makes it float32. Leave at least one place.",
            "ko": "행이 모두 비어 있으면 열이 하나도 없는 배치가 되고, torch는 이것을 float32로 만듭니다. 적어도 한 자리는 두세요."}),
        Mistake("longest_by_first_id", lambda rows, pad_id: _pad(rows, pad_id, width=max(1, len(max(rows)))), {
            "en": "max of lists compares their first ids. The longest row has max(map(len, rows)) ids.",
            "ko": "리스트끼리 max를 쓰면 첫 번호를 비교합니다. 가장 긴 행의 길이는 max(map(len, rows))입니다."}),
        Mistake("skips_the_empty", lambda rows, pad_id: _pad([row for row in rows if row], pad_id), {
            "en": "You left the empty rows out: the batch has fewer rows than texts, and labels no longer fit.",
            "ko": "빈 행을 빼 버렸습니다. 배치의 행이 텍스트보다 적어져서 정답과 짝이 어긋납니다."}),
        Mistake("floats", lambda rows, pad_id: _pad(rows, pad_id).float(), {
            "en": "The numbers are right, but float32. Ids are int64: an embedding looks rows up and refuses floats.",
            "ko": "값은 맞지만 float32입니다. 번호는 int64여야 합니다. 임베딩은 실수를 받지 않습니다."}),
    ],
    hints=[{"en": "How wide is the batch? As wide as its longest row, and at least 1.",
            "ko": "배치의 너비는 얼마일까요? 가장 긴 행만큼이고, 적어도 1입니다."},
           {"en": "row + [pad_id] * n makes a row longer by n.", "ko": "row + [pad_id] * n은 행을 n자리만큼 늘립니다."}],
)  # fmt: skip
