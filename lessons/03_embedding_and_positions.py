# ---
# jupyter:
#   jupytext:
#     formats: py:percent
#     cell_metadata_filter: lang,of,name,tags,-all
# ---

# %% [markdown] lang="en" name="title"
# # 03 · Embedding and positions
#
# An id is a name, not a quantity: word 20 is not twice word 10. The first box of the encoder turns each id into a vector. The second adds
# the token's position, because attention by itself does not know.
#
# **You will be able to**
#
# - say what an embedding is, and what becomes of the row of `<PAD>`;
# - show that an encoder without positions cannot tell "dog bites man" from "man bites dog";
# - write the paper's waves of positions by hand, read their picture, and say why their size must fit that of the tokens.
#
# **Read first**: [01 · Text to tensor](01_text_to_tensor.ipynb) and [02 · The Transformer at a glance](02_transformer_at_a_glance.ipynb).
#
# **Time**: 65 minutes.
#
# <details><summary>For the classroom</summary>
#
# | Section | Minutes |
# |---|---|
# | 1 From an id to a vector | 8 |
# | 2 Attention does not know the order | 8 |
# | 3 A pattern for every position | 16 |
# | 4 What a dot product says about distance | 7 |
# | 5 Add it, along the right axis | 11 |
# | 6 How loud should a position be? | 10 |
# | 7 Positions that are learned | 5 |
#
# Two questions to ask: *Why add waves rather than the plain number 0, 1, 2, …?*
# *Two encoders have the same layers, and one has no positions. Which sentences can it not tell apart?*
#
# </details>

# %% [markdown] lang="ko" name="title" of="da9a68d2"
# # 03 · 임베딩과 위치 인코딩
#
# 번호는 이름이지 양이 아닙니다. 20번 단어가 10번 단어의 두 배는 아닙니다. 인코더의 첫 상자는 번호를 벡터로 바꿉니다. 둘째 상자는 토큰이 어디에 있는지 알려 주는 숫자를
# 더합니다. 어텐션은 스스로 순서를 알지 못하기 때문입니다.
#
# **이 강의를 마치면**
#
# - 임베딩이 무엇인지, `<PAD>`의 행은 어떻게 되는지 말할 수 있습니다.
# - 위치 정보가 없는 인코더는 "dog bites man"과 "man bites dog"를 구별하지 못한다는 것을 보일 수 있습니다.
# - 사인과 코사인으로 된 위치 인코딩을 손으로 계산하고, 그림을 읽고, 그 크기가 왜 토큰과 어울려야 하는지 말할 수 있습니다.
#
# **먼저 볼 것**: [01 · 텍스트를 텐서로](01_text_to_tensor.ipynb), [02 · 한눈에 보는 트랜스포머](02_transformer_at_a_glance.ipynb).
#
# **시간**: 65분.
#
# <details><summary>수업용 안내</summary>
#
# | 절 | 분 |
# |---|---|
# | 1 번호에서 벡터로 | 8 |
# | 2 어텐션은 순서를 모릅니다 | 8 |
# | 3 위치마다 다른 무늬 | 16 |
# | 4 내적이 알려 주는 거리 | 7 |
# | 5 올바른 축을 따라 더하기 | 11 |
# | 6 위치의 목소리는 얼마나 커야 할까? | 10 |
# | 7 학습하는 위치 | 5 |
#
# 던져 볼 질문 두 가지: *왜 0, 1, 2, … 같은 숫자를 그대로 더하지 않고 물결을 더할까요?*
# *계층이 똑같은 두 인코더 가운데 하나에는 위치 정보가 없습니다. 그 인코더가 구별하지 못하는 문장은 어떤 것일까요?*
#
# </details>

# %% name="setup" tags=["setup"]

# %% name="imports" tags=["imports"]
import math

import matplotlib.pyplot as plt
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from tutorial_lib import device, plot, t
from tutorial_lib._sizes import require_sizes, require_tokens
from tutorial_lib.embedding import Embed, LearnedPositionLayer, PositionalEncodingLayer, sinusoid_table
from tutorial_lib.encoder import Encoder
from tutorial_lib.exercises import lesson_03 as check
from tutorial_lib.text import Vocab
from tutorial_lib.trace import trace_shapes

