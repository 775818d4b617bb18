# ---
# jupyter:
#   jupytext:
#     formats: py:percent
#     cell_metadata_filter: lang,of,name,tags,-all
# ---

# %% [markdown] lang="en" name="title"
# # 05 · Multi-head attention
#
# In lesson 04 attention was a closed box: three times `src` went in, and `_src` came out. Now you open it. You begin with one query and numbers for a pocket calculator. At the end you
# have written multi-head attention yourself, and have seen the library's give PyTorch's numbers.
#
# **You will be able to**
#
# - compute attention by hand, and say why the scores are divided by the square root of the keys' width;
# - cut a tensor into heads without mixing the tokens, and say what several heads are good for;
# - tell self-attention from cross-attention by the shapes, and compare your numbers with `nn.MultiheadAttention`.
#
# **Read first**: [04 · Encoder and EncoderLayer](04_encoder.ipynb).
#
# **Time**: 85 minutes.
#
# <details><summary>For the classroom</summary>
#
# | Section | Minutes |
# |---|---|
# | 1 One query, by hand | 7 |
# | 2 Why the square root | 15 |
# | 3 A whole sentence at once | 8 |
# | 4 Two questions at once | 8 |
# | 5 Cutting and merging | 14 |
# | 6 The whole box | 20 |
# | 7 Looking at another sentence | 6 |
# | 8 The same as PyTorch's | 7 |
#
# Two questions to ask: *Query and key are two different projections of the same token. What could a head not do if they were one?*
# *The cut with the wrong `view` has the right shape, and a model trained with it even learns something. How would you notice?*
#
# </details>

# %% [markdown] lang="ko" name="title" of="33968981"
# # 05 · 멀티 헤드 어텐션
#
# 04강의 인코더에서 어텐션은 닫힌 상자였습니다. `src`가 세 번 들어가고 `_src`가 나왔습니다. 이제 이 상자를 엽니다. 쿼리 하나를 손으로 계산하는 데서 시작해, 멀티 헤드 어텐션을
# 직접 짜고, 라이브러리의 결과가 PyTorch와 같은지까지 확인합니다.
#
# **이 강의를 마치면**
#
# - 어텐션을 손으로 계산하고, 점수를 왜 키 너비의 제곱근으로 나누는지 말할 수 있습니다.
# - 토큰을 섞지 않고 텐서를 헤드로 나누고, 헤드가 여럿이면 무엇이 좋은지 말할 수 있습니다.
# - 모양만 보고 셀프 어텐션과 크로스 어텐션을 구별하고, 직접 구한 값을 `nn.MultiheadAttention`과 비교할 수 있습니다.
#
# **먼저 볼 것**: [04 · Encoder와 EncoderLayer](04_encoder.ipynb).
#
# **시간**: 85분.
#
# <details><summary>수업용 안내</summary>
#
# | 절 | 분 |
# |---|---|
# | 1 쿼리 하나를 손으로 | 7 |
# | 2 왜 제곱근으로 나눌까 | 15 |
# | 3 문장을 한 번에 | 8 |
# | 4 질문이 두 개라면 | 8 |
# | 5 나누고 합치기 | 14 |
# | 6 상자 전체 | 20 |
# | 7 다른 문장 바라보기 | 6 |
# | 8 PyTorch와 같은 값 | 7 |
#
# 던져 볼 질문 두 가지: *쿼리와 키는 같은 토큰에서 나온 서로 다른 두 투영입니다. 둘이 하나라면 헤드가 할 수 없는 일은 무엇일까요?*
# *`view`로 잘못 나누어도 모양은 맞고, 그대로 학습한 모델도 무언가는 배웁니다. 어떻게 알아챌 수 있을까요?*
#
# </details>

# %% name="setup" tags=["setup"]

# %% name="imports" tags=["imports"]
import math

import matplotlib.pyplot as plt
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from tutorial_lib import data, device, plot, t
from tutorial_lib._sizes import require_sizes, require_tokens
from tutorial_lib.attention import (
    MultiHeadAttention,
    _require_divisible,
    attention_scores,
    masked_softmax,
    merge_heads,
    split_heads,
)
from tutorial_lib.exercises import lesson_05 as check
from tutorial_lib.masks import check_mask
from tutorial_lib.text import Vocab
from tutorial_lib.trace import annotate_shapes

# %% [markdown] lang="en" name="one-query"
# ## 1. One query, by hand
#
# A token asks one question: *to whom should I listen, and how much?* The question is a vector, the **query**. Every token holds out a vector that is compared with it, the **key**,
# and a vector that it has to give, the **value**. Three tokens: 비가 (rain), 와서 (came, so), 우산을 (an umbrella). The query of 우산을 is (2, 1), and the keys are (2, 0), (0, 1) and (1, 1). (`head_dim` is the width of a
# query and a key, here 2.)
#
# **Guess first.** The third key points most nearly in the direction of the query. Will it get the largest share?

# %% [markdown] lang="ko" name="one-query" of="2409635a"
# ## 1. 쿼리 하나를 손으로
#
# 토큰은 질문을 하나 던집니다. *누구의 말을 얼마나 들어야 할까?* 이 질문이 **쿼리**(query)라는 벡터입니다. 토큰마다 쿼리와 비교되는 벡터인 **키**(key)와, 내줄 것을 담은 벡터인 **값**(value)이
# 있습니다. 토큰은 '비가', '와서', '우산을' 세 개입니다. '우산을'의 쿼리는 (2, 1)이고 세 키는 (2, 0), (0, 1), (1, 1)입니다. (`head_dim`은 쿼리와 키의 너비이고, 여기서는 2입니다.)
#
# **먼저 예상해 보세요.** 셋째 키의 방향이 쿼리에 가장 가깝습니다. 그러면 가장 큰 비율을 받을까요?

# %% name="one-query-scores"
tokens = ["비가", "와서", "우산을"]
query = torch.tensor([2.0, 1.0])  # query: [head_dim]
keys = torch.tensor([[2.0, 0.0], [0.0, 1.0], [1.0, 1.0]])  # keys: [sl, head_dim]

scores = keys @ query  # scores: [sl]
scores

