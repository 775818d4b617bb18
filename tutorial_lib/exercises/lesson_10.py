"""Lesson 10: from marked names to BIO tags, and from tags to names."""

from tutorial_lib.check import Exercise, Mistake
from tutorial_lib.tags import to_spans, to_tags


def _bio(
    places, spans, belongs=lambda p, s: max(p[0], s[0]) < min(p[1], s[1]), first="B", kind=lambda s: s[2], new=True
):
    tags, before = [], None
    for place in places:
        here = next((span for span in spans if belongs(place, span)), None)
        go_on = here is not None and (here == before if new else before is not None and here[2] == before[2])
        tags.append("O" if here is None else f"{'I' if go_on else first}-{kind(here)}")
        before = here
    return tags


def _letters(places, spans):
    owner = {i: number for number, span in enumerate(spans) for i in range(span[0], span[1])}
    owners = [next((owner[i] for i in range(*place) if i in owner), None) for place in places]
    return ["O" if n is None else ("I-" if n in owners[:i] else "B-") + spans[n][2] for i, n in enumerate(owners)]


def _sentences():
    return [
        ([(0, 6), (7, 12), (13, 16), (17, 22), (23, 27), (27, 28)], [(0, 6, "PER"), (17, 27, "ORG")]),
        ([(0, 1), (1, 2), (2, 3), (3, 4), (5, 7), (7, 8)], [(0, 3, "PER"), (5, 7, "LOC")]),
        ([(0, 2), (2, 4), (4, 6), (6, 8)], [(0, 4, "PER"), (4, 8, "PER")]),  # two that touch
        ([(0, 3), (3, 6), (6, 9)], [(1, 5, "LOC")]),
        ([(0, 2), (3, 5)], []),
        ([(0, 9)], [(3, 6, "LOC")]),  # one token, and it reaches past the name on both sides
        ([(0, 9), (9, 12)], [(0, 2, "LOC")]),  # little of the token is name
        ([(1, 4), (5, 9)], [(0, 9, "ORG")]),  # the name begins where no token stands
    ]  # pieces that hold more than the name


bio = Exercise(
    name="bio", minutes=8, difficulty={"en": "medium", "ko": "보통"}, inputs=_sentences,
    reference=lambda places, spans: to_tags(places, spans), variants=[_bio, _letters],
    mistakes=[
        Mistake("always_b", lambda p, s: [tag.replace("I-", "B-") for tag in _bio(p, s)], {
            "en": "Every token begins a name. Only the first of a span is B-, the others are I-.", "ko": "토큰마다 이름이 시작됩니다. 한 범위의 첫 토큰만 B-이고 나머지는 I-입니다."}),
        Mistake("always_i", lambda p, s: _bio(p, s, first="I"), {
            "en": "No name begins. The first token of a span is B-.", "ko": "시작하는 이름이 없습니다. 범위의 첫 토큰은 B-입니다."}),
        Mistake("touching_names_joined", lambda p, s: _bio(p, s, new=False), {
            "en": "Two names of the same type have become one. Each span begins with B-.", "ko": "같은 종류의 이름 둘이 하나가 되었습니다. 범위마다 B-로 시작하세요."}),
        Mistake("only_inside", lambda p, s: _bio(p, s, lambda a, b: b[0] <= a[0] and a[1] <= b[1]), {
            "en": "You took only tokens that lie wholly inside a span. A piece that holds part of a name belongs to it too: see whether the two overlap.",
            "ko": "범위 안에 완전히 들어간 토큰만 골랐습니다. 이름의 일부를 담은 조각도 그 이름에 속합니다. 겹치는지 보세요."}),
        Mistake("touching_counts", lambda p, s: _bio(p, s, lambda a, b: max(a[0], b[0]) <= min(a[1], b[1])), {
            "en": "A token that only touches a span is in it for you. end is one behind the last character, so the overlap needs <, not <=.",
            "ko": "범위에 닿기만 한 토큰까지 넣었습니다. end는 끝 글자의 다음 자리이니 <=가 아니라 <로 견주세요."}),
        Mistake("no_type", lambda p, s: [tag[0] for tag in _bio(p, s)], {
            "en": "The type is missing: B-PER, not B.", "ko": "종류가 빠졌습니다. B가 아니라 B-PER처럼 쓰세요."}),
        Mistake("start_decides", lambda p, s: _bio(p, s, lambda a, b: b[0] <= a[0] < b[1]), {
            "en": "You ask only whether a token starts inside a span. One that starts before it and reaches into it belongs to it too.",
            "ko": "토큰이 범위 안에서 시작하는지만 보았습니다. 앞에서 시작해 안으로 들어온 토큰도 그 이름에 속합니다."}),
    ],
    hints=[{"en": "Two stretches overlap if max(starts) < min(ends).", "ko": "max(starts) < min(ends)이면 두 구간이 겹칩니다."},
           {"en": "Remember which spans have begun already.", "ko": "어느 범위가 이미 시작되었는지 기억해 두세요."}],
)  # fmt: skip


