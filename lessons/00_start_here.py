# ---
# jupyter:
#   jupytext:
#     formats: py:percent
#     cell_metadata_filter: lang,of,name,tags,-all
# ---

# %% [markdown] lang="en" name="title"
# # 00 · Start here
#
# You hand a sentence to a machine. Inside, every word looks at every word, itself included, and out comes a row of numbers for each of them.
# The machine is called a **Transformer encoder**. In this series you build one, piece by piece,
# and see the shape of every tensor and every attention weight on the way.
#
# **You will be able to**
#
# - send sentences through a whole encoder, and say what each axis of the result means;
# - read a shape trace and an attention heatmap;
# - let a check tell you what is wrong with your answer.
#
# **Read first**: nothing. You know some Python. If PyTorch is new to you, run the first two cells, go through section 3, and then start again from the top.
#
# **Time**: 35 minutes.
#
# <details><summary>For the classroom</summary>
#
# | Section | Minutes |
# |---|---|
# | 1 Three sentences, one encoder | 12 |
# | 2 The map of the series | 3 |
# | 3 A ten-minute refresher | 10 |
# | 4 How a check talks to you | 10 |
#
# Two questions to ask: *Before you run the encoder: how many numbers come out for three sentences?*
# *One cell of the heatmap stands out. Has the encoder found something?*
#
# </details>

# %% [markdown] lang="ko" name="title" of="3ca076a8"
# # 00 · 여기서 시작
#
# 기계에 문장을 하나 넣습니다. 기계 안에서 모든 단어가 자기 자신을 포함해 서로를 바라보고, 단어마다 숫자 한 줄이 나옵니다.
# 이 기계가 **트랜스포머 인코더**입니다. 이 시리즈에서는 인코더를 한 조각씩 직접 만들면서
# 조각 사이를 오가는 텐서의 모양(shape)과 어텐션 가중치를 빠짐없이 눈으로 확인합니다.
#
# **이 강의를 마치면**
#
# - 문장을 인코더에 통째로 넣어 보고, 결과의 축이 각각 무엇을 뜻하는지 말할 수 있습니다.
# - 모양 추적(shape trace)과 어텐션 히트맵을 읽을 수 있습니다.
# - 내 답이 어디서 틀렸는지 채점 함수에 물어볼 수 있습니다.
#
# **먼저 볼 것**: 없습니다. 파이썬을 조금 알면 됩니다. PyTorch가 처음이라면 맨 위 두 셀만 실행하고 3절을 먼저 본 다음, 처음부터 다시 시작하세요.
#
# **시간**: 35분.
#
# <details><summary>수업용 안내</summary>
#
# | 절 | 분 |
# |---|---|
# | 1 문장 세 개와 인코더 하나 | 12 |
# | 2 시리즈 지도 | 3 |
# | 3 10분 복습 | 10 |
# | 4 채점 함수가 말하는 법 | 10 |
#
# 던져 볼 질문 두 가지: *인코더를 돌리기 전에, 문장 세 개를 넣으면 숫자가 몇 개 나올까요?*
# *히트맵의 한 칸이 유난히 진합니다. 인코더가 무언가를 알아낸 걸까요?*
#
# </details>

# %% [markdown] lang="en" name="setup-text"
# Run the cells from top to bottom with Shift + Enter. The first one finds the small library behind this series
# (on Colab it installs it) and fixes the random numbers, so that you see what we describe.

# %% [markdown] lang="ko" name="setup-text" of="daf7c8b3"
# 셀을 위에서부터 Shift + Enter로 하나씩 실행하세요. 첫 셀은 이 시리즈가 쓰는 작은 라이브러리를 찾고
# (Colab에서는 설치하고), 글에서 설명하는 것과 같은 결과가 나오도록 난수를 고정합니다.

# %% name="setup" tags=["setup"]

# %% name="imports" tags=["imports"]
import matplotlib.pyplot as plt
import torch
from torch import nn

from tutorial_lib import data, device, plot, t
from tutorial_lib.encoder import Encoder
from tutorial_lib.exercises import lesson_00 as check
from tutorial_lib.masks import padding_mask
from tutorial_lib.text import Vocab
from tutorial_lib.trace import trace_shapes

