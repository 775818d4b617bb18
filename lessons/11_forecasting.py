# ---
# jupyter:
#   jupytext:
#     formats: py:percent
#     cell_metadata_filter: lang,of,name,tags,-all
# ---

# %% [markdown] lang="en" name="title"
# # 11 · Forecasting
#
# The author of post A was building a model that forecasts, and studied the encoder for it. Here you build one: numbers go in, the next number comes out. You will see a task that suits attention, a real series of some hundred numbers, and three ways in which
# wrong code fools you, two of them from post A.
#
# **You will be able to**
#
# - feed an encoder with values in place of ids, and train it with a loss at every step;
# - split, scale and cut a series without letting the future leak into the past;
# - compare your model with the baselines a sceptic would ask for, and forecast many steps by feeding forecasts back.
#
# **Read first**: [06 · Masks](06_masks.ipynb) and [08 · The encoder in BERT's words](08_bert_words.ipynb).
#
# **Time**: 75 minutes.
#
# <details><summary>For the classroom</summary>
#
# | Section | Minutes |
# |---|---|
# | 1 From an id to a value | 8 |
# | 2 Windows and scales that do not leak | 20 |
# | 3 Where attention shines | 13 |
# | 4 Three ways to fool yourself | 10 |
# | 5 Two tails | 5 |
# | 6 Many steps | 12 |
# | 7 A real series | 7 |
#
# Two questions to ask: *The root of your model's validation loss is lower than the noise in the data. What do you look at first?*
# *On the years used to choose it the encoder was best; on the years after them it was near ridge from one start and clearly worse from another. What do you report?*
#
# </details>

# %% [markdown] lang="ko" name="title" of="edc65ad1"
# # 11 · 시계열 예측
#
# 글 A의 저자는 예측 모델을 만들다가 인코더를 공부했습니다. 이번에는 그 모델을 직접 만듭니다. 숫자를 넣으면 다음 숫자가 나옵니다. 어텐션에 잘 맞는 과제, 숫자가 몇백 개뿐인 실제 데이터, 그리고 잘못된 코드가 여러분을
# 속이는 세 가지 방식(둘은 글 A에서 왔습니다)을 봅니다.
#
# **이 강의를 마치면**
#
# - 번호 대신 값을 인코더에 넣고, 모든 자리의 손실로 학습시킬 수 있습니다.
# - 미래가 과거로 새어 들지 않게 시리즈를 나누고, 눈금을 맞추고, 창으로 자를 수 있습니다.
# - 의심 많은 사람이 물어볼 기준 모델들과 내 모델을 견주고, 예측을 다시 넣어 여러 걸음 앞을 예측할 수 있습니다.
#
# **먼저 볼 것**: [06 · 마스크](06_masks.ipynb), [08 · BERT의 말로 다시 쓴 인코더](08_bert_words.ipynb).
#
# **시간**: 75분.
#
# <details><summary>수업용 안내</summary>
#
# | 절 | 분 |
# |---|---|
# | 1 번호에서 값으로 | 8 |
# | 2 새지 않는 창과 눈금 | 20 |
# | 3 어텐션이 빛나는 곳 | 13 |
# | 4 스스로 속는 세 가지 방법 | 10 |
# | 5 꼬리 두 가지 | 5 |
# | 6 여러 걸음 앞 | 12 |
# | 7 실제 시계열 | 7 |
#
# 던져 볼 질문 두 가지: *모델의 검증 손실에 제곱근을 씌운 값이 데이터에 섞인 잡음의 표준 편차보다 작습니다. 무엇부터 살펴보겠습니까?*
# *검증 구간에서는 인코더가 가장 좋았는데, 테스트 구간에서는 시드에 따라 리지에 가깝기도 하고 뚜렷이 나쁘기도 했습니다. 무엇이라고 보고하겠습니까?*
#
# </details>

# %% name="setup" tags=["setup"]

# %% name="imports" tags=["imports"]
from typing import NamedTuple

import matplotlib.pyplot as plt
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from tutorial_lib import device, plot, t
from tutorial_lib._sizes import require_sizes, require_tokens
from tutorial_lib.data.timeseries import Scale, find_period, lag_tokens, motifs, split_and_scale, sunspots, windows
from tutorial_lib.encoder import Encoder
from tutorial_lib.exercises import lesson_11 as check
from tutorial_lib.heads import FFNHead, Forecaster, LSTMHead
from tutorial_lib.masks import causal_mask
from tutorial_lib.trace import attention_weights, trace_shapes
from tutorial_lib.training import fit, predict

# %% [markdown] lang="en" name="values"
# ## 1. From an id to a value
#
# Our series are written by a rule: a motif of random values, repeated again and again, with noise. How long the motif is, from 8 to 24 places, is drawn anew for each series, and nobody tells the model.

# %% [markdown] lang="ko" name="values" of="7b74146d"
# ## 1. 번호에서 값으로
#
# 이 강의의 시리즈는 정해진 규칙으로 만듭니다. 난수로 된 무늬 하나가 되풀이되고 잡음이 섞입니다. 무늬의 길이는 8에서 24 사이에서 시리즈마다 새로 뽑고, 모델에는 알려 주지 않습니다.

# %% name="values-picture"
series, periods = motifs(3, length=65, seed=5)  # series: [3, 65]
axes = dict(xlabel=t(en="place", ko="자리"), ylabel=t(en="value", ko="값"))
for row, p in zip(series[:2], periods.tolist()):
    ax = plot.lines(range(65), {t(en=f"period {p}", ko=f"주기 {p}"): row}, **axes)
    ax.vlines(range(p, 65, p), row.min(), row.max(), color="lightgrey", zorder=0)
    plt.show()

# %% [markdown] lang="en" name="values-text"
# Two of three series. From grey line to grey line each curve comes back to its own shape, with small deviations.
#
# An embedding looks up a row for an id, since ids are names. A value is a quantity: 2.1 is nearly 2.0, and there are no rows to look up. So a **linear projection** takes the embedding's place, and everything behind it stays as you know it.
# What is a token? One value says little. We give each place the last few values, the newest at the end, and 0 where the series had not begun:

# %% [markdown] lang="ko" name="values-text" of="9089594f"
# 시리즈 세 개 가운데 두 개입니다. 회색 세로선은 한 주기가 끝나는 자리입니다. 두 곡선 모두 선을 지날 때마다 조금씩 어긋나면서도 같은 모양을 되풀이합니다.
#
# 임베딩은 번호로 행을 찾아옵니다. 번호는 이름이기 때문입니다. 값은 양입니다. 2.1은 2.0과 거의 같고, 찾아올 행도 없습니다. 그래서 임베딩 자리에 **선형 투영**이 들어가고, 그 뒤는 여러분이 아는 그대로입니다.
# 토큰은 무엇일까요? 값 하나만으로는 알 수 있는 것이 적습니다. 자리마다 최근 값 몇 개를 주되, 가장 새로운 값을 맨 뒤에 둡니다. 시리즈가 시작하기 전은 0으로 채웁니다.

# %% name="tokens"
lag_tokens(torch.arange(1.0, 6)[None], n_values=3)[0]  # [5, 3]

# %% [markdown] lang="en" name="model-text"
# A series of five values, 1 to 5, gives five tokens of three values. Now the model, as the library has it. The mask is the causal one of lesson 06. **Guess first**, before you read it: does a batch of 3 series with 64 places give 3 numbers, or more?

# %% [markdown] lang="ko" name="model-text" of="b5db7b1a"
# 값이 1부터 5까지 다섯 개인 시리즈에서 값 세 개짜리 토큰이 다섯 개 나옵니다. 이제 라이브러리에 있는 모델을 봅시다. 마스크는 06강의 인과 마스크입니다. 코드를 읽기 전에 **먼저 예상해 보세요.** 자리가 64개인 시리즈 3개가 한 배치라면 예측은 숫자 세 개일까요, 더 많을까요?

# %% name="library-forecaster"
# from tutorial_lib.heads: Forecaster

