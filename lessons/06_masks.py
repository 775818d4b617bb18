# ---
# jupyter:
#   jupytext:
#     formats: py:percent
#     cell_metadata_filter: lang,of,name,tags,-all
# ---

# %% [markdown] lang="en" name="title"
# # 06 · Masks
#
# Post B hands a `src_mask` to every layer and says: next time. Here it is. A mask says which keys may be looked at, and hardly anything in a Transformer goes wrong so often and so quietly: four conventions are in use, two of them exact opposites,
# and a mask on the wrong axis has the right shape.
#
# **You will be able to**
#
# - build a padding mask and a causal mask, combine them, and say what each axis is for;
# - read any of the four conventions and convert it, and tell what comes out when one is taken for another;
# - make a softmax that survives a query with nothing to look at, in float16, too.
#
# **Read first**: [05 · Multi-head attention](05_multi_head_attention.ipynb).
#
# **Time**: 80 minutes.
#
# <details><summary>For the classroom</summary>
#
# | Section | Minutes |
# |---|---|
# | 1 Padding is heard | 13 |
# | 2 Keys, not queries | 9 |
# | 3 The one test to remember | 6 |
# | 4 The future | 16 |
# | 5 Four conventions | 10 |
# | 6 A query with nothing to look at | 19 |
# | 7 Ones for zeros | 7 |
#
# Two questions to ask: *The rows of padding tokens are computed and thrown away. Why do we not mask them, too?*
# *Somebody's model trains well, and its loss on the held-out sentences is wonderful. Which mask would you look at first?*
#
# </details>

# %% [markdown] lang="ko" name="title" of="19cc455b"
# # 06 · 마스크
#
# 글 B는 모든 계층에 `src_mask`를 넘기면서 설명은 다음으로 미룹니다. 그 이야기를 지금 합니다. 마스크는 어느 키를 봐도 되는지 정합니다. 트랜스포머에서 이만큼 자주, 이만큼 조용히 틀리는 것도 드뭅니다. 쓰이는 관례가 네 가지인데 그중 둘은 정반대이고,
# 엉뚱한 축에 놓인 마스크도 모양은 맞습니다.
#
# **이 강의를 마치면**
#
# - 패딩 마스크와 인과 마스크를 만들어 합치고, 축마다 무엇을 뜻하는지 말할 수 있습니다.
# - 네 가지 관례를 모두 읽고 서로 바꾸고, 혼동하면 무슨 일이 생기는지 말할 수 있습니다.
# - 볼 것이 하나도 없는 쿼리가 있어도, 또 float16으로 계산해도 무너지지 않는 softmax를 만들 수 있습니다.
#
# **먼저 볼 것**: [05 · 멀티 헤드 어텐션](05_multi_head_attention.ipynb).
#
# **시간**: 80분.
#
# <details><summary>수업용 안내</summary>
#
# | 절 | 분 |
# |---|---|
# | 1 패딩의 말도 듣습니다 | 13 |
# | 2 쿼리가 아니라 키 | 9 |
# | 3 하나만 기억한다면 이 테스트 | 6 |
# | 4 미래 | 16 |
# | 5 네 가지 관례 | 10 |
# | 6 볼 것이 없는 쿼리 | 19 |
# | 7 0이어야 할 자리에 1 | 7 |
#
# 던져 볼 질문 두 가지: *패딩 토큰의 행도 계산하고 버립니다. 왜 그 행은 가리지 않을까요?*
# *어떤 모델이 학습도 잘되고 평가용 문장의 손실도 놀랍도록 낮습니다. 어느 마스크부터 살펴보겠습니까?*
#
# </details>

# %% name="setup" tags=["setup"]

# %% name="imports" tags=["imports"]
import matplotlib.pyplot as plt
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from tutorial_lib import data, device, plot, t
from tutorial_lib.attention import MultiHeadAttention, masked_softmax
from tutorial_lib.embedding import Embed
from tutorial_lib.encoder import Encoder
from tutorial_lib.exercises import lesson_06 as check
from tutorial_lib.masks import (
    check_mask,
    from_additive,
    from_integers,
    from_key_padding_mask,
    padding_mask,
    to_additive,
    to_integers,
    to_key_padding_mask,
)
from tutorial_lib.text import Vocab

# %% [markdown] lang="en" name="heard"
# ## 1. Padding is heard
#
# Three sentences of different length (*it rained, so I bought an umbrella*; *the cat sleeps*; *(it) sleeps*), padded to one box:

# %% [markdown] lang="ko" name="heard" of="9b9f06b6"
# ## 1. 패딩의 말도 듣습니다
#
# 길이가 다른 문장 셋을 패딩으로 채워 상자 하나에 담았습니다.

# %% name="batch"
vocab = Vocab.build(data.sentences("ko"))
src = vocab.batch(["비가 와서 우산을 샀다.", "고양이가 잔다.", "잔다."]).to(device())  # src: [bs, sl]
tokens = [vocab.decode(row, specials=True) for row in src]
plot.batch_grid(src, tokens, pad_id=vocab.pad_id)
plt.show()

# %% [markdown] lang="en" name="heard-guess"
# **Guess first.** The last sentence has four real tokens and three `<PAD>`, whose vectors are zero (lesson 03). How much of their attention do the real tokens give to the padding?

# %% [markdown] lang="ko" name="heard-guess" of="c268fba8"
# **먼저 예상해 보세요.** 마지막 문장에는 진짜 토큰이 네 개, `<PAD>`가 세 개 있습니다. 패딩의 벡터는 모두 0입니다(03강). 진짜 토큰은 자기 관심 가운데 얼마를 패딩에 줄까요?

# %% name="heard-run"
embed = Embed(input_dim=len(vocab), hid_dim=8, pad_id=vocab.pad_id).to(device())
attend = MultiHeadAttention(hid_dim=8, n_heads=2).to(device()).eval()
with torch.no_grad():
    x = embed(src)  # x: [bs, sl, hid_dim]
    _, unmasked = attend(x, x, x, need_weights=True)  # unmasked: [bs, n_heads, sl, sl]