# %% [markdown] lang="en" name="embed"
# ## 1. From an id to a vector
#
# An embedding is a table with a row for every id: to embed an id is to look up its row. **Guess first.** In the first two sentences below, which
# vectors will be the same?

# %% [markdown] lang="ko" name="embed" of="bfe8a530"
# ## 1. 번호에서 벡터로
#
# 임베딩은 번호마다 행이 하나씩 있는 표입니다. 번호를 임베딩한다는 것은 그 행을 찾아온다는 뜻입니다. **먼저 예상해 보세요.** 아래의 처음 두 문장에서 서로 같은 벡터는 무엇일까요?

# %% name="embed-two"
sentences = ["dog bites man", "man bites dog", "dog"]
vocab = Vocab.build(sentences)
src = vocab.batch(sentences)  # src: [bs, sl]

embed = Embed(input_dim=len(vocab), hid_dim=8, pad_id=vocab.pad_id)
x = embed(src)  # x: [bs, sl, hid_dim]
trace_shapes(embed, src, sizes={"bs": 3, "sl": 5, "hid_dim": 8})

# %% name="embed-same"
torch.equal(x[0, 1], x[1, 3]), torch.equal(x[0, 1], x[0, 2])

# %% [markdown] lang="en" name="embed-text"
# "dog" has one vector, wherever it stands: the first pair is equal, the second (dog and bites) is not. So after the embedding the first two sentences
# hold the same vectors in another order. Keep that in mind for the next section.
#
# And the padding of the third? The library makes its row zero: padding is no word and has nothing to say. Does it stay zero when the table is trained?

# %% [markdown] lang="ko" name="embed-text" of="9f486cd7"
# "dog"의 벡터는 어디에 있든 하나입니다. 앞의 쌍은 같고, 뒤의 쌍(dog와 bites)은 다릅니다. 그러니까 임베딩을 지나고 나면 두 문장에는 같은 벡터들이 순서만 다르게 들어 있습니다.
# 다음 절을 위해 기억해 두세요.
#
# 세 번째 문장의 패딩은 어떨까요? 패딩은 단어가 아니어서 할 말이 없으므로, 라이브러리는 그 행을 0으로 만듭니다. 표를 학습시켜도 0으로 남을까요?

# %% name="pad-row"
optimizer = torch.optim.SGD(embed.parameters(), lr=0.1)
embed(src).sum().backward()
optimizer.step()
embed.embedding.weight[vocab.pad_id].detach()

# %% [markdown] lang="en" name="pad-row-text"
# It does, although `<PAD>` stands in the batch: PyTorch's `padding_idx` keeps its gradient at zero. (Positions will be added to it later on, and so it is the mask that keeps padding away from
# the other tokens.)
#
# ## 2. Attention does not know the order
#
# **Guess first.** An encoder without positions reads "dog bites man" and "man bites dog". Will it give "dog" the same vector in both?

# %% [markdown] lang="ko" name="pad-row-text" of="9f58d354"
# `<PAD>`가 배치에 들어 있는데도 그대로 0입니다. PyTorch의 `padding_idx`가 그 기울기를 0으로 지켜 주기 때문입니다. (나중에는 여기에도 위치가 더해집니다. 그래서 패딩을 다른 토큰에게서 떼어 놓는 일은
# 마스크가 합니다.)
#
# ## 2. 어텐션은 순서를 모릅니다
#
# **먼저 예상해 보세요.** 위치 정보가 없는 인코더가 "dog bites man"과 "man bites dog"를 읽습니다. "dog"의 벡터는 두 문장에서 같을까요?