# %% [markdown] lang="en" name="three-sentences"
# ## 1. Three sentences, one encoder
#
# Here are three sentences: two with three words, *나는 책을 읽었다* (I read a book) and *The cat sleeps*,
# and one with a single word, *안녕하세요* (hello).
#
# **Guess first.** The encoder below describes each word with 8 numbers. How many numbers come out in all?
#
# Do not try to follow the code yet. Later lessons explain each part of it; here it shows where we are going.

# %% [markdown] lang="ko" name="three-sentences" of="2a5aaa0f"
# ## 1. 문장 세 개와 인코더 하나
#
# 문장이 세 개 있습니다. *나는 책을 읽었다*와 *The cat sleeps*는 세 단어, *안녕하세요*는 한 단어입니다.
# (이 시리즈에서는 띄어 쓴 한 덩어리, 곧 어절을 단어라고 부르겠습니다.)
#
# **먼저 예상해 보세요.** 아래 인코더는 단어 하나를 숫자 8개로 나타냅니다. 숫자는 모두 몇 개가 나올까요?
#
# 아직은 코드를 이해하려고 애쓰지 않아도 됩니다. 부품 하나하나를 뒤의 강의에서 설명합니다. 지금은 어디로 가는지만 봅니다.

# %% name="whole-encoder"
sentences = ["나는 책을 읽었다", "The cat sleeps", "안녕하세요"]

vocab = Vocab.build(sentences)
src = vocab.batch(sentences).to(device())  # src: [bs, sl]
src_mask = padding_mask(src, pad_id=vocab.pad_id)  # src_mask: [bs, 1, 1, sl]

encoder = Encoder(input_dim=len(vocab), hid_dim=8, pf_dim=16, n_heads=2, n_layers=6).to(device())
encoder.eval()
with torch.no_grad():
    out, weights = encoder(src, src_mask, need_weights=True)  # out: [bs, sl, hid_dim]
out.shape, out.numel()

# %% [markdown] lang="en" name="whole-encoder-answer"
# 120 numbers, as 3 × 5 × 8: three sentences (`bs`, the batch size), **five** places in each (`sl`, the sequence length),
# eight numbers per place (`hid_dim`, the hidden dimension). If you guessed 56, you counted the words, 7 × 8.
# Why are there five places? The picture shows the batch as the encoder gets it.

# %% [markdown] lang="ko" name="whole-encoder-answer" of="972caccc"
# 3 × 5 × 8, 모두 120개입니다. 문장이 3개(`bs`, 배치 크기), 문장마다 자리가 **다섯 개**(`sl`, 시퀀스 길이),
# 자리마다 숫자가 8개(`hid_dim`, 은닉 차원)입니다. 56개라고 예상했다면 단어만 세어 7 × 8로 계산한 것입니다.
# 자리는 왜 다섯 개일까요? 인코더가 받는 배치를 그림으로 봅시다.

# %% name="batch-picture"
tokens = [vocab.decode(row, specials=True) for row in src]
plot.batch_grid(src, tokens, pad_id=vocab.pad_id)
plt.show()

# %% [markdown] lang="en" name="batch-picture-text"
# A piece of text that fills one place is called a **token**. Here each word is a token, and we add some of our own: `<BOS>` (beginning of sentence)
# before every sentence, `<EOS>` (end of sentence) after it. PyTorch keeps numbers in boxes called tensors, and a box has no ragged edges,
# so the short third sentence is padded with `<PAD>`, drawn in grey. Eight numbers come out for every place, padding too.
#
# The number under each token is its id, and ids are what the encoder reads. (Id 1 is kept for unknown words.) Lesson 01 is about this table.
#
# ### Read a shape trace
#
# What happens between `[bs, sl]` and `[bs, sl, hid_dim]`? Ask for a trace: it runs the encoder once more and writes down
# every shape. Each line is one part; `depth(1)` shows the encoder and the parts directly inside it. Behind its name stands what went in,
# and then what came out, in names and, in small print, in numbers.

