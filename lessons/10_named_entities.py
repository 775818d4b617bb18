# ---
# jupyter:
#   jupytext:
#     formats: py:percent
#     cell_metadata_filter: lang,of,name,tags,-all
# ---

# %% [markdown] lang="en" name="title"
# # 10 · Named entities
#
# Who is named in a sentence, which place, which company? Such names are called *named entities*. Now each token gets a label, and the encoder's shape pays off: one vector in, one vector out, for every token. The hard part is names that nobody has seen before, and names like *Jordan*, which may be a man, a country or a firm.
#
# **You will be able to**
#
# - turn marked names into a tag for each token, and tags back into names;
# - leave padding and special tokens out of a loss;
# - say why a share of right tokens flatters, and count whole names instead;
# - train a model that reads a name from its context, and test that it does.
#
# **Read first**: [09 · Text classification](09_text_classification.ipynb).
#
# **Time**: 65 minutes.
#
# <details><summary>For the classroom</summary>
#
# | Section | Minutes |
# |---|---|
# | 1 Names in sentences | 8 |
# | 2 A tag for each token | 14 |
# | 3 A loss over real tokens | 9 |
# | 4 Whole names count | 12 |
# | 5 A list of names, and an encoder | 14 |
# | 6 What does it go by? | 8 |
#
# Two questions to ask: *"Jordan met Paris." How many names, and what are they? What would you have to know?*
# *A model has two tokens of three right and finds no name at all. How can that be?*
#
# </details>

# %% [markdown] lang="ko" name="title" of="cb4d03c5"
# # 10 · 개체명 인식
#
# 문장에는 사람과 곳과 회사의 이름이 나옵니다. 이런 이름을 개체명(named entity)이라고 합니다. 어디부터 어디까지가 이름이고, 무엇의 이름일까요? 이번에는 토큰마다 라벨이 붙습니다. 토큰마다 벡터 하나가 들어가서 하나가 나오는 인코더의 모양이 여기서 제 몫을 합니다. 어려운 것은 한 번도 본 적 없는 이름, 그리고 사람일 수도 곳일 수도 회사일 수도 있는 *세종* 같은 이름입니다.
#
# **이 강의를 마치면**
#
# - 표시된 이름을 토큰마다 하나씩 붙는 태그로 바꾸고, 태그를 다시 이름으로 바꿀 수 있습니다.
# - 패딩과 특수 토큰을 손실에서 뺄 수 있습니다.
# - 맞힌 토큰의 비율이 왜 후한 점수인지 말하고, 이름 단위로 셀 수 있습니다.
# - 문맥을 보고 이름을 알아보는 모델을 학습시키고, 정말 그런지 시험할 수 있습니다.
#
# **먼저 볼 것**: [09 · 텍스트 분류](09_text_classification.ipynb).
#
# **시간**: 65분.
#
# <details><summary>수업용 안내</summary>
#
# | 절 | 분 |
# |---|---|
# | 1 문장 속의 이름 | 8 |
# | 2 토큰마다 태그 하나 | 14 |
# | 3 진짜 토큰으로만 구하는 손실 | 9 |
# | 4 이름 단위로 세기 | 12 |
# | 5 이름 목록, 그리고 인코더 | 14 |
# | 6 무엇을 보고 알까? | 8 |
#
# 던져 볼 질문 두 가지: *"하늘이 세종에 갔다." 이름은 몇 개이고, 저마다 무엇일까요? 무엇을 알아야 답할 수 있을까요?*
# *토큰 셋 가운데 둘을 맞힌 모델이 이름은 하나도 찾지 못했습니다. 어떻게 그럴 수 있을까요?*
#
# </details>

# %% name="setup" tags=["setup"]

# %% name="imports" tags=["imports"]
import re
from collections import Counter, defaultdict
from functools import partial

import matplotlib.pyplot as plt
import torch
import torch.nn.functional as F
from tokenizers import Tokenizer, pre_tokenizers, trainers
from tokenizers.models import BPE
from torch import Tensor, nn

from tutorial_lib import device, plot, t
from tutorial_lib.data.entities import TYPES, Sentence, entities
from tutorial_lib.encoder import Encoder
from tutorial_lib.exercises import lesson_10 as check
from tutorial_lib.heads import ClassificationHead
from tutorial_lib.masks import padding_mask
from tutorial_lib.tags import entity_scores, places, to_spans, to_tags
from tutorial_lib.text import Vocab, collate, tokenize
from tutorial_lib.trace import trace_shapes
from tutorial_lib.training import fit, predict

# %% [markdown] lang="en" name="data"
# ## 1. Names in sentences
#
# A rule writes these sentences too, and marks where the names stand: first character, one behind the last, and a type. `PER` is a person, `LOC` a place, `ORG` an organisation. Below stand the names themselves instead of their places. (The rule decides the type: a name after *got a new museum from* is always an organisation, though a reader might think of a city.)

