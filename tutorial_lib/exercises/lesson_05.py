"""Lesson 05: attention for one sentence, the cut into heads, and several heads with all four weight matrices."""

import math

import torch
import torch.nn.functional as F

from tutorial_lib.attention import merge_heads, split_heads
from tutorial_lib.check import Exercise, Mistake


def _attention(query, key, value, scale=None, dim=-1):
    return (query @ key.mT / (scale or math.sqrt(query.size(-1)))).softmax(dim) @ value


def _one_by_one(query, key, value):
    rows = [torch.stack([one @ other for other in key]) / key.size(1) ** 0.5 for one in query]
    return torch.stack([(row.exp() / row.exp().sum())[None] @ value for row in rows])[:, 0]


attention = Exercise(
    name="attention", minutes=6, difficulty={"en": "easy", "ko": "쉬움"},
    inputs=lambda: [(*torch.randn(3, sl, width),) for sl, width in ((5, 4), (4, 4), (3, 6))],  # one is square: wrong axes fit there
    reference=_attention,
    variants=[
        _one_by_one,
        lambda q, k, v: torch.einsum("qk,kd->qd", torch.einsum("qd,kd->qk", q, k).div(q.size(1) ** 0.5).softmax(1), v),
        lambda q, k, v: F.scaled_dot_product_attention(q[None], k[None], v[None])[0],
    ],
    mistakes=[
        Mistake("key_not_transposed", lambda q, k, v: (q @ k / q.size(-1) ** 0.5).softmax(-1) @ v, {
            "en": "query @ key meets rows with columns. Every query needs a dot product with every key: transpose the keys.",
            "ko": "query @ key는 행과 열을 곱합니다. 쿼리마다 모든 키와 내적해야 하니 키를 전치하세요."}),
        Mistake("not_scaled", lambda q, k, v: _attention(q, k, v, scale=1), {
            "en": "You did not divide the scores by the square root of head_dim.",
            "ko": "점수를 head_dim의 제곱근으로 나누지 않았습니다."}),
        Mistake("scaled_by_the_width", lambda q, k, v: _attention(q, k, v, scale=q.size(-1)), {
            "en": "You divided by head_dim itself. It is its square root.", "ko": "head_dim으로 나누었습니다. head_dim의 제곱근으로 나눠야 합니다."}),
        Mistake("scaled_by_the_length", lambda q, k, v: _attention(q, k, v, scale=q.size(0) ** 0.5), {
            "en": "You divided by the root of the number of tokens. It is the root of head_dim, the size of the last axis.",
            "ko": "토큰 수의 제곱근으로 나누었습니다. head_dim, 곧 마지막 축 크기의 제곱근으로 나누세요."}),
        Mistake("power_first", lambda q, k, v: _attention(q, k, v, scale=q.size(-1) / 2), {
            "en": "d ** 1 / 2 is d / 2, for the power comes first. Write d ** 0.5 or math.sqrt(d).",
            "ko": "d ** 1 / 2는 d / 2입니다. 거듭제곱이 먼저이기 때문입니다. d ** 0.5나 math.sqrt(d)로 쓰세요."}),
        Mistake("fixed_root", lambda q, k, v: _attention(q, k, v, scale=math.sqrt(2)), {
            "en": "You divided by √2, which was right in section 1 only. Take the root of head_dim.",
            "ko": "1절에서만 맞는 √2로 나누었습니다. head_dim의 제곱근을 쓰세요."}),
        Mistake("multiplied", lambda q, k, v: _attention(q, k, v, scale=q.size(-1) ** -0.5), {
            "en": "You multiplied the scores by the root. Divide.",
            "ko": "점수에 제곱근을 곱했습니다. 나누어야 합니다."}),
        Mistake("softmax_over_queries", lambda q, k, v: _attention(q, k, v, dim=0), {
            "en": "Your columns add up to 1. Each query shares out its own attention: softmax along the keys, the last axis.",
            "ko": "열의 합이 1입니다. 쿼리마다 자기 관심을 나누어야 하니 softmax는 키 방향, 곧 마지막 축으로 적용하세요."}),
        Mistake("roles_swapped", lambda q, k, v: _attention(k, q, v), {
            "en": "Your rows are keys and your columns queries. It is query @ key transposed, not the other way round.",
            "ko": "행이 키이고 열이 쿼리입니다. key가 아니라 query에서 시작해 전치한 key를 곱하세요."}),
        Mistake("no_softmax", lambda q, k, v: q @ k.mT / q.size(-1) ** 0.5 @ v, {
            "en": "You mixed the values with raw scores. softmax makes shares of them first.", "ko": "점수를 그대로 곱했습니다. 먼저 softmax로 비율을 만드세요."}),
        Mistake("scaled_after_softmax", lambda q, k, v: (q @ k.mT).softmax(-1) / q.size(-1) ** 0.5 @ v, {
            "en": "You divided the shares instead of the scores: they no longer add up to 1. Divide before the softmax.",
            "ko": "점수가 아니라 비율을 나누어서 합이 1이 되지 않습니다. softmax 전에 나누세요."}),
        Mistake("mixes_the_keys", lambda q, k, v: _attention(q, k, k), {
            "en": "The shares are right, but you mixed the keys. What is handed on are the values.",
            "ko": "비율은 맞지만 키를 섞었습니다. 섞어서 내보내는 것은 값(value)입니다."}),
        Mistake("weights_only", lambda q, k, v: (q @ k.mT / q.size(-1) ** 0.5).softmax(-1), {
            "en": "These are the weights. One step is left: mix the values in these shares.", "ko": "가중치까지 구했습니다. 마지막으로 이 비율대로 값(value)을 섞으세요."}),
    ],
    hints=[{"en": "Every query meets every key: the scores are a table, [sl, sl].",
            "ko": "모든 쿼리가 모든 키를 만납니다. 점수는 [sl, sl] 표가 됩니다."},
           {"en": "key.transpose(-2, -1) turns the keys; softmax(dim=-1) runs along the keys.",
            "ko": "key.transpose(-2, -1)이 키를 전치하고, softmax(dim=-1)이 키 방향으로 적용됩니다."}],
)  # fmt: skip


