# ---
# jupyter:
#   jupytext:
#     formats: py:percent
#     cell_metadata_filter: lang,of,name,tags,-all
# ---

# %% [markdown] lang="en" name="title"
# # 04 · Encoder and EncoderLayer
#
# Ids have become vectors that know their place. Now they pass through six layers. This is the lesson of post B: two classes, `Encoder` and `EncoderLayer`,
# and the shape at every line. You will see the whole flow, run every line of it, and meet the traps on the way.
#
# **You will be able to**
#
# - follow `src` through an `EncoderLayer`, and say what `_src` is and why it is added;
# - write the loop of the `Encoder`, and say why layers in a plain list do not learn;
# - compare this encoder with PyTorch's own, number by number.
#
# **Read first**: [03 · Embedding and positions](03_embedding_and_positions.ipynb).
#
# **Time**: 75 minutes.
#
# <details><summary>For the classroom</summary>
#
# | Section | Minutes |
# |---|---|
# | 1 The flow | 6 |
# | 2 Inside one layer | 27 |
# | 3 Six layers and a loop | 14 |
# | 4 Traps on the way | 12 |
# | 5 Six layers in pictures | 9 |
# | 6 The same as PyTorch's | 7 |
#
# Two questions to ask: *If both boxes of a layer returned zeros, what would happen to a token on its way through?*
# *Six layers in a plain list run without an error. How would you find out that they never learn?*
#
# </details>

# %% [markdown] lang="ko" name="title" of="0a7d6099"
# # 04 · Encoder와 EncoderLayer
#
# 번호가 자기 위치를 아는 벡터가 되었습니다. 이제 여섯 계층을 지날 차례입니다. 이번 강의는 글 B의 두 클래스 `Encoder`와 `EncoderLayer`를 줄마다 모양을 확인하며
# 따라갑니다. 전체 흐름을 보고, 모든 줄을 돌려 보고, 길에 놓인 함정도 만나 봅니다.
#
# **이 강의를 마치면**
#
# - `EncoderLayer` 안에서 `src`를 따라가고, `_src`가 무엇이며 왜 더하는지 말할 수 있습니다.
# - `Encoder`의 반복문을 쓰고, 일반 리스트에 담은 계층은 왜 배우지 못하는지 설명할 수 있습니다.
# - 이 인코더를 PyTorch의 인코더와 숫자 하나하나 비교할 수 있습니다.
#
# **먼저 볼 것**: [03 · 임베딩과 위치 인코딩](03_embedding_and_positions.ipynb).
#
# **시간**: 75분.
#
# <details><summary>수업용 안내</summary>
#
# | 절 | 분 |
# |---|---|
# | 1 흐름 | 6 |
# | 2 계층 하나 들여다보기 | 27 |
# | 3 여섯 계층과 반복문 | 14 |
# | 4 길에 놓인 함정 | 12 |
# | 5 그림으로 보는 여섯 계층 | 9 |
# | 6 PyTorch와 같은 값 | 7 |
#
# 던져 볼 질문 두 가지: *계층 안의 두 상자가 모두 0을 돌려준다면 토큰은 계층을 지나면서 어떻게 될까요?*
# *일반 리스트에 담은 여섯 계층도 오류 없이 돌아갑니다. 전혀 배우지 않는다는 것을 어떻게 알아낼 수 있을까요?*
#
# </details>

# %% name="setup" tags=["setup"]

# %% name="imports" tags=["imports"]
import matplotlib.pyplot as plt
import torch
from torch import Tensor, nn

from tutorial_lib import data, device, plot, t
from tutorial_lib._sizes import require_sizes, require_tokens
from tutorial_lib.attention import MultiHeadAttention
from tutorial_lib.embedding import Embed, LearnedPositionLayer, PositionalEncodingLayer
from tutorial_lib.encoder import POSITIONS, Encoder, EncoderLayer
from tutorial_lib.exercises import lesson_04 as check
from tutorial_lib.feedforward import PositionwiseFeedForwardLayer
from tutorial_lib.masks import padding_mask, to_key_padding_mask
from tutorial_lib.text import Vocab
from tutorial_lib.trace import annotate_shapes, attention_weights, trace_shapes

# %% [markdown] lang="en" name="flow"
# ## 1. The flow
#
# As post B tells it: the text becomes numbers and enters the encoder, where it gets vectors and positions. From there it passes six layers, and the shape stays `[bs, sl, hid_dim]`.
# The batch holds *it rained, so I bought an umbrella*, *the cat sleeps by the window* and *(it) sleeps*. **Guess first.** Into which parts of the encoder does the mask go?