# %% name="model-trace"
inputs, targets = series[:, :-1], series[:, 1:]  # inputs: [bs, sl]
tokens = lag_tokens(inputs, n_values=12)  # tokens: [bs, sl, n_values]
toy = Forecaster(n_values=12, hid_dim=8, pf_dim=16, n_heads=2, n_layers=1, dropout=0.0)
trace_shapes(toy, tokens, sizes={"bs": 3, "sl": 64, "n_values": 12, "hid_dim": 8, "pf_dim": 16}).depth(2)

# %% [markdown] lang="en" name="every-step"
# `[bs, sl]`: a forecast at *every* place, each made from the values up to there. The targets are the same series moved by one place. So 64 values in a row (such a piece is called a *window*) ask 64 questions at once, and the loss can be taken over all of them, or only where enough of the past is known. For these questions to be honest we need the causal mask:
# without it, place 10 could read its answer at place 11.
#
# ## 2. Windows and scales that do not leak
#
# A long series is cut into windows, and its end is kept for the test. **Guess first.** Does the order matter: first cut, then split, or first split, then cut? Here is a series whose values are its own places, 0 to 11. The values from 8 on are the test part, grey. Each row is a window of three inputs, and at its end the value after them.

# %% [markdown] lang="ko" name="every-step" of="022f5e2b"
# `[bs, sl]`입니다. 자리마다 예측이 하나씩 있고, 저마다 그 자리까지의 값만으로 만든 것입니다. 목표는 같은 시리즈를 한 자리 옮긴 것입니다. 그래서 이어진 값 64개(이런 토막을 **창**(window)이라고 합니다) 하나로 질문 64개를 한꺼번에 할 수 있습니다. 손실은 64자리 모두에서 구할 수도 있고, 예측할 만큼 과거가 쌓인 자리에서만 구할 수도 있습니다. 인과 마스크가 필요한 까닭이
# 여기 있습니다. 마스크가 없으면 10번 자리가 11번 자리에서 답을 읽을 수 있습니다.
#
# ## 2. 새지 않는 창과 눈금
#
# 긴 시리즈는 창으로 자르고, 끝부분은 테스트용으로 남깁니다. **먼저 예상해 보세요.** 창으로 먼저 자른 다음 학습용과 테스트용으로 나누는 것과, 구간을 먼저 나눈 다음 구간마다 창으로 자르는 것은 결과가 다를까요? 아래는 값이 곧 자기 자리인 시리즈로, 0부터 11까지입니다. 8부터가 테스트 구간이고 회색입니다. 한 행이 창 하나입니다. 입력 세 개와, 맨 끝에 그다음 값이 있습니다.

# %% name="crossing"
line = torch.arange(12.0)
rows = line.unfold(0, 4, 1)  # rows: [9, 4]
ax = plot.batch_grid((rows >= 8).long(), [[f"{v:.0f}" for v in row] for row in rows.tolist()], pad_id=1, ids=False)
ax.set(
    xlabel=t(en="inputs, and the value after them →", ko="입력, 그리고 그다음 값 →"), ylabel=t(en="← window", ko="← 창")
)
plt.show()

# %% name="crossing-count"
test_value = rows >= 8  # test_value: [9, 4]
(test_value.any(dim=1) & ~test_value.all(dim=1)).sum()

# %% [markdown] lang="en" name="crossing-text"
# Three windows hold blue and grey cells. If windows are cut first and then dealt out, such windows carry test values into training, and in a long series every value stands in many windows. So: **first split, then cut each part alone.** The library's `windows` takes one part.
#
# A test window may look back into the training part, for at that time it was known. We put the last values of the past before the test part; then the last place of each window forecasts one test value:

# %% [markdown] lang="ko" name="crossing-text" of="efff7ccc"
# 파란 칸과 회색 칸이 함께 있는 창이 세 개입니다. 먼저 자른 다음 창을 나누면 이런 창들이 테스트 값을 학습 쪽으로 들여옵니다. 긴 시리즈라면 값 하나가 수많은 창에 들어 있습니다. 그래서 **먼저 나누고, 구간마다 따로 자릅니다.** 라이브러리의 `windows`는 한 구간만 받습니다.
#
# 테스트용 창이 학습 구간을 돌아보는 것은 괜찮습니다. 그 시점에는 이미 아는 값이기 때문입니다. 테스트 구간 앞에 과거의 마지막 값들을 붙입니다. 그러면 창마다 마지막 자리가 테스트 값 하나를 예측합니다.

# %% name="windows-run"
inside, after = windows(line[:8], sl=3)
_, asked = windows(torch.cat([line[:8][-3:], line[8:]]), sl=3)
inside.max(), after.max(), asked[:, -1]

# %% [markdown] lang="en" name="exercise-windows-text" tags=["exercise"]
# No training input and no training target reaches 8, and each of the four test values is asked for once.
#
# ### Your turn · medium · about 7 minutes
#
# `make_windows(part, sl)`: from one part `[length]` every window of `sl` values that has a value after it, and for each of its places the target, the value one place later. Return two tensors, inputs and then targets, both `[n, sl]`. With the values 0, 1, 2, 3 in `part` and `sl` 2, the inputs are `[[0, 1], [1, 2]]` and the targets `[[1, 2], [2, 3]]`.
#
# <details><summary>Hint 1</summary>A window and its targets together are sl + 1 values in a row.</details>
# <details><summary>Hint 2</summary><code>part.unfold(0, sl + 1, 1)</code> gives all of them; inputs are all but the last column.</details>

# %% [markdown] lang="ko" name="exercise-windows-text" of="e6cd58b8" tags=["exercise"]
# 학습용 입력은 6까지, 목표는 7까지뿐이고, 테스트 값 네 개를 한 번씩 묻습니다.
#
# ### 직접 해 보기 · 보통 · 약 7분
#
# `make_windows(part, sl)`: 한 구간 `[length]`에서, 길이가 `sl`이고 바로 뒤에 값이 하나 더 있는 창을 한 칸씩 옮기며 모두 만들고, 창의 자리마다 바로 다음 값을 목표로 만드세요. 입력과 목표를 이 순서로, `[n, sl]`인 텐서 두 개로 돌려주세요. 예를 들어 `part`의 값이 0, 1, 2, 3이고 `sl`이 2이면 입력은 `[[0, 1], [1, 2]]`, 목표는 `[[1, 2], [2, 3]]`입니다.
#
# <details><summary>힌트 1</summary>창과 그 목표를 합치면 이어진 값 sl + 1개입니다.</details>
# <details><summary>힌트 2</summary><code>part.unfold(0, sl + 1, 1)</code>이 그 전부를 줍니다. 마지막 열을 뺀 것이 입력입니다.</details>


# %% name="exercise-windows" tags=["exercise"]
def make_windows(part, sl):
    # your turn
    ...


check.make_windows(make_windows)


# %% name="solution-windows" tags=["solution"]
def make_windows(part, sl):
    both = part.unfold(0, sl + 1, 1)  # both: [n, sl+1]
    return both[:, :-1], both[:, 1:]


check.make_windows(make_windows)

# %% [markdown] lang="en" name="scale-text"
# The second leak is quieter. Values are scaled before training: minus the mean, over the standard deviation. **Guess first.** Below, the same eight training values are followed by two different futures, and scaled in two ways: by the whole series (left) and by the training part alone (right). In which do the training values change with the future?

# %% [markdown] lang="ko" name="scale-text" of="8ffd0df5"
# 두 번째 누수는 더 조용합니다. 학습하기 전에 값에서 평균을 빼고 표준 편차로 나누어 눈금을 맞춥니다(흔히 *표준화*라고 합니다). **먼저 예상해 보세요.** 학습 값 여덟 개는 똑같고 그 뒤에 오는 미래만 다른 시리즈가 둘 있습니다. 평균과 표준 편차를 시리즈 전체에서 구할 때(왼쪽)와 학습 구간에서만 구할 때(오른쪽), 어느 쪽에서 학습 값이 미래에 따라 달라질까요?

