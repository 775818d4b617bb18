# ---
# jupyter:
#   jupytext:
#     formats: py:percent
#     cell_metadata_filter: lang,of,name,tags,-all
# ---

# %% [markdown] lang="en" name="title"
# # 13 · Beyond the encoder
#
# Post A ends its code with a remark: after the layers you may add a decoder, or an FFN, or an LSTM, and so choose the output as you like. This lesson adds the decoder, the second stack of the Transformer. It reads what the encoder has
# understood and writes an answer of its own length, one token at a time.
#
# **You will be able to**
#
# - say what a decoder layer adds to an encoder layer, and show that the library's equals PyTorch's;
# - give the decoder what it may see and nothing more, and recognise a model that has seen the answer;
# - write greedy decoding, train a small translator of dates, and say what it has learned and what not.
#
# **Read first**: [06 · Masks](06_masks.ipynb); from [09 · Text classification](09_text_classification.ipynb) and [10 · Named entities](10_named_entities.ipynb) the logits, `fit` and a loss for each token.
#
# **Time**: 70 minutes.
#
# <details><summary>For the classroom</summary>
#
# | Section | Minutes |
# |---|---|
# | 1 Why a second stack | 6 |
# | 2 What the decoder may see | 9 |
# | 3 The decoder layer | 11 |
# | 4 A first task: write it backwards | 7 |
# | 5 One token at a time | 14 |
# | 6 Break it: the answer in the input | 7 |
# | 7 Dates in two languages | 8 |
# | 8 What it has learned | 6 |
# | 9 Three tails | 2 |
#
# Two questions to ask: *A model reaches a validation loss near 0 after one epoch. Is that good news?*
# *Why may all places of the target be trained at once, and yet be written only one after the other?*
#
# </details>

# %% [markdown] lang="ko" name="title" of="0374c1a7"
# # 13 · 인코더를 넘어서
#
# 글 A는 코드 끝에 이런 말을 남깁니다. 계층 뒤에는 디코더를 더하거나 FFN이나 LSTM을 붙여서 출력을 마음대로 정하면 된다고요. 이 강의에서는 트랜스포머의 나머지 절반인 디코더를 더합니다. 디코더는 인코더가 읽어 낸 것을 보면서
# 자기 나름의 길이로 답을 씁니다. 토큰을 한 번에 하나씩 씁니다.
#
# **이 강의를 마치면**
#
# - 디코더 계층이 인코더 계층에 무엇을 더한 것인지 말하고, 라이브러리의 디코더 계층이 PyTorch와 같은 값을 낸다는 것을 보일 수 있습니다.
# - 디코더에 봐도 되는 것만 보여 주고, 답을 미리 본 모델을 알아볼 수 있습니다.
# - 그리디 디코딩을 직접 만들고, 작은 날짜 번역기를 학습시키고, 그것이 무엇을 배웠고 무엇을 배우지 못했는지 말할 수 있습니다.
#
# **먼저 볼 것**: [06 · 마스크](06_masks.ipynb). 로짓과 `fit`, 토큰마다의 손실은 [09 · 텍스트 분류](09_text_classification.ipynb)와 [10 · 개체명 인식](10_named_entities.ipynb)에 있습니다.
#
# **시간**: 70분.
#
# <details><summary>수업용 안내</summary>
#
# | 절 | 분 |
# |---|---|
# | 1 디코더는 왜 필요할까 | 6 |
# | 2 디코더가 봐도 되는 것 | 9 |
# | 3 디코더 계층 | 11 |
# | 4 첫 과제: 거꾸로 쓰기 | 7 |
# | 5 한 번에 토큰 하나씩 | 14 |
# | 6 일부러 망가뜨리기: 입력에 들어간 답 | 7 |
# | 7 두 언어로 쓴 날짜 | 8 |
# | 8 무엇을 배웠을까 | 6 |
# | 9 세 가지 꼬리 | 2 |
#
# 던져 볼 질문 두 가지: *에포크 하나 만에 검증 손실이 0에 가까워졌습니다. 좋은 소식일까요?*
# *학습할 때는 목표의 모든 자리를 한꺼번에 배울 수 있는데, 답을 쓸 때는 왜 한 토큰씩 써야 할까요?*
#
# </details>

# %% name="setup" tags=["setup"]

# %% name="imports" tags=["imports"]
import random
from datetime import date
from functools import partial

import matplotlib.pyplot as plt
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from tutorial_lib import device, plot, t
from tutorial_lib._sizes import require_sizes, require_tokens
from tutorial_lib.attention import MultiHeadAttention
from tutorial_lib.data.dates import HELD_OUT, dates, write
from tutorial_lib.decoder import DecoderLayer, Seq2Seq, greedy_decode, shift_right
from tutorial_lib.exercises import lesson_13 as check
from tutorial_lib.feedforward import PositionwiseFeedForwardLayer
from tutorial_lib.masks import causal_mask, padding_mask, to_key_padding_mask
from tutorial_lib.text import Vocab, tokenize
from tutorial_lib.trace import trace_shapes
from tutorial_lib.training import fit

# %% [markdown] lang="en" name="why"
# ## 1. Why a second stack
#
# An encoder gives one vector for each token that it reads. For a label per sentence or per token that is just right. A translation is another matter. **Guess first.** Below are three Korean sentences and their English. Is there a tensor of the encoder that has as
# many places as the English? (`Seq2Seq` below is encoder and decoder in one.)

# %% [markdown] lang="ko" name="why" of="08b7ef1c"
# ## 1. 디코더는 왜 필요할까
#
# 인코더는 읽은 토큰마다 벡터를 하나씩 내놓습니다. 문장이나 토큰마다 라벨을 붙일 때는 이것으로 충분합니다. 번역은 다릅니다. **먼저 예상해 보세요.** 아래에 한국어 문장 셋과 그 영어 번역이 있습니다. 인코더의 텐서 가운데 자리 수가
# 영어 토큰 수와 같은 것이 있을까요? (아래의 `Seq2Seq`는 인코더와 디코더를 합친 모델입니다.)

# %% name="why-batch"
korean = ["고양이가 잔다", "개가 고양이를 본다", "나는 걷는다"]
english = ["the cat sleeps", "the dog sees the cat", "I walk"]
source_vocab, target_vocab = Vocab.build(korean), Vocab.build(english)
src = source_vocab.batch(korean)  # src: [bs, sl]
# without <BOS>, which nobody has to write
tgt = target_vocab.batch(english)[:, 1:]  # tgt: [bs, tl]
src.shape, tgt.shape

# %% name="why-trace"
sizes = dict(hid_dim=8, pf_dim=16, n_heads=2, n_layers=1)
toy = Seq2Seq(input_dim=len(source_vocab), output_dim=len(target_vocab), **sizes).eval()
names = {"bs": 3, "sl": 5, "tl": 6, "hid_dim": 8, "output_dim": len(target_vocab)}
trace_shapes(toy, src, shift_right(tgt, bos_id=target_vocab.bos_id), sizes=names).depth(1)

# %% [markdown] lang="en" name="why-text"
# No. All the encoder's tensors have `sl` places, and the English needs `tl`; one cannot even know `tl` before the English is there. So the Transformer has a second stack. The decoder has `tl` places of its own, receives the encoder's output as a second input
# (it is called `memory`), and gives at each place a logit for every word of the target vocabulary: `[bs, tl, output_dim]`.
#
# ## 2. What the decoder may see
#
# At place i the decoder is asked: which token stands here? What may it see when it answers? When it writes for itself, it has written the tokens before place i, and nothing else exists yet. So in training it must see exactly that, although the whole target lies before us: `<BOS>`
# at place 0, the token of place 0 at place 1, and so on. The target is **shifted right** by one place.
#
# **Guess first.** The target "I walk `<EOS>`" has three tokens. How many has the input, and which of the three is not in it?