# %% [markdown] lang="ko" name="batch-picture-text" of="f3f95ae5"
# 자리 하나를 차지하는 텍스트 조각을 **토큰**이라고 합니다. 여기서는 단어 하나가 토큰이고, 우리가 더한 토큰도 있습니다.
# 문장마다 앞에는 `<BOS>`(문장의 시작), 뒤에는 `<EOS>`(문장의 끝)를 붙였습니다. PyTorch는 숫자를 텐서라는 반듯한 상자에 담는데, 상자는 들쭉날쭉할 수 없으므로
# 짧은 세 번째 문장은 회색으로 그린 `<PAD>`로 채웠습니다. 패딩 자리에서도 숫자 8개가 나옵니다.
#
# 토큰 아래의 숫자는 그 토큰의 번호(id)이고, 인코더는 이 번호를 읽습니다. (1번은 모르는 단어를 위해 비워 둡니다.) 이 표는 01강에서 자세히 다룹니다.
#
# ### 모양 추적 읽기
#
# `[bs, sl]`이 `[bs, sl, hid_dim]`이 되기까지 무슨 일이 일어날까요? 추적 함수를 부르면 인코더를 한 번 더 돌리면서
# 지나가는 모양을 모두 적어 줍니다. 한 줄이 부품 하나이고, `depth(1)`은 인코더와 바로 아래 한 단계의 부품까지만 보여 줍니다. 부품 이름 다음이 들어간 것(in),
# 그다음이 나온 것(out)입니다. 이름으로, 그리고 작은 글씨의 숫자로 적혀 있습니다.

# %% name="trace"
sizes = {"bs": 3, "sl": 5, "hid_dim": 8}
trace_shapes(encoder, src, src_mask, sizes=sizes).depth(1)

# %% [markdown] lang="en" name="trace-text"
# Two things to notice:
#
# - only `embed`, the embedding, changes the shape: it turns each id into 8 numbers, so an axis appears;
# - from there on **nothing changes the shape**: `pe` adds each token's position, `dropout` rests until we train, and then come six layers,
#   each with `[bs, sl, hid_dim]` in and out.
#
# That is why layers can be stacked as high as you like. A layer changes the values and leaves the shape alone.
# (`[bs, 1, 1, sl]` among what goes in is the mask, a second input. What it does you will see in a moment; its two axes of length 1 are for lesson 06.)
#
# ### Read a heatmap
#
# Inside a layer, every token divides its attention among all tokens of the sentence. The shares are the **attention weights**.
# Each row of a heatmap is a token that looks (the *query*), each column a token that is looked at (the *key*); a row adds up to 1, but for rounding.
# Our layers have two *heads*, each of which divides attention in its own way. Here are both heads of layer 0, for the first sentence.
#
# (`t` in the code picks the words for the language of this notebook.)
#
# **Guess first.** This encoder has learned nothing yet. What will its heatmaps look like?

# %% [markdown] lang="ko" name="trace-text" of="976e79ad"
# 두 가지가 눈에 들어옵니다.
#
# - 모양을 바꾸는 것은 임베딩인 `embed`뿐입니다. 번호 하나를 숫자 8개로 바꾸면서 축이 하나 늘어납니다.
# - 그다음부터는 **모양이 변하지 않습니다**. `pe`가 토큰마다 위치 정보를 더하고, `dropout`은 학습할 때까지 쉬고,
#   이어지는 계층 여섯 개는 들어갈 때도 나올 때도 `[bs, sl, hid_dim]`입니다.
#
# 그래서 계층은 원하는 만큼 쌓을 수 있습니다. 계층은 텐서의 모양은 그대로 두고 값만 바꿉니다.
# (들어간 것에 있는 `[bs, 1, 1, sl]`은 두 번째 입력인 마스크입니다. 무슨 일을 하는지는 잠시 뒤에 봅니다. 길이가 1인 두 축은 06강에서 설명합니다.)
#
# ### 히트맵 읽기
#
# 계층 안에서 각 토큰은 자기 관심을 문장의 모든 토큰에 나누어 줍니다. 그 비율이 **어텐션 가중치**입니다.
# 히트맵의 행은 바라보는 토큰(쿼리), 열은 바라보이는 토큰(키)이고, 한 행을 모두 더하면 반올림 오차를 빼고 1입니다.
# 계층마다 *헤드*가 두 개 있고, 헤드는 저마다 다르게 관심을 나눕니다. 0번 계층의 두 헤드가 첫 문장을 어떻게 보는지 그려 봅시다.
#
# (코드의 `t`는 노트북의 언어에 맞는 문구를 고르는 함수입니다.)
#
# **먼저 예상해 보세요.** 이 인코더는 아직 아무것도 배우지 않았습니다. 히트맵은 어떤 모습일까요?