# %% [markdown] lang="ko" name="data" of="d69d6f16"
# ## 1. 문장 속의 이름
#
# 이 문장들도 정해진 규칙으로 만들고, 이름이 어디 있는지 표시해 둡니다. 첫 문자의 자리, 끝 문자 다음 자리, 그리고 종류입니다. `PER`는 사람, `LOC`는 곳, `ORG`는 기관이나 회사입니다. 아래에서는 자리 대신 그 자리에 있는 이름을 출력합니다. (종류는 규칙이 정합니다. 'got a new museum from' 다음의 이름은, 읽는 사람에 따라 도시로 보일 수 있어도 늘 기관입니다.)

# %% name="corpus"
corpus = {lang: entities(lang, n_train=n) for lang, n in (("ko", 6000), ("en", 4000))}
for lang in corpus:
    for text, spans in corpus[lang]["train"][:4]:
        print(text, [(text[start:end], kind) for start, end, kind in spans])

# %% [markdown] lang="en" name="splits-text"
# Twelve names may be of any type: only the sentence tells what *Jordan* is. And again the splits ask different things:
#
# | Split | What is in it |
# |---|---|
# | `train`, `valid`, `test` | one rule, no sentence in common |
# | `ambiguous` | every name may be of any type |
# | `names` | names that were never in training |
# | `builds` | a beginning and an end of a sentence that training has, but never together |

# %% [markdown] lang="ko" name="splits-text" of="cc4ca1e5"
# 이름 가운데 열두 개는 사람도, 곳도, 기관도 될 수 있습니다. 그래서 *세종*이 무엇인지는 문장을 봐야만 압니다. 이번에도 분할마다 묻는 것이 다릅니다.
#
# | 분할 | 들어 있는 것 |
# |---|---|
# | `train`, `valid`, `test` | 같은 규칙을 따르고, 겹치는 문장이 없습니다 |
# | `ambiguous` | 어떤 종류든 될 수 있는 이름만 나옵니다 |
# | `names` | 학습 데이터에 없던 이름만 나옵니다 |
# | `builds` | 문장의 앞부분도 뒷부분도 학습에서 보았지만, 함께 나온 적은 없습니다 |

# %% name="many-types"
jordan = Counter(kind for text, spans in corpus["en"]["train"] for a, b, kind in spans if text[a:b] == "Jordan")
sejong = Counter(kind for text, spans in corpus["ko"]["train"] for a, b, kind in spans if text[a:b] == "세종")
parts = {"세종": [sejong[kind] / sejong.total() for kind in TYPES]}
parts |= {"Jordan": [jordan[kind] / jordan.total() for kind in TYPES]}
plot.bars(parts, TYPES, xlabel=t(en="type", ko="종류"), ylabel=t(en="share in training", ko="학습 데이터에서의 비율"))
plt.show()

# %% [markdown] lang="en" name="tags"
# Whoever knows only the name, and says its most frequent type, is right two times in five.
#
# ## 2. A tag for each token
#
# The encoder speaks in tokens, the marks in characters. A name may take several tokens, and two names may touch. The usual tags are called *BIO* (begin, inside, outside): `B-PER` begins a person, `I-PER` goes on with it, `O` is outside of all names. So there are two things to do: find where in the text each token stands (`places`, below), and compare that with where the names stand.

# %% [markdown] lang="ko" name="tags" of="dcea9712"
# 이름만 보고 가장 흔한 종류로 찍으면 다섯 번에 두 번 맞힙니다.
#
# ## 2. 토큰마다 태그 하나
#
# 인코더는 토큰 단위로 답하는데, 표시는 문자 단위로 되어 있습니다. 이름 하나가 토큰 여러 개일 수도 있고, 두 이름이 맞닿아 있을 수도 있습니다. 흔히 쓰는 태그는 *BIO*(begin, inside, outside)입니다. `B-PER`는 사람 이름의 시작, `I-PER`는 이어지는 부분, `O`는 이름 바깥입니다. 그러니 할 일이 두 가지입니다. 먼저 토큰마다 텍스트의 어디에 있는지 찾고(아래의 `places`), 그 자리를 이름의 자리와 견주어 태그를 정합니다.

# %% name="places"
text, spans = "Jordan works for Green Bank.", [(0, 6, "PER"), (17, 27, "ORG")]
stands = places(text, tokenize(text))
stands

# %% [markdown] lang="en" name="exercise-bio-text" tags=["exercise"]
# ### Your turn · medium · about 8 minutes
#
# `bio(places, spans)`: for each place (start, end) the tag of that token, as a list as long as `places`. A token belongs to a span (start, end, type) if the two overlap. The first such token of a span is `B-…`, the others `I-…`; a token that belongs to none is `O`. For the sentence above, `bio(stands, spans)` is `['B-PER', 'O', 'O', 'B-ORG', 'I-ORG', 'O']`.
#
# <details><summary>Hint 1</summary>Two stretches overlap if max(starts) < min(ends).</details>
# <details><summary>Hint 2</summary>Remember which spans have begun already.</details>