# %% [markdown] lang="ko" name="why-text" of="4a6c1b35"
# 하나도 없습니다. 인코더의 텐서는 모두 자리가 `sl`개이고, 영어에는 `tl`개가 필요합니다. 게다가 `tl`은 영어를 다 써 보기 전에는 알 수도 없습니다. 읽는 글을 *소스*, 써야 할 글을 *목표*라고 부릅시다. 트랜스포머의 나머지 절반인 디코더는 자리가 `tl`개이고, 인코더의 출력을 두 번째 입력으로 받아서
# (`memory`라고 부릅니다), 자리마다 목표 어휘집의 모든 단어에 로짓을 하나씩 줍니다. 모양은 `[bs, tl, output_dim]`입니다.
#
# ## 2. 디코더가 봐도 되는 것
#
# i번 자리에서 디코더는 "여기 올 토큰은 무엇인가?"라는 물음을 받습니다. 대답할 때 무엇을 봐도 될까요? 답을 혼자 써 나갈 때는 i번 자리 앞의 토큰까지만 써 놓았고 그 뒤에는 아직 아무것도 없습니다. 그러니 우리가 답을 다 아는 학습 때에도 꼭 그만큼만 보여야 합니다. 0번 자리에는 `<BOS>`,
# 1번 자리에는 0번 자리의 토큰, 이런 식입니다. 목표를 한 자리 **오른쪽으로 미는** 것입니다.
#
# **먼저 예상해 보세요.** 목표 "I walk `<EOS>`"는 토큰이 셋입니다. 입력은 토큰이 몇 개이고, 셋 가운데 입력에 없는 것은 무엇일까요?

# %% name="shift-picture"
seen = shift_right(tgt, bos_id=target_vocab.bos_id)  # seen: [bs, tl]
titles = [t(en="asked: the target", ko="묻는 것: 목표"), t(en="seen: shifted right", ko="보는 것: 오른쪽으로 민 것")]
for ids, title in zip((tgt, seen), titles):
    words = [target_vocab.decode(row, specials=True) for row in ids]
    ax = plot.batch_grid(ids, words, pad_id=target_vocab.pad_id)
    ax.set(title=title, xlabel=t(en="place, tl →", ko="자리, tl →"))
plt.show()

# %% [markdown] lang="en" name="exercise-shift-text" tags=["exercise"]
# Compare the pictures column by column: what is asked at a place is seen one place later. The input for these three questions has three tokens as well, `<BOS>` I walk. `<EOS>` is asked and never needed as input: after it nobody asks. (In the shorter rows the picture shows `<EOS>` one place on, where only padding is asked.)
#
# In training one pass answers all questions at once, since we have the whole target; the causal mask of lesson 06 keeps every place from looking to the right. (To show the right tokens in place of the model's own is called *teacher forcing*.) When the model writes, it needs a pass for each token.
#
# ### Your turn · easy · about 5 minutes
#
# `shift(tgt, bos_id)`: target ids `[bs, tl]` → what the decoder may see, `[bs, tl]`: `bos_id` first, then everything one place further to the right, and the last token falls off.
#
# <details><summary>Hint 1</summary>Which token may the decoder have seen last, when it is asked for the one at place i?</details>
# <details><summary>Hint 2</summary><code>torch.cat([…], dim=1)</code> joins a column of bos_id and <code>tgt[:, :-1]</code>.</details>

# %% [markdown] lang="ko" name="exercise-shift-text" of="d99ba57a" tags=["exercise"]
# 두 그림을 열마다 견주어 보세요. 어떤 자리에서 물은 것이 바로 다음 자리에서 보입니다. 이 세 물음의 입력도 `<BOS>` I walk로 셋이고, 빠지는 것은 `<EOS>`입니다. `<EOS>` 다음에 무엇이 오는지는 아무도 묻지 않기 때문입니다. (둘째 그림의 짧은 행에는 이 토큰이 보입니다. 한 칸 밀려서, 목표가 패딩인 자리로 간 것입니다. 그 자리는 손실에서 빼므로 묻지 않는 것과 같습니다.)
#
# 학습할 때는 목표를 다 알고 있으니 한 번의 계산으로 모든 물음에 한꺼번에 답합니다. 그때 06강의 인과 마스크가 어느 자리도 오른쪽을 보지 못하게 막아 줍니다. (이렇게 모델이 쓴 토큰 대신 정답 토큰을 보여 주며 가르치는 것을 *티처 포싱*(teacher forcing)이라고 합니다.) 반대로 답을 써 나갈 때는 토큰마다 한 번씩 계산해야 합니다.
#
# ### 직접 해 보기 · 쉬움 · 약 5분
#
# `shift(tgt, bos_id)`: 목표의 토큰 번호 `[bs, tl]`를 받아 디코더의 입력을 만드세요. 맨 앞에 `bos_id`를 놓고, 나머지를 한 자리씩 오른쪽으로 밀고, 마지막 토큰은 버립니다. 모양은 그대로 `[bs, tl]`입니다.
#
# <details><summary>힌트 1</summary>i번 자리의 토큰을 물어볼 때, 디코더가 마지막으로 본 토큰은 무엇이어야 할까요?</details>
# <details><summary>힌트 2</summary><code>torch.cat([…], dim=1)</code>로 bos_id만 든 열 하나와 <code>tgt[:, :-1]</code>을 잇습니다.</details>


# %% name="exercise-shift" tags=["exercise"]
def shift(tgt, bos_id):
    # your turn
    ...


check.shift(shift)


# %% name="solution-shift" tags=["solution"]
def shift(tgt, bos_id):
    first = torch.full_like(tgt[:, :1], bos_id)  # first: [bs, 1]
    return torch.cat([first, tgt[:, :-1]], dim=1)  # [bs, tl]


check.shift(shift)

# %% [markdown] lang="en" name="layer"
# ## 3. The decoder layer
#
# An encoder layer has two boxes, a decoder layer has three. The first is self-attention over what has been written, with a causal mask. The last is the feed-forward network that you know. Between them stands **cross-attention**: queries from the decoder, keys and values from `memory`. The module is the one of
# lesson 05, called with two different tensors:

# %% [markdown] lang="ko" name="layer" of="49de347f"
# ## 3. 디코더 계층
#
# 인코더 계층에는 상자가 둘, 디코더 계층에는 셋 있습니다. 첫째는 지금까지 쓴 것을 보는 셀프 어텐션으로, 인과 마스크를 씁니다. 마지막은 이미 아는 피드포워드입니다. 그 사이에 **크로스 어텐션**이 있습니다. 쿼리는 디코더에서, 키와 값은 `memory`에서 옵니다. 모듈은
# 05강의 것 그대로이고, 서로 다른 두 텐서로 부를 뿐입니다.

# %% name="library-layer"
# from tutorial_lib.decoder: DecoderLayer

# %% [markdown] lang="en" name="layer-guess"
# **Guess first.** Of the two weights, that of self-attention and that of cross-attention, one is square. Which, and why? And which of the two masks, `tgt_mask` and `memory_mask`, hides the padding of the source?

# %% [markdown] lang="ko" name="layer-guess" of="a2415fc4"
# **먼저 예상해 보세요.** 셀프 어텐션과 크로스 어텐션의 가중치 가운데 하나만 정사각형입니다. 어느 것이고, 왜 그럴까요? 그리고 소스의 패딩을 가리는 마스크는 `tgt_mask`와 `memory_mask` 가운데 어느 쪽일까요?

