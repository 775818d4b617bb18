# ---
# jupyter:
#   jupytext:
#     formats: py:percent
#     cell_metadata_filter: lang,of,name,tags,-all
# ---

# %% [markdown] lang="en" name="title"
# # 08 · The encoder in BERT's words
#
# Post A takes Hugging Face's BERT apart and wonders: why have they cut it into so many pieces? This lesson puts the pieces beside the encoder that you have built. They are the same encoder under other names,
# and you will prove it by carrying the weights across, both ways.
#
# **You will be able to**
#
# - read Hugging Face's BERT code, and say which line of yours each class is;
# - carry weights from one style to the other and get the same numbers;
# - say what chunks are for, what the N layers are, and in what BERT, RoBERTa and DeBERTa differ.
#
# **Read first**: [07 · Feed-forward, LayerNorm](07_feed_forward_and_layer_norm.ipynb).
#
# **Time**: 75 minutes.
#
# <details><summary>For the classroom</summary>
#
# | Section | Minutes |
# |---|---|
# | 1 Two languages | 13 |
# | 2 Attention in two pieces | 12 |
# | 3 Feed-forward in two pieces, and a layer | 17 |
# | 4 The same numbers | 8 |
# | 5 Chunks, and N layers | 14 |
# | 6 Where positions and the causal mask belong | 6 |
# | 7 BERT, RoBERTa, DeBERTa | 5 |
#
# Two questions to ask: *Both residual connections live in a class called Output. What is good about that, what is confusing?*
# *Two programs give the same loss on the same data. Does it follow that they hold the same model?*
#
# </details>

# %% [markdown] lang="ko" name="title" of="33508325"
# # 08 · BERT의 말로 다시 쓴 인코더
#
# 글 A는 Hugging Face의 BERT 코드를 뜯어보며 "왜 이렇게 쪼개 놓았지?"라고 묻습니다. 이 강의에서는 그 조각들을 여러분이 만든 인코더 옆에 나란히 놓습니다. 이름만 다른 같은 인코더입니다.
# 파라미터를 양쪽으로 옮겨 보며 확인합니다.
#
# **이 강의를 마치면**
#
# - Hugging Face의 BERT 코드를 읽고, 클래스마다 우리 코드의 어느 부분에 해당하는지 말할 수 있습니다.
# - 한쪽의 파라미터를 다른 쪽으로 옮겨 같은 숫자를 얻을 수 있습니다.
# - 토막 내기(chunk)가 무엇을 위한 것인지, N개의 계층은 무엇인지, BERT와 RoBERTa와 DeBERTa가 어디서 다른지 말할 수 있습니다.
#
# **먼저 볼 것**: [07 · 피드포워드와 LayerNorm](07_feed_forward_and_layer_norm.ipynb).
#
# **시간**: 75분.
#
# <details><summary>수업용 안내</summary>
#
# | 절 | 분 |
# |---|---|
# | 1 두 가지 말 | 13 |
# | 2 두 조각으로 나눈 어텐션 | 12 |
# | 3 두 조각으로 나눈 피드포워드, 그리고 계층 | 17 |
# | 4 같은 숫자 | 8 |
# | 5 토막 내기와 N개의 계층 | 14 |
# | 6 위치 정보와 인과 마스크의 자리 | 6 |
# | 7 BERT, RoBERTa, DeBERTa | 5 |
#
# 던져 볼 질문 두 가지: *두 잔차 연결이 모두 Output이라는 이름의 클래스 안에 있습니다. 좋은 점은 무엇이고 헷갈리는 점은 무엇일까요?*
# *두 프로그램이 같은 데이터에서 같은 손실을 냅니다. 그러면 같은 모델이라고 할 수 있을까요?*
#
# </details>

# %% name="setup" tags=["setup"]

# %% name="imports" tags=["imports"]
import dataclasses

import matplotlib.pyplot as plt
import torch
from torch import Tensor, nn

from tutorial_lib import data, device, plot, t
from tutorial_lib._sizes import require_tokens
from tutorial_lib.attention import scaled_dot_product_attention
from tutorial_lib.bert import NAMES, Config, LayerStack, from_bert, to_bert
from tutorial_lib.encoder import EncoderLayer
from tutorial_lib.exercises import lesson_08 as check
from tutorial_lib.feedforward import ACTIVATIONS
from tutorial_lib.masks import causal_mask, check_mask, padding_mask, to_additive
from tutorial_lib.text import Vocab
from tutorial_lib.trace import annotate_shapes, trace_shapes

# %% [markdown] lang="en" name="map"
# ## 1. Two languages
#
# Your `EncoderLayer` has eight parts with weights. **Guess first.** Post A needs six classes, `SelfAttention`, `SelfOutput`, `Attention`, `Intermediate`, `Output`, `Layer`. In which of them does each of your parts live? Here is the map, on the left yours, on the right the name under
# which BERT's weights are saved:

# %% [markdown] lang="ko" name="map" of="5406d752"
# ## 1. 두 가지 말
#
# 여러분의 `EncoderLayer`에는 파라미터를 가진 부품이 여덟 개 있습니다. **먼저 예상해 보세요.** 글 A에는 `SelfAttention`, `SelfOutput`, `Attention`, `Intermediate`, `Output`, `Layer`, 여섯 클래스가 나옵니다. 여러분의 부품은 저마다 어디에 들어 있을까요? 지도는 이렇습니다. 왼쪽이 여러분의 이름, 오른쪽이
# BERT의 파라미터를 저장할 때 쓰는 이름입니다.