# %% [markdown] lang="ko" name="flow" of="97157e45"
# ## 1. 흐름
#
# 글 B의 설명을 따르면, 텍스트가 숫자가 되어 인코더에 들어와서 벡터와 위치 정보를 얻습니다. 그다음 여섯 계층을 지나는 동안 모양은 `[bs, sl, hid_dim]`으로 유지됩니다.
# 이 배치로 따라가 봅시다. **먼저 예상해 보세요.** 마스크는 인코더의 어느 부품에 들어갈까요?

# %% name="flow-run"
sentences = ["비가 와서 우산을 샀다.", "고양이가 창가에서 잔다.", "잔다."]
vocab = Vocab.build(data.sentences("ko"))
src = vocab.batch(sentences).to(device())  # src: [bs, sl]
src_mask = padding_mask(src, pad_id=vocab.pad_id)  # src_mask: [bs, 1, 1, sl]
src.shape, src_mask.shape

# %% name="flow-trace"
encoder = Encoder(input_dim=len(vocab), hid_dim=8, pf_dim=16, n_heads=2, n_layers=6).to(device()).eval()
sizes = {"bs": 3, "sl": src.size(1), "hid_dim": 8, "pf_dim": 16, "n_heads": 2}
trace_shapes(encoder, src, src_mask, sizes=sizes).depth(1)

# %% [markdown] lang="en" name="layer"
# Into the six layers: embedding and positions treat each token alone, and only attention, inside a layer, lets tokens look at each other.
#
# ## 2. Inside one layer
#
# A layer has two boxes. **Self-attention** mixes the tokens of a sentence (lesson 05 opens it). The **feed-forward** network works on each token alone (lesson 07).
# Around each box stands the same frame: dropout (which in training sets some numbers to zero, so that none is relied on too much), a *residual connection*, LayerNorm.

# %% [markdown] lang="ko" name="layer" of="ce48d336"
# 여섯 계층에 들어갑니다. 임베딩과 위치 인코딩은 토큰을 하나씩 따로 다루고, 토큰끼리 서로 보는 것은 계층 안의 어텐션뿐이기 때문입니다.
#
# ## 2. 계층 하나 들여다보기
#
# 계층에는 상자가 두 개 있습니다. **셀프 어텐션**은 문장의 토큰들을 섞고(05강에서 엽니다), **피드포워드**는 토큰을 하나씩 따로 다룹니다(07강에서 엽니다).
# 두 상자는 똑같은 틀에 둘러싸여 있습니다. 드롭아웃(학습할 때 숫자 몇 개를 0으로 만들어 어느 하나에 너무 기대지 않게 합니다), *잔차 연결*, LayerNorm입니다.

# %% name="layer-picture"
boxes = {
    "in": (0, 5.6, "src: [bs, sl, hid_dim]", "data", 3.4, 0.62),
    "attn": (0, 4.4, "self_attn(src, src, src, src_mask)", "part", 4.4, 0.62),
    "norm1": (0, 3.2, "attn_layer_norm(src + dropout(_src))", "frame", 4.4, 0.62),
    "ff": (0, 2.0, "ff(src)", "part", 4.4, 0.62),
    "norm2": (0, 0.8, "ff_layer_norm(src + dropout(_src))", "frame", 4.4, 0.62),
    "out": (0, -0.4, "src: [bs, sl, hid_dim]", "data", 3.4, 0.62),
}
arrows = [("in", "attn"), ("attn", "norm1", "_src"), ("norm1", "ff", "src"), ("ff", "norm2", "_src"), ("norm2", "out")]
arrows += [("in", "norm1", "src", "left"), ("norm1", "norm2", "src", "right")]
plot.diagram(boxes, arrows)
plt.show()

# %% [markdown] lang="en" name="layer-text"
# `_src` is what a box says about `src`. It does not replace `src`, it is **added** to it: that is the residual connection, drawn at the sides. If a box has nothing to say and returns zeros, the sum is still
# the token. LayerNorm then gives every token mean 0 and variance 1 (and a scale and a shift that are learned, at first 1 and 0), so that the numbers do not grow from layer to layer.
#
# Attention wants a query, a key and a value, and gets `src` three times, because the sentence looks at *itself*: every token asks (query), every token can be asked (key) and has something to give (value).
#
# **Guess first.** Post B's author wrote the shape beside every line by hand. How many different shapes will there be?

