# ---
# jupyter:
#   jupytext:
#     formats: py:percent
#     cell_metadata_filter: lang,of,name,tags,-all
# ---

# %% [markdown] lang="en" name="title"
# # 12 · A real BERT in your encoder
#
# Until now your encoders were small and knew little. Here a published model moves in: all-MiniLM-L6-v2, a BERT with six layers and twelve heads in each, trained by others on a great deal of English. It runs in the classes that you read in
# lesson 08, and you can look at each of its 72 heads.
#
# **You will be able to**
#
# - load published weights into your own classes, strictly, and show that they compute what Hugging Face's do;
# - tell a head with a plain job from stripes that only look like meaning, by measuring;
# - compare sentences by their vectors, and say what an English model does to Korean.
#
# **Read first**: [08 · The encoder in BERT's words](08_bert_words.ipynb).
#
# **Time**: 65 minutes.
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
#
# Two questions to ask: *A heatmap looks like a discovery. What would you measure before you believe it?*
# *"The cat sleeps" and "the cat does not sleep" get nearly the same vector. Is the model wrong?*
#
# </details>

# %% [markdown] lang="ko" name="title" of="56359bea"
# # 12 · 내 인코더에 담는 진짜 BERT
#
# 지금까지의 인코더는 작고 아는 것이 거의 없었습니다. 이제 공개된 모델이 들어옵니다. all-MiniLM-L6-v2는 계층 여섯 개에 헤드가 열두 개씩 있는 BERT이고, 다른 사람들이 아주 많은 영어로 학습해 두었습니다.
# 이 모델을 08강에서 읽은 클래스에 담아 돌리고, 헤드 72개를 하나하나 들여다봅니다.
#
# **이 강의를 마치면**
#
# - 공개된 파라미터를 여러분의 클래스에 엄격하게 불러오고, Hugging Face와 같은 계산임을 보여 줄 수 있습니다.
# - 분명한 일을 하는 헤드와, 뜻이 있어 보이기만 하는 줄무늬를 재어 보고 구별할 수 있습니다.
# - 문장을 벡터로 비교하고, 영어 모델이 한국어를 어떻게 다루는지 말할 수 있습니다.
#
# **먼저 볼 것**: [08 · BERT의 말로 다시 쓴 인코더](08_bert_words.ipynb).
#
# **시간**: 65분.
#
# <details><summary>수업용 안내</summary>
#
# | 절 | 분 |
# |---|---|
# | 1 이사 들어오기 | 9 |
# | 2 헤드 72개 | 7 |
# | 3 분명한 일을 하는 헤드 | 14 |
# | 4 어텐션이 쉬는 곳 | 8 |
# | 5 "it"에 관한 이야기 | 8 |
# | 6 문장 하나에 벡터 하나 | 13 |
# | 7 한국어는 어떻게 될까 | 6 |
#
# 던져 볼 질문 두 가지: *히트맵은 발견처럼 보입니다. 믿기 전에 무엇을 재 보겠습니까?*
# *"고양이가 잔다"와 "고양이가 자지 않는다"의 벡터가 거의 같습니다. 모델이 틀린 것일까요?*
#
# </details>

# %% name="setup" tags=["setup"]

# %% name="imports" tags=["imports"]
import matplotlib.pyplot as plt
import torch
import torch.nn.functional as F
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

from tutorial_lib import device, plot, t
from tutorial_lib.bert import Config, Model, load_pretrained
from tutorial_lib.exercises import lesson_12 as check
from tutorial_lib.explorer import attention_explorer
from tutorial_lib.masks import padding_mask
from tutorial_lib.trace import trace_shapes

# %% [markdown] lang="en" name="move-in"
# ## 1. Moving in
#
# The weights come with a package (83 MB; [all-MiniLM-L6-v2](https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2), Apache-2.0). `load_pretrained` checks the file against its published fingerprint, fills the classes of lesson 08, and refuses if a single name is missing or left over. Where the package is not installed, it says how to get it, and the lesson goes on
# with a random stand-in of the same size; then the pictures mean nothing.