# %% name="scale-leak"
known = torch.arange(8.0)
for future in ([100.0, 200.0], [0.0, 7.0]):
    whole = torch.cat([known, torch.tensor(future)])
    leaking = (known - whole.mean()) / whole.std(correction=0)
    clean = split_and_scale(whole, n_train=8)[0]
    print(f"{leaking[0]:.2f} {leaking[-1]:.2f}   {clean[0]:.2f} {clean[-1]:.2f}")

# %% [markdown] lang="en" name="exercise-scale-text" tags=["exercise"]
# First and last training value: on the left scaled with the whole series, on the right with the training part alone. On the left they depend on a future that has not happened; on the right the two lines are equal.
#
# ### Your turn · easy · about 6 minutes
#
# `scale_series(series, n_train)`: split the series into the first `n_train` values and the rest, and scale both with one mean and one population standard deviation (divided by n, not n - 1). Where these two numbers may come from is for you to say. Return two tensors, training part and test part.
#
# <details><summary>Hint 1</summary>Split first. Then compute the two numbers, from one of the two parts.</details>
# <details><summary>Hint 2</summary><code>series[:n_train].std(correction=0)</code> is the population std.</details>

# %% [markdown] lang="ko" name="exercise-scale-text" of="ea8fbac5" tags=["exercise"]
# 첫 학습 값과 마지막 학습 값입니다. 왼쪽은 시리즈 전체로, 오른쪽은 학습 구간만으로 눈금을 맞췄습니다. 왼쪽은 아직 오지 않은 미래에 따라 달라지고, 오른쪽은 두 줄이 같습니다.
#
# ### 직접 해 보기 · 쉬움 · 약 6분
#
# `scale_series(series, n_train)`: 시리즈를 처음 `n_train`개와 나머지로 나누고, 두 구간 모두 같은 평균과 모집단 표준 편차(n - 1이 아니라 n으로 나눈 것)로 눈금을 맞추세요. 그 두 숫자를 어디에서 구해도 되는지는 여러분이 정합니다. 학습 구간, 테스트 구간 순서로 텐서 두 개를 돌려주세요.
#
# <details><summary>힌트 1</summary>먼저 두 구간으로 나누세요. 그런 다음 두 구간 가운데 한쪽에서 두 숫자를 구합니다.</details>
# <details><summary>힌트 2</summary><code>series[:n_train].std(correction=0)</code>이 모집단 표준 편차입니다.</details>


# %% name="exercise-scale" tags=["exercise"]
def scale_series(series, n_train):
    # your turn
    ...


check.scale_series(scale_series)


# %% name="solution-scale" tags=["solution"]
def scale_series(series, n_train):
    train, test = series[:n_train], series[n_train:]
    mean, std = train.mean(), train.std(correction=0)
    return (train - mean) / std, (test - mean) / std


check.scale_series(scale_series)

# %% [markdown] lang="en" name="library-scale-text"
# The library's function also returns the two numbers, since a forecast has to go back into the unit of the series (`Scale.undo`):

# %% [markdown] lang="ko" name="library-scale-text" of="a985e7a7"
# 라이브러리의 함수는 두 숫자도 돌려줍니다. 예측을 시리즈의 원래 단위로 되돌려야 하기 때문입니다(`Scale.undo`).

# %% name="library-scale"
# from tutorial_lib.data.timeseries: Scale, split_and_scale

# %% [markdown] lang="en" name="shines"
# ## 3. Where attention shines
#
# To forecast a motif, look up what followed the last time the motif was here. That is a query against keys: attention should be made for it. We draw motifs for training, others for validation, others for the test; they need no scaling, as the rule gives them mean 0 and standard deviation 1, with noise of 0.1.
# First what needs no training: repeat the last value; or find the period by autocorrelation (the shift at which a series agrees best with itself) and take the value one period back, or the mean over all periods back. We measure by the *root mean square error*: square the errors, average, take the root. It has the unit of the values, so you can hold it against the noise of 0.1.

# %% [markdown] lang="ko" name="shines" of="652b3cb1"
# ## 3. 어텐션이 빛나는 곳
#
# 무늬를 예측하려면 지난번에 그 무늬가 나온 다음에 무엇이 왔는지 찾아보면 됩니다. 쿼리로 키를 찾는 일이니 어텐션이 잘할 만합니다. 학습용, 검증용, 테스트용 무늬를 따로 뽑습니다. 규칙대로 만들면 평균이 0, 표준 편차가 1쯤이고 잡음이 0.1이므로 눈금은 맞출 필요가 없습니다.
# 먼저 학습이 필요 없는 방법부터 봅시다. 마지막 값을 그대로 되풀이하거나, 자기상관(시리즈를 몇 자리 밀어 자기 자신과 겹쳤을 때 맞는 정도)이 가장 큰 간격을 주기로 보고, 한 주기 전의 값을 쓰거나 한 주기 전, 두 주기 전, 세 주기 전…의 값을 모두 평균합니다. 성적은 *평균 제곱근 오차*(RMSE)로 잽니다. 오차를 제곱해 평균하고 제곱근을 씌운 것으로, 단위가 값과 같아서 잡음 0.1과 바로 견줄 수 있습니다.

# %% name="data"
train, valid, test = (motifs(n, length=65, seed=seed)[0] for n, seed in ((3000, 1), (500, 2), (1000, 3)))
past, answer = test[:, :-1], test[:, -1]  # past: [1000, 64]


def rmse(forecast):
    return (forecast - answer).square().mean().sqrt().item()


# %% name="rules"
period = find_period(past)[:, None]
place = 64 - period * torch.arange(1, 9)  # place: [1000, 8]
exists = place >= 0  # exists: [1000, 8]
back = past.gather(1, place.clamp(min=0)) * exists  # back: [1000, 8]
results = {
    t(en="last value", ko="마지막 값"): rmse(past[:, -1]),
    t(en="one period back", ko="한 주기 전"): rmse(back[:, 0]),
    t(en="all periods back", ko="모든 주기 전"): rmse(back.sum(dim=1) / exists.sum(dim=1)),
}

# %% [markdown] lang="en" name="learners-text"
# Then what learns. **Ridge** is a weighted sum of the 64 values: least squares with a penalty on large weights, fitted on the last place. The library's two heads do well as baselines too, without an encoder. `FFNHead` on the last 64 values is an MLP: two linear layers with an activation between them, as in the feed-forward box. `LSTMHead` on our tokens is an LSTM, a relative of lesson 09's GRU: it reads place after place, and keeps what it remembers in its *state*.
#
# The three networks (MLP, LSTM and, last, our encoder) get the same series, the same number of passes and the same loss. The loss is taken from place 24 on: a motif has 8 to 24 values, so there every one has begun again. (For each method eight settings were tried, and the best on the validation series taken.)

# %% [markdown] lang="ko" name="learners-text" of="faf0c38f"
# 다음은 학습하는 방법입니다. **리지**(ridge) 회귀는 값 64개에 저마다 가중치를 곱해 더한 값으로 예측합니다. 가중치는 최소 제곱법으로 구하되 너무 커지면 벌점을 줍니다. 여기서는 마지막 자리의 목표만 써서 구합니다. 라이브러리의 헤드 두 개(어텐션 헤드와는 다른 것입니다)는 인코더 없이 기준 모델로도 쓸 만합니다. 최근 값 64개에 `FFNHead`를 쓰면 MLP가 됩니다. 피드포워드 상자처럼 선형 계층 둘 사이에 활성화 함수를 둔 신경망입니다. 우리 토큰에 `LSTMHead`를 쓰면 LSTM이 됩니다. 09강의 GRU와 비슷한 것으로, 한 자리씩 읽으며 그때까지의 기억을 *상태*라는 벡터에 담아 갑니다.
#
# MLP와 LSTM, 그다음의 인코더는 같은 시리즈를 같은 횟수만큼 보고, 같은 방법으로 손실을 구합니다. 무늬의 길이가 8에서 24이므로 24번 자리부터는 모든 무늬가 되풀이됩니다. 그래서 손실은 거기서부터 구합니다. (방법마다 설정을 여덟 가지씩 시도해 검증용 시리즈에서 가장 좋은 것을 골랐습니다.)