# %% [markdown] lang="ko" name="layer-text" of="b352f244"
# `_src`는 상자가 `src`를 받아 내놓은 결과입니다. `src`를 갈아 치우지 않고 거기에 **더합니다**. 이것이 양옆에 그린 잔차 연결입니다. 상자가 0을 돌려주어도 합은 원래 토큰입니다.
# LayerNorm은 토큰마다 평균을 0, 분산을 1로 맞추어(여기에 학습되는 배율과 이동이 붙는데 처음에는 1과 0입니다) 계층을 지날수록 숫자가 커지지 않게 합니다.
#
# 어텐션에는 쿼리, 키, 값이 필요한데 셋 다 `src`입니다. 문장이 *자기 자신*을 보기 때문입니다. 모든 토큰이 묻고(쿼리), 모든 토큰이 물음을 받고(키), 무언가를 내줍니다(값).
#
# **먼저 예상해 보세요.** 글 B의 필자는 줄마다 모양을 손으로 적었습니다. 서로 다른 모양은 몇 가지일까요?

# %% [markdown] lang="en" name="annotated"
# We let the code write them: this is the library's `forward`, and to the right of a line stand the shapes of what it assigned, as they really were in a run. (`entry` is what goes into a box.
# With `norm_first=False`, as in the post and the paper, it is `src` itself; lesson 07 compares the other order.)

# %% [markdown] lang="ko" name="annotated" of="3344e178"
# 우리는 코드에 맡깁니다. 아래는 라이브러리의 `forward`이고, 줄 오른쪽의 모양은 그 줄이 만든 텐서가 실제로 돌렸을 때 지녔던 모양입니다. (`entry`는 상자에 들어가는 것입니다.
# 글 B와 논문처럼 `norm_first=False`이면 `src` 자신입니다. 다른 순서는 07강에서 비교합니다.)

# %% name="annotated-run"
layer = encoder.layers[0]
x = encoder.pe(encoder.embed(src))  # x: [bs, sl, hid_dim]
annotate_shapes(layer, x, src_mask).named(**sizes)

# %% [markdown] lang="en" name="annotated-text"
# One: apart from the mask, every tensor is `[bs, sl, hid_dim]`.
# And what does LayerNorm do to the numbers? Mean and spread of the first token, before and after:

# %% [markdown] lang="ko" name="annotated-text" of="501f550e"
# 한 가지입니다. 마스크를 빼면 모든 텐서가 `[bs, sl, hid_dim]`입니다.
# LayerNorm은 숫자에 무슨 일을 할까요? 첫 토큰의 평균과 표준 편차를 앞뒤에서 재 봅시다.

# %% name="norm-numbers"
with torch.no_grad():
    _src, _ = layer.self_attn(x, x, x, src_mask)  # _src: [bs, sl, hid_dim]
    added = x + _src  # added: [bs, sl, hid_dim]
    normed = layer.attn_layer_norm(added)  # normed: [bs, sl, hid_dim]

# %% name="norm-spread"
for name, value in (("src + _src", added), ("normed", normed)):
    first = value[0, 0]  # first: [hid_dim]
    print(f"{name:10}", f"|mean| {first.mean().abs():.2f}", f"std {first.std(correction=0):.2f}")

# %% [markdown] lang="en" name="exercise-add-text" tags=["exercise"]
# ### Your turn · easy · about 4 minutes
#
# `add_and_norm(src, _src, norm)`: the frame around a box, without dropout. `norm` is a function.
#
# <details><summary>Hint 1</summary>Two steps, and their order matters.</details>
# <details><summary>Hint 2</summary>First the sum, then <code>norm(...)</code>.</details>

# %% [markdown] lang="ko" name="exercise-add-text" of="e2673b58" tags=["exercise"]
# ### 직접 해 보기 · 쉬움 · 약 4분
#
# `add_and_norm(src, _src, norm)`: 상자를 둘러싼 틀을 드롭아웃 없이 써 보세요. `norm`은 함수입니다.
#
# <details><summary>힌트 1</summary>두 단계이고, 순서가 중요합니다.</details>
# <details><summary>힌트 2</summary>먼저 더하고, 그다음에 <code>norm(...)</code>입니다.</details>


# %% name="exercise-add" tags=["exercise"]
def add_and_norm(src, _src, norm):
    # your turn
    ...


check.add_and_norm(add_and_norm)


# %% name="solution-add" tags=["solution"]
def add_and_norm(src, _src, norm):
    return norm(src + _src)


check.add_and_norm(add_and_norm)

