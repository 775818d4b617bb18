# ---
# jupyter:
#   jupytext:
#     formats: py:percent
#     cell_metadata_filter: lang,of,name,tags,-all
# ---

# %% [markdown] lang="en" name="title"
# # 02 · The Transformer at a glance
#
# The Transformer was built to translate, and it has two halves: one reads, the other writes. This series is about the half that reads.
# In this lesson you see where it stands in the whole, what it can be used for, and its flow in one picture.
#
# **You will be able to**
#
# - say what the encoder and the decoder are for, and what each may look at;
# - name three tasks for an encoder alone, with the shape of the answer of each;
# - follow the flow of an encoder in a picture that is drawn from a run.
#
# **Read first**: [01 · Text to tensor](01_text_to_tensor.ipynb).
#
# **Time**: 35 minutes.
#
# <details><summary>For the classroom</summary>
#
# | Section | Minutes |
# |---|---|
# | 1 Two halves | 7 |
# | 2 Who may look where | 8 |
# | 3 An encoder alone, and its tasks | 12 |
# | 4 The flow in one picture | 8 |
#
# Two questions to ask: *Why must the half that writes not see the whole English sentence while it learns?*
# *To find the names of people in a sentence, do you need one answer per sentence or one per token?*
#
# </details>

# %% [markdown] lang="ko" name="title" of="4547e871"
# # 02 · 한눈에 보는 트랜스포머
#
# 트랜스포머는 번역을 하려고 만든 모델이고, 둘로 나뉩니다. 한쪽은 읽고 다른 쪽은 씁니다. 이 시리즈는 읽는 쪽을 다룹니다.
# 이 강의에서는 인코더가 전체에서 어디에 있는지, 무엇에 쓰는지, 그리고 데이터가 어떻게 흘러가는지를 그림으로 봅니다.
#
# **이 강의를 마치면**
#
# - 인코더와 디코더가 각각 무엇을 하는지, 무엇을 보아도 되는지 말할 수 있습니다.
# - 인코더만으로 하는 일 세 가지와, 일마다 답의 모양이 무엇인지 말할 수 있습니다.
# - 인코더의 흐름을, 실제로 돌려서 그린 그림으로 따라갈 수 있습니다.
#
# **먼저 볼 것**: [01 · 텍스트를 텐서로](01_text_to_tensor.ipynb).
#
# **시간**: 35분.
#
# <details><summary>수업용 안내</summary>
#
# | 절 | 분 |
# |---|---|
# | 1 읽는 쪽과 쓰는 쪽 | 7 |
# | 2 누가 어디를 볼 수 있나 | 8 |
# | 3 인코더만으로 하는 일 | 12 |
# | 4 그림 한 장으로 보는 흐름 | 8 |
#
# 던져 볼 질문 두 가지: *쓰는 쪽은 학습할 때 왜 영어 문장 전체를 보면 안 될까요?*
# *문장에서 사람 이름을 찾으려면 문장마다 답이 하나 필요할까요, 토큰마다 하나 필요할까요?*
#
# </details>

# %% name="setup" tags=["setup"]

# %% name="imports" tags=["imports"]
import matplotlib.pyplot as plt
import torch
from torch import nn

from tutorial_lib import data, device, plot, t
from tutorial_lib.encoder import Encoder
from tutorial_lib.exercises import lesson_02 as check
from tutorial_lib.masks import causal_mask, padding_mask
from tutorial_lib.text import Vocab
from tutorial_lib.trace import trace_shapes

# %% [markdown] lang="en" name="two-halves"
# ## 1. Two halves
#
# Suppose you translate "나는 책을 읽었다" into "I read a book". **Guess first.** When do you need the whole Korean sentence,
# and when do you need the English words that you have written so far?