# %% [markdown] lang="ko" name="exercise-bio-text" of="128ad4e5" tags=["exercise"]
# ### 직접 해 보기 · 보통 · 약 8분
#
# `bio(places, spans)`: 토큰의 자리 (start, end)마다 태그를 하나씩 정해, `places`와 길이가 같은 리스트로 돌려주세요. 범위 (start, end, type)와 조금이라도 겹치는 토큰은 그 이름에 속합니다. 한 범위의 첫 토큰은 `B-…`, 나머지는 `I-…`, 어느 범위에도 속하지 않으면 `O`입니다. 위의 문장이라면 `bio(stands, spans)`는 `['B-PER', 'O', 'O', 'B-ORG', 'I-ORG', 'O']`입니다.
#
# <details><summary>힌트 1</summary>max(starts) < min(ends)이면 두 구간이 겹칩니다.</details>
# <details><summary>힌트 2</summary>어느 범위가 이미 시작되었는지 기억해 두세요.</details>


# %% name="exercise-bio" tags=["exercise"]
def bio(places, spans):
    # your turn
    ...


check.bio(bio)


# %% name="solution-bio" tags=["solution"]
def bio(places, spans):
    begun, tags = [], []
    for start, end in places:
        tag = "O"
        for span in spans:
            if max(start, span[0]) < min(end, span[1]):
                tag = ("I-" if span in begun else "B-") + span[2]
                begun.append(span)
        tags.append(tag)
    return tags


check.bio(bio)

# %% [markdown] lang="en" name="straddle-text"
# ### Break it: a piece that is half name, half particle
#
# Korean names carry their particle with them, as in *서울에서*. Subwords are learned from how often letters stand together, and know nothing of names. How many names end *inside* a piece? Such a name cannot be marked right, whatever the model does.

# %% [markdown] lang="ko" name="straddle-text" of="42dee608"
# ### 일부러 망가뜨리기: 반만 이름인 조각
#
# 한국어에서는 *서울에서*처럼 이름에 조사가 붙습니다. 서브워드는 문자들이 얼마나 자주 붙어 나오는지로 정해질 뿐, 이름은 모릅니다. 이름의 끝이 조각 *안*에 들어가 버리는 경우는 얼마나 될까요? 그런 이름은 모델이 무엇을 하든 제대로 표시할 수 없습니다.


# %% name="straddle"
def subword_cut(size):
    subwords = Tokenizer(BPE(unk_token="<UNK>"))
    subwords.pre_tokenizer = pre_tokenizers.Metaspace()
    trainer = trainers.BpeTrainer(vocab_size=size, special_tokens=["<UNK>"], show_progress=False)
    subwords.train_from_iterator([row.text for row in corpus["ko"]["train"]], trainer)
    return lambda text: subwords.encode(text).tokens


cuts = {t(en="syllables", ko="음절"): partial(tokenize, level="char"), t(en="words", ko="단어"): tokenize}
cuts |= {t(en=f"{size} subwords", ko=f"서브워드 {size}"): subword_cut(size) for size in (300, 500, 1000)}

# %% name="straddle-picture"
lost, total = [], sum(len(row.spans) for row in corpus["ko"]["test"])
for cut in cuts.values():
    ends = [[end for _, end in places(row.text, cut(row.text))] for row in corpus["ko"]["test"]]
    lost += [sum(end not in here for here, row in zip(ends, corpus["ko"]["test"]) for _, end, _ in row.spans)]
axes = dict(xlabel=t(en="Korean, cut into", ko="한국어를 나누는 방법"), ylabel=t(en="share lost", ko="잃는 비율"))
plot.bars({"ko": [count / total for count in lost]}, list(cuts), **axes)
plt.show()

# %% [markdown] lang="en" name="straddle-answer"
# Cut into whole words, every Korean name is lost, into syllables none. The larger the vocabulary of subwords (300, 500, 1000), the more are lost: longer pieces swallow the particle together with the end of the name. In English words are fine, since nothing is glued to a name. So we cut as in lesson 09: Korean into syllables, English into words.
# A tag stands for each token; the special tokens and the padding get -100, the number that means "do not count" to PyTorch.

# %% [markdown] lang="ko" name="straddle-answer" of="51a11b6e"
# 단어로 나누면 한국어 이름을 모두 잃고, 음절로 나누면 하나도 잃지 않습니다. 서브워드는 어휘집을 키울수록(300, 500, 1000개) 더 많이 잃습니다. 조각이 길어져서 이름의 끝과 조사가 한 조각이 되기 때문입니다. 영어는 이름에 붙는 것이 없으니 단어로 충분합니다. 그래서 09강처럼 한국어는 음절로, 영어는 단어로 나눕니다.
# 토큰마다 태그가 하나씩 있고, 특수 토큰과 패딩에는 -100을 줍니다. PyTorch에서 "세지 말라"는 뜻으로 쓰는 수입니다.

# %% name="tensors"
level = {"ko": "char", "en": "word"}
cut = {lang: partial(tokenize, level=level[lang]) for lang in corpus}
vocab = {lang: Vocab.build([row.text for row in corpus[lang]["train"]], tokenizer=cut[lang]) for lang in corpus}
TAGS = ["O", *(f"{mark}-{kind}" for kind in TYPES for mark in "BI")]
TAGS


