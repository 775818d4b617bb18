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
# - write the loop of the `Encoder`, and say why a plain list of layers learns nothing;
# - show that this encoder computes the same as PyTorch's own.
#
# **Read first**: [03 · Embedding and positions](03_embedding_and_positions.ipynb).
#
# **Time**: 65 minutes.
#
# <details><summary>For the classroom</summary>
#
# | Section | Minutes |
# |---|---|
# | 1 The flow | 6 |
# | 2 Inside one layer | 17 |
# | 3 Six layers and a loop | 14 |
# | 4 Traps on the way | 12 |
# | 5 Six layers in pictures | 9 |
# | 6 The same as PyTorch's | 7 |
#
# Two questions to ask: *What would a layer return if both of its boxes returned zeros?*
# *Six layers in a plain list run without an error. How would you find out that they never learn?*
#
# </details>

# %% [markdown] lang="ko" name="title" of="9b0d3cf7"
# # 04 · Encoder와 EncoderLayer
#
# 번호가 자기 위치를 아는 벡터가 되었습니다. 이제 여섯 계층을 지날 차례입니다. 이번은 글 B의 강의입니다. `Encoder`와 `EncoderLayer`, 두 클래스를 줄마다 모양을 확인하며
# 따라갑니다. 전체 흐름을 보고, 모든 줄을 돌려 보고, 길에 놓인 함정도 만나 봅니다.
#
# **이 강의를 마치면**
#
# - `EncoderLayer` 안에서 `src`를 따라가고, `_src`가 무엇이며 왜 더하는지 말할 수 있습니다.
# - `Encoder`의 반복문을 쓰고, 계층을 보통 리스트에 담으면 왜 아무것도 배우지 못하는지 설명할 수 있습니다.
# - 이 인코더가 PyTorch의 인코더와 같은 값을 낸다는 것을 보일 수 있습니다.
#
# **먼저 볼 것**: [03 · 임베딩과 위치 인코딩](03_embedding_and_positions.ipynb).
#
# **시간**: 65분.
#
# <details><summary>수업용 안내</summary>
#
# | 절 | 분 |
# |---|---|
# | 1 흐름 | 6 |
# | 2 계층 하나의 속 | 17 |
# | 3 여섯 계층과 반복문 | 14 |
# | 4 길에 놓인 함정 | 12 |
# | 5 그림으로 보는 여섯 계층 | 9 |
# | 6 PyTorch와 같은 값 | 7 |
#
# 던져 볼 질문 두 가지: *계층 안의 두 상자가 모두 0을 돌려준다면 계층은 무엇을 돌려줄까요?*
# *보통 리스트에 담은 여섯 계층도 오류 없이 돌아갑니다. 전혀 배우지 않는다는 것을 어떻게 알아낼 수 있을까요?*
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
# In post B's words: the text becomes numbers, enters the encoder, gets vectors and positions, and passes six layers, and all the way the shape stays `[bs, sl, hid_dim]`.
# **Guess first.** Where in the trace below does a mask go in, and where not?

# %% [markdown] lang="ko" name="flow" of="3b2374a8"
# ## 1. 흐름
#
# 글 B의 말을 빌리면, 텍스트가 숫자가 되어 인코더에 들어오고, 벡터와 위치 정보를 얻은 다음 여섯 계층을 지나는데, 그동안 모양은 `[bs, sl, hid_dim]`으로 유지됩니다.
# **먼저 예상해 보세요.** 아래 추적에서 마스크는 어디에 들어가고 어디에는 들어가지 않을까요?

# %% name="flow-run"
sentences = ["비가 와서 우산을 샀다.", "고양이가 창가에서 잔다.", "비는 저녁에 그쳤다."]
vocab = Vocab.build(data.sentences("ko"))
src = vocab.batch([*sentences[:2], "잔다."]).to(device())  # src: [bs, sl]
src_mask = padding_mask(src, pad_id=vocab.pad_id)  # src_mask: [bs, 1, 1, sl]
src.shape, src_mask.shape

# %% name="flow-trace"
encoder = Encoder(input_dim=len(vocab), hid_dim=8, pf_dim=16, n_heads=2, n_layers=6).to(device()).eval()
sizes = {"bs": 3, "sl": src.size(1), "hid_dim": 8, "pf_dim": 16, "n_heads": 2}
trace_shapes(encoder, src, src_mask, sizes=sizes).depth(1)