# %% [markdown] lang="ko" name="two-halves" of="3633252b"
# ## 1. 읽는 쪽과 쓰는 쪽
#
# "나는 책을 읽었다"를 "I read a book"으로 옮긴다고 합시다. **먼저 예상해 보세요.** 한국어 문장 전체는 언제 필요하고,
# 지금까지 쓴 영어 단어들은 언제 필요할까요?

# %% name="halves-picture"
source, target = t(en="Korean sentence", ko="한국어 문장"), t(en="English so far", ko="지금까지 쓴 영어")
vectors, guess = t(en="a vector per token", ko="토큰마다 벡터 하나"), t(en="next word", ko="다음 단어")
boxes = {
    "encoder": (0, 2.4, t(en="Encoder: reads", ko="인코더: 읽기"), "group", 3.2, 3.4),
    "decoder": (5.2, 2.4, t(en="Decoder: writes", ko="디코더: 쓰기"), "group", 3.2, 3.4),
    "src": (0, -0.2, source, "data"),
    "enc-0": (0, 1.4, "EncoderLayer 0", "part"),
    "enc-5": (0, 3.0, "EncoderLayer 5", "part"),
    "trg": (5.2, -0.2, target, "data"),
    "dec-0": (5.2, 1.4, "DecoderLayer 0", "part"),
    "dec-5": (5.2, 3.0, "DecoderLayer 5", "part"),
    "out": (5.2, 4.8, guess, "data"),
}
six = t(en="six in all", ko="모두 여섯")
arrows = [("src", "enc-0"), ("enc-0", "enc-5", six), ("enc-5", "dec-5", vectors)]
arrows += [("trg", "dec-0"), ("dec-0", "dec-5", six), ("dec-5", "out")]
plot.diagram(boxes, arrows)
plt.show()

# %% [markdown] lang="en" name="halves-text"
# The left half, the **encoder**, reads the whole Korean sentence at once and gives every token a vector. The right half, the **decoder**, gets the
# English words written so far, looks at the encoder's vectors each time, and proposes the next word. (Each of the six
# decoder layers looks; we draw one arrow for all of them.) The next word joins the English so far, and the decoder goes on.
#
# So the Korean sentence is read once, and the English is written a word at a time.
#
# ## 2. Who may look where
#
# Both halves are made of attention, and differ in what a token may look at. **Guess first.** While it learns, the decoder is given the whole English
# sentence, and has to propose every word from the ones before it. What must it not see?

# %% [markdown] lang="ko" name="halves-text" of="cd1150f4"
# 왼쪽의 **인코더**는 한국어 문장 전체를 한꺼번에 읽고 토큰마다 벡터를 하나씩 만듭니다. 오른쪽의 **디코더**는 지금까지 쓴 영어 단어들을 받고,
# 매번 인코더의 벡터를 들여다보면서 다음 단어를 내놓습니다. (디코더 계층 여섯 개가 모두 들여다보지만 화살표는 하나만 그렸습니다.) 그 단어를 지금까지 쓴 영어 뒤에 붙이고 계속합니다.
#
# 그러니까 한국어 문장은 한 번 읽고, 영어는 한 단어씩 씁니다.
#
# ## 2. 누가 어디를 볼 수 있나
#
# 두 쪽 모두 어텐션으로 이루어지지만, 토큰이 무엇을 볼 수 있는지가 다릅니다. **먼저 예상해 보세요.** 학습할 때 디코더는 영어 문장 전체를 받고,
# 단어마다 그 앞의 단어들만 가지고 알아맞혀야 합니다. 보면 안 되는 것은 무엇일까요?

# %% name="who-looks"
tokens = ["<BOS>", "I", "read", "a"]
everything = torch.ones(1, 1, 4, 4, dtype=torch.bool)  # everything: [1, 1, sl, sl]
no_future = causal_mask(4)  # no_future: [1, 1, sl, sl]

allowed = torch.cat([everything, no_future])[:, 0].float()  # allowed: [2, sl, sl]
plot.attention_grid(
    allowed, tokens, titles=[t(en="as an encoder", ko="인코더라면"), t(en="as a decoder", ko="디코더라면")], bar=False
)
plt.show()

