"""Lesson 08: names from one language to the other, post A's Layer repaired, and a function applied in chunks."""

import torch

from tutorial_lib.bert import NAMES, Config, Layer
from tutorial_lib.check import Exercise, Mistake


def _renamed(name, names=NAMES):
    part, kind = name.rsplit(".", 1)
    return f"{names[part]}.{kind}"


def _swapped(a, b):
    return lambda name: _renamed(name, {**NAMES, a: NAMES[b], b: NAMES[a]})


bert_name = Exercise(
    name="bert_name", minutes=6, difficulty={"en": "easy", "ko": "쉬움"},
    inputs=lambda: [(f"{part}.{kind}",) for part in NAMES for kind in ("weight", "bias")],
    reference=_renamed,
    variants=[lambda name: next(name.replace(ours, theirs) for ours, theirs in NAMES.items() if name.startswith(ours + "."))],
    mistakes=[
        Mistake("outputs_confused", _swapped("self_attn.out_proj", "ff.linear2"), {
            "en": "attention.output and output are confused: out_proj belongs to attention, linear2 to the layer's own output.",
            "ko": "attention.output과 output을 혼동했습니다. out_proj는 어텐션에, linear2는 계층 자신의 output에 있습니다."}),
        Mistake("norms_confused", _swapped("attn_layer_norm", "ff_layer_norm"), {
            "en": "The two norms are swapped: attn_layer_norm stands in attention.output.",
            "ko": "두 norm이 뒤바뀌었습니다. attn_layer_norm은 attention.output에 있습니다."}),
        Mistake("key_and_value_swapped", _swapped("self_attn.k_proj", "self_attn.v_proj"), {
            "en": "key and value are swapped. The shapes are the same, so loading would not complain.",
            "ko": "key와 value가 뒤바뀌었습니다. 모양이 같아서 불러올 때도 오류가 나지 않습니다."}),
        Mistake("wide_and_back_swapped", _swapped("ff.linear1", "ff.linear2"), {
            "en": "linear1 is the wide one, intermediate.dense; linear2 leads back, output.dense.",
            "ko": "넓히는 linear1이 intermediate.dense이고, 되돌리는 linear2가 output.dense입니다."}),
        Mistake("kind_lost", lambda name: NAMES[name.rsplit(".", 1)[0]], {
            "en": "The part is right; .weight or .bias is missing at the end.", "ko": "부품은 맞지만 끝의 .weight나 .bias가 빠졌습니다."}),
    ],
    hints=[{"en": "A dictionary with eight entries: the names without .weight and .bias.", "ko": "항목이 여덟 개인 사전을 만드세요. .weight와 .bias를 뺀 이름들입니다."},
           {"en": 'part, kind = name.rsplit(".", 1) takes the last word off.', "ko": 'part, kind = name.rsplit(".", 1)은 마지막 점 뒤의 조각을 떼어 냅니다.'}],
)  # fmt: skip


def _pieces():
    config = Config(vocab_size=9, hidden_size=8, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16)
    layer = Layer(config).eval()
    for norm in (layer.attention.output.LayerNorm, layer.output.LayerNorm):
        torch.nn.init.normal_(norm.weight)
    mask = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0], [1, 1, 0, 0, 0]]).bool()[:, None, None, :]
    return [(torch.randn(3, 5, 8), mask, layer.attention, layer.intermediate, layer.output)]


def _layer(hidden_states, mask, attention, intermediate, output):
    attended, _ = attention(hidden_states, mask)
    return output(intermediate(attended), attended)


