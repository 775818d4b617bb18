"""The machine behind the exercises, and every exercise on it."""

import copy
import itertools
import math
import re

import pytest
import torch

import tutorial_lib
from tools import lessons
from tutorial_lib._compare import SAYS
from tutorial_lib.check import Exercise, Mistake
from tutorial_lib.exercises import EXERCISES

every = pytest.mark.parametrize("name", EXERCISES)


def double(**changes):
    how = dict(
        name="double",
        inputs=lambda: [(torch.tensor([1.0, 2.0, 3.0, 4.0]),), (torch.tensor([[5.0]]),)],
        reference=lambda x: 2 * x,
        mistakes=[
            Mistake("squares", lambda x: x * x, {"en": "You squared.", "ko": "제곱했습니다."}),
            Mistake(
                "product",
                lambda x: torch.dot(x, x[:, None]),
                {"en": "One number would come out.", "ko": "숫자 하나만 나옵니다."},
            ),
        ],
        variants=[lambda x: x + x],
        hints=[],
        minutes=1,
        difficulty={"en": "easy", "ko": "쉬움"},
    )
    return Exercise(**{**how, **changes})


def no_return(x):
    x = x + x


def right_then_stops(x):
    return 3 * x if x.dim() == 1 else x.nothing


def stops_deep_inside(x):
    y = x * 2
    return torch.zeros(3) @ y


def adds_in_place(x):
    x += x
    return x


def no_kernel(x):
    raise NotImplementedError("no such kernel for integers")


WHAT_IT_SAYS = [
    (lambda x: ..., "unwritten", "Not written yet"),
    (lambda x: None, "unwritten", "Not written yet"),
    (no_return, "unwritten", "Your function returns None: is the return missing?"),
    (None, "unwritten", "Not written yet"),
    (..., "unwritten", "Not written yet"),
    (lambda x: 2 * x, "passed", "double: correct."),
    (lambda x: 2 * x + 1e-8, "passed", "correct"),
    (lambda x: x * x, "mistake", "You squared."),
    # a mistake that stops with an error is known by the error
    (lambda x: torch.dot(x, x[:, None]), "mistake", r"One number would come out. \(RuntimeError: .*1D tensors expected"),
    # in place: certain trouble, whatever comes out
    (adds_in_place, "mistake", "changes its input in place"),
    (lambda x: x.mul_(2), "mistake", "changes its input in place"),
    (lambda x: x.zero_(), "mistake", "changes its input in place"),
    # a wrong type
    (lambda x: (2 * x).tolist(), "different", r"you return \[2, 4, 6, 8\], and it should be tensor \[4\]\."),
    (lambda x: (2 * x, None), "different", r"you return \(tensor \[4\], None\), and it should be tensor \[4\]"),
    (lambda x: (2 * x).long(), "different", "the entries are int64 and should be float32"),
    # a wrong shape: too few axes, the right ones in another order, one of another length
    (lambda x: (2 * x)[None], "different", r"is \[1, 4\], and it should be \[4\]: the number of axes is 2 instead of 1"),
    (lambda x: x[:1], "different", r"is \[1\], and it should be \[4\]: look at axis 0"),
    # NaN
    (lambda x: torch.tensor([2, float("nan"), 6, 8]), "different", "1 of 4 entries are NaN"),
    # which entries, and how far
    (lambda x: 2 * x + torch.tensor([0, 0, 0.5, 0]), "different",
     r"1 of 4 entries are wrong, all at index 2 of axis 0: entry \[2\] is 6.5 and should be 6; the largest difference is 0.5"),
    (lambda x: 3 * x, "different", r"4 of 4 entries are wrong, each 1.5 times what it should be: entry \[0\] is 3 "),
    (lambda x: 2 * x + torch.tensor([1, 0, 2, 0]), "different", r"2 of 4 .* wrong: entry .* the largest difference is 2\."),
    # an exception, with the learner's own line
    (stops_deep_inside, "error", r"stopped at the line `return torch.zeros\(3\) @ y`: RuntimeError: inconsistent tensor size"),
    (right_then_stops, "different", r"With input 1 of 2 \(tensor \[4\]\): the shape is right. 4 of 4 .* entry \[0\] is 3 "),
    (lambda x: 2 * x if x.dim() == 1 else x.nothing, "error", r"With input 2 of 2 \(tensor \[1, 1\]\): your code .*nothing"),
    (no_kernel, "error", r"the line `raise NotImplementedError\(.*\)`: NotImplementedError: no such kernel"),
    (lambda: 1, "error", r"could not be called; .* TypeError: .*takes 0 positional arguments but 1 was given"),
    (torch.tensor([2.0, 4.0]), "error", "it got a Tensor"),
    (lambda x: (2 * x).to("meta"), "error", "cannot be compared with the right one"),
    (lambda x: (2 * x).to_sparse(), "error", "cannot be compared with the right one"),
]  # fmt: skip