# %% name="tagged"
def tagged(lang, rows):
    return [to_tags(places(row.text, cut[lang](row.text)), row.spans) for row in rows]


def tensors(lang, split):
    rows = corpus[lang][split]
    numbers = [[-100, *map(TAGS.index, tags), -100] for tags in tagged(lang, rows)]
    return vocab[lang].batch([row.text for row in rows]), collate(numbers, pad_id=-100)


# %% name="tags-picture"
src, tags = tensors("ko", "test")  # src: [500, sl]
shortest = (src != 0).sum(dim=1).argsort(stable=True)[:4]
src, tags = src[shortest, :13], tags[shortest, :13]  # src: [4, 13]
tokens = [vocab["ko"].decode(row, specials=True) for row in src]
names = [["" if tag < 0 else TAGS[tag] for tag in row] for row in tags.tolist()]

# %% name="tags-show"
cells = [[f"{token}\n{name}" for token, name in zip(*row)] for row in zip(tokens, names)]
plot.batch_grid(tags, cells, pad_id=-100, ids=False)
plt.show()

# %% [markdown] lang="en" name="loss"
# Four Korean sentences, a syllable in each cell with its tag below. Grey cells (-100) are left out of the loss.
#
# ## 3. A loss over real tokens
#
# The model is the encoder and one linear layer, the same for every token: `[bs, sl]` → `[bs, sl, n_tags]`.

# %% [markdown] lang="ko" name="loss" of="3b973e47"
# 한국어 문장 네 개입니다. 칸마다 음절이 있고 그 아래에 태그가 있습니다. 회색 칸(-100)은 손실을 구할 때 빼는 자리입니다.
#
# ## 3. 진짜 토큰으로만 구하는 손실
#
# 모델은 인코더와 선형 계층 하나이고, 선형 계층은 모든 토큰에 똑같이 쓰입니다. `[bs, sl]` → `[bs, sl, n_tags]`입니다.

# %% name="library-tagger"
# from tutorial_lib.heads: Tagger

# %% name="shapes"
sizes = dict(hid_dim=48, pf_dim=96, n_heads=2, n_layers=2, dropout=0.0, norm_first=True)
torch.manual_seed(0)
untrained = Tagger(n_tags=len(TAGS), input_dim=len(vocab["ko"]), **sizes).eval()
trace_shapes(untrained, src, sizes={"bs": 4, "sl": src.size(1), "n_tags": len(TAGS), "hid_dim": 48}).depth(1)

# %% [markdown] lang="en" name="ignore-text"
# `cross_entropy` wants one row of logits per token, so we put the tokens of all sentences under one another: `[bs, sl, n_tags]` → `[bs · sl, n_tags]`, and the tags `[bs, sl]` → `[bs · sl]`. With `ignore_index=-100`, which is its default, it takes the mean over the others. **Guess first**: what happens if padding is tagged `O` (number 0) instead?

# %% [markdown] lang="ko" name="ignore-text" of="a92373be"
# `cross_entropy`에는 토큰마다 로짓을 한 행씩 넣어야 하므로, 모든 문장의 토큰을 아래로 이어 놓습니다. 로짓은 `[bs, sl, n_tags]` → `[bs · sl, n_tags]`, 태그는 `[bs, sl]` → `[bs · sl]`입니다. 기본값이기도 한 `ignore_index=-100`을 쓰면 -100이 아닌 자리만 평균합니다. **먼저 예상해 보세요.** 패딩에 -100 대신 `O`(0번)를 주면 어떻게 될까요?


# %% name="ignore"
def token_loss(logits, tags):
    return F.cross_entropy(logits.flatten(0, 1), tags.flatten(), ignore_index=-100)


# %% name="ignore-check"
with torch.no_grad():
    logits = untrained(src)  # logits: [bs, sl, n_tags]
real = tags != -100  # real: [bs, sl]
by_hand = F.cross_entropy(logits[real], tags[real])
torch.allclose(token_loss(logits, tags), by_hand), f"{real.float().mean():.2f}"

# %% name="lazy"
lazy = F.one_hot(torch.zeros_like(tags), len(TAGS)) * 3.0  # lazy: [bs, sl, n_tags]
f"{token_loss(lazy, tags):.2f} {token_loss(lazy, tags.clamp(min=0)):.2f}"

# %% [markdown] lang="en" name="lazy-text"
# The first output: our loss equals the loss over the real tokens alone, and in this small batch these are 0.77 of all places. The second is the loss of a lazy model that always says `O`: 1.31, and where special tokens and padding count as `O`, 1.07 with nothing learned. Real tokens weigh less in each step, too.
#
# ## 4. Whole names count
#
# Another thing makes the lazy model look good, the share of right tokens. Two tokens of three are `O`. What matters is names: right is a name whose first token, last token and type are right. *Precision*: of the names that the model says, the share that is right. *Recall*: of the names that are in the text, the share that it says rightly. *F1* is 2 · precision · recall / (precision + recall), and high only if both are. Say there are four names, and a model says two, one of them right: precision 1/2, recall 1/4, F1 1/3. With nothing right, F1 is 0.

