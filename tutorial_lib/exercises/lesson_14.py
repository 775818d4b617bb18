"""Lesson 14: two tests that find most faults: more padding, and other neighbours in the batch."""

import torch
import torch.nn.functional as F
from torch import nn

from tutorial_lib import broken
from tutorial_lib.check import Exercise, Mistake
from tutorial_lib.masks import padding_mask


class OddModel(nn.Module):
    """A healthy model, and something added to what it gives."""

    def __init__(self, well, added):
        super().__init__()
        self.well, self.added = well, added

    def forward(self, src, src_mask=None):
        out = self.well(src, src_mask)
        return out + self.added(src, out)


def _models():
    src = torch.tensor([[2, 4, 5, 6, 3], [2, 7, 3, 0, 0], [2, 3, 0, 0, 0]])
    well = broken.healthy(input_dim=9)

    def leaks(
        src, out
    ):  # every sentence gets something of the others', and of the number of places; the first token most
        place = torch.arange(1, out.size(1) + 1, device=out.device)[:, None]
        return -out.abs().cumsum(dim=1).mean(dim=0)[-1] / place

    def loud(src, out):  # what stands at padding changes, which nobody reads
        return 100.0 * (src.size(1) + len(src)) * (src == 0)[..., None]

    sick = (broken.patient(1, input_dim=9), broken.patient(6, input_dim=9), OddModel(well, leaks), OddModel(well, loud))
    return [(model, src) for model in (well, *sick)]


def _run(model, src):
    with torch.no_grad():
        return model(src, padding_mask(src, pad_id=0))


def _padding(model, src, n=4, value=0, real_only=True):
    gap = (_run(model, F.pad(src, (0, n), value=value))[:, : src.size(1)] - _run(model, src)).abs().amax(dim=-1)
    return gap[src != 0].max() if real_only else gap.max()


def _neighbours(model, src):
    alone = torch.cat([_run(model, src[i : i + 1]) for i in range(len(src))])
    return (_run(model, src) - alone).abs().amax(dim=-1).masked_fill(src == 0, 0.0).amax(dim=-1)


padding_test = Exercise(
    name="padding_test", minutes=9, difficulty={"en": "medium", "ko": "보통"}, inputs=_models, reference=_padding,
    variants=[lambda model, src: (_run(model, torch.cat([src, torch.zeros_like(src[:, :4])], dim=1))[:, :5] - _run(model, src))[src.ne(0)].abs().max()],
    mistakes=[
        Mistake("no_mask", lambda model, src: (model(F.pad(src, (0, 4)), None)[:, :5] - model(src, None)).detach().abs().amax(-1)[src != 0].max(), {
            "en": "You called the model without a mask: then any encoder listens to padding. Give both calls padding_mask.",
            "ko": "마스크 없이 모델을 불렀습니다. 그러면 어떤 인코더든 패딩의 말을 듣습니다. 두 번 모두 padding_mask를 넘기세요."}),
        Mistake("signed", lambda model, src: (_run(model, F.pad(src, (0, 4)))[:, :5] - _run(model, src)).amax(-1)[src != 0].max(), {
            "en": "You took the largest difference with its sign: a large negative one gets lost. abs() first.",
            "ko": "부호를 그대로 두고 가장 큰 차이를 구했습니다. 큰 음수가 사라집니다. 먼저 abs()를 쓰세요."}),
        Mistake("mean", lambda model, src: (_run(model, F.pad(src, (0, 4)))[:, :5] - _run(model, src)).abs()[src != 0].mean(), {
            "en": "This is the mean difference. One place that changes must not be averaged away: take the largest.",
            "ko": "평균 차이입니다. 한 자리만 변해도 묻히지 않게 가장 큰 차이를 구하세요."}),
        Mistake("nothing_added", lambda model, src: (_run(model, src) - _run(model, src)).abs().max(), {
            "en": "Nothing differs between your two runs. One of them needs more padding than the other.", "ko": "두 번의 실행에 다른 것이 없습니다. 한쪽에 패딩을 더 넣으세요."}),
        Mistake("real_tokens_added", lambda model, src: _padding(model, src, value=5), {
            "en": "You added tokens instead of padding: of course the sentence changes. The new places get pad id 0.",
            "ko": "패딩이 아니라 토큰을 더했습니다. 그러면 문장이 달라집니다. 새 자리의 번호는 PAD인 0입니다."}),
    ],
    hints=[{"en": "F.pad(src, (0, 4)) adds four places with 0 at the end.", "ko": "F.pad(src, (0, 4))는 뒤에 0인 자리를 네 개 더합니다."},
           {"en": "Cut the longer output to sl places, and keep [src != 0] of the difference.", "ko": "긴 쪽의 출력을 sl자리까지 자르고, 차이에서 [src != 0]만 남기세요."}],
)  # fmt: skip
batch_test = Exercise(
    name="batch_test", minutes=9, difficulty={"en": "a stretch", "ko": "도전"}, inputs=_models, reference=_neighbours,
    variants=[lambda model, src: torch.stack([(_run(model, src)[i] - _run(model, one[None])[0]).abs()[one != 0].max() for i, one in enumerate(src)])],
    mistakes=[
        Mistake("first_only", lambda model, src: _neighbours(model, src)[:1].expand(len(src)), {
            "en": "You compared sentence 0 only. Of all sentences it is the one that such faults leave alone.",
            "ko": "0번 문장만 견주었습니다. 하필 이런 잘못이 건드리지 않는 문장입니다."}),
        Mistake("one_number", lambda model, src: _neighbours(model, src).max(), {
            "en": "One number for the batch. Give one for each sentence: it tells which ones move.", "ko": "배치 전체에 숫자 하나입니다. 문장마다 하나씩 구하면 어느 문장이 움직이는지 알 수 있습니다."}),
        Mistake("mean", lambda model, src: torch.stack([(_run(model, src)[i] - _run(model, one[None])[0]).abs()[one != 0].mean() for i, one in enumerate(src)]), {
            "en": "These are mean differences. Take the largest for each sentence.", "ko": "평균 차이입니다. 문장마다 가장 큰 차이를 구하세요."}),
        Mistake("same_batch_twice", lambda model, src: (_run(model, src) - _run(model, src)).abs().amax((1, 2)), {
            "en": "Nothing differs between your two runs. One has to see the whole batch, the other each sentence alone.",
            "ko": "두 번의 실행에 다른 것이 없습니다. 한 번은 배치 전체를, 한 번은 문장을 하나씩 넣으세요."}),
    ],
    hints=[{"en": "src[i : i + 1] is sentence i as a batch of one.", "ko": "src[i : i + 1]은 i번 문장 하나짜리 배치입니다."},
           {"en": "For each sentence: the largest difference where src[i] != 0.", "ko": "문장마다 src[i] != 0인 자리에서 가장 큰 차이입니다."}],
)  # fmt: skip