# %% name="layer-run"
layer = DecoderLayer(hid_dim=8, pf_dim=16, n_heads=2).eval()
src_mask = padding_mask(src, pad_id=source_vocab.pad_id)  # src_mask: [bs, 1, 1, sl]
with torch.no_grad():
    memory = toy.encoder(src, src_mask)  # memory: [bs, sl, hid_dim]
    x = toy.decoder.pe(toy.decoder.embed(seen))  # x: [bs, tl, hid_dim]
    out, (own, cross) = layer(x, memory, causal_mask(6), src_mask, need_weights=True)  # out: [bs, tl, hid_dim]
own.shape, cross.shape  # the weights: bs, n_heads, tl, and then tl or sl

# %% name="layer-pictures"
words, keys = target_vocab.decode(seen[0], specials=True), source_vocab.decode(src[0], specials=True)
plot.attention_heatmap(own[0, 0], words, annotate=True, title=t(en="self, untrained", ko="셀프, 학습 전"))
plot.attention_heatmap(
    cross[0, 0], words, key_tokens=keys, annotate=True, title=t(en="cross, untrained", ko="크로스, 학습 전")
)
plt.show()

# %% [markdown] lang="en" name="layer-text"
# Self-attention is square, `[bs, n_heads, tl, tl]`, with the triangle of the causal mask: nothing above the diagonal. Cross-attention is not: `[bs, n_heads, tl, sl]`, a row for each English place and a column for each Korean one. There is no triangle, because the whole source is known from the start; only
# its last column, padding, gets 0.00. A mask hides keys, and here the keys come from the source, so `memory_mask` is the source's padding mask. (The padding of the target needs no mask: it stands behind all real tokens, where the triangle lets none of them look.)
#
# Here are the three boxes with their shapes, and then the question that you know from lesson 04: is it right? PyTorch has `nn.TransformerDecoderLayer`, and with the same weights the same numbers must come out.

# %% [markdown] lang="ko" name="layer-text" of="56e625cb"
# 셀프 어텐션은 정사각형 `[bs, n_heads, tl, tl]`이고, 인과 마스크 때문에 대각선 위의 삼각형이 모두 0.00입니다. 크로스 어텐션은 `[bs, n_heads, tl, sl]`로, 영어 자리마다 행이 하나, 한국어 자리마다 열이 하나입니다. 소스는 처음부터 다 알고 있으니 삼각형이 없고,
# 패딩인 마지막 열만 0.00입니다. 마스크는 키를 가리는 것이고 여기서는 키가 소스에서 오므로, `memory_mask`에는 소스의 패딩 마스크를 넣습니다. (목표의 패딩은 가릴 필요가 없습니다. 진짜 토큰보다 뒤에 있으므로, 진짜 토큰의 행에서는 삼각형이 이미 막고 있습니다.)
#
# 상자 셋의 모양을 추적해 보고, 04강에서 했던 질문을 다시 해 봅시다. 맞게 만든 것일까요? PyTorch에는 `nn.TransformerDecoderLayer`가 있습니다. 파라미터가 같으면 같은 숫자가 나와야 합니다.

# %% name="layer-trace"
trace_shapes(layer, x, memory, causal_mask(6), src_mask, sizes={"bs": 3, "sl": 5, "tl": 6, "hid_dim": 8}).depth(1)


# %% name="parity-copy"
def copy_attention(ours, theirs):
    linears = [ours.q_proj, ours.k_proj, ours.v_proj]
    theirs.in_proj_weight.copy_(torch.cat([linear.weight for linear in linears]))
    theirs.in_proj_bias.copy_(torch.cat([linear.bias for linear in linears]))
    theirs.out_proj.load_state_dict(ours.out_proj.state_dict())


# %% name="parity"
theirs = nn.TransformerDecoderLayer(d_model=8, nhead=2, dim_feedforward=16, batch_first=True).eval()
with torch.no_grad():
    copy_attention(layer.self_attn, theirs.self_attn)
    copy_attention(layer.cross_attn, theirs.multihead_attn)
    theirs.linear1.load_state_dict(layer.ff.linear1.state_dict())
    theirs.linear2.load_state_dict(layer.ff.linear2.state_dict())
    hidden = to_key_padding_mask(src_mask)  # hidden: [bs, sl]
    expected = theirs(x, memory, ~causal_mask(6)[0, 0], memory_key_padding_mask=hidden)  # expected: [bs, tl, hid_dim]
(out - expected).abs().max().item() < 2e-6

# %% [markdown] lang="en" name="reverse"
# The same, up to rounding. (The norms need no copying: both start with weights of 1 and biases of 0.)
#
# ## 4. A first task: write it backwards
#
# A task that needs no dictionary: read a string of four to eight letters, and write it backwards. The decoder must find, for each place, the right place of the source. (`Seq2Seq` is encoder and decoder together and builds both masks itself. The loss is that of lesson 10: one question for each place, padding left out.)

# %% [markdown] lang="ko" name="reverse" of="ad0d25de"
# 반올림 오차를 빼면 똑같습니다. (norm은 복사할 필요가 없습니다. 둘 다 weight는 1, bias는 0에서 시작합니다.)
#
# ## 4. 첫 과제: 거꾸로 쓰기
#
# 사전이 필요 없는 과제부터 해 봅시다. 글자(알파벳 a에서 h까지) 네 개에서 여덟 개로 된 문자열을 읽고 거꾸로 씁니다. 디코더는 자리마다 소스의 알맞은 자리를 찾아야 합니다. (`Seq2Seq`는 인코더와 디코더를 합친 것이고 두 마스크를 스스로 만듭니다. 손실은 10강과 같습니다. 자리마다 물음이 하나씩이고 패딩은 뺍니다.)

# %% name="reverse-data"
draw = random.Random(0)
words = sorted({"".join(draw.choices("abcdefgh", k=draw.randint(4, 8))) for _ in range(4600)})
draw.shuffle(words)
letters = Vocab.build(words[:3000], tokenizer=list)
all_src = letters.batch(words)  # all_src: [n, sl]
all_tgt = letters.batch([word[::-1] for word in words])[:, 1:]  # all_tgt: [n, tl]
train, valid, test = [(all_src[a:b], all_tgt[a:b]) for a, b in ((0, 3000), (3000, 3200), (3200, 3700))]
words[0], letters.decode(all_tgt[0])


# %% name="reverse-loss"
def loss(model, src, tgt):
    logits = model(src, shift_right(tgt, bos_id=Vocab.bos_id))  # logits: [bs, tl, output_dim]
    return F.cross_entropy(logits.flatten(0, 1), tgt.flatten(), ignore_index=Vocab.pad_id)


# %% name="reverse-train"
def reverser():
    torch.manual_seed(0)
    sizes = dict(input_dim=len(letters), output_dim=len(letters), hid_dim=32, pf_dim=64, n_heads=1, n_layers=1)
    return Seq2Seq(**sizes, dropout=0.0, norm_first=True).to(device())


model = reverser()
how = dict(epochs=4, batch_size=32, lr=8e-3)
history = fit(model, train, valid, loss, **how)
ax = plot.curve(
    history.valid, xlabel=t(en="epoch", ko="에포크"), ylabel=t(en="loss, new strings", ko="손실, 새 문자열")
)
ax.set_xticks(range(1, 5))
plt.show()

# %% [markdown] lang="en" name="reverse-text"
# The loss on strings that it has not trained on falls almost to 0. That is promising. It is not yet proof: a loss answers the question "given all the right tokens before, which is next?", and section 6 will show how such a loss can lie. We want to see it write.
#
# ## 5. One token at a time
#
# When the decoder writes there is no target to shift. It begins with `<BOS>`, and its likeliest token becomes a part of what it sees next. Each row below is one step. **Guess first.** How many steps does it take to write seven letters?

