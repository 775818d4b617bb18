# ---
# jupyter:
#   jupytext:
#     formats: py:percent
#     cell_metadata_filter: lang,of,name,tags,-all
# ---

# %% [markdown] lang="en" name="title"
# # 00 · Start here
#
# A sentence goes in. Inside, every word looks at every other word. Out comes a list of numbers for each word.
# The machine that does this is the **Transformer encoder**. In this series you will build it, piece by piece,
# and watch every shape and every weight on the way.
#
# **You will be able to**
#
# - send sentences through a whole encoder, and say what each axis of the result means;
# - read a shape trace and an attention heatmap;
# - let a check tell you what is wrong with your answer.
#
# **Read first**: nothing. You know some Python; if you have met PyTorch before, good, and if not, section 3 is for you.
#
# **Time**: 35 minutes.
#
# <details><summary>For the classroom</summary>
#
# | Section | Minutes |
# |---|---|
# | 1 Three sentences, one encoder | 10 |
# | 2 The map of the series | 5 |
# | 3 A ten-minute refresher | 12 |
# | 4 How a check talks to you | 8 |
#
# Two questions to ask: *Before you run the encoder: how many numbers come out for three sentences?*
# *The heatmap in section 1 has no pattern. Is the encoder broken?*
#
# </details>

# %% [markdown] lang="ko" name="title" of="ab263745"
# # 00 · 여기서 시작
#
# 문장이 들어갑니다. 그 안에서 모든 단어가 서로를 바라봅니다. 그리고 단어마다 숫자 한 줄이 나옵니다.
# 이 일을 하는 기계가 **트랜스포머 인코더**입니다. 이 시리즈에서는 인코더를 한 조각씩 직접 만들면서
# 그 사이의 모든 모양(shape)과 모든 가중치를 눈으로 확인합니다.
#
# **이 강의를 마치면**
#
# - 문장을 인코더에 통째로 넣어 보고, 결과의 축이 각각 무엇을 뜻하는지 말할 수 있습니다.
# - 모양 추적(shape trace)과 어텐션 히트맵을 읽을 수 있습니다.
# - 내 답이 어디서 틀렸는지 채점 함수에게 물어볼 수 있습니다.
#
# **먼저 볼 것**: 없습니다. 파이썬을 조금 알면 됩니다. PyTorch를 써 본 적이 있으면 좋고, 없어도 3절에서 함께 복습합니다.
#
# **시간**: 35분.
#
# <details><summary>수업용 안내</summary>
#
# | 절 | 분 |
# |---|---|
# | 1 문장 세 개와 인코더 하나 | 10 |
# | 2 시리즈 지도 | 5 |
# | 3 10분 복습 | 12 |
# | 4 채점 함수가 말하는 법 | 8 |
#
# 던져 볼 질문 두 가지: *인코더를 돌리기 전에, 문장 세 개를 넣으면 숫자가 몇 개 나올까요?*
# *1절의 히트맵에는 아무 무늬도 없습니다. 인코더가 고장 난 걸까요?*
#
# </details>

# %% [markdown] lang="en" name="setup-text"
# Run the cells from top to bottom with Shift + Enter. The first one finds the small library behind this series
# (on Colab it installs it) and makes random numbers come out the same for everybody.

# %% [markdown] lang="ko" name="setup-text" of="f525125a"
# 셀을 위에서부터 Shift + Enter로 하나씩 실행하세요. 첫 셀은 이 시리즈가 쓰는 작은 라이브러리를 찾고
# (Colab에서는 설치하고), 누가 실행해도 같은 난수가 나오게 합니다.

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
# **Guess first.** Below are three sentences, two of three words and one of a single word.
# The encoder describes each word with 8 numbers. How many numbers come out in all?