@pytest.mark.parametrize(("attempt", "status", "says"), WHAT_IT_SAYS)
def test_what_the_check_says(attempt, status, says, capsys):
    result = double()(attempt)
    assert result.status == status and bool(result.mistake) == (status == "mistake")
    printed = capsys.readouterr().out
    assert printed.strip() == str(result)
    assert re.search(says, printed)


def test_every_sentence_is_said_in_korean_too():
    tutorial_lib.setup(lang="ko")
    said = [double().judge(attempt).message for attempt, *_ in WHAT_IT_SAYS]
    assert all(lessons.HANGUL.search(message) for message in said) and "제곱했습니다." in said
    english = [words["en"] for words in SAYS.values()]
    assert not [message for message in said for sentence in english if message == sentence]
    for words in SAYS.values():  # the same values in both
        assert words["en"].count("{") == words["ko"].count("{")


def test_what_looks_alike_in_few_words_is_told_apart():
    on = lambda right: double(inputs=lambda: [(torch.arange(4.0),)], reference=lambda x: right, mistakes=[])
    x = torch.arange(4.0)
    for right, answer, says in [
        (
            (2 * x, x),
            (2 * x, x + 1),
            "[1] of what you return: the shape is right. 4 of 4 entries are wrong: entry [0] is 1",
        ),
        ((x, x), (x, x[:3]), "you return (tensor [4], tensor [3]), and it should be (tensor [4], tensor [4])."),
        ([*range(10)], [*range(11)], "you return [0, 1, 2, 3, 4, 5, 6, 7, …], 11 entries, and it should have 10."),
        ([*range(10)], [*range(8), 9, 9], "[8] of what you return: you return 9, and it should be 8."),
        (11 / 18, 0.6111, "you return 0.6111, and it should be 0.6111111111111"),
        (2, 2.0, "you return 2.0, and it should be 2."),
        (x.sum(), (x.sum(),), "you return (tensor(6),), and it should be tensor(6)."),
        (x.sum(), x.sum() + 1, "you return tensor(7), and it should be tensor(6)."),
        (x.sum(), x.sum() * math.nan, "1 of 1 entries are NaN"),
        (x.sum(), x.sum() + 2e-4, "you return 6.0001"),
    ]:
        result = on(right).judge(lambda x, answer=answer: answer)
        assert result.status == "different" and says.lower() in result.message.lower(), result.message


def test_a_model_that_has_to_be_trained_is_looked_at_afterwards():
    exercise = EXERCISES["lesson_09.train_steps"]
    result = exercise.judge(lambda model, batches, lr: exercise.reference(copy.deepcopy(model), batches, lr))
    assert result.status == "different" and "the weights of the model that you were given" in result.message
    assert exercise.judge(exercise.reference).status == "passed"
    untrained = lambda model, batches, lr: [1.0 for _ in batches]
    assert "you return [1, 1, 1, 1]" in exercise.judge(untrained).message


def test_an_error_in_code_that_cannot_be_read_is_no_wrong_call():
    names = {}
    exec("def stops(x):\n    return x.nothing", names)
    message = double().judge(names["stops"]).message
    assert message.startswith("With input 1 of 2 (tensor [4]): your code stopped: AttributeError")