# %% [markdown] lang="ko" name="move-in" of="3736bc30"
# ## 1. 이사 들어오기
#
# 파라미터는 패키지에 들어 있습니다(83 MB, [all-MiniLM-L6-v2](https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2), Apache-2.0). `load_pretrained`는 파일이 공개된 것과 같은지 확인하고, 08강의 클래스를 채우고, 이름이 하나라도 모자라거나 남으면 거절합니다. 패키지가 없으면 설치하는 방법을 알려 주고, 강의는
# 크기만 같은 무작위 모델로 계속됩니다. 그때의 그림에는 아무 뜻이 없습니다.

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
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "it"]
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
print(round(sum(p.numel() for p in model.parameters()) / 1e6, 1), "million parameters")

# %% [markdown] lang="en" name="tokens-text"
# Six layers, twelve heads, 384 numbers per token. More than half of the 22.6 million parameters are the table of 30,522 word vectors.
#
# The model has a tokenizer of its own, WordPiece, of the kind you met in lesson 01: a word that is not in the vocabulary is cut into pieces, and a piece that continues a word begins with `##`. `[CLS]` and `[SEP]` are its BOS and EOS. **Guess first.** Which word of this sentence will be cut?

# %% [markdown] lang="ko" name="tokens-text" of="4f881ea0"
# 계층 여섯 개, 헤드 열두 개, 토큰마다 숫자 384개입니다. 파라미터 2,260만 개 가운데 절반이 넘는 것이 단어 벡터 30,522개의 표입니다.
#
# 이 모델에는 자기 토크나이저가 있습니다. 01강에서 본 것과 같은 종류인 WordPiece입니다. 어휘집에 없는 단어는 조각내고, 단어를 잇는 조각은 `##`로 시작합니다. `[CLS]`와 `[SEP]`는 이 모델의 BOS와 EOS입니다. **먼저 예상해 보세요.** 이 문장에서 어느 단어가 잘릴까요?

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
# *heatmap* and *bluish*, of course; the trace has the names of lesson 08. Is it the same model that Hugging Face would run? If `transformers` is installed, we can ask: all seven hidden states (the embedding and six layers) and all six attentions.

# %% [markdown] lang="ko" name="hf-text" of="e2b1d51a"
# 히트맵(*heatmap*)과 푸르스름하다는 *bluish*입니다. 추적에는 08강의 이름들이 보입니다. Hugging Face가 돌리는 것과 같은 모델일까요? `transformers`가 설치되어 있으면 물어볼 수 있습니다. 은닉 상태 일곱 개(임베딩과 여섯 계층)와 어텐션 여섯 개를 모두 견줍니다.

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
    print("transformers is not installed here: pip install transformers ipywidgets")

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
# No longer pale, as all our untrained grids were. Three kinds stand out. In layer 0, head 2 has a clean line below the diagonal. Some heads of layers 1 and 2 have a softer line above it. And from layer 2 on, many have a dark stripe in the first column: everybody looks at `[CLS]`. To see one head large, choose it here, with the mouse or with the arrow keys
# (where scripts do not run, the small maps above are what there is):

# %% [markdown] lang="ko" name="grid-text" of="6b38d323"
# 학습하지 않은 것들처럼 흐릿하지 않습니다. 세 종류가 눈에 띕니다. 계층 0의 헤드 2에는 대각선 아래에 깨끗한 줄이 있습니다. 계층 1과 2의 몇몇 헤드에는 대각선 위에 그보다 흐린 줄이 있습니다. 그리고 계층 2부터는 첫 열에 진한 줄무늬를 가진 헤드가 많습니다. 모두가 `[CLS]`를 봅니다. 헤드 하나를 크게 보려면 여기서 마우스나 화살표 키로
# 고르세요(스크립트가 돌지 않는 곳에서는 위의 작은 그림들로 보세요).

# %% name="explore" tags=["nbval-ignore-output"]
attention_explorer([weights[0] for weights in out.attentions], tokens, layer=0, head=2)

# %% [markdown] lang="en" name="plain"
# ## 3. Heads with a plain job
#
# Head 2 of layer 0 seems to look one token back, like the head that you set by hand in lesson 05. One sentence may be chance. **Guess first.** Over five sentences, how much of its attention goes to the token before?

# %% [markdown] lang="ko" name="plain" of="4d3bdc43"
# ## 3. 분명한 일을 하는 헤드
#
# 계층 0의 헤드 2는 바로 앞의 토큰을 보는 것 같습니다. 05강에서 손으로 맞춘 헤드처럼요. 하지만 문장 하나로는 우연일 수 있습니다. **먼저 예상해 보세요.** 다섯 문장을 평균하면 이 헤드는 바로 앞 토큰에 관심을 얼마나 줄까요?