# %% [markdown] lang="ko" name="three-sentences" of="f3302078"
# ## 1. 문장 세 개와 인코더 하나
#
# **먼저 예상해 보세요.** 아래에 문장이 세 개 있습니다. 두 개는 세 단어, 하나는 한 단어입니다.
# 인코더는 단어 하나를 숫자 8개로 나타냅니다. 숫자는 모두 몇 개가 나올까요?

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
# Every sentence got a token in front, `<BOS>` (beginning of sentence), and one behind, `<EOS>` (end of sentence).
# A tensor is a box and has no ragged edges, so the short third sentence is filled up with `<PAD>`, drawn in grey.
# The number under each token is its id: that is all the encoder sees. Lesson 01 is about this table.
#
# ### Read a shape trace
#
# What happens between `[bs, sl]` and `[bs, sl, hid_dim]`? Ask for a trace: it runs the encoder once more and writes down
# every shape. Each line is one part. Left of the arrow stands what went in, right of it what came out,
# first in letters, then in numbers.

# %% [markdown] lang="ko" name="batch-picture-text" of="d97d3dc3"
# 문장마다 앞에는 `<BOS>`(문장의 시작), 뒤에는 `<EOS>`(문장의 끝)라는 토큰이 붙었습니다.
# 텐서는 반듯한 상자라서 들쭉날쭉할 수 없습니다. 그래서 짧은 세 번째 문장은 회색으로 그린 `<PAD>`로 채웠습니다.
# 토큰 아래의 숫자는 그 토큰의 번호(id)입니다. 인코더가 보는 것은 이 번호뿐입니다. 이 표는 01강에서 자세히 다룹니다.
#
# ### 모양 추적 읽기
#
# `[bs, sl]`이 `[bs, sl, hid_dim]`이 되기까지 무슨 일이 일어날까요? 추적을 부탁하면 인코더를 한 번 더 돌리면서
# 지나가는 모양을 모두 적어 줍니다. 한 줄이 부품 하나입니다. 화살표 왼쪽은 들어간 것, 오른쪽은 나온 것이고,
# 먼저 글자로, 이어서 숫자로 보여 줍니다.

# %% name="trace"
sizes = {"bs": 3, "sl": 5, "hid_dim": 8, "pf_dim": 16, "n_heads": 2}
trace = trace_shapes(encoder, src, src_mask, sizes=sizes)
trace.depth(1)

# %% [markdown] lang="en" name="trace-text"
# Two things to see:
#
# - only the first part changes the shape: `embed` turns each id into 8 numbers, so an axis appears;
# - from there on **nothing changes the shape**: six layers, in and out the same `[bs, sl, hid_dim]`.
#
# That is why layers can be stacked as high as you like. What a layer changes is the numbers, not their arrangement.
#
# ### Read a heatmap
#
# Inside a layer, every token shares out its attention among all tokens of the sentence. Those shares are the **attention weights**.
# In the picture each row is one token that asks (the *query*), each column a token that is looked at (the *key*); a dark cell
# means a large share, and each row adds up to 1. Our encoder has two heads, so layer 0 has two maps.
#
# **Guess first.** This encoder has learned nothing yet. What will its maps look like?

# %% [markdown] lang="ko" name="trace-text" of="0d006888"
# 두 가지가 눈에 들어옵니다.
#
# - 모양을 바꾸는 것은 첫 부품뿐입니다. `embed`가 번호 하나를 숫자 8개로 바꾸면서 축이 하나 늘어납니다.
# - 그다음부터는 **모양이 변하지 않습니다**. 계층 여섯 개를 지나는 동안 들어갈 때도 나올 때도 `[bs, sl, hid_dim]`입니다.
#
# 그래서 계층은 원하는 만큼 쌓을 수 있습니다. 계층이 바꾸는 것은 숫자의 배열이 아니라 숫자 자체입니다.
#
# ### 히트맵 읽기
#
# 계층 안에서 각 토큰은 자기 관심을 문장의 모든 토큰에 나누어 줍니다. 그 몫이 **어텐션 가중치**입니다.
# 그림에서 행은 묻는 토큰(쿼리), 열은 바라보는 대상인 토큰(키)입니다. 칸이 진할수록 몫이 크고,
# 한 행을 모두 더하면 1입니다. 이 인코더는 헤드가 두 개라서 0번 계층에 지도가 두 장 있습니다.
#
# **먼저 예상해 보세요.** 이 인코더는 아직 아무것도 배우지 않았습니다. 지도는 어떤 모습일까요?