bert_layer = Exercise(
    name="bert_layer", minutes=7, difficulty={"en": "medium", "ko": "보통"}, inputs=_pieces, reference=_layer,
    variants=[lambda h, m, attention, intermediate, output: (lambda x: output(hidden_states=intermediate(x), input_tensor=x))(attention(h, m)[0])],
    mistakes=[
        Mistake("drops_the_mask", lambda h, m, attention, *rest: _layer(h, None, attention, *rest), {
            "en": "The mask stops here, as in post A: attention never gets it. Hand it on.", "ko": "글 A처럼 마스크가 여기서 끊깁니다. 어텐션이 받지 못합니다. 넘겨주세요."}),
        Mistake("sample_zero", lambda h, m, attention, inter, output: output(inter(x := attention(h, m)[0][0]), x.expand_as(h)), {
            "en": "[0] was taken once too often, as in post A: it is sample 0, and all samples get its attention.",
            "ko": "글 A처럼 [0]을 한 번 더 썼습니다. 0번 문장만 남으므로 모든 문장이 0번 문장의 어텐션을 받습니다."}),
        Mistake("old_residual", lambda h, m, attention, inter, output: output(inter(attention(h, m)[0]), h), {
            "en": "output adds what it is given second: give it what came out of attention, not the layer's input.",
            "ko": "output은 둘째로 받은 것을 더합니다. 계층의 입력이 아니라 어텐션에서 나온 것을 넘기세요."}),
        Mistake("not_widened", lambda h, m, attention, inter, output: output(attention(h, m)[0], attention(h, m)[0]), {
            "en": "output was given a narrow tensor first. It waits for the wide one, [bs, sl, pf_dim], which comes out of intermediate, and then for the one to add.",
            "ko": "output이 첫째로 좁은 텐서를 받았습니다. 첫째는 intermediate에서 나온 넓은 텐서 [bs, sl, pf_dim]이고, 둘째가 더할 텐서입니다."}),
        Mistake("keeps_the_pair", lambda h, m, attention, inter, output: output(inter(x := attention(h, m)), x), {
            "en": "attention returns a pair, the output and the weights. Take the first.", "ko": "attention은 출력과 가중치, 두 개를 돌려줍니다. 첫째를 쓰세요."}),
        Mistake("stops_half_way", lambda h, m, attention, inter, output: attention(h, m)[0], {
            "en": "This is what leaves attention. intermediate and output are still to come.", "ko": "어텐션에서 나온 것입니다. intermediate와 output이 아직 남았습니다."}),
    ],
    hints=[{"en": "Three lines: attention, intermediate, output.", "ko": "세 줄입니다. attention, intermediate, output."},
           {"en": "output gets two tensors: the wide one, and the one to add.", "ko": "output은 텐서 두 개를 받습니다. 넓힌 것과 더할 것입니다."}],
)  # fmt: skip


def _f(piece):
    """Tells how large a piece was, and gives one number more for each place than it got."""
    if not piece.numel():
        raise ValueError("f got a piece without places")
    return torch.cat([piece, piece[..., :1]], dim=-1) + piece.size(1) + 10 * len(piece)


def _chunked(f, x, size):
    return torch.cat([f(piece) for piece in x.split(size, dim=1)], dim=1)


in_chunks = Exercise(
    name="in_chunks", minutes=7, difficulty={"en": "a stretch", "ko": "도전"},
    inputs=lambda: [(_f, torch.randn(5, sl, 3), size) for sl, size in ((6, 2), (7, 3), (4, 4))],
    reference=_chunked,
    variants=[lambda f, x, size: torch.cat([f(x[:, i : i + size]) for i in range(0, x.size(1), size)], 1)],
    mistakes=[
        Mistake("number_of_pieces", lambda f, x, size: torch.cat([f(piece) for piece in x.chunk(size, dim=1)], dim=1), {
            "en": "chunk takes the number of pieces. You want pieces of a given size: split.", "ko": "chunk는 토막의 개수를 받습니다. 크기가 정해진 토막이 필요하니 split을 쓰세요."}),
        Mistake("along_the_batch", lambda f, x, size: torch.cat([f(piece) for piece in x.split(size)]), {
            "en": "You cut the batch. Cut along the places, dim=1.", "ko": "배치를 잘랐습니다. 자리 방향인 dim=1로 자르세요."}),
        Mistake("rest_lost", lambda f, x, size: torch.cat([f(x[:, i : i + size]) for i in range(0, x.size(1) - size + 1, size)], 1), {
            "en": "The last piece, shorter than the others, is lost.", "ko": "다른 것보다 짧은 마지막 토막이 사라졌습니다."}),
        Mistake("first_only", lambda f, x, size: f(x[:, :size]), {
            "en": "Only the first piece was done.", "ko": "첫 토막만 처리했습니다."}),
        Mistake("not_cut", lambda f, x, size: f(x), {
            "en": "f got everything at once. It should never see more than size places.", "ko": "f가 전체를 한꺼번에 받았습니다. 한 번에 size자리까지만 보아야 합니다."}),
    ],
    hints=[{"en": "Cut, apply, put together: three steps.", "ko": "자르고, 적용하고, 다시 붙입니다."},
           {"en": "x.split(size, dim=1) and torch.cat(..., dim=1).", "ko": "x.split(size, dim=1)과 torch.cat(..., dim=1)입니다."}],
)  # fmt: skip