# %% name="loss"
def loss_on(n_values):
    def loss(model, inputs, targets):
        forecast = model(lag_tokens(inputs, n_values=n_values))  # forecast: [bs, sl]
        return F.mse_loss(forecast[:, 24:], targets[:, 24:])

    return loss


def train_on(model, series, n_values, lr, epochs=3, held=valid):
    parts = [(part[:, :-1], part[:, 1:]) for part in (series, held)]
    return fit(model, *parts, loss_on(n_values), epochs=epochs, batch_size=32, lr=lr)


# %% name="ridge"
def ridge(inputs, target, new, penalty):
    x = torch.cat([inputs, torch.ones(len(inputs), 1)], dim=1)
    shrink = penalty * torch.eye(x.size(1))
    shrink[-1, -1] = 0  # the constant is free
    weights = torch.linalg.solve(x.T @ x + shrink, x.T @ target)
    return new @ weights[:-1] + weights[-1]


by_ridge = ridge(train[:, :-1], train[:, -1], past, penalty=10.0)  # by_ridge: [1000]
results |= {t(en="ridge", ko="리지"): rmse(by_ridge)}

# %% name="train-baselines"
torch.manual_seed(1)
mlp = FFNHead(hid_dim=64, pf_dim=128).to(device())
lstm = LSTMHead(hid_dim=12, pf_dim=64).to(device())
for name, one, n_values, lr in (("MLP", mlp, 64, 0.06), ("LSTM", lstm, 12, 0.03)):
    train_on(one, train, n_values, lr=lr)
    results[name] = rmse(predict(one, lag_tokens(past, n_values=n_values))[:, -1])


# %% name="train-encoder"
def build(kind=Forecaster, seed=1, width=32):
    torch.manual_seed(seed)
    sizes = dict(n_values=12, hid_dim=width, pf_dim=2 * width, n_heads=2, n_layers=1, max_len=64, dropout=0.0)
    return kind(**sizes, positions="learned", norm_first=True, activation="gelu").to(device())


model = build()
history = train_on(model, train, 12, lr=0.015)
tokens = lag_tokens(past, n_values=12)  # tokens: [1000, 64, 12]
results |= {t(en="encoder", ko="인코더"): rmse(predict(model, tokens)[:, -1])}

# %% name="compare"
rms = t(en="root mean square error", ko="평균 제곱근 오차")
plot.bars({rms: list(results.values())}, list(results), xlabel=t(en="forecast by", ko="예측 방법"), ylabel=rms)
plt.show()

# %% [markdown] lang="en" name="compare-text"
# Lower is better, and the noise alone is 0.1, which nobody can forecast. The encoder leaves everything else that learns far behind, and does at least as well as the classical search that takes the value one period back. Ridge and MLP tie each weight to a fixed place, and here the right place differs from series to series. The LSTM has to carry the whole motif in one state, and has not learned to in these few passes.
#
# Now the honest part. The search over *all* periods back is better still: it averages part of the past noise away. It was told our rule, that there is one period, from 8 to 24. The encoder was told no period, and found a way from examples (though we chose window, tokens and place 24 with the rule in mind).
# And how does it do that? Here are the maps of its two heads for one series of the test.

# %% [markdown] lang="ko" name="compare-text" of="d9a55bf2"
# 낮을수록 좋습니다. 잡음만 해도 0.1인데, 잡음은 아무도 예측할 수 없습니다. 인코더는 학습하는 다른 모델들을 크게 앞서고, 한 주기 전의 값을 쓰는 고전적인 방법보다 못하지 않습니다. 리지와 MLP는 가중치가 저마다 정해진 자리에 묶여 있는데, 여기서는 봐야 할 자리가 시리즈마다 다릅니다. LSTM은 무늬 전체를 상태 하나에 담아 가야 하는데, 이만큼의 학습으로는 배우지 못했습니다.
#
# 이제 솔직하게 말할 차례입니다. *모든* 주기 전 값의 평균이 더 낫습니다. 과거의 잡음이 서로 지워지기 때문입니다. 이 방법은 주기가 하나이고 8에서 24 사이라는 규칙을 알고 시작했습니다. 인코더에는 주기를 전혀 알려 주지 않았는데 예제만 보고 방법을 찾아냈습니다. 다만 창의 길이, 토큰에 넣는 값의 개수, 손실을 구하기 시작하는 자리는 우리가 규칙을 알고 정했습니다.
# 어떻게 했을까요? 테스트용 시리즈 하나에서 두 헤드의 히트맵을 봅시다.

# %% name="maps"
_, periods = motifs(1000, length=65, seed=3)  # the test series once more, for their periods: [1000]
weights = attention_weights(model, tokens.to(device()))[0].cpu()  # weights: [1000, n_heads, 64, 64]
one = (periods == 13).nonzero()[0].item()

# %% name="maps-picture"
figure = plot.layer_head_grid([weights[one]], [str(i) for i in range(64)])
every = range(11, 64, 13)
for ax in figure.axes[:2]:
    ax.set_xticks([i + 0.5 for i in every], every, rotation=0), ax.set_yticks([i + 0.5 for i in every], every)
    ax.tick_params(labelbottom=True, labelleft=True)
plt.show()

# %% [markdown] lang="en" name="maps-text"
# Each row is a place that forecasts. Once the motif has come back, dark stripes run parallel to the diagonal, a fixed number of places apart; further down there are more of them, and each is paler, as the weights are dealt out over several periods. The last row, place 63, makes the forecast for place 64. **Guess first.** The period is 13: how far before place 64 will its strongest weights sit?

# %% [markdown] lang="ko" name="maps-text" of="650a28fa"
# 한 행이 예측 하나입니다. 무늬가 한 번 되풀이된 뒤로는 대각선과 나란한 진한 줄무늬가 일정한 간격으로 나타납니다. 아래로 갈수록 줄은 늘고 색은 옅어집니다. 가중치가 여러 주기로 나뉘기 때문입니다. 맨 아래 행인 63번 자리가 64번 자리의 값을 예측합니다. **먼저 예상해 보세요.** 주기가 13입니다. 가장 큰 가중치들은 64번 자리에서 몇 자리 전에 있을까요?

# %% name="last-row"
last = weights[:, :, -1]  # last: [1000, n_heads, 64]
lines = {t(en=f"head {i}", ko=f"헤드 {i}"): last[one, i].tolist() for i in (0, 1)}
distance = t(en="places before the value to forecast (place 64)", ko="예측할 값(64번 자리)에서 몇 자리 전인가")
plot.lines(range(64, 0, -1), lines, xlabel=distance, ylabel=t(en="weight", ko="가중치"))
plt.show()

# %% name="exactly"
strongest = last.argmax(dim=2)  # strongest: [1000, n_heads]
off = (64 - strongest) % periods[:, None]  # off: [1000, n_heads]
(off == 0).float().mean(dim=0)

# %% [markdown] lang="en" name="exactly-text"
# Peaks at 13, 26, 39 and 52, and nearly nothing between. Over all test series the strongest weight of each head sits a whole number of periods back, in practically every one. Nobody told it to look there.
#
# How can a query find that place? The token at place 63 asks, and holds the values of places 52 to 63. One period (13 places) before place 64, which is to be forecast, stands the token at place 51, and holds those of 40 to 51. Eleven of them, 40 to 50, match the query's newest eleven, 53 to 63, one period later, though they sit one slot further to the left; and the newest, 51, is what came next. By the eleven the query can recognise the key, and the *value* of attention then brings number 51, the newest.
# (The table over several seeds in the README of this repository has a surprise: without positions the encoder does as well, since twelve values tell the place in the motif.)
#
# ## 4. Three ways to fool yourself
#
# Lesson 08 took post A's code apart. What would two of its faults have done to this forecast, and what if one of its lines were missing? **First**, `self_outputs[0]`: every sample of a batch gets attention's output for sample 0. We put the fault into the model that is already trained, as if somebody had rewritten the code and loaded the good weights. (Trained with the fault it would be another model, and its loss would be the first thing to look at.) For that there is the *hook*: a function that PyTorch calls after a module, and whose result takes the place of the output. We forecast all test series in batches, and then 200 of them alone.

