# ---
# jupyter:
#   jupytext:
#     formats: py:percent
#     cell_metadata_filter: lang,of,name,tags,-all
# ---

# %% [markdown] lang="en" name="title"
# # 07 · Feed-forward, LayerNorm
#
# Attention is open, and the mask is understood. What is left of an `EncoderLayer` looks like small change: a feed-forward network, a plus sign, a norm, dropout. You will take them away one by one and see what each is for.
#
# **You will be able to**
#
# - write the feed-forward network and LayerNorm by hand, and say what each does to a token;
# - show what happens to the tokens of a deep stack without residual connections;
# - tell post-norm from pre-norm, say how the gradients differ, and why pre-norm needs one more norm at the end.
#
# **Read first**: [06 · Masks](06_masks.ipynb).
#
# **Time**: 75 minutes.
#
# <details><summary>For the classroom</summary>
#
# | Section | Minutes |
# |---|---|
# | 1 Change one token | 7 |
# | 2 Wide, bent, and back | 20 |
# | 3 What is added stays | 8 |
# | 4 LayerNorm by hand | 18 |
# | 5 Two orders, one switch | 18 |
# | 6 Where dropout sits | 4 |
#
# Two questions to ask: *Two thirds of a layer's parameters sit in a network in which no token sees another. What can they be good for?*
# *If LayerNorm gives every token the same mean and variance, is something lost that the next layer might need?*
#
# </details>

# %% [markdown] lang="ko" name="title" of="5229161b"
# # 07 · 피드포워드와 LayerNorm
#
# 어텐션을 열었고 마스크도 알아보았습니다. `EncoderLayer`에 남은 것은 자잘해 보입니다. 피드포워드 신경망, 더하기 기호, 정규화, 드롭아웃입니다. 하나씩 빼 보면서 무엇을 하는지 확인합니다.
#
# **이 강의를 마치면**
#
# - 피드포워드 신경망과 LayerNorm을 직접 쓰고, 둘이 토큰에 무슨 일을 하는지 말할 수 있습니다.
# - 잔차 연결 없이 깊게 쌓은 계층에서 토큰들이 어떻게 되는지 보여 줄 수 있습니다.
# - post-norm과 pre-norm을 구별하고, 둘에서 기울기가 어떻게 다른지, pre-norm에는 왜 맨 끝에 norm이 하나 더 필요한지 말할 수 있습니다.
#
# **먼저 볼 것**: [06 · 마스크](06_masks.ipynb).
#
# **시간**: 75분.
#
# <details><summary>수업용 안내</summary>
#
# | 절 | 분 |
# |---|---|
# | 1 토큰 하나를 바꾸면 | 7 |
# | 2 넓히고, 꺾고, 되돌리기 | 20 |
# | 3 더한 것은 남습니다 | 8 |
# | 4 LayerNorm을 손으로 | 18 |
# | 5 순서 두 가지, 스위치 하나 | 18 |
# | 6 드롭아웃의 자리 | 4 |
#
# 던져 볼 질문 두 가지: *계층의 파라미터 가운데 3분의 2는 토큰끼리 서로 보지 않는 신경망에 있습니다. 무엇에 쓰일까요?*
# *LayerNorm이 모든 토큰의 평균과 분산을 똑같이 맞춘다면, 다음 계층에 필요한 무언가가 사라지지는 않을까요?*
#
# </details>

# %% name="setup" tags=["setup"]

# %% name="imports" tags=["imports"]
import matplotlib.pyplot as plt
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from tutorial_lib import data, device, plot, t
from tutorial_lib._sizes import require_sizes, require_tokens
from tutorial_lib.encoder import Encoder, EncoderLayer
from tutorial_lib.exercises import lesson_07 as check
from tutorial_lib.feedforward import ACTIVATIONS
from tutorial_lib.text import Vocab
from tutorial_lib.trace import annotate_shapes, trace_shapes

# %% [markdown] lang="en" name="alone"
# ## 1. Change one token
#
# A layer has two boxes. We put random vectors at the seven places of *it rained, so I bought an umbrella* and send them through each box. Then we turn the sign of one token's vector, that of 우산을 (an umbrella), and do it again. **Guess first.** At which places will the outputs of attention change? And those of the feed-forward network?

# %% [markdown] lang="ko" name="alone" of="8bc673b9"
# ## 1. 토큰 하나를 바꾸면
#
# 계층에는 상자가 두 개 있습니다. "비가 와서 우산을 샀다."의 일곱 자리에 무작위 벡터를 놓고 두 상자에 따로 통과시킵니다. 그다음 토큰 하나('우산을')의 벡터만 부호를 뒤집어 다시 통과시킵니다. **먼저 예상해 보세요.** 어텐션의 출력은 어느 자리에서 바뀔까요? 피드포워드의 출력은요?

# %% name="alone-run"
vocab = Vocab.build(data.sentences("ko"))
src = vocab.batch(["비가 와서 우산을 샀다."]).to(device())  # src: [1, sl]
tokens = vocab.decode(src[0], specials=True)
layer = EncoderLayer(hid_dim=8, pf_dim=16, n_heads=2).to(device()).eval()