# %% [markdown] lang="en" name="one-query-softmax"
# No. A score is a dot product: $2 \cdot 2 + 1 \cdot 0 = 4$ for the first key. The third key has the better direction, but the first is longer, and a dot product counts both.
#
# Scores are not yet shares. First we divide them by $\sqrt{2}$, the square root of the width of a key (why, section 2 shows). Then comes `softmax`: take the exponential of each, and divide by their sum.

# %% [markdown] lang="ko" name="one-query-softmax" of="6d9cc876"
# 아닙니다. 점수는 내적입니다. 첫째 키라면 $2 \cdot 2 + 1 \cdot 0 = 4$입니다. 방향은 셋째 키가 더 가깝지만 첫째 키가 더 길고, 내적에는 방향과 길이가 모두 반영됩니다.
#
# 점수는 아직 비율이 아닙니다. 먼저 키 너비의 제곱근인 $\sqrt{2}$로 나눕니다(이유는 2절에서 봅니다). 그다음이 `softmax`입니다. 저마다 지수 함수를 취하고, 그 합으로 나눕니다.

# %% name="one-query-weights"
raised = (scores / math.sqrt(2)).exp()  # raised: [sl]
weights = raised / raised.sum()  # weights: [sl]
raised.round(decimals=1), torch.allclose(weights, (scores / math.sqrt(2)).softmax(dim=-1))

# %% name="one-query-picture"
plot.attention_heatmap(weights[None], [tokens[2]], key_tokens=tokens, annotate=True)  # a map with a single row
plt.show()

# %% [markdown] lang="en" name="one-query-mix"
# The exponentials are 16.9, 2.0 and 8.3, and they add up to 27.3. So 0.62 goes to 비가, 0.07 to 와서, 0.31 to 우산을 itself. None of the three is zero: softmax never gives nothing. (Exactly nothing takes a mask, lesson 06.)
#
# The output is the mixture of the values in these shares: 0.62 of the first, 0.07 of the second, 0.31 of the third.

# %% [markdown] lang="ko" name="one-query-mix" of="475bf294"
# 지수 함수를 취한 값은 16.9, 2.0, 8.3이고 합은 27.3입니다. 그래서 '비가'가 0.62, '와서'가 0.07, '우산을' 자신이 0.31을 받습니다. 0은 하나도 없습니다. softmax는 아주 작게라도 나눠 줍니다. (정확히 0으로 만들려면 마스크가 필요합니다. 06강에서 봅니다.)
#
# 출력은 이 비율대로 값을 섞은 것입니다. 첫째를 0.62, 둘째를 0.07, 셋째를 0.31만큼 섞습니다.

# %% name="one-query-output"
values = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])  # values: [sl, head_dim]
(weights @ values).round(decimals=2)  # [head_dim]

# %% [markdown] lang="en" name="root"
# Scores, softmax, weights, output: that is all attention is, as post B says.
#
# ## 2. Why the square root
#
# Real keys are wider than two numbers. We take 1,000 random queries and 10 random keys of growing width `d`, and look at the largest of the ten shares: 0.10 would be perfectly even, 1 would be one token taking all.
# **Guess first.** Without the division, what happens when vectors get wider?

# %% [markdown] lang="ko" name="root" of="3c494214"
# 점수, softmax, 가중치, 출력. 글 B가 말하듯 어텐션은 이것이 전부입니다.
#
# ## 2. 왜 제곱근으로 나눌까
#
# 실제 키는 숫자 두 개보다 넓습니다. 무작위 쿼리 1,000개와 키 10개의 너비 `d`를 늘려 가며, 열 개의 비율 가운데 가장 큰 것을 봅시다. 완전히 고르면 0.10이고, 한 토큰이 다 가져가면 1입니다.
# **먼저 예상해 보세요.** 나누지 않으면, 벡터가 넓어질수록 어떻게 될까요?

# %% name="root-run"
widths = [2, 8, 32, 128, 512]
spread, largest, slope = [], {"q · k": [], "q · k / √d": []}, {"q · k": [], "q · k / √d": []}
for width in widths:
    scores = torch.randn(1000, width) @ torch.randn(10, width).T  # scores: [1000, 10]
    spread.append(scores.std())
    for name, divisor in (("q · k", 1), ("q · k / √d", math.sqrt(width))):
        shares = (scores / divisor).softmax(dim=-1)  # shares: [1000, 10]
        largest[name].append(shares.amax(dim=-1).mean())
        slope[name].append((shares * (1 - shares)).mean())

# %% name="root-picture"
ax = plot.lines(
    widths, largest, xlabel=t(en="width of a key, d", ko="키의 너비 d"), ylabel=t(en="largest share", ko="가장 큰 비율")
)
ax.set_xscale("log", base=2)
ax.set_xticks(widths, widths)
ax.set_ylim(0, 1)
plt.show()

# %% [markdown] lang="en" name="root-text"
# Without the division the largest share climbs with the width, to 0.95 at 512: one token takes nearly everything, on average over all queries. With it the line stays near 0.3.
#
# A dot product is a sum of `d` products. If the numbers are independent, with mean 0 and standard deviation 1, such a sum has a standard deviation of √d. Measured, beside the root:

# %% [markdown] lang="ko" name="root-text" of="11661805"
# 나누지 않으면 벡터가 넓어질수록 가장 큰 비율이 커져서, 너비 512에서는 0.95입니다. 모든 쿼리를 평균해서 그러니, 한 토큰이 거의 다 가져간다는 뜻입니다. 나누면 선이 0.3 근처에 머무릅니다.
#
# 내적은 곱 `d`개의 합입니다. 숫자들이 서로 독립이고 평균 0, 표준 편차 1이라면 그런 합의 표준 편차는 √d입니다. 잰 값을 제곱근과 나란히 놓아 봅시다.

# %% name="root-spread"
for width, measured in zip(widths, spread):
    print(f"d = {width:3}   std(q · k) = {measured:4.0f}   √d = {math.sqrt(width):4.0f}")

# %% [markdown] lang="en" name="slope-text"
# Dividing by √d brings the scores back to one size, whatever the width.
#
# Does it matter that a share is close to 1? Learning asks how much a share moves when its score is pushed a little. That slope is $w(1-w)$ for a share $w$: near 0 and near 1 there is almost none.