# %% name="map-picture"
boxes, arrows = {}, []
for row, (ours, theirs) in enumerate(NAMES.items()):
    boxes[ours] = (0, -0.8 * row, ours, "part", 3, 0.6)
    boxes[f"{theirs}, BERT"] = (6, -0.8 * row, theirs, "frame" if "output" in theirs else "data", 4, 0.6)
    arrows.append((ours, f"{theirs}, BERT"))
plot.diagram(boxes, arrows)
plt.show()

# %% [markdown] lang="en" name="map-text"
# Read the right side from the dots: `attention.self` is a `SelfAttention`, `attention.output` a `SelfOutput`, and both together are the `Attention`. `intermediate` is the wide half of the feed-forward network. `output` without `attention` before it is the `Output` of the layer. Grey are the
# two classes that also hold the frame, residual connection and norm. (`Attention` and `Layer` have no weights of their own; they hold the others.)

# %% [markdown] lang="ko" name="map-text" of="4b2321ed"
# 오른쪽은 점을 따라 읽습니다. `attention.self`는 `SelfAttention`, `attention.output`은 `SelfOutput`이고, 둘을 합친 것이 `Attention`입니다. `intermediate`는 피드포워드의 넓히는 절반입니다. 앞에 `attention`이 없는 `output`은 계층의 `Output`입니다. 회색은 바깥 틀, 곧
# 잔차 연결과 norm까지 품은 두 클래스입니다. (`Attention`과 `Layer`는 자기 파라미터가 없고 나머지를 담습니다.)

# %% [markdown] lang="en" name="exercise-name-text" tags=["exercise"]
# ### Your turn · easy · about 6 minutes
#
# `bert_name(name)`: the name of one of your parameters, such as `self_attn.q_proj.weight`, becomes BERT's, `attention.self.query.weight`. `.weight` and `.bias` stay. You may use `NAMES`, or write the eight entries yourself.
#
# <details><summary>Hint 1</summary>A dictionary with eight entries: the names without .weight and .bias.</details>
# <details><summary>Hint 2</summary><code>part, kind = name.rsplit(".", 1)</code> takes the last word off.</details>

# %% [markdown] lang="ko" name="exercise-name-text" of="bf03ccc3" tags=["exercise"]
# ### 직접 해 보기 · 쉬움 · 약 6분
#
# `bert_name(name)`: 여러분의 파라미터 이름, 예를 들어 `self_attn.q_proj.weight`를 BERT의 이름 `attention.self.query.weight`로 바꾸세요. `.weight`와 `.bias`는 그대로 둡니다. `NAMES`를 써도 되고, 여덟 항목을 직접 적어도 됩니다.
#
# <details><summary>힌트 1</summary>항목이 여덟 개인 사전을 만드세요. .weight와 .bias를 뺀 이름들입니다.</details>
# <details><summary>힌트 2</summary><code>part, kind = name.rsplit(".", 1)</code>은 마지막 점 뒤의 조각을 떼어 냅니다.</details>


# %% name="exercise-name" tags=["exercise"]
def bert_name(name):
    # your turn
    ...


check.bert_name(bert_name)


# %% name="solution-name" tags=["solution"]
def bert_name(name):
    names = {
        "self_attn.q_proj": "attention.self.query",
        "self_attn.k_proj": "attention.self.key",
        "self_attn.v_proj": "attention.self.value",
        "self_attn.out_proj": "attention.output.dense",
        "attn_layer_norm": "attention.output.LayerNorm",
        "ff.linear1": "intermediate.dense",
        "ff.linear2": "output.dense",
        "ff_layer_norm": "output.LayerNorm",
    }
    part, kind = name.rsplit(".", 1)
    return f"{names[part]}.{kind}"


check.bert_name(bert_name)

# %% [markdown] lang="en" name="attention"
# ## 2. Attention in two pieces
#
# `SelfAttention` is your multi-head attention up to the point where the heads stand side by side. What follows, the multiplication with $W^O$ (post A writes $M^o$), dropout, the sum and the norm, is `SelfOutput`. Post A's `transpose_for_scores` is your `split_heads`.
#
# **Guess first.** Before you read the code, write down every shape that you expect on the way.

# %% [markdown] lang="ko" name="attention" of="be2decf3"
# ## 2. 두 조각으로 나눈 어텐션
#
# `SelfAttention`은 멀티 헤드 어텐션에서 헤드들이 나란히 놓이는 데까지입니다. 그다음에 오는 $W^O$ 곱하기(글 A는 $M^o$라고 씁니다), 드롭아웃, 더하기와 norm이 `SelfOutput`입니다. 글 A의 `transpose_for_scores`는 여러분의 `split_heads`입니다.
#
# **먼저 예상해 보세요.** 아래 코드를 읽기 전에, 지나는 동안 나올 모양을 모두 적어 보세요.

# %% name="library-self-attention"
# from tutorial_lib.bert: SelfAttention

# %% name="library-self-output"
# from tutorial_lib.bert: SelfOutput

# %% name="library-attention"
# from tutorial_lib.bert: Attention

# %% name="attention-run"
config = Config(vocab_size=50, hidden_size=8, num_hidden_layers=6, num_attention_heads=2, intermediate_size=16)
vocab = Vocab.build(data.sentences("ko"))
src = vocab.batch(["비가 와서 우산을 샀다.", "고양이가 잔다.", "잔다."]).to(device())  # src: [bs, sl]
mask = padding_mask(src, pad_id=vocab.pad_id)  # mask: [bs, 1, 1, sl]
hidden_states = torch.randn(3, 7, 8).to(device())  # hidden_states: [bs, sl, hid_dim]