# %% name="alone-change"
x = torch.randn(1, 7, 8).to(device())  # x: [1, sl, hid_dim]
other = x.clone()  # other: [1, sl, hid_dim]
other[0, 3] = -x[0, 3]

# %% name="alone-picture"
boxes = {
    t(en="attention", ko="어텐션"): lambda x: layer.self_attn(x, x, x)[0],
    t(en="feed-forward", ko="피드포워드"): layer.ff,
}
moved = {}
with torch.no_grad():
    for name, box in boxes.items():
        gap = (box(x) - box(other)).abs().amax(dim=-1)  # gap: [1, sl]
        moved[name] = gap[0].cpu()
plot.bars(moved, tokens, xlabel=t(en="output at", ko="출력의 자리"), ylabel=t(en="largest change", ko="가장 큰 변화"))
plt.show()

# %% [markdown] lang="en" name="alone-text"
# Attention moves everywhere: all tokens had listened to 우산을 (and none much, so the changes are small; 우산을 itself is only one of the seven that it listens to). The feed-forward network moves at one place only, and elsewhere by exactly 0. It works **position-wise**: the same network for each token, and none sees another. So it makes no difference
# whether a token comes alone or in a sentence:

# %% [markdown] lang="ko" name="alone-text" of="40f2d89e"
# 어텐션의 출력은 모든 자리에서 움직입니다. 모든 토큰이 '우산을'의 말을 들었기 때문입니다(저마다 일곱 가운데 하나로 들었을 뿐이라 변화는 작고, '우산을' 자신도 마찬가지입니다). 피드포워드의 출력은 한 자리에서만 움직이고 나머지는 정확히 0입니다. **자리마다 따로**(position-wise) 일하기 때문입니다. 같은 신경망을 토큰마다 쓰고, 토큰끼리는 보지 않습니다. 그러니 토큰이 혼자 들어오든
# 다른 토큰과 함께 들어오든 결과가 같습니다.

# %% name="alone-check"
with torch.no_grad():
    together = layer.ff(x)  # together: [1, sl, hid_dim]
    one_by_one = torch.cat([layer.ff(x[:, i : i + 1]) for i in range(7)], dim=1)  # one_by_one: [1, sl, hid_dim]
torch.allclose(together, one_by_one, atol=1e-6)

# %% [markdown] lang="en" name="wide"
# Attention gathers what others have; the feed-forward network lets each token work on what it has gathered.
#
# ## 2. Wide, bent, and back
#
# Two linear layers with a bend between, the **activation**: out to `pf_dim`, and back to `hid_dim`.

# %% [markdown] lang="ko" name="wide" of="1733610a"
# 어텐션이 다른 토큰에게서 모아 온 것을, 피드포워드는 토큰마다 따로 다듬습니다.
#
# ## 2. 넓히고, 꺾고, 되돌리기
#
# 선형 계층 두 개와 그 사이의 꺾임, 곧 **활성화 함수**(activation)입니다. `pf_dim`으로 나갔다가 `hid_dim`으로 돌아옵니다.

# %% name="library-feedforward"
# from tutorial_lib.feedforward: PositionwiseFeedForwardLayer

# %% name="wide-trace"
annotate_shapes(layer.ff, x).named(bs=1, sl=7, hid_dim=8, pf_dim=16)

# %% [markdown] lang="en" name="bend"
# What is the activation for? Suppose we leave it out. **Guess first.** How much more can two linear layers do than one? (`nn.Linear` keeps its matrix as `[out, in]`.)

# %% [markdown] lang="ko" name="bend" of="ca4e8301"
# 활성화 함수는 왜 필요할까요? 빼 봅시다. **먼저 예상해 보세요.** 선형 계층 두 개는 하나보다 얼마나 더 많은 일을 할 수 있을까요? (`nn.Linear`는 행렬을 `[out, in]`으로 간직합니다.)

# %% name="bend-out"
first, second = nn.Linear(8, 16), nn.Linear(16, 8)
one = nn.Linear(8, 8)
with torch.no_grad():
    one.weight.copy_(second.weight @ first.weight)
    one.bias.copy_(second.weight @ first.bias + second.bias)

# %% name="bend-out-same"
y = torch.randn(3, 5, 8)  # y: [3, 5, 8]
torch.allclose(second(first(y)), one(y), atol=1e-5)

# %% [markdown] lang="en" name="bend-text"
# Nothing more. Two matrices in a row are one matrix, however wide the middle. With a bend it is another matter. ReLU cuts off everything below 0, and already the sum `relu(x) + relu(-x)` is a function that no linear layer can make:

# %% [markdown] lang="ko" name="bend-text" of="ff1382ad"
# 조금도 더 하지 못합니다. 행렬 두 개를 잇달아 곱하면 가운데가 아무리 넓어도 행렬 하나와 같습니다. 꺾으면 달라집니다. ReLU는 0보다 작은 것을 잘라 냅니다. `relu(x) + relu(-x)`처럼 둘을 더하기만 해도 선형 계층으로는 만들 수 없는 함수가 됩니다.

# %% name="bend-picture"
line = torch.linspace(-3, 3, 61)  # line: [61]
shapes = {"relu(x)": F.relu(line), "gelu(x)": F.gelu(line), "relu(x) + relu(-x)": F.relu(line) + F.relu(-line)}
plot.lines(line, shapes, xlabel="x", ylabel="")
plt.show()