# %% [markdown] lang="en" name="exercise-back-text" tags=["exercise"]
# ### Your turn · a stretch · about 6 minutes
#
# Write the measure first. `looks_back(weights)`: weights `[n_heads, sl, sl]` → for each head the mean share that a token gives to the one right before it, `[n_heads]`. The first token has none before it and does not count.
#
# <details><summary>Hint 1</summary>In a map the one before stands right below the diagonal.</details>
# <details><summary>Hint 2</summary><code>weights.diagonal(-1, -2, -1)</code> takes that line out of the last two axes.</details>

# %% [markdown] lang="ko" name="exercise-back-text" of="c9aabee7" tags=["exercise"]
# ### 직접 해 보기 · 도전 · 약 6분
#
# 먼저 재는 함수를 써 보세요. `looks_back(weights)`: 가중치 `[n_heads, sl, sl]` → 헤드마다 토큰이 바로 앞 토큰에 주는 몫의 평균 `[n_heads]`. 첫 토큰은 앞에 아무도 없으니 세지 않습니다.
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
def toward(weights, offset):
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
    print(f"{name:10} strongest: layer {layer}, head {head}")

# %% name="measured-picture"
strength = {
    t(en="strongest head", ko="가장 강한 헤드"): [high for high, _ in best.values()],
    t(en="median of 72", ko="72개의 중앙값"): [middle for _, middle in best.values()],
}
plot.bars(strength, list(best), xlabel="", ylabel=t(en="mean share", ko="평균 비율"))
plt.show()

# %% [markdown] lang="en" name="plain-text"
# 1.00: in five sentences it looks nowhere else. That is a real job, and what the head does does not depend on the words. The best head that looks ahead is not nearly as clean (0.60). Most heads do neither. And the third pair of bars is the stripe: it is not the exception, it is the rule, for the median head gives far more to `[CLS]` than to either neighbour.
#
# ## 4. Where attention rests
#
# Head 5 of layer 4 gives 0.88 of its attention to `[CLS]`. It is tempting to say: that is where it collects the meaning of the sentence. **Guess first.** What flows from there? A weight says how much of a *value* is taken; so look at the length of the values, too.

# %% [markdown] lang="ko" name="plain-text" of="d4282f20"
# 1.00입니다. 다섯 문장에서 다른 곳은 전혀 보지 않습니다. 분명한 일이고, 단어가 무엇이든 같은 일을 합니다. 바로 뒤를 보는 헤드는 가장 강한 것도 그만큼 깨끗하지 않습니다(0.60). 대부분의 헤드는 둘 다 하지 않습니다. 그리고 셋째 막대 쌍이 줄무늬입니다. 예외가 아니라 보통입니다. 중앙값에 있는 헤드도 이웃보다 `[CLS]`에 훨씬 많이 줍니다.
#
# ## 4. 어텐션이 쉬는 곳
#
# 계층 4의 헤드 5는 관심의 0.88을 `[CLS]`에 줍니다. 거기에 문장의 뜻을 모은다고 말하고 싶어집니다. **먼저 예상해 보세요.** 거기서 무엇이 흘러나올까요? 가중치는 *값*(value)을 얼마나 가져오는지를 뜻하니, 값 벡터의 길이도 함께 보아야 합니다.

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
print(
    f"length of the value of {tokens[0]} {lengths[0]:.1f}, of the others {lengths[1:].min():.1f} to {lengths[1:].max():.1f}"
)

# %% [markdown] lang="en" name="rest-text"
# Next to nothing flows. The value of `[CLS]` is almost zero in this head (0.1, the others' are near 4), so 0.9 of the attention brings about as much as the 0.02 that goes to one word. Shares must add up to 1, and a head that has nothing to say still has to put them somewhere: it *rests*. Such a stripe looks like meaning, and is the opposite.
#
# ## 5. A story about "it"
#
# Here is a map that is often shown: head 1 of layer 3 and the word *it*.

