"""Lesson 01: cut a list of ids so that BOS and EOS survive. list → list of at most max_len ids, max_len ≥ 2."""

from tutorial_lib.check import Exercise, Mistake

BOS, EOS = 2, 3


def _inputs():
    return [([4, 5, 6, 7, 8], 4), ([4, 5, 6, 7, 8], 7), ([4, 5, 6, 7, 8], 9), ([], 5), ([4, 5, 6], 2)]


cut_and_frame = Exercise(
    name="cut_and_frame",
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
            "en": "You left room for one special token, and there are two: BOS and EOS.",
            "ko": "특수 토큰 자리를 하나만 남겼습니다. BOS와 EOS, 두 개가 필요합니다."}),
        Mistake("keeps_the_end", lambda ids, max_len: [BOS, *ids[max(0, len(ids) - max_len + 2) :], EOS], {
            "en": "You kept the end of the sentence. Here we keep its beginning.",
            "ko": "문장의 끝부분을 남겼습니다. 여기서는 앞부분을 남깁니다."}),
        Mistake("no_frame", lambda ids, max_len: ids[:max_len], {
            "en": "You cut, but BOS and EOS are missing.",
            "ko": "자르기는 했지만 BOS와 EOS가 없습니다."}),
    ],
    hints=[{"en": "How many ids fit between BOS and EOS?", "ko": "BOS와 EOS 사이에 번호가 몇 개 들어갈까요?"},
           {"en": "Cut first, with a slice. Then build the list around what is left.",
            "ko": "먼저 슬라이스로 자르고, 남은 것의 앞과 뒤에 붙이세요."}],
    minutes=5,
    difficulty={"en": "easy", "ko": "쉬움"},
)  # fmt: skip