# %% [markdown] lang="en" name="bend-picture-text"
# The green dots are |x| (right of 0 they lie on relu(x)). With more numbers in the middle, more such bends can be put together; that is why the network widens the token first, in the paper by four. GELU, which BERT uses, is a ReLU with a rounded corner; near 0 it lets a
# little of the negative side through.
#
# Which of the two boxes is larger? We count the parameters of a layer with `pf_dim = 4 * hid_dim`, as in the paper. **Guess first.** Attention or feed-forward?

# %% [markdown] lang="ko" name="bend-picture-text" of="505eb972"
# 초록색 점선이 |x|입니다(0보다 큰 쪽에서는 relu(x)와 겹칩니다). 가운데에 숫자가 많을수록 이런 꺾임을 많이 합칠 수 있습니다. 그래서 먼저 토큰을 넓히고, 논문에서는 네 배로 넓힙니다. BERT가 쓰는 GELU는 모서리가 둥근 ReLU이고, 0 근처에서는 음수도 조금 통과시킵니다.
#
# 두 상자 가운데 어느 쪽이 더 클까요? 논문처럼 `pf_dim = 4 * hid_dim`인 계층의 파라미터를 세어 봅시다. **먼저 예상해 보세요.** 어텐션일까요, 피드포워드일까요?

# %% name="count"
big = EncoderLayer(hid_dim=512, pf_dim=2048, n_heads=8)
counts = {
    "self_attn": sum(p.numel() for p in big.self_attn.parameters()),
    "ff": sum(p.numel() for p in big.ff.parameters()),
    t(en="both norms", ko="norm 둘"): sum(
        p.numel() for n in (big.attn_layer_norm, big.ff_layer_norm) for p in n.parameters()
    ),
}
thousands = [round(count / 1000) for count in counts.values()]
plot.bars(
    {"": thousands},
    list(counts),
    xlabel=t(en="box", ko="상자"),
    ylabel=t(en="thousand parameters", ko="파라미터 (천)"),
)
plt.show()

# %% [markdown] lang="en" name="exercise-ff-text" tags=["exercise"]
# The feed-forward network has twice as many as attention, two thirds of the layer. (Post A cuts this box in two, `Intermediate` and `Output`: lesson 08.)
#
# ### Your turn · easy · about 5 minutes
#
# `feed_forward(x, w1, b1, w2, b2)` with ReLU; `w1` is `[hid_dim, pf_dim]`, `b1` is `[pf_dim]`, `w2` is `[pf_dim, hid_dim]`, `b2` is `[hid_dim]`.
#
# <details><summary>Hint 1</summary>Wide, bend, back: three steps.</details>
# <details><summary>Hint 2</summary><code>x @ w1 + b1</code> works on the last axis alone, whatever stands before it.</details>

# %% [markdown] lang="ko" name="exercise-ff-text" of="72b24c20" tags=["exercise"]
# 피드포워드에 어텐션의 두 배, 계층 전체의 3분의 2가 있습니다. (글 A는 이 상자를 `Intermediate`와 `Output`, 둘로 나눕니다. 08강에서 봅니다.)
#
# ### 직접 해 보기 · 쉬움 · 약 5분
#
# ReLU를 쓰는 `feed_forward(x, w1, b1, w2, b2)`를 써 보세요. `w1`은 `[hid_dim, pf_dim]`, `b1`은 `[pf_dim]`, `w2`는 `[pf_dim, hid_dim]`, `b2`는 `[hid_dim]`입니다.
#
# <details><summary>힌트 1</summary>넓히고, 꺾고, 되돌립니다. 세 단계입니다.</details>
# <details><summary>힌트 2</summary><code>x @ w1 + b1</code>은 앞에 무엇이 있든 마지막 축에만 작용합니다.</details>


# %% name="exercise-ff" tags=["exercise"]
def feed_forward(x, w1, b1, w2, b2):
    # your turn
    ...


check.feed_forward(feed_forward)


# %% name="solution-ff" tags=["solution"]
def feed_forward(x, w1, b1, w2, b2):
    wide = (x @ w1 + b1).relu()  # wide: [bs, sl, pf_dim]
    return wide @ w2 + b2  # [bs, sl, hid_dim]


check.feed_forward(feed_forward)

# %% [markdown] lang="en" name="residual"
# ## 3. What is added stays
#
# Around each box stands `src + box(src)`. What would a stack be without the plus? We let eight random tokens pass through six untrained layers, with and without the residual connection, and measure how alike the tokens have become, by the
# mean cosine of all pairs: 0 for unrelated tokens, 1 for the same direction. **Guess first.** Which way will each of the two lines go?

# %% [markdown] lang="ko" name="residual" of="5179f5d7"
# ## 3. 더한 것은 남습니다
#
# 상자마다 `src + box(src)`라는 틀이 있습니다. 더하기가 없다면 어떨까요? 무작위 토큰 여덟 개를 학습하지 않은 여섯 계층에 통과시키고, 잔차 연결이 있을 때와 없을 때 토큰들이 얼마나 비슷해졌는지 잽니다.
# 비슷한 정도는 모든 쌍의 코사인을 평균해서 잽니다. 서로 무관하면 0, 방향이 같으면 1입니다. **먼저 예상해 보세요.** 두 선은 각각 어느 쪽으로 갈까요?


