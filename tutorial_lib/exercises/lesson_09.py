"""Lesson 09: the step that every training repeats, and an accuracy that a large class cannot flatter."""

import torch
import torch.nn.functional as F
from torch import nn

from tutorial_lib.check import Exercise, Mistake


def _batches():
    return [
        (nn.Linear(4, 3), [(size * torch.randn(6, 4), torch.tensor([0, 1, 2, 2, 1, 0])) for _ in range(4)], lr)
        for lr, size in ((0.5, 1), (0.1, 5))  # the second has long gradients: clipping them is not asked for
    ]


def _train(model, batches, lr, loss=F.cross_entropy, order="zero backward step", number=lambda x: x.item()):
    optimizer, losses = torch.optim.SGD(model.parameters(), lr=lr), []
    for x, labels in batches:
        value = loss(model(x), labels)
        for word in order.split():
            {"zero": optimizer.zero_grad, "backward": value.backward, "step": optimizer.step}[word]()
        losses.append(number(value))
    return losses


def _by_hand(model, batches, lr):
    losses = []
    for x, labels in batches:
        value = -model(x).log_softmax(-1)[range(len(x)), labels].mean()
        for p, slope in zip(model.parameters(), torch.autograd.grad(value, list(model.parameters()))):
            p.data -= lr * slope
        losses.append(float(value.detach()))
    return losses


def _after(model, batches, lr):
    return [(_train(model, [batch], lr), F.cross_entropy(model(batch[0]), batch[1]).item())[1] for batch in batches]


def _one_step_behind(model, batches, lr):
    return _train(model, batches[:-1], lr) + [F.cross_entropy(model(batches[-1][0]), batches[-1][1]).item()]


train_steps = Exercise(
    name="train_steps", minutes=7, difficulty={"en": "medium", "ko": "보통"}, inputs=_batches, reference=_train, weights=True,
    variants=[_by_hand, lambda m, b, lr: _train(m, b, lr, order="backward step zero")],
    mistakes=[
        Mistake("never_cleared", lambda m, b, lr: _train(m, b, lr, order="backward step"), {
            "en": "The gradients of earlier batches are still there: backward adds to them. Call zero_grad in every step.",
            "ko": "앞 배치의 기울기가 남아 있습니다. backward는 거기에 더합니다. 걸음마다 zero_grad를 부르세요."}),
        Mistake("nothing_moves", lambda m, b, lr: _train(m, b, lr, order="zero backward"), {
            "en": "The weights do not move between the batches. Each batch needs its own backward and step, in this order, and no zero_grad between the two.",
            "ko": "배치와 배치 사이에 파라미터가 움직이지 않습니다. 배치마다 backward와 step을 이 순서로 부르고, 그 사이에는 zero_grad를 부르지 마세요."}),
        Mistake("step_too_early", lambda m, b, lr: _train(m, b, lr, order="step zero backward"), {
            "en": "step comes before backward: it moves by the gradient of the batch before. First backward, then step.",
            "ko": "step이 backward보다 먼저라서 앞 배치의 기울기로 움직입니다. backward 다음에 step입니다."}),
        Mistake("loss_after_the_step", _after, {
            "en": "These are the losses after each step. Take the loss that you compute before the weights move.",
            "ko": "걸음마다 파라미터를 움직인 뒤의 손실입니다. 움직이기 전에 구한 손실을 담으세요."}),
        Mistake("last_step_missing", _one_step_behind, {
            "en": "step comes before backward, and moves by the gradient of the batch before: the last gradient is never used. First backward, then step.", "ko": "step이 backward보다 먼저라서 앞 배치의 기울기로 움직이고, 마지막 기울기는 쓰이지 않습니다. backward 다음에 step입니다."}),
        Mistake("softmax_twice", lambda m, b, lr: _train(m, b, lr, loss=lambda x, y: F.cross_entropy(x.softmax(-1), y)), {
            "en": "cross_entropy takes the softmax itself: give it the logits as they are.", "ko": "softmax는 cross_entropy가 합니다. 로짓을 그대로 넘기세요."}),
        Mistake("summed", lambda m, b, lr: _train(m, b, lr, loss=lambda x, y: F.cross_entropy(x, y, reduction="sum")), {
            "en": "This is the sum over the batch. The mean does not depend on the batch size.", "ko": "배치의 손실을 더했습니다. 평균은 배치 크기에 따라 달라지지 않습니다."}),
        Mistake("uphill", lambda m, b, lr: _train(m, b, lr, loss=lambda x, y: -F.cross_entropy(x, y)), {
            "en": "The sign is wrong: you make the loss larger.", "ko": "부호가 반대라서 손실이 커지는 쪽으로 갑니다."}),
        Mistake("tensors_kept", lambda m, b, lr: _train(m, b, lr, number=lambda x: x), {
            "en": "These are tensors. A loss that is kept as it is holds on to the whole computation behind it: take the number, loss.item().",
            "ko": "텐서를 담았습니다. 손실을 그대로 담으면 그 뒤의 계산 전체가 메모리에 남습니다. loss.item()으로 숫자만 꺼내세요."}),
    ],
    hints=[{"en": "The order: loss, zero_grad, backward, step.", "ko": "순서는 loss, zero_grad, backward, step입니다."},
           {"en": "A loss is a tensor; loss.item() is its number.", "ko": "손실은 텐서입니다. loss.item()이 그 숫자입니다."}],
)  # fmt: skip


