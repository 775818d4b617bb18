"""Lesson 13: what the decoder may see when it is asked, and writing one token at a time."""

import torch

from tutorial_lib.check import Exercise, Mistake
from tutorial_lib.decoder import shift_right


def _targets():
    square = torch.tensor([[4, 5, 3], [6, 3, 0], [7, 8, 3]])  # as many rows as places: a wrong axis fits here
    return [(square, 2), (torch.tensor([[5, 6, 4, 2, 3], [1, 3, 0, 0, 0]]), 7), (torch.tensor([[9, 8, 7, 6]]), 1)]


def _behind_bos(tgt, bos_id, rest):
    return torch.cat([torch.full_like(tgt[:, :1], bos_id), rest], dim=1)


shift = Exercise(
    name="shift", minutes=5, difficulty={"en": "easy", "ko": "쉬움"},
    inputs=_targets, reference=lambda tgt, bos_id: shift_right(tgt, bos_id=bos_id),
    variants=[lambda tgt, bos_id: torch.nn.functional.pad(tgt, (1, 0), value=bos_id)[:, :-1],
        lambda tgt, bos_id: torch.tensor([[bos_id, *row[:-1]] for row in tgt.tolist()], device=tgt.device),
    ],
    mistakes=[
        Mistake("not_shifted", lambda tgt, bos_id: tgt.clone(), {
            "en": "Nothing moved: the answer to each question stands in the input at the same place. Put BOS in front and leave the last place out.",
            "ko": "아무것도 옮기지 않아서, 물어보는 답이 입력의 같은 자리에 그대로 있습니다. BOS를 앞에 놓고 마지막 자리는 빼세요."}),
        Mistake("shifted_left", lambda tgt, bos_id: torch.cat([tgt[:, 1:], torch.full_like(tgt[:, :1], bos_id)], dim=1), {
            "en": "You shifted to the left: each place sees the token after the one it is asked for. Move the tokens one place to the right.", "ko": "왼쪽으로 밀었습니다. 자리마다 물어보는 토큰의 다음 것이 보입니다. 오른쪽으로 한 자리 미세요."}),
        Mistake("rolled", lambda tgt, bos_id: tgt.roll(1, dims=1), {
            "en": "roll brings the last token round to the front. In front belongs BOS, and the last token is not needed.", "ko": "roll은 마지막 토큰을 맨 앞으로 돌려보냅니다. 맨 앞에는 BOS가 와야 하고, 마지막 토큰은 필요 없습니다."}),
        Mistake("not_cut", lambda tgt, bos_id: _behind_bos(tgt, bos_id, tgt), {
            "en": "BOS is in front, and the last place is still there: one place too many. Nothing comes after the last token, so leave it out.",
            "ko": "BOS를 앞에 놓았지만 마지막 자리를 빼지 않아 한 자리가 남습니다. 마지막 토큰 다음에는 물어볼 것이 없으니 빼세요."}),
        Mistake("no_bos", lambda tgt, bos_id: tgt[:, :-1], {
            "en": "The last place is gone and BOS is missing: the first question would have no input. Put BOS in front.", "ko": "마지막 자리는 뺐지만 BOS가 없습니다. 첫 질문에 넣을 입력이 없습니다. 맨 앞에 BOS를 놓으세요."}),
        Mistake("first_overwritten", lambda tgt, bos_id: _behind_bos(tgt, bos_id, tgt[:, 1:]), {
            "en": "BOS was written over the first token, and the rest did not move: from place 1 on the answer stands in the input.", "ko": "BOS를 첫 토큰 위에 덮어썼을 뿐 나머지는 그대로입니다. 1번 자리부터는 답이 입력에 보입니다."}),
        Mistake("padding_in_front", lambda tgt, bos_id: _behind_bos(tgt, 0, tgt[:, :-1]), {
            "en": "Shifted rightly, but a 0 stands in front. The first place must hold bos_id.", "ko": "밀기는 잘 밀었지만 맨 앞이 0입니다. 첫 자리에는 bos_id가 있어야 합니다."}),
        Mistake("fixed_two", lambda tgt, bos_id: _behind_bos(tgt, 2, tgt[:, :-1]), {
            "en": "You wrote a 2. It is right only while BOS happens to be 2: use bos_id.", "ko": "2를 적었습니다. BOS의 번호가 2일 때만 맞습니다. bos_id를 쓰세요."}),
        Mistake("down_the_batch", lambda tgt, bos_id: torch.cat([torch.full_like(tgt[:1], bos_id), tgt[:-1]]), {
            "en": "You shifted along the batch: each row sees its neighbour's target. The places are axis 1.", "ko": "배치 방향으로 밀어서 행마다 이웃의 목표가 보입니다. 자리는 1번 축입니다."}),
    ],
    hints=[{"en": "Which token may the decoder have seen last, when it is asked for the one at place i?", "ko": "i번 자리의 토큰을 물어볼 때, 디코더가 마지막으로 본 토큰은 무엇이어야 할까요?"},
           {"en": "torch.cat([…], dim=1) joins a column of bos_id and tgt[:, :-1].", "ko": "torch.cat([…], dim=1)로 bos_id만 든 열 하나와 tgt[:, :-1]을 잇습니다."}],
)  # fmt: skip