# %% [markdown] lang="en" name="layer"
# The mask goes into every layer, and only there: embedding and positions treat each token alone, and only attention lets tokens look at each other.
#
# ## 2. Inside one layer
#
# A layer has two boxes. **Self-attention** mixes the tokens of a sentence (lesson 05 opens it). The **feed-forward** network works on each token alone (lesson 07).
# Around each box stands the same frame: dropout, a *residual connection*, LayerNorm.

# %% [markdown] lang="ko" name="layer" of="f06b767e"
# 마스크는 계층마다 들어가고, 다른 곳에는 들어가지 않습니다. 임베딩과 위치 인코딩은 토큰을 하나씩 따로 다루고, 토큰끼리 서로 보는 것은 어텐션뿐이기 때문입니다.
#
# ## 2. 계층 하나의 속
#
# 계층에는 상자가 두 개 있습니다. **셀프 어텐션**은 문장의 토큰들을 섞고(05강에서 엽니다), **피드포워드**는 토큰을 하나씩 따로 다룹니다(07강에서 엽니다).
# 상자마다 똑같은 틀이 둘러싸고 있습니다. 드롭아웃, *잔차 연결*, LayerNorm입니다.

# %% name="layer-picture"
boxes = {
    "in": (0, 5.6, "src: [bs, sl, hid_dim]", "data", 3.4, 0.62),
    "attn": (0, 4.4, "self_attn(src, src, src, src_mask)", "part", 4.4, 0.62),
    "norm1": (0, 3.2, "attn_layer_norm(src + dropout(_src))", "part", 4.4, 0.62),
    "ff": (0, 2.0, "ff(src)", "part", 4.4, 0.62),
    "norm2": (0, 0.8, "ff_layer_norm(src + dropout(_src))", "part", 4.4, 0.62),
    "out": (0, -0.4, "src: [bs, sl, hid_dim]", "data", 3.4, 0.62),
}
arrows = [("in", "attn"), ("attn", "norm1", "_src"), ("norm1", "ff", "src"), ("ff", "norm2", "_src"), ("norm2", "out")]
arrows += [("in", "norm1", "src", "around"), ("norm1", "norm2", "src", "around")]
plot.diagram(boxes, arrows)
plt.show()

# %% [markdown] lang="en" name="layer-text"
# `_src` is what a box says about `src`. It does not replace `src`, it is **added** to it: that is the residual connection, drawn on the left. If a box has nothing to say and returns zeros, the token goes on
# as it was. LayerNorm then brings every token back to mean 0 and variance 1, so that the numbers do not grow from layer to layer.
#
# **Guess first.** Attention wants a query, a key and a value. Why does `src` stand there three times?

# %% [markdown] lang="ko" name="layer-text" of="8d42130b"
# `_src`는 상자가 `src`에 대해 하는 말입니다. `src`를 갈아 치우지 않고 거기에 **더합니다**. 이것이 왼쪽에 그린 잔차 연결입니다. 상자가 할 말이 없어서 0을 돌려주면 토큰은 그대로 지나갑니다.
# LayerNorm은 토큰마다 평균 0, 분산 1로 되돌려서, 계층을 지날수록 숫자가 커지지 않게 합니다.
#
# **먼저 예상해 보세요.** 어텐션에는 쿼리, 키, 값이 필요합니다. 왜 `src`가 세 번 들어갈까요?

# %% [markdown] lang="en" name="annotated"
# Because the sentence looks at *itself*: every token asks (query), every token can be asked (key) and has something to give (value). Post B's author wrote the shape beside every line by
# hand. We let the code do it: this is the library's `forward`, and behind each line stand the shapes that it really had in a run.

# %% [markdown] lang="ko" name="annotated" of="a0db319e"
# 문장이 *자기 자신*을 보기 때문입니다. 모든 토큰이 묻고(쿼리), 모든 토큰이 물음을 받고(키), 무언가를 내줍니다(값). 글 B의 필자는 줄마다 모양을 손으로 적었습니다. 우리는 코드에 맡깁니다.
# 아래는 라이브러리의 `forward`이고, 줄 끝의 모양은 실제로 돌렸을 때의 모양입니다.

# %% name="annotated-run"
layer = encoder.layers[0]
x = encoder.pe(encoder.embed(src))  # x: [bs, sl, hid_dim]
annotate_shapes(layer, x, src_mask).named(**sizes)

# %% [markdown] lang="en" name="annotated-text"
# Every tensor is `[bs, sl, hid_dim]`. (`norm_first` is a switch for another order, which lesson 07 compares; here it is off, as in the post and the paper.)
# What does the norm do to the numbers? Mean and spread of each token before and after the first one:

# %% [markdown] lang="ko" name="annotated-text" of="a86240dd"
# 모든 텐서가 `[bs, sl, hid_dim]`입니다. (`norm_first`는 순서를 바꾸는 스위치이고 07강에서 비교합니다. 여기서는 글과 논문처럼 꺼 둡니다.)
# LayerNorm은 숫자에 무슨 일을 할까요? 첫 LayerNorm 앞뒤에서 토큰의 평균과 표준 편차를 재 봅시다.

# %% name="norm-numbers"
with torch.no_grad():
    _src, _ = layer.self_attn(x, x, x, src_mask)  # _src: [bs, sl, hid_dim]
    added = x + _src  # added: [bs, sl, hid_dim]
    normed = layer.attn_layer_norm(added)  # normed: [bs, sl, hid_dim]

# %% name="norm-spread"
for name, value in (("src + _src", added), ("normed", normed)):
    first = value[0, 0]  # first: [hid_dim]
    print(f"{name:10}", f"mean {first.mean().abs():.2f}", f"std {first.std(correction=0):.2f}")

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

# %% [markdown] lang="en" name="library-layer-text"
# The whole class, word for word from the library, with the attribute names of post B:

# %% [markdown] lang="ko" name="library-layer-text" of="34e6bb13"
# 라이브러리의 클래스 전체를 그대로 옮깁니다. 속성 이름은 글 B를 따랐습니다.

# %% name="library-layer"
# from tutorial_lib.encoder: EncoderLayer

# %% [markdown] lang="en" name="loop"
# ## 3. Six layers and a loop
#
# `src` goes into a layer, and what comes out is called `src` again, and goes into the next. That is the whole encoder. **Guess first.** The six layers are kept in an `nn.ModuleList`.
# Would a plain Python list do?

# %% [markdown] lang="ko" name="loop" of="9e63651e"
# ## 3. 여섯 계층과 반복문
#
# `src`가 계층에 들어가고, 나온 것을 다시 `src`라고 부르고, 그것이 다음 계층에 들어갑니다. 인코더는 이것이 전부입니다. **먼저 예상해 보세요.** 여섯 계층은 `nn.ModuleList`에 담습니다.
# 보통 파이썬 리스트여도 될까요?


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
# Six linear layers have twelve parameter tensors, a weight and a bias each. PyTorch finds all of them in a `ModuleList`. In a plain list it finds **none**: the model runs, the loss is computed,
# and the optimizer has nothing to train. And `[layer] * 6` is six times the *same* layer: two tensors, used six times. Neither raises an error.

# %% [markdown] lang="ko" name="module-list-text" of="e2b836de"
# 선형 계층 여섯 개에는 파라미터 텐서가 열두 개 있습니다. 계층마다 가중치와 편향이 하나씩입니다. PyTorch는 `ModuleList` 안에 있는 것을 모두 찾아냅니다. 보통 리스트에서는 **하나도** 찾지 못합니다.
# 모델은 돌아가고 손실도 계산되지만 옵티마이저가 학습시킬 것이 없습니다. `[layer] * 6`은 *같은* 계층이 여섯 번이라, 텐서 두 개를 여섯 번 쓰는 것입니다. 어느 쪽도 오류가 나지 않습니다.

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

# %% name="library-encoder"
# from tutorial_lib.encoder: Encoder

# %% [markdown] lang="en" name="traps"
# ## 4. Traps on the way
#
# The code of post B teaches the flow well, and it has three traps that are easy to step into, since none of them is seen by reading. **Guess first.** Post B writes
# `input_dim = len(korbow.keys())` as a default argument. When is that length taken?

# %% [markdown] lang="ko" name="traps" of="e42cd052"
# ## 4. 길에 놓인 함정
#
# 글 B의 코드는 흐름을 잘 가르쳐 주지만, 읽어서는 보이지 않아 빠지기 쉬운 함정이 세 개 있습니다. **먼저 예상해 보세요.** 글 B는 `input_dim = len(korbow.keys())`를 기본 인자로 씁니다.
# 이 길이는 언제 정해질까요?

# %% name="trap-default"
korbow = {"<PAD>": 0}


def build_embedding(input_dim=len(korbow)):
    return nn.Embedding(input_dim, 8)


# %% name="trap-default-run"
korbow |= {"나는": 1, "학교에": 2}
build_embedding().num_embeddings, len(korbow)