# %% [markdown] lang="en" name="who-looks-text"
# Dark means "may look". In an encoder every token may look at every token of its sentence, before and after it. In the decoder a token may look at itself and at earlier
# tokens of the English, never ahead: the place of "read" has to guess "a", and that is the next column. (At the Korean it may look everywhere.) That is a **mask**, the same kind of thing that kept attention off the padding in
# lesson 00 (lesson 06 is about masks).
#
# A reader who sees both sides understands more: in "He went to the bank to fish" only the last word tells which bank. That is the encoder's strength.
#
# ## 3. An encoder alone, and its tasks
#
# Very often nothing has to be written. Which of four topics is this sentence about? Which words are names? Does the second sentence follow from the first? For such
# questions the reading half is enough, and models such as BERT, RoBERTa and DeBERTa are encoders only (lesson 08 says how they differ).
#
# In the simplest form they all end in the same way: a small linear layer, the *head*, turns vectors into scores. (A head of this kind has nothing to do with the heads of attention.)
# **Guess first.** Three sentences go in, as rows of 7 places. How many rows of scores does a topic need, and how many the names?

# %% [markdown] lang="ko" name="who-looks-text" of="07dd9648"
# 진한 칸이 "볼 수 있다"는 뜻입니다. 인코더라면 모든 토큰이 자기 문장의 앞뒤를 모두 볼 수 있습니다. 디코더라면 토큰은 영어의 자기 자신과 앞쪽만 볼 수 있고
# 뒤쪽은 볼 수 없습니다. 'read' 자리가 알아맞혀야 할 다음 단어 'a'가 바로 다음 열에 있기 때문입니다. (한국어는 어디든 볼 수 있습니다.) 이것이 **마스크**입니다. 00강에서 패딩을 가린 것과 같은 것이고, 06강에서 자세히 다룹니다.
#
# 양쪽을 다 보면 더 잘 이해할 수 있습니다. "배가 고파서 배를 깎았다"에서 첫 번째 '배'가 무엇인지는 뒤를 읽어야 압니다. 이것이 인코더의 강점입니다.
#
# ## 3. 인코더만으로 하는 일
#
# 아무것도 쓸 필요가 없을 때가 많습니다. 이 문장은 네 가지 주제 가운데 무엇에 관한 것일까? 어느 단어가 이름일까? 첫째 문장이 참이면 둘째 문장도 참일까? 이런 물음에는
# 읽는 쪽만 있으면 됩니다. BERT, RoBERTa, DeBERTa 같은 모델은 인코더만으로 되어 있습니다(어떻게 다른지는 08강에서 봅니다).
#
# 가장 간단한 꼴로는 마지막 단계가 세 가지 일에서 모두 같습니다. *헤드*라고 부르는 작은 선형 계층이 벡터를 점수로 바꿉니다. (이 헤드는 어텐션의 헤드와 아무 상관이 없습니다.)
# **먼저 예상해 보세요.** 문장 세 개를 자리 7개짜리 행으로 넣습니다. 주제를 맞히려면 점수가 몇 줄 필요하고, 이름을 찾으려면 몇 줄 필요할까요?

# %% name="encode"
sentences = ["영화가 길어서 졸렸다.", "The cat sleeps.", "우리 고양이는 물을 싫어한다."]
vocab = Vocab.build(data.sentences("ko") + data.sentences("en"))
src = vocab.batch(sentences).to(device())  # src: [bs, sl]
src_mask = padding_mask(src, pad_id=vocab.pad_id)  # src_mask: [bs, 1, 1, sl]

encoder = Encoder(input_dim=len(vocab), hid_dim=8, pf_dim=16, n_heads=2, n_layers=6).to(device()).eval()
with torch.no_grad():
    out = encoder(src, src_mask)  # out: [bs, sl, hid_dim]
out.shape