# %% name="no-order"
def difference(positions):
    torch.manual_seed(0)
    sizes = dict(input_dim=len(vocab), hid_dim=8, pf_dim=16, n_heads=2, n_layers=2)
    encoder = Encoder(**sizes, positions=positions).eval()
    with torch.no_grad():
        out, weights = encoder(src[:2], need_weights=True)  # out: [2, sl, hid_dim]
    return (out[0, 1] - out[1, 3]).abs().max(), weights[0][:, 0]  # dog stands at place 1, then at place 3


gap, maps = difference(positions=None)
f"{gap:.4f}"

# %% [markdown] lang="en" name="no-order-text"
# The very same. Here is what head 0 of layer 0 sees in the two sentences:

# %% [markdown] lang="ko" name="no-order-text" of="5e925e3e"
# 똑같습니다. 0번 계층의 0번 헤드가 두 문장을 어떻게 보는지 그려 봅시다.

# %% name="no-order-maps"
for row in (0, 1):
    tokens = vocab.decode(src[row], specials=True)
    title = t(en="no positions, untrained:", ko="위치 없음, 학습 전:")
    plot.attention_heatmap(maps[row], tokens, annotate=True, title=f"{title} {sentences[row]}")
plt.show()

# %% [markdown] lang="en" name="no-order-maps-text"
# The second picture is the first with rows and columns in another order: "bites" gives "dog" the same share in both. Attention sees a *bag* of tokens. Who bit whom
# is lost, and no layer after this one can bring it back.
#
# With positions:

# %% [markdown] lang="ko" name="no-order-maps-text" of="d8732233"
# 둘째 그림은 첫째 그림의 행과 열을 다른 순서로 늘어놓은 것입니다. "bites"가 "dog"에 주는 몫이 두 그림에서 같습니다. 어텐션이 보는 것은 토큰을 순서 없이 담은 *자루*입니다.
# (한국어는 조사가 붙어서 "개가 사람을"과 "사람이 개를"은 토큰부터 다르지만, 어순을 잃는 것은 마찬가지입니다.)
# 누가 누구를 물었는지는 사라졌고, 뒤의 어떤 계층도 되살릴 수 없습니다.
#
# 위치 정보가 있으면 이렇습니다.

# %% name="with-order"
gap, maps = difference(positions="sinusoid")
f"{gap:.3f}"

# %% [markdown] lang="en" name="pattern"
# Now the dog that bites and the dog that is bitten have different vectors.
#
# ## 3. A pattern for every position
#
# What should we add to a token, so that its position can be told? The plain number would do, but it grows: at position 500 it would shout down the token. The paper that introduced the Transformer
# adds waves instead, and this *sinusoid* is what `positions="sinusoid"` means. Each pair of numbers in the vector is a sine and a cosine of one frequency, from fast to slow; `pos` is the position, and i the number of the pair:
#
# $$\mathrm{PE}_{pos,\,2i} = \sin\left(pos / 10000^{2i / hid\_dim}\right), \qquad \mathrm{PE}_{pos,\,2i+1} = \cos\left(pos / 10000^{2i / hid\_dim}\right)$$
#
# It is the idea of a clock: the second hand tells near moments apart, the hour hand far ones. By hand, for the first two pairs at position 3 and a width of 8:

# %% [markdown] lang="ko" name="pattern" of="fc386de5"
# 이제 무는 개와 물리는 개의 벡터가 다릅니다.
#
# ## 3. 위치마다 다른 무늬
#
# 토큰에 무엇을 더해야 위치를 알 수 있을까요? 번호를 그대로 더해도 되겠지만 번호는 점점 커집니다. 500번 위치에서는 토큰의 목소리가 묻혀 버립니다. 그래서 트랜스포머를 처음 소개한 논문은
# 물결을 더합니다. 코드의 `positions="sinusoid"`가 이것입니다. 벡터의 숫자를 둘씩 짝지어, 쌍마다 같은 주파수의 사인과 코사인 값을 넣습니다. 앞쪽 쌍은 빠르게, 뒤쪽 쌍은 느리게 출렁입니다. `pos`는 위치, i는 쌍의 번호입니다.
#
# $$\mathrm{PE}_{pos,\,2i} = \sin\left(pos / 10000^{2i / hid\_dim}\right), \qquad \mathrm{PE}_{pos,\,2i+1} = \cos\left(pos / 10000^{2i / hid\_dim}\right)$$
#
# 시계와 같은 생각입니다. 초침은 가까운 순간을, 시침은 먼 순간을 구별해 줍니다. 너비가 8일 때 3번 위치의 처음 두 쌍을 손으로 계산해 봅시다.