to_padding = unmasked[2, 0, :4, 4:].sum(dim=-1)  # to_padding: [4]
to_padding.cpu().round(decimals=2)

# %% [markdown] lang="en" name="heard-text"
# About 0.4 from each of the four (here for head 0), nearly what an even split would give, three sevenths. A zero vector has a score near 0 (not quite, as the key's projection adds its bias), and **a score of 0 is not a share of 0**: softmax gives it $e^0 = 1$ before dividing. To be left out, a key must be told apart by a mask. The library's `padding_mask` makes one from the ids:

# %% [markdown] lang="ko" name="heard-text" of="2c877b5c"
# 네 토큰이 저마다 0.4쯤 줍니다(헤드 0의 값입니다). 고르게 나눌 때의 값인 7분의 3과 거의 같습니다. 0으로 된 벡터는 점수가 0 근처이고(키의 투영이 편향을 더하므로 정확히 0은 아닙니다), **점수가 0이라고 비율이 0인 것은 아닙니다**. softmax는 나누기 전에 $e^0 = 1$을 줍니다. 어떤 키를 빼려면 마스크로 구별해 주어야 합니다. 라이브러리의 `padding_mask`가 번호에서 마스크를 만듭니다.

# %% name="masked-run"
src_mask = padding_mask(src, pad_id=vocab.pad_id)  # src_mask: [bs, 1, 1, sl]
with torch.no_grad():
    _, masked = attend(x, x, x, src_mask, need_weights=True)  # masked: [bs, n_heads, sl, sl]
maps = torch.stack([unmasked[2, 0], masked[2, 0]])  # maps: [2, sl, sl]
titles = [t(en="no mask, untrained", ko="마스크 없음, 학습 전"), t(en="src_mask, untrained", ko="src_mask, 학습 전")]
plot.attention_grid(maps, tokens[2], titles=titles, annotate=True)
plt.show()

# %% [markdown] lang="en" name="masked-text"
# With the mask the last three columns are 0.00 in every row, and what they had is shared among the four real tokens. (A mask hides exactly, trained or not.)
#
# Three rules, and they hold in the whole library:
#
# - a mask is boolean, and `True` means **may be attended**;
# - it has four axes, `[bs, n_heads, sl_q, sl_k]`, and any of the first three may be 1: then broadcasting uses it for all sentences, all heads, or all queries;
# - it hides **keys**.
#
# Our `src_mask` is `[bs, 1, 1, sl]`: one list of keys for each sentence, the same for every head and every query.

# %% [markdown] lang="ko" name="masked-text" of="67b8a244"
# 마스크를 넣으면 마지막 세 열이 모든 행에서 0.00이 되고, 그 몫은 진짜 토큰 넷이 나눠 가집니다. (마스크는 학습하지 않아도 정확히 가립니다.)
#
# 규칙은 세 가지이고, 라이브러리 전체에서 통합니다.
#
# - 마스크는 불(bool)이고, `True`는 **봐도 된다**는 뜻입니다.
# - 축은 `[bs, n_heads, sl_q, sl_k]` 네 개입니다. 앞의 세 축은 1이어도 됩니다. 그러면 브로드캐스팅으로 모든 문장, 모든 헤드, 모든 쿼리에 똑같이 쓰입니다.
# - 마스크는 **키**를 가립니다.
#
# 우리 `src_mask`는 `[bs, 1, 1, sl]`입니다. 문장마다 키의 목록이 하나 있고, 모든 헤드와 모든 쿼리가 같은 목록을 씁니다.

# %% [markdown] lang="en" name="exercise-padding-text" tags=["exercise"]
# ### Your turn · easy · about 4 minutes
#
# `hide_padding(src, pad_id)`: ids `[bs, sl]` → mask `[bs, 1, 1, sl]`. `True` at real tokens.
#
# <details><summary>Hint 1</summary>One comparison, and two axes more.</details>
# <details><summary>Hint 2</summary><code>[:, None, None, :]</code> puts two axes of length 1 in the middle.</details>

# %% [markdown] lang="ko" name="exercise-padding-text" of="346e540e" tags=["exercise"]
# ### 직접 해 보기 · 쉬움 · 약 4분
#
# `hide_padding(src, pad_id)`: 번호 `[bs, sl]` → 마스크 `[bs, 1, 1, sl]`. 진짜 토큰 자리가 `True`입니다.
#
# <details><summary>힌트 1</summary>비교 한 번, 그리고 축 두 개입니다.</details>
# <details><summary>힌트 2</summary><code>[:, None, None, :]</code>은 길이가 1인 축 두 개를 가운데에 넣습니다.</details>


# %% name="exercise-padding" tags=["exercise"]
def hide_padding(src, pad_id):
    # your turn
    ...


check.hide_padding(hide_padding)


# %% name="solution-padding" tags=["solution"]
def hide_padding(src, pad_id):
    return (src != pad_id)[:, None, None, :]  # [bs, 1, 1, sl]


check.hide_padding(hide_padding)

# %% [markdown] lang="en" name="library-padding-text"
# The library's own, with two questions to its input first:

# %% [markdown] lang="ko" name="library-padding-text" of="64f4835d"
# 라이브러리의 함수입니다. 먼저 입력을 두 가지 확인합니다.

# %% name="library-padding"
# from tutorial_lib.masks: padding_mask

# %% [markdown] lang="en" name="axis"
# ## 2. Keys, not queries
#
# What if the same list stood one axis further left, `[bs, 1, sl, 1]`? It would say which *queries* may look. It broadcasts without an error, too. We use scores that are all 0, so that only the mask shows, and apply it as is usual: where the mask is False, the score becomes -inf (minus infinity), because $e^{-\infty} = 0$.
# **Guess first.** What will the rows of the padding look like, and what the others?