# %% [markdown] lang="ko" name="reverse-text" of="79bd9b73"
# 학습에 쓰지 않은 문자열에서도 손실이 거의 0까지 내려갑니다. 기대해 볼 만하지만 아직 증명은 아닙니다. 손실은 "앞의 토큰이 모두 맞게 주어졌을 때 다음은 무엇인가?"라는 물음에만 답하고, 이런 손실이 어떻게 사람을 속이는지는 6절에서 봅니다. 모델이 답을 직접 써 보게 합시다.
#
# ## 5. 한 번에 토큰 하나씩
#
# 디코더가 답을 쓸 때는 밀어 줄 목표가 없습니다. `<BOS>`에서 시작하고, 가장 그럴듯한 토큰을 골라 다음 입력에 이어 붙입니다. 아래에서 행 하나가 한 걸음입니다. **먼저 예상해 보세요.** 글자 일곱 개를 쓰려면 몇 걸음이 필요할까요?

# %% name="step-by-step"
one = letters.batch(["cabbage"]).to(device())  # one: [1, sl]
ids, rows = [letters.bos_id], []
with torch.no_grad():
    while ids[-1] != letters.eos_id and len(ids) < 10:
        logits = model(one, torch.tensor([ids], device=device()))  # a row for each id so far
        ids.append(logits[0, -1].argmax().item())
        rows.append(ids + [letters.pad_id] * (10 - len(ids)))

# %% name="step-picture"
steps = torch.tensor(rows)[:, : len(ids)]  # steps: [steps, written]
shown = [[token if token != "<PAD>" else "" for token in letters.decode(row, specials=True)] for row in steps]
ax = plot.batch_grid(steps, shown, pad_id=letters.pad_id, ids=False)
ax.set(xlabel=t(en="place, tl →", ko="자리, tl →"), ylabel=t(en="← step", ko="← 걸음"))
plt.show()

# %% [markdown] lang="en" name="exercise-greedy-text" tags=["exercise"]
# Eight: the seven letters of "cabbage" backwards, and `<EOS>`, with which it says that it is done. In each row the last blue cell is new. To take the likeliest token at each step and never change it afterwards is called *greedy* decoding.
#
# ### Your turn · medium · about 9 minutes
#
# `greedy(next_logits, bos_id, eos_id, max_len)`: `next_logits(ids)` stands for the decoder. It takes the list of ids so far, `<BOS>` first, and returns `[len(ids), n]`: for each place a row of logits over the n tokens of the vocabulary. Return a list of ints, the ids that are written: without BOS, up to and with EOS if it comes, at most `max_len` of them.
#
# <details><summary>Hint 1</summary>Keep a list that begins with BOS, and ask again with the whole list each time.</details>
# <details><summary>Hint 2</summary><code>next_logits(ids)[-1].argmax().item()</code> is the next token; stop behind eos_id or at max_len tokens.</details>

# %% [markdown] lang="ko" name="exercise-greedy-text" of="8fa19d79" tags=["exercise"]
# 여덟 걸음입니다. "cabbage"를 거꾸로 쓴 글자 일곱 개, 그리고 다 썼다는 표시인 `<EOS>`입니다. 행마다 맨 오른쪽 파란 칸이 새로 쓴 토큰입니다. 이렇게 걸음마다 가장 그럴듯한 토큰을 고르고 나중에 바꾸지 않는 방법을 *그리디*(greedy) 디코딩이라고 합니다.
#
# ### 직접 해 보기 · 보통 · 약 9분
#
# `greedy(next_logits, bos_id, eos_id, max_len)`: `next_logits(ids)`는 디코더를 대신하는 함수입니다. `<BOS>`로 시작하는 번호 리스트를 주면, 자리마다 한 행씩 로짓 `[len(ids), n]`을 돌려줍니다(n은 어휘집의 크기). 새로 쓴 번호를 리스트로 돌려주세요. BOS는 넣지 않고, EOS가 나오면 그것까지 넣고 멈추고, 나오지 않으면 `max_len`개에서 멈춥니다.
#
# <details><summary>힌트 1</summary>BOS로 시작하는 리스트를 두고, 매번 그 리스트 전체를 보여 주며 다시 물어보세요.</details>
# <details><summary>힌트 2</summary><code>next_logits(ids)[-1].argmax().item()</code>이 다음 토큰입니다. eos_id를 쓴 다음이나 토큰이 max_len개일 때 멈추세요.</details>


# %% name="exercise-greedy" tags=["exercise"]
def greedy(next_logits, bos_id, eos_id, max_len):
    # your turn
    ...


check.greedy(greedy)


# %% name="solution-greedy" tags=["solution"]
def greedy(next_logits, bos_id, eos_id, max_len):
    ids = [bos_id]
    while len(ids) <= max_len:
        ids.append(next_logits(ids)[-1].argmax().item())
        if ids[-1] == eos_id:
            break
    return ids[1:]


check.greedy(greedy)

# %% [markdown] lang="en" name="library-greedy-text"
# The library does it for a whole batch. Rows end at different steps; one that has written `<EOS>` goes on as padding until the last is done. The encoder runs once, before the loop.

# %% [markdown] lang="ko" name="library-greedy-text" of="268027c0"
# 라이브러리는 배치의 모든 행을 나란히 써 나갑니다. 행마다 끝나는 걸음이 다르므로, `<EOS>`를 써서 먼저 끝난 행은 가장 늦게 끝나는 행을 기다리는 동안 패딩으로 채웁니다. 인코더는 반복문 앞에서 한 번만 돌립니다.

# %% name="library-greedy"
# from tutorial_lib.decoder: greedy_decode


# %% name="exact"
def written(model, src, max_len):
    return greedy_decode(model, src.to(device()), bos_id=Vocab.bos_id, eos_id=Vocab.eos_id, max_len=max_len).cpu()


def exact(model, src, tgt):
    out = written(model, src, tgt.size(1))
    out = F.pad(out, (0, tgt.size(1) - out.size(1)), value=Vocab.pad_id)  # out: [n, tl]
    return (out == tgt).all(dim=1).double().mean().item()


# %% name="exact-run"
together = written(model, test[0][:50], 9)  # eight letters and <EOS>
alone = [written(model, test[0][i : i + 1], 9)[0] for i in range(50)]
print(exact(model, *test) > 0.95, all(letters.decode(a) == letters.decode(b) for a, b in zip(together, alone)))

# %% [markdown] lang="en" name="diagonal"
# The first `True`: more than 95 percent of the new strings are right from the first letter to `<EOS>`. The second: a string comes out the same in a batch and alone.
#
# **Guess first.** Which places of the source does it look at while it writes? Draw the picture on paper before you run the cell. (Unlike in section 3, a row bears the name of the token that is written there; when its query is made, that token is not there yet.)

# %% [markdown] lang="ko" name="diagonal" of="e59f200c"
# 첫째 `True`는 첫 글자부터 `<EOS>`까지 모두 맞게 쓴 새 문자열이 95퍼센트를 넘는다는 뜻이고, 둘째는 여럿을 한 배치로 쓰게 하든 하나씩 쓰게 하든 결과가 같다는 뜻입니다.
#
# **먼저 예상해 보세요.** 쓰는 동안 소스의 어느 자리를 볼까요? 셀을 실행하기 전에 종이에 그려 보세요. (3절의 그림과 달리 여기서는 행의 이름이 그 자리에서 새로 쓰는 토큰입니다. 쿼리를 만들 때 그 토큰은 아직 없습니다.)

# %% name="diagonal-weights"
with torch.no_grad():
    _, maps = model(one, torch.tensor([ids[:-1]], device=device()), need_weights=True)
cross = maps[0][1][0, 0]  # layer 0, [1] its cross-attention, sentence 0, head 0: [tl, sl]