def _writer(answer, bos_id=2, n=8):
    """A toy in place of a decoder: it goes on with `answer` as long as all that it is shown is [BOS, *answer so far]."""

    def next_logits(ids):
        rows = torch.randn(len(ids), n, generator=torch.Generator().manual_seed(len(ids)))
        for place in range(len(ids)):
            in_order = list(ids[: place + 1]) == [bos_id, *answer[:place]] and place < len(answer)
            rows[place, answer[place] if in_order else 6] += 9
            rows[place, (place + 5) % n] -= 9 + place  # the lowest is never the highest
        return rows

    return next_logits


def _tasks():
    # one that ends, one that would go on for ever, one that ends at once, one whose last place is EOS, other BOS and EOS
    return [(_writer([5, 4, 7, 5, 3, 4, 4]), 2, 3, 9), (_writer([7, 5, 4, 5, 7, 4, 5]), 2, 3, 4), (_writer([3]), 2, 3, 5),
            (_writer([4, 3]), 2, 3, 2), (_writer([7, 2, 4, 1, 4, 4], 5), 5, 1, 6)]  # fmt: skip


def _greedy(next_logits, bos_id, eos_id, max_len, pick=None, show=None, stop=True):
    pick = pick or (lambda logits: logits[-1].argmax().item())
    ids = [bos_id]
    for _ in range(max_len):
        ids.append(pick(next_logits(show(ids) if show else ids)))
        if stop and ids[-1] == eos_id:
            break
    return ids[1:]


def _while(next_logits, bos_id, eos_id, max_len):
    written = []
    while len(written) < max_len and eos_id not in written:
        written += [int(next_logits([bos_id, *written]).argmax(dim=-1)[-1])]
    return written