# %% [markdown] lang="ko" name="exactly-text" of="b8180883"
# 13, 26, 39, 52에서 솟고 그 사이는 거의 0입니다. 테스트용 시리즈 전체를 보아도, 거의 모든 시리즈에서 두 헤드의 가장 큰 가중치가 주기의 정수 배만큼 전에 있습니다. 그곳을 보라고 알려 준 사람은 없습니다.
#
# 쿼리는 그 자리를 어떻게 찾을까요? 묻는 것은 63번 자리의 토큰이고, 거기에는 52번에서 63번까지의 값이 들어 있습니다. 예측할 64번에서 한 주기(13자리) 앞은 51번이고, 그 자리의 토큰에는 40번에서 51번까지의 값이 들어 있습니다. 그 가운데 40번에서 50번까지 열한 개는 쿼리의 마지막 열한 개(53번에서 63번)와 한 주기 차이로 짝이 맞습니다. 다만 토큰 안에서는 한 칸씩 왼쪽에 있습니다. 남은 하나인 51번이 바로 그다음에 온 값입니다. 앞의 열한 개로 쿼리와 키가 맞아떨어지고, 어텐션의 *값*(value) 벡터가 마지막 하나를 실어 나를 수 있습니다.
# (이 저장소의 README에 있는, 시드 여러 개로 만든 표에는 뜻밖의 결과가 있습니다. 위치 정보가 없어도 인코더의 성적이 같습니다. 토큰에 든 값 12개만 보아도 무늬의 어디쯤인지 알 수 있기 때문입니다.)
#
# ## 4. 스스로 속는 세 가지 방법
#
# 08강에서 글 A의 코드를 뜯어보았습니다. 그때 본 잘못 두 가지와, 그 코드에서 한 줄만 빠지면 생기는 잘못 한 가지가 예측을 어떻게 망치는지 봅시다. **첫째**는 `self_outputs[0]`입니다. 배치의 모든 시리즈가 0번 시리즈의 어텐션 출력을 받습니다. *훅*(hook)은 모듈의 계산이 끝날 때마다 PyTorch가 불러 주는 함수이고, 그 함수가 돌려준 값이 모듈의 출력을 대신합니다. 학습을 마친 모델에 훅을 걸어 이 잘못을 넣읍시다. 누군가 코드를 잘못 옮겨 적고 좋은 파라미터를 불러온 셈입니다. (잘못된 채로 학습시켰다면 다른 모델이 되었을 것이고, 손실부터 이상했을 것입니다.) 테스트용 시리즈를 배치로 예측하고, 그 가운데 200개는 하나씩 따로도 예측합니다.


# %% name="sample-0"
def take_sample_0(module, inputs, output):
    context, weights = output
    return context[0].expand_as(context), weights  # sample 0 broadcasts over the batch, without an error


handle = model.encoder.layers[0].self_attn.register_forward_hook(take_sample_0)
together = predict(model, tokens)[:, -1]  # together: [1000]
alone = torch.cat([predict(model, tokens[i : i + 1])[:, -1] for i in range(200)])  # alone: [200]
handle.remove()

# %% name="sample-0-picture"
names = [
    t(en="healthy", ko="정상"),
    t(en="[0], in batches", ko="[0], 배치로"),
    t(en="[0], one by one", ko="[0], 하나씩"),
]
errors = [rmse(predict(model, tokens)[:, -1]), rmse(together), (alone - answer[:200]).square().mean().sqrt().item()]
plot.bars({rms: errors}, names, xlabel=t(en="model", ko="모델"), ylabel=rms)
plt.show()

# %% [markdown] lang="en" name="sample-0-text"
# In batches the forecast is worse than the mean (0) would be, whose error is about 1. One by one it is as good as ever, because then every series *is* sample 0. So whoever tries the model on a single example finds nothing.
#
# **Second**, post A's `SelfAttention` overwrites the mask that it is given by a causal one of its own. Here that matters when series are of different length. They are padded in front, so that their ends meet, and the mask has to hide the padding. Our series keep 40 real places behind 24 of padding, and the padding is filled with one value or another:

# %% [markdown] lang="ko" name="sample-0-text" of="8205da86"
# 배치로 하면 무조건 평균 0이라고 답할 때의 오차(1쯤)보다도 나쁩니다. 하나씩 하면 멀쩡합니다. 그때는 모든 시리즈가 *바로* 0번이기 때문입니다. 그래서 예제 하나로 모델을 시험한 사람은 아무것도 알아채지 못합니다.
#
# **둘째**, 글 A의 `SelfAttention`은 받은 마스크를 자기 인과 마스크로 덮어씁니다. 시리즈의 길이가 서로 다를 때 문제가 됩니다. 끝을 맞추려고 앞에 패딩을 넣고, 마스크로 그 패딩을 가려야 하기 때문입니다. 여기서는 패딩 24자리 뒤에 진짜 값 40자리가 있고, 패딩을 여러 값으로 채워 봅니다.


# %% name="overwritten"
def padded_forecast(fill, mask):
    real = torch.arange(64) >= 24  # real: [64]
    padded = lag_tokens(past * real, n_values=12).masked_fill(~real[:, None], fill)  # padded: [1000, 64, 12]
    with torch.no_grad():
        hidden = model.encoder(model.project(padded.to(device())), mask.to(device()))  # hidden: [1000, 64, 32]
        forecast = model.head(hidden)[:, -1].cpu()  # forecast: [1000]
    return rmse(forecast)


# %% name="overwritten-picture"
given = causal_mask(64) & (torch.arange(64) >= 24)  # given: [1, 1, 64, 64]
fills = [0.0, 1.0, 3.0, 10.0]
errors = {
    t(en="the mask as given", ko="받은 마스크 그대로"): [padded_forecast(fill, given) for fill in fills],
    t(en="overwritten: causal only", ko="덮어씀: 인과 마스크만"): [
        padded_forecast(fill, causal_mask(64)) for fill in fills
    ],
}
plot.lines(fills, errors, xlabel=t(en="value in the padding", ko="패딩에 넣은 값"), ylabel=rms)
plt.show()

# %% [markdown] lang="en" name="overwritten-text"
# With the mask as given the line is flat: whatever stands in the padding, the error is the same. Overwritten, it grows (the axis does not begin at 0). With 0, the value everybody pads with, there is hardly a difference; that is why nobody notices. The test that sees it: *change what is masked, and nothing may move.*
#
# **Third**, the mask left out altogether. Post A keeps it, but it is one line, and easily lost. The same model is trained with the same loss, and nothing hides the future.

# %% [markdown] lang="ko" name="overwritten-text" of="01dd24e6"
# 받은 마스크를 그대로 쓰면 선이 평평합니다. 패딩에 무엇이 있든 오차는 같습니다. 덮어쓰면 오차가 커집니다(세로축은 0에서 시작하지 않습니다). 누구나 쓰는 0으로 채우면 차이가 거의 없습니다. 그래서 아무도 알아채지 못합니다. 이 잘못은 이런 테스트로 잡습니다. *가린 자리의 값을 바꾸어도 출력은 변하지 않아야 합니다.*
#
# **셋째**는 마스크를 아예 빠뜨린 경우입니다. 글 A에는 마스크가 있지만, 한 줄뿐이라 잃어버리기 쉽습니다. 같은 모델을 같은 손실로 학습시키되, 미래를 가리지 않습니다.


# %% name="no-mask"
class NoMask(Forecaster):
    def forward(self, values, lengths=None):
        return self.head(self.encoder(self.project(values)))  # [bs, sl]


open_model = build(NoMask)
open_history = train_on(open_model, train, 12, lr=0.015)
losses = {"with": history.valid[-1] ** 0.5, "without": open_history.valid[-1] ** 0.5}
final = {"with": rmse(predict(model, tokens)[:, -1]), "without": rmse(predict(open_model, tokens)[:, -1])}