# %% name="heatmap"
first_layer = weights[0]  # first_layer: [bs, n_heads, sl, sl]
titles = [t(en=f"head {head}, untrained", ko=f"헤드 {head}, 학습 전") for head in range(2)]
plot.attention_grid(first_layer[0], tokens[0], titles=titles, annotate=True)
plt.show()

# %% [markdown] lang="en" name="heatmap-text"
# Mostly pale: an even share would be 0.20, and most cells are near it. One cell stands out, where 읽었다 (read) gives 0.51 to `<BOS>`.
# Has the encoder found something? No. Its *parameters*, the numbers that it will learn, are still random, and chance favours some tokens.
# Write `seed=1` into the brackets of `tutorial_lib.setup`, run all cells again, and others stand out.
# A pattern with a meaning has to be learned. Whenever a heatmap in this series comes from an untrained
# encoder, its title says so.
#
# ### Break it: forget the mask
#
# `src_mask` tells the encoder which places hold a real token. What if we forget it? Look at the third sentence, the one with padding.

# %% [markdown] lang="ko" name="heatmap-text" of="1e61c8be"
# 대부분 흐릿합니다. 똑같이 나누면 0.20이고, 대부분의 칸이 그 근처입니다. '읽었다'가 `<BOS>`에 0.51을 주는 칸 하나만 눈에 띕니다.
# 인코더가 무언가를 알아낸 걸까요? 아닙니다. 앞으로 배워야 할 숫자인 파라미터가 아직 난수라서, 우연히 몇몇 토큰에 관심이 쏠릴 뿐입니다.
# `tutorial_lib.setup`의 괄호 안에 `seed=1`을 더하고 모든 셀을 다시 실행하면 다른 칸이 눈에 띕니다.
# 뜻이 있는 무늬는 학습해야 생깁니다. 이 시리즈에서는 학습하지 않은 인코더의 히트맵이라면
# 제목에 꼭 그렇게 적습니다.
#
# ### 일부러 망가뜨리기: 마스크를 잊으면
#
# `src_mask`는 어느 자리가 진짜 토큰인지 인코더에 알려 줍니다. 이 마스크를 빼먹으면 어떻게 될까요? 패딩이 있는 세 번째 문장을 봅시다.

# %% name="forget-mask-picture"
with torch.no_grad():
    forgotten, weights_forgotten = encoder(src, need_weights=True)  # forgotten: [bs, sl, hid_dim]

maps = torch.stack([weights[0][2, 0], weights_forgotten[0][2, 0]])  # maps: [2, sl, sl]
titles = [
    t(en="with the mask, untrained", ko="마스크 있음, 학습 전"),
    t(en="without the mask, untrained", ko="마스크 없음, 학습 전"),
]
plot.attention_grid(maps, tokens[2], titles=titles, annotate=True)
plt.show()

# %% [markdown] lang="en" name="forget-mask-text"
# This is head 0 of layer 0 again. With the mask the two columns of `<PAD>` are exactly 0: nobody looks there. Without it, padding takes a share
# of everybody's attention. (The mask hides columns only. The `<PAD>` rows do look, and nobody reads what comes out for them.)
#
# Does that matter for the result? Send 안녕하세요 by itself through the encoder, so that it needs no padding, and compare its three tokens.

# %% [markdown] lang="ko" name="forget-mask-text" of="08c4729d"
# 이번에도 0번 계층의 0번 헤드입니다. 마스크가 있으면 `<PAD>`의 두 열은 정확히 0입니다. 아무도 그곳을 보지 않습니다. 마스크가 없으면 모든 토큰의 관심 가운데
# 일부가 패딩으로 새어 나갑니다. (마스크는 열만 가립니다. `<PAD>` 행도 다른 토큰을 보지만, 거기서 나온 결과는 아무도 읽지 않습니다.)
#
# 결과도 달라질까요? 패딩이 필요 없도록 '안녕하세요'만 따로 인코더에 넣고, 토큰 세 개의 숫자를 비교해 봅시다.

# %% name="forget-mask"
with torch.no_grad():
    alone = encoder(vocab.batch(["안녕하세요"]).to(device()))  # alone: [1, 3, hid_dim]

numbers = alone[0]  # numbers: [3, hid_dim]
print(t(en="average size of the numbers:", ko="숫자의 평균 크기:"), f"{numbers.abs().mean():.3f}")
print(
    t(en="average difference with the mask:", ko="마스크가 있을 때의 평균 차이:"),
    f"{(out[2, :3] - numbers).abs().mean():.3f}",
)
print(
    t(en="average difference without it:", ko="마스크가 없을 때의 평균 차이:"),
    f"{(forgotten[2, :3] - numbers).abs().mean():.3f}",
)