# %% [markdown] lang="en" name="trap-default-text"
# Once, where the function is *defined*. The vocabulary has grown since, and the table has not. So our constructors have no defaults for sizes.
#
# The second trap: post B's encoder takes a `hid_dim`, but calls `PositionalEncodingLayer()` without it, so that this box keeps its own default of 8. With `hid_dim=8` everything works;
# with any other width:

# %% [markdown] lang="ko" name="trap-default-text" of="84e43381"
# 함수를 *정의할* 때 한 번 정해집니다. 그 뒤로 어휘집은 커졌지만 표는 그대로입니다. 그래서 우리 생성자에는 크기의 기본값이 없습니다.
#
# 둘째 함정입니다. 글 B의 인코더는 `hid_dim`을 받지만 `PositionalEncodingLayer()`를 부를 때 넘기지 않습니다. 그래서 이 상자는 자기 기본값 8을 그대로 씁니다. `hid_dim=8`이면 잘 돌아가지만
# 다른 너비에서는 이렇게 됩니다.

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
# The trace tells: `dropout` is not in it, so it never ran.
#
# A last trap lies between two sources. Post B's layer takes `(hid_dim, pf_dim, n_heads)`, others take `(hid_dim, n_heads, pf_dim)`. Whoever moves a call from one to the other gets a layer that builds and runs:

# %% [markdown] lang="ko" name="trap-order-text" of="8180b915"
# 추적이 알려 줍니다. `dropout`이 나오지 않으니 한 번도 돌지 않은 것입니다.
#
# 마지막 함정은 두 코드 사이에 있습니다. 글 B의 계층은 `(hid_dim, pf_dim, n_heads)` 순서로 받고, 다른 코드들은 `(hid_dim, n_heads, pf_dim)` 순서로 받습니다. 한쪽의 호출을 다른 쪽으로 옮겨 쓰면,
# 만들어지고 돌아가기까지 합니다.


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
# Scores, softmax, weights, output: that is what post B says about attention. The weights can be seen. **Guess first.** Six layers, none of them trained: will later layers look different from the first?

# %% [markdown] lang="ko" name="pictures" of="0fb4c478"
# 헤드 4개와 너비 8을 뜻했는데 헤드 8개와 너비 4가 되었고, 오류는 없습니다. 그래서 `tutorial_lib`에서는 모든 크기를 이름으로 넘겨야 합니다.
#
# ## 5. 그림으로 보는 여섯 계층
#
# 점수를 내고, softmax로 가중치를 만들고, 가중치로 섞어 출력을 냅니다. 글 B가 어텐션에 대해 하는 말입니다. 가중치는 눈으로 볼 수 있습니다. **먼저 예상해 보세요.** 여섯 계층 모두 학습 전입니다. 뒤의 계층은
# 첫 계층과 다르게 보일까요?

# %% name="six-layers"
weights = attention_weights(encoder, src, src_mask)
tokens = vocab.decode(src[0], specials=True)
figure = plot.layer_head_grid([w[0] for w in weights], tokens)
figure.suptitle(t(en="untrained", ko="학습 전"))
plt.show()

# %% [markdown] lang="en" name="six-layers-text"
# Twelve pale maps, each row close to an even share: untrained layers mix everything with everything. What would a map with a meaning look like? Let us set a layer by hand. If query and key
# are both the token's own vector, only longer, then a token finds the tokens that are like itself. Here is a sentence in which two words come twice:

# %% [markdown] lang="ko" name="six-layers-text" of="9ffa2c78"
# 흐릿한 지도 열두 장입니다. 행마다 거의 고르게 나눕니다. 학습하지 않은 계층은 모든 것을 모든 것과 섞습니다. 뜻이 있는 히트맵은 어떤 모습일까요? 계층 하나를 손으로 맞춰 봅시다. 쿼리와 키가 모두
# 토큰 자신의 벡터를 늘인 것이라면, 토큰은 자기와 비슷한 토큰을 찾아냅니다. 두 단어가 두 번씩 나오는 문장을 넣어 봅시다.

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
# Now there is a pattern: "the" shares most of its attention with the other "the", "cat" with the other "cat", and "saw" and "other" keep to themselves. Training finds such settings on its own, and
# others that nobody would think of (part III).
#
# ## 6. The same as PyTorch's
#
# Is this encoder right? PyTorch has one of its own, `nn.TransformerEncoder`. If we give it the same weights, the same numbers must come out. (How PyTorch packs its weights, lesson 05 shows; here we copy them.)
# **Guess first.** Will the two agree exactly, or nearly?