# %% name="residual-run"
def pass_through(layer, x, residual):
    box, _ = layer.self_attn(x, x, x)
    x = layer.attn_layer_norm(x + box if residual else box)
    box = layer.ff(x)
    return layer.ff_layer_norm(x + box if residual else box)  # [1, 8, hid_dim]


# %% name="residual-likeness"
def likeness(x):
    cosines = F.cosine_similarity(x[0, :, None], x[0, None, :], dim=-1)  # cosines: [8, 8]
    return (cosines.sum() - 8).item() / (8 * 7)  # without each token's likeness to itself


# %% name="residual-lines"
layers = [EncoderLayer(hid_dim=32, pf_dim=64, n_heads=4, dropout=0.0) for _ in range(6)]
start = torch.randn(1, 8, 32)  # start: [1, 8, hid_dim]
alike = {}
for residual, name in ((True, t(en="with residual", ko="잔차 연결 있음")), (False, t(en="without", ko="없음"))):
    now, alike[name] = start, [likeness(start)]
    with torch.no_grad():
        for one_layer in layers:
            now = pass_through(one_layer, now, residual)  # now: [1, 8, hid_dim]
            alike[name].append(likeness(now))

# %% name="residual-picture"
plot.lines(
    range(7),
    alike,
    xlabel=t(en="layers passed", ko="지난 계층"),
    ylabel=t(en="mean cosine of two tokens", ko="두 토큰의 평균 코사인"),
)
plt.show()

# %% [markdown] lang="en" name="residual-text"
# Without it the tokens are alike after a single layer (0.95 here), and one after two. An untrained attention is nearly even, so every token gets nearly the same mixture, and nothing is left to tell them apart. With the residual connection the mixture is only added, and each token keeps itself; the slow rise
# is what they have in common from all that mixing.
#
# The plus does as much on the way back, when gradients are computed: what comes to `src + box(src)` from behind goes on to `src` as it is, beside the road through the box.
#
# ## 4. LayerNorm by hand
#
# Sums grow, so each is normalised. LayerNorm takes **one token**, subtracts its mean and divides by its standard deviation. Here is one with numbers that are easy to follow: 2, 4, 6 and 12. (The tiny 0.00001 is called `eps`; it saves a token whose numbers are all equal from $0 / 0$.)

# %% [markdown] lang="ko" name="residual-text" of="e57d7ff2"
# 잔차 연결이 없으면 계층 하나만 지나도 토큰들이 서로 닮고(여기서는 0.95), 둘을 지나면 하나가 됩니다. 학습하지 않은 어텐션은 거의 고르게 섞으므로 모든 토큰이 거의 같은 것을 받고, 서로 구별되지 않습니다. 잔차 연결이 있으면 섞인 것이 더해질 뿐이고 토큰은 자기 자신을 지킵니다.
# 선이 천천히 오르는 것은 섞이면서 닮은 데가 생기기 때문입니다.
#
# 더하기는 기울기를 구하며 거꾸로 돌아올 때(역전파)도 일합니다. `src + box(src)`에 뒤에서 온 기울기는 상자를 지나는 길과 따로, 있는 그대로 `src`에 전해집니다.
#
# ## 4. LayerNorm을 손으로
#
# 더하면 커지므로 더할 때마다 정규화합니다. LayerNorm은 **토큰 하나**에서 평균을 빼고 표준 편차로 나눕니다. 따라가기 쉬운 숫자 2, 4, 6, 12로 해 봅시다. (아주 작은 0.00001은 `eps`라고 합니다. 숫자가 모두 같은 토큰이 $0 / 0$이 되지 않게 합니다.)

# %% name="norm-run"
token = torch.tensor([2.0, 4.0, 6.0, 12.0])  # token: [hid_dim]
mean = token.mean()
variance = ((token - mean) ** 2).mean()
normed = (token - mean) / torch.sqrt(variance + 1e-5)  # normed: [hid_dim]
mean.item(), variance.item(), round(variance.sqrt().item(), 2), normed.round(decimals=2)

# %% name="norm-picture"
bars = {t(en="before", ko="정규화 전"): token, t(en="after", ko="정규화 후"): normed}
ax = plot.bars(
    bars,
    ["0", "1", "2", "3"],
    xlabel=t(en="place in the vector, hid_dim →", ko="벡터의 칸, hid_dim →"),
    ylabel=t(en="value", ko="값"),
)
ax.axhline(0, color="#444444", linewidth=1)
plt.show()

# %% [markdown] lang="en" name="norm-text"
# The mean was 6 and the standard deviation √14 = 3.74; now they are 0 and 1. The order of the four numbers is kept, and so are the proportions of their distances. A learned gain and shift follow, one number each for every place of the vector and the same for all tokens, so that each place can have a size and a level of its own.
#
# ### Break it: nearly right
#
# Hand-written LayerNorms often divide by `n - 1` instead of `n`, the number of numbers; or they add `eps` after the root instead of before. And some forget that each token has its own mean. **Guess first.** Which of the first two is worse for an ordinary token? And for a faint one, whose numbers are near 0.001?