# %% name="attention-trace"
attention = Attention(config).to(device()).eval()
sizes = {"bs": 3, "sl": 7, "hid_dim": 8, "pf_dim": 16, "n_heads": 2, "head_dim": 4}
annotate_shapes(attention.self, hidden_states, mask, output_attentions=True).named(**sizes)

# %% [markdown] lang="en" name="sample-zero"
# Four, apart from the mask: `[bs, sl, hid_dim]`, for a moment `[bs, sl, n_heads, head_dim]` inside `transpose_for_scores`, `[bs, n_heads, sl, head_dim]`, and the weights `[bs, n_heads, sl, sl]`. You know them from lesson 05.
#
# ### Break it: one `[0]` too many
#
# In the versions that post A knew, Hugging Face's `SelfAttention` returned a tuple, so its `Attention` took `self_outputs[0]`. Post A's `SelfAttention` returns the tensor itself, and its `Attention` takes `self_outputs[0]` all the same. **Guess first.** What is `[0]` of a tensor `[bs, sl, hid_dim]`, and will there be an error?
# We change sample 0 of the batch and look at which samples' outputs move.

# %% [markdown] lang="ko" name="sample-zero" of="434856d9"
# 마스크를 빼면 네 가지입니다. `[bs, sl, hid_dim]`, `transpose_for_scores` 안에서 잠깐 나오는 `[bs, sl, n_heads, head_dim]`, `[bs, n_heads, sl, head_dim]`, 그리고 가중치의 `[bs, n_heads, sl, sl]`입니다. 05강에서 본 모양들입니다.
#
# ### 일부러 망가뜨리기: `[0]` 한 번 더
#
# 글 A가 본 버전에서 Hugging Face의 `SelfAttention`은 튜플을 돌려주었고, `Attention`이 `self_outputs[0]`을 꺼냈습니다. 글 A의 `SelfAttention`은 텐서를 그대로 돌려주는데, 글 A의 `Attention`도 `self_outputs[0]`을 꺼냅니다. **먼저 예상해 보세요.** `[bs, sl, hid_dim]` 텐서의 `[0]`은 무엇이고, 오류가 날까요?
# 배치의 0번 문장을 바꾸고 어느 문장의 출력이 움직이는지 봅시다.


# %% name="sample-zero-run"
def repaired(hidden_states):
    return attention(hidden_states)[0]  # [bs, sl, hid_dim]


def with_zero(hidden_states):
    context_layer, _ = attention.self(hidden_states)
    return attention.output(context_layer[0], hidden_states)  # [bs, sl, hid_dim]


# %% name="sample-zero-moved"
changed = hidden_states.clone()  # changed: [bs, sl, hid_dim]
changed[0] = -changed[0]
moved = {}
with torch.no_grad():
    for name, run in ((t(en="repaired", ko="고친 것"), repaired), (t(en="with [0]", ko="[0]을 쓴 것"), with_zero)):
        moved[name] = (run(hidden_states) - run(changed)).abs().amax(dim=(1, 2)).cpu()

# %% name="sample-zero-picture"
names = [t(en=f"sentence {i}", ko=f"문장 {i}") for i in range(3)]
plot.bars(moved, names, xlabel=t(en="output of", ko="출력을 잰 문장"), ylabel=t(en="largest change", ko="가장 큰 변화"))
plt.show()

# %% [markdown] lang="en" name="sample-zero-text"
# No error: `[0]` is sample 0, `[sl, hid_dim]`, and in the sum it broadcasts over the batch. Every sentence gets the attention of sentence 0, and so all of them move. The result has the right shape, so a test of shapes passes, and so does any test with a single sentence. A test that changes one sentence sees it: *a sample's result does not depend on its batch*.
#
# ## 3. Feed-forward in two pieces, and a layer
#
# `Intermediate` widens and bends. `Output` comes back to `hid_dim` and, like `SelfOutput`, adds and normalises; the library writes it as a `SelfOutput` with another `dense`.

# %% [markdown] lang="ko" name="sample-zero-text" of="9c6cd6d6"
# 오류는 없습니다. `[0]`은 0번 문장, 곧 `[sl, hid_dim]`이고, 더할 때 배치 전체로 브로드캐스팅됩니다. 모든 문장이 0번 문장의 어텐션을 받으니 모두 움직입니다. 나오는 모양은 맞으니 모양만 보는 테스트는 통과하고, 문장 하나로 하는 테스트도 통과합니다. 문장 하나를 바꿔 보는 테스트라야 잡습니다. *한 문장의 결과는 같은 배치의 다른 문장에 좌우되지 않아야 합니다.*
#
# ## 3. 두 조각으로 나눈 피드포워드, 그리고 계층
#
# `Intermediate`는 넓히고 꺾습니다. `Output`은 `hid_dim`으로 되돌리고, `SelfOutput`처럼 더하고 정규화합니다. 라이브러리에서는 `SelfOutput`을 물려받아 `dense`만 바꾸었습니다.

# %% name="library-intermediate"
# from tutorial_lib.bert: Intermediate

# %% name="library-output"
# from tutorial_lib.bert: Output

# %% [markdown] lang="en" name="exercise-layer-text" tags=["exercise"]
# ### Your turn · medium · about 7 minutes
#
# The layer puts them together. `bert_layer(hidden_states, mask, attention, intermediate, output)`: `attention` returns a pair as above, and `output` gets two tensors, the one to narrow and the one to add. Return the layer's output alone. Post A's version forgets something here; yours need not.
#
# <details><summary>Hint 1</summary>Three lines: attention, intermediate, output.</details>
# <details><summary>Hint 2</summary>output gets two tensors: the wide one, and the one to add.</details>