# %% [markdown] lang="ko" name="slope-text" of="3ea83923"
# √d로 나누면 너비와 상관없이 점수의 크기가 한결같아집니다.
#
# 비율이 1에 가까우면 무엇이 문제일까요? 학습에서는 점수를 조금 밀었을 때 비율이 얼마나 움직이는지가 중요합니다. 비율이 $w$일 때 그 기울기는 $w(1-w)$입니다. 0 근처와 1 근처에서는 거의 움직이지 않습니다.

# %% name="slope-picture"
ax = plot.lines(
    widths,
    slope,
    xlabel=t(en="width of a key, d", ko="키의 너비 d"),
    ylabel=t(en="slope of a share", ko="비율의 기울기"),
)
ax.set_xscale("log", base=2)
ax.set_xticks(widths, widths)
ax.set_ylim(bottom=0)
plt.show()

# %% [markdown] lang="en" name="exercise-attention-text" tags=["exercise"]
# Without the root the slope sinks towards 0, and with it the gradient that goes through it to the queries and keys. That is why the root is there.
#
# ### Your turn · easy · about 6 minutes
#
# Section 1 did it for one query. Before section 3 does the rest, write `attention(query, key, value)` for all queries of a sentence at once: three times `[sl, head_dim]` goes in, `[sl, head_dim]` comes out. If something is wrong, the check tells you which step.
#
# <details><summary>Hint 1</summary>Every query meets every key: the scores are a table, [sl, sl].</details>
# <details><summary>Hint 2</summary><code>key.transpose(-2, -1)</code> turns the keys; <code>softmax(dim=-1)</code> runs along the keys.</details>

# %% [markdown] lang="ko" name="exercise-attention-text" of="132a22fe" tags=["exercise"]
# 제곱근으로 나누지 않으면 이 기울기가 0 가까이 가라앉고, 그것을 거쳐 쿼리와 키에 전해질 기울기도 함께 사라집니다. 그래서 제곱근으로 나눕니다.
#
# ### 직접 해 보기 · 쉬움 · 약 6분
#
# 1절에서는 쿼리 하나를 계산했습니다. 3절로 넘어가기 전에, 문장의 모든 쿼리를 한 번에 계산하는 `attention(query, key, value)`를 먼저 써 보세요. `[sl, head_dim]` 세 개가 들어가고 `[sl, head_dim]`이 나옵니다. 틀리면 어느 단계에서 틀렸는지 채점 함수가 알려 줍니다.
#
# <details><summary>힌트 1</summary>모든 쿼리가 모든 키를 만납니다. 점수는 [sl, sl] 표가 됩니다.</details>
# <details><summary>힌트 2</summary><code>key.transpose(-2, -1)</code>이 키를 전치하고, <code>softmax(dim=-1)</code>이 키 방향으로 적용됩니다.</details>


# %% name="exercise-attention" tags=["exercise"]
def attention(query, key, value):
    # your turn
    ...


check.attention(attention)


# %% name="solution-attention" tags=["solution"]
def attention(query, key, value):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))  # scores: [sl, sl]
    return scores.softmax(dim=-1) @ value  # [sl, head_dim]


check.attention(attention)

# %% [markdown] lang="en" name="sentence"
# ## 3. A whole sentence at once
#
# Where do queries, keys and values come from? From the tokens' own vectors, through three linear layers: one makes the questions, one makes what questions are compared with, one makes what is handed on. Such a layer is called a
# **projection**. We take a batch of three sentences and draw a random vector for every token. (The first says: rain, came so, umbrella, bought, and a full stop, between `<BOS>` and `<EOS>`. The other two are a place shorter and get a `<PAD>`; nothing hides it before lesson 06.)

# %% [markdown] lang="ko" name="sentence" of="9c563404"
# ## 3. 문장을 한 번에
#
# 쿼리, 키, 값은 어디서 올까요? 토큰 자신의 벡터가 선형 계층 세 개를 지나서 나옵니다. 하나는 질문을, 하나는 질문과 견줄 것을, 하나는 내줄 것을 만듭니다. 이런 계층을 **투영**(projection)이라고
# 합니다. 문장 세 개짜리 배치의 토큰마다 무작위 벡터를 주어 봅시다. (문장마다 앞뒤에 `<BOS>`와 `<EOS>`가 붙습니다. 나머지 두 문장은 한 자리 짧아서 `<PAD>`로 채워지고, 06강 전까지는 가리지 않습니다.)

# %% name="sentence-vectors"
vocab = Vocab.build(data.sentences("ko"))
src = vocab.batch(["비가 와서 우산을 샀다.", "고양이가 창가에서 잔다.", "나는 책을 읽었다."])  # src: [bs, sl]
x = nn.Embedding(len(vocab), 8)(src)  # x: [bs, sl, hid_dim]

q_proj, k_proj, v_proj = nn.Linear(8, 8), nn.Linear(8, 8), nn.Linear(8, 8)
query, key, value = q_proj(x), k_proj(x), v_proj(x)
query.shape, key.shape, value.shape

# %% [markdown] lang="en" name="sentence-table"
# **Guess first.** Now there are three sentences. Which shape will the scores have? (In the library's docstrings `sl_q` is the number of queries and `sl_k` that of keys; until section 7 they are the same.)

# %% [markdown] lang="ko" name="sentence-table" of="17e9e998"
# **먼저 예상해 보세요.** 이번에는 문장이 세 개입니다. 점수의 모양은 어떻게 될까요? (라이브러리의 설명에서 `sl_q`는 쿼리의 수, `sl_k`는 키의 수입니다. 7절까지는 둘이 같습니다.)

# %% name="library-scores"
# from tutorial_lib.attention: attention_scores

# %% name="sentence-weights"
weights = attention_scores(query, key).softmax(dim=-1)  # weights: [bs, sl, sl]
tokens = vocab.decode(src[0], specials=True)
weights.shape

# %% name="sentence-picture"
plot.attention_heatmap(weights[0], tokens, annotate=True, title=t(en="untrained", ko="학습 전"))
plt.show()