# %% [markdown] lang="en" name="silent-text"
# With the mask the sentence gets the same numbers as by itself. Without it they are off by a fifth of their size, and only because the other
# sentences of the batch are longer. No error, no warning, and the shapes are right: mistakes in this field are often **silent**.
# This series is about making them visible.
#
# ## 2. The map of the series
#
# Where are you, and where does the road go? Part **I** follows a sentence from text to the encoder, **II** opens the boxes inside a layer,
# **III** puts the encoder to work, and in **IV** you find bugs and make it faster. The lessons with a dashed border are still being written.

# %% [markdown] lang="ko" name="silent-text" of="106822e2"
# 마스크가 있으면 혼자 들어갔을 때와 숫자가 같습니다. 없으면 배치의 다른 문장이 더 길다는 이유만으로 제 크기의 5분의 1만큼 달라집니다.
# 오류도 경고도 없고 모양도 그대로입니다. 이 분야의 실수는 이렇게 **조용할** 때가 많습니다.
# 이 시리즈는 그런 실수를 눈에 보이게 하려고 만들었습니다.
#
# ## 2. 시리즈 지도
#
# 지금 어디에 있고, 앞으로 어디로 갈까요? **1부**는 문장이 텍스트에서 인코더까지 가는 길을 따라가고, **2부**는 계층 안의 상자를 열어 봅니다.
# **3부**는 인코더에 일을 시키고, **4부**는 버그를 잡고 인코더를 더 빠르게 만듭니다. 점선 상자는 아직 쓰는 중인 강의입니다.

# %% name="map"
plot.series_map(data.series(), here="00")
plt.show()

# %% [markdown] lang="en" name="map-text"
# Two Korean blog posts gave us the route.
#
# - **Post A**, *Self-Attention Python*, splits the code of BERT, a well-known encoder, into `SelfAttention`, `SelfOutput`,
#   `Intermediate` and so on, and uses them for forecasting. Lessons 08 and 11 follow it.
# - **Post B**, *Encoder and EncoderLayer* by [heiswicked](https://velog.io/@heiswicked), walks through these two classes and notes the shape at every line.
#   Its flow, ids → `Embed` → `PositionalEncodingLayer` → six `EncoderLayer`s, is the trace of section 1. Lessons 01 to 07 follow it.
#
# The code of both posts does not run as printed, because names are missing, and it has bugs that raise no error. Here everything runs.
#
# ## 3. A ten-minute refresher
#
# The series needs three things from PyTorch: shapes, gradients, and a training step. Skip what you know.
#
# ### Shapes
#
# **Guess first.** `table` has 3 rows and 5 columns. Which has three numbers, `table.sum(dim=0)` or `table.sum(dim=1)`?

# %% [markdown] lang="ko" name="map-text" of="40206662"
# 이 시리즈는 한국어 블로그 글 두 편을 따라갑니다.
#
# - **글 A**, *Self-Attention Python*은 잘 알려진 인코더인 BERT의 코드를 `SelfAttention`, `SelfOutput`, `Intermediate` 등으로
#   나누고, 그것으로 예측 모델을 만듭니다. 08강과 11강이 이 글을 따릅니다.
# - **글 B**, [heiswicked](https://velog.io/@heiswicked)의 *Encoder and EncoderLayer*는 두 클래스를 줄마다 모양을 적으며 따라갑니다.
#   번호 → `Embed` → `PositionalEncodingLayer` → `EncoderLayer` 여섯 개로 이어지는 흐름은 1절의 추적에서 본 그대로입니다. 01강부터 07강까지가 이 글을 따릅니다.
#
# 두 글의 코드에는 정의되지 않은 이름이 있어서 그대로는 돌아가지 않고, 오류 없이 틀리는 곳도 있습니다. 여기서는 모두 돌아갑니다.
#
# ## 3. 10분 복습
#
# 이 시리즈가 PyTorch에서 쓰는 것은 모양, 기울기, 학습 한 걸음, 이 세 가지입니다. 아는 부분은 건너뛰세요.
#
# ### 모양
#
# **먼저 예상해 보세요.** `table`은 3행 5열입니다. `table.sum(dim=0)`과 `table.sum(dim=1)` 가운데 숫자 세 개가 나오는 것은 어느 쪽일까요?