# %% name="by-hand"
pos, width = 3, 8
pair_0 = math.sin(pos / 10000 ** (0 / width)), math.cos(pos / 10000 ** (0 / width))
pair_1 = math.sin(pos / 10000 ** (2 / width)), math.cos(pos / 10000 ** (2 / width))
torch.tensor([*pair_0, *pair_1])

# %% name="waves"
table = sinusoid_table(max_len=60, hid_dim=8)  # table: [60, hid_dim]
waves = {t(en=f"column {i}", ko=f"{i}번 열"): table[:, i].tolist() for i in (0, 2, 4)}
plot.lines(range(60), waves, xlabel=t(en="position", ko="위치"), ylabel=t(en="value", ko="값"))
plt.show()

# %% [markdown] lang="en" name="waves-text"
# Three of the four sines: column 0 repeats about every 6 positions (its corners are the positions, at which we have values), column 2 takes ten times as long, and column 4 has hardly begun.
# The cosines look the same, a quarter of a wave ahead. Now a wider table, all of it at once.

# %% [markdown] lang="ko" name="waves-text" of="6b2c2812"
# 사인 네 개 가운데 셋입니다. 0번 열은 6개 위치쯤마다 되풀이되고(꺾인 점이 값을 구한 위치입니다), 2번 열은 열 배 더 걸리고, 4번 열은 이제 막 출발했습니다.
# 코사인은 같은 모양이 4분의 1 물결만큼 앞서 있습니다. 이번에는 더 넓은 표 전체를 한꺼번에 봅시다.

# %% name="table-picture"
plot.positional_encoding(sinusoid_table(max_len=50, hid_dim=32))
plt.show()

# %% [markdown] lang="en" name="exercise-row-text" tags=["exercise"]
# Each row is a position. On the left the colours change from row to row, on the right they hardly move. Every row has its own pattern, and every number lies between -1 and 1, whatever the position.
#
# ### Your turn · a stretch · about 8 minutes
#
# `position_row(pos, hid_dim)`: the row of one position as a list of `hid_dim` numbers. An odd width is allowed: it ends with a sine.
#
# <details><summary>Hint 1</summary>First write down the angle of column i.</details>
# <details><summary>Hint 2</summary>Odd columns take the cosine of the angle of the column before.</details>

# %% [markdown] lang="ko" name="exercise-row-text" of="bb007d6d" tags=["exercise"]
# 한 행이 위치 하나입니다. 왼쪽은 행마다 색이 바뀌고 오른쪽은 거의 움직이지 않습니다. 똑같은 행은 하나도 없고, 어느 위치에서나 값은 -1과 1 사이입니다.
#
# ### 직접 해 보기 · 도전 · 약 8분
#
# `position_row(pos, hid_dim)`: 위치 하나의 행을 숫자 `hid_dim`개짜리 리스트로 돌려주세요. 너비가 홀수여도 됩니다. 그때는 사인으로 끝납니다.
#
# <details><summary>힌트 1</summary>먼저 i번 열의 각도를 적어 보세요.</details>
# <details><summary>힌트 2</summary>홀수 열은 바로 앞 열 각도의 코사인입니다.</details>


# %% name="exercise-row" tags=["exercise"]
def position_row(pos, hid_dim):
    # your turn
    ...


check.position_row(position_row)


# %% name="solution-row" tags=["solution"]
def position_row(pos, hid_dim):
    row = []
    for i in range(hid_dim):
        angle = pos / 10000 ** ((i - i % 2) / hid_dim)
        row.append(math.cos(angle) if i % 2 else math.sin(angle))
    return row


check.position_row(position_row)