# %% [markdown] lang="ko" name="axis" of="0dff2778"
# ## 2. 쿼리가 아니라 키
#
# 같은 목록이 한 축 왼쪽에 있다면, 곧 `[bs, 1, sl, 1]`이라면 어떨까요? 어느 *쿼리*가 볼 수 있는지를 정하게 됩니다. 브로드캐스팅은 이번에도 오류 없이 됩니다. 마스크의 효과만 보이도록 점수를 모두 0으로 두고, 흔히 하듯 마스크가 False인 자리의 점수를 -inf(음의 무한대)로 채웁니다. $e^{-\infty} = 0$이기 때문입니다.
# **먼저 예상해 보세요.** 패딩의 행은 어떻게 되고, 나머지 행은 어떻게 될까요?


# %% name="axis-run"
def shares(scores, mask):
    return scores.masked_fill(~mask, float("-inf")).softmax(dim=-1)


scores = torch.zeros(3, 1, 7, 7).to(device())  # scores: [bs, 1, sl, sl]
is_real = src != vocab.pad_id  # is_real: [bs, sl]
on_keys = shares(scores, is_real[:, None, None, :])  # on_keys: [bs, 1, sl, sl]
on_queries = shares(scores, is_real[:, None, :, None])  # on_queries: [bs, 1, sl, sl]

# %% name="axis-picture"
maps = torch.stack([on_keys[2, 0], on_queries[2, 0]])  # maps: [2, sl, sl]
titles = [
    t(en="[bs, 1, 1, sl]: keys hidden", ko="[bs, 1, 1, sl]: 키를 가림"),
    t(en="[bs, 1, sl, 1]: queries hidden", ko="[bs, 1, sl, 1]: 쿼리를 가림"),
]
plot.attention_grid(maps, tokens[2], titles=titles, annotate=True)
plt.show()

# %% [markdown] lang="en" name="axis-text"
# On the right nothing is as it should be. The four real tokens listen to padding (0.14 to every place), and the rows of the padding are red, which means NaN (not a number): all their scores are -inf, and $0 / 0$ comes out.
# On the left the padding's rows are ordinary. They are computed, and nobody reads them: no real token looks there, and the loss leaves them out. That is why we need not hide queries.
#
# Worse is a mask that forgets its axes. `[bs, sl]` broadcasts from the right, so `bs` lands on the queries. Usually that is an error, but with as many sentences as places it is not. Here are two sentences of two places, the ids [4, 0] and [4, 5]; only in sentence 0 is there padding, at place 1.

# %% [markdown] lang="ko" name="axis-text" of="dbca15fb"
# 오른쪽은 하나도 맞지 않습니다. 진짜 토큰 넷은 패딩의 말을 듣고(모든 자리에 0.14), 패딩의 행은 NaN(숫자가 아님)이라서 빨갛게 칠해져 있습니다. 점수가 모두 -inf라서 $0 / 0$이 됩니다.
# 왼쪽에서 패딩의 행은 평범합니다. 계산은 하지만 아무도 읽지 않습니다. 진짜 토큰은 그쪽을 보지 않고, 손실을 구할 때도 그 행은 빼기 때문입니다. 그래서 쿼리는 가릴 필요가 없습니다.
#
# 축을 빠뜨린 마스크는 더 나쁩니다. `[bs, sl]`은 오른쪽부터 맞춰지므로 `bs`가 쿼리 축에 놓입니다. 보통은 오류가 나지만, 문장 수와 자리 수가 같으면 나지 않습니다. 자리가 둘인 문장 두 개, 번호로 [4, 0]과 [4, 5]를 봅시다. 패딩은 문장 0의 1번 자리 하나뿐입니다.

# %% name="square-trap"
square = torch.tensor([[4, 0], [4, 5]])  # square: [2, 2]
flat = shares(torch.zeros(2, 1, 2, 2), square != 0)  # flat: [2, 1, 2, 2]
full = shares(torch.zeros(2, 1, 2, 2), (square != 0)[:, None, None, :])  # full: [2, 1, 2, 2]

# %% name="square-picture"
shapes = ["[bs, sl]", "[bs, 1, 1, sl]"]
titles = [t(en=f"{shape}, sentence {i}", ko=f"{shape}, 문장 {i}") for shape in shapes for i in (0, 1)]
plot.attention_grid(torch.cat([flat, full])[:, 0], ["0", "1"], titles=titles, annotate=True, bar=False)
plt.show()

# %% [markdown] lang="en" name="square-text"
# On the right it is as it should be: in sentence 0 both queries give everything to place 0, and sentence 1, which has no padding, shares evenly. On the left the second query of sentence 0 listens to padding, and sentence 1 is masked like sentence 0.
# The library accepts four axes only, also where two would fit by chance (7 sentences of 7 places):

# %% [markdown] lang="ko" name="square-text" of="abc6cad1"
# 오른쪽 둘이 맞습니다. 문장 0에서는 두 쿼리 모두 0번 자리에 전부를 주고, 패딩이 없는 문장 1은 고르게 나눕니다. 왼쪽 둘에서는 문장 0의 둘째 쿼리가 패딩의 말을 듣고, 패딩이 없는 문장 1까지 문장 0처럼 가려졌습니다.
# 라이브러리는 축이 넷인 마스크만 받습니다. 축 두 개가 우연히 맞을 때(자리가 7개인 문장 7개)도 그렇습니다.

# %% name="square-refused"
seven = x[2:].expand(7, 7, 8)  # seven: [7, 7, hid_dim]
try:
    attend(seven, seven, seven, is_real[2:].expand(7, 7))
except ValueError as error:
    print(error)

# %% [markdown] lang="en" name="test"
# ## 3. The one test to remember
#
# How would you find out that a padding mask is wrong, or does not reach some layer? One test sees it: **add padding behind a sentence, and the outputs of its real tokens must not change.** We run *(it) sleeps* through six layers with more and more padding, once with a mask and once without.
# **Guess first.** How do the two lines run?

# %% [markdown] lang="ko" name="test" of="24655c4a"
# ## 3. 하나만 기억한다면 이 테스트
#
# 패딩 마스크가 틀렸거나 어떤 계층에 전달되지 않았다는 것을 어떻게 알아낼까요? 테스트 하나면 됩니다. **문장 뒤에 패딩을 더 붙여도 진짜 토큰의 출력은 변하지 않아야 합니다.** "잔다." 뒤에 패딩을 점점 늘리며, 마스크가 있을 때와 없을 때를 각각 여섯 계층에 통과시켜 봅시다.
# **먼저 예상해 보세요.** 출력의 변화를 그린 두 선은 어떤 모양일까요?