# %% name="sums"
table = torch.arange(15).reshape(3, 5)
table.sum(dim=0), table.sum(dim=1)

# %% [markdown] lang="en" name="sums-text"
# The second. `dim` names the axis that **disappears**: with `dim=0` the rows are added into one, and five columns are left;
# with `dim=1` the columns are added into one, and three rows are left.
#
# Tensors of different shapes can be combined, too. PyTorch lines the axes up **from the right**, puts axes of length 1 where some are missing on
# the left, and stretches every axis of length 1 to the length of the other tensor. That is called *broadcasting*.
# Here a column of 3 numbers is added to a row of 5.

# %% [markdown] lang="ko" name="sums-text" of="135777f2"
# 뒤의 것입니다. `dim`에는 더해서 **없앨** 축을 적습니다. `dim=0`이면 행들이 하나로 합쳐져 열 다섯 개가 남고,
# `dim=1`이면 열들이 하나로 합쳐져 행 세 개가 남습니다.
#
# 모양이 다른 텐서끼리도 계산할 수 있습니다. PyTorch는 축을 **오른쪽부터** 맞추고, 왼쪽에 모자라는 축은 길이 1로 채운 다음,
# 길이가 1인 축을 상대 텐서의 길이만큼 늘립니다. 이것을 브로드캐스팅이라고 합니다.
# 숫자 3개짜리 열에 5개짜리 행을 더해 봅시다.

# %% name="broadcast"
column = torch.tensor([[0], [10], [20]])  # column: [3, 1]
row = torch.tensor([0, 1, 2, 3, 4])  # row: [5]
column + row  # [3, 5]

# %% [markdown] lang="en" name="broadcast-text"
# Handy, but a common source of silent mistakes: whatever can be stretched will be stretched, meant or not.
# Below somebody wants three differences, 0 - 0, 10 - 10 and 20 - 20, and forgets that `column` has a second axis.

# %% [markdown] lang="ko" name="broadcast-text" of="757417c0"
# 편리하지만 조용한 실수가 여기서 자주 생깁니다. 늘릴 수 있는 축은 의도와 상관없이 늘어나기 때문입니다.
# 누군가 0 - 0, 10 - 10, 20 - 20, 이렇게 차이 세 개를 구하려다가 `column`에 축이 하나 더 있다는 것을 잊었습니다.

# %% name="broadcast-accident"
wanted = torch.tensor([0, 10, 20])  # wanted: [3]
column - wanted

# %% [markdown] lang="en" name="accident-text"
# Nine numbers in place of three, and no error. The shapes that we write at the ends of lines are there to help you spot this.
#
# ### Gradients
#
# A *loss* is a number that says how wrong we are. Its *gradient* for a parameter w says how fast the loss rises when w rises.
# Below, w is 1.5 and 2 · w should be 5; the loss is the squared error. `requires_grad=True` tells PyTorch to keep track of w,
# `backward()` computes the gradient and puts it into `w.grad`.
#
# **Guess first.** Is the gradient positive or negative?

# %% [markdown] lang="ko" name="accident-text" of="a23862c2"
# 세 개가 아니라 아홉 개가 나왔고 오류는 없습니다. 이 시리즈의 코드 줄 끝에 모양을 적어 두는 것은 바로 이런 실수를 알아차리기 위해서입니다.
#
# ### 기울기
#
# 손실은 얼마나 틀렸는지를 나타내는 숫자입니다. 파라미터 w에 대한 기울기는 w를 키울 때 손실이 얼마나 빨리 커지는지를 나타냅니다.
# 아래에서 w는 1.5이고, 2 · w가 5가 되어야 합니다. 손실은 오차의 제곱입니다. `requires_grad=True`는 w를 지켜보라는 뜻이고,
# `backward()`는 기울기를 계산해서 `w.grad`에 넣습니다.
#
# **먼저 예상해 보세요.** 기울기는 양수일까요, 음수일까요?

# %% name="gradient"
w = torch.tensor(1.5, requires_grad=True)
loss = (2 * w - 5) ** 2
loss.backward()
loss.item(), w.grad.item()