# %% [markdown] lang="en" name="library-table-text"
# The library computes the whole table at once, in double precision, because a small error in an angle grows with the position.

# %% [markdown] lang="ko" name="library-table-text" of="ce046ee5"
# 라이브러리는 표 전체를 한꺼번에 계산합니다. 각도의 작은 오차가 위치와 함께 커지므로 배정밀도를 씁니다.

# %% name="library-table"
# from tutorial_lib.embedding: sinusoid_table

# %% [markdown] lang="en" name="distance"
# ## 4. What a dot product says about distance
#
# Attention compares vectors by their dot product. **Guess first.** Take the vector of position 20, and its dot product with itself and with the 15 positions on each side.
# Where is it largest? And does the curve look different for position 30?

# %% [markdown] lang="ko" name="distance" of="ff88b3a7"
# ## 4. 내적이 알려 주는 거리
#
# 어텐션은 벡터를 내적으로 견줍니다. **먼저 예상해 보세요.** 20번 위치의 벡터를 자기 자신과 앞뒤 15개 위치의 벡터와 내적합니다. 어디에서 가장 클까요? 30번 위치라면 곡선이 다르게 생겼을까요?

# %% name="distance-picture"
table = sinusoid_table(max_len=50, hid_dim=32)  # table: [50, hid_dim]
products = table @ table.T  # products: [50, 50]
from_here = {t(en=f"from position {p}", ko=f"{p}번 위치에서"): products[p, p - 15 : p + 16].tolist() for p in (20, 30)}
plot.lines(range(-15, 16), from_here, xlabel=t(en="distance", ko="거리"), ylabel=t(en="dot product", ko="내적"))
plt.show()

# %% [markdown] lang="en" name="distance-text"
# Largest at distance 0, falling to both sides with a few ripples, and the two curves coincide: the product depends on how far apart two positions are, not on where they
# stand. (That is so for any two: sin a · sin b + cos a · cos b = cos(a - b).) The same step looks alike everywhere in a sentence, and that makes it easy to learn.
#
# ## 5. Add it, along the right axis
#
# `x` is `[bs, sl, hid_dim]` and the rows of the table are `[sl, hid_dim]`. Broadcasting gives every sentence the same rows. The library's layer does this, and checks the length:

# %% [markdown] lang="ko" name="distance-text" of="9fc922d2"
# 거리 0에서 가장 크고 양쪽으로 출렁이며 작아지고, 두 곡선이 포개집니다. 내적은 두 위치가 어디에 있는지가 아니라 얼마나 떨어져 있는지만 따릅니다.
# (어느 두 위치나 그렇습니다. sin a · sin b + cos a · cos b = cos(a - b)이기 때문입니다.) 같은 간격은 문장 어디에서나 비슷해 보여서 배우기 쉽습니다.
#
# ## 5. 올바른 축을 따라 더하기
#
# `x`는 `[bs, sl, hid_dim]`이고 표의 행들은 `[sl, hid_dim]`입니다. 브로드캐스팅 덕분에 모든 문장이 같은 행들을 받습니다. 라이브러리의 계층이 이 일을 하고, 길이도 확인합니다.

# %% name="library-layer"
# from tutorial_lib.embedding: PositionalEncodingLayer, _first_rows

# %% name="layer-run"
pe = PositionalEncodingLayer(hid_dim=8, max_len=12)
with_positions = pe(embed(src))  # with_positions: [bs, sl, hid_dim]
sum(p.numel() for p in pe.parameters()), with_positions.shape

# %% [markdown] lang="en" name="too-long-text"
# No parameter: there is nothing to learn. The table ends at `max_len`, and a longer text raises an error that names its length and `max_len`:

# %% [markdown] lang="ko" name="too-long-text" of="e995e538"
# 파라미터가 없습니다. 배울 것이 없다는 뜻입니다. 표는 `max_len`에서 끝나고, 더 긴 텍스트가 들어오면 오류 메시지가 문장의 길이와 `max_len`을 함께 알려 줍니다.

# %% name="too-long"
try:
    pe(torch.zeros(1, 13, 8))
