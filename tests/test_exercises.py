"""The machine behind the exercises, and every exercise on it."""

import itertools

import pytest
import torch

import tutorial_lib
from tools import lessons
from tutorial_lib.check import Exercise, Mistake
from tutorial_lib.exercises import EXERCISES

every = pytest.mark.parametrize("name", EXERCISES)


def double(**changes):
    how = dict(
        name="double",
        inputs=lambda: [(torch.tensor([1.0, 2.0]),)],
        reference=lambda x: 2 * x,
        mistakes=[Mistake("squares", lambda x: x * x, {"en": "You squared.", "ko": "제곱했습니다."})],
        variants=[lambda x: x + x],
        hints=[],
        minutes=1,
        difficulty={"en": "easy", "ko": "쉬움"},
    )
    return Exercise(**{**how, **changes})


def stop(x):
    raise ZeroDivisionError("on purpose")


def no_kernel(x):
    raise NotImplementedError("no such kernel for integers")


@pytest.mark.parametrize(
    ("attempt", "status", "says"),
    [
        (lambda x: ..., "unwritten", "Not written yet"),
        (lambda x: None, "unwritten", "Not written yet"),
        (no_kernel, "error", "NotImplementedError"),
        (None, "unwritten", "Not written yet"),
        (..., "unwritten", "Not written yet"),
        (lambda x: 2 * x, "passed", "double: correct."),
        (lambda x: 2 * x + 1e-8, "passed", "correct"),
        (lambda x: x * x, "mistake", "You squared."),
        (lambda x: 3 * x, "different", r"entry \[0\] is 3 and should be 2"),
        (lambda x: x[:1], "different", r"tensor \[1\] float32, and it should be tensor \[2\] float32"),
        (lambda x: (2 * x).long(), "different", "int64, and it should be tensor .* float32"),
        (lambda x: [2.0, 4.0], "different", r"you return \[2.0, 4.0\]"),
        (stop, "error", "ZeroDivisionError: on purpose"),
        (torch.tensor([2.0, 4.0]), "error", "it got a Tensor"),
        (lambda x: (2 * x).to("meta"), "error", "cannot be compared with the right one"),
        (lambda x: (2 * x).to_sparse(), "error", "cannot be compared with the right one"),
        (lambda x: x * float("nan"), "different", r"entry \[0\] is nan and should be 2"),
    ],
)
def test_what_the_check_says(attempt, status, says, capsys):
    result = double()(attempt)
    assert result.status == status and result.mistake == ("squares" if status == "mistake" else None)
    printed = capsys.readouterr().out
    assert printed.strip() == str(result)
    assert pytest.importorskip("re").search(says, printed)


def test_the_check_speaks_korean():
    tutorial_lib.setup(lang="ko")
    said = [
        double().judge(attempt).message
        for attempt in (None, lambda x: 2 * x, lambda x: x * x, lambda x: 3 * x, 5, stop)
    ]
    said.append(double().judge(lambda x: x[:1]).message)
    assert all(lessons.HANGUL.search(message) for message in said) and said[2] == "제곱했습니다."


def test_lists_and_numbers_are_compared_in_kind():
    counting = double(inputs=lambda: [([1, 2],)], reference=lambda x: [*x, 3], mistakes=[])
    assert counting.judge(lambda x: [*x, 3]).status == "passed"
    assert counting.judge(lambda x: (*x, 3)).status == "different"
    assert counting.judge(lambda x: [*x, 4]).message == "For ([1, 2]) you return [1, 2, 4], and it should be [1, 2, 3]."


@pytest.mark.parametrize(
    ("right", "near", "far"),
    [
        (torch.tensor([1_000_000, 5]), torch.tensor([1_000_000, 5]), torch.tensor([1_000_001, 5])),
        (0.3, 0.1 + 0.2, 0.30001),
        (float("nan"), float("nan"), 0.0),
        ({"a": torch.ones(2)}, {"a": torch.ones(2)}, {"a": torch.zeros(2)}),
        ([torch.ones(2), 1], [torch.ones(2), 1], [torch.ones(2), 2]),
        (torch.tensor(True), torch.tensor(True), torch.tensor(False)),
    ],
)
def test_how_near_is_near_enough(right, near, far):
    exercise = double(inputs=lambda: [(None,)], reference=lambda x: right, mistakes=[])
    assert exercise.judge(lambda x: near).status == "passed"
    assert exercise.judge(lambda x: far).status == "different"


def test_each_attempt_gets_fresh_inputs():
    def in_place(x):
        return x.mul_(2)

    assert double().judge(in_place).status == "passed"
    assert double().judge(lambda x: 2 * x).status == "passed"


@every
def test_the_reference_and_its_variants_pass(name):
    exercise = EXERCISES[name]
    assert exercise.variants
    for attempt in (exercise.reference, *exercise.variants):
        assert exercise.judge(attempt).status == "passed"


@every
def test_every_mistake_gets_its_own_message_and_no_others(name):
    exercise = EXERCISES[name]
    assert len(exercise.mistakes) >= 3
    for mistake in exercise.mistakes:
        result = exercise.judge(mistake.attempt)
        assert (result.status, result.mistake, result.message) == ("mistake", mistake.name, mistake.message["en"])
    messages = [mistake.message[lang] for mistake in exercise.mistakes for lang in ("en", "ko")]
    assert len(set(messages)) == len(messages)


@every
def test_the_inputs_tell_all_mistakes_apart(name):
    exercise = EXERCISES[name]
    for one, other in itertools.combinations(exercise.mistakes, 2):
        assert exercise.judge(one.attempt).mistake != exercise.judge(other.attempt).mistake


@every
def test_a_lesson_holds_the_exercise_with_its_hints_minutes_and_difficulty(name):
    lesson, short = name.split(".")
    exercise = EXERCISES[name]
    assert len(exercise.hints) == 2 and exercise.name == short
    source = next(source for source in lessons.sources() if source.stem.startswith(lesson.removeprefix("lesson_")))
    cells = lessons.load(source)
    for lang, word in (("en", "minutes"), ("ko", "분")):
        texts = [c.source for c in cells if c.metadata.get("lang") == lang and "exercise" in lessons.tags(c)]
        text = next(text for text in texts if f"· {exercise.difficulty[lang]} ·" in text)
        assert f"{exercise.minutes} {word}" in text or f"{exercise.minutes}{word}" in text
        bare = text.replace("<code>", "").replace("</code>", "")
        assert all(hint[lang] in bare for hint in exercise.hints)
    code = [c for c in cells if c.cell_type == "code" and f"check.{short}({short})" in c.source]
    assert [lessons.tags(c) for c in code] == [["exercise"], ["solution"]]


@every
def test_on_the_device(name, device):
    exercise = EXERCISES[name]

    def moved(attempt):
        return lambda *arguments: attempt(*(a.to(device) if isinstance(a, torch.Tensor) else a for a in arguments))

    assert exercise.judge(moved(exercise.reference)).status == "passed"
    assert [exercise.judge(moved(m.attempt)).mistake for m in exercise.mistakes] == [m.name for m in exercise.mistakes]
