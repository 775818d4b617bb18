"""Five wrong answers per lesson by a reader who did not know which mistakes a check knows by name: each gets a true sentence."""

import math

import pytest
import torch
import torch.nn.functional as F

from tutorial_lib.exercises import EXERCISES

pad = torch.nn.utils.rnn.pad_sequence

# exercise, what the answer does, the answer, what has to be said of it
FRESH = [
    ("lesson_01.cut_and_frame", "cuts one id too many", lambda ids, max_len: [2, *ids[: max_len - 3], 3],
     "With input 1 of 7 ([7, 4, 8, 5, 6], 4): you return [2, 7, 3], and it should be [2, 7, 4, 3]."),
    ("lesson_01.cut_and_frame", "nests the list", lambda ids, max_len: [2, ids[: max_len - 2], 3],
     "you return [2, [7, 4], 3], and it should be [2, 7, 4, 3]"),
    ("lesson_01.cut_and_frame", "one branch has no return", lambda ids, max_len: [2, *ids[: max_len - 2], 3] if len(ids) > max_len - 2 else None,
     "With input 4 of 7 ([7, 4, 8, 5, 6], 7): you return None"),
    ("lesson_01.pad_rows", "the sequence comes first", lambda rows, pad_id: pad([torch.tensor([*row], dtype=torch.long) for row in rows], padding_value=pad_id),
     "your result is [4, 3], and it should be [3, 4]: the lengths are right, and their order is not"),
    ("lesson_01.pad_rows", "one column too many", lambda rows, pad_id: torch.tensor([row + [pad_id] * (1 + max(map(len, rows)) - len(row)) for row in rows]),
     "your result is [3, 5], and it should be [3, 4]: look at axis 1"),
    ("lesson_02.first_token", "of the first sentence only", lambda out: out[0, 0],
     "your result is [4], and it should be [2, 4]: it has 1 axes instead of 2"),
    ("lesson_02.first_token", "a list of vectors", lambda out: [sentence[0] for sentence in out],
     "you return [tensor [4], tensor [4]], and it should be tensor [2, 4]"),
    ("lesson_02.first_token", "tanh on top, as BERT's pooler", lambda out: out[:, 0].tanh(), "8 of 8 entries are wrong: entry [0, 0] is -0.8096"),
    ("lesson_02.predict_shapes", "the two heads swapped", lambda bs, sl, hid, n: [[bs, sl, hid], [bs, sl, n], [bs, n]],
     "you return [[3, 5, 8], [3, 5, 4], [3, 4]], and it should be [[3, 5, 8], [3, 4], [3, 5, 4]]"),
    ("lesson_02.predict_shapes", "classes in the middle", lambda bs, sl, hid, n: [[bs, sl, hid], [bs, n], [bs, n, sl]], "you return [[3, 5, 8], [3, 4], [3, 4, 5]]"),
    ("lesson_03.position_row", "multiplies by the power", lambda pos, d: [(math.cos if i % 2 else math.sin)(pos * 10000 ** ((i - i % 2) / d)) for i in range(d)],
     "With input 1 of 3 (1, 4): you return [0.8415, 0.5403, -0.5064, 0.8623], and it should be [0.8415, 0.5403, 0.01, 1]."),
    ("lesson_03.position_row", "integer division", lambda pos, d: [(math.cos if i % 2 else math.sin)(pos / 10000 ** (i // 2 // d)) for i in range(d)],
     "you return [0.8415, 0.5403, 0.8415, 0.5403]"),
    ("lesson_03.add_positions", "adds the whole table", lambda x, table: x + table,
     "your code stopped at the line `"),
    ("lesson_03.add_positions", "concatenates", lambda x, table: torch.cat([x, table[: x.size(1)].expand_as(x)], dim=-1),
     "your result is [3, 3, 4], and it should be [3, 3, 2]: look at axis 2"),
    ("lesson_03.add_positions", "scales the tokens first", lambda x, table: x * x.size(-1) ** 0.5 + table[: x.size(1)], "18 of 18 entries are wrong"),
    ("lesson_04.add_and_norm", "normalises each, then adds", lambda src, _src, norm: norm(src) + norm(_src), "12 of 12 entries are wrong"),
    ("lesson_04.add_and_norm", "gives norm two arguments", lambda src, _src, norm: norm(src, _src), "takes 2 positional arguments but 3 were given"),
    ("lesson_04.run_layers", "calls the list", lambda layers, src, src_mask: layers(src, src_mask), "TypeError: 'list' object is not callable"),
    ("lesson_04.run_layers", "the first layer each time", lambda layers, src, src_mask: layers[0](layers[0](layers[0](src, src_mask), src_mask), src_mask),
     "3 of 4 entries are wrong: entry [0] is 7 and should be 21"),
    ("lesson_04.layer_forward", "returns the weights too", lambda src, m, attn, ff, n1, n2: (n2((y := n1(src + attn(src, src, src, m)[0])) + ff(y)), attn(src, src, src, m)[1]),
     "You return (tensor [3, 5, 8], None), and it should be tensor [3, 5, 8]."),
    ("lesson_05.attention", "returns the pair", lambda q, k, v: ((w := (q @ k.mT / q.size(-1) ** 0.5).softmax(-1)) @ v, w),
     "you return (tensor [5, 4], tensor [5, 5]), and it should be tensor [5, 4]"),
    ("lesson_05.cut_heads", "heads melted into the batch", lambda x, n: x.unflatten(-1, (n, -1)).transpose(1, 2).flatten(0, 1),
     "your result is [6, 5, 4], and it should be [3, 2, 5, 4]: it has 3 axes instead of 4"),
    ("lesson_05.cut_heads", "the lesson's width", lambda x, n: x.reshape(len(x), x.size(1), -1, 4).transpose(1, 2), "With input 3 of 3 (tensor [2, 5, 6], 2): your code stopped"),
    ("lesson_05.multi_head", "transposed matrices", lambda x, q, k, v, o, n: EXERCISES["lesson_05.multi_head"].reference(x, q.T, k.T, v.T, o.T, n), "120 of 120 entries are wrong"),
    ("lesson_05.multi_head", "w_o before the merge", lambda x, q, k, v, o, n: x.unflatten(-1, (n, -1)).transpose(1, 2) @ o, "your code stopped at the line `"),
    ("lesson_06.hide_padding", "axes in front", lambda src, pad_id: (src != pad_id)[None, None],
     "your result is [1, 1, 3, 3], and it should be [3, 1, 1, 3]: the lengths are right, and their order is not"),
    ("lesson_06.hide_padding", "the additive convention", lambda src, pad_id: torch.zeros(src.shape).masked_fill(src == pad_id, -math.inf)[:, None, None],
     "the entries are float32 and should be bool"),
    ("lesson_06.hide_padding", "larger than the padding", lambda src, pad_id: (src > pad_id)[:, None, None],
     "With input 2 of 2 (tensor [2, 5] int64, 7): the shape is right. 6 of 10 entries are wrong: entry [0, 0, 0, 0] is False and should be True."),
    ("lesson_06.hide_future", "a triangle of floats", lambda src, pad_id: (src != pad_id)[:, None, None] & torch.ones(src.size(1), src.size(1)).tril(), "your code stopped at the line `"),
    ("lesson_06.safe_softmax", "0 times -inf", lambda scores, mask: (scores + ~mask * -math.inf).softmax(-1), "36 of 36 entries are NaN. It comes from 0 / 0, from 0 times inf"),
    ("lesson_07.feed_forward", "ReLU at the end, too", lambda x, w1, b1, w2, b2: ((x @ w1 + b1).relu() @ w2 + b2).relu(), "entry [0, 0, 0] is 0 and should be -14.32"),
    ("lesson_07.feed_forward", "stops half-way", lambda x, w1, b1, w2, b2: (x @ w1 + b1).relu(),
     "Your result is [3, 5, 16], and it should be [3, 5, 8]: look at axis 2."),
    ("lesson_07.layer_norm", "an eps of its own", lambda x, gain, shift, eps: F.layer_norm(x, (4,), gain, shift), "With input 2 of 2 (tensor [3, 4, 4], tensor [4], tensor [4], 0.25): "),
    ("lesson_07.norm_first", "takes the first sentence", lambda src, attn, ff, n1, n2: (y := src + attn(n1(src))[0]) + ff(n2(y)),
     "all at index 1 of axis 0"),
    ("lesson_07.norm_first", "pre-norm, then post-norm", lambda src, attn, ff, n1, n2: n2((y := src + attn(n1(src))) + ff(y)), "24 of 24 entries are wrong"),
]  # fmt: skip


def test_there_are_five_for_each_lesson():
    lessons = [name.split(".")[0] for name, *_ in FRESH]
    assert {lesson: lessons.count(lesson) for lesson in lessons} == {f"lesson_0{n}": 5 for n in range(1, 8)}


@pytest.mark.parametrize(
    ("name", "what", "answer", "says"), FRESH, ids=lambda value: value if isinstance(value, str) else ""
)
def test_an_answer_that_no_list_foresaw_gets_a_true_sentence(name, what, answer, says):
    result = EXERCISES[name].judge(answer)
    assert result.status in ("different", "error") and says in result.message