# %% [markdown] lang="en" name="exercise-layer-text" tags=["exercise"]
# ### Your turn · a stretch · about 10 minutes
#
# Now the whole `forward` in post B's order (`norm_first=False`), without dropout: `layer_forward(src, src_mask, attn, ff, norm1, norm2)`, where `norm1` belongs to attention and `norm2` to the feed-forward network. As in the library, `attn(query, key, value, mask)` returns a pair: the output and the weights.
#
# <details><summary>Hint 1</summary>Twice the frame of <code>add_and_norm</code>, around two boxes.</details>
# <details><summary>Hint 2</summary><code>attn(src, src, src, src_mask)[0]</code> is the output of attention.</details>

# %% [markdown] lang="ko" name="exercise-layer-text" of="38af3f14" tags=["exercise"]
# ### 직접 해 보기 · 도전 · 약 10분
#
# 이번에는 드롭아웃만 빼고 `forward` 전체를 글 B의 순서(`norm_first=False`)로 써 보세요. `layer_forward(src, src_mask, attn, ff, norm1, norm2)`에서 `norm1`은 어텐션 쪽, `norm2`는 피드포워드 쪽의 norm입니다. 라이브러리에서처럼 `attn(query, key, value, mask)`는 출력과 가중치, 두 개를 돌려줍니다.
#
# <details><summary>힌트 1</summary><code>add_and_norm</code>의 틀을 두 상자에 한 번씩 씌웁니다.</details>
# <details><summary>힌트 2</summary><code>attn(src, src, src, src_mask)[0]</code>이 어텐션의 출력입니다.</details>


# %% name="exercise-layer" tags=["exercise"]
def layer_forward(src, src_mask, attn, ff, norm1, norm2):
    # your turn
    ...


check.layer_forward(layer_forward)


# %% name="solution-layer" tags=["solution"]
def layer_forward(src, src_mask, attn, ff, norm1, norm2):
    _src, _ = attn(src, src, src, src_mask)  # _src: [bs, sl, hid_dim]
    src = norm1(src + _src)
    return norm2(src + ff(src))  # [bs, sl, hid_dim]


check.layer_forward(layer_forward)

# %% [markdown] lang="en" name="library-layer-text"
# The whole class, word for word from the library, with the attribute names of post B. You have just written its `forward`; new is what it is built from:

# %% [markdown] lang="ko" name="library-layer-text" of="87d3fb9b"
# 라이브러리의 클래스 전체를 그대로 옮깁니다. 속성 이름은 글 B를 따랐습니다. `forward`는 방금 직접 써 보았으니 무엇으로 만들어졌는지를 보세요.

# %% name="library-layer"
# from tutorial_lib.encoder: EncoderLayer

# %% [markdown] lang="en" name="loop"
# ## 3. Six layers and a loop
#
# `src` goes into a layer, and what comes out is called `src` again, and goes into the next. Behind embedding and positions, that is all an encoder does. **Guess first.** The six layers are kept in an `nn.ModuleList`.
# Would a plain Python list do?

# %% [markdown] lang="ko" name="loop" of="825d970e"
# ## 3. 여섯 계층과 반복문
#
# `src`가 계층에 들어가고, 나온 것을 다시 `src`라고 부르고, 그것이 다음 계층에 들어갑니다. 임베딩과 위치 인코딩을 지난 뒤로 인코더가 하는 일은 이것이 전부입니다. **먼저 예상해 보세요.** 여섯 계층은 `nn.ModuleList`에 담습니다.
# 일반 파이썬 리스트여도 될까요?