except ValueError as error:
    print(error)

# %% [markdown] lang="en" name="wrong-axis-text"
# ### Break it: positions along the sentences
#
# A lot of code online was written for tensors with the sequence first, `[sl, bs, hid_dim]`. Below, the line from such code is applied to our tensor.
# Each picture shows the position that every token of three sentences got, first with our line, then with theirs.

# %% [markdown] lang="ko" name="wrong-axis-text" of="85a47c88"
# ### 일부러 망가뜨리기: 문장을 따라 더한 위치
#
# 인터넷에는 시퀀스 축이 앞에 있는 텐서 `[sl, bs, hid_dim]`용으로 쓴 코드가 많습니다. 그런 코드의 더하는 줄을 우리 텐서에 그대로 써 봅시다.
# 그림은 세 문장의 토큰마다 몇 번 위치를 받았는지를 보여 줍니다. 먼저 우리 줄, 다음이 그 줄입니다.

# %% name="wrong-axis"
numbers = torch.arange(10)[:, None]  # numbers: [10, 1]
empty = torch.zeros(3, 5, 1, dtype=torch.long)  # empty: [bs, sl, 1]
right = empty + numbers[: empty.size(1)]  # right: [bs, sl, 1]
wrong = empty + numbers[: empty.size(0), None]  # wrong: [bs, sl, 1]

titles = [t(en="positions, our line", ko="위치, 우리 줄"), t(en="positions, their line", ko="위치, 그 줄")]
for got, title in zip((right, wrong), titles):
    cells = [[str(p) for p in row] for row in got[..., 0].tolist()]
    plot.batch_grid(got[..., 0], cells, pad_id=-1, ids=False).set_title(title)
plt.show()

# %% [markdown] lang="en" name="exercise-add-text" tags=["exercise"]
# Above: every sentence counts 0 to 4. Below: every token of a sentence has the same position, and the position counts sentences. The shapes agree, and there is no error.
#
# ### Your turn · easy · about 5 minutes
#
# `add_positions(x, table)`: add to each token of `x`, `[bs, sl, hid_dim]`, the row of its place; `table` is `[max_len, hid_dim]`.
#
# <details><summary>Hint 1</summary>Which rows of the table does a sentence of sl places need?</details>
# <details><summary>Hint 2</summary>[sl, hid_dim] broadcasts over [bs, sl, hid_dim].</details>

# %% [markdown] lang="ko" name="exercise-add-text" of="1f396ce0" tags=["exercise"]
# 위는 문장마다 0부터 4까지 셉니다. 아래는 한 문장의 모든 토큰이 같은 위치를 받았고, 위치가 문장을 세고 있습니다. 모양은 맞고 아무 오류도 나지 않습니다.
#
# ### 직접 해 보기 · 쉬움 · 약 5분
#
# `add_positions(x, table)`: `[bs, sl, hid_dim]`인 `x`의 토큰마다 그 자리의 행을 더하세요. `table`은 `[max_len, hid_dim]`입니다.
#
# <details><summary>힌트 1</summary>자리가 sl개인 문장에는 표의 어느 행들이 필요할까요?</details>
# <details><summary>힌트 2</summary>[sl, hid_dim]은 [bs, sl, hid_dim]에 브로드캐스팅됩니다.</details>


# %% name="exercise-add" tags=["exercise"]
def add_positions(x, table):
    # your turn
    ...


check.add_positions(add_positions)


# %% name="solution-add" tags=["solution"]
def add_positions(x, table):
    return x + table[: x.size(1)]  # [bs, sl, hid_dim]


check.add_positions(add_positions)

# %% [markdown] lang="en" name="loud"
# ## 6. How loud should a position be?
#
# The paper multiplies embeddings by √hid_dim before it adds the positions. Whether that is wise depends on how large they were before. PyTorch's `nn.Embedding` draws numbers of
# size 1; for a width of 128, times √128, they are about 11, beside positions of at most 1. The library's `Embed` multiplies too, but draws them small, so that they come out at size 1.
#
# What does a bad fit cost? Here is a task in which only order counts: eight tokens, one of them A (id 4) and one B (id 5). **Does A come before B?** Three encoders try: one without positions, one with
# tokens as loud as `nn.Embedding` makes them, one with sizes that fit. **Guess first**: which can learn it in two passes over the data?