# %% [markdown] lang="en" name="sentence-text"
# `[bs, sl, sl]`: a table for each sentence, with a row for each query and a column for each key. Each row adds up to 1. (That three of the rows favour 우산을 is chance: nothing is trained.) `@` multiplies the last two axes as matrices and leaves those before them alone,
# so the same line serves one sentence, a batch, and (in section 5) a batch with heads. Compared with section 1, only the transposition of the keys is new.
#
# ## 4. Two questions at once
#
# A row of the table is one mixture. But a token may have two questions at once: *who is the same word as I am?* and *who stands right before me?* To see what becomes of them we build vectors by hand, with
# twelve numbers. Six of them name the word (there are four different words, so two of the six stay empty), and six name the position; the number that fits is 1, the others are 0. What each token asks about the position is the one **before** its own. At the end everything is multiplied by 3, so that the shares come out clear.
#
# **Guess first.** Can one row of shares answer both questions?

# %% [markdown] lang="ko" name="sentence-text" of="9a48bb7c"
# `[bs, sl, sl]`입니다. 문장마다 표가 하나이고, 쿼리마다 행이 하나, 키마다 열이 하나입니다. 행의 합은 1입니다. (세 행에서 '우산을'이 큰 것은 우연입니다. 아직 아무것도 학습하지 않았습니다.) `@`는 마지막 두 축끼리 행렬 곱을 하고 그 앞의 축은 그대로 둡니다.
# 그래서 같은 한 줄이 문장 하나에도, 배치에도, (5절처럼) 헤드가 있는 배치에도 쓰입니다. 1절과 견주면 키를 전치한 것만 새롭습니다.
#
# ## 4. 질문이 두 개라면
#
# 표의 한 행은 섞는 비율 한 벌입니다. 그런데 토큰은 한꺼번에 두 가지를 묻고 싶을 수 있습니다. *나와 같은 단어는 누구일까?* 그리고 *바로 내 앞에 있는 것은 누구일까?* 어떻게 되는지 보려고
# 숫자 열두 개짜리 벡터를 손으로 만듭니다. 여섯은 단어를(서로 다른 단어가 넷이니 둘은 늘 비어 있습니다), 여섯은 위치를 나타내고, 해당하는 칸만 1이고 나머지는 0입니다. 위치를 물을 때는 자기 위치의 바로 **앞**을 묻습니다. 끝으로 비율이 뚜렷해지도록 전체에 3을 곱합니다.
#
# **먼저 예상해 보세요.** 비율 한 벌로 두 질문에 다 답할 수 있을까요?

# %% name="two-questions"
words = ["the", "cat", "saw", "the", "other", "cat"]
names = list(dict.fromkeys(words))  # each word once
word = torch.eye(6)[[names.index(name) for name in words]]  # word: [sl, 6]
place = torch.eye(6)  # place: [sl, 6]
before = torch.cat([torch.zeros(1, 6), place[:-1]])  # before: [sl, 6]

query = 3 * torch.cat([word, before], dim=-1)[None]  # query: [1, sl, 12]
key = 3 * torch.cat([word, place], dim=-1)[None]  # key: [1, sl, 12]

# %% name="one-head-picture"
one = attention_scores(query, key).softmax(dim=-1)  # one: [1, sl, sl]
plot.attention_heatmap(one[0], words, annotate=True, title=t(en="one head, both questions", ko="헤드 하나, 질문 두 개"))
plt.show()

# %% [markdown] lang="en" name="one-head-text"
# Not cleanly. Look at the second "cat" in the last row: 0.31 for the first "cat", 0.31 for itself, 0.31 for "other". The scores of the two questions were added up before the softmax, and whoever receives the mixture cannot tell which of
# the three stands before it and which two are the same word.
#
# Now the same twelve numbers, cut into two **heads** of six. Each head compares only its own six and has a softmax of its own. The width of one head is called `head_dim`: `hid_dim` divided by `n_heads`, and it must divide evenly. (`split_heads` does the cutting; section 5 opens it.)

# %% [markdown] lang="ko" name="one-head-text" of="e0bdbd9f"
# 깔끔하게는 안 됩니다. 마지막 행에 있는 둘째 "cat"을 보세요. 첫째 "cat"에 0.31, 자신에게 0.31, "other"에 0.31입니다. 두 질문의 점수가 softmax 전에 더해졌기 때문에, 섞인 결과를 받는 쪽에서는
# 셋 중 무엇이 바로 앞의 토큰이고 어느 둘이 같은 단어인지 알 수 없습니다.
#
# 이번에는 같은 숫자 열두 개를 여섯 개씩 두 **헤드**로 나눕니다. 헤드마다 자기 여섯 개만 비교하고 softmax도 따로 적용합니다. 헤드 하나의 너비가 `head_dim`입니다. `hid_dim`을 `n_heads`로 나눈 값이고, 나누어떨어져야 합니다. (나누는 일은 `split_heads`가 합니다. 5절에서 열어 봅니다.)

# %% name="two-heads-picture"
scores = attention_scores(split_heads(query, n_heads=2), split_heads(key, n_heads=2))  # scores: [1, n_heads, sl, sl]
titles = [t(en="head 0: the same word", ko="헤드 0: 같은 단어"), t(en="head 1: the one before", ko="헤드 1: 바로 앞")]
two_heads = scores.softmax(dim=-1)  # two_heads: [1, n_heads, sl, sl]
plot.attention_grid(two_heads[0], words, titles=titles, annotate=True)
plt.show()

# %% [markdown] lang="en" name="two-heads-text"
# Two clear answers: head 0 finds the same word (0.48 each where there are two, 0.89 where there is one), and head 1 has a dark line right below the diagonal (0.89). Only the first word has nobody before it, so its row is an even 0.17. (A little of the sharpness comes from the smaller root, √6 for √12.)
#
# Head 1 also shows why a token needs a query **and** a key. If they were one vector, the score of *a* for *b* would be that of *b* for *a*, and no head could look at the one before without looking at the one behind, too.
# These heads are set by hand; trained ones find their own questions. A head that looks one token back is found in real BERTs, too (lesson 12).
#
# ## 5. Cutting and merging
#
# `split_heads` made two heads of six from twelve. How? We number everything, so that each number tells where it comes from: three tokens, of width 4. The first holds 10 to 13, the second 20 to 23, the third 30 to 33.