# %% [markdown] lang="ko" name="exercise-layer-text" of="3ce9d419" tags=["exercise"]
# ### 직접 해 보기 · 보통 · 약 7분
#
# 계층은 이것들을 합칩니다. `bert_layer(hidden_states, mask, attention, intermediate, output)`에서 어텐션(`attention`)은 위에서처럼 출력과 가중치, 두 개를 돌려주고, `output`은 좁힐 텐서와 더할 텐서를 차례로 받습니다. 계층의 출력만 돌려주세요. 글 A는 여기서 한 가지를 빠뜨렸습니다. 여러분은 빠뜨리지 마세요.
#
# <details><summary>힌트 1</summary>세 줄입니다. attention, intermediate, output.</details>
# <details><summary>힌트 2</summary>output은 텐서 두 개를 받습니다. 넓힌 것과 더할 것입니다.</details>


# %% name="exercise-layer" tags=["exercise"]
def bert_layer(hidden_states, mask, attention, intermediate, output):
    # your turn
    ...


check.bert_layer(bert_layer)


# %% name="solution-layer" tags=["solution"]
def bert_layer(hidden_states, mask, attention, intermediate, output):
    attention_output, _ = attention(hidden_states, mask)  # attention_output: [bs, sl, hid_dim]
    intermediate_output = intermediate(attention_output)  # intermediate_output: [bs, sl, pf_dim]
    return output(intermediate_output, attention_output)  # [bs, sl, hid_dim]


check.bert_layer(bert_layer)

# %% [markdown] lang="en" name="layer-text"
# What post A forgets is the mask: its `Layer` calls `self.attention(hidden_states)`, and there it stops. It would be lost further in anyway, for post A's `SelfAttention` overwrites it with a causal mask of its own. Two places had to be repaired. The library's `Layer` (the chunks in it are section 5), and its trace:

# %% [markdown] lang="ko" name="layer-text" of="05328701"
# 글 A가 빠뜨린 것은 마스크입니다. `Layer`가 `self.attention(hidden_states)`라고 불러서 거기서 끊깁니다. 넘겼더라도 소용없었을 것입니다. 글 A의 `SelfAttention`이 자기 인과 마스크로 덮어쓰기 때문입니다. 두 군데를 고쳐야 했습니다. 라이브러리의 `Layer`입니다(안에 있는 토막 내기는 5절에서 봅니다). 추적도 함께 봅시다.

# %% name="library-layer"
# from tutorial_lib.bert: Layer

# %% name="layer-trace"
layer = Layer(config).to(device()).eval()
trace_shapes(layer, hidden_states, mask, sizes=sizes)

# %% [markdown] lang="en" name="swap"
# And why so many pieces? Post A finds in the end that they were pleasant to use. One can see why as soon as one wants to change something. Say the activation should be learned: a second linear layer decides how much of each number passes.

# %% [markdown] lang="ko" name="swap" of="4bbe9d85"
# 그런데 왜 이렇게 쪼갰을까요? 글 A는 정리하고 보니 "사용하기는 오히려 좋았다"라고 적습니다. 무언가를 바꾸려 해 보면 알 수 있습니다. 활성화 함수까지 학습하게 만들고 싶다고 합시다. 선형 계층을 하나 더 두고, 그 결과로 숫자마다 얼마나 통과시킬지 정하면 됩니다.