# %% name="heatmap"
first_layer = weights[0]  # first_layer: [bs, n_heads, sl, sl]
titles = [t(en=f"head {head}, untrained", ko=f"헤드 {head}, 학습 전") for head in range(2)]
plot.attention_grid(first_layer[0], tokens[0], titles=titles)
plt.show()

# %% [markdown] lang="en" name="heatmap-text"
# Pale, and without a pattern that would mean anything: the encoder's parameters are random, so each token shares out its attention
# more or less evenly, and where a cell is darker, that is chance.
# This is no fault. A pattern has to be learned (part III does that), and whenever a map in this series comes from an untrained
# encoder, its title says so.
#
# ### Break it: forget the mask
#
# `src_mask` tells the encoder which places are real. What if we forget it? Then the padding is looked at, too.
# The third sentence has two `<PAD>`s here, and none when it comes alone. Its three real tokens should not notice the difference.
# We compare its numbers in both cases.

# %% [markdown] lang="ko" name="heatmap-text" of="0f30a919"
# 전체가 흐릿하고, 뜻이 있는 무늬는 없습니다. 파라미터가 난수라서 토큰마다 관심을 거의 고르게 나누고, 조금 진한 칸은 우연입니다.
# 고장이 아닙니다. 무늬는 학습해야 생깁니다(3부에서 합니다). 이 시리즈에서는 학습하지 않은 인코더의 지도라면
# 제목에 꼭 그렇게 적습니다.
#
# ### 일부러 망가뜨리기: 마스크를 잊으면
#
# `src_mask`는 어느 자리가 진짜인지 인코더에 알려 줍니다. 이 마스크를 빼먹으면 패딩까지 바라보게 됩니다.
# 세 번째 문장에는 `<PAD>`가 두 개 있지만, 혼자 들어갈 때는 하나도 없습니다. 진짜 토큰 세 개의 숫자는 두 경우에 같아야 합니다.
# 정말 그런지 비교해 봅시다.

# %% name="forget-mask"
alone = vocab.batch(["안녕하세요"]).to(device())  # alone: [1, 3]
with torch.no_grad():
    wanted = encoder(alone)[0]  # wanted: [3, hid_dim]
    masked = encoder(src, src_mask)[2, :3]  # masked: [3, hid_dim]
    forgotten = encoder(src)[2, :3]  # forgotten: [3, hid_dim]

print("with the mask:   ", f"{(masked - wanted).abs().max():.3f}")
print("without the mask:", f"{(forgotten - wanted).abs().max():.3f}")

# %% [markdown] lang="en" name="forget-mask-text"
# With the mask nothing moves. Without it the same sentence gets other numbers, only because its neighbours are longer.
# No error, no warning, and the shapes are perfect: mistakes in this field are **silent**.
# This series is about seeing them.
#
# ## 2. The map of the series
#
# You are at the orange box. Blue lessons are ready, grey ones are planned.

# %% [markdown] lang="ko" name="forget-mask-text" of="aa767e45"
# 마스크가 있으면 아무것도 달라지지 않습니다. 없으면 같은 문장인데도, 옆 문장이 더 길다는 이유만으로 숫자가 달라집니다.
# 오류도 경고도 없고 모양은 완벽합니다. 이 분야의 실수는 이렇게 **조용합니다**.
# 이 시리즈는 그런 실수를 눈에 보이게 하려고 만들었습니다.
#
# ## 2. 시리즈 지도
#
# 지금 있는 곳은 주황색 상자입니다. 파란색은 준비된 강의, 회색은 준비 중인 강의입니다.

# %% name="map"
plot.series_map(data.series(), here="00")
plt.show()