# %% name="diagonal-picture"
answer, keys = letters.decode(ids[1:], specials=True), letters.decode(one[0], specials=True)
rows_are = t(en="← token that is written", ko="← 쓰는 토큰")
plot.attention_heatmap(cross, answer, key_tokens=keys).set_ylabel(rows_are)
plt.show()

# %% name="diagonal-number"
test_src, test_tgt = (x.to(device()) for x in test)
with torch.no_grad():
    _, maps = model(test_src, shift_right(test_tgt, bos_id=letters.bos_id), need_weights=True)
darkest = maps[0][1][:, 0].argmax(dim=-1)  # darkest: [n, tl]
is_letter = test_tgt > letters.eos_id  # is_letter: [n, tl]
# of n letters the first to write stands at place n of the source (<BOS> is at 0), the next at n - 1, …
needed = is_letter.sum(dim=1, keepdim=True) - torch.arange(9, device=device())  # needed: [n, tl]
(darkest == needed)[is_letter].float().mean().item() > 0.85

# %% [markdown] lang="en" name="break"
# Nearly a diagonal from top right to bottom left: for the first letter it looks at the last, and so on to the front; in the row of `<EOS>` it looks mostly at the source's `<EOS>`. Over all test strings `True` says that for more than 85 percent of the letters the darkest cell is exactly the place that is needed. The head goes by place: each a of "cabbage" is found at its own. (Some rows leak to the places beside it, most of all that of the second b.)
# Nobody told it where to look; only the answers were given.
#
# ## 6. Break it: the answer in the input
#
# Two slips, each of one line. In the first the target is not shifted. In the second it is shifted, but the triangle is missing, so that place i may look at place i + 1, where its answer stands. **Guess first.** Three models train in the same way. Which will have the lowest loss on new strings, and which writes best?

# %% [markdown] lang="ko" name="break" of="cde4a367"
# 오른쪽 위에서 왼쪽 아래로 거의 곧게 내려오는 대각선입니다. 첫 글자를 쓸 때는 소스의 마지막 글자를 보고, 한 자리씩 앞으로 옮겨 갑니다. `<EOS>`를 쓰는 마지막 행은 주로 소스의 `<EOS>`를 봅니다. `True`는 테스트 문자열 전체에서, 가장 진한 칸이 바로 봐야 할 자리인 글자가 85퍼센트를 넘는다는 뜻입니다. 헤드는 자리를 따라갑니다. "cabbage"에 둘 있는 a를 저마다 제자리에서 찾습니다. (옆자리까지 조금씩 보는 행도 있고, 두 번째 b를 쓰는 행이 가장 그렇습니다.)
# 어디를 보라고 알려 준 적은 없고, 답만 주었을 뿐입니다.
#
# ## 6. 일부러 망가뜨리기: 입력에 들어간 답
#
# 한 줄짜리 실수 두 가지입니다. 첫째 모델은 목표를 밀지 않습니다. 둘째 모델은 밀기는 하지만 삼각형이 없어서, i번 자리가 자기 답이 있는 i + 1번 자리를 볼 수 있습니다. **먼저 예상해 보세요.** 세 모델을 똑같이 학습시킵니다. 새 문자열에서 손실이 가장 낮은 것은 어느 것이고, 답을 가장 잘 써내는 것은 어느 것일까요?


# %% name="break-models"
def not_shifted(model, src, tgt):
    return F.cross_entropy(model(src, tgt).flatten(0, 1), tgt.flatten(), ignore_index=Vocab.pad_id)


class SeesAll(MultiHeadAttention):
    def forward(self, query, key, value, mask=None, **how):
        return super().forward(query, key, value, None, **how)  # the mask gets lost


no_shift, no_triangle = reverser(), reverser()
no_triangle.decoder.layers[0].self_attn = SeesAll(hid_dim=32, n_heads=1, dropout=0.0).to(device())

# %% name="break-train"
first = fit(no_shift, train, valid, not_shifted, **how)
second = fit(no_triangle, train, valid, loss, **how)
curves = {
    t(en="right", ko="올바름"): history.valid,
    t(en="not shifted", ko="밀지 않음"): first.valid,
    t(en="no triangle", ko="삼각형 없음"): second.valid,
}
ylabel = t(en="loss, new strings", ko="손실, 새 문자열")
plot.lines(range(1, 5), curves, xlabel=t(en="epoch", ko="에포크"), ylabel=ylabel).set_xticks(range(1, 5))
plt.show()

# %% name="break-write"
models = [model, no_shift, no_triangle]
shares = [exact(each, *test) for each in models]
plot.bars({t(en="written right", ko="맞게 쓴 비율"): shares}, list(curves), xlabel="", ylabel=t(en="share", ko="비율"))
plt.show()

# %% name="break-words"
answers_of_three = [F.pad(written(each, one, 9)[0], (0, 9))[:9] for each in models]
shown = [letters.decode(row, specials=True) for row in answers_of_three]
ax = plot.batch_grid(torch.stack(answers_of_three), shown, pad_id=letters.pad_id, ids=False)
ax.set_yticklabels(curves)
ax.set(xlabel=t(en='written for "cabbage" →', ko='"cabbage"를 읽고 쓴 것 →'), ylabel="")
plt.show()

# %% [markdown] lang="en" name="break-text"
# From the first epoch on both broken models have the lower loss, and at the end all three lie near 0. And the broken ones cannot write a single string. The first has learned to copy its input. It never met `<BOS>` there, so nothing has taught it what to begin with; whatever it says first, it says again and again. The second has learned to look one place ahead,
# where there is nothing yet when it writes, and it stops at once. Both are perfect at a task that nobody asked for.
#
# The loss on *new* strings saw nothing of it, for there the answer stands in the input as well. What sees it: let it write (as here), or change the target's token at place i and look whether a logit at place i or before it moves (as in lesson 06; in a right model only later ones do). A loss that is near 0 very early is a reason to look, not to celebrate.
#
# ## 7. Dates in two languages
#
# Now something like translation: dates as people write them, in English and in Korean, to one form. Six ways, three spellings in two orders each. (A rule wrote them; the Korean with the year last is rare in life. How the data are made is told in `tutorial_lib/data/dates.md`.)

# %% [markdown] lang="ko" name="break-text" of="1dc30256"
# 망가진 두 모델은 첫 에포크부터 손실이 더 낮고, 끝에 가서는 셋 모두 0 근처에 있습니다. 그런데도 망가진 모델은 문자열을 하나도 제대로 쓰지 못합니다. 첫째는 입력을 베끼는 법을 배웠습니다. `<BOS>`를 입력으로 만난 적이 없어서 무엇으로 시작해야 할지 모르고, 처음 쓴 글자만 되풀이합니다. 둘째는 바로 다음 자리를 훔쳐보는 법을 배웠는데,
# 답을 쓸 때는 그 자리가 아직 없어서 바로 끝내 버립니다. 둘 다 아무도 시키지 않은 과제를 완벽하게 해냅니다.
#
# *새* 문자열로 잰 손실도 이것을 알아채지 못합니다. 거기서도 입력에 답이 들어 있기 때문입니다. 알아내려면 여기서처럼 답을 직접 쓰게 하거나, 06강에서처럼 목표의 i번 토큰을 바꿔 보세요. i번이나 그 앞의 로짓이 하나라도 움직이면 답이 새고 있는 것입니다(제대로 된 모델에서는 그 뒤의 로짓만 움직입니다). 손실이 너무 일찍 0에 가까워지면 기뻐할 것이 아니라 살펴볼 일입니다.
#
# ## 7. 두 언어로 쓴 날짜
#
# 이제 번역에 가까운 일을 해 봅시다. 사람들이 영어와 한국어로 쓰는 날짜를 한 가지 꼴로 옮깁니다. 쓰는 방법은 여섯 가지로, 표기 셋에 순서가 둘씩입니다. (규칙으로 쓴 글이고, 연도가 뒤에 오는 한국어는 실제로는 드뭅니다. 데이터를 어떻게 만들었는지는 `tutorial_lib/data/dates.md`에 있습니다.)