# %% [markdown] lang="ko" name="norm-text" of="63185949"
# 평균 6, 표준 편차 √14 = 3.74였던 것이 이제 0과 1입니다. 네 숫자의 순서와 서로 떨어진 비율은 그대로입니다. 여기에 학습되는 배율과 이동이 벡터의 칸마다 하나씩 붙습니다. 모든 토큰이 함께 쓰는 값이고, 칸마다 자기 크기와 높이를 갖게 합니다.
#
# ### 일부러 망가뜨리기: 거의 맞는 것들
#
# 손으로 쓴 LayerNorm은 숫자의 개수 `n` 대신 `n - 1`로 나누거나, `eps`를 제곱근을 구하기 전이 아니라 뒤에 더하는 일이 많습니다. 토큰마다 평균이 따로라는 것을 잊기도 합니다. **먼저 예상해 보세요.** 앞의 두 가지 가운데 보통 토큰에 더 나쁜 것은 어느 쪽일까요? 숫자의 크기가 0.001쯤인 희미한 토큰에서는 어떨까요?

# %% name="nearly-run"
eps = 1e-5
ordinary, faint = torch.randn(1000, 8), torch.randn(1000, 8) * 0.001  # ordinary: [1000, 8]


def minus_one(x):
    return (x - x.mean(-1, keepdim=True)) / torch.sqrt(x.var(-1, keepdim=True) + eps)  # [1000, 8]


def eps_outside(x):
    return (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True, unbiased=False) + eps)  # [1000, 8]


# %% name="nearly-picture"
ways = {"n - 1": minus_one, t(en="eps outside", ko="eps가 밖"): eps_outside}
off = {name: [(way(x) - F.layer_norm(x, (8,))).abs().mean() for x in (ordinary, faint)] for name, way in ways.items()}
names = [t(en="ordinary tokens", ko="보통 토큰"), t(en="faint tokens", ko="희미한 토큰")]
plot.bars(
    off,
    names,
    xlabel="",
    ylabel=t(en="mean distance", ko="평균 차이"),
    title=t(en="from LayerNorm", ko="LayerNorm과 견주면"),
)
plt.show()

# %% [markdown] lang="en" name="nearly-text"
# With ordinary tokens `n - 1` is off by 0.05, and `eps` outside by nothing that can be seen. With faint tokens it is the other way round, and far worse: their variance is about 0.000001, smaller than `eps`. Neither is loud. They show when you load weights that were trained with the other formula.
#
# The third mistake mixes tokens. If the mean is taken along the sentence, a token depends on its neighbours, padding too, which the test of lesson 06 is made to find.

# %% [markdown] lang="ko" name="nearly-text" of="27b23c2a"
# 보통 토큰에서는 `n - 1`이 0.05만큼 어긋나고, 밖에 둔 `eps`는 눈에 띄지 않습니다. 희미한 토큰에서는 거꾸로이고 훨씬 심합니다. 분산이 0.000001쯤이어서 `eps`보다 작기 때문입니다. 어느 쪽도 오류를 내지 않습니다. 다른 공식으로 학습한 파라미터를 가져올 때 드러납니다.
#
# 셋째 실수는 토큰을 섞습니다. 문장 방향으로 평균을 내면 토큰의 결과가 이웃은 물론 패딩에도 좌우됩니다. 06강의 테스트가 바로 그런 것을 찾아냅니다.

# %% [markdown] lang="en" name="exercise-norm-text" tags=["exercise"]
# ### Your turn · medium · about 8 minutes
#
# `layer_norm(x, gain, shift, eps)`: each token of `[bs, sl, hid_dim]` by itself; `gain` and `shift` are `[hid_dim]`.
#
# <details><summary>Hint 1</summary><code>mean</code> and <code>var</code> along <code>dim=-1</code>, with <code>keepdim=True</code>.</details>
# <details><summary>Hint 2</summary>var divides by n - 1 unless you say <code>unbiased=False</code>.</details>

# %% [markdown] lang="ko" name="exercise-norm-text" of="135e999f" tags=["exercise"]
# ### 직접 해 보기 · 보통 · 약 8분
#
# `layer_norm(x, gain, shift, eps)`: `[bs, sl, hid_dim]`의 토큰마다 따로 정규화합니다. `gain`과 `shift`는 `[hid_dim]`입니다.
#
# <details><summary>힌트 1</summary><code>mean</code>과 <code>var</code>를 <code>dim=-1</code>, <code>keepdim=True</code>로 구하세요.</details>
# <details><summary>힌트 2</summary>var는 <code>unbiased=False</code>라고 하지 않으면 n - 1로 나눕니다.</details>


# %% name="exercise-norm" tags=["exercise"]
def layer_norm(x, gain, shift, eps):
    # your turn
    ...


check.layer_norm(layer_norm)


# %% name="solution-norm" tags=["solution"]
def layer_norm(x, gain, shift, eps):
    mean = x.mean(dim=-1, keepdim=True)  # mean: [bs, sl, 1]
    variance = x.var(dim=-1, keepdim=True, unbiased=False)  # variance: [bs, sl, 1]
    return (x - mean) / torch.sqrt(variance + eps) * gain + shift  # [bs, sl, hid_dim]