# %% name="swap-run"
class Gated(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.dense = nn.Linear(config.hidden_size, config.intermediate_size)
        self.gate = nn.Linear(config.hidden_size, config.intermediate_size)

    def forward(self, hidden_states):
        return self.dense(hidden_states) * self.gate(hidden_states).sigmoid()  # [bs, sl, pf_dim]


# %% name="swap-trace"
layer.intermediate = Gated(config).to(device())
trace_shapes(layer, hidden_states, mask, sizes=sizes).depth(2)

# %% [markdown] lang="en" name="same"
# Only the rows of `intermediate` are new. That is what the pieces are for: one is exchanged, and residual connections and norms stay as they are.
#
# ## 4. The same numbers
#
# Now the proof. `to_bert` makes a `Layer` of an `EncoderLayer`, using the map of section 1, and `from_bert` leads back. **Guess first.** BERT has GELU and an `eps` of 1e-12 where your layer has ReLU and 1e-5 (0.00001). Does the new layer have to be told?

# %% [markdown] lang="ko" name="same" of="b7bb73b0"
# 새로 생긴 것은 `intermediate` 아래의 줄뿐입니다. 그래서 쪼개 둔 것입니다. 한 조각만 바꿔 끼우면 되고, 잔차 연결과 norm은 손대지 않아도 됩니다.
#
# ## 4. 같은 숫자
#
# 이제 확인할 차례입니다. `to_bert`는 1절의 지도를 써서 `EncoderLayer`를 `Layer`로 만들고, `from_bert`는 되돌립니다. **먼저 예상해 보세요.** 여러분의 계층은 ReLU와 `eps` 1e-5(0.00001)를 쓰고, BERT는 GELU와 1e-12를 씁니다. 옮겨 받는 계층에 이것도 알려 주어야 할까요?

# %% name="same-run"
ours = EncoderLayer(hid_dim=8, pf_dim=16, n_heads=2).to(device()).eval()
theirs = to_bert(ours).to(device())
back = from_bert(theirs).to(device())
with torch.no_grad():
    expected = ours(hidden_states, mask)  # expected: [bs, sl, hid_dim]
    out, _ = theirs(hidden_states, mask)  # out: [bs, sl, hid_dim]
    again = back(hidden_states, mask)  # again: [bs, sl, hid_dim]
torch.allclose(out, expected, atol=1e-6), torch.allclose(again, expected, atol=1e-6)

# %% name="same-picture"
with torch.no_grad():
    _, our_weights = ours(hidden_states, mask, need_weights=True)  # our_weights: [bs, n_heads, sl, sl]
    _, probs = theirs(hidden_states, mask, output_attentions=True)  # probs: [bs, n_heads, sl, sl]
tokens = vocab.decode(src[1], specials=True)
titles = [t(en="EncoderLayer, untrained", ko="EncoderLayer, 학습 전"), t(en="Layer, untrained", ko="Layer, 학습 전")]
plot.attention_grid([our_weights[1, 0], probs[1, 0]], tokens, titles=titles, annotate=True)
plt.show()

# %% [markdown] lang="en" name="hf-text"
# The maps of head 0 agree in every cell, too. And yes, the layer has to be told, and `to_bert` does it: it takes activation, `eps` and dropout rates along. If only the weights are carried, into a layer with BERT's own settings, the result looks alike and is not the same:

# %% [markdown] lang="ko" name="hf-text" of="881fe958"
# 헤드 0의 히트맵도 모든 칸이 같습니다. 답은 '알려 주어야 한다'입니다. 그 일은 `to_bert`가 합니다. 활성화 함수와 `eps`와 드롭아웃 비율도 함께 옮깁니다. 파라미터만 BERT의 설정을 쓰는 계층에 옮기면 비슷하지만 같지는 않습니다.

# %% name="weights-only"
only_weights = Layer(config).to(device()).eval()  # GELU and 1e-12, as BERT has them
only_weights.load_state_dict(theirs.state_dict())
with torch.no_grad():
    gap = (only_weights(hidden_states, mask)[0] - expected).abs().max().item()
gap > 0.01

# %% [markdown] lang="en" name="hf-text-2"
# And Hugging Face's own class? If `transformers` is installed (`pip install transformers ipywidgets`), its `BertLayer` takes our weights as they are, because the names are the same. Its mask is the additive one of lesson 06.

# %% [markdown] lang="ko" name="hf-text-2" of="f6d64b3c"
# Hugging Face의 클래스는 어떨까요? `transformers`가 설치되어 있다면(`pip install transformers ipywidgets`) `BertLayer`는 우리 파라미터를 그대로 받습니다. 이름이 같기 때문입니다. 마스크는 06강의 덧셈 마스크를 씁니다.

# %% name="hf-run"
try:
    from transformers import BertConfig
    from transformers.models.bert.modeling_bert import BertLayer

    settings = dict(hidden_size=8, num_attention_heads=2, intermediate_size=16, hidden_act="relu", layer_norm_eps=1e-5)
    hugging_face = BertLayer(BertConfig(**settings, attn_implementation="eager")).to(device()).eval()
    hugging_face.load_state_dict(theirs.state_dict())
    with torch.no_grad():
        hf_out = hugging_face(hidden_states, to_additive(mask, dtype=torch.float32))
    hf_out = hf_out[0] if isinstance(hf_out, tuple) else hf_out  # a tuple in older versions
    print(torch.allclose(hf_out, out, atol=2e-6))
except ImportError:
    missing = t(en="transformers is not installed here:", ko="여기에는 transformers가 없습니다:")
    print(missing, "pip install transformers ipywidgets")

# %% [markdown] lang="en" name="chunks"
# The same, strictly loaded: every name had to be there, and no other. The tests of this repository repeat it with GELU and ReLU, both `eps`, padding masks and whole stacks.
#
# ## 5. Chunks, and N layers
#
# Post A says it has left out the code for chunks because its layer runs once, and that it must be put back for N layers. That takes one thing for another. **Guess first.** What is cut when a layer works in chunks: the stack of layers, the batch, or the places of a sentence?

# %% [markdown] lang="ko" name="chunks" of="7dc03731"
# 같습니다. 파라미터도 엄격하게 불러왔습니다. 이름이 하나라도 남거나 모자라면 오류가 나는 방식입니다. 이 저장소의 테스트는 GELU와 ReLU, 두 가지 `eps`, 패딩 마스크, 여러 계층으로도 같은 비교를 합니다.
#
# ## 5. 토막 내기와 N개의 계층
#
# 글 A는 계층을 한 번만 돌리므로 chunk 코드를 뺐고, N번 돌리려면 다시 넣어야 한다고 적습니다. 두 가지를 혼동한 것입니다. **먼저 예상해 보세요.** 계층이 토막을 내며 일할 때 잘리는 것은 쌓아 놓은 계층들일까요, 배치일까요, 문장의 자리들일까요?

# %% name="chunks-run"
cut = dataclasses.replace(config, chunk_size_feed_forward=4)
x = torch.randn(3, 12, 8).to(device())  # x: [bs, sl, hid_dim]
whole, chunked = Layer(config).to(device()).eval(), Layer(cut).to(device()).eval()
chunked.load_state_dict(whole.state_dict())
with torch.no_grad():
    same = torch.allclose(whole(x)[0], chunked(x)[0], atol=1e-6)
same

# %% name="chunks-trace"
trace_shapes(chunked, x, sizes={**sizes, "sl": 12})

# %% [markdown] lang="en" name="chunks-text"
# The places. `intermediate` is called three times, and each time returns `[bs, 4, pf_dim]` instead of one `[bs, 12, pf_dim]`. As the feed-forward network treats each token alone (lesson 07), the numbers are the same, and its wide tensor is a third as large. It is a **memory trick inside one layer**, mainly for a model that is being used; in training the pieces are kept for the way back. A length that is no multiple is refused:

# %% [markdown] lang="ko" name="chunks-text" of="0343ca30"
# 잘리는 것은 문장의 자리입니다. `intermediate`는 `[bs, 12, pf_dim]`을 한 번에 내놓지 않고 `[bs, 4, pf_dim]`을 세 번 내놓습니다. 피드포워드는 토큰을 하나씩 따로 다루므로(07강) 숫자는 그대로이고, 넓은 텐서의 크기가 3분의 1로 줄어듭니다. **계층 하나 안에서 메모리를 아끼는 기법**이고, 주로 학습이 끝난 모델을 쓸 때 쓸모가 있습니다(학습 중에는 역전파를 위해 토막들을 간직합니다). 길이가 토막 크기의 배수가 아니면 오류를 냅니다.

# %% name="chunks-refused"
try:
    chunked(x[:, :10])
except ValueError as error:
    print(error)

# %% [markdown] lang="en" name="exercise-chunks-text" tags=["exercise"]
# ### Your turn · a stretch · about 7 minutes
#
# `in_chunks(f, x, size)`: apply `f` to `size` places of `x` at a time (dim 1; the batch stays whole) and put the results together again. Here the last piece may be shorter. Do not look at `Layer` again.
#
# <details><summary>Hint 1</summary>Cut, apply, put together: three steps.</details>
# <details><summary>Hint 2</summary><code>x.split(size, dim=1)</code> and <code>torch.cat(..., dim=1)</code>.</details>

# %% [markdown] lang="ko" name="exercise-chunks-text" of="82b60133" tags=["exercise"]
# ### 직접 해 보기 · 도전 · 약 7분
#
# `in_chunks(f, x, size)`: `x`의 자리를 `size`개씩(dim 1, 배치는 자르지 않습니다) 잘라 `f`를 적용하고 결과를 다시 붙이세요. 여기서는 마지막 토막이 더 짧아도 됩니다. 위의 `Layer`를 다시 보지 말고 써 보세요.
#
# <details><summary>힌트 1</summary>자르고, 적용하고, 다시 붙입니다.</details>
# <details><summary>힌트 2</summary><code>x.split(size, dim=1)</code>과 <code>torch.cat(..., dim=1)</code>입니다.</details>


# %% name="exercise-chunks" tags=["exercise"]
def in_chunks(f, x, size):
    # your turn
    ...


check.in_chunks(in_chunks)


# %% name="solution-chunks" tags=["solution"]
def in_chunks(f, x, size):
    return torch.cat([f(piece) for piece in x.split(size, dim=1)], dim=1)


check.in_chunks(in_chunks)

# %% [markdown] lang="en" name="stack-text"
# And the N layers? They are what they were in lesson 04: an `nn.ModuleList` and a loop. Hugging Face calls it `BertEncoder`, the library `LayerStack`. It hands the mask on to every layer, and that is all:

# %% [markdown] lang="ko" name="stack-text" of="94e445c5"
# 그러면 N개의 계층은 무엇일까요? 04강에서 본 대로 `nn.ModuleList`와 반복문입니다. Hugging Face에서는 `BertEncoder`, 라이브러리에서는 `LayerStack`이라고 부릅니다. 모든 계층에 마스크를 넘겨주고, 그게 전부입니다.

# %% name="stack-trace"
stack = LayerStack(config).to(device()).eval()
trace_shapes(stack, hidden_states, mask, sizes=sizes).depth(2)

# %% [markdown] lang="en" name="belong"
# ## 6. Where positions and the causal mask belong
#
# Post A adds learned positions and a causal mask inside `SelfAttention`, for a use of its own (it predicts a series), and says that this is not the Transformer's structure. Both are in the paper, but elsewhere: learned positions are tried in its section 3.5, and the causal mask belongs to the decoder (3.2.3). BERT does learn its positions.
#
# Post A's place means that positions reach query, key and value, but not the residual connection, which carries the input *without* them; and every layer has a table of its own. BERT adds one table once, before the first layer, and the residual carries it on. **Guess first.** We put the same vector at eight places, so that only positions can tell them apart. How far apart will the places be, from layer to layer?

# %% [markdown] lang="ko" name="belong" of="23199168"
# ## 6. 위치 정보와 인과 마스크의 자리
#
# 글 A는 학습하는 위치 정보와 인과 마스크를 개인적인 용도(시계열 예측)로 `SelfAttention` 안에 넣었고, 트랜스포머에서 쓰는 구조는 아니라고 적습니다. 둘 다 논문에 있습니다. 다만 다른 곳에 있습니다. 학습하는 위치 정보는 논문 3.5절에서 시험해 보았고, 인과 마스크는 디코더에 있습니다(3.2.3절). BERT는 실제로 위치 정보를 학습합니다.
#
# 글 A의 자리에 넣으면 위치 정보가 쿼리와 키와 값에는 들어가지만 잔차 연결에는 들어가지 않습니다. 잔차 연결로는 위치를 더하지 *않은* 입력이 지나갑니다. 그리고 계층마다 표가 따로 있습니다. BERT는 첫 계층 앞에서 표 하나를 한 번 더하고, 잔차 연결이 그것을 실어 나릅니다. **먼저 예상해 보세요.** 여덟 자리에 같은 벡터를 놓아 위치 말고는 다를 것이 없게 합니다. 계층을 지나며 자리들은 서로 얼마나 떨어져 있을까요?

# %% name="belong-run"
tables = 0.5 * torch.randn(6, 8, 8).to(device())  # tables: [6, sl, hid_dim]
same_token = torch.randn(1, 1, 8).expand(1, 8, 8).to(device())  # same_token: [1, sl, hid_dim]


def distances(post_a):
    h, found = same_token if post_a else same_token + tables[0], []
    for one_layer, table in zip(stack.layer, tables):
        context_layer, _ = one_layer.attention.self(h + table if post_a else h)
        h = one_layer.feed_forward_chunk(one_layer.attention.output(context_layer, h))
        found.append((h - h.mean(dim=1, keepdim=True)).norm(dim=-1).mean().item())
    return found


# %% name="belong-picture"
with torch.no_grad():
    apart = {
        t(en="once, as BERT", ko="한 번, BERT처럼"): distances(False),
        t(en="post A's place", ko="글 A의 자리"): distances(True),
    }
ylabel = t(en="distance from their mean", ko="평균에서 떨어진 거리")
plot.lines(range(6), apart, xlabel=t(en="layer", ko="계층"), ylabel=ylabel).set_ylim(bottom=0)
plt.show()

# %% [markdown] lang="en" name="belong-text"
# Added once, the positions live on in the residual, however the (untrained) layers mix. In post A's place the eight places stay almost equal: each averages nearly the same values, and its own position is never added to it. Training can make more of it, and for a series that may do. But it is another model, with six tables instead of one, and weights of a BERT do not fit it.
#
# The causal mask is a switch of the library's `Config`. With it the layer still runs, but a token no longer sees what follows:

# %% [markdown] lang="ko" name="belong-text" of="35d34117"
# 한 번 더하면, 학습하지 않은 계층들이 아무리 섞어도 위치 정보가 잔차 연결을 타고 남습니다. 글 A의 자리에서는 여덟 자리가 거의 똑같습니다. 저마다 거의 같은 값들을 평균하고, 자기 위치는 한 번도 자신에게 더해지지 않기 때문입니다. 학습하면 나아질 수 있고, 시계열에는 그것으로 충분할 수도 있습니다. 하지만 표가 하나가 아니라 여섯인 별개의 모델이고, BERT의 파라미터는 맞지 않습니다.
#
# 인과 마스크는 라이브러리 `Config`의 스위치입니다. 켜도 계층은 돌아가지만, 토큰이 뒤에 오는 것을 보지 못합니다.

# %% name="causal-picture"
causal = Layer(dataclasses.replace(config, is_causal=True)).to(device()).eval()
causal.load_state_dict(whole.state_dict())
with torch.no_grad():
    maps = [one(hidden_states, mask, output_attentions=True)[1][0, 0] for one in (whole, causal)]
titles = [
    t(en="BERT's encoder, untrained", ko="BERT의 인코더, 학습 전"),
    t(en="is_causal, untrained", ko="is_causal, 학습 전"),
]
plot.attention_grid(maps, vocab.decode(src[0], specials=True), titles=titles, annotate=True)
plt.show()

# %% [markdown] lang="en" name="models"
# On the right the triangle of lesson 06. This is no longer BERT's encoder: that one reads in both directions, which is the B in its name (bidirectional).
#
# ## 7. BERT, RoBERTa, DeBERTa
#
# Post B counts all three among the encoders whose structure was taken from the Transformer. **Guess first.** In which numbers do their base models differ? This is what their published configurations say:

# %% [markdown] lang="ko" name="models" of="a63f3487"
# 오른쪽은 06강의 삼각형입니다. 이것은 더 이상 BERT의 인코더가 아닙니다. BERT는 양쪽을 다 읽고, 이름의 B가 바로 그 뜻(bidirectional)입니다.
#
# ## 7. BERT, RoBERTa, DeBERTa
#
# 글 B는 셋 모두 트랜스포머에서 인코더 구조만 따온 모델로 꼽습니다. **먼저 예상해 보세요.** base 크기의 모델끼리 어느 숫자가 다를까요? 공개된 설정은 이렇습니다.

# %% name="models-table"
models = data.checkpoints()
print(f"{'':24}", *(f"{model['name']:>9}" for model in models))
for field in list(models[0])[2:]:
    values = [f"{model[field]!s:>9}" for model in models]
    print(f"{field:24}", *values, "  <- differs" if len(set(values)) > 1 else "")


# %% name="models-count"
def millions(model):
    sizes = {field: model[field] for field in ("hidden_size", "num_attention_heads", "intermediate_size")}
    with torch.device("meta"):  # counted, not built
        one_layer = Layer(Config(vocab_size=1, num_hidden_layers=1, **sizes))
    words = model["vocab_size"] * model["hidden_size"]
    layers = model["num_hidden_layers"] * sum(p.numel() for p in one_layer.parameters())
    return words / 1e6, layers / 1e6


# %% name="models-picture"
words, layers = zip(*(millions(model) for model in models[:2]))
counted = {t(en="word vectors", ko="단어 벡터"): words, t(en="12 layers", ko="열두 계층"): layers}
ax = plot.bars(counted, ["BERT", "RoBERTa"], xlabel="", ylabel=t(en="million parameters", ko="파라미터 (백만)"))
ax.legend(frameon=False, loc="upper left", bbox_to_anchor=(1, 1))
plt.show()

# %% [markdown] lang="en" name="models-text"
# (From `config.json` of [bert-base-uncased](https://huggingface.co/google-bert/bert-base-uncased), [roberta-base](https://huggingface.co/FacebookAI/roberta-base) and [deberta-base](https://huggingface.co/microsoft/deberta-base); the library's file has the date.)
#
# **RoBERTa** is BERT's encoder, trained longer and with another vocabulary, and so the table of word vectors is larger; the 12 layers have 85 million parameters in both. It has one token type where BERT has two (a number that says whether a token is from the first or the second of two texts), and counts its positions from 2: of the 514 rows, 512 are for real tokens, one is for padding, one is never used.
#
# **DeBERTa** is an encoder, too, but not this one. With `relative_attention` no position is added to the words; attention has extra matrices for the *distance* of two words and scores word with word, word with distance, and distance with word ("disentangled"). Its weights do not fit these classes, and its layers are not counted here.
#
# One more trap: a configuration made by hand takes what it does not say from the defaults of `transformers`, and they are not always those of the published model.

# %% [markdown] lang="ko" name="models-text" of="2b5ddd39"
# ([bert-base-uncased](https://huggingface.co/google-bert/bert-base-uncased), [roberta-base](https://huggingface.co/FacebookAI/roberta-base), [deberta-base](https://huggingface.co/microsoft/deberta-base)의 `config.json`에서 가져왔습니다. 날짜는 라이브러리의 데이터 파일에 적어 두었습니다.)
#
# **RoBERTa**는 BERT의 인코더를 다른 어휘집으로 더 오래 학습한 것입니다. 그래서 단어 벡터의 표가 더 크고, 열두 계층의 파라미터는 둘 다 약 8,500만 개입니다. 토큰 종류(두 글을 함께 넣을 때 첫째 글의 토큰인지 둘째 글의 토큰인지)가 BERT에는 둘인데 여기는 하나입니다. 위치는 2부터 셉니다. 514행 가운데 512행은 진짜 토큰에, 한 행은 패딩에 쓰고, 한 행은 쓰지 않습니다.
#
# **DeBERTa**도 인코더이지만 이 인코더는 아닙니다. `relative_attention`이 켜져 있으면 위치를 단어에 더하지 않습니다. 어텐션에 두 단어 사이의 *거리*를 위한 행렬이 더 있어서, 단어와 단어, 단어와 거리, 거리와 단어를 따로 견줍니다("disentangled", 풀어서 나눈 어텐션). 그래서 파라미터가 이 클래스들에 맞지 않고, 계층의 파라미터도 여기서는 세지 않았습니다.
#
# 함정이 하나 더 있습니다. 설정을 손으로 만들면 적지 않은 값은 `transformers`의 기본값으로 채워지는데, 공개된 모델의 값과 늘 같지는 않습니다.

# %% name="models-defaults"
try:
    from transformers import DebertaConfig, RobertaConfig

    for model, default in ((models[1], RobertaConfig()), (models[2], DebertaConfig())):
        fields = [field for field in list(model)[2:] if getattr(default, field, model[field]) != model[field]]
        print(f"{model['name']:8}", {field: (getattr(default, field), model[field]) for field in fields})
except ImportError:
    missing = t(en="transformers is not installed here:", ko="여기에는 transformers가 없습니다:")
    print(missing, "pip install transformers ipywidgets")

# %% [markdown] lang="en" name="summary"
# Each pair is (default, published).
#
# ## What you have now
#
# - A map of eight names. BERT's layer and yours are the same sum; weights go both ways, and activation, `eps` and dropout with them.
# - `SelfOutput` and `Output` hold the frame; `SelfAttention` and `Intermediate` what is inside it.
# - Two of post A's faults: `[0]` of a tensor is sample 0, and a mask that `Layer` does not hand on.
# - Chunks save memory inside one layer. N layers are a `ModuleList` and a loop.
# - BERT adds positions once, and the residual carries them; a causal mask makes it another model; DeBERTa's attention is another.
#
# Next: *09 · Text classification*, where the encoder goes to work.
#
# **Further reading**: [BERT](https://arxiv.org/abs/1810.04805) · [RoBERTa](https://arxiv.org/abs/1907.11692) · [DeBERTa](https://arxiv.org/abs/2006.03654)

# %% [markdown] lang="ko" name="summary" of="62fa679b"
# 괄호 안은 차례로 기본값과 공개된 값입니다.
#
# ## 정리
#
# - 이름 여덟 개만 바꾸면 BERT의 계층과 여러분의 계층은 같은 계산입니다. 파라미터는 양쪽으로 옮길 수 있고, 활성화 함수와 `eps`와 드롭아웃도 함께 옮겨야 합니다.
# - `SelfOutput`과 `Output`에는 바깥 틀이, `SelfAttention`과 `Intermediate`에는 그 안의 것이 들어 있습니다.
# - 글 A의 잘못 두 가지: 텐서에 `[0]`을 써서 0번 문장만 꺼냈고, `Layer`가 마스크를 어텐션에 넘기지 않았습니다.
# - 토막 내기는 계층 하나 안에서 메모리를 아낍니다. N개의 계층은 `ModuleList`와 반복문입니다.
# - BERT는 위치 정보를 한 번 더하고 잔차 연결이 그것을 실어 나릅니다. 인과 마스크를 켜면 다른 모델이 됩니다. DeBERTa는 어텐션 자체가 다른 인코더입니다.
#
# 다음: *09 · 텍스트 분류*. 인코더에 일을 시킵니다.
#
# **더 읽을거리**: [BERT](https://arxiv.org/abs/1810.04805) · [RoBERTa](https://arxiv.org/abs/1907.11692) · [DeBERTa](https://arxiv.org/abs/2006.03654)