# %% name="no-mask-noise"
noise = torch.randn(4000, 65, generator=torch.Generator().manual_seed(4))  # noise: [4000, 65]
seen, unseen = noise[:3000], noise[3000:]
gambler = build(NoMask)
gambler_history = train_on(gambler, seen, 12, lr=0.015, epochs=1, held=unseen)
guess = predict(gambler, lag_tokens(unseen[:, :-1], n_values=12))[:, -1]  # guess: [1000]
losses["noise"] = gambler_history.valid[-1] ** 0.5
final["noise"] = (guess - unseen[:, -1]).square().mean().sqrt().item()

# %% name="no-mask-picture"
names = [
    t(en="causal mask", ko="인과 마스크"),
    t(en="no mask", ko="마스크 없음"),
    t(en="no mask, pure noise", ko="마스크 없음, 순수한 잡음"),
]
groups = {
    t(en="by its loss", ko="손실로 본 오차"): list(losses.values()),
    t(en="the next value", ko="다음 값의 오차"): list(final.values()),
}
plot.bars(groups, names, xlabel=t(en="training", ko="학습"), ylabel=rms)
plt.show()

# %% [markdown] lang="en" name="no-mask-text"
# The first bars are the root of the validation loss, the second the error of the value after the window. By its loss, the model without a mask beats even the noise of 0.1. That cannot be, and is the sign: at each place it reads the answer one place further. The next value, the one after the window, is not there to be read. There it is level with the honest model, whatever its loss promised.
# (With the causal mask the first bar is higher than the second, since the loss also counts places where a long motif has only just come back.)
#
# Why is the model without a mask no worse there? Because motifs come back, and what it learned about the past serves at the last place as well. So look at the third pair, where it was trained on pure noise, which nobody can forecast. Its loss says that it almost can. Its forecast is worse than always saying 0, whose error is 1.
#
# Two tests, then. **Train on pure noise** of standard deviation 1: if the validation loss falls clearly below 1, something leaks. And **compare the root of the validation loss with the noise**, where you know it: an honest model does not get clearly below.
#
# ## 5. Two tails
#
# What stands behind the encoder is your choice. Post A: "이후 Decoder를 추가하거나 FFN, LSTM등 자유롭게 output 과정을 설정해주면 된다" (then add a decoder, or design the output freely, with an FFN or an LSTM). The library has both tails, `FFNHead` and `LSTMHead`. You have used them already, as baselines:

# %% [markdown] lang="ko" name="no-mask-text" of="251bd394"
# 왼쪽 막대는 검증 손실의 제곱근, 오른쪽 막대는 창 다음에 올 값의 오차입니다. 손실만 보면 마스크 없는 모델의 오차가 잡음 0.1보다도 작습니다. 있을 수 없는 일이고, 바로 그것이 신호입니다. 자리마다 한 자리 뒤에서 답을 읽은 것입니다. 창 다음에 올 값은 창 안에 없어서 읽을 수 없습니다. 거기서는 손실이 무엇을 약속했든 정직한 모델과 비슷합니다.
# (인과 마스크를 쓴 모델에서 왼쪽 막대가 오른쪽보다 높은 것은, 긴 무늬가 이제 막 되풀이되기 시작한 자리까지 손실에 들어가기 때문입니다.)
#
# 마스크 없는 모델이 다음 값에서 더 나빠지지 않은 까닭은 무엇일까요? 무늬가 되풀이되고, 과거를 보고 배운 것이 마지막 자리에서도 통하기 때문입니다. 그러니 셋째 쌍을 보세요. 아무도 예측할 수 없는 순수한 잡음으로 학습시킨 것입니다. 손실만 보면 잡음을 거의 다 맞히는 것 같습니다. 그런데 다음 값의 오차는 무조건 0이라고 답할 때의 오차인 1보다도 큽니다.
#
# 그래서 테스트가 두 가지 나옵니다. **표준 편차가 1인 순수한 잡음으로 학습시켜 보세요.** 검증 손실이 1보다 뚜렷이 작아지면 답이 새고 있는 것입니다. 그리고 잡음의 크기를 안다면 **검증 손실의 제곱근을 잡음의 표준 편차와 견주어 보세요.** 정직한 모델이라면 손실의 제곱근이 그보다 뚜렷이 작을 수 없습니다.
#
# ## 5. 꼬리 두 가지
#
# 인코더 뒤에 무엇을 둘지는 여러분이 정합니다. 글 A는 디코더를 붙여도 좋고 FFN이나 LSTM을 써도 좋다고 합니다. "이후 Decoder를 추가하거나 FFN, LSTM등 자유롭게 output 과정을 설정해주면 된다." 인코더 뒤에 붙는 이 부분을 **꼬리**라고 부르겠습니다. 라이브러리에는 꼬리가 둘 있습니다. 3절에서 기준 모델로 써 본 `FFNHead`와 `LSTMHead`입니다.

# %% name="library-heads"
# from tutorial_lib.heads: FFNHead, LSTMHead

# %% name="heads-trace"
hidden = torch.randn(3, 5, 8)  # hidden: [bs, sl, hid_dim]
ffn_head, lstm_head = FFNHead(hid_dim=8, pf_dim=16), LSTMHead(hid_dim=8, pf_dim=16)
sizes = {"bs": 3, "sl": 5, "hid_dim": 8, "pf_dim": 16}
print(trace_shapes(ffn_head, hidden, sizes=sizes).depth(1))
print(trace_shapes(lstm_head, hidden, torch.tensor([5, 3, 2]), sizes=sizes))

# %% [markdown] lang="en" name="packed-text"
# The FFN tail works on each place alone. The LSTM tail reads from left to right, and its rows are **packed**: of 3 rows with 5, 3 and 2 real places only 10 vectors go in, and nothing stands for padding (which here stands behind, not in front as in section 4). In the trace they are `[10, hid_dim]`; the small tensors behind it are PyTorch's notes on how to take them apart again. **Guess first.** Read without packing: does padding behind a row change the values at its real places? And the LSTM's last state, which many models take as the summary of a row?

# %% [markdown] lang="ko" name="packed-text" of="b748a9ae"
# FFN 꼬리는 자리마다 따로 일합니다. LSTM 꼬리는 왼쪽에서 오른쪽으로 읽고, 행에서 **패딩을 빼고 진짜 자리만 한데 묶어**(packed) 넣습니다. 진짜 자리가 5개, 3개, 2개인 행 3개에서 벡터 10개만 들어가고 패딩은 들어가지 않습니다(4절과 달리 여기서는 패딩이 뒤에 있습니다). 추적에서는 `[10, hid_dim]`으로 보이고, 그 뒤의 작은 텐서들은 다시 나누는 법을 PyTorch가 적어 둔 것입니다. **먼저 예상해 보세요.** 묶지 않고 읽으면 행 뒤의 패딩이 진짜 자리의 값을 바꿀까요? 많은 모델이 행의 요약으로 쓰는 LSTM의 마지막 상태는 어떨까요?

# %% name="packed-run"
with torch.no_grad():
    short = hidden[2:, :2]  # short: [1, 2, hid_dim]
    padded = hidden[2:]  # padded: [1, 5, hid_dim]
    value_gap = lstm_head(padded)[:, :2] - lstm_head(short)  # value_gap: [1, 2]
    state_gap = lstm_head.lstm(padded)[1][0] - lstm_head.lstm(short)[1][0]  # state_gap: [1, 1, 16]
    packed = pack_padded_sequence(padded, torch.tensor([2]), batch_first=True)
    packed_gap = lstm_head.lstm(packed)[1][0] - lstm_head.lstm(short)[1][0]  # packed_gap: [1, 1, 16]
[gap.abs().max().item() < 1e-6 for gap in (value_gap, state_gap, packed_gap)]