def _split(x, n_heads):
    return split_heads(x, n_heads=n_heads)


cut_heads = Exercise(
    name="cut_heads", minutes=5, difficulty={"en": "medium", "ko": "보통"},
    inputs=lambda: [(torch.randn(3, 5, 8), 2), (torch.randn(2, 4, 16), 4), (torch.randn(2, 5, 6), 2)],  # the second cut is square
    reference=_split, variants=[
        lambda x, n: torch.stack(x.chunk(n, dim=-1), dim=1),
        lambda x, n: x.unflatten(-1, (n, -1)).permute(0, 2, 1, 3),
    ],
    mistakes=[
        Mistake("view_alone", lambda x, n: x.reshape(x.size(0), n, x.size(1), -1), {
            "en": "The heads were cut by view alone: each head now mixes several tokens. Cut the last axis first, then transpose.",
            "ko": "view만으로 나누어서 헤드마다 여러 토큰이 섞였습니다. 먼저 마지막 축을 나누고, 그다음에 전치하세요."}),
        Mistake("not_moved", lambda x, n: x.unflatten(-1, (n, -1)), {
            "en": "The cut is right, [bs, sl, n_heads, head_dim]. Now move the heads in front of the tokens.",
            "ko": "나누기는 맞았습니다. [bs, sl, n_heads, head_dim]입니다. 이제 헤드 축을 토큰 축 앞으로 옮기세요."}),
        Mistake("every_other_number", lambda x, n: x.unflatten(-1, (-1, n)).permute(0, 3, 1, 2), {
            "en": "Each head took every n-th number of a token. A head takes one run of neighbours: n_heads first, then head_dim.",
            "ko": "헤드마다 숫자를 n_heads칸씩 건너뛰며 가져갔습니다. 헤드는 이웃한 숫자 한 토막을 가져가야 합니다. 마지막 축을 [n_heads, head_dim] 순서로 나누세요."}),
        Mistake("pieces_of_n", lambda x, n: torch.stack(x.split(n, dim=-1), dim=1), {
            "en": "You cut many slices of n_heads numbers. You want n_heads slices of head_dim: split takes the size of a piece, chunk their number.",
            "ko": "n_heads개짜리 토막으로 잘게 나누었습니다. head_dim개짜리 토막이 n_heads개여야 합니다. split은 토막의 크기를, chunk는 개수를 받습니다."}),
        Mistake("turned", lambda x, n: x.unflatten(-1, (n, -1)).permute(0, 2, 3, 1), {
            "en": "sl and head_dim are swapped: you moved one axis too many. The numbers of a token stay last.",
            "ko": "sl과 head_dim이 뒤바뀌었습니다. 축을 하나 더 옮겼습니다. 한 토큰의 숫자들이 마지막 축에 남아야 합니다."}),
        Mistake("copies", lambda x, n: x[:, None].expand(-1, n, -1, -1), {
            "en": "Each head got a copy of the whole token. It takes only its slice of the width.",
            "ko": "헤드마다 토큰 전체를 복사했습니다. 헤드는 너비의 한 토막만 가져갑니다."}),
    ],
    hints=[{"en": "First cut the last axis: [bs, sl, n_heads, head_dim].", "ko": "먼저 마지막 축을 나눕니다: [bs, sl, n_heads, head_dim]."},
           {"en": "Then transpose(1, 2).", "ko": "그다음은 transpose(1, 2)입니다."}],
)  # fmt: skip