check.layer_norm(layer_norm)

# %% [markdown] lang="en" name="library-norm-text"
# The library's own, made for this lesson. It gives the numbers of `nn.LayerNorm`; the encoder uses PyTorch's because it is faster and safe in float16.

# %% [markdown] lang="ko" name="library-norm-text" of="bf8c3dcc"
# 아래의 클래스는 이 강의를 위해 라이브러리에 둔 것이고, `nn.LayerNorm`과 같은 결과를 냅니다. 인코더는 더 빠르고 float16에서도 안전한 PyTorch의 것을 씁니다.

# %% name="library-norm"
# from tutorial_lib.feedforward: LayerNorm

# %% name="norm-parity"
torch.allclose(LayerNorm(hid_dim=8)(ordinary), nn.LayerNorm(8)(ordinary), atol=1e-6)

# %% [markdown] lang="en" name="orders"
# ## 5. Two orders, one switch
#
# The paper normalises the sum: **post-norm**, `norm(src + box(src))`. Many later models normalise what enters the box and leave the residual connection alone: **pre-norm**, `src + box(norm(src))`. In the library that is one argument, `norm_first`. (Blue is the box, grey is the frame around it.)

# %% [markdown] lang="ko" name="orders" of="b2ffea2c"
# ## 5. 순서 두 가지, 스위치 하나
#
# 논문은 합을 정규화합니다. 이것이 **post-norm**이고, 식으로는 `norm(src + box(src))`입니다. 뒤에 나온 많은 모델은 상자에 들어가는 것만 정규화하고 잔차 연결은 그대로 둡니다. 이것이 **pre-norm**이고, 식으로는 `src + box(norm(src))`입니다. 라이브러리에서는 `norm_first` 인자 하나로 고릅니다. (파란 칸이 상자, 회색 칸이 틀입니다.)

# %% name="orders-picture"
boxes = {
    "src1": (0, 3.4, "src", "data"), "box1": (0, 2.2, "box", "part"), "add1": (0, 1.0, "src + _src", "frame"),
    "norm1": (0, -0.2, "norm", "frame"), "out1": (0, -1.4, "src (post-norm)", "data"),
    "src2": (6.5, 3.4, "src", "data"), "norm2": (6.5, 2.2, "norm", "frame"), "box2": (6.5, 1.0, "box", "part"),
    "add2": (6.5, -0.2, "src + _src", "frame"), "out2": (6.5, -1.4, "src (pre-norm)", "data"),
}  # fmt: skip
arrows = [
    ("src1", "box1"),
    ("box1", "add1", "_src"),
    ("add1", "norm1"),
    ("norm1", "out1"),
    ("src1", "add1", "src", "left"),
]
arrows += [
    ("src2", "norm2"),
    ("norm2", "box2"),
    ("box2", "add2", "_src"),
    ("add2", "out2"),
    ("src2", "add2", "src", "left"),
]
plot.diagram(boxes, arrows)
plt.show()

# %% [markdown] lang="en" name="orders-text"
# On the left everything on its way down passes a norm, twice a layer. On the right a road of plus signs leads from what enters the first layer to what leaves the last, and nothing stands in it.
# **Guess first.** A stack of 24 layers, untrained, and one backward pass. We look at one matrix in each layer, `ff.linear1`: in which layers will its gradient be large, with post-norm and with pre-norm?

# %% [markdown] lang="ko" name="orders-text" of="e14c59e6"
# 왼쪽에서는 내려가는 모든 것이 계층마다 norm을 두 번 지납니다. 오른쪽에서는 더하기만 있는 길이 첫 계층에 들어간 것에서 마지막 계층이 내놓는 것까지 이어지고, 그 길을 막는 것이 없습니다.
# **먼저 예상해 보세요.** 학습하지 않은 24개 계층에서 역전파를 한 번 합니다. 계층마다 행렬 하나, `ff.linear1`을 봅니다. post-norm과 pre-norm에서 그 기울기는 각각 어느 계층에서 클까요?


# %% name="depth-run"
def gradients_by_depth(norm_first):
    torch.manual_seed(0)
    encoder = Encoder(
        input_dim=None,
        hid_dim=32,
        pf_dim=128,
        n_heads=4,
        n_layers=24,
        dropout=0.0,
        positions=None,
        norm_first=norm_first,
    )
    head, x, labels = nn.Linear(32, 10), torch.randn(8, 16, 32), torch.randint(10, (8, 16))
    F.cross_entropy(head(encoder(x)).flatten(0, 1), labels.flatten()).backward()
    return [layer.ff.linear1.weight.grad.norm().item() for layer in encoder.layers]


# %% name="depth-picture"
sizes = {"post-norm": gradients_by_depth(False), "pre-norm": gradients_by_depth(True)}
plot.lines(
    range(24), sizes, xlabel=t(en="layer", ko="계층"), ylabel=t(en="gradient of ff.linear1", ko="ff.linear1의 기울기")
).set_ylim(bottom=0)
plt.show()