# %% [markdown] lang="en" name="gradient-text"
# The loss is 4 and the gradient -8: when w grows a little, the loss falls by about eight times as much. To make the loss smaller we move
# **against** the gradient, so w has to grow.
#
# ### A training step
#
# Training repeats four lines: clear the old gradients (PyTorch would add the new ones to them), compute the loss, compute the gradients,
# take a small step against them (how small, `lr` says). Let a linear layer, y = weight · x + bias, find the line y = 2x + 1.
# (`[:, None]` adds an axis of length 1: a linear layer wants `[samples, features]`.)

# %% [markdown] lang="ko" name="gradient-text" of="75acd288"
# 손실은 4, 기울기는 -8입니다. w를 조금 키우면 손실이 키운 만큼의 여덟 배쯤 줄어든다는 뜻입니다. 손실을 줄이려면 기울기와
# **반대로** 움직여야 하므로 w를 키웁니다.
#
# ### 학습 한 걸음
#
# 학습은 네 줄의 반복입니다. 지난 기울기를 지우고(지우지 않으면 PyTorch가 새 기울기를 거기에 더합니다), 손실을 구하고, 기울기를 구하고,
# 그 반대쪽으로 조금(`lr`만큼) 움직입니다. 선형 계층 y = weight · x + bias 하나로 직선 y = 2x + 1을 찾아봅시다.
# (`[:, None]`은 길이가 1인 축을 더합니다. 선형 계층은 `[samples, features]` 모양을 받기 때문입니다.)

# %% name="train"
x = torch.linspace(-1, 1, 20)[:, None]  # x: [20, 1]
y = 2 * x + 1  # y: [20, 1]
line = nn.Linear(1, 1)
optimizer = torch.optim.SGD(line.parameters(), lr=0.1)

losses = []
for step in range(100):
    optimizer.zero_grad()
    loss = ((line(x) - y) ** 2).mean()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())

plot.curve(losses, xlabel=t(en="step", ko="학습 횟수"), ylabel=t(en="loss", ko="손실"))
plt.show()

# %% [markdown] lang="en" name="train-text"
# The loss falls fast at first, then levels out at 0. Did the layer find the line?

# %% [markdown] lang="ko" name="train-text" of="8fe91802"
# 손실은 처음에 빠르게 떨어지다가 0에서 평평해집니다. 이 계층은 직선을 찾았을까요?

# %% name="trained"
round(line.weight.item(), 2), round(line.bias.item(), 2)

# %% [markdown] lang="en" name="trained-text"
# It did. An encoder is trained with the same four lines and a larger model.
#
# ## 4. How a check talks to you
#
# Every lesson has exercises, and every exercise has a check. It knows the right answer, and it also knows the mistakes that people
# usually make. Can you tell from the ids alone which places of the batch in section 1 hold a real token, that is, anything but `<PAD>`?

# %% [markdown] lang="ko" name="trained-text" of="08f798a0"
# 찾았습니다. 인코더도 똑같은 네 줄로 학습시킵니다. 모델만 더 큽니다.
#
# ## 4. 채점 함수가 말하는 법
#
# 강의마다 연습 문제가 있고, 문제마다 채점 함수가 있습니다. 채점 함수는 정답뿐 아니라 사람들이 흔히 하는 실수도 알고 있습니다.
# 1절의 배치에서 어느 자리가 진짜 토큰, 곧 `<PAD>`가 아닌 토큰인지 번호만 보고 알 수 있을까요?

# %% name="real-picture"
is_real = src != vocab.pad_id  # is_real: [bs, sl]
plot.batch_grid(src, [[str(real) for real in row] for row in is_real.tolist()], pad_id=vocab.pad_id, ids=False)
plt.show()

# %% [markdown] lang="en" name="wrong-text"
# One comparison is enough, since `<PAD>` has an id of its own. `<BOS>` and `<EOS>` count as real.
#
# Suppose somebody wants to count the real tokens of each sentence, and writes this:

# %% [markdown] lang="ko" name="wrong-text" of="35d0d0ae"
# `<PAD>`에는 자기 번호가 있으니 비교 한 번이면 됩니다. `<BOS>`와 `<EOS>`도 진짜로 칩니다.
#
# 문장마다 진짜 토큰이 몇 개인지 세려고 누군가 이렇게 썼다고 합시다.


# %% name="wrong-attempt"
def somebodys_attempt(src, pad_id):
    bs, sl = src.shape
    return torch.full((bs,), sl)


check.real_tokens(somebodys_attempt)