# %% [markdown] lang="ko" name="two-heads-text" of="99787050"
# 답이 뚜렷하게 둘로 나뉘었습니다. 헤드 0은 같은 단어를 찾습니다(두 번 나오는 단어는 0.48씩, 한 번뿐인 단어는 자신에게 0.89). 헤드 1은 대각선 바로 아래가 진합니다(0.89). 첫 단어만은 앞에 아무도 없어서 여섯 칸이 고르게 0.17입니다. (뚜렷해진 데는 √12 대신 √6으로 나눈 몫도 조금 있습니다.)
#
# 헤드 1을 보면 토큰에 쿼리**와** 키가 왜 둘 다 필요한지도 알 수 있습니다. 둘이 한 벡터라면 *a*가 *b*에 매기는 점수와 *b*가 *a*에 매기는 점수가 같아져서, 이렇게 바로 앞만 보는 헤드는 있을 수 없습니다.
# 이 헤드들은 손으로 맞춘 것이고, 학습한 헤드는 스스로 질문을 찾아냅니다. 한 토큰 앞을 보는 헤드는 진짜 BERT에도 있습니다(12강).
#
# ## 5. 나누고 합치기
#
# `split_heads`는 숫자 열두 개를 여섯 개짜리 헤드 둘로 나누었습니다. 어떻게 했을까요? 어느 토큰에서 왔는지 숫자만 보고 알 수 있게 번호를 매깁니다. 너비가 4인 토큰 셋입니다. 첫째 토큰은 10~13, 둘째는 20~23, 셋째는 30~33입니다.

# %% name="numbered"
numbered = torch.tensor([[10, 11, 12, 13], [20, 21, 22, 23], [30, 31, 32, 33]])[None]  # numbered: [1, sl, hid_dim]
cut = numbered.reshape(1, 3, 2, 2)  # cut: [1, sl, n_heads, head_dim]
heads = cut.transpose(1, 2)  # heads: [1, n_heads, sl, head_dim]
heads[0].tolist()

# %% [markdown] lang="en" name="view-text"
# Head 0 has the first half of every token, head 1 the second: two steps, **cut** the last axis, then **move** the heads to the front.
#
# ### Break it: one step
#
# The result has the shape `[1, 2, 3, 2]`. Could one `view` not go there directly? **Guess first.** Will it be an error?

# %% [markdown] lang="ko" name="view-text" of="d777ac78"
# 헤드 0에는 모든 토큰의 앞 절반이, 헤드 1에는 뒤 절반이 있습니다. 마지막 축을 **나누고**, 헤드 축을 앞으로 **옮기는** 두 단계입니다.
#
# ### 일부러 망가뜨리기: 한 단계로
#
# 결과의 모양은 `[1, 2, 3, 2]`입니다. 그렇다면 `view` 한 번으로 바로 갈 수 있지 않을까요? **먼저 예상해 보세요.** 오류가 날까요?

# %% name="view-run"
mixed = numbered.view(1, 2, 3, 2)  # mixed: [1, n_heads, sl, head_dim]
mixed[0].tolist()

# %% [markdown] lang="en" name="view-consequence"
# No error and the right shape, but look at head 0: its "three tokens" are 10, 11, then 12, 13, then 20, 21. The first token fills two rows, and the third is not in this head at all. People have [really published this](https://github.com/hyunwoongko/transformer/issues/15). To see
# what it does, change the last of five tokens and ask which rows of which head have changed:

# %% [markdown] lang="ko" name="view-consequence" of="19486e9c"
# 오류도 없고 모양도 맞습니다. 하지만 헤드 0을 보세요. "토큰 셋"이 10, 11 다음에 12, 13, 그다음에 20, 21입니다. 첫 토큰이 두 행을 차지했고 셋째 토큰은 이 헤드에 아예 없습니다. [공개된 코드에서도 볼 수 있는](https://github.com/hyunwoongko/transformer/issues/15) 실수입니다. 무슨 일이
# 생기는지 확인해 봅시다. 토큰 다섯 개 가운데 마지막 것을 바꾸고, 어느 헤드의 어느 행이 달라지는지 봅니다.

# %% name="view-changed"
a = torch.randn(1, 5, 8)  # a: [1, sl, hid_dim]
b = a.clone()  # b: [1, sl, hid_dim]
b[:, 4] += 1

right = (split_heads(a, n_heads=2) != split_heads(b, n_heads=2)).any(dim=-1)  # right: [1, n_heads, sl]
wrong = (a.view(1, 2, 5, 4) != b.view(1, 2, 5, 4)).any(dim=-1)  # wrong: [1, n_heads, sl]

# %% name="view-picture"
names = [t(en=f"{way}, head {head}", ko=f"{way}, 헤드 {head}") for way in ("split_heads", "view") for head in (0, 1)]
changed = torch.cat([right[0], wrong[0]]).long()  # changed: [4, sl]
words_in_cells = [[t(en="changed", ko="바뀜") if n else t(en="same", ko="그대로") for n in row] for row in changed]
ax = plot.batch_grid(changed, words_in_cells, pad_id=0, ids=False)
ax.set_yticklabels(names)
ax.set(xlabel=t(en="row of the head →", ko="헤드의 행 →"), ylabel="")
plt.show()

# %% [markdown] lang="en" name="exercise-heads-text" tags=["exercise"]
# With `split_heads` the last row of both heads changes (blue): it belongs to the last token. With `view`, head 0 does not change at all and head 1 changes in two rows. In a map of such a head the rows do not belong to the tokens written beside them.
#
# ### Your turn · medium · about 5 minutes
#
# `cut_heads(x, n_heads)`: `[bs, sl, hid_dim]` → `[bs, n_heads, sl, head_dim]`.
#
# <details><summary>Hint 1</summary>First cut the last axis: [bs, sl, n_heads, head_dim].</details>
# <details><summary>Hint 2</summary>Then <code>transpose(1, 2)</code>.</details>