# %% [markdown] lang="ko" name="loud" of="95cad303"
# ## 6. 위치의 목소리는 얼마나 커야 할까?
#
# 논문은 위치를 더하기 전에 임베딩에 √hid_dim을 곱합니다. 그것이 좋은지는 임베딩이 처음에 얼마나 큰지에 달려 있습니다. PyTorch의 `nn.Embedding`은 크기가 1쯤인 숫자로 시작합니다.
# 너비가 128이면 √128을 곱해 11쯤 되는데, 위치는 1을 넘지 않습니다. 라이브러리의 `Embed`도 곱하지만, 작게 시작해서 곱한 다음에 1쯤이 되게 합니다.
#
# 크기가 어울리지 않으면 어떻게 될까요? 순서만 중요한 과제로 확인해 봅시다. 토큰 여덟 개 가운데 하나는 A(4번), 하나는 B(5번)입니다. **A가 B보다 앞에 있을까요?** 인코더 세 개가 풀어 봅니다. 하나는 위치 정보가 없고,
# 하나는 토큰이 `nn.Embedding`처럼 크고, 하나는 크기가 어울립니다. **먼저 예상해 보세요.** 데이터를 두 번 훑어서 배울 수 있는 것은 어느 것일까요?


# %% name="order-task"
def order_task(n):
    src = torch.randint(6, 20, (n, 8))  # src: [n, 8]
    places = torch.rand(n, 8).argsort(dim=1)[:, :2]  # places: [n, 2]
    src = src.scatter(1, places, torch.tensor([[4, 5]]).expand(n, 2))  # src: [n, 8]
    label = (places[:, 0] < places[:, 1]).long()  # label: [n]
    return src.to(device()), label.to(device())


train_src, train_label = order_task(2048)
test_src, test_label = order_task(1000)
train_src[0], train_label[0]


# %% name="train-order"
def train(encoder, epochs):
    head = nn.Linear(128, 2).to(device())
    optimizer = torch.optim.Adam([*encoder.parameters(), *head.parameters()], lr=2e-3)
    for epoch in range(epochs):
        for batch in torch.randperm(2048).split(32):
            optimizer.zero_grad()
            scores = head(encoder(train_src[batch]).mean(dim=1))  # scores: [32, 2]
            F.cross_entropy(scores, train_label[batch]).backward()
            optimizer.step()
    with torch.no_grad():
        guesses = head(encoder(test_src).mean(dim=1)).argmax(dim=1)  # guesses: [1000]
    return (guesses == test_label).float().mean().item()


# %% name="compare-order"
def build(positions):
    torch.manual_seed(0)
    sizes = dict(input_dim=20, hid_dim=128, pf_dim=256, n_heads=4, n_layers=1, dropout=0.0)
    return Encoder(**sizes, positions=positions).to(device())


loud = build("sinusoid")
nn.init.normal_(loud.embed.embedding.weight)  # as nn.Embedding does: size 1, and then times √128

results = [train(build(None), epochs=2), train(loud, epochs=2), train(build("sinusoid"), epochs=2)]
names = [
    t(en="no positions", ko="위치 없음"),
    t(en="loud tokens", ko="큰 토큰"),
    t(en="fitting sizes", ko="어울리는 크기"),
]
plot.bars(
    {t(en="share correct", ko="맞힌 비율"): results},
    names,
    xlabel=t(en="encoder", ko="인코더"),
    ylabel=t(en="share correct", ko="맞힌 비율"),
)
plt.show()

# %% [markdown] lang="en" name="loud-text"
# Tossing a coin gets half right. Without positions the task cannot be learned at all. With loud tokens it is not learned in this time, although nothing but their size is different: the positions are there, and are hardly heard.
# Where the sizes fit, two passes are enough.
#
# ## 7. Positions that are learned
#
# Post A has `position_embedding`, a parameter of its own: a table like ours, but drawn at random and trained with the rest. BERT does the same. It has the same interface:

# %% [markdown] lang="ko" name="loud-text" of="aae6c40c"
# 절반은 동전을 던져도 맞힙니다. 위치 정보가 없으면 아예 배울 수 없습니다. 토큰이 크면, 크기 말고는 다른 것이 없는데도 데이터를 두 번 훑는 동안에는 배우지 못합니다. 위치가 있어도 거의 들리지 않기 때문입니다.
# 크기가 어울리면 두 번으로 충분합니다.
#
# ## 7. 학습하는 위치
#
# 글 A에는 `position_embedding`이라는 파라미터가 있습니다. 모양은 우리 표와 같지만 난수로 시작해서 나머지와 함께 학습시킵니다. BERT도 그렇게 합니다. 쓰는 방법은 같습니다.

# %% name="learned"
learned = LearnedPositionLayer(hid_dim=128, max_len=8)
sum(p.numel() for p in learned.parameters()), learned(torch.zeros(2, 8, 128)).shape

# %% name="learned-order"
few, more = train(build("learned"), epochs=2), train(build("learned"), epochs=6)
ways = [
    t(en="sinusoid, 2 passes", ko="사인, 2회"),
    t(en="learned, 2 passes", ko="학습, 2회"),
    t(en="learned, 6 passes", ko="학습, 6회"),
]
plot.bars(
    {t(en="share correct", ko="맞힌 비율"): [results[2], few, more]},
    ways,
    xlabel=t(en="positions", ko="위치"),
    ylabel=t(en="share correct", ko="맞힌 비율"),
)
plt.show()

# %% [markdown] lang="en" name="summary"
# Learned positions get there as well, but they have to be learned first. And beyond the end of their table there is nothing, whereas waves can be computed for any position. (Why post A adds them again inside every layer, and what that
# does, is a story for lesson 08.)
#
# ## What you have now
#
# - `Embed` looks up a row for each id: `[bs, sl]` → `[bs, sl, hid_dim]`. The row of `<PAD>` stays zero.
# - Attention alone sees a bag of tokens. Positions are added once, before the first layer.
# - The sinusoid has no parameter, values from -1 to 1, and dot products that depend on distance alone.
# - Tokens must not be much louder than positions, or order is learned late or not at all.
#
# Next: [04 · Encoder and EncoderLayer](04_encoder.ipynb), the six layers themselves.
#
# **Further reading**: [Attention Is All You Need](https://arxiv.org/abs/1706.03762), sections 3.4 and 3.5

# %% [markdown] lang="ko" name="summary" of="99f2eece"
# 학습하는 위치도 결국 해내지만 먼저 배워야 합니다. 그리고 표가 끝나면 아무것도 없습니다. 물결은 어느 위치에서나 계산할 수 있습니다. (글 A가 왜 계층마다 위치를 다시 더하는지, 그러면 어떻게 되는지는 08강에서 봅니다.)
#
# ## 정리
#
# - `Embed`는 번호마다 행을 찾아옵니다. `[bs, sl]` → `[bs, sl, hid_dim]`. `<PAD>`의 행은 0으로 남습니다.
# - 어텐션은 토큰을 순서 없이 담은 자루로 볼 뿐입니다. 위치는 첫 계층 앞에서 한 번 더합니다.
# - 사인과 코사인으로 된 위치 인코딩에는 파라미터가 없고, 값은 -1에서 1까지이며, 내적은 거리만 따릅니다.
# - 토큰이 위치보다 훨씬 크면 안 됩니다. 순서를 늦게 배우거나 아예 배우지 못합니다.
#
# 다음: [04 · Encoder와 EncoderLayer](04_encoder.ipynb). 인코더의 여섯 계층 자체를 봅니다.
#
# **더 읽을거리**: [Attention Is All You Need](https://arxiv.org/abs/1706.03762) 3.4절과 3.5절