# %% [markdown] lang="ko" name="rest-text" of="5d41e7a9"
# 거의 아무것도 흐르지 않습니다. 이 헤드에서 `[CLS]`의 값은 거의 0입니다(0.1, 나머지는 4 근처). 그래서 관심의 0.9가 가져오는 것이 단어 하나에 가는 0.02가 가져오는 것과 비슷합니다. 비율의 합은 1이어야 하므로, 할 말이 없는 헤드도 어딘가에는 두어야 합니다. 그래서 *쉽니다*. 이런 줄무늬는 뜻이 있어 보이지만 실은 그 반대입니다.
#
# ## 5. "it"에 관한 이야기
#
# 흔히 보여 주는 히트맵입니다. 계층 3의 헤드 1과 *it*이라는 단어입니다.

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
    share = result.attentions[3][0, 1, pieces.index("it")]  # share: [sl]
    for noun, found in ((meant, right), (not_meant, other)):
        found.append(share[pieces.index(noun)].item() if noun in pieces else 0.0)

# %% name="it-measured"
names = [f"{i}: {meant}" for i, (_, meant, _) in enumerate(cases)]
found = {t(en="the noun meant", ko="가리키는 명사"): right, t(en="the other noun", ko="다른 명사"): other}
ax = plot.bars(
    found,
    names,
    xlabel=t(en="sentence, and the noun meant", ko="문장과 가리키는 명사"),
    ylabel=t(en="share", ko="비율"),
)
ax.legend(frameon=False, loc="upper left", bbox_to_anchor=(1, 1))
plt.show()
print(sum(a > b for a, b in zip(right, other)), "of", len(cases))

# %% [markdown] lang="en" name="it-text"
# 7 of 10, and look at the pairs: 0 and 1 differ in a single word, and so do 2 and 3, 4 and 5. In none of the three does the head change its mind: *animal* both times, *trophy* both times, *ball* both times. It has a liking for one noun, which is often the right one; it does not resolve what *it* means. One beautiful map would have told another story.
#
# ## 6. One vector for a sentence
#
# This model was trained for one thing: sentences of similar meaning should get similar vectors. The vector of a sentence is the mean over its real tokens.

# %% [markdown] lang="ko" name="it-text" of="6c260d67"
# 열 번 가운데 일곱 번입니다. 짝을 보세요. 0과 1은 단어 하나만 다르고, 2와 3, 4와 5도 그렇습니다. 세 짝 모두에서 헤드는 생각을 바꾸지 않습니다. 두 번 다 *animal*, 두 번 다 *trophy*, 두 번 다 *ball*입니다. 한쪽 명사를 좋아하고 그것이 흔히 맞을 뿐, *it*이 무엇을 뜻하는지 가려내는 것은 아닙니다. 아름다운 히트맵 한 장이었다면 다른 이야기를 했을 것입니다.
#
# ## 6. 문장 하나에 벡터 하나
#
# 이 모델은 한 가지 목적으로 학습되었습니다. 뜻이 비슷한 문장은 벡터도 비슷해야 한다는 것입니다. 문장의 벡터는 진짜 토큰들의 평균입니다.

# %% [markdown] lang="en" name="exercise-mean-text" tags=["exercise"]
# ### Your turn · medium · about 7 minutes
#
# `mean_of_real(hidden, mask)`: `[bs, sl, hid_dim]` and a padding mask `[bs, 1, 1, sl]` → `[bs, hid_dim]`, the mean over the real tokens of each sentence. For a sentence without any it is 0.
#
# <details><summary>Hint 1</summary><code>mask[:, 0, 0, :, None]</code> has the axes [bs, sl, 1].</details>
# <details><summary>Hint 2</summary>Sum of hidden * real over sl, divided by the sum of real, which is at least 1.</details>

# %% [markdown] lang="ko" name="exercise-mean-text" of="06b23c11" tags=["exercise"]
# ### 직접 해 보기 · 보통 · 약 7분
#
# `mean_of_real(hidden, mask)`: `[bs, sl, hid_dim]`과 패딩 마스크 `[bs, 1, 1, sl]` → 문장마다 진짜 토큰의 평균 `[bs, hid_dim]`. 진짜 토큰이 하나도 없는 문장은 0입니다.
#
# <details><summary>힌트 1</summary><code>mask[:, 0, 0, :, None]</code>의 축은 [bs, sl, 1]입니다.</details>
# <details><summary>힌트 2</summary>hidden * real을 sl로 더하고, real의 합(적어도 1)으로 나눕니다.</details>


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
# For single sentences no mask is needed. **Guess first.** How similar to *A cat sleeps on the sofa.* are these four, from -1 to 1?