# %% [markdown] lang="ko" name="exercise-heads-text" of="9ec79f67" tags=["exercise"]
# `split_heads`에서는 두 헤드 모두 마지막 행이 바뀝니다(파란 칸). 마지막 토큰의 행이기 때문입니다. `view`에서는 헤드 0이 전혀 바뀌지 않고 헤드 1에서 두 행이 바뀝니다. 이런 헤드의 히트맵에서는 행이 토큰과 짝이 맞지 않아서, 옆에 적힌 이름을 믿을 수 없습니다.
#
# ### 직접 해 보기 · 보통 · 약 5분
#
# `cut_heads(x, n_heads)`: `[bs, sl, hid_dim]` → `[bs, n_heads, sl, head_dim]`.
#
# <details><summary>힌트 1</summary>먼저 마지막 축을 나눕니다: [bs, sl, n_heads, head_dim].</details>
# <details><summary>힌트 2</summary>그다음은 <code>transpose(1, 2)</code>입니다.</details>


# %% name="exercise-heads" tags=["exercise"]
def cut_heads(x, n_heads):
    # your turn
    ...


check.cut_heads(cut_heads)


# %% name="solution-heads" tags=["solution"]
def cut_heads(x, n_heads):
    bs, sl, hid_dim = x.shape
    return x.reshape(bs, sl, n_heads, hid_dim // n_heads).transpose(1, 2)  # [bs, n_heads, sl, head_dim]


check.cut_heads(cut_heads)

# %% [markdown] lang="en" name="merge-text"
# The way back is the same two steps in the other order: move the heads behind the tokens, then melt the last two axes into one. (`flatten` copies where it must; after a transposition `view` would refuse.)

# %% [markdown] lang="ko" name="merge-text" of="fc148388"
# 돌아올 때는 같은 두 단계를 거꾸로 합니다. 헤드 축을 토큰 축 뒤로 옮기고, 마지막 두 축을 하나로 합칩니다. (`flatten`은 필요하면 복사합니다. 전치한 뒤의 `view`는 거절당합니다.)

# %% name="library-merge"
# from tutorial_lib.attention: merge_heads

# %% name="merge-run"
torch.equal(merge_heads(split_heads(a, n_heads=2)), a)

# %% [markdown] lang="en" name="box"
# ## 6. The whole box
#
# Project, cut, attend, merge, and one more linear layer. The heart of it is your `attention` with three things more: a mask (lesson 06; for now it is None), dropout, and a choice whether the weights are wanted.

# %% [markdown] lang="ko" name="box" of="4580795d"
# ## 6. 상자 전체
#
# 투영하고, 나누고, 어텐션을 계산하고, 합치고, 선형 계층을 한 번 더 지납니다. 한가운데에는 여러분의 `attention`에 세 가지를 더한 함수가 있습니다. 마스크(06강에서 보고 지금은 None입니다), 드롭아웃, 그리고 가중치가 필요한지 고르는 인자입니다.

# %% name="library-sdpa"
# from tutorial_lib.attention: scaled_dot_product_attention

# %% [markdown] lang="en" name="class-text"
# Around it the class. **Guess first.** The tensor that goes in as `query`: how many times does its shape change on the way?

# %% [markdown] lang="ko" name="class-text" of="a27fcbda"
# 그것을 감싸는 클래스입니다. **먼저 예상해 보세요.** `query`로 들어간 텐서의 모양은 나올 때까지 몇 번 바뀔까요?

# %% name="library-attention"
# from tutorial_lib.attention: MultiHeadAttention

# %% name="box-trace"
attend = MultiHeadAttention(hid_dim=8, n_heads=2).to(device()).eval()
x = x.detach().to(device())  # x: [bs, sl, hid_dim]
sizes = {"bs": 3, "sl": src.size(1), "hid_dim": 8, "n_heads": 2, "head_dim": 4}
annotate_shapes(attend, x, x, x, need_weights=True).named(**sizes)

# %% [markdown] lang="en" name="box-text"
# Twice: it is cut into heads, `[bs, n_heads, sl, head_dim]`, and in the last line `merge_heads` makes `[bs, sl, hid_dim]` of them again. The weights have one map for each head.
#
# `out_proj` is the paper's $W^O$. Without it each slice of the output would hold what one head has found; with it every number of the output can use what all heads found.
#
# And why are the weights None unless we ask for them? So that nobody has to keep them. Unless they are wanted, the library leaves the sum to PyTorch's function of the same name, `F.scaled_dot_product_attention`, which can do it piece by piece and never hold the whole table. The
# output is the same:

# %% [markdown] lang="ko" name="box-text" of="eaec6b1d"
# 두 번입니다. 헤드로 나눌 때 `[bs, n_heads, sl, head_dim]`이 되고, 마지막 줄의 `merge_heads`가 다시 `[bs, sl, hid_dim]`으로 합칩니다. 가중치에는 헤드마다 표가 하나씩 있습니다.
#
# `out_proj`는 논문의 $W^O$입니다. 이것이 없으면 출력의 한 토막에는 헤드 하나가 찾은 것만 담깁니다. 이것이 있으면 출력의 숫자 하나하나에 모든 헤드가 찾은 것을 섞어 담을 수 있습니다.
#
# 따로 요청하지 않으면 가중치 자리에는 None이 나옵니다. 표 전체를 메모리에 두지 않기 위해서입니다. 이때 라이브러리는 이름이 같은 PyTorch의 함수 `F.scaled_dot_product_attention`에 계산을 맡기는데, 이 함수는 표를 조금씩 나누어 계산할 수 있습니다. 출력은
# 같습니다.

# %% name="box-both"
with torch.no_grad():
    quick, nothing = attend(x, x, x)  # quick: [bs, sl, hid_dim]
    shown, weights = attend(x, x, x, need_weights=True)  # shown: [bs, sl, hid_dim]
nothing, torch.allclose(quick, shown, atol=1e-6)

# %% [markdown] lang="en" name="dropout-text"
# One thing is easy to forget when you look at weights: in training there is dropout **on the weights**. A tenth of them (`dropout=0.1`) is set to 0, and the others are made larger to make up for it. **Guess first.** Do the rows still add up to 1?

# %% [markdown] lang="ko" name="dropout-text" of="e3c8f9d8"
# 가중치를 볼 때 잊기 쉬운 것이 있습니다. 학습 중에는 **가중치에도** 드롭아웃이 걸립니다. 열에 하나꼴로(`dropout=0.1`) 0이 되고, 나머지는 그만큼 커집니다. **먼저 예상해 보세요.** 그래도 행의 합은 1일까요?

# %% name="dropout-run"
sums = {}
for training in (True, False):  # the module is left in eval()
    attend.train(training)
    runs = [attend(x, x, x, need_weights=True)[1] for _ in range(300)]
    sums[training] = torch.stack(runs).sum(dim=-1).detach().cpu()  # one number for each row of each run

# %% name="dropout-sums"
for training, name in ((False, "eval"), (True, "training")):
    every_row = torch.allclose(sums[training], torch.ones(1))
    print(f"{name:9}", t(en="every row 1:", ko="모든 행이 1:"), f"{every_row!s:6} mean {sums[training].mean():.1f}")

# %% [markdown] lang="en" name="exercise-multi-text" tags=["exercise"]
# Not in training: a row adds up to 1 only on average. So call `eval()` before you draw a heatmap, or you draw the dropout.
#
# ### Your turn · a stretch · about 12 minutes
#
# Everything together: `multi_head(x, w_q, w_k, w_v, w_o, n_heads)` with `x` as `[bs, sl, hid_dim]` and four matrices `[hid_dim, hid_dim]`, without bias: `x @ w_q` are the queries.
#
# <details><summary>Hint 1</summary>Cut <code>x @ w_q</code>, <code>x @ w_k</code> and <code>x @ w_v</code> into heads; attention then works on the last two axes.</details>
# <details><summary>Hint 2</summary><code>transpose(1, 2).flatten(2)</code> merges the heads. <code>w_o</code> comes last.</details>

# %% [markdown] lang="ko" name="exercise-multi-text" of="c4c8aac3" tags=["exercise"]
# 학습 중에는 아닙니다. 평균만 1입니다. 그러니 히트맵은 `eval()`을 부른 다음에 그리세요. 그러지 않으면 드롭아웃을 그리게 됩니다.
#
# ### 직접 해 보기 · 도전 · 약 12분
#
# 모두 합쳐 봅시다. `multi_head(x, w_q, w_k, w_v, w_o, n_heads)`에서 `x`는 `[bs, sl, hid_dim]`이고 행렬 네 개는 `[hid_dim, hid_dim]`입니다. 편향은 없고, `x @ w_q`가 쿼리입니다.
#
# <details><summary>힌트 1</summary><code>x @ w_q</code>, <code>x @ w_k</code>, <code>x @ w_v</code>를 헤드로 나누면, 어텐션은 마지막 두 축에서 그대로 계산됩니다.</details>
# <details><summary>힌트 2</summary><code>transpose(1, 2).flatten(2)</code>가 헤드를 합칩니다. <code>w_o</code>는 마지막에 곱합니다.</details>


# %% name="exercise-multi" tags=["exercise"]
def multi_head(x, w_q, w_k, w_v, w_o, n_heads):
    # your turn
    ...


check.multi_head(multi_head)


# %% name="solution-multi" tags=["solution"]
def multi_head(x, w_q, w_k, w_v, w_o, n_heads):
    query, key, value = (split_heads(x @ w, n_heads=n_heads) for w in (w_q, w_k, w_v))
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))  # scores: [bs, n_heads, sl, sl]
    context = scores.softmax(dim=-1) @ value  # context: [bs, n_heads, sl, head_dim]
    return context.transpose(1, 2).flatten(2) @ w_o  # [bs, sl, hid_dim]