def _rows():
    return [(["B-PER", "I-PER", "O", "B-LOC"],), (["B-PER", "B-PER", "I-PER"],), (["O", "I-ORG", "I-ORG", "O", "I-ORG"],),
            (["B-PER", "I-LOC", "I-LOC", "B-LOC"],), (["O", "O"],), (["B-ORG", "O", "I-ORG", "B-ORG", "I-ORG"],),
            (["B-PER", "I-PER", "I-PER", "I-PER"],), (["I-LOC", "O", "B-LOC"],)]  # fmt: skip


def _find(tags, goes_on=lambda name, i, kind: name[1:] == (i, kind), stray=True, end=1, mark=True):
    names = []
    for i, tag in enumerate(tags):
        sign, _, kind = tag.partition("-")
        if sign != "O" and (sign == "I" or not mark) and names and goes_on(names[-1], i, kind):
            names[-1] = (names[-1][0], i + 1, names[-1][2])
        elif sign == "B" or (sign == "I" and stray):
            names.append((i, i + 1, kind))
    return [(a, b - 1 + end, kind) for a, b, kind in names]


def _from_behind(tags):
    names, last = [], None
    for i in reversed(range(len(tags))):
        if tags[i] == "O":
            continue
        sign, kind = tags[i].split("-")
        last = last or i + 1
        if sign == "B" or i == 0 or tags[i - 1] == "O" or tags[i - 1][2:] != kind:
            names, last = [(i, last, kind), *names], None
    return names


find_names = Exercise(
    name="find_names", minutes=10, difficulty={"en": "a stretch", "ko": "도전"}, inputs=_rows, reference=to_spans,
    variants=[_find, _from_behind],
    mistakes=[
        Mistake("end_is_the_last", lambda tags: _find(tags, end=0), {
            "en": "Your end is the last token. Here it is one behind it, as in a slice.", "ko": "끝이 마지막 토큰의 번호입니다. 슬라이스처럼 그다음 번호를 쓰세요."}),
        Mistake("type_ignored", lambda tags: _find(tags, lambda name, i, kind: name[1] == i), {
            "en": "An I- of another type has been joined to the name before it. Compare the types too.", "ko": "종류가 다른 I-를 앞 이름에 이어 붙였습니다. 종류도 견주세요."}),
        Mistake("gap_ignored", lambda tags: _find(tags, lambda name, i, kind: name[2] == kind), {
            "en": "An I- behind an O has been joined to a name that ended before. It goes on only if that name ends just there.",
            "ko": "O 뒤의 I-를 앞서 끝난 이름에 이어 붙였습니다. 바로 앞에서 끝난 이름만 이어집니다."}),
        Mistake("stray_lost", lambda tags: _find(tags, stray=False), {
            "en": "An I- that continues nothing is lost. It begins a name of its own.", "ko": "이을 이름이 없는 I-가 사라졌습니다. 새 이름의 시작으로 보세요."}),
        Mistake("b_goes_on", lambda tags: _find(tags, mark=False), {
            "en": "A B- right behind a name of the same type begins a new one: B- never continues.", "ko": "같은 종류의 이름 바로 뒤에 온 B-는 새 이름입니다. B-는 잇지 않습니다."}),
        Mistake("one_token_each", lambda tags: [(i, i + 1, tag[2:]) for i, tag in enumerate(tags) if tag != "O"], {
            "en": "Each token is a name of its own here. I- makes the name before it longer.", "ko": "토큰마다 이름이 하나씩 되었습니다. I-는 앞의 이름을 한 칸 늘립니다."}),
    ],
    hints=[{"en": "Go through the tags once; keep the names found so far in a list.", "ko": "태그를 한 번 훑으면서, 찾은 이름을 리스트에 모아 두세요."},
           {"en": "An I- continues if the last name ends at i and has the same type: make that one longer.",
            "ko": "i번째 태그가 I-이고, 마지막 이름의 끝이 i이며 종류가 같으면, 그 이름을 한 칸 늘리세요."}],
)  # fmt: skip