# %% [markdown] lang="ko" name="parity" of="593e62f8"
# 이제 무늬가 보입니다. "the"는 관심을 대부분 다른 "the"와, "cat"은 다른 "cat"과 나누고, "saw"와 "other"는 자기 자신만 봅니다. 학습은 이런 설정을 스스로 찾아내고, 아무도 생각하지 못할 설정도 찾아냅니다(3부).
#
# ## 6. PyTorch와 같은 값
#
# 이 인코더는 맞게 만든 것일까요? PyTorch에도 `nn.TransformerEncoder`가 있습니다. 가중치가 같으면 같은 숫자가 나와야 합니다. (PyTorch가 가중치를 어떻게 묶어 두는지는 05강에서 보고, 여기서는 복사만 합니다.)
# **먼저 예상해 보세요.** 둘은 정확히 같을까요, 거의 같을까요?


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
    gap = (encoder(src, src_mask) - expected)[src != vocab.pad_id].abs().max()
gap.item() < 1e-5

# %% [markdown] lang="en" name="compare-maps-text"
# Nearly, to less than 0.00001: both do the same sum, in a slightly different order, and floats are rounded. We compared real tokens only, because PyTorch leaves zeros at the padding in this mode.
# The attention can be compared, too. `attention_weights` gets the weights out of PyTorch's encoder as well:

# %% [markdown] lang="ko" name="compare-maps-text" of="1584b4b5"
# 거의 같습니다. 차이가 0.00001도 되지 않습니다. 같은 계산을 조금 다른 순서로 하고 실수는 반올림되기 때문입니다. 진짜 토큰만 비교한 것은, 이 모드에서 PyTorch가 패딩 자리에 0을 남겨 두기 때문입니다.
# 어텐션도 비교할 수 있습니다. `attention_weights`는 PyTorch의 인코더에서도 가중치를 꺼내 옵니다.

# %% name="compare-maps"
their_weights = attention_weights(theirs, x, src_key_padding_mask=hidden)
both = torch.stack([weights[5][0, 0], their_weights[5][0, 0]])  # both: [2, sl, sl]
titles = [
    t(en="ours, layer 5, untrained", ko="우리 인코더, 계층 5, 학습 전"),
    t(en="PyTorch's, layer 5", ko="PyTorch, 계층 5"),
]
plot.attention_grid(both, tokens, titles=titles)
plt.show()

# %% [markdown] lang="en" name="summary"
# The same map. The tests do this for every order of norms, every mask, many sizes, and all gradients.
#
# ## What you have now
#
# - A layer: attention, then feed-forward, each added to what came in and normalised. `src` in, `src` out, one shape.
# - The encoder: embedding, positions, and a loop over layers in an `nn.ModuleList`.
# - Four traps: defaults taken at definition, a size that is not passed on, dropout that is never called, sizes in another order.
# - Proof: the same numbers as `nn.TransformerEncoder`.
#
# Next: *05 · Multi-head attention*, the box in which tokens look at each other.
#
# **Further reading**: [Attention Is All You Need](https://arxiv.org/abs/1706.03762), section 3.1 ·
# [post B's series](https://velog.io/@heiswicked) (Korean)

# %% [markdown] lang="ko" name="summary" of="b432d176"
# 같은 그림입니다. 테스트에서는 정규화 순서, 마스크, 여러 크기, 모든 기울기에 대해 이렇게 비교합니다.
#
# ## 정리
#
# - 계층 하나: 어텐션과 피드포워드를 차례로 지나고, 그때마다 들어온 것에 더하고 정규화합니다. `src`가 들어가고 `src`가 나오며 모양은 하나입니다.
# - 인코더: 임베딩과 위치 정보, 그리고 `nn.ModuleList`에 담은 계층들을 도는 반복문입니다.
# - 함정 네 가지: 정의할 때 정해지는 기본값, 넘기지 않은 크기, 부르지 않은 드롭아웃, 순서가 바뀐 크기.
# - 증명: `nn.TransformerEncoder`와 같은 값이 나옵니다.
#
# 다음: *05 · 멀티 헤드 어텐션*. 토큰이 서로를 바라보는 상자입니다.
#
# **더 읽을거리**: [Attention Is All You Need](https://arxiv.org/abs/1706.03762) 3.1절 ·
# [글 B의 시리즈](https://velog.io/@heiswicked)(한국어)