# %% [markdown] lang="ko" name="lazy-text" of="451d273b"
# 첫 출력: 손실은 진짜 토큰만으로 구한 것과 같고, 이 작은 배치에서 진짜 토큰은 모든 자리의 0.77입니다. 둘째 출력은 늘 `O`만 외치는 게으른 모델의 손실입니다. 앞(1.31)은 -100으로 뺐을 때, 뒤(1.07)는 특수 토큰과 패딩까지 `O`로 셌을 때입니다. 아무것도 배우지 않고도 손실이 줄어든 것입니다. 걸음마다 진짜 토큰의 무게도 가벼워집니다.
#
# ## 4. 이름 단위로 세기
#
# 게으른 모델을 좋아 보이게 하는 것이 하나 더 있습니다. 맞힌 토큰의 비율입니다. 토큰 셋 가운데 둘은 `O`이니까요. 중요한 것은 이름입니다. 첫 토큰과 끝 토큰과 종류가 모두 맞아야 맞힌 이름입니다. *정밀도*는 모델이 이름이라고 한 것 가운데 맞은 비율, *재현율*은 텍스트에 있는 이름 가운데 모델이 맞힌 비율입니다. *F1*은 2 · 정밀도 · 재현율 / (정밀도 + 재현율)이어서 둘 다 높아야만 높습니다. 이름이 네 개인데 모델이 두 개를 말하고 그 가운데 하나가 맞았다면 정밀도는 1/2, 재현율은 1/4, F1은 1/3입니다. 하나도 맞히지 못하면 F1은 0입니다.

# %% [markdown] lang="en" name="exercise-names-text" tags=["exercise"]
# ### Your turn · a stretch · about 10 minutes
#
# `find_names(tags)`: the names in a list of tags, in order, as a list of (number of the first token, one behind the last, type). A `B-` always begins a name. An `I-` of the same type goes on with the name before it, if that one ends just there; any other begins a name of its own (a model may write such a thing). So `['B-PER', 'I-PER', 'O', 'I-LOC']` gives `[(0, 2, 'PER'), (3, 4, 'LOC')]`.
#
# <details><summary>Hint 1</summary>Go through the tags once; keep the names found so far in a list.</details>
# <details><summary>Hint 2</summary>An I- continues if the last name ends at i and has the same type: make that one longer.</details>

# %% [markdown] lang="ko" name="exercise-names-text" of="2860ad13" tags=["exercise"]
# ### 직접 해 보기 · 도전 · 약 10분
#
# `find_names(tags)`: 태그의 리스트에서 이름마다 (첫 토큰의 번호, 끝 토큰의 다음 번호, 종류)를 만들어, 나온 순서대로 리스트에 담아 돌려주세요. `B-`는 언제나 새 이름의 시작입니다. `I-`는 바로 앞 토큰에서 끝난 이름과 종류가 같으면 그 이름을 잇고, 아니면 새 이름의 시작으로 봅니다(모델이 그런 태그를 낼 때가 있습니다). 그래서 `['B-PER', 'I-PER', 'O', 'I-LOC']`라면 `[(0, 2, 'PER'), (3, 4, 'LOC')]`입니다.
#
# <details><summary>힌트 1</summary>태그를 한 번 훑으면서, 찾은 이름을 리스트에 모아 두세요.</details>
# <details><summary>힌트 2</summary>i번째 태그가 I-이고, 마지막 이름의 끝이 i이며 종류가 같으면, 그 이름을 한 칸 늘리세요.</details>


# %% name="exercise-names" tags=["exercise"]
def find_names(tags):
    # your turn
    ...


check.find_names(find_names)


# %% name="solution-names" tags=["solution"]
def find_names(tags):
    names = []
    for i, tag in enumerate(tags):
        if tag == "O":
            continue
        mark, kind = tag.split("-")
        if mark == "I" and names and names[-1][1:] == (i, kind):
            names[-1] = (names[-1][0], i + 1, kind)
        else:
            names.append((i, i + 1, kind))
    return names


check.find_names(find_names)

# %% name="lazy-score"
true = tagged("ko", corpus["ko"]["test"])
silent = [["O"] * len(row) for row in true]
right = sum(tag == "O" for row in true for tag in row) / sum(map(len, true))
words = [t(en="right tokens", ko="맞힌 토큰"), t(en="F1 of names", ko="이름의 F1")]
values = [right, entity_scores(true, silent)["f1"]]
plot.bars(
    {"O": values},
    words,
    xlabel=t(en="score of the lazy model", ko="게으른 모델의 점수"),
    ylabel=t(en="score", ko="점수"),
)
plt.show()

# %% [markdown] lang="en" name="lookup"
# Two tokens of three right, and not a name found.
#
# ## 5. A list of names, and an encoder
#
# **Guess first.** A sceptic makes a list of all names in the training sentences, with the type that each has most often, and looks them up. On which split is that hard to beat, and on which is it worth nothing?