# %% name="module-list"
class Stack(nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.layers = layers


def n_tensors(layers):
    return len(list(Stack(layers).parameters()))


kinds = {
    "ModuleList": n_tensors(nn.ModuleList([nn.Linear(8, 8) for _ in range(6)])),
    "list": n_tensors([nn.Linear(8, 8) for _ in range(6)]),
    "ModuleList([layer] * 6)": n_tensors(nn.ModuleList([nn.Linear(8, 8)] * 6)),
}
plot.bars(
    {"": list(kinds.values())},
    list(kinds),
    xlabel="self.layers",
    ylabel=t(en="parameter tensors found", ko="찾아낸 파라미터 텐서"),
)
plt.show()

# %% [markdown] lang="en" name="module-list-text"
# Six linear layers have twelve parameter tensors, a weight and a bias each. PyTorch finds all of them in a `ModuleList`. In a plain list it finds **none**, because `nn.Module`
# registers only attributes that are modules or parameters themselves, and a list is neither: the model runs and the loss is computed, but these layers stay as they were drawn. (Had the model nothing else to learn, the optimizer would
# complain of an empty list; an encoder has its embedding, so all is quiet.) And `[layer] * 6` is six times the *same* layer: two tensors, used six times.

# %% [markdown] lang="ko" name="module-list-text" of="35336585"
# 선형 계층 여섯 개에는 파라미터 텐서가 열두 개 있습니다. 계층마다 가중치와 편향이 하나씩입니다. PyTorch는 `ModuleList` 안에 있는 것을 모두 찾아냅니다. 일반 리스트에서는 **하나도** 찾지 못합니다.
# `nn.Module`은 속성이 모듈이나 파라미터일 때만 등록하는데 리스트는 둘 다 아니기 때문입니다. 모델은 돌아가고 손실도 계산되지만 이 계층들은 처음 난수 그대로입니다. (배울 것이 하나도 없는 모델이라면 옵티마이저가
# 빈 목록이라고 불평하겠지만, 인코더에는 임베딩이 있으니 조용합니다.) `[layer] * 6`은 *같은* 계층이 여섯 번이라, 텐서 두 개를 여섯 번 쓰는 것입니다.

# %% [markdown] lang="en" name="exercise-loop-text" tags=["exercise"]
# ### Your turn · medium · about 6 minutes
#
# `run_layers(layers, src, src_mask)`: send `src` through all layers and return what comes out at the end.
#
# <details><summary>Hint 1</summary>src goes in, and what comes out is src again.</details>
# <details><summary>Hint 2</summary><code>src = layer(src, src_mask)</code>, inside a for.</details>

# %% [markdown] lang="ko" name="exercise-loop-text" of="24f43072" tags=["exercise"]
# ### 직접 해 보기 · 보통 · 약 6분
#
# `run_layers(layers, src, src_mask)`: `src`를 모든 계층에 차례로 통과시키고, 마지막에 나온 것을 돌려주세요.
#
# <details><summary>힌트 1</summary>src가 들어가고, 나온 것이 다시 src입니다.</details>
# <details><summary>힌트 2</summary>for 안에서 <code>src = layer(src, src_mask)</code>입니다.</details>


# %% name="exercise-loop" tags=["exercise"]
def run_layers(layers, src, src_mask):
    # your turn
    ...


check.run_layers(run_layers)


# %% name="solution-loop" tags=["solution"]
def run_layers(layers, src, src_mask):
    for layer in layers:
        src = layer(src, src_mask)
    return src


check.run_layers(run_layers)

# %% [markdown] lang="en" name="library-encoder-text"
# The library's `Encoder` has the same loop. Look for it at the end of `forward`; what stands before it checks the input, embeds it and adds positions.

# %% [markdown] lang="ko" name="library-encoder-text" of="2cfcef2d"
# 라이브러리의 `Encoder`에도 같은 반복문이 있습니다. `forward`의 끝에서 찾아보세요. 그 앞은 입력을 확인하고, 임베딩하고, 위치를 더하는 줄들입니다.

# %% name="library-encoder"
# from tutorial_lib.encoder: Encoder

# %% [markdown] lang="en" name="traps"
# ## 4. Traps on the way
#
# The code of post B teaches the flow well, and it has three traps that are easy to miss when reading. A fourth lies between two sources. **Guess first.** Post B writes
# `input_dim = len(korbow.keys())` as a default argument. When is that length taken?

# %% [markdown] lang="ko" name="traps" of="9a089df3"
# ## 4. 길에 놓인 함정
#
# 글 B의 코드는 흐름을 잘 가르쳐 주지만, 읽을 때 놓치기 쉬운 함정이 세 개 있습니다. 다른 코드와 섞어 쓸 때의 함정까지 모두 네 개를 봅니다. **먼저 예상해 보세요.** 글 B는 `input_dim = len(korbow.keys())`를 기본 인자로 씁니다.
# 이 길이는 언제 정해질까요?

# %% name="trap-default"
korbow = {"<PAD>": 0}


def build_embedding(input_dim=len(korbow)):
    return nn.Embedding(input_dim, 8)


# %% name="trap-default-run"
korbow |= {"나는": 1, "학교에": 2}
build_embedding().num_embeddings, len(korbow)

# %% [markdown] lang="en" name="trap-default-text"
# Once, where the function is *defined*. The vocabulary has grown since, and the table has not. So in `tutorial_lib` the sizes of a model have no defaults (only `max_len`, a limit, has one).
#
# The second trap: post B's encoder takes a `hid_dim`, but builds `PositionalEncodingLayer()` without it, so that this box keeps a default of its own. As long as both are 8, nobody notices;
# with any other width they do not fit. Ours has no default, so we give it the 8 by hand, and see what it says:

# %% [markdown] lang="ko" name="trap-default-text" of="3189ad9e"
# 함수를 *정의할* 때 한 번 정해집니다. 그 뒤로 어휘집은 커졌지만 표는 그대로입니다. 그래서 `tutorial_lib`에서는 모델의 크기에 기본값을 두지 않습니다(한도인 `max_len`에만 있습니다).
#
# 둘째 함정입니다. 글 B의 인코더는 `hid_dim`을 받지만 `PositionalEncodingLayer()`를 만들 때 넘기지 않습니다. 그래서 이 상자는 자기 기본값을 그대로 씁니다. 둘 다 8이면 아무도 모르지만,
# 다른 너비에서는 서로 맞지 않습니다. 우리 계층에는 기본값이 없으니 8을 직접 넣어 흉내 내 봅시다.

# %% name="trap-width"
forgotten = PositionalEncodingLayer(hid_dim=8)
try:
    forgotten(torch.zeros(3, 5, 12))
except ValueError as error:
    print(error)

# %% [markdown] lang="en" name="trap-dropout-text"
# That one is loud, at least. The third is silent: post B builds `self.dropout` in its `Encoder` and never calls it. In training, dropout should make two runs differ. Do they?

# %% [markdown] lang="ko" name="trap-dropout-text" of="c8907f2e"
# 그래도 이것은 오류가 납니다. 셋째는 조용합니다. 글 B는 `Encoder`에서 `self.dropout`을 만들어 놓고 한 번도 부르지 않습니다. 학습 중에는 드롭아웃 때문에 두 번 돌린 결과가 달라야 합니다. 정말 그럴까요?


# %% name="trap-dropout"
class Forgets(nn.Module):
    def __init__(self, hid_dim, dropout):
        super().__init__()
        self.embed = nn.Linear(hid_dim, hid_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        return self.embed(x)  # the dropout is built, and that is all


# %% name="trap-dropout-run"
forgets = Forgets(hid_dim=8, dropout=0.5).train()
x = torch.randn(3, 5, 8)
torch.equal(forgets(x), forgets(x))

# %% name="trap-dropout-trace"
trace_shapes(forgets, x)

# %% [markdown] lang="en" name="trap-order-text"
# True: the two runs do not differ. And the trace shows why: `dropout` is not in it, so it never ran.
#
# A last trap lies between two sources. Post B's layer takes `(hid_dim, pf_dim, n_heads)`, others take `(hid_dim, n_heads, pf_dim)`. Whoever moves a call from one to the other gets a layer that is built without complaint:

# %% [markdown] lang="ko" name="trap-order-text" of="b6cfb2c7"
# True, 두 번의 결과가 똑같습니다. 까닭은 추적에 나옵니다. `dropout`이 없으니 한 번도 돌지 않은 것입니다.
#
# 마지막 함정은 두 코드 사이에 있습니다. 글 B의 계층은 `(hid_dim, pf_dim, n_heads)` 순서로 받고, 다른 코드들은 `(hid_dim, n_heads, pf_dim)` 순서로 받습니다. 한쪽의 호출을 다른 쪽으로 옮겨 써도
# 아무 불평 없이 만들어집니다.


# %% name="trap-order"
def post_b_layer(hid_dim, pf_dim, n_heads):
    return EncoderLayer(hid_dim=hid_dim, pf_dim=pf_dim, n_heads=n_heads)


wrong = post_b_layer(16, 4, 8)  # meant: 4 heads, and 8 inside the feed-forward
wrong.self_attn.n_heads, wrong.ff.linear1.out_features

# %% [markdown] lang="en" name="pictures"
# Eight heads and a width of 4, where four heads and a width of 8 were meant, and no error. That is why every size in `tutorial_lib` has to be given by name.
#
# ## 5. Six layers in pictures
#
# Post B says in a line what attention does: every token gets a score for every token, softmax makes shares of the scores that add up to 1, and the output is the mixture in these shares. The shares, the attention weights, can be seen.
# **Guess first.** Six layers, none of them trained: will later layers look different from the first?

# %% [markdown] lang="ko" name="pictures" of="37e28398"
# 헤드 4개와 너비 8을 뜻했는데 헤드 8개와 너비 4가 되었고, 오류는 없습니다. 그래서 `tutorial_lib`에서는 모든 크기를 이름으로 넘겨야 합니다.
#
# ## 5. 그림으로 보는 여섯 계층
#
# 글 B는 어텐션을 한 줄로 설명합니다. 토큰마다 모든 토큰에 점수를 매기고, softmax로 점수를 합이 1인 비율로 바꾸고, 그 비율로 섞어 출력을 냅니다. 이 비율인 어텐션 가중치는 눈으로 볼 수 있습니다.
# **먼저 예상해 보세요.** 여섯 계층 모두 학습 전입니다. 뒤의 계층은 첫 계층과 다르게 보일까요?

# %% name="six-layers"
weights = attention_weights(encoder, src, src_mask)
tokens = vocab.decode(src[0], specials=True)
figure = plot.layer_head_grid([w[0] for w in weights], tokens)
figure.suptitle(t(en="untrained", ko="학습 전"))
plt.show()

# %% [markdown] lang="en" name="six-layers-text"
# Twelve pale maps, and the later ones look no different in kind: most shares are near an even 0.14, some cells are darker by chance. Untrained layers mix everything with everything. What would a map with a meaning look like? Let us
# set an attention by hand. If query and key are both the token's own vector, made twice as long so that the shares get sharper, a token finds the tokens that are like itself. Here is a sentence in which two words occur
# twice. No positions are added, so both "the" are the same vector.

# %% [markdown] lang="ko" name="six-layers-text" of="a5e11bea"
# 흐릿한 히트맵 열두 장이고, 뒤의 계층이라고 다르지 않습니다. 대부분은 고르게 나눈 0.14 근처이고 몇 칸이 우연히 진합니다. 학습하지 않은 계층은 토큰을 가리지 않고 섞습니다. 뜻이 있는 히트맵은 어떤 모습일까요? 어텐션 하나를
# 손으로 맞춰 봅시다. 쿼리와 키가 모두 토큰 자신의 벡터이고, 비율이 더 뚜렷해지도록 거기에 2를 곱한다면, 토큰은 자기와 비슷한 토큰을 찾아냅니다. 두 단어가 두 번씩 나오는 문장을 넣어 봅시다.
# 위치를 더하지 않으므로 두 "the"는 똑같은 벡터입니다.

# %% name="hand-set"
text = "the cat saw the other cat"
pairs = Vocab.build([text])
ids = torch.tensor([pairs.encode(text, specials=False)])  # ids: [1, sl]

attention = MultiHeadAttention(hid_dim=8, n_heads=1).eval()
for projection in (attention.q_proj, attention.k_proj):
    nn.init.eye_(projection.weight).data.mul_(2)
    nn.init.zeros_(projection.bias)

# %% name="hand-set-picture"
with torch.no_grad():
    vectors = Embed(input_dim=len(pairs), hid_dim=8)(ids)  # vectors: [1, sl, hid_dim]
    _, shares = attention(vectors, vectors, vectors, need_weights=True)  # shares: [1, 1, sl, sl]
plot.attention_heatmap(shares[0, 0], text.split(), annotate=True, title=t(en="set by hand", ko="손으로 맞춘 것"))
plt.show()

# %% [markdown] lang="en" name="parity"
# Now there is a pattern: "the" splits most of its attention between itself and the other "the", "cat" between itself and the other "cat", and "saw" and "other" keep to themselves. What trained layers look at, you will see in part III.
#
# ## 6. The same as PyTorch's
#
# Is this encoder right? PyTorch has one of its own, `nn.TransformerEncoder`. If we give it the same weights, the same numbers must come out. (Lesson 05 shows how PyTorch packs its weights; here we only copy them.)
# **Guess first.** How far apart will the two be?

# %% [markdown] lang="ko" name="parity" of="82843558"
# 이제 무늬가 보입니다. "the"는 관심을 대부분 자기와 다른 "the"에, "cat"은 자기와 다른 "cat"에 나누어 주고, "saw"와 "other"는 자기 자신만 봅니다. 학습한 계층이 무엇을 보는지는 3부에서 봅니다.
#
# ## 6. PyTorch와 같은 값
#
# 이 인코더는 맞게 만든 것일까요? PyTorch에도 `nn.TransformerEncoder`가 있습니다. 파라미터가 같으면 같은 숫자가 나와야 합니다. (PyTorch가 파라미터를 어떻게 묶어 두는지는 05강에서 보고, 여기서는 복사만 합니다.)
# **먼저 예상해 보세요.** 둘은 얼마나 다를까요?


# %% name="copy-weights"
def copy_layer(ours, theirs):
    attention = ours.self_attn
    linears = [attention.q_proj, attention.k_proj, attention.v_proj]
    theirs.self_attn.in_proj_weight.copy_(torch.cat([linear.weight for linear in linears]))
    theirs.self_attn.in_proj_bias.copy_(torch.cat([linear.bias for linear in linears]))
    theirs.self_attn.out_proj.load_state_dict(attention.out_proj.state_dict())
    theirs.norm1.load_state_dict(ours.attn_layer_norm.state_dict())
    theirs.norm2.load_state_dict(ours.ff_layer_norm.state_dict())
    theirs.linear1.load_state_dict(ours.ff.linear1.state_dict())
    theirs.linear2.load_state_dict(ours.ff.linear2.state_dict())


# %% name="compare"
one = nn.TransformerEncoderLayer(d_model=8, nhead=2, dim_feedforward=16, norm_first=False, batch_first=True)
theirs = nn.TransformerEncoder(one, 6, enable_nested_tensor=False).to(device()).eval()
with torch.no_grad():
    for our_layer, their_layer in zip(encoder.layers, theirs.layers):
        copy_layer(our_layer, their_layer)

# %% name="compare-numbers"
hidden = to_key_padding_mask(src_mask)  # hidden: [bs, sl]
with torch.no_grad():
    x = encoder.pe(encoder.embed(src))  # x: [bs, sl, hid_dim]
    expected = theirs(x, src_key_padding_mask=hidden)  # expected: [bs, sl, hid_dim]
    gap = (encoder(src, src_mask) - expected).abs().max()
gap.item() < 1e-5

# %% [markdown] lang="en" name="compare-maps-text"
# By less than 0.00001 at every place: both do the same sum, in a slightly different order, and floats are rounded. (How far it is exactly differs from machine to machine.)
# The attention can be compared, too. `attention_weights` gets the weights out of PyTorch's encoder as well:

# %% [markdown] lang="ko" name="compare-maps-text" of="7a0742ff"
# 어느 자리에서나 차이가 0.00001도 되지 않습니다. 같은 계산을 조금 다른 순서로 하고 부동소수점 수는 반올림되기 때문입니다. (정확한 차이는 컴퓨터마다 다릅니다.)
# 어텐션도 비교할 수 있습니다. `attention_weights`는 PyTorch의 인코더에서도 가중치를 꺼내 옵니다.

# %% name="compare-maps"
their_weights = attention_weights(theirs, x, src_key_padding_mask=hidden)
both = torch.stack([weights[5][0, 0], their_weights[5][0, 0]])  # both: [2, sl, sl]
titles = [
    t(en="ours, untrained", ko="우리 인코더, 학습 전"),
    t(en="PyTorch's, untrained", ko="PyTorch, 학습 전"),
]
plot.attention_grid(both, tokens, titles=titles, annotate=True)
plt.show()

# %% [markdown] lang="en" name="summary"
# Head 0 of layer 5: the same numbers in every cell. One batch is no proof, so the tests of this repository compare outputs and gradients over both orders of the norm, all masks, several sizes and five seeds.
#
# ## What you have now
#
# - A layer: attention, then feed-forward, each added to what came in and normalised. `src` in, `src` out, one shape.
# - The encoder: embedding, positions, and a loop over layers in an `nn.ModuleList`.
# - Four traps: defaults evaluated at definition, a size that is not passed on, dropout that is never called, sizes in another order.
# - A check: the same numbers as `nn.TransformerEncoder`.
#
# Next: [05 · Multi-head attention](05_multi_head_attention.ipynb), the box in which tokens look at each other.
#
# **Further reading**: [Attention Is All You Need](https://arxiv.org/abs/1706.03762), section 3.1 ·
# [post B's series](https://velog.io/@heiswicked) (Korean)

# %% [markdown] lang="ko" name="summary" of="a54860e1"
# 계층 5의 헤드 0이고, 모든 칸의 숫자가 같습니다. 배치 하나로 증명이 되지는 않으므로, 이 저장소의 테스트는 두 가지 정규화 순서, 모든 마스크, 여러 크기, 다섯 개의 시드에 걸쳐 출력과 기울기를 비교합니다.
#
# ## 정리
#
# - 계층 하나: 어텐션과 피드포워드를 차례로 지나고, 그때마다 들어온 것에 더하고 정규화합니다. `src`가 들어가고 `src`가 나오며 모양은 하나입니다.
# - 인코더: 임베딩과 위치 정보, 그리고 `nn.ModuleList`에 담은 계층들을 도는 반복문입니다.
# - 함정 네 가지: 정의할 때 정해지는 기본값, 넘기지 않은 크기, 부르지 않은 드롭아웃, 순서가 바뀐 크기.
# - 확인: `nn.TransformerEncoder`와 같은 값이 나옵니다.
#
# 다음: [05 · 멀티 헤드 어텐션](05_multi_head_attention.ipynb). 토큰이 서로를 바라보는 상자입니다.
#
# **더 읽을거리**: [Attention Is All You Need](https://arxiv.org/abs/1706.03762) 3.1절 ·
# [글 B의 시리즈](https://velog.io/@heiswicked)(한국어)