def _many(x, w_q, w_k, w_v, w_o, n_heads, split=_split, merge=merge_heads, scale=None, dim=-1):
    query, key, value = (split(x @ w, n_heads) for w in (w_q, w_k, w_v))
    return merge(_attention(query, key, value, scale, dim)) @ w_o


def _head_by_head(x, w_q, w_k, w_v, w_o, n_heads):
    slices = torch.arange(x.size(-1)).chunk(n_heads)
    return torch.cat([_attention(x @ w_q[:, s], x @ w_k[:, s], x @ w_v[:, s]) for s in slices], dim=-1) @ w_o


multi_head = Exercise(
    name="multi_head", minutes=12, difficulty={"en": "a stretch", "ko": "도전"},
    inputs=lambda: [(torch.randn(3, 5, 8), *torch.randn(4, 8, 8) / 2, 2), (torch.randn(2, 4, 16), *torch.randn(4, 16, 16) / 2, 4),
                    (torch.randn(2, 5, 6), *torch.randn(4, 6, 6) / 2, 2)],
    reference=_many, variants=[_head_by_head],
    mistakes=[
        Mistake("scaled_by_hid_dim", lambda x, *rest: _many(x, *rest, scale=x.size(-1) ** 0.5), {
            "en": "You divided by the root of hid_dim. A head compares vectors of width head_dim: take the root of that.",
            "ko": "hid_dim의 제곱근으로 나누었습니다. 헤드가 비교하는 벡터의 너비는 head_dim이니 그 제곱근을 쓰세요."}),
        Mistake("merged_by_view", lambda x, *rest: _many(x, *rest, merge=lambda c: c.reshape(x.shape)), {
            "en": "The heads were put together by view alone, and tokens got mixed. Move the heads back behind the tokens first.",
            "ko": "view만으로 합쳐서 토큰이 섞였습니다. 먼저 헤드 축을 토큰 축 뒤로 되돌리세요."}),
        Mistake("cut_by_view", lambda x, *rest: _many(x, *rest, split=lambda y, n: y.reshape(len(y), n, y.size(1), -1)), {
            "en": "The heads were cut by view alone: each mixes several tokens. Cut the last axis first, then transpose.",
            "ko": "view만으로 나누어서 헤드마다 토큰이 섞였습니다. 먼저 마지막 축을 나누고, 그다음에 전치하세요."}),
        Mistake("heads_not_moved", lambda x, *rest: _many(x, *rest, split=lambda y, n: y.unflatten(-1, (n, -1)), merge=lambda c: c.flatten(2)), {
            "en": "The heads of one token attend to each other: they still stand behind the tokens. transpose(1, 2) first.",
            "ko": "한 토큰의 헤드들이 서로를 보고 있습니다. 헤드 축이 아직 토큰 축 뒤에 있습니다. 먼저 transpose(1, 2)를 하세요."}),
        Mistake("view_both_ways", lambda x, *rest: _many(x, *rest, split=lambda y, n: y.reshape(len(y), n, y.size(1), -1), merge=lambda c: c.reshape(x.shape)), {
            "en": "view cuts and view merges: the two fit, and each head still mixes several tokens. Cut the last axis, then transpose, and back in the other order.",
            "ko": "나눌 때도 합칠 때도 view만 썼습니다. 짝은 맞지만 헤드마다 토큰이 섞입니다. 마지막 축을 나누고 전치하고, 돌아올 때는 거꾸로 하세요."}),
        Mistake("no_output_projection", lambda *a: _many(*a[:4], torch.eye(a[0].size(-1)).to(a[0]), a[5]), {
            "en": "The heads stand side by side, and w_o is missing: it lets each output use all heads.",
            "ko": "헤드를 나란히 놓기만 하고 w_o를 곱하지 않았습니다. w_o가 있어야 헤드들의 결과가 서로 섞입니다."}),
        Mistake("one_head", lambda *a: _many(*a[:5], 1), {
            "en": "This is one wide head. Cut query, key and value into n_heads slices, each with a softmax of its own.",
            "ko": "넓은 헤드 하나로 계산했습니다. 쿼리, 키, 값을 n_heads개의 토막으로 나누고 헤드마다 softmax를 따로 적용하세요."}),
        Mistake("softmax_over_queries", lambda *a: _many(*a, dim=-2), {
            "en": "The softmax ran along the queries. It runs along the keys, the last axis.",
            "ko": "softmax를 쿼리 방향으로 적용했습니다. 마지막 축인 키 방향으로 적용하세요."}),
        Mistake("softmax_over_heads", lambda *a: _many(*a, dim=1), {
            "en": "The softmax ran along the heads: axis 1 is theirs now. It runs along the keys, dim=-1.",
            "ko": "softmax를 헤드 방향으로 적용했습니다. 이제 1번 축은 헤드입니다. 키 방향인 dim=-1로 적용하세요."}),
        Mistake("values_not_projected", lambda *a: _many(a[0], a[1], a[2], torch.eye(a[0].size(-1)).to(a[0]), *a[4:]), {
            "en": "The values are x itself. They are projected too: x @ w_v.", "ko": "값(value)으로 x를 그대로 썼습니다. 값도 x @ w_v로 투영해야 합니다."}),
        Mistake("not_scaled", lambda *a: _many(*a, scale=1), {
            "en": "You did not divide the scores by the square root of head_dim.",
            "ko": "점수를 head_dim의 제곱근으로 나누지 않았습니다."}),
    ],
    hints=[{"en": "Cut x @ w_q, x @ w_k and x @ w_v into heads; attention then works on the last two axes.",
            "ko": "x @ w_q, x @ w_k, x @ w_v를 헤드로 나누면, 어텐션은 마지막 두 축에서 그대로 계산됩니다."},
           {"en": "transpose(1, 2).flatten(2) merges the heads. w_o comes last.", "ko": "transpose(1, 2).flatten(2)가 헤드를 합칩니다. w_o는 마지막에 곱합니다."}],
)  # fmt: skip