# %% [markdown] lang="ko" name="lookup" of="8d534eab"
# 토큰은 셋 가운데 둘쯤 맞혔지만 찾은 이름은 하나도 없습니다.
#
# ## 5. 이름 목록, 그리고 인코더
#
# **먼저 예상해 보세요.** 의심 많은 사람이 학습 문장에 나온 이름을 모두 적어 두고, 이름마다 가장 흔한 종류를 함께 적어 놓은 다음, 새 문장의 이름을 그 목록에서 찾아봅니다. 이 방법은 어느 분할에서 이기기 어렵고, 어느 분할에서 아무 쓸모가 없을까요?


# %% name="list-of-names"
def list_of_names(rows):
    kinds = defaultdict(Counter)
    for text, spans in rows:
        for start, end, kind in spans:
            kinds[text[start:end]][kind] += 1
    longest_first = sorted(kinds, key=len, reverse=True)
    return {name: kinds[name].most_common(1)[0][0] for name in longest_first}


# %% name="look-up"
def look_up(names, text):
    found = re.finditer("|".join(map(re.escape, names)), text)
    return [(match.start(), match.end(), names[match[0]]) for match in found]


# %% name="list-results"
splits = ["test", "ambiguous", "names", "builds"]
found = []
for lang in corpus:
    known = list_of_names(corpus[lang]["train"])
    for split in splits:
        rows = corpus[lang][split]
        said = tagged(lang, [row._replace(spans=look_up(known, row.text)) for row in rows])
        found.append(entity_scores(tagged(lang, rows), said)["f1"])

# %% [markdown] lang="en" name="dropout-text"
# And how does one teach an encoder to recognise names that it has not met? By taking the names away. In training, in one sentence out of five all names become `<UNK>`, token by token: that is how an unseen English name will look. In three sentences out of ten, random tokens take the place of the names: that is how an unseen Korean name will look, made of known syllables. The other half stays as it is. What is left is the rest of the sentence, and the model has to go by that. It is the word dropout of lesson 09, applied to names.

# %% [markdown] lang="ko" name="dropout-text" of="5e63acff"
# 그러면 만난 적 없는 이름을 알아보도록 인코더를 가르치려면 어떻게 해야 할까요? 이름을 빼앗으면 됩니다. 학습할 때 문장 다섯에 하나쯤은 이름의 토큰을 모두 `<UNK>`로 바꿉니다. 처음 보는 영어 이름이 그렇게 보입니다. 열에 셋쯤은 이름의 토큰마다 아무 토큰이나 넣습니다. 처음 보는 한국어 이름이 이것과 비슷합니다. 음절 하나하나는 아는 것이기 때문입니다. 나머지 절반은 그대로 둡니다. 이름에 기댈 수 없을 때 모델은 문장의 나머지를 보고 판단해야 합니다. 09강의 단어 드롭아웃을 이름에만 쓴 것입니다.


# %% name="losses"
def plain_loss(model, src, tags):
    longest = int((src != 0).sum(dim=1).max())  # a batch needs no more places than its longest sentence
    return token_loss(model(src[:, :longest]), tags[:, :longest])


# %% name="loss-without-names"
def loss_without_names(model, src, tags):
    if model.training:
        lot = torch.rand(len(src), 1, device=src.device)
        size = model.encoder.embed.embedding.num_embeddings
        anything = torch.randint(4, size, src.shape).to(src.device)  # from 4 on: no special tokens
        src = torch.where((lot < 0.2) & (tags > 0), 1, src)  # 1 is <UNK>; tags > 0 are the tokens of names
        src = torch.where((lot > 0.7) & (tags > 0), anything, src)
    return plain_loss(model, src, tags)


# %% name="train"
def train(lang, loss):
    torch.manual_seed(0)
    model = Tagger(n_tags=len(TAGS), input_dim=len(vocab[lang]), **sizes).to(device())
    fit(model, tensors(lang, "train"), tensors(lang, "valid"), loss, epochs=4, batch_size=32, lr=5e-3)
    return model


taggers = {lang: train(lang, loss_without_names) for lang in corpus}
careless = train("en", plain_loss)


# %% name="score"
def said_tags(model, lang, rows):
    numbers = predict(model, vocab[lang].batch([row.text for row in rows])).argmax(dim=-1)
    return [[TAGS[n] for n in line[1 : 1 + len(tags)]] for line, tags in zip(numbers.tolist(), tagged(lang, rows))]


def f1(model, lang, split):
    rows = corpus[lang][split]
    return entity_scores(tagged(lang, rows), said_tags(model, lang, rows))["f1"]


# %% name="results"
learned = [f1(taggers[lang], lang, split) for lang in corpus for split in splits]
results = {t(en="list of names", ko="이름 목록"): found, t(en="encoder", ko="인코더"): learned}
labels = dict(xlabel=t(en="language and split", ko="언어와 분할"), ylabel=t(en="F1 of names", ko="이름의 F1"))
plot.bars(results, [f"{lang}\n{split}" for lang in corpus for split in splits], **labels)
plt.show()