# %% name="test-run"
encoder = Encoder(input_dim=len(vocab), hid_dim=8, pf_dim=16, n_heads=2, n_layers=6).to(device()).eval()


def real_outputs(n_padding, masked):
    padded = F.pad(src[2:, :4], (0, n_padding), value=vocab.pad_id)  # n_padding places more at the end
    mask = padding_mask(padded, pad_id=vocab.pad_id) if masked else None
    with torch.no_grad():
        out = encoder(padded, mask)  # out: [1, sl, hid_dim]
    return out[0, :4]  # [4, hid_dim]


# %% name="test-picture"
alone, more = real_outputs(0, masked=True), [0, 1, 2, 4, 8, 16]
names = {True: t(en="with src_mask", ko="src_mask 있음"), False: t(en="without", ko="없음")}
gaps = {name: [(real_outputs(n, masked) - alone).abs().max().item() for n in more] for masked, name in names.items()}
plot.lines(
    more, gaps, xlabel=t(en="padding behind it", ko="뒤에 붙인 패딩"), ylabel=t(en="largest change", ko="가장 큰 변화")
)
plt.show()

# %% name="test-numbers"
max(gaps[names[True]]) < 1e-5, max(gaps[names[False]]) > 0.1

# %% [markdown] lang="en" name="future"
# With the mask the line lies on 0 (below 0.00001, and that is rounding). Without it a single `<PAD>` is enough to change the outputs, so a sentence would get another result in another batch. (What this test cannot see: a model that looks into the future, and the fault of section 7.)
#
# ## 4. The future
#
# A model that predicts the next token must not see it. The **causal** mask lets each query look at its own place and at those before it:

# %% [markdown] lang="ko" name="future" of="97ac3c44"
# 마스크가 있으면 선이 0에 붙어 있습니다(변화가 0.00001보다 작고, 그나마 반올림 오차입니다). 없으면 `<PAD>` 하나로도 출력이 변합니다. 같은 문장이라도 다른 배치에서는 다른 결과가 나온다는 뜻입니다. (이 테스트로 알 수 없는 것도 있습니다. 미래를 보는 모델, 그리고 7절의 잘못입니다.)
#
# ## 4. 미래
#
# 다음 토큰을 맞히는 모델은 다음 토큰을 보면 안 됩니다. **인과**(causal) 마스크는 쿼리마다 자기 자리와 그 앞만 보게 합니다.

# %% name="library-causal"
# from tutorial_lib.masks: causal_mask

# %% [markdown] lang="en" name="future-guess"
# For sentences with padding both masks must hold. (나는 is *I*, 읽었다 is *read*.) They are combined with `&`: a key must be allowed by both. **Guess first.** Shapes `[1, 1, sl, sl]` and `[bs, 1, 1, sl]`: what comes out?

# %% [markdown] lang="ko" name="future-guess" of="2d9a9696"
# 패딩이 있는 문장에는 두 마스크가 모두 필요합니다. `&`로 합칩니다. 두 마스크가 모두 허락한 키만 보입니다. **먼저 예상해 보세요.** `[1, 1, sl, sl]`과 `[bs, 1, 1, sl]`을 합치면 모양은 어떻게 될까요?

# %% name="future-picture"
short = ["나는", "읽었다", "<PAD>", "<PAD>"]
padding = torch.tensor([[1, 1, 0, 0]]).bool()[:, None, None, :]  # padding: [1, 1, 1, sl]
causal = causal_mask(4)  # causal: [1, 1, sl, sl]
maps = torch.cat([padding.expand(1, 1, 4, 4), causal, padding & causal])[:, 0]  # maps: [3, sl, sl]
titles = [
    t(en="padding", ko="패딩"),
    t(en="causal", ko="인과"),
    t(en="both: padding & causal", ko="함께: padding & causal"),
]
plot.attention_grid(maps, short, titles=titles, bar=False)
plt.show()

# %% name="future-shape"
(causal_mask(7).to(device()) & src_mask).shape

# %% [markdown] lang="en" name="future-text"
# Dark means `True`. The padding mask takes whole columns away, the causal one takes the triangle above the diagonal, and what both leave is on the right. For the batch that makes `[bs, 1, sl, sl]`, since the triangle is the same for all sentences and the padding is not.
#
# Does it work? In the first sentence we change 샀다 (bought), at place 4, to `<UNK>`, and look at which outputs move:

# %% [markdown] lang="ko" name="future-text" of="2606ee47"
# 진한 칸이 `True`입니다. 패딩 마스크는 열을 통째로 가리고, 인과 마스크는 대각선 위의 삼각형을 가립니다. 두 마스크가 모두 허락한 칸만 남긴 것이 오른쪽입니다. 배치 전체로는 `[bs, 1, sl, sl]`이 됩니다. 삼각형은 모든 문장에 같지만 패딩은 문장마다 다르기 때문입니다.
#
# 정말 될까요? 첫 문장의 4번 자리에 있는 '샀다'를 `<UNK>`로 바꾸고 어느 출력이 움직이는지 봅시다.

# %% name="future-run"
changed = src[:1].clone()  # changed: [1, sl]
changed[0, 4] = vocab.unk_id
moved = {}
for name, mask in (
    (t(en="causal", ko="인과 마스크"), causal_mask(7).to(device())),
    (t(en="no mask", ko="마스크 없음"), None),
):
    with torch.no_grad():
        gap = (encoder(src[:1], mask) - encoder(changed, mask)).abs().amax(dim=-1)  # gap: [1, sl]
    moved[name] = gap[0].cpu()

# %% name="future-moved"
plot.bars(
    moved, tokens[0], xlabel=t(en="output at", ko="출력의 자리"), ylabel=t(en="largest change", ko="가장 큰 변화")
)
plt.show()