# %% [markdown] lang="en" name="packed-after"
# The values at real places stay; an LSTM that reads to the right has not met the padding yet. The last state does change, as it has read the padding, too. With packing it is the state after the last real place. (An LSTM that reads in both directions meets the padding first, and then everything changes.)
#
# Does the LSTM tail forecast better? In the README's table over several seeds it is level with the FFN tail on motifs and takes longer.
#
# ## 6. Many steps
#
# The model forecasts one step. For the next one, put the forecast into the window as if it were true, drop the oldest value, and ask again: a **roll-out**. Errors are fed back as well. **Guess first**: after 48 steps, will anything be left of the motif?

# %% [markdown] lang="ko" name="packed-after" of="07f8d03c"
# 진짜 자리의 값은 묶지 않아도 그대로입니다. LSTM은 왼쪽부터 읽으므로 그 자리까지는 아직 패딩을 만나지 않았습니다. 마지막 상태는 패딩까지 읽어서 달라집니다. 묶으면 마지막 진짜 자리에서 멈춘 상태를 얻습니다. (양쪽으로 읽는 LSTM은 패딩을 먼저 만나므로 모든 값이 변합니다.)
#
# LSTM 꼬리가 예측을 더 잘할까요? README의 시드 여러 개로 만든 표에서는 무늬 과제의 성적이 FFN 꼬리와 비슷하고 시간은 더 걸립니다.
#
# ## 6. 여러 걸음 앞
#
# 모델은 한 걸음 앞을 예측합니다. 그다음 걸음을 예측하려면 예측값을 진짜인 것처럼 창에 넣고, 가장 오래된 값을 빼고, 다시 묻습니다. 이것을 **롤아웃**(roll-out)이라고 합니다. 오차도 함께 되돌아 들어갑니다. **먼저 예상해 보세요.** 48걸음 뒤에도 무늬가 남아 있을까요?

# %% [markdown] lang="en" name="exercise-roll-text" tags=["exercise"]
# ### Your turn · a stretch · about 9 minutes
#
# `roll_out(model, past, steps)`: `model` takes a window `[bs, sl]` and gives a forecast for each place, `[bs, sl]`. Return the forecasts of the `steps` values after `past`, `[bs, steps]`. What you give the model keeps the length of `past`, which is `[bs, sl]` too.
#
# <details><summary>Hint 1</summary>One step: ask the model, take the last place, put it behind the window, drop the oldest value.</details>
# <details><summary>Hint 2</summary><code>torch.cat([window[:, 1:], new[:, None]], dim=1)</code> is the window moved by one.</details>

# %% [markdown] lang="ko" name="exercise-roll-text" of="930c3894" tags=["exercise"]
# ### 직접 해 보기 · 도전 · 약 9분
#
# `roll_out(model, past, steps)`: `model`은 창 `[bs, sl]`을 받아 자리마다 예측을 하나씩, `[bs, sl]`로 돌려줍니다. `past` 다음에 올 값 `steps`개의 예측을 `[bs, steps]`로 돌려주세요. 모델에 넣는 창은 늘 `past`와 같은 `[bs, sl]`입니다.
#
# <details><summary>힌트 1</summary>한 단계는 이렇습니다. 모델에 묻고, 마지막 자리를 꺼내고, 창 뒤에 붙이고, 가장 오래된 값을 뺍니다.</details>
# <details><summary>힌트 2</summary><code>torch.cat([window[:, 1:], new[:, None]], dim=1)</code>이 한 칸 옮긴 창입니다.</details>


# %% name="exercise-roll" tags=["exercise"]
def roll_out(model, past, steps):
    # your turn
    ...


check.roll_out(roll_out)


# %% name="solution-roll" tags=["solution"]
def roll_out(model, past, steps):
    window, found = past, []
    for _ in range(steps):
        new = model(window)[:, -1]  # new: [bs]
        found.append(new)
        window = torch.cat([window[:, 1:], new[:, None]], dim=1)  # window: [bs, sl]
    return torch.stack(found, dim=1)  # [bs, steps]


check.roll_out(roll_out)

# %% [markdown] lang="en" name="roll-text"
# Here is the loop at work on new series, with 48 values behind the window that the model never sees:

# %% [markdown] lang="ko" name="roll-text" of="fa6c00e4"
# 새 시리즈로 이 반복문을 돌려 봅시다. 창 뒤의 값 48개는 모델이 보지 못합니다.

# %% name="roll-run"
long, periods = motifs(100, length=112, seed=6)  # long: [100, 112]
rolled = {}
for name, one in ((t(en="encoder", ko="인코더"), model), ("LSTM", lstm)):
    window = long[:, :64]
    for _ in range(48):
        new = predict(one, lag_tokens(window[:, -64:], n_values=12))[:, -1:]  # new: [100, 1]
        window = torch.cat([window, new], dim=1)
    rolled[name] = window[:, 64:]

# %% name="roll-picture"
i = (periods == 17).nonzero()[0].item()
curves = {t(en="truth", ko="실제"): long[i, 64:].tolist()}
curves |= {name: out[i].tolist() for name, out in rolled.items()}
plot.lines(range(1, 49), curves, xlabel=t(en="steps ahead", ko="앞으로 몇 걸음"), ylabel=t(en="value", ko="값"))
plt.show()

# %% name="roll-errors"
gaps = {name: (out - long[:, 64:]).square().mean(dim=0).sqrt().tolist() for name, out in rolled.items()}
plot.lines(range(1, 49), gaps, xlabel=t(en="steps ahead", ko="앞으로 몇 걸음"), ylabel=rms)
plt.show()

# %% [markdown] lang="en" name="roll-after"
# The first picture is one series with period 17: the encoder's roll-out keeps to the motif to the last of the 48 steps, nearly three times around, and the LSTM's sways about the mean. The second is the error over 100 series. The encoder's hardly grows: each forecast mixes values from several periods back, so that small errors partly cancel. The LSTM's climbs to 1 and beyond; 1 is the error of always saying 0.
#
# **Doubt it.** Somebody shows a roll-out of this LSTM whose error at step 48 is that of step 1. What did they feed back? (The true values: then it is 48 forecasts of one step, and no roll-out. That our encoder stays level is earned: it was fed its own forecasts.)
#
# ## 7. A real series
#
# The sunspot number from 1700 to 2008, its mean for each year; it comes with the package `statsmodels`. First 200 years for training, the next 49 for choices, the last 60 for the test; LSTM and encoder start from three seeds. The series has 309 numbers in all; the motifs had 3000 series for training alone. **Guess first.** Who wins?

# %% [markdown] lang="ko" name="roll-after" of="10daeb49"
# 첫 그림은 주기가 17인 시리즈 하나입니다. 인코더의 롤아웃은 마지막 48걸음까지, 곧 거의 세 바퀴 내내 무늬를 지키고, LSTM은 평균 둘레에서 흔들릴 뿐입니다. 둘째 그림은 시리즈 100개의 오차입니다. 인코더의 오차는 거의 자라지 않습니다. 예측마다 여러 주기 전의 값을 섞으므로 작은 오차가 얼마쯤 서로 지워지기 때문입니다. LSTM의 오차는 1을 넘기도 합니다. 1은 무조건 0이라고 답할 때의 오차입니다.
#
# **의심해 보기.** 바로 그 LSTM으로 롤아웃을 했는데 48걸음째에도 첫걸음만큼 잘 맞았다는 사람이 있습니다. 창에 무엇을 넣었을까요? (진짜 값입니다. 그러면 한 걸음 예측을 48번 한 것이지 롤아웃이 아닙니다. 우리 인코더는 진짜 값이 아니라 자기 예측을 되먹였는데도 오차가 자라지 않은 것입니다.)
#
# ## 7. 실제 시계열
#
# 이번 데이터는 1700년부터 2008년까지 해마다 평균을 낸 태양 흑점 수입니다(평균이라 소수점 아래가 있습니다). `statsmodels` 패키지에 들어 있습니다. 처음 200년으로 학습시키고, 다음 49년(검증 구간)으로 모델을 고르고, 마지막 60년(테스트 구간)으로 평가합니다. LSTM과 인코더는 시드를 바꾸어 세 번씩 학습시킵니다. 숫자가 모두 309개뿐입니다. 무늬 과제에는 학습용 시리즈만 3000개가 있었습니다. **먼저 예상해 보세요.** 누가 이길까요?