# %% name="dates-ways"
splits = dates(n_train=4000, seed=0)
examples = {way: write(date(1987, 3, 5), way) for way in HELD_OUT}  # HELD_OUT: way → its two months
for text in examples.values():
    print(f"{date(1987, 3, 5)}  ←  {text}")

# %% [markdown] lang="en" name="dates-split"
# There are a training, a validation and a test split, and two more, described below. All dates lie between 1950 and 1999, and none stands in two of the splits, so nothing can be looked up. But that alone would be an easy test. Each way of writing has two months that training never shows *in this way*, though it shows them in others. These pairs are in the split `held_out`. The split `unseen` has a seventh way, the year in front in English. Here are the numbers of training texts:

# %% [markdown] lang="ko" name="dates-split" of="52abc800"
# 데이터는 학습용과 검증용, 테스트용, 그리고 아래에서 설명할 두 분할로 나뉩니다. 날짜는 모두 1950년에서 1999년 사이이고, 같은 날짜가 두 분할에 들어 있는 일은 없으니 찾아서 베낄 수는 없습니다. 하지만 그것만으로는 시험이 너무 쉽습니다. 그래서 쓰는 방법마다 학습 때 *그 방법으로는* 보여 주지 않는 달이 둘씩 있습니다. 다른 방법으로는 보여 줍니다. 이렇게 남겨 둔 방법과 달의 짝이 `held_out`에 있습니다. `unseen`에는 일곱째 방법, 곧 연도가 앞에 오는 영어가 있습니다. 학습 텍스트의 수는 이렇습니다.

# %% name="dates-grid"
counts = torch.zeros(6, 12, dtype=torch.long)
for example in splits["train"]:
    counts[list(HELD_OUT).index(example.way), int(example.target[5:7]) - 1] += 1
cells = [[str(n) for n in row] for row in counts.tolist()]
ax = plot.batch_grid(counts, cells, pad_id=0, ids=False)
ax.set_yticklabels(examples.values())
ax.set_xticklabels(range(1, 13))
ax.set(xlabel=t(en="month →", ko="달 →"), ylabel="")
plt.show()

# %% [markdown] lang="en" name="dates-train-text"
# Grey: the pairs that are kept back, two in every row and one in every column. Everything else occurs between 46 and 83 times.
#
# We cut into characters. `tokenize` drops blanks, so the model reads "5March1987"; in our six ways no two dates become the same text that way (a test proves it). **Guess first.** How much of `test` will it get right, how much of `held_out`, how much of `unseen`?

# %% [markdown] lang="ko" name="dates-train-text" of="63d888bb"
# 회색이 남겨 둔 짝입니다. 행마다 둘, 열마다 하나입니다. 나머지는 모두 46번에서 83번 사이로 나옵니다.
#
# 텍스트는 문자 단위로 자릅니다. `tokenize`는 공백을 버리므로 모델은 "5March1987"을 읽습니다. 그래도 이 여섯 방법에서는 서로 다른 두 날짜가 같은 텍스트가 되지 않습니다(이 저장소의 테스트가 확인합니다). **먼저 예상해 보세요.** 모델은 `test`를 얼마나 맞히고, `held_out`과 `unseen`은 얼마나 맞힐까요?

# %% name="dates-rows"
characters = partial(tokenize, level="char")
source_vocab = Vocab.build([example.text for example in splits["train"]], tokenizer=characters)
target_vocab = Vocab.build([example.target for example in splits["train"]], tokenizer=characters)
rows = {
    name: (source_vocab.batch([e.text for e in split]), target_vocab.batch([e.target for e in split])[:, 1:])
    for name, split in splits.items()
}
" ".join(source_vocab.decode(rows["train"][0][0], specials=True))


# %% name="dates-train"
def translator():
    torch.manual_seed(0)
    sizes = dict(hid_dim=48, pf_dim=96, n_heads=2, n_layers=1, dropout=0.0, norm_first=True)
    return Seq2Seq(input_dim=len(source_vocab), output_dim=len(target_vocab), **sizes).to(device())


model = translator()
history = fit(model, rows["train"], rows["valid"], loss, epochs=8, lr=1e-2)
asked = ("test", "held_out", "unseen")
shares = {t(en="whole date right", ko="날짜 전체를 맞힌 비율"): [exact(model, *rows[name]) for name in asked]}
plot.bars(shares, asked, xlabel="", ylabel=t(en="share", ko="비율"))
plt.show()

# %% [markdown] lang="en" name="pairs-text"
# Of `test` all but a few (1.00 is rounded). Of `held_out` fewer, but most: it knows the month from other ways, and the way from other months, and can usually combine the two. Of a way that it has never seen it gets next to nothing; we come back to this. First, where in `held_out` does it fail?

# %% [markdown] lang="ko" name="pairs-text" of="dadb19db"
# `test`는 몇 개 말고는 다 맞힙니다(1.00은 반올림한 값입니다). `held_out`은 그보다 적지만 그래도 대부분입니다. 달은 다른 방법에서 보았고 방법은 다른 달에서 보았습니다. 모델은 그 둘을 합쳐 처음 보는 짝을 읽어 냅니다. 늘 되는 것은 아닙니다. 본 적이 없는 방법은 거의 맞히지 못합니다. 이 이야기는 뒤에서 다시 합니다. 먼저, `held_out`에서는 어디에서 틀릴까요?


# %% name="pairs"
def texts(model, src):
    return ["".join(target_vocab.decode(row)) for row in written(model, src, 11)]  # ten characters and <EOS>


found = {way: [] for way in HELD_OUT}
for answer, example in zip(texts(model, rows["held_out"][0]), splits["held_out"]):
    found[example.way].append(answer == example.target)
shares = {t(en="held_out, right", ko="held_out, 맞음"): [sum(right) / len(right) for right in found.values()]}
rows_above = t(en="way of writing, row of the grid above", ko="쓰는 방법, 위 표의 행")
plot.bars(shares, list("012345"), xlabel=rows_above, ylabel=t(en="share", ko="비율"))
plt.show()

# %% [markdown] lang="en" name="baseline-text"
# The ways are numbered from 0, top to bottom. The share is uneven: some ways come out whole, others lose one date in ten or more. (Which ones depends on the seed: change it in `translator` and see.) One number for all would have hidden that.
#
# And nearly all of `test`, is that much? A number means little without another beside it. Two that a sceptic would ask for: the **nearest** training text (the largest share of pairs of neighbouring characters in common), whose date is given as the answer; and the same model **without a source**, which learns how dates look and cannot read (two epochs will do for that). For every part of the date:

# %% [markdown] lang="ko" name="baseline-text" of="acae8cd1"
# 쓰는 방법의 번호는 앞의 표에서 위부터 0번, 1번, … 5번입니다. 맞힌 비율이 방법마다 들쭉날쭉합니다. 다 맞는 방법이 있고, 열에 하나 넘게 틀리는 방법도 있습니다. (어느 방법에서 틀리는지는 시드에 달려 있습니다. `translator`에서 바꿔 보세요.) 숫자 하나로 뭉뚱그렸다면 보이지 않았을 일입니다.
#
# `test`를 거의 다 맞혔으면 잘한 것일까요? 숫자는 견줄 숫자가 있어야 뜻이 있습니다. 의심 많은 사람이라면 두 가지와 견주어 보자고 할 것입니다. 하나는 **가장 비슷한** 학습 텍스트(이웃한 두 문자의 쌍이 가장 많이 겹치는 것)의 날짜를 그대로 답하는 방법이고, 다른 하나는 똑같이 만들었지만 **소스를 보지 못하는** 모델입니다. 날짜의 생김새는 배우지만(2에포크로 충분합니다) 읽지는 못합니다. 날짜의 부분마다 견주어 봅시다.