# %% [markdown] lang="ko" name="similar-guess" of="4cd50fc5"
# 문장을 하나씩 넣으면 마스크가 필요 없습니다. **먼저 예상해 보세요.** 다음 네 문장은 "A cat sleeps on the sofa."와 얼마나 비슷할까요? -1에서 1까지입니다.


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
# The kitten on the couch shares hardly a word with the cat on the sofa, and is found (0.75). The stock market is far away (0.03). But the sentence that says the **opposite** is nearer than the one that says the same (0.87). These vectors tell what a text is *about*. Whoever wants to know whether two texts agree needs another model, and should measure it on negations.
#
# ## 7. What it does to Korean
#
# The vocabulary is English. **Guess first.** What becomes of 비가 와서 우산을 샀다 (it rained, so I bought an umbrella)?

# %% [markdown] lang="ko" name="similar-text" of="9d4bedd6"
# 소파의 새끼 고양이 문장은 겹치는 단어가 거의 없는데도 찾아냅니다(0.75). 주식 시장은 멀리 있습니다(0.03). 그런데 **반대되는** 말을 하는 문장이 같은 말을 하는 문장보다 더 가깝습니다(0.87). 이 벡터는 글이 *무엇에 관한* 것인지를 말해 줍니다. 두 글의 뜻이 서로 맞는지 알고 싶다면 다른 모델이 필요하고, 부정문으로 재 보아야 합니다.
#
# ## 7. 한국어는 어떻게 될까
#
# 어휘집이 영어입니다. **먼저 예상해 보세요.** "비가 와서 우산을 샀다."는 어떻게 될까요?

# %% name="korean-tokens"
korean = ["비가 와서 우산을 샀다.", "고양이가 소파에서 잔다.", "새끼 고양이가 낮잠을 잔다.", "오늘 주가가 떨어졌다."]
for text in korean:
    print(" ".join(tokenizer.encode(text).tokens))

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

# %% [markdown] lang="en" name="summary"
# Accents are stripped, and with them Hangul falls apart into jamo (lesson 01: the decomposed form); whole words become `[UNK]`. The vectors still come out, and cosines near 0.8 look impressive, but the kitten is no nearer to the cat than the stock market is. A number is always returned; whether it means anything must be measured.
#
# ## What you have now
#
# - A published BERT in your own classes, loaded strictly, equal to Hugging Face's in all hidden states and attentions.
# - Measures beside the maps: one head looks back (1.00), many rest on `[CLS]`, where next to nothing flows.
# - A story that does not hold: 7 of 10, and no pair flips.
# - Sentence vectors tell the topic, not agreement; an English vocabulary makes nothing of Korean.
#
# Where such heads come from, a small masked language model will show.
#
# **Further reading**: [Sentence-BERT](https://arxiv.org/abs/1908.10084) · [What Does BERT Look At?](https://arxiv.org/abs/1906.04341) · [Attention is not only a weight](https://arxiv.org/abs/2004.10102), on the length of the values

# %% [markdown] lang="ko" name="summary" of="eecb5e50"
# 악센트 기호를 떼어 내면서 한글이 자모로 흩어지고(01강의 나눈 꼴), 통째로 `[UNK]`가 되는 단어도 있습니다. 그래도 벡터는 나오고 0.8 근처의 코사인은 그럴듯해 보입니다. 하지만 새끼 고양이는 주가보다 고양이에 더 가깝지 않습니다. 숫자는 언제나 나옵니다. 뜻이 있는지는 재 보아야 압니다.
#
# ## 정리
#
# - 공개된 BERT를 여러분의 클래스에 엄격하게 불러왔고, 모든 은닉 상태와 어텐션이 Hugging Face와 같습니다.
# - 히트맵 옆에 재는 값을 두었습니다. 헤드 하나는 바로 앞을 보고(1.00), 많은 헤드는 거의 아무것도 흐르지 않는 `[CLS]`에서 쉽니다.
# - 성립하지 않는 이야기: 열 번 가운데 일곱 번이고, 뒤집힌 짝은 없습니다.
# - 문장 벡터는 주제를 말해 줄 뿐 서로 맞는지는 말해 주지 않습니다. 영어 어휘집은 한국어를 알아보지 못합니다.
#
# 이런 헤드가 어디서 생기는지는 작은 마스크 언어 모델로 보게 됩니다.
#
# **더 읽을거리**: [Sentence-BERT](https://arxiv.org/abs/1908.10084) · [What Does BERT Look At?](https://arxiv.org/abs/1906.04341) · [Attention is not only a weight](https://arxiv.org/abs/2004.10102)(값 벡터의 길이에 관하여)