# %% [markdown] lang="en" name="exercise-future-text" tags=["exercise"]
# With the causal mask the four outputs before 샀다 do not move at all: the future never changes the past. Without it every output moves. A triangle one diagonal too wide would let each token see the very one it has to predict, and in training the loss would fall for the wrong reason.
#
# ### Your turn · medium · about 7 minutes
#
# `hide_future(src, pad_id)`: ids `[bs, sl]` → mask `[bs, 1, sl, sl]` that hides both the future and the padding.
#
# <details><summary>Hint 1</summary>Two masks, [1, 1, sl, sl] and [bs, 1, 1, sl]. What does broadcasting make of them?</details>
# <details><summary>Hint 2</summary><code>torch.ones(sl, sl, dtype=torch.bool).tril()</code> is the triangle.</details>

# %% [markdown] lang="ko" name="exercise-future-text" of="721f7fef" tags=["exercise"]
# 인과 마스크가 있으면 '샀다' 앞의 출력 네 개는 전혀 움직이지 않습니다. 미래는 과거를 바꾸지 못합니다. 마스크가 없으면 모든 출력이 움직입니다. 삼각형이 대각선 하나만큼 넓으면 토큰마다 자기가 맞혀야 할 바로 그 토큰을 보게 되고, 학습할 때 손실이 엉뚱한 까닭으로 내려갑니다.
#
# ### 직접 해 보기 · 보통 · 약 7분
#
# `hide_future(src, pad_id)`: 번호 `[bs, sl]` → 미래와 패딩을 모두 가리는 마스크 `[bs, 1, sl, sl]`.
#
# <details><summary>힌트 1</summary>마스크 두 개, [1, 1, sl, sl]과 [bs, 1, 1, sl]입니다. 브로드캐스팅하면 어떤 모양이 될까요?</details>
# <details><summary>힌트 2</summary><code>torch.ones(sl, sl, dtype=torch.bool).tril()</code>이 삼각형입니다.</details>


# %% name="exercise-future" tags=["exercise"]
def hide_future(src, pad_id):
    # your turn
    ...


check.hide_future(hide_future)


# %% name="solution-future" tags=["solution"]
def hide_future(src, pad_id):
    sl = src.size(1)
    triangle = torch.ones(sl, sl, dtype=torch.bool, device=src.device).tril()  # triangle: [sl, sl]
    return triangle[None, None] & (src != pad_id)[:, None, None, :]  # [bs, 1, sl, sl]


check.hide_future(hide_future)

# %% [markdown] lang="en" name="cross-text"
# In cross-attention the mask follows the **keys**. Say that two tokens of a translation look at each of our sentences: the padding of the sentences counts, and `[bs, 1, 1, sl_k]` serves any number of queries.

# %% [markdown] lang="ko" name="cross-text" of="ab91a7f4"
# 크로스 어텐션에서 마스크는 **키**를 따릅니다. 문장마다 지금까지 쓴 번역 토큰 두 개가 우리 문장을 바라본다고 합시다. 가려야 할 것은 키가 있는 쪽, 곧 우리 문장의 패딩입니다. `[bs, 1, 1, sl_k]`는 쿼리가 몇 개든 쓸 수 있습니다.

# %% name="cross-run"
with torch.no_grad():
    asking = torch.randn(3, 2, 8).to(device())  # asking: [bs, tl, hid_dim]
    out, weights = attend(asking, x, x, src_mask, need_weights=True)  # out: [bs, tl, hid_dim]
weights.shape, (weights * ~src_mask).any().item()

# %% [markdown] lang="en" name="four"
# The weights are `[bs, n_heads, tl, sl]`, and in no sentence anything goes to padding.
#
# ## 5. Four conventions
#
# Our rule is one of four that you will meet, often within one program. Here is the last sentence in all of them, converted by the library. Grey is hidden:

# %% [markdown] lang="ko" name="four" of="127069e0"
# 가중치는 `[bs, n_heads, tl, sl]`이고, 어느 문장에서도 패딩에는 아무것도 가지 않습니다.
#
# ## 5. 네 가지 관례
#
# 우리 규칙은 네 가지 가운데 하나입니다. 한 프로그램 안에서 여러 관례를 만나기도 합니다. 마지막 문장의 마스크를 네 관례로 적으면 이렇습니다. 라이브러리로 변환한 것이고, 회색이 가려진 자리입니다.

# %% name="four-convert"
one = src_mask[2:]  # one: [1, 1, 1, sl]
integers = to_integers(one)  # integers: [1, sl]
key_padding = to_key_padding_mask(one)  # key_padding: [1, sl]
additive = to_additive(one, dtype=torch.float32)  # additive: [1, 1, 1, sl]

# %% name="four-picture"
rows = [one.flatten().tolist(), key_padding[0].tolist(), additive.flatten().tolist(), integers[0].tolist()]
words = [[f"{entry:g}" if isinstance(entry, float) else str(entry) for entry in row] for row in rows]
ax = plot.batch_grid(src[2:].expand(4, -1), words, pad_id=vocab.pad_id, ids=False)
ax.set_xticklabels(tokens[2], fontsize=9)
ax.set_yticklabels(
    [
        t(en="ours: True = look", ko="우리: True = 봐도 됨"),
        t(en="PyTorch key_padding_mask: True = hidden", ko="PyTorch key_padding_mask: True = 가림"),
        t(en="additive: added to the scores", ko="덧셈: 점수에 더함"),
        t(en="integers: 1 = look", ko="정수: 1 = 봐도 됨"),
    ]
)
ax.set(xlabel="", ylabel="")
plt.show()

# %% [markdown] lang="en" name="four-text"
# - **Ours**: `True` = may be attended. PyTorch's `F.scaled_dot_product_attention` reads booleans in the same way.
# - **PyTorch's** `key_padding_mask` and `attn_mask` of `nn.MultiheadAttention`, `src_key_padding_mask` and `mask` of `nn.TransformerEncoder`: `True` = *hidden*, exactly the other way round. In one library, two opposite meanings.
# - **Additive**: floats that are added to the scores, 0 to look and -inf (or something like -10000) to hide. Inside many programs, and in post A.
# - **Integers**: 1 and 0, what Hugging Face's tokenizers call `attention_mask`.
#
# **Guess first.** Take away our two middle axes of length 1, and both boolean rows have the same type and the same shape. What does PyTorch do if it is given ours?