# %% [markdown] lang="en" name="classify-text"
# **Classification**: one row of scores for each sentence, here 3. The head needs one vector that stands for the sentence. A common choice is the vector of `<BOS>`: it is
# in every sentence at the same place, has no meaning of its own, and can learn to gather that of the others.

# %% [markdown] lang="ko" name="classify-text" of="72056a74"
# **분류**: 문장마다 점수가 한 줄이니 여기서는 3줄입니다. 헤드에는 문장을 대표하는 벡터 하나가 필요합니다. 흔히 `<BOS>`의 벡터를 씁니다. 어느 문장에서나 같은 자리에 있고,
# 자기 뜻이 따로 없어서 다른 토큰의 뜻을 모으는 법을 배울 수 있기 때문입니다.

# %% name="classify"
n_classes = 4
classify = nn.Linear(8, n_classes).to(device())
first = out[:, 0]  # first: [bs, hid_dim]
classify(first).shape

# %% [markdown] lang="en" name="tag-text"
# **Named entities**: one row for each place, here 3 × 7, with a score for each tag: eight for the beginning and the inside of four kinds of names, and one for "no name".
# The head works on every token alike, so nothing has to be picked out.

# %% [markdown] lang="ko" name="tag-text" of="7ac7942c"
# **개체명 인식**: 자리마다 한 줄이니 여기서는 3 × 7줄이고, 태그마다 점수가 있습니다. 네 종류 이름의 시작과 속에 여덟 개, "이름 아님"에 하나입니다.
# 헤드를 모든 토큰에 똑같이 적용하므로 아무것도 골라낼 필요가 없습니다.

# %% name="tag"
n_tags = 9
tag = nn.Linear(8, n_tags).to(device())
tag(out).shape

# %% [markdown] lang="en" name="infer-text"
# **Inference** (natural language inference): does "my coat got wet" follow from "it rained", does it contradict it, or neither? Both go in as one row, one after the other, with an `<EOS>` between them.
# Attention runs across the border, so each sentence is read in light of the other. Then it is a classification again, of the pair. (There is no padding here, so no mask is needed.)

# %% [markdown] lang="ko" name="infer-text" of="92afeb84"
# **추론**(자연어 추론): "비가 왔다"에서 "옷이 젖었다"가 따라 나올까요, 서로 모순될까요, 둘 다 아닐까요? 두 문장을 `<EOS>`를 사이에 두고 이어서 한 행으로 넣습니다.
# 어텐션은 경계를 넘나들므로 두 문장을 서로에 비추어 읽게 됩니다. 그다음은 다시 분류인데, 이번에는 쌍을 분류합니다. (여기에는 패딩이 없어서 마스크가 필요 없습니다.)

# %% name="infer"
pair = vocab.encode("비가 왔다.") + vocab.encode("옷이 젖었다.")[1:]
pair = torch.tensor([pair]).to(device())  # pair: [1, sl]
plot.batch_grid(pair, [vocab.decode(pair[0], specials=True)], pad_id=vocab.pad_id)
plt.show()
with torch.no_grad():
    judge = nn.Linear(8, 3).to(device())
    score = judge(encoder(pair)[:, 0])  # score: [1, 3]
score.shape

# %% [markdown] lang="en" name="break-first"
# ### Break it: the first sentence in place of the first token
#
# `out[:, 0]` takes the first token of every sentence. `out[0]` looks almost the same. What does the head make of it?

# %% [markdown] lang="ko" name="break-first" of="70c80d13"
# ### 일부러 망가뜨리기: 첫 토큰 대신 첫 문장
#
# `out[:, 0]`은 모든 문장의 첫 토큰을 가져옵니다. `out[0]`은 거의 똑같아 보입니다. 헤드에 넣으면 어떻게 될까요?

# %% name="first-sentence"
classify(out[0]).shape