# %% [markdown] lang="en" name="results-text"
# The list is not bad on `test`: most names have one type, and it knows them all. On `ambiguous` it guesses, and on `names` it has nothing. The encoder reads the sentence: it is nearly perfect where only the context decides, and finds most of the names that it has never met. On `builds`, where a known beginning and a known end meet for the first time, it falls to about 0.85, less than a tenth ahead of the list: some of what it has learned is tied to the sentences that it has seen.
#
# In English `names` is easier than it looks: an unknown word becomes `<UNK>`, only names are unknown here, and hiding has taught the model that `<UNK>` is a name; what is left to find is its type. Korean syllables are mostly known, and the model must find where the name ends.
#
# The README of this repository has the table over several seeds, and one method in it beats us, and another does in places. A GRU (lesson 09), trained with hidden names, does as well or better on every split, and far better on `names` in Korean and on `builds`. And a classifier that sees only five tokens, the one in question and two on each side (*window of five*), is behind in Korean, but enough in English for all but unseen names, since the words beside a name tell its type. Report such a table whole, also where your own model loses.
#
# **Guess first.** What did hiding names bring? Here is English once more, trained in the same way on plain sentences:

# %% [markdown] lang="ko" name="results-text" of="f4fb225e"
# 목록은 `test`에서 나쁘지 않습니다. 이름은 대부분 종류가 하나뿐이고, 목록은 그것을 다 압니다. `ambiguous`에서는 찍을 수밖에 없고, `names`에서는 아는 것이 없습니다. 인코더는 문장을 읽습니다. 문맥만으로 답이 정해지는 곳에서도 거의 다 맞히고, 만난 적 없는 이름도 영어에서는 열에 아홉쯤, 한국어에서는 넷에 셋쯤 찾아냅니다. 아는 앞부분과 아는 뒷부분을 처음으로 이어 붙인 `builds`에서는 0.85 안팎으로 떨어져, 목록보다 0.1도 앞서지 못합니다. 배운 것의 일부가 본 문장에 매여 있다는 뜻입니다.
#
# 영어의 `names`는 보기보다 쉽습니다. 모르는 단어는 `<UNK>`가 되는데 여기서 모르는 단어는 이름뿐이고, 이름을 가리고 배운 덕분에 모델은 `<UNK>`가 이름이라는 것을 압니다. 남은 일은 종류를 맞히는 것입니다. 한국어의 음절은 대부분 아는 것이어서, 이름이 어디에서 끝나는지부터 찾아야 합니다.
#
# 시드 여러 개로 얻은 표가 이 저장소의 README에 있는데, 거기에는 우리 인코더보다 나은 방법이 하나, 몇 군데에서 나은 방법이 하나 있습니다. 앞의 것은 09강에 나온 GRU를 여기처럼 이름을 가리고 학습시킨 것입니다. 모든 분할에서 인코더만큼, 또는 그보다 잘하고, 한국어의 `names`와 두 언어의 `builds`에서 크게 앞섭니다. 뒤의 것은 토큰마다 자신과 양옆 두 개씩, 모두 다섯 개만 보는 모델(표의 *window of five*)입니다. 한국어에서는 대체로 뒤지지만, 영어에서는 이것만으로도 본 적 없는 이름 말고는 다 맞힙니다. 이름 바로 옆의 단어가 종류를 알려 주기 때문입니다. 이런 표는 내 모델이 지는 곳까지 통째로 보고하세요.
#
# **먼저 예상해 보세요.** 이름을 가린 것은 얼마나 도움이 되었을까요? 영어 모델을 한 번 더 학습시켰습니다. 이번에는 이름을 가리지 않았고, 나머지 조건은 모두 같습니다.

# %% name="careless"
ways = {t(en="names hidden", ko="이름을 가림"): taggers["en"], t(en="plain sentences", ko="그대로"): careless}
groups = {name: [f1(model, "en", split) for split in splits] for name, model in ways.items()}
plot.bars(groups, splits, xlabel=t(en="split (English)", ko="분할(영어)"), ylabel=labels["ylabel"])
plt.show()

# %% [markdown] lang="en" name="context"
# On sentences like those of training no difference is to be seen, nor on known names of several types: `test` and `ambiguous` alone would have told us that both are equally good. On unseen names they are far apart. And on `builds` the careless one is ahead by a tenth: to prepare a model for one kind of novelty can cost you on another.
#
# ## 6. What does it go by?
#
# In each language three sentences that are not in training, with the same name. Does the model change its mind? (On another processor the answer for a single sentence may now and then be different, see lesson 09.)