# %% [markdown] lang="ko" name="four-text" of="415f95ce"
# - **우리**: `True` = 봐도 됨. PyTorch의 `F.scaled_dot_product_attention`도 불 마스크를 같은 뜻으로 읽습니다.
# - **PyTorch**: `nn.MultiheadAttention`의 `key_padding_mask`와 `attn_mask`, `nn.TransformerEncoder`의 `src_key_padding_mask`와 `mask`: `True` = *가림*. 정반대입니다. 한 라이브러리 안에 반대되는 두 뜻이 있습니다.
# - **덧셈**: 점수에 더하는 실수로, 봐도 되면 0, 가리면 -inf(또는 -10000 같은 수)입니다. 글 A와 많은 프로그램이 안에서 씁니다.
# - **정수**: 1과 0. Hugging Face 토크나이저가 `attention_mask`라고 부르는 것입니다.
#
# **먼저 예상해 보세요.** 길이가 1인 가운데 두 축만 빼면 두 불 마스크는 자료형도 모양도 같습니다. 우리 것을 PyTorch에 주면 무슨 일이 생길까요?

# %% name="wrong-door"
theirs = nn.MultiheadAttention(8, 2, batch_first=True).to(device()).eval()
with torch.no_grad():
    _, wrong = theirs(x[2:], x[2:], x[2:], key_padding_mask=one[:, 0, 0])  # wrong: [1, sl, sl]
    _, right = theirs(x[2:], x[2:], x[2:], key_padding_mask=to_key_padding_mask(one))  # right: [1, sl, sl]
titles = [
    t(en="ours given, untrained", ko="우리 것을 준 것, 학습 전"),
    t(en="converted, untrained", ko="변환한 것, 학습 전"),
]
plot.attention_grid(torch.cat([wrong, right]), tokens[2], titles=titles, annotate=True)
plt.show()

# %% [markdown] lang="en" name="wrong-door-text"
# On the left everyone looks at the padding, and only there. No error: it is a perfectly good mask, of the opposite. So never negate by hand until it "works"; name the convention you have, and convert. Each converter brings one convention back to our mask, and refuses another type or other numbers. (That a boolean `[bs, sl]` means the opposite no function can see; that is why the name matters.)

# %% [markdown] lang="ko" name="wrong-door-text" of="392c7728"
# 왼쪽에서는 모두가 패딩만 봅니다. 오류는 없습니다. 뜻이 반대일 뿐 흠잡을 데 없는 마스크이기 때문입니다. 그러니 "될 때까지" 손으로 뒤집지 말고, 어떤 관례인지 이름을 대고 변환하세요. 변환 함수는 저마다 한 관례를 우리 마스크로 되돌리고, 자료형이나 값이 그 관례와 다르면 거절합니다. (`[bs, sl]`인 불 마스크의 뜻이 반대인 것은 함수도 알 수 없습니다. 그래서 이름이 중요합니다.)

# %% name="there-and-back"
print(
    torch.equal(from_integers(integers), one),
    torch.equal(from_key_padding_mask(key_padding), one),
    torch.equal(from_additive(additive), one),
)
try:
    from_integers(additive)
except TypeError as error:
    print(error)

# %% [markdown] lang="en" name="nothing"
# ## 6. A query with nothing to look at
#
# A text may be empty, all padding. Or a batch is padded in front, and a causal mask leaves the first place nothing but padding. Then there is no key left. In section 2 such a row was NaN, because its scores were -inf.
#
# Three ways to hide a key are in use: fill its score with -inf; fill it with a large negative number such as -1e9; or see to it that a hidden key gets exactly 0, as the library's `masked_softmax` does. **Guess first.** What does the second make of a row with nothing to look at?

# %% [markdown] lang="ko" name="nothing" of="a5582838"
# ## 6. 볼 것이 없는 쿼리
#
# 모두 패딩인 빈 텍스트도 있고, 앞쪽을 패딩으로 채운 배치에 인과 마스크를 쓰면 첫 자리에는 패딩밖에 남지 않기도 합니다. 볼 수 있는 키가 하나도 없습니다. 2절에서 이런 행은 점수가 모두 -inf여서 NaN이 되었습니다.
#
# 키를 가리는 방법은 세 가지가 쓰입니다. 점수를 -inf로 채우거나, -1e9처럼 절댓값이 큰 음수로 채우거나, 라이브러리의 `masked_softmax`처럼 가려진 키가 정확히 0을 받게 합니다. **먼저 예상해 보세요.** 둘째 방법을 쓰면 볼 것이 없는 행은 어떻게 될까요?

# %% name="nothing-run"
front = ["<PAD>", "나는", "책을", "읽었다"]
front_mask = causal_mask(4) & torch.tensor([False, True, True, True])[None, None, None]  # front_mask: [1, 1, sl, sl]
even = torch.zeros(1, 1, 4, 4)  # even: [1, 1, sl, sl]
ways = {
    "-inf": lambda scores: scores.masked_fill(~front_mask, float("-inf")).softmax(dim=-1),
    "-1e9": lambda scores: scores.masked_fill(~front_mask, -1e9).softmax(dim=-1),
    "masked_softmax": lambda scores: masked_softmax(scores, front_mask),
}

# %% name="nothing-picture"
plot.attention_grid([way(even)[0, 0] for way in ways.values()], front, titles=list(ways), annotate=True, bar=False)
plt.show()

# %% [markdown] lang="en" name="nothing-text"
# Only the first row differs. With -inf it is red, NaN. With -1e9 it is 0.25 everywhere: softmax looks at differences, and all four are equally low, so this query listens to padding **and to the future**. The library gives exactly 0; such a row adds up to 0, not to 1. (PyTorch's own functions disagree here, from one path to another: do not rely on them.)
#
# Is NaN in a row that nobody reads so bad? The loss below uses the other three rows only. Does a finite gradient reach the values? (True: there is no NaN and no infinity in it.)