# %% [markdown] lang="en" name="map-text"
# The four columns are the four parts. **I** follows a sentence from text to the encoder, **II** opens every box on that road,
# **III** puts the encoder to work, **IV** hunts bugs and measures cost.
#
# Two Korean blog posts gave us the road:
#
# - **Post B**, [Encoder and EncoderLayer](https://velog.io/@heiswicked), walks through `Encoder` and `EncoderLayer` with the shape at every line.
#   Its flow, ids → `Embed` → `PositionalEncodingLayer` → six `EncoderLayer`s, is the trace that you saw. Lessons 01 to 07 follow it.
# - **Post A**, *Self-Attention Python*, takes Hugging Face's BERT apart into `SelfAttention`, `SelfOutput`, `Intermediate` and so on,
#   for a forecasting model. Lessons 08 and 11 follow it.
#
# Neither post runs as it is printed: names are missing, and some faults are of the silent kind. Here everything runs.
#
# ## 3. A ten-minute refresher
#
# Skip what you know. The series needs three things: shapes, gradients, and a training step.
#
# ### Shapes
#
# **Guess first.** `src` is `[3, 5]`. Which of the two sums below has three numbers, and which has five?

# %% [markdown] lang="ko" name="map-text" of="6750b88a"
# 네 열이 네 개의 부입니다. **1부**는 문장이 텍스트에서 인코더까지 가는 길을 따라가고, **2부**는 그 길에 놓인 상자를 모두 열어 봅니다.
# **3부**는 인코더에 일을 시키고, **4부**는 버그를 잡고 비용을 잽니다.
#
# 길은 한국어 블로그 글 두 편에서 빌려 왔습니다.
#
# - **글 B**, [Encoder and EncoderLayer](https://velog.io/@heiswicked)는 `Encoder`와 `EncoderLayer`를 줄마다 모양을 적으며 따라갑니다.
#   번호 → `Embed` → `PositionalEncodingLayer` → `EncoderLayer` 여섯 개로 이어지는 흐름이 바로 위에서 본 추적입니다. 01강부터 07강까지가 이 글을 따릅니다.
# - **글 A**, *Self-Attention Python*은 예측 모델을 만들려고 허깅 페이스의 BERT를 `SelfAttention`, `SelfOutput`, `Intermediate` 등으로
#   나누어 봅니다. 08강과 11강이 이 글을 따릅니다.
#
# 두 글 모두 실린 그대로는 돌아가지 않습니다. 빠진 이름이 있고, 몇몇 잘못은 조용한 종류입니다. 여기서는 모두 돌아갑니다.
#
# ## 3. 10분 복습
#
# 아는 부분은 건너뛰세요. 이 시리즈에 필요한 것은 모양, 기울기, 학습 한 걸음, 이 세 가지입니다.
#
# ### 모양
#
# **먼저 예상해 보세요.** `src`는 `[3, 5]`입니다. 아래 두 합 가운데 어느 쪽이 숫자 세 개이고, 어느 쪽이 다섯 개일까요?

# %% name="sums"
over_sentences = src.sum(dim=0)  # over_sentences: [sl]
over_places = src.sum(dim=1)  # over_places: [bs]
over_sentences.shape, over_places.shape

# %% [markdown] lang="en" name="sums-text"
# `dim` names the axis that **disappears**. Sum over axis 0, the sentences, and 5 places are left; sum over axis 1, and 3 sentences are left.
# The comments behind the lines say the same in letters, and they are the habit of this series.
#
# Tensors of different shapes can meet, too. PyTorch lines the axes up **from the right** and stretches every axis of length 1.
# That is called *broadcasting*. Here a column of 3 numbers meets a row of 5.

# %% [markdown] lang="ko" name="sums-text" of="af84793f"
# `dim`은 **사라지는** 축입니다. 0번 축(문장)을 따라 더하면 자리 5개가 남고, 1번 축을 따라 더하면 문장 3개가 남습니다.
# 줄 끝의 주석은 같은 말을 글자로 적은 것이고, 이 시리즈 내내 지키는 습관입니다.
#
# 모양이 다른 텐서끼리도 만날 수 있습니다. PyTorch는 축을 **오른쪽부터** 맞추고 길이가 1인 축을 늘립니다.
# 이것을 브로드캐스팅이라고 합니다. 숫자 3개짜리 열과 5개짜리 행을 만나게 해 봅시다.