# %% name="depth-numbers"
for name, norms in sizes.items():
    ratio = t(en="first three layers / last three:", ko="처음 세 계층 / 마지막 세 계층:")
    print(f"{name:10}", ratio, f"{sum(norms[:3]) / sum(norms[-3:]):.1f}")

# %% [markdown] lang="en" name="last-norm"
# With post-norm the last layers get more than twice what the first ones get; with pre-norm all get about the same. On its way to the first layer the gradient passes nearly 48 norms, and each divides it by the standard deviation of a sum, mostly a little more than 1. A learning rate that suits the first layers is then large for the last, and
# such models are started with a tiny one that grows slowly (the paper's *warmup*; see the further reading).
#
# The open road has its price. **Guess first.** After 24 layers, 48 sums that nobody has normalised: what has become of a token's standard deviation?

# %% [markdown] lang="ko" name="last-norm" of="5185b850"
# post-norm에서는 뒤쪽 계층이 받는 기울기가 앞쪽의 두 배가 넘고, pre-norm에서는 모든 계층이 비슷합니다. 기울기는 첫 계층까지 돌아오는 동안 norm을 거의 48개 지나는데, 그때마다 합의 표준 편차로 나누어지고 그 표준 편차가 대개 1보다 조금 큽니다. 그러면 앞쪽 계층에 알맞은 학습률(00강의 lr)이 뒤쪽 계층에는 크고,
# 그래서 이런 모델은 아주 작은 학습률에서 시작해 천천히 키웁니다(논문의 *warmup*, 더 읽을거리 참고).
#
# 막힌 것이 없는 길에는 대가가 있습니다. **먼저 예상해 보세요.** 스물네 계층에서 마흔여덟 번 더하면서 그 합을 한 번도 정규화하지 않으면, 토큰의 표준 편차는 어떻게 될까요?


# %% name="growth-run"
def spread_by_depth(norm_first):
    torch.manual_seed(0)
    size = dict(hid_dim=32, pf_dim=128, n_heads=4, dropout=0.0, norm_first=norm_first)
    x = torch.randn(8, 16, 32)  # x: [8, 16, hid_dim]
    spreads = [x.std(dim=-1, unbiased=False).mean().item()]
    with torch.no_grad():
        for _ in range(24):
            x = EncoderLayer(**size)(x)  # x: [8, 16, hid_dim]
            spreads.append(x.std(dim=-1, unbiased=False).mean().item())
    return spreads


# %% name="growth-picture"
spreads = {"post-norm": spread_by_depth(False), "pre-norm": spread_by_depth(True)}
plot.lines(
    range(25),
    spreads,
    xlabel=t(en="layers passed", ko="지난 계층"),
    ylabel=t(en="std of a token", ko="토큰의 표준 편차"),
).set_ylim(bottom=0)
plt.show()

# %% [markdown] lang="en" name="growth-text"
# Post-norm keeps it at 1. With pre-norm it grows with the depth, and whatever stands behind the encoder would get numbers whose size depends on the number of layers. So a pre-norm encoder ends with **one last norm**, `self.norm` in the library's `Encoder`:

# %% [markdown] lang="ko" name="growth-text" of="f4050573"
# post-norm은 1로 지킵니다. pre-norm에서는 깊어질수록 커지고, 그대로 두면 인코더 뒤에 붙는 부품이 계층 수에 따라 크기가 다른 숫자를 받게 됩니다. 그래서 pre-norm 인코더는 **마지막 norm 하나**로 끝납니다. 라이브러리 `Encoder`의 `self.norm`입니다.

# %% name="last-norm-run"
size = dict(input_dim=None, hid_dim=32, pf_dim=128, n_heads=4, n_layers=24, positions=None)
for first in (False, True):
    encoder = Encoder(**size, norm_first=first).eval()
    with torch.no_grad():
        out = encoder(torch.randn(8, 16, 32))  # out: [8, 16, hid_dim]
    std = out.std(dim=-1, unbiased=False).mean()
    last = t(en="last norm:", ko="마지막 정규화:")
    print(f"norm_first={first!s:5} ", last, f"{encoder.norm is not None!s:5}  std {std:.2f}")

# %% [markdown] lang="en" name="exercise-first-text" tags=["exercise"]
# ### Your turn · a stretch · about 6 minutes
#
# `norm_first(src, attn, ff, norm1, norm2)`: a whole layer in pre-norm order, without dropout. The four parts are functions that take one tensor and return one.
#
# <details><summary>Hint 1</summary><code>src = src + box(norm(src))</code>, twice.</details>
# <details><summary>Hint 2</summary>The second line starts from the src that the first has made.</details>

# %% [markdown] lang="ko" name="exercise-first-text" of="85358815" tags=["exercise"]
# ### 직접 해 보기 · 도전 · 약 6분
#
# `norm_first(src, attn, ff, norm1, norm2)`: 드롭아웃 없이 pre-norm 순서로 계층 전체를 써 보세요. 네 부품은 모두 텐서 하나를 받아 텐서 하나를 돌려주는 함수입니다.
#
# <details><summary>힌트 1</summary><code>src = src + box(norm(src))</code>를 두 번 합니다.</details>
# <details><summary>힌트 2</summary>둘째 줄은 첫째 줄이 만든 src에서 시작합니다.</details>