# %% [markdown] lang="ko" name="nothing-text" of="d789ff62"
# 첫 행만 다릅니다. -inf로 채우면 빨간색, NaN입니다. -1e9로 채우면 모두 0.25입니다. softmax는 차이만 보는데 넷이 똑같이 낮으니, 이 쿼리는 패딩뿐 아니라 **미래의 말까지** 듣습니다. 라이브러리는 정확히 0을 주고, 이런 행은 합이 1이 아니라 0입니다. (PyTorch의 함수들은 어느 길로 계산하느냐에 따라 여기서 결과가 다르니 믿고 맡기지 마세요.)
#
# 아무도 읽지 않는 행에 NaN이 있는 것이 그렇게 나쁠까요? 아래 손실은 나머지 세 행만 씁니다. 값(value)에 제대로 된 기울기가 전해질까요? (True는 NaN이나 무한대가 없다는 뜻입니다.)

# %% name="nothing-gradient"
for name, way in ways.items():
    value = torch.ones(1, 1, 4, 4, requires_grad=True)  # value: [1, 1, sl, head_dim]
    context = way(even) @ value  # context: [1, 1, sl, head_dim]
    context[:, :, 1:].sum().backward()
    print(f"{name:15} finite: {value.grad.isfinite().all().item()}")

# %% [markdown] lang="en" name="half"
# With -inf the gradient is NaN, although the row is not in the loss: NaN times 0 is NaN. One such row in a batch, and one step of training carries the NaN into nearly all weights of a model.
#
# And -1e9 has a trouble of its own. Models often compute in float16, whose largest number is 65504. The same three ways, for scores that are all -40:

# %% [markdown] lang="ko" name="half" of="3db0ba63"
# -inf를 쓰면 손실에 들어가지 않는 행인데도 기울기가 NaN입니다. NaN에 0을 곱해도 NaN이기 때문입니다. 배치에 이런 행이 하나만 있어도, 학습 한 걸음이면 모델의 파라미터가 거의 다 NaN이 됩니다.
#
# -1e9에도 문제가 있습니다. 모델은 흔히 float16으로 계산하는데, float16의 가장 큰 수는 65504입니다. 점수가 모두 -40일 때 세 방법을 다시 써 봅시다.

# %% name="half-run"
half = torch.full((1, 1, 4, 4), -40.0, dtype=torch.float16)  # half: [1, 1, sl, sl]
for name, way in ways.items():
    try:
        print(f"{name:15}", t(en="first row:", ko="첫 행:"), way(half)[0, 0, 0].tolist())
    except RuntimeError as error:
        print(f"{name:15} {type(error).__name__}")

# %% [markdown] lang="en" name="half-added-text"
# Could one take the lowest number that does fit, and *add* it to the scores, as an additive mask does?

# %% [markdown] lang="ko" name="half-added-text" of="6a04526d"
# 들어가는 수 가운데 가장 작은 것을 골라, 덧셈 마스크처럼 점수에 *더하면* 어떨까요?

# %% name="half-added"
lowest = torch.finfo(torch.float16).min
lowest, (half[0, 0, 0, 0] + lowest).item()

# %% [markdown] lang="en" name="exercise-softmax-text" tags=["exercise"]
# It falls over the edge to -inf, and a row of those is NaN again. `masked_softmax` is the only one of the three that works in both types.
#
# ### Your turn · a stretch · about 10 minutes
#
# `safe_softmax(scores, mask)`: scores `[bs, n_heads, sl_q, sl_k]`, and a mask in our convention, which may have length 1 on any of the first three axes. Give the shares along the last axis: exactly 0 for a hidden key, also where no other key is left; in float32 and in float16.
#
# <details><summary>Hint 1</summary>exp(-inf) is 0. Fill the hidden scores with it, then take the softmax.</details>
# <details><summary>Hint 2</summary>What is left to do are the rows where <code>mask.any(-1, keepdim=True)</code> is False.</details>

# %% [markdown] lang="ko" name="exercise-softmax-text" of="3042fc6e" tags=["exercise"]
# 한계를 넘어 -inf가 되고, 그런 행은 다시 NaN입니다. 셋 가운데 두 자료형에서 모두 되는 것은 `masked_softmax`뿐입니다.
#
# ### 직접 해 보기 · 도전 · 약 10분
#
# `safe_softmax(scores, mask)`: 점수는 `[bs, n_heads, sl_q, sl_k]`이고, 마스크는 우리 규칙을 따르며 앞의 세 축은 길이가 1일 수 있습니다. 마지막 축을 따라 비율을 구하세요. 가려진 키는 정확히 0이고, 남은 키가 없어도 0입니다. float32와 float16에서 모두 되어야 합니다.
#
# <details><summary>힌트 1</summary>exp(-inf)는 0입니다. 가려진 점수를 -inf로 채우고 softmax를 적용하세요.</details>
# <details><summary>힌트 2</summary>남은 일은 <code>mask.any(-1, keepdim=True)</code>가 False인 행입니다.</details>


# %% name="exercise-softmax" tags=["exercise"]
def safe_softmax(scores, mask):
    # your turn
    ...


check.safe_softmax(safe_softmax)


# %% name="solution-softmax" tags=["solution"]
def safe_softmax(scores, mask):
    weights = scores.masked_fill(~mask, float("-inf")).softmax(dim=-1)
    return weights.masked_fill(~mask, 0.0)


check.safe_softmax(safe_softmax)

# %% [markdown] lang="en" name="library-softmax-text"
# The library goes one step further, so that no NaN arises even on the way: an empty row first sees all keys (`seen`), and loses its weights afterwards.

# %% [markdown] lang="ko" name="library-softmax-text" of="b7272321"
# 라이브러리는 한 걸음 더 나아가, 도중에도 NaN이 생기지 않게 합니다. 빈 행은 먼저 모든 키를 보게 했다가(`seen`) 나중에 가중치를 지웁니다.

# %% name="library-softmax"
# from tutorial_lib.attention: masked_softmax