greedy = Exercise(
    name="greedy", minutes=9, difficulty={"en": "medium", "ko": "보통"},
    inputs=_tasks, reference=_greedy, variants=[_while],
    mistakes=[
        Mistake("never_stops", lambda *a: _greedy(*a, stop=False), {
            "en": "It writes on behind EOS, until max_len. Stop when the token is eos_id.", "ko": "EOS 뒤에도 max_len까지 계속 씁니다. 토큰이 eos_id이면 멈추세요."}),
        Mistake("bos_kept", lambda f, bos_id, *a: [bos_id, *_greedy(f, bos_id, *a)], {
            "en": "BOS stands in your answer. It is shown to the decoder, and nobody asked for it: give back what comes after it.", "ko": "답에 BOS가 들어 있습니다. BOS는 디코더에 보여 주는 것이지 답이 아닙니다. 그 뒤만 돌려주세요."}),
        Mistake("eos_dropped", lambda f, bos_id, eos_id, n: [i for i in _greedy(f, bos_id, eos_id, n) if i != eos_id], {
            "en": "EOS is missing. It is a token that was written, and it says that the answer is complete: keep it.", "ko": "EOS가 빠졌습니다. EOS도 써낸 토큰이고 답이 끝났다는 표시이니 남기세요."}),
        Mistake("over_all_places", lambda *a: _greedy(*a, pick=lambda logits: logits.argmax().item()), {
            "en": "argmax ran over all places at once and counts through the whole table. Take the last row first: next_logits(ids)[-1].",
            "ko": "argmax를 모든 자리에 한꺼번에 적용해서 표 전체에서 몇 번째인지가 나옵니다. 먼저 마지막 행을 고르세요. next_logits(ids)[-1]입니다."}),
        Mistake("over_the_places", lambda *a: _greedy(*a, pick=lambda logits: logits.argmax(dim=0)[-1].item()), {
            "en": "You ask at which place a token is likeliest. Take the last row, next_logits(ids)[-1], and ask for its likeliest token.", "ko": "어느 자리에서 그럴듯한지를 물었습니다. 마지막 행 next_logits(ids)[-1]에서 가장 그럴듯한 토큰을 물으세요."}),
        Mistake("first_place", lambda *a: _greedy(*a, pick=lambda logits: logits[0].argmax().item()), {
            "en": "You read the first row again and again: it answers what comes after BOS. The next token is in the last row.", "ko": "첫 행만 되풀이해 읽었습니다. 첫 행은 BOS 다음에 올 토큰입니다. 다음 토큰은 마지막 행에 있습니다."}),
        Mistake("least_likely", lambda *a: _greedy(*a, pick=lambda logits: logits[-1].argmin().item()), {
            "en": "You took the least likely token: argmax, not argmin.", "ko": "가장 그럴듯하지 않은 토큰을 골랐습니다. argmin이 아니라 argmax입니다."}),
        Mistake("only_the_last_token", lambda *a: _greedy(*a, show=lambda ids: ids[-1:]), {
            "en": "You showed only the newest token. The decoder must see all it has written, from BOS on.", "ko": "방금 쓴 토큰만 보여 주었습니다. BOS부터 지금까지 쓴 것을 모두 보여 주세요."}),
        Mistake("without_bos", lambda *a: _greedy(*a, show=lambda ids: ids[1:] or ids), {
            "en": "From the second step on BOS is missing from what you show. The input begins with BOS at every step.", "ko": "둘째 걸음부터 BOS 없이 보여 주었습니다. 입력은 언제나 BOS로 시작합니다."}),
        Mistake("nothing_added", lambda *a: _greedy(*a, show=lambda ids: ids[:1]), {
            "en": "The decoder sees BOS alone at every step. Append each token that you choose to what you show it.", "ko": "걸음마다 BOS만 보여 주었습니다. 고른 토큰을 보여 줄 것에 이어 붙이세요."}),
        Mistake("one_too_many", lambda f, bos_id, eos_id, n: _greedy(f, bos_id, eos_id, n + 1), {
            "en": "It writes one token too many where EOS does not come: at most max_len, BOS not counted.", "ko": "EOS가 나오지 않으면 토큰을 하나 더 씁니다. BOS를 빼고 max_len개까지입니다."}),
        Mistake("one_short", lambda f, bos_id, eos_id, n: _greedy(f, bos_id, eos_id, n - 1), {
            "en": "It ends one token too early: max_len counts what is written, and BOS does not belong to it.", "ko": "토큰 하나만큼 일찍 끝납니다. max_len은 써낸 토큰의 수이고 BOS는 세지 않습니다."}),
    ],
    hints=[{"en": "Keep a list that begins with BOS, and ask again with the whole list each time.", "ko": "BOS로 시작하는 리스트를 두고, 매번 그 리스트 전체를 보여 주며 다시 물어보세요."},
           {"en": "next_logits(ids)[-1].argmax().item() is the next token; stop behind eos_id or at max_len tokens.", "ko": "next_logits(ids)[-1].argmax().item()이 다음 토큰입니다. eos_id를 쓴 다음이나 토큰이 max_len개일 때 멈추세요."}],
)  # fmt: skip