# %% [markdown] lang="en" name="exercise-first-text" tags=["exercise"]
# No error: scores for the tokens of sentence 0, and the other two sentences are gone. With as many sentences as places even the shape would be right. Post A has
# this very slip: its `self_outputs[0]` is taken from a tensor, where BERT's own code takes it from a tuple (lesson 08).
#
# ### Your turn · easy · about 3 minutes
#
# `first_token(out)`: the vector of the first token of each sentence, `[bs, sl, hid_dim]` → `[bs, hid_dim]`.
#
# <details><summary>Hint 1</summary>Which of the three axes has to disappear?</details>
# <details><summary>Hint 2</summary>An index takes one place of an axis, a colon keeps the whole axis.</details>

# %% [markdown] lang="ko" name="exercise-first-text" of="edde55d9" tags=["exercise"]
# 오류가 나지 않습니다. 0번 문장의 토큰마다 점수가 나오고, 나머지 두 문장은 사라졌습니다. 문장 수와 자리 수가 같았다면 모양까지 맞았을 것입니다.
# 글 A의 `self_outputs[0]`이 바로 이 실수입니다. BERT의 코드는 튜플에서 꺼내지만 글 A는 텐서에서 꺼냅니다(08강).
#
# ### 직접 해 보기 · 쉬움 · 약 3분
#
# 문장마다 첫 토큰의 벡터를 돌려주는 `first_token(out)`을 완성하세요: `[bs, sl, hid_dim]` → `[bs, hid_dim]`.
#
# <details><summary>힌트 1</summary>세 축 가운데 사라져야 할 축은 무엇일까요?</details>
# <details><summary>힌트 2</summary>숫자 인덱스는 축에서 한 자리를 꺼내고, 콜론은 축을 통째로 남깁니다.</details>


# %% name="exercise-first" tags=["exercise"]
def first_token(out):
    # your turn
    ...


check.first_token(first_token)


# %% name="solution-first" tags=["solution"]
def first_token(out):
    return out[:, 0]  # [bs, hid_dim]


check.first_token(first_token)

# %% [markdown] lang="en" name="exercise-shapes-text" tags=["exercise"]
# ### Your turn · a stretch · about 6 minutes
#
# Predict shapes without running anything. An encoder with the hidden dimension `hid_dim` reads `bs` sentences of `sl` places each. Return a list of three shapes, each a list of numbers:
# the shape of the encoder's output, of the scores for a classification into `n` classes, and of the scores for tagging each token with one of `n` tags.
#
# <details><summary>Hint 1</summary>The first of the three is <code>[bs, sl, hid_dim]</code>.</details>
# <details><summary>Hint 2</summary>A linear layer changes the last axis only.</details>

# %% [markdown] lang="ko" name="exercise-shapes-text" of="a0e02b13" tags=["exercise"]
# ### 직접 해 보기 · 도전 · 약 6분
#
# 아무것도 돌리지 않고 모양을 예측해 보세요. 은닉 차원이 `hid_dim`인 인코더에 자리가 `sl`개인 문장을 `bs`개 넣습니다. 모양 세 개를 담은 리스트를 돌려주세요. 모양 하나는 숫자 리스트입니다.
# 인코더 출력의 모양, `n`개 클래스로 분류하는 점수의 모양, 토큰마다 `n`개 태그 가운데 하나를 붙이는 점수의 모양 순서입니다.
#
# <details><summary>힌트 1</summary>셋 가운데 첫째는 <code>[bs, sl, hid_dim]</code>입니다.</details>
# <details><summary>힌트 2</summary>선형 계층은 마지막 축만 바꿉니다.</details>


# %% name="exercise-shapes" tags=["exercise"]
def predict_shapes(bs, sl, hid_dim, n):
    # your turn: return [..., ..., ...]
    ...


check.predict_shapes(predict_shapes)


# %% name="solution-shapes" tags=["solution"]
def predict_shapes(bs, sl, hid_dim, n):
    return [[bs, sl, hid_dim], [bs, n], [bs, sl, n]]


check.predict_shapes(predict_shapes)