# %% name="broadcast"
column = torch.tensor([[0], [10], [20]])  # column: [bs, 1]
row = torch.tensor([0, 1, 2, 3, 4])  # row: [sl]
column + row  # [bs, sl]

# %% [markdown] lang="en" name="broadcast-text"
# Handy, and the mother of silent mistakes: whatever can be stretched will be stretched, meant or not.
#
# ### Gradients
#
# A loss says how wrong we are; its gradient says which way to turn a number to be less wrong.
# We want 2 · w to be 5, and w is 1.5. **Guess first.** Should w grow or shrink? What sign has the gradient?

# %% [markdown] lang="ko" name="broadcast-text" of="da73ba4c"
# 편리하지만 조용한 실수가 여기서 많이 태어납니다. 늘릴 수 있는 축은 의도와 상관없이 늘어나기 때문입니다.
#
# ### 기울기
#
# 손실은 얼마나 틀렸는지를, 기울기는 덜 틀리려면 숫자를 어느 쪽으로 돌려야 하는지를 알려 줍니다.
# 2 · w가 5가 되면 좋겠는데 지금 w는 1.5입니다. **먼저 예상해 보세요.** w는 커져야 할까요, 작아져야 할까요? 기울기의 부호는 무엇일까요?

# %% name="gradient"
w = torch.tensor(1.5, requires_grad=True)
loss = (2 * w - 5) ** 2
loss.backward()
loss.item(), w.grad.item()

# %% [markdown] lang="en" name="gradient-text"
# The gradient is -8: let w grow by a small step and the loss falls by eight times that step. So we go **against** the sign: w has to grow.
# Check it with a step of 0.01:

# %% [markdown] lang="ko" name="gradient-text" of="3b1d7c8b"
# 기울기는 -8입니다. w를 조금 키우면 손실이 그 여덟 배만큼 줄어든다는 뜻입니다. 그래서 부호와 **반대로** 움직입니다. w를 키워야 합니다.
# 0.01만큼 키워서 확인해 봅시다.

# %% name="nudge"
nudged = (2 * 1.51 - 5) ** 2
round(nudged - loss.item(), 4)

# %% [markdown] lang="en" name="nudge-text"
# Eight times 0.01, and a little less because the loss is a curve and not a line.
#
# ### A training step
#
# Training repeats four lines: forget the old gradients, compute the loss, compute the gradients, take a small step against them.
# Let a single linear layer find the line y = 2x + 1.

# %% [markdown] lang="ko" name="nudge-text" of="207d8c70"
# 0.01의 여덟 배보다 아주 조금 작습니다. 손실이 직선이 아니라 곡선이기 때문입니다.
#
# ### 학습 한 걸음
#
# 학습은 네 줄의 반복입니다. 지난 기울기를 지우고, 손실을 구하고, 기울기를 구하고, 그 반대쪽으로 조금 움직입니다.
# 선형 계층 하나로 직선 y = 2x + 1을 찾아봅시다.

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

plot.curve(losses, xlabel=t(en="step", ko="걸음"), ylabel=t(en="loss", ko="손실"))
plt.show()

# %% [markdown] lang="en" name="train-text"
# The loss falls fast at first, then levels out at 0. Did the layer find the line?

# %% [markdown] lang="ko" name="train-text" of="8fe91802"
# 손실은 처음에 빠르게 떨어지다가 0에서 평평해집니다. 이 계층은 직선을 찾았을까요?

# %% name="trained"
round(line.weight.item(), 2), round(line.bias.item(), 2)

# %% [markdown] lang="en" name="trained-text"
# It did. Training an encoder is these same lines with a bigger `line`.
#
# ## 4. How a check talks to you
#
# Every lesson has exercises, and every exercise has a check. It knows the right answer, and it also knows the mistakes that people
# usually make. Here is the batch of section 1 as true and false: which places hold a real token?