# %% name="sunspots"
counts = sunspots()  # counts: [309]
years = range(1700, 1700 + len(counts))
spots, year = t(en="sunspot number", ko="흑점 수"), t(en="year", ko="연도")
plot.lines(years, {spots: counts.tolist()}, xlabel=year, ylabel=spots)
plt.show()

# %% name="sunspots-parts"
first, rest, scale = split_and_scale(counts, n_train=200)
choose, final_years = rest[:49], rest[49:]
parts = {"train": first, "valid": torch.cat([first[-32:], choose]), "test": torch.cat([choose[-32:], final_years])}
sun = {name: windows(part, sl=32) for name, part in parts.items()}
{name: list(pair[0].shape) for name, pair in sun.items()}


# %% name="sunspots-loss"
def last_place(
    model, inputs, targets
):  # windows overlap: if each asks for its last place, every year is asked for once
    return F.mse_loss(model(lag_tokens(inputs, n_values=12))[:, -1], targets[:, -1])


def errors_of(forecast):
    gaps = [forecast(sun[part][0]) - sun[part][1][:, -1] for part in ("valid", "test")]
    return [scale.std * gap.square().mean().sqrt().item() for gap in gaps]


# %% name="sunspots-train"
def train_sun(one, lr, seed):
    fit(one, sun["train"], sun["valid"], last_place, epochs=15, batch_size=16, lr=lr, seed=seed)
    return lambda new: predict(one, lag_tokens(new, n_values=12))[:, -1]


def small_lstm(seed):
    torch.manual_seed(seed)
    return LSTMHead(hid_dim=12, pf_dim=16).to(device())


starts = (1, 2, 3)
lstms = [train_sun(small_lstm(seed), 0.03, seed) for seed in starts]
encoders = [train_sun(build(seed=seed, width=16), 0.06, seed) for seed in starts]

# %% name="sunspots-errors"
x, y = sun["train"][0], sun["train"][1][:, -1]  # x: [168, 32]
ridge_sun = lambda new: ridge(x, y, new, penalty=3.0)
forecasts = {
    t(en="last value", ko="마지막 값"): [lambda new: new[:, -1]],
    t(en="ridge", ko="리지"): [ridge_sun],
    "LSTM": lstms,
    t(en="encoder", ko="인코더"): encoders,
}
errors = [torch.tensor([errors_of(one) for one in several]) for several in forecasts.values()]

# %% name="sunspots-compare"
groups = {
    t(en="years of choice, mean", ko="검증 구간, 평균"): [e[:, 0].mean() for e in errors],
    t(en="test years, best seed", ko="테스트 구간, 가장 좋은 시드"): [e[:, 1].min() for e in errors],
    t(en="test years, worst seed", ko="테스트 구간, 가장 나쁜 시드"): [e[:, 1].max() for e in errors],
}
plot.bars(groups, list(forecasts), xlabel=t(en="forecast by", ko="예측 방법"), ylabel=rms)
plt.show()

# %% name="sunspots-peaks"
counts[:200].max(), counts[200:249].max(), counts[249:].max()

# %% name="sunspots-picture"
lines = {t(en="truth", ko="실제"): scale.undo(sun["test"][1][:, -1]).tolist()}
for name, one in ((t(en="ridge", ko="리지"), ridge_sun), (t(en="encoder", ko="인코더"), encoders[0])):
    lines[name] = scale.undo(one(sun["test"][0])).tolist()
plot.lines(years[249:], lines, xlabel=year, ylabel=spots)
plt.show()

# %% [markdown] lang="en" name="summary"
# On the years of choice the order from worst to best is last value, ridge, LSTM, encoder. Whoever reported these years would report the wrong thing: the best epoch, the widths, the learning rates and ridge's penalty were picked by them. On the test years everybody is worse, even "last value": the swings are larger there, up to a peak above all that was seen before (the three numbers). (The curve shows the first of the three seeds.)
# Ridge, a weighted sum of 32 values, gives the same every time. On the test years the encoder depends on its start, by several units. Its best start comes near ridge (on another processor perhaps ahead of it), but that is one of three, picked by looking at the answers; in the README's table, from three starts of its own, it is behind each time. The honest sentence is: **with some 300 values, nothing here is shown to beat ridge.**
#
# ## What you have now
#
# - A linear projection takes the embedding's place: `[bs, sl, n_values]` → `[bs, sl, hid_dim]`. With the causal mask every place has a forecast and a loss.
# - First split, then cut and scale: mean and standard deviation come from the training part, and no training window reaches over the split.
# - Attention looks up what came next the last time. Where something comes back after an unknown time, it leaves ridge, MLP and LSTM behind; where data are few, a weighted sum may do as well or better.
# - Tests that see whether you fool yourself: forecast alone and in a batch; change what is masked; train on noise.
# - A roll-out feeds forecasts back, never true values.
#
# Next: [12 · A real BERT in your encoder](12_real_bert.ipynb).
#
# **Further reading**: [Are Transformers Effective for Time Series Forecasting?](https://arxiv.org/abs/2205.13504), in which linear models win

# %% [markdown] lang="ko" name="summary" of="76482808"
# 검증 구간에서는 마지막 값, 리지, LSTM, 인코더 순서로 나아집니다. 이 구간으로 보고하면 틀린 보고가 됩니다. 가장 좋은 에포크도, 너비와 학습률도, 리지의 벌점도 바로 이 구간으로 골랐기 때문입니다. 테스트 구간에서는 "마지막 값"까지 모두 나빠집니다. 흑점 수가 더 크게 오르내리고, 가장 높은 봉우리는 그 전에 본 어떤 값보다도 높습니다(위의 세 숫자). (곡선은 시드 셋 가운데 첫째입니다.)
# 값 32개에 가중치를 곱해 더하는 리지는 언제나 같은 결과를 냅니다. 테스트 구간에서 인코더의 오차는 시드에 따라 크게 달라집니다. 가장 좋은 시드는 리지에 가깝지만(프로세서가 다르면 앞설 수도 있습니다), 그것은 셋 가운데 답을 보고 고른 하나입니다. README의 표에서는 따로 세 번 학습시켰는데 세 번 모두 리지보다 못했습니다. 솔직하게 쓰면 이렇습니다. **값이 300개쯤인 이 데이터에서는, 리지보다 낫다고 말할 수 있는 모델이 없었습니다.**
#
# ## 정리
#
# - 임베딩 자리에 선형 투영이 들어갑니다. `[bs, sl, n_values]` → `[bs, sl, hid_dim]`. 인과 마스크가 있으면 자리마다 예측과 손실이 있습니다.
# - 먼저 나누고, 그다음에 자르고 눈금을 맞춥니다. 평균과 표준 편차는 학습 구간에서 구하고, 학습용 창은 경계를 넘지 않습니다.
# - 어텐션은 지난번에 같은 대목이 나왔을 때 그다음에 무엇이 왔는지 찾아봅니다. 알 수 없는 간격으로 되풀이되는 것이 있으면 리지, MLP, LSTM을 크게 앞섭니다. 데이터가 적으면, 가중치를 곱해 더하기만 하는 리지조차 넘어서기 어렵습니다.
# - 스스로 속고 있지 않은지 보는 테스트: 하나씩 예측한 것과 배치로 예측한 것을 견주기, 가려진 것을 바꿔 보기, 잡음으로 학습시켜 보기.
# - 롤아웃은 예측을 되먹입니다. 진짜 값을 넣으면 안 됩니다.
#
# 다음: [12 · 내 인코더에 담는 진짜 BERT](12_real_bert.ipynb).
#
# **더 읽을거리**: [Are Transformers Effective for Time Series Forecasting?](https://arxiv.org/abs/2205.13504) 선형 모델이 트랜스포머를 이긴 결과를 보고한 논문입니다.