# %% name="baseline-nearest"
def neighbours(src):
    pairs = src[:, :-1] * len(source_vocab) + src[:, 1:]  # pairs: [n, places]
    found = torch.zeros(len(src), len(source_vocab) ** 2).scatter_(1, pairs, 1.0)
    found[:, 0] = 0  # two paddings side by side
    return F.normalize(found)


best = (neighbours(rows["test"][0]) @ neighbours(rows["train"][0]).T).argmax(dim=1)  # best: [600]
nearest = [splits["train"][i].target for i in best.tolist()]

# %% name="baseline-blind"
blind = translator()
nothing = {name: (src[:, :1] * 0, tgt) for name, (src, tgt) in rows.items()}  # one place of padding: no key to look at
_ = fit(blind, nothing["train"], nothing["valid"], loss, epochs=2, lr=1e-2)


# %% name="baseline-parts"
def parts(answers, split):
    cuts = [slice(0, 4), slice(5, 7), slice(8, 10), slice(None)]
    pairs = [(answer, example.target) for answer, example in zip(answers, splits[split])]
    return [sum(a[cut] == b[cut] for a, b in pairs) / len(pairs) for cut in cuts]


answers = texts(model, rows["test"][0])
table = {
    t(en="nearest text", ko="가장 비슷한 텍스트"): parts(nearest, "test"),
    t(en="no source", ko="소스 없음"): parts(texts(blind, nothing["test"][0]), "test"),
    t(en="model", ko="모델"): parts(answers, "test"),
}

# %% name="baseline-picture"
columns = [t(en="year", ko="연도"), t(en="month", ko="달"), t(en="day", ko="날"), t(en="all", ko="전체")]
plot.bars(table, columns, xlabel=t(en="part of the date", ko="날짜의 부분"), ylabel=t(en="share", ko="비율"))
plt.show()

# %% [markdown] lang="en" name="learned"
# The nearest text has the right month most of the time, the year and the day about every second time, and the whole date never: it cannot, since no date is in both splits. Without a source nothing but guessing is left. So the decoder's answers come from reading. (A few lines of rules would solve this task without a mistake. It is here because you can check every answer, not because it needs a Transformer.)
#
# ## 8. What it has learned
#
# **Guess first.** It reads 16 February 1987 and 1987년 5월 16일. Where does it look while it writes the month? We take the mean of both heads.

# %% [markdown] lang="ko" name="learned" of="2b1e67f7"
# 가장 비슷한 텍스트는 달은 대부분, 연도와 날은 절반쯤 맞히지만, 날짜 전체는 하나도 못 맞힙니다. 같은 날짜가 두 분할에 들어 있는 일은 없으니 맞힐 수가 없습니다. 소스가 없으면 찍는 수밖에 없습니다. 그러니 디코더의 답은 읽어서 나온 것입니다. (규칙 몇 줄이면 이 과제를 하나도 틀리지 않고 풀 수 있습니다. 트랜스포머가 꼭 필요해서가 아니라, 답을 하나하나 확인할 수 있어서 고른 과제입니다.)
#
# ## 8. 무엇을 배웠을까
#
# **먼저 예상해 보세요.** 모델이 16 February 1987과 1987년 5월 16일을 읽고 달을 쓸 때 소스의 어디를 볼까요? 두 헤드의 평균을 봅니다.


# %% name="look"
def look(text, target):
    one = source_vocab.batch([text]).to(device())  # one: [1, sl]
    tgt = target_vocab.batch([target])[:, 1:].to(device())  # tgt: [1, tl]
    with torch.no_grad():
        _, maps = model(one, shift_right(tgt, bos_id=Vocab.bos_id), need_weights=True)
    cross = maps[0][1][0].mean(dim=0)  # cross: [tl, sl]
    keys, queries = source_vocab.decode(one[0], specials=True), target_vocab.decode(tgt[0], specials=True)
    plot.attention_heatmap(cross, queries, key_tokens=keys).set_ylabel(rows_are)
    return cross


# %% name="look-english"
in_english = look("16 February 1987", "1987-02-16")  # in_english: [11, sl]
plt.show()

# %% name="look-korean"
in_korean = look("1987년 5월 16일", "1987-05-16")  # in_korean: [11, sl]
plt.show()

# %% name="look-numbers"
# rows 5 and 6 write the month, rows 2 and 3 the end of the year; the columns are those of the month and of the year
months = in_english[5:7, 3:11].sum(dim=1), in_korean[5:7, 6:8].sum(dim=1)
years = in_english[2:4, 11:15].sum(dim=1), in_korean[2:4, 1:5].sum(dim=1)
found = [share.mean().item() for share in (*months, *years)]
evenly = [8 / 16, 2 / 12, 4 / 16, 4 / 12]

# %% name="look-numbers-picture"
shares = {t(en="the model", ko="모델"): found, t(en="looking evenly", ko="고르게 볼 때"): evenly}
which = [t(en=f"month, {lang}", ko=f"{lang}, 달") for lang in ("en", "ko")]
which += [t(en=f"year, {lang}", ko=f"{lang}, 연도") for lang in ("en", "ko")]
axes = dict(xlabel=t(en="part that is written and looked at", ko="쓰면서 보는 부분"), ylabel=t(en="share", ko="비율"))
plot.bars(shares, which, **axes)
plt.show()

# %% [markdown] lang="en" name="look-text"
# In the two rows between the hyphens, where the month is written, the dark cells lie on the letters of "February" and, in the Korean text, mostly on 5월 (where 0 is written, on the 년 right before it as well). In the two rows before the first hyphen, the last digits of the year, they lie on the year, which stands at the end of the English text and in front in the Korean one. For the last digit of the day it looks at that very digit. The bars: how much of the attention falls on the month's characters while the month is written, and on the year's while the year is, beside the share that they would get if it looked at all characters evenly. So it jumps to and fro in the source as the form demands: that is what cross-attention is for.
# (In the rows of 19 and of the two hyphens it looks somewhere. They are the same in every date and need no source.)
#
# And the way that it has never seen, `1987 March 5`? It knows every character of it, and the months. **Guess first.** Which part of the date will it get right, the year, the month or the day?

# %% [markdown] lang="ko" name="look-text" of="7ef3f213"
# 달을 쓰는 두 행(붙임표 사이)에서는 진한 칸이 대부분 "February"와 "5월"의 문자에 있습니다(한국어에서 0을 쓰는 행은 바로 앞의 "년"도 함께 봅니다). 연도의 마지막 두 숫자를 쓰는 두 행(첫 붙임표 바로 위)에서는 연도에 있습니다. 연도는 영어에서는 텍스트 끝에, 한국어에서는 앞에 있습니다. 날의 끝 숫자는 바로 그 숫자를 보면서 씁니다. 막대는 달을 쓸 때 달의 문자에, 연도를 쓸 때 연도의 문자에 준 비율이고, 그 옆은 모든 문자를 고르게 볼 때의 비율입니다. 모델은 써야 할 꼴에 맞춰 소스의 이곳저곳을 옮겨 다니며 보는 것입니다. 크로스 어텐션은 바로 이 일을 하려고 있습니다.
# (19와 붙임표를 쓰는 행에서는 아무 데나 봅니다. 어느 날짜에서나 같아서 소스가 필요 없습니다.)
#
# 그러면 본 적이 없는 방법인 `1987 March 5`는 어떨까요? 문자는 모두 아는 것이고, 달 이름도 압니다. **먼저 예상해 보세요.** 연도와 달과 날 가운데 무엇을 맞힐까요?