check.multi_head(multi_head)

# %% [markdown] lang="en" name="cross"
# ## 7. Looking at another sentence
#
# In an encoder all three inputs are the same `src`: **self-attention**. A decoder also lets its tokens look at the encoder's: the queries come from one sentence, keys and values from the other. That is **cross-attention**, and the box is the same.
# Three tokens, what has been written so far of a translation, look at the seven places of the Korean sentence. (`tl` is the length of the text that is being written, the target.) **Guess first.** How long is the output: three or seven?

# %% [markdown] lang="ko" name="cross" of="5f8fc008"
# ## 7. 다른 문장 바라보기
#
# 인코더에서는 세 입력이 모두 같은 `src`입니다. 이것이 **셀프 어텐션**입니다. 디코더의 토큰은 인코더의 토큰도 봅니다. 쿼리는 한 문장에서, 키와 값은 다른 문장에서 옵니다. 이것이 **크로스 어텐션**이고, 상자는 똑같습니다.
# 지금까지 쓴 영어 토큰 세 개가 한국어 문장의 일곱 자리를 바라봅니다. (`tl`은 써 나가는 쪽 문장의 길이입니다.) **먼저 예상해 보세요.** 출력의 길이는 셋일까요, 일곱일까요?

# %% name="cross-run"
target = ["<BOS>", "it", "rained"]
asking = torch.randn(1, 3, 8).to(device())  # asking: [1, tl, hid_dim]
asked = x[:1]  # asked: [1, sl, hid_dim]
with torch.no_grad():
    out, weights = attend(asking, asked, asked, need_weights=True)  # out: [1, tl, hid_dim]
out.shape

# %% name="cross-picture"
plot.attention_heatmap(
    weights[0, 0], target, key_tokens=tokens, annotate=True, title=t(en="head 0, untrained", ko="헤드 0, 학습 전")
)
plt.show()

# %% [markdown] lang="en" name="cross-text"
# Three: every query gets one answer. The map has three rows and seven columns, and the output takes its length from the queries. Keys and values must be equally long, since the share of a key is the share in which its value is mixed in. Lesson 13 puts this into a decoder.
#
# ## 8. The same as PyTorch's
#
# `nn.MultiheadAttention` is PyTorch's own class. **Guess first.** Ours has four linear layers. Which parameters will theirs have?