def _shares(true, said, classes=None):
    hits = {c: [b == c for a, b in zip(true, said) if a == c] for c in classes or set(true)}
    return [sum(x) / len(x) for x in hits.values()]


def _mean(values):
    return sum(values) / len(values)


def _by_matrix(true, said):
    n = max(*true, *said) + 1
    counts = torch.zeros(n, n).index_put(
        (torch.tensor(true), torch.tensor(said)), torch.ones(len(true)), accumulate=True
    )
    rows = counts.sum(1) > 0
    return (counts.diag()[rows] / counts.sum(1)[rows]).mean().item()


balanced_accuracy = Exercise(
    name="balanced_accuracy", minutes=6, difficulty={"en": "easy", "ko": "쉬움"},
    inputs=lambda: [([0] * 9 + [1], [0] * 10), ([0, 0, 0, 1, 1, 2, 2, 2], [0, 0, 1, 1, 0, 2, 2, 3]), ([5, 5, 5, 2, 2], [5, 5, 2, 2, 5])],
    reference=lambda true, said: _mean(_shares(true, said)), variants=[_by_matrix],
    mistakes=[
        Mistake("accuracy", lambda t, s: _mean([a == b for a, b in zip(t, s)]), {
            "en": "This is plain accuracy: a large class outweighs the others. Take the share of each class first, then their mean.",
            "ko": "보통의 정확도입니다. 큰 클래스가 나머지를 덮습니다. 먼저 클래스마다 비율을 구하고 평균을 내세요."}),
        Mistake("precision", lambda t, s: _mean(_shares(s, t)), {
            "en": "You divided by how often a class was said. That is precision. Divide by how often it is true.",
            "ko": "모델이 그 클래스라고 말한 수로 나누었습니다. 그것은 정밀도입니다. 정답이 그 클래스인 수로 나누세요."}),
        Mistake("classes_said", lambda t, s: _mean([_mean([b == c for a, b in zip(t, s) if a == c] or [0]) for c in {*t, *s}]), {
            "en": "A class that is only said, and never true, has no members to recognise: take the classes of true alone.",
            "ko": "답에만 나오고 정답에는 없는 클래스는 알아맞힐 것이 없습니다. true에 있는 클래스만 세세요."}),
        Mistake("worst_class", lambda t, s: min(_shares(t, s)), {
            "en": "This is the worst class. The mean of all classes is wanted.", "ko": "가장 못 맞힌 클래스의 비율입니다. 모든 클래스의 평균을 구하세요."}),
        Mistake("percent", lambda t, s: 100 * _mean(_shares(t, s)), {
            "en": "In percent: return a share between 0 and 1.", "ko": "퍼센트로 돌려주었습니다. 0과 1 사이의 비율로 돌려주세요."}),
        Mistake("list_of_shares", lambda t, s: _shares(t, s), {
            "en": "These are the shares of the classes. One step is left: their mean.", "ko": "클래스마다 비율까지 구했습니다. 이제 그 평균을 내세요."}),
    ],
    hints=[{"en": "set(true) has each class once.", "ko": "set(true)에는 클래스가 하나씩 들어 있습니다."},
           {"en": "For one class: how many are true and said, over how many are true.",
            "ko": "한 클래스에 대해: 정답도 모델의 답도 그 클래스인 수를 정답이 그 클래스인 수로 나눕니다."}],
)  # fmt: skip