# %% [markdown] lang="en" name="ones"
# ## 7. Ones for zeros
#
# Post A builds its causal mask in these lines and adds it to the scores. **Guess first.** An additive mask should hold 0 where a key may be seen. What do the ones do?

# %% [markdown] lang="ko" name="ones" of="c60d7a0e"
# ## 7. 0이어야 할 자리에 1
#
# 글 A는 인과 마스크를 이렇게 만들어 점수에 더합니다. **먼저 예상해 보세요.** 더하는 마스크에서 봐도 되는 키는 0이어야 합니다. 1이면 어떻게 될까요?

# %% name="ones-mask"
attention_mask = torch.tril(torch.ones(4, 4))  # attention_mask: [sl, sl]
attention_mask[attention_mask == 0] = float("-inf")
attention_mask

# %% name="ones-run"
scores = torch.randn(4, 4)  # scores: [sl, sl]
with_ones = (scores + attention_mask).softmax(dim=-1)  # with_ones: [sl, sl]
with_zeros = (scores + to_additive(causal_mask(4), dtype=torch.float32)[0, 0]).softmax(dim=-1)  # with_zeros: [sl, sl]
torch.allclose(with_ones, with_zeros, atol=1e-6)

# %% [markdown] lang="en" name="ones-text"
# Nothing! Every key that may be seen gets 1 more, and softmax looks only at differences: the same shift of all the scores in a row does not change it. The mask is wrong, the output is right, and **no test of the output can see it**.
#
# The mistake waits for another mask. Take the same thought, ones for "look", and add the integers that a tokenizer gives. There is no -inf in them:

# %% [markdown] lang="ko" name="ones-text" of="94d15928"
# 아무 일도 없습니다! 봐도 되는 키의 점수가 모두 1씩 커지는데, softmax는 차이만 보기 때문에 한 행의 점수가 모두 똑같이 커져도 결과가 같습니다. 마스크는 틀렸는데 출력은 맞고, **출력만 보는 테스트로는 찾아낼 수 없습니다**.
#
# 이 잘못은 다른 마스크를 만날 때 드러납니다. "봐도 되면 1"이라는 같은 생각으로 토크나이저가 준 정수를 더해 봅시다. 거기에는 -inf가 없습니다.

# %% name="ones-padding"
level = torch.zeros(7)  # level: [sl]
added = {
    t(en="1 and 0 added", ko="1과 0을 더함"): (level + integers[0].cpu()).softmax(dim=-1),
    t(en="0 and -inf added", ko="0과 -inf를 더함"): (level + additive.flatten().cpu()).softmax(dim=-1),
}
plot.bars(added, tokens[2], xlabel=t(en="key", ko="키(key)"), ylabel=t(en="share", ko="비율"))
plt.show()

# %% [markdown] lang="en" name="ones-seen-text"
# Padding still gets 0.07 each, more than a third of a real token's 0.20, and nothing complains. What sees both faults at once is a look at the **mask itself**. The converter looks:

# %% [markdown] lang="ko" name="ones-seen-text" of="5c63320b"
# 패딩이 여전히 0.07씩 받습니다. 진짜 토큰이 받는 0.20의 3분의 1이 넘는 몫이고, 오류는 나지 않습니다. 두 잘못을 모두 찾으려면 **마스크 자체**를 봐야 합니다. 변환 함수가 그 일을 합니다.

# %% name="ones-seen"
for mask in (attention_mask[None, None], integers.float()):
    try:
        from_additive(mask)
    except ValueError as error:
        print(error)

# %% [markdown] lang="en" name="summary"
# ## What you have now
#
# - One rule: boolean, `True` = may be attended, `[bs, n_heads, sl_q, sl_k]`, hides keys.
# - Padding `[bs, 1, 1, sl]`, causal `[1, 1, sl, sl]`, both with `&`; cross-attention takes the padding of the keys.
# - Two tests: more padding never changes the output of a real token; the future never changes the past.
# - Four conventions, two of them opposite. Name it, convert it.
# - A query with nothing to look at gets exactly 0: not NaN, which spreads, and not even shares of what is hidden.
# - A wrong mask may give right outputs. Look at the mask itself.
#
# Next: [07 · Feed-forward, LayerNorm](07_feed_forward_and_layer_norm.ipynb), the other boxes of a layer.
#
# **Further reading**: [Attention Is All You Need](https://arxiv.org/abs/1706.03762), section 3.2.3 ·
# [one padded sentence that poisons a batch](https://github.com/pytorch/pytorch/issues/41508) ·
# [float16 and -1e9](https://github.com/NVIDIA/apex/issues/1052)

# %% [markdown] lang="ko" name="summary" of="882a3472"
# ## 정리
#
# - 규칙은 하나: 불(bool), `True` = 봐도 됨, `[bs, n_heads, sl_q, sl_k]`, 키를 가립니다.
# - 패딩은 `[bs, 1, 1, sl]`, 인과는 `[1, 1, sl, sl]`, 함께 쓸 때는 `&`. 크로스 어텐션에서는 키 쪽의 패딩을 가립니다.
# - 테스트 두 가지: 패딩을 늘려도 진짜 토큰의 출력은 변하지 않고, 미래는 과거를 바꾸지 못합니다.
# - 관례는 네 가지이고 그중 둘은 정반대입니다. 이름을 대고 변환하세요.
# - 볼 것이 없는 쿼리의 가중치는 정확히 0입니다. NaN이 번지지도 않고, 가려진 키로 관심이 새지도 않습니다.
# - 마스크가 틀려도 출력은 맞을 수 있습니다. 마스크 자체를 보세요.
#
# 다음: [07 · 피드포워드와 LayerNorm](07_feed_forward_and_layer_norm.ipynb). 계층에 든 나머지 상자들입니다.
#
# **더 읽을거리**: [Attention Is All You Need](https://arxiv.org/abs/1706.03762) 3.2.3절 ·
# [배치 전체를 망친 패딩 문장 하나](https://github.com/pytorch/pytorch/issues/41508) ·
# [float16과 -1e9](https://github.com/NVIDIA/apex/issues/1052)