# %% [markdown] lang="ko" name="cross-text" of="5f96d919"
# 셋입니다. 쿼리마다 답이 하나입니다. 히트맵은 세 행, 일곱 열이고, 출력의 길이는 쿼리를 따릅니다. 키와 값의 길이는 같아야 합니다. 키가 받은 비율대로 그 키와 짝인 값을 섞기 때문입니다. 13강에서 이것을 디코더에 넣습니다.
#
# ## 8. PyTorch와 같은 값
#
# PyTorch에도 같은 일을 하는 클래스 `nn.MultiheadAttention`이 있습니다. **먼저 예상해 보세요.** 우리 클래스에는 선형 계층이 네 개 있습니다. PyTorch에는 어떤 파라미터가 있을까요?

# %% name="packed"
theirs = nn.MultiheadAttention(8, 2, batch_first=True).to(device()).eval()
for name, parameter in theirs.named_parameters():
    print(f"{name:16}", list(parameter.shape))

# %% [markdown] lang="en" name="packed-text"
# `out_proj` as ours has it, and one matrix of 24 rows with its bias: the three projections stacked, queries first, then keys, then values. Whoever takes them in another order gets no error, only other numbers. So we stack ours in this order:

# %% [markdown] lang="ko" name="packed-text" of="69934820"
# 우리와 같은 `out_proj`, 그리고 쿼리, 키, 값의 투영을 차례로 쌓은 24행짜리 행렬 하나와 그 편향입니다. 순서를 바꾸어 쌓아도 오류가 나지 않고 결과만 달라집니다. 우리 것을 이 순서로 쌓아 봅시다.

# %% name="packed-copy"
projections = [attend.q_proj, attend.k_proj, attend.v_proj]
with torch.no_grad():
    theirs.in_proj_weight.copy_(torch.cat([linear.weight for linear in projections]))
    theirs.in_proj_bias.copy_(torch.cat([linear.bias for linear in projections]))
    theirs.out_proj.load_state_dict(attend.out_proj.state_dict())

# %% name="same-numbers"
with torch.no_grad():
    ours, our_weights = attend(x, x, x, need_weights=True)  # ours: [bs, sl, hid_dim]
    expected, per_head = theirs(x, x, x, average_attn_weights=False)  # expected: [bs, sl, hid_dim]
    _, default = theirs(x, x, x)
torch.allclose(ours, expected, atol=1e-6), torch.allclose(our_weights, per_head, atol=1e-6)

# %% [markdown] lang="en" name="average-text"
# The same output and the same weights, but for rounding. But note `average_attn_weights=False`. **Guess first.** Without it, which shape does `default` have, and what becomes of two heads with one clear answer each?

# %% [markdown] lang="ko" name="average-text" of="7ac2a965"
# 출력도 가중치도 반올림 오차만큼만 다릅니다. 그런데 `average_attn_weights=False`를 눈여겨보세요. **먼저 예상해 보세요.** 이것이 없으면 `default`의 모양은 무엇이고, 저마다 뚜렷하던 두 헤드의 답은 어떻게 보일까요?

# %% name="average-numbers"
list(default.shape), torch.allclose(default, per_head.mean(dim=1), atol=1e-6)

# %% [markdown] lang="en" name="average-picture-text"
# `[bs, sl, sl]`: the **mean over the heads**. What does a mean hide? Here is that of the two clean heads from section 4:

# %% [markdown] lang="ko" name="average-picture-text" of="e198fe60"
# `[bs, sl, sl]`, **헤드들의 평균**입니다. 평균은 무엇을 가릴까요? 4절의 깔끔한 두 헤드를 평균하면 이렇습니다.

# %% name="average-picture"
mean = two_heads.mean(dim=1)  # mean: [1, sl, sl]
plot.attention_heatmap(mean[0], words, annotate=True, title=t(en="mean of both heads", ko="두 헤드의 평균"))
plt.show()

# %% [markdown] lang="en" name="summary"
# The last row gives 0.25 to each "cat" and 0.45 to "other", and nothing tells that two heads were at work, each with one clear answer. Before you draw or judge an attention map from PyTorch, ask for the heads.
#
# As in lesson 04, the tests of this repository do the comparison for several sizes and masks, gradients and weights included.
#
# ## What you have now
#
# - Attention: scores (dot products over a root), softmax along the keys, mixture of the values.
# - The root keeps the scores at one size, so that no token takes all and learning goes on.
# - Heads: several questions, a softmax each. Cut the last axis, then transpose; `view` alone mixes tokens.
# - Queries decide how many answers there are, keys and values where they come from.
# - The same numbers as `F.scaled_dot_product_attention` and `nn.MultiheadAttention`.
#
# Next: [06 · Masks](06_masks.ipynb), where some keys get exactly nothing.
#
# **Further reading**: [Attention Is All You Need](https://arxiv.org/abs/1706.03762), section 3.2 · [The Illustrated Transformer](https://jalammar.github.io/illustrated-transformer/)

# %% [markdown] lang="ko" name="summary" of="d9bd4ff6"
# 마지막 행은 두 "cat"에 0.25씩, "other"에 0.45를 줍니다. 헤드 둘이 저마다 뚜렷한 답을 냈다는 것은 여기서 알 수 없습니다. PyTorch에서 꺼낸 어텐션을 그리거나 판단하기 전에는 헤드별 가중치를 요청하세요.
#
# 04강에서처럼, 이 저장소의 테스트가 여러 크기와 마스크에 걸쳐 가중치와 기울기까지 비교합니다.
#
# ## 정리
#
# - 어텐션: 점수(내적을 제곱근으로 나눈 것), 키 방향의 softmax, 비율대로 섞은 값.
# - 제곱근으로 나누면 점수의 크기가 일정해서, 한 토큰이 다 가져가지 않고 학습이 이어집니다.
# - 헤드: 질문이 여럿이고 softmax도 따로입니다. 마지막 축을 나누고 전치합니다. `view`만 쓰면 토큰이 섞입니다.
# - 답이 몇 개인지는 쿼리가, 답이 어디서 오는지는 키와 값이 정합니다.
# - `F.scaled_dot_product_attention`, `nn.MultiheadAttention`과 같은 값이 나옵니다.
#
# 다음: [06 · 마스크](06_masks.ipynb). 어떤 키에는 정확히 0을 줍니다.
#
# **더 읽을거리**: [Attention Is All You Need](https://arxiv.org/abs/1706.03762) 3.2절 · [The Illustrated Transformer](https://jalammar.github.io/illustrated-transformer/)