# %% name="exercise-first" tags=["exercise"]
def norm_first(src, attn, ff, norm1, norm2):
    # your turn
    ...


check.norm_first(norm_first)


# %% name="solution-first" tags=["solution"]
def norm_first(src, attn, ff, norm1, norm2):
    src = src + attn(norm1(src))
    return src + ff(norm2(src))


check.norm_first(norm_first)

# %% [markdown] lang="en" name="dropout"
# ## 6. Where dropout sits
#
# In training, dropout sets numbers to 0 at random and enlarges the others, so that the mean stays. **Guess first.** In how many places of a layer? The trace lists the calls of a layer in training:

# %% [markdown] lang="ko" name="dropout" of="9fa7f460"
# ## 6. 드롭아웃의 자리
#
# 학습 중에 드롭아웃은 숫자 몇 개를 무작위로 0으로 만들고 나머지를 키워서 평균을 지킵니다. **먼저 예상해 보세요.** 계층 안 몇 군데에 있을까요? 학습 중인 계층이 부르는 것들을 추적하면 이렇습니다.

# %% name="dropout-trace"
trace_shapes(layer.train(), x, sizes={"bs": 1, "sl": 7, "hid_dim": 8, "pf_dim": 16})

# %% [markdown] lang="en" name="dropout-text"
# Four. Three rows say `Dropout`: on what attention returns, on what the feed-forward network returns (each before it is added), and inside the network, between its two linear layers. The fourth is on the attention weights, inside the call of `self_attn`, and has no row of its own (lesson 05).
# What a dropout does to numbers:

# %% [markdown] lang="ko" name="dropout-text" of="124195b5"
# 네 군데입니다. 추적에는 `Dropout`이라고 적힌 줄이 세 개 있습니다. 어텐션이 돌려준 것, 피드포워드가 돌려준 것(둘 다 더하기 전), 그리고 피드포워드의 두 선형 계층 사이입니다. 넷째는 어텐션 가중치에 걸리는데, `self_attn`이 안에서 계산하므로 따로 줄이 없습니다(05강).
# 드롭아웃이 숫자에 하는 일은 이렇습니다.

# %% name="dropout-run"
dropout = nn.Dropout(0.5)
ones = torch.ones(100_000)  # ones: [100000]
after = dropout(ones)  # after: [100000]
zeros, others, mean = after.eq(0).float().mean(), after.max(), after.mean()
print(t(en="zeros, the others, mean:", ko="0의 비율, 나머지 값, 평균:"), f"{zeros:.1f} {others:.1f} {mean:.1f}")
print(t(en="in eval() nothing changes:", ko="eval()에서는 그대로:"), torch.equal(dropout.eval()(ones), ones))

# %% [markdown] lang="en" name="summary"
# That is the whole layer. Every box of post B's `EncoderLayer` is open now.
#
# ## What you have now
#
# - The feed-forward network: each token alone, wide, bent, and back; two thirds of the parameters.
# - The residual connection: tokens stay themselves, and the gradient has a road beside the box.
# - LayerNorm: each token alone, mean 0 and variance 1, divided by `n`, `eps` inside the root; then gain and shift.
# - Post-norm keeps the standard deviation at 1, and the last layers get the larger gradients; pre-norm spreads them evenly and needs a last norm.
# - Dropout in four places, in training only.
#
# Next: [08 · The encoder in BERT's words](08_bert_words.ipynb), where the same boxes get the names of post A.
#
# **Further reading**: [Attention Is All You Need](https://arxiv.org/abs/1706.03762), sections 3.1 and 3.3 · [Layer Normalization](https://arxiv.org/abs/1607.06450) ·
# [On Layer Normalization in the Transformer Architecture](https://arxiv.org/abs/2002.04745), on pre-norm and warmup

# %% [markdown] lang="ko" name="summary" of="95192ec6"
# 이것이 계층의 전부입니다. 글 B의 `EncoderLayer`에 든 상자를 모두 열었습니다.
#
# ## 정리
#
# - 피드포워드: 토큰마다 따로 넓히고, 꺾고, 되돌립니다. 파라미터의 3분의 2가 여기에 있습니다.
# - 잔차 연결: 토큰은 자기 자신으로 남고, 기울기는 상자 옆의 길로도 돌아옵니다.
# - LayerNorm: 토큰마다 따로 평균 0, 분산 1로 맞춥니다. `n`으로 나누고 `eps`는 제곱근 안에 둡니다. 그다음이 배율과 이동입니다.
# - post-norm은 표준 편차를 1로 지키고, 뒤쪽 계층의 기울기가 더 큽니다. pre-norm은 기울기가 고르지만 마지막 norm이 필요합니다.
# - 드롭아웃은 네 군데에 있고 학습 중에만 일합니다.
#
# 다음: [08 · BERT의 말로 다시 쓴 인코더](08_bert_words.ipynb). 같은 상자들이 글 A의 이름을 얻습니다.
#
# **더 읽을거리**: [Attention Is All You Need](https://arxiv.org/abs/1706.03762) 3.1절과 3.3절 · [Layer Normalization](https://arxiv.org/abs/1607.06450) ·
# [On Layer Normalization in the Transformer Architecture](https://arxiv.org/abs/2002.04745)(pre-norm과 warmup)