# %% [markdown] lang="en" name="exercise-real-tokens-text" tags=["exercise"]
# The check ran the function on batches of its own, saw a wrong answer, and recognised the mistake.
#
# ### Your turn · easy · about 3 minutes
#
# Count the real tokens of each sentence: `[bs, sl]` → `[bs]`. For the batch above the answer is 5, 5 and 3.
# Replace the `...` and run the cell. As long as it is empty, the check says so and the notebook goes on.
#
# <details><summary>Hint 1</summary><code>src != pad_id</code> is True at every real token.</details>
# <details><summary>Hint 2</summary>True counts as 1 in a sum. Which <code>dim</code> has to disappear?</details>

# %% [markdown] lang="ko" name="exercise-real-tokens-text" of="63d07238" tags=["exercise"]
# 채점 함수는 자기가 준비한 배치로 함수를 돌려 보고, 답이 틀린 것을 확인하고, 왜 틀렸는지까지 알아냈습니다.
#
# ### 직접 해 보기 · 쉬움 · 약 3분
#
# 문장마다 진짜 토큰이 몇 개인지 세어 보세요: `[bs, sl]` → `[bs]`. 위 배치라면 답은 5, 5, 3입니다.
# `...` 자리를 채우고 셀을 실행하세요. 비어 있으면 비어 있다고만 알려 주고 노트북은 계속 돌아갑니다.
#
# <details><summary>힌트 1</summary><code>src != pad_id</code>는 진짜 토큰 자리에서 True입니다.</details>
# <details><summary>힌트 2</summary>더할 때 True는 1로 셉니다. 어느 <code>dim</code>이 사라져야 할까요?</details>


# %% name="exercise-real-tokens" tags=["exercise"]
def real_tokens(src, pad_id):
    # your turn
    ...


check.real_tokens(real_tokens)


# %% name="solution-real-tokens" tags=["solution"]
def real_tokens(src, pad_id):
    is_real = src != pad_id  # is_real: [bs, sl]
    return is_real.sum(dim=1)  # [bs]


check.real_tokens(real_tokens)

# %% [markdown] lang="en" name="summary"
# ## What you have now
#
# - An encoder takes ids `[bs, sl]` and returns `[bs, sl, hid_dim]`; after the embedding the shape stays the same.
# - A shape trace lists every part with what went in and what came out; a heatmap shows who looks at whom.
# - Mistakes here are often silent. A right shape proves nothing: we compare numbers.
#
# These names come back in every lesson:
#
# | Name | Meaning | Here |
# |---|---|---|
# | `bs` | sentences in a batch | 3 |
# | `sl` | places in a row of the batch | 5 |
# | `hid_dim` | numbers per token | 8 |
# | `n_heads` | heads in a layer | 2 |
# | `pf_dim` | numbers per token inside the feed-forward part of a layer (lesson 07) | 16 |
# | `n_layers` | layers in the encoder | 6 |
#
# Next: [01 · Text to tensor](01_text_to_tensor.ipynb), where the table of ids comes from.

# %% [markdown] lang="ko" name="summary" of="bdebf89e"
# ## 정리
#
# - 인코더는 번호 `[bs, sl]`을 받아 `[bs, sl, hid_dim]`을 돌려줍니다. 임베딩을 지난 뒤로 모양은 그대로입니다.
# - 모양 추적은 부품마다 들어간 것과 나온 것을 적어 주고, 히트맵은 누가 누구를 바라보는지 보여 줍니다.
# - 여기서 생기는 실수는 조용할 때가 많습니다. 모양이 맞다고 옳은 것은 아니므로 숫자를 비교합니다.
#
# 앞으로 강의마다 나오는 이름들입니다.
#
# | 이름 | 뜻 | 여기서는 |
# |---|---|---|
# | `bs` | 배치에 든 문장 수 | 3 |
# | `sl` | 배치 한 행의 자리 수 | 5 |
# | `hid_dim` | 토큰 하나를 나타내는 숫자의 개수 | 8 |
# | `n_heads` | 계층 하나에 든 헤드 수 | 2 |
# | `pf_dim` | 계층의 피드포워드 안에서 토큰 하나를 나타내는 숫자의 개수(07강) | 16 |
# | `n_layers` | 인코더에 든 계층 수 | 6 |
#
# 다음: [01 · 텍스트를 텐서로](01_text_to_tensor.ipynb). 번호로 된 표가 어디서 오는지 봅니다.