# %% [markdown] lang="ko" name="trained-text" of="5a9e7e7c"
# 찾았습니다. 인코더를 학습시키는 것도 `line`이 더 클 뿐 똑같은 줄들입니다.
#
# ## 4. 채점 함수가 말하는 법
#
# 강의마다 연습 문제가 있고, 문제마다 채점 함수가 있습니다. 채점 함수는 정답뿐 아니라 사람들이 흔히 하는 실수도 알고 있습니다.
# 1절의 배치를 참과 거짓으로 다시 봅시다. 어느 자리가 진짜 토큰일까요?

# %% name="real-picture"
is_real = src != vocab.pad_id  # is_real: [bs, sl]
marks = [["True" if real else "False" for real in row] for row in is_real.tolist()]
plot.batch_grid(src, marks, pad_id=vocab.pad_id)
plt.show()

# %% [markdown] lang="en" name="wrong-text"
# Suppose somebody wants to count the real tokens of each sentence, and writes this:

# %% [markdown] lang="ko" name="wrong-text" of="c66f4a67"
# 문장마다 진짜 토큰을 세려고 누군가 이렇게 썼다고 합시다.


# %% name="wrong-attempt"
def somebodys_attempt(src, pad_id):
    return (src != pad_id).sum(dim=0)


check.real_tokens(somebodys_attempt)

# %% [markdown] lang="en" name="exercise-real-tokens-text" tags=["exercise"]
# The check ran the function on batches of its own, saw a wrong answer, and recognised the mistake behind it.
#
# ### Your turn · easy · about 3 minutes
#
# Count the real tokens of each sentence: `[bs, sl]` → `[bs]`. For the batch above the answer is 5, 5 and 3.
# Replace the `...` and run the cell. As long as it is empty, the check says so and the notebook goes on.
#
# <details><summary>Hint 1</summary><code>src != pad_id</code> is True at every real token.</details>
# <details><summary>Hint 2</summary>True counts as 1: sum along <code>dim=1</code>.</details>

# %% [markdown] lang="ko" name="exercise-real-tokens-text" of="995ac411" tags=["exercise"]
# 채점 함수는 자기가 준비한 배치로 함수를 돌려 보고, 틀린 답을 확인하고, 그 뒤에 있는 실수까지 알아냈습니다.
#
# ### 직접 해 보기 · 쉬움 · 약 3분
#
# 문장마다 진짜 토큰이 몇 개인지 세어 보세요: `[bs, sl]` → `[bs]`. 위 배치라면 답은 5, 5, 3입니다.
# `...` 자리를 채우고 셀을 실행하세요. 비어 있으면 비어 있다고만 알려 주고 노트북은 계속 돌아갑니다.
#
# <details><summary>힌트 1</summary><code>src != pad_id</code>는 진짜 토큰 자리에서 True입니다.</details>
# <details><summary>힌트 2</summary>True는 1로 셉니다. <code>dim=1</code> 방향으로 더하세요.</details>


# %% name="exercise-real-tokens" tags=["exercise"]
def real_tokens(src, pad_id): ...


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
# - Faults here are silent. Shapes alone prove nothing: we compare numbers.
#
# Next: [01 · Text to tensor](01_text_to_tensor.ipynb), where the table of ids comes from.

# %% [markdown] lang="ko" name="summary" of="d986eba3"
# ## 정리
#
# - 인코더는 번호 `[bs, sl]`을 받아 `[bs, sl, hid_dim]`을 돌려줍니다. 임베딩을 지난 뒤로 모양은 그대로입니다.
# - 모양 추적은 부품마다 들어간 것과 나온 것을 적어 주고, 히트맵은 누가 누구를 바라보는지 보여 줍니다.
# - 여기서 생기는 잘못은 조용합니다. 모양이 맞다고 옳은 것은 아니므로 숫자를 비교합니다.
#
# 다음: [01 · 텍스트를 텐서로](01_text_to_tensor.ipynb). 번호로 된 표가 어디서 오는지 봅니다.