# %% [markdown] lang="en" name="flow"
# ## 4. The flow in one picture
#
# What happens inside the encoder, from ids to vectors? Here is its flow. We did not draw it by hand: it is the trace of a run, turned into a picture.
# **Guess first.** How many different shapes does `src` have on its way?

# %% [markdown] lang="ko" name="flow" of="837f814a"
# ## 4. 그림 한 장으로 보는 흐름
#
# 번호가 들어가서 벡터가 나오기까지 인코더 안에서는 무슨 일이 일어날까요? 흐름을 그려 봅시다. 손으로 그린 것이 아니라, 실제로 돌린 추적을 그림으로 바꾼 것입니다.
# **먼저 예상해 보세요.** `src`의 모양은 지나는 동안 몇 가지일까요?

# %% name="flow-picture"
sizes = {"bs": src.size(0), "sl": src.size(1), "hid_dim": 8}
trace = trace_shapes(encoder, src, src_mask, sizes=sizes)
plot.shape_flow(trace.depth(1))
plt.show()

# %% [markdown] lang="en" name="flow-text"
# Two: `[bs, sl]` on the way in, and `[bs, sl, hid_dim]` everywhere else. (The mask, which every layer gets beside it, is not drawn.) That is the flow of post B in a nutshell: ids become vectors, get their positions,
# and go through six layers that keep the shape. The picture shows what was run, and an assertion on the trace says it without a picture:

# %% [markdown] lang="ko" name="flow-text" of="c15fa9b5"
# 두 가지입니다. 들어갈 때는 `[bs, sl]`, 그 밖에는 모두 `[bs, sl, hid_dim]`입니다. (계층마다 함께 들어가는 마스크는 그리지 않았습니다.) 글 B의 흐름을 한마디로 줄이면 이렇습니다. 번호가 벡터가 되고, 위치 정보를 얻고,
# 모양을 지키는 계층 여섯 개를 지납니다. 같은 내용을 그림 없이 코드로 확인할 수도 있습니다.

# %% name="flow-expect"
for name in ("embed", "pe", "layers.0", "layers.5"):
    trace.expect(name, "[bs, sl, hid_dim]")

# %% [markdown] lang="en" name="summary"
# No error: every shape is as expected.
#
# ## What you have now
#
# - The encoder reads everything at once; the decoder writes from left to right and must not look ahead in what it writes.
# - An encoder alone serves classification `[bs, n_classes]`, tagging `[bs, sl, n_tags]` and inference, which is classification of a pair.
# - Inside the encoder one shape goes all the way: `[bs, sl, hid_dim]`.
#
# Next: [03 · Embedding and positions](03_embedding_and_positions.ipynb), the first two boxes of the flow.
#
# **Further reading**: [Attention Is All You Need](https://arxiv.org/abs/1706.03762), figure 1 ·
# [BERT](https://arxiv.org/abs/1810.04805), the encoder on its own

# %% [markdown] lang="ko" name="summary" of="6bd8a946"
# 오류가 나지 않았으니 모두 예상한 모양입니다.
#
# ## 정리
#
# - 인코더는 문장 전체를 한꺼번에 읽습니다. 디코더는 앞에서부터 쓰고, 자기가 쓸 문장의 뒤쪽을 보면 안 됩니다.
# - 인코더만으로 분류 `[bs, n_classes]`, 태그 붙이기 `[bs, sl, n_tags]`, 그리고 두 문장의 분류인 추론을 할 수 있습니다.
# - 인코더 안에서는 모양 하나가 끝까지 갑니다. `[bs, sl, hid_dim]`입니다.
#
# 다음: [03 · 임베딩과 위치 인코딩](03_embedding_and_positions.ipynb). 흐름의 첫 두 상자입니다.
#
# **더 읽을거리**: [Attention Is All You Need](https://arxiv.org/abs/1706.03762)의 그림 1 ·
# 인코더만 쓴 [BERT](https://arxiv.org/abs/1810.04805)