def test_a_shape_in_another_order_is_told_from_one_of_another_length():
    grid = double(inputs=lambda: [(torch.arange(6.0).reshape(2, 3),)], mistakes=[])
    assert "the lengths are right, and their order is not" in grid.judge(lambda x: 2 * x.T).message
    assert "look at axis 1" in grid.judge(lambda x: 2 * x[:, :2]).message
    assert "all at index 1 of axis 0" in grid.judge(lambda x: 2 * x + torch.tensor([[0], [1]])).message
    assert "all at index 2 of axis 1" in grid.judge(lambda x: 2 * x + torch.tensor([0, 0, 1])).message


def test_a_check_leaves_random_numbers_and_the_learners_values_alone():
    drawn = double(inputs=lambda: [(torch.randn(4),)])
    torch.manual_seed(3)
    wanted = torch.randn(2)
    torch.manual_seed(3)
    assert drawn.judge(lambda x: x + x).status == "passed" and drawn.judge(lambda x: x * x).mistake == "squares"
    assert torch.equal(torch.randn(2), wanted)


def test_a_list_changed_in_place_is_noticed_and_a_module_may_keep_its_counts():
    counting = double(inputs=lambda: [([1, 2],)], reference=lambda x: [*x, 3], mistakes=[])
    assert counting.judge(lambda x: x.append(3) or x).mistake == "in_place"
    norms = double(
        inputs=lambda: [(torch.randn(4, 3), torch.nn.BatchNorm1d(3))], reference=lambda x, norm: norm(x), mistakes=[]
    )
    assert norms.judge(lambda x, norm: norm(x)).status == "passed"


def test_lists_and_numbers_are_compared_in_kind():
    counting = double(inputs=lambda: [([1, 2],)], reference=lambda x: [*x, 3], mistakes=[])
    assert counting.judge(lambda x: [*x, 3]).status == "passed"
    assert counting.judge(lambda x: (*x, 3)).status == "passed"  # a tuple will do
    assert counting.judge(lambda x: {*x, 3}).status == "different"
    assert counting.judge(lambda x: [*x, 4]).message == "You return [1, 2, 4], and it should be [1, 2, 3]."


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
    exercise = double()
    assert exercise.judge(adds_in_place).mistake == "in_place"
    assert exercise.judge(lambda x: 2 * x).status == "passed"


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
        assert (result.status, result.mistake) == ("mistake", mistake.name)
        told, error = result.message[: len(mistake.message["en"])], result.message[len(mistake.message["en"]) :]
        assert told == mistake.message["en"] and re.fullmatch(r"( \(\w+Error: .+\))?", error)
    messages = [mistake.message[lang] for mistake in exercise.mistakes for lang in ("en", "ko")]
    assert len(set(messages)) == len(messages)


@every
def test_the_inputs_tell_all_mistakes_apart(name):
    exercise = EXERCISES[name]
    for one, other in itertools.combinations(exercise.mistakes, 2):
        assert exercise.judge(one.attempt).mistake != exercise.judge(other.attempt).mistake


@every
def test_a_lesson_holds_the_exercise(name):
    lesson, short = name.split(".")
    assert len(EXERCISES[name].hints) == 2 and EXERCISES[name].name == short
    source = next(source for source in lessons.sources() if source.stem.startswith(lesson.removeprefix("lesson_")))
    cells = lessons.load(source)
    code = [c for c in cells if c.cell_type == "code" and f"check.{short}({short})" in c.source]
    assert [lessons.tags(c) for c in code] == [["exercise"], ["solution"]]


@every
def test_on_the_device(name, device):
    exercise = EXERCISES[name]

    def moved(attempt):
        kinds = (torch.Tensor, torch.nn.Module)
        return lambda *arguments: attempt(*(a.to(device) if isinstance(a, kinds) else a for a in arguments))

    assert exercise.judge(moved(exercise.reference)).status == "passed"
    assert [exercise.judge(moved(m.attempt)).mistake for m in exercise.mistakes] == [m.name for m in exercise.mistakes]