# %% name="unseen"
guesses = texts(model, rows["unseen"][0])
shares = {t(en="unseen way", ko="본 적 없는 방법"): parts(guesses, "unseen")}
plot.bars(shares, columns, xlabel=t(en="part of the date", ko="날짜의 부분"), ylabel=t(en="share", ko="비율"))
plt.show()

# %% [markdown] lang="en" name="unseen-text"
# The month, most of the time: it is read by its letters. Year and day mostly not. Why? In both ways with English months that it was trained on, the four characters at the end are the year. So we count three things: how often the last digit of its year is right, how often it is the last digit of the *text* instead, and how often its day is "19":

# %% [markdown] lang="ko" name="unseen-text" of="a7b331e4"
# 달은 대부분 맞힙니다. 문자를 읽기 때문입니다. 연도와 날은 거의 다 틀립니다. 왜 그럴까요? 학습 때 본, 달 이름이 영어인 두 방법에서는 끝의 네 문자가 연도였습니다. 그러니 세 가지를 세어 봅시다. 모델이 쓴 연도의 끝 숫자가 맞은 경우, 그 대신 텍스트의 끝 숫자와 같은 경우, 그리고 날을 "19"라고 답한 경우입니다.

# %% name="unseen-why"
pairs = [(guess, example.text) for guess, example in zip(guesses, splits["unseen"])]
why = {
    t(en="year ends rightly", ko="연도의 끝 숫자: 정답"): [guess[3:4] == text[3] for guess, text in pairs],
    t(en="year ends like the text", ko="연도의 끝 숫자: 텍스트의 끝 숫자"): [
        guess[3:4] == text[-1] for guess, text in pairs
    ],
    t(en='day is "19"', ko='날이 "19"'): [guess[8:10] == "19" for guess, _ in pairs],
}
shares = {t(en="share", ko="비율"): [sum(found) / len(found) for found in why.values()]}
plot.bars(shares, list(why), xlabel=t(en="what it writes", ko="모델이 쓴 것"), ylabel=t(en="share", ko="비율"))
plt.show()

# %% [markdown] lang="en" name="tails"
# Its year ends like the text, whose last digit belongs to the day, more often than it ends rightly; and a large part of the days is "19", the beginning of the year in front. In English it has not learned what a year is, only where years stand. Korean marks the year with 년 and shows it in both places; in the English of the training set it stands at the end every time, and to know the place was enough.
#
# ## 9. Three tails
#
# Now post A's remark is clear: "이후 Decoder를 추가하거나 FFN, LSTM등 …" (then add a decoder, or an FFN, an LSTM and so on). The encoder gives `[bs, sl, hid_dim]`, and what stands behind it depends on what you want to have.
#
# | You want | Tail | Gives | Where |
# |---|---|---|---|
# | a value or label for each place, or for the whole | FFN: a linear layer or two | `[bs, sl]`, `[bs, sl, n_tags]` or `[bs, n_classes]` | lessons 09 to 11 |
# | the same, where each place should also remember the places before it | LSTM | `[bs, sl]` | lesson 11 |
# | a text of its own length | decoder | `[bs, tl, output_dim]` | here |
#
# The third is the Transformer of the paper, both stacks. There are also models of one stack only:
#
# | Model | Each token sees | Good for |
# |---|---|---|
# | encoder only (BERT) | the whole text | understanding: labels, names, similarity |
# | decoder only (GPT) | itself and what stands before it | writing on: source and answer are one text, and cross-attention is left out |
# | both (the paper, T5) | encoder: all; decoder: its past and all of the source | from one text to another |
#
# A decoder-only layer is an encoder layer with a causal mask. You have had it since lesson 06.
#
# ## What you have now
#
# - A decoder layer: causal self-attention, cross-attention `[bs, n_heads, tl, sl]`, feed-forward; equal to PyTorch's.
# - The target is shifted right for training, and written one token at a time afterwards.
# - If the answer stands in the input, every loss looks wonderful. Let the model write before you believe it.
# - A translator of dates that reads, puts together most of what it has seen apart, and cannot read an order of parts that it never saw.
#
# Next: [14 · Find the bug](14_find_the_bug.ipynb).
#
# **Further reading**: [Attention Is All You Need](https://arxiv.org/abs/1706.03762), section 3.1

# %% [markdown] lang="ko" name="tails" of="ba4a4d30"
# 모델이 쓴 연도의 끝 숫자는 정답일 때보다 텍스트의 끝 숫자(날의 끝 숫자)와 같을 때가 더 많습니다. 날을 "19", 곧 텍스트 첫머리에 있는 연도의 앞 두 숫자로 답하는 일도 많습니다. 영어에서는 연도가 무엇인지가 아니라 어디에 있는지를 배운 것입니다. 한국어는 연도에 년이 붙고 앞에도 뒤에도 나오지만, 영어 학습 텍스트에서는 연도가 늘 끝에 있어서 자리만 알아도 충분했습니다.
#
# ## 9. 세 가지 꼬리
#
# 이제 글 A의 "이후 Decoder를 추가하거나 FFN, LSTM등"이라는 말이 분명해집니다. 인코더는 `[bs, sl, hid_dim]`을 내놓고, 그 뒤에 무엇을 붙일지는 무엇을 얻고 싶은지에 달려 있습니다.
#
# | 얻고 싶은 것 | 꼬리 | 나오는 것 | 강의 |
# |---|---|---|---|
# | 자리마다, 또는 전체에 값이나 라벨 하나 | FFN: 선형 계층 한두 개 | `[bs, sl]`, `[bs, sl, n_tags]` 또는 `[bs, n_classes]` | 09강에서 11강까지 |
# | 같은 것이지만, 자리마다 앞 자리들도 기억해야 할 때 | LSTM | `[bs, sl]` | 11강 |
# | 길이가 따로 정해지는 텍스트 | 디코더 | `[bs, tl, output_dim]` | 이 강의 |
#
# 셋째가 인코더와 디코더를 모두 갖춘 논문의 트랜스포머입니다. 둘 가운데 하나만 있는 모델도 있습니다.
#
# | 모델 | 토큰이 보는 것 | 잘하는 일 |
# |---|---|---|
# | 인코더만 (BERT) | 텍스트 전체 | 이해하기: 분류, 개체명, 유사도 |
# | 디코더만 (GPT) | 자기 자신과 그 앞 | 이어 쓰기: 소스와 답이 한 텍스트이고 크로스 어텐션은 없습니다 |
# | 둘 다 (논문, T5) | 인코더는 전체, 디코더는 지금까지 쓴 것과 소스 전체 | 한 텍스트에서 다른 텍스트로 |
#
# 디코더만 있는 모델의 계층은 인과 마스크를 쓴 인코더 계층입니다. 06강에서 이미 만들어 본 것입니다.
#
# ## 정리
#
# - 디코더 계층: 인과 마스크를 쓴 셀프 어텐션, 크로스 어텐션 `[bs, n_heads, tl, sl]`, 피드포워드. PyTorch와 같은 값이 나옵니다.
# - 학습할 때는 목표를 오른쪽으로 밀고, 답을 쓸 때는 토큰을 한 번에 하나씩 씁니다.
# - 입력에 답이 있으면 어떤 손실이든 훌륭해 보입니다. 믿기 전에 모델에게 답을 직접 써 보게 하세요.
# - 날짜 번역기는 정말로 읽고, 따로 본 달과 방법을 대부분 합쳐서 읽지만, 본 적 없는 순서로 쓴 날짜는 읽지 못합니다.
#
# 다음: [14 · 버그 찾기](14_find_the_bug.ipynb).
#
# **더 읽을거리**: [Attention Is All You Need](https://arxiv.org/abs/1706.03762) 3.1절