# %% [markdown] lang="ko" name="context" of="ae3251a2"
# 학습 때와 비슷한 문장에서도, 종류가 여럿인 아는 이름에서도 차이가 보이지 않습니다. `test`와 `ambiguous`만 보았다면 둘이 똑같이 좋다고 여겼을 것입니다. 본 적 없는 이름에서는 차이가 큽니다. 그리고 `builds`에서는 그대로 학습시킨 쪽이 0.1쯤 앞섭니다. 한 가지 새로움에 대비하느라 다른 새로움에는 약해질 수 있습니다.
#
# ## 6. 무엇을 보고 알까?
#
# 언어마다 학습 데이터에 없는 문장 세 개를 골랐습니다. 세 문장에 같은 이름이 나옵니다. 모델은 그때그때 다르게 볼까요? (문장 하나하나에 대한 답은 프로세서가 다르면 더러 달라집니다. 09강을 보세요.)


# %% name="find"
def find(text, lang):
    tokens = places(text, cut[lang](text))
    (tags,) = said_tags(taggers[lang], lang, [Sentence(text, ())])
    return [(text[tokens[a][0] : tokens[b - 1][1]], kind) for a, b, kind in to_spans(tags)]


# %% name="find-same" tags=["nbval-ignore-output"]
for lang, name in (("en", "Jordan"), ("ko", "세종")):
    for kind in TYPES:
        meant = [
            row for row in corpus[lang]["ambiguous"] if (name, kind) in [(row.text[a:b], k) for a, b, k in row.spans]
        ]
        print(meant[0].text, find(meant[0].text, lang))

# %% name="maps"
sentence = "Jordan moved the main office to Paris."
src = vocab["en"].batch([sentence]).to(device())  # src: [1, sl]
with torch.no_grad():
    _, weights = taggers["en"].encoder(src, need_weights=True)
plot.layer_head_grid([layer[0] for layer in weights], vocab["en"].decode(src[0], specials=True))
plt.show()

# %% [markdown] lang="en" name="maps-text"
# Two layers with two heads each. Look along the row of *Paris* in layer 0 and that of *Jordan* in layer 1, head 0: *to* and *office*, which they look at, tell a place and a firm. As in lesson 09, a map is a clue and no proof. The proof is to change the sentence. **Guess first.** What is Jordan if *the main office* is taken away?

# %% [markdown] lang="ko" name="maps-text" of="01c40e58"
# 계층 둘에 헤드가 둘씩입니다. 계층 0에서 *Paris*의 행을, 계층 1의 헤드 0에서 *Jordan*의 행을 따라가 보세요. 그 행들이 보는 *to*는 곳을, *office*는 회사를 알려 줍니다. 09강에서처럼 그림은 실마리이지 증거가 아닙니다. 증거를 얻으려면 문장을 바꿔 보아야 합니다. **먼저 예상해 보세요.** *the main office*를 빼면 Jordan은 무엇이 될까요?

# %% name="find-office" tags=["nbval-ignore-output"]
for text in (sentence, "Jordan moved to Paris."):
    print(text, find(text, "en"))

# %% [markdown] lang="en" name="summary"
# With the office a firm, without it a person: it was the office that decided.
#
# ## What you have now
#
# - BIO tags say for each token whether a name begins, goes on, or is not there. They follow from where tokens and names overlap.
# - -100 keeps special tokens and padding out of the loss; tagged `O`, they would make silence look good.
# - Whole names count: F1 over names, with first token, last token and type right.
# - A list of names is the baseline. Splits with ambiguous and unseen names show what it cannot do.
# - To find names that it has never seen, a model is trained with hidden names. It has a price: `builds` got worse.
#
# Next: [11 · Forecasting](11_forecasting.ipynb), where tokens are numbers.
#
# **Further reading**: [CoNLL-2003](https://arxiv.org/abs/cs/0306050), where F1 over names comes from; [BERT](https://arxiv.org/abs/1810.04805), section 5.3

# %% [markdown] lang="ko" name="summary" of="71995e31"
# 사무실이 있으면 회사, 없으면 사람입니다. 답을 정한 것은 사무실입니다.
#
# ## 정리
#
# - BIO 태그는 토큰마다 이름이 시작되는지, 이어지는지, 없는지를 말합니다. 토큰과 이름이 겹치는 자리에서 정해집니다.
# - -100은 특수 토큰과 패딩을 손실에서 뺍니다. `O`로 세면 가만히 있는 모델이 좋아 보입니다.
# - 이름 단위로 셉니다. 첫 토큰, 끝 토큰, 종류가 모두 맞아야 맞힌 이름으로 치고, 그것으로 F1을 구합니다.
# - 비교 대상은 이름 목록입니다. 여러 종류가 될 수 있는 이름과 본 적 없는 이름을 모은 분할이 목록의 한계를 보여 줍니다.
# - 본 적 없는 이름까지 찾게 하려면 학습할 때 이름을 가립니다. 대가도 있습니다. `builds`에서는 나빠졌습니다.
#
# 다음: [11 · 시계열 예측](11_forecasting.ipynb). 이번에는 토큰이 숫자입니다.
#
# **더 읽을거리**: [CoNLL-2003](https://arxiv.org/abs/cs/0306050)(이름 단위 F1이 여기에서 왔습니다), [BERT](https://arxiv.org/abs/1810.04805) 5.3절
