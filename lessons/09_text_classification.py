# ---
# jupyter:
#   jupytext:
#     formats: py:percent
#     cell_metadata_filter: lang,of,name,tags,-all
# ---

# %% [markdown] lang="en" name="title"
# # 09 · Text classification
#
# The encoder goes to work. It reads a sentence and says whether it praises or complains, in Korean and in English, and it learns this from nothing, here in the notebook. Beside it stand
# simpler methods. A result means something only when you know what the simple ones reach.
#
# **You will be able to**
#
# - turn the vectors of a sentence into one, and that one into logits;
# - write a training step, and read a training loop with everything that a real one has;
# - choose the baselines and the splits that tell what a model has understood;
# - save a model, load it, and say what its attention does not prove.
#
# **Read first**: [06 · Masks](06_masks.ipynb) and [08 · The encoder in BERT's words](08_bert_words.ipynb).
#
# **Time**: 75 minutes.
#
# <details><summary>For the classroom</summary>
#
# | Section | Minutes |
# |---|---|
# | 1 Sentences that a rule writes | 10 |
# | 2 What would a sceptic try? | 12 |
# | 3 From many vectors to one | 12 |
# | 4 The training loop | 18 |
# | 5 What has it understood? | 10 |
# | 6 Where does it look? | 7 |
# | 7 Save, load, predict | 6 |
#
# Two questions to ask: *A model is right in 99 of 100 test sentences. What else do you want to know before you believe it?*
# *Which sentence would you write to break this classifier?*
#
# </details>

# %% [markdown] lang="ko" name="title" of="92157cb6"
# # 09 · 텍스트 분류
#
# 이제 인코더에게 일을 시킵니다. 문장을 읽고 칭찬인지 불만인지 말하는 일입니다. 한국어로도 영어로도 해 보고, 이 노트북 안에서 맨 처음부터 배우게 합니다. 견주어 볼 더 단순한 방법들도 함께 돌립니다.
# 단순한 방법이 어디까지 하는지 알아야 결과가 무슨 뜻인지 알 수 있습니다.
#
# **이 강의를 마치면**
#
# - 문장의 벡터 여럿을 하나로 모으고, 그 하나를 로짓으로 바꿀 수 있습니다.
# - 학습의 한 걸음을 직접 쓰고, 실제로 쓰는 장치를 다 갖춘 학습 루프를 읽을 수 있습니다.
# - 모델이 무엇을 알게 되었는지 드러내는 비교 대상과 데이터 분할을 고를 수 있습니다.
# - 모델을 저장하고 불러올 수 있고, 어텐션 그림이 무엇을 증명하지 못하는지 말할 수 있습니다.
#
# **먼저 볼 것**: [06 · 마스크](06_masks.ipynb), [08 · BERT의 말로 다시 쓴 인코더](08_bert_words.ipynb).
#
# **시간**: 75분.
#
# <details><summary>수업용 안내</summary>
#
# | 절 | 분 |
# |---|---|
# | 1 규칙으로 만든 문장 | 10 |
# | 2 의심 많은 사람이라면? | 12 |
# | 3 여러 벡터를 하나로 | 12 |
# | 4 학습 루프 | 18 |
# | 5 무엇을 알게 되었을까? | 10 |
# | 6 어디를 볼까? | 7 |
# | 7 저장하고, 불러오고, 예측하기 | 6 |
#
# 던져 볼 질문 두 가지: *테스트 문장 100개 가운데 99개를 맞히는 모델이 있습니다. 믿기 전에 무엇을 더 알고 싶습니까?*
# *이 분류기를 속이려면 어떤 문장을 쓰겠습니까?*
#
# </details>

# %% name="setup" tags=["setup"]

# %% name="imports" tags=["imports"]
import sys
from dataclasses import dataclass, field
from functools import partial
from tempfile import TemporaryDirectory

import matplotlib.pyplot as plt
import torch
import torch.nn.functional as F
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from torch import Tensor, nn
from tqdm import tqdm

from tutorial_lib import device, plot, t, training
from tutorial_lib._sizes import require_sizes
from tutorial_lib.data.polarity import polarity
from tutorial_lib.encoder import Encoder
from tutorial_lib.exercises import lesson_09 as check
from tutorial_lib.masks import padding_mask
from tutorial_lib.text import Vocab, tokenize
from tutorial_lib.trace import trace_shapes

# %% [markdown] lang="en" name="data"
# ## 1. Sentences that a rule writes
#
# Our sentences are written by a rule, not by customers: we found no labelled Korean reviews under a clear licence.
# The rule has an advantage: we know exactly what it takes to be right. Label 1 is praise, 0 a complaint. In front of the label stands the kind of the sentence: `plain`, `negated` or `contrast`.

# %% [markdown] lang="ko" name="data" of="c9398b8a"
# ## 1. 규칙으로 만든 문장
#
# 실제 후기를 쓰면 좋겠지만, 라벨이 붙은 한국어 후기를 담은, 라이선스가 분명한 패키지를 찾지 못했습니다. 그래서 정해진 규칙으로 문장을 만듭니다. 진짜 후기인 척하지는 않겠습니다.
# 대신 좋은 점이 있습니다. 맞히려면 무엇을 알아야 하는지 정확히 압니다. 라벨 1은 칭찬, 0은 불만입니다. 아래 출력에서 라벨 앞의 말은 문장의 종류입니다. `plain`은 그대로, `negated`는 부정, `contrast`는 대조입니다.

# %% name="corpus"
corpus = {lang: polarity(lang) for lang in ("ko", "en")}
for lang in corpus:
    for text, label, kind in corpus[lang]["train"][:5]:
        print(f"{kind:8} {label}  {text}")

# %% [markdown] lang="en" name="corpus-text"
# Two things make this hard.
#
# - **Negation** turns the meaning round: *not tedious* is praise. More than four clauses in ten are negated, with good and bad words alike.
# - **Contrast**: two clauses of opposite polarity, of which the last one decides, behind *but* or behind the *although* clause. Each contrast comes with its mirror image: *the tea is good, but the room is dark* is a complaint, *the room is dark, but the tea is good* is praise. In English these are the same words.
#
# And the splits ask different things. `train`, `valid` (to choose by) and `test` (to report) follow one rule and share no sentence. In `held_out` ten words are negated that those three never show negated; `choose` has six other words of this kind. In `double` the same clause is negated twice, which happens nowhere else.

# %% [markdown] lang="ko" name="corpus-text" of="578020df"
# 어려운 점은 두 가지입니다.
#
# - **부정**: 뜻을 뒤집습니다. *엉성하지 않다*는 칭찬입니다. 절(주어와 서술어를 갖춘 토막) 열 개 가운데 네 개가 넘게 부정문이고, 좋은 말도 나쁜 말도 부정됩니다.
# - **대조**: 뜻이 반대인 절 둘이 이어져 있고, 뒤 절이 답을 정합니다. 대조에는 언제나 거울에 비친 짝이 있습니다. *커피는 맛있지만 방은 어둡다*는 불만이고 *방은 어둡지만 커피는 맛있다*는 칭찬입니다.
#
# 데이터 분할마다 묻는 것이 다릅니다. `train`(학습), `valid`(검증: 학습 도중에 고를 때 씁니다), `test`(마지막에 보고할 때 씁니다)는 같은 규칙을 따르고 겹치는 문장이 없습니다. `held_out`에는 이 셋에서 한 번도 부정된 적이 없는 단어 열 개를 부정한 문장이 있고, `choose`에는 다른 단어 여섯 개를 그렇게 부정한 문장이 있습니다. `double`에는 한 절을 두 번 부정한 문장이 있는데, 이중 부정은 다른 분할에 없습니다.

# %% name="splits"
counts = {lang: [len(rows) for rows in corpus[lang].values()] for lang in corpus}
plot.bars(counts, list(corpus["ko"]), xlabel=t(en="split", ko="분할"), ylabel=t(en="sentences", ko="문장 수"))
plt.show()

# %% [markdown] lang="en" name="why-held-out"
# Both languages have the same numbers. Why so many splits? Because someone who has met *not* and has met *gripping* can understand *not gripping* without ever having met the two together. That is what understanding means here, and `test` alone does not ask for it.
#
# Whoever chooses by the split that is reported has looked at the answers. So what we chose for this lesson, such as how to cut the text, we chose on `valid` and `choose`.
#
# ## 2. What would a sceptic try?
#
# **Guess first.** Count the words of a sentence, and give each word a weight for praise. How many sentences of `test` will that get right? And if we count runs of up to three words, so that *not very good* is one entry?
# Both are two lines with scikit-learn. In place of a network stands a logistic regression: one weight for each entry, their sum, and a sigmoid (`C` says how freely the weights may grow).

# %% [markdown] lang="ko" name="why-held-out" of="a27a8241"
# 두 언어의 문장 수는 같습니다. 왜 이렇게 여럿으로 나눌까요? *않다*를 본 적이 있고 *흥미롭다*를 본 적이 있다면, 둘이 함께 나온 적이 없어도 *흥미롭지 않다*를 알아들을 수 있어야 합니다. 여기서는 그것이 이해했다는 뜻입니다. `test`만으로는 그것을 물을 수 없습니다.
#
# 보고할 데이터로 무언가를 정하면 답을 미리 본 셈입니다. 그래서 이 강의에서 정한 것(이를테면 텍스트를 어떻게 나눌지)은 모두 `valid`와 `choose`로 정했습니다.
#
# ## 2. 의심 많은 사람이라면?
#
# **먼저 예상해 보세요.** 문장의 단어를 세고, 단어마다 칭찬 쪽으로 얼마나 기우는지 가중치를 줍니다. `test`의 문장을 얼마나 맞힐까요? *별로 좋지 않다*처럼 이어진 세 단어까지 하나의 항목으로 센다면 어떨까요?
# 둘 다 scikit-learn으로 두 줄이면 됩니다. 신경망 대신 로지스틱 회귀를 씁니다. 항목마다 가중치를 두고 더한 다음 시그모이드로 확률을 만드는 모델입니다(`C`는 가중치가 얼마나 자유롭게 커져도 되는지를 정합니다).


# %% name="count-model"
def count_model(longest):
    counts = CountVectorizer(tokenizer=tokenize, token_pattern=None, ngram_range=(1, longest))
    return make_pipeline(counts, LogisticRegression(max_iter=1000, C=10))


def accuracy(rows, said):
    return sum(int(a) == row.label for row, a in zip(rows, said)) / len(rows)


# %% name="count-results"
places = [(lang, split) for lang in corpus for split in ("test", "held_out")]
results = {}
for longest, name in ((1, t(en="words", ko="단어")), (3, t(en="up to 3 words", ko="단어 3개까지"))):
    results[name] = []
    for lang, split in places:
        rows = corpus[lang]["train"]
        model = count_model(longest).fit([row.text for row in rows], [row.label for row in rows])
        said = model.predict([row.text for row in corpus[lang][split]])
        results[name].append(accuracy(corpus[lang][split], said))

# %% name="count-picture"
names = [f"{lang} {split}" for lang, split in places]
labels = dict(xlabel=t(en="language and split", ko="언어와 분할"), ylabel=t(en="share correct", ko="맞힌 비율"))
plot.bars(results, names, **labels)
plt.show()

# %% [markdown] lang="en" name="count-text"
# A coin gets half. In English single words are no better than a coin: nearly every word stands in as much praise as complaint. In Korean they get far, because endings say what English says with words: 재미있다 (*is fun*), 재미있지 (*fun*, before a *not*) and 재미있지만 (*is fun, but*) are three entries, and each has its own weight.
#
# Runs of three words get everything right in Korean. A report that ended here would say: solved. Now look at `held_out`. In English both methods fall far below a coin: *gripping* was never negated, so it is a good word to them, and an entry *not gripping* does not exist. Of the sentences with a single clause they get none. (What is right are contrasts, half of this split. In a pair of mirror images single words answer both alike, and so get exactly one right.) In Korean the form 감동적이지 (*gripping*, before a *not*) was never seen at all: so both methods guess there, and get about half of the single clauses right. They know a list of expressions, not what negation does.
#
# ## 3. From many vectors to one
#
# The encoder gives one vector per token, `[bs, sl, hid_dim]`. A label belongs to the whole sentence. There are two usual ways to one vector per sentence: take the mean, or take the first token, `<BOS>`, and let the layers learn to collect everything there. BERT does the latter and calls the token [CLS]. We take the mean; `pool="bos"` gives the other, and the README has the results of both.
# The mean must be over real tokens only. Here is the model, whole:

# %% [markdown] lang="ko" name="count-text" of="010e3e17"
# 동전을 던져도 절반은 맞힙니다. 영어에서 단어 하나하나는 동전보다 나을 것이 없습니다. 거의 모든 단어가 칭찬에도 불만에도 똑같이 나오기 때문입니다. 한국어에서는 꽤 잘 맞힙니다. 영어라면 단어로 말할 것을 어미가 말해 주기 때문입니다. *재미있다*, *재미있지*, *재미있지만*은 서로 다른 항목이고 가중치도 저마다 따로 있습니다.
#
# 이어진 세 단어까지 세면 한국어에서는 다 맞힙니다. 여기서 보고를 끝냈다면 한국어 문제는 다 풀었다고 썼을 것입니다. 그런데 `held_out`을 보세요. 영어에서는 두 방법 모두 동전보다 훨씬 못합니다. *gripping*은 부정된 적이 없으니 좋은 말로 외웠고, *not gripping*이라는 항목은 없기 때문입니다. 절이 하나뿐인 문장은 하나도 맞히지 못합니다. (맞힌 것은 이 분할의 절반인 대조입니다. 단어를 하나씩 세는 방법은 거울에 비친 두 문장에 늘 같은 답을 하므로, 짝마다 꼭 하나를 맞힙니다.) 한국어에서는 *감동적이지*라는 꼴 자체를 본 적이 없습니다. 그래서 찍는 셈이고, 절이 하나뿐인 문장은 절반쯤 맞힙니다. 두 방법은 표현의 목록을 알 뿐, 부정이 무슨 일을 하는지는 모릅니다.
#
# ## 3. 여러 벡터를 하나로
#
# 인코더는 토큰마다 벡터를 하나씩 줍니다. `[bs, sl, hid_dim]`입니다. 라벨은 문장 전체에 하나가 붙습니다. 문장마다 벡터 하나를 얻는 방법은 보통 두 가지입니다. 하나는 평균을 내는 것이고, 다른 하나는 첫 토큰 `<BOS>`의 벡터만 쓰는 것입니다. 이때는 필요한 정보를 그 자리로 모으는 일까지 계층들이 배워야 합니다. BERT는 뒤의 방법을 쓰고 그 토큰을 [CLS]라고 부릅니다. 우리는 평균을 쓰겠습니다. `pool="bos"`라고 하면 다른 쪽이 되고, 두 방법의 결과는 README에 있습니다.
# 평균은 진짜 토큰만으로 내야 합니다. 모델 전체를 봅시다.

# %% name="library-classifier"
# from tutorial_lib.heads: masked_mean, first_token, POOLS, ClassificationHead, Classifier, _places

# %% [markdown] lang="en" name="tokens-text"
# How do we cut the text? Lesson 01 has words, characters and trained subwords. We tried them on `choose` (not shown here): Korean was best in single syllables (particles and endings come off by themselves) and English in words, so that is what we take. The vocabulary is made of training sentences only.

# %% [markdown] lang="ko" name="tokens-text" of="3c6b35c4"
# 텍스트는 어떻게 나눌까요? 01강에는 단어, 문자, 학습한 서브워드가 있었습니다. `choose`에서 재 보니(여기에는 싣지 않았습니다) 한국어는 문자 하나씩, 곧 음절 하나씩(조사와 어미가 저절로 떨어져 나옵니다), 영어는 단어가 가장 좋아서 그렇게 합니다. 어휘집은 학습용 문장으로만 만듭니다.

# %% name="tensors"
level = {"ko": "char", "en": "word"}
cut = {lang: partial(tokenize, level=level[lang]) for lang in corpus}
vocab = {lang: Vocab.build([row.text for row in corpus[lang]["train"]], tokenizer=cut[lang]) for lang in corpus}


def tensors(lang, split):
    rows = corpus[lang][split]
    labels = torch.tensor([row.label for row in rows])
    return vocab[lang].batch([row.text for row in rows]), labels


# %% name="shapes"
sizes = dict(hid_dim=32, pf_dim=64, n_heads=2, n_layers=2, dropout=0.0, norm_first=True)
torch.manual_seed(0)
untrained = Classifier(n_classes=2, input_dim=len(vocab["en"]), **sizes).eval()
src = tensors("en", "train")[0][:3]  # src: [bs, sl]
trace_shapes(untrained, src, sizes={"bs": 3, "sl": src.size(1), "n_classes": 2, "hid_dim": 32}).depth(1)

# %% [markdown] lang="en" name="logits-text"
# What comes out are *logits*, any numbers at all, not shares. The loss is *cross-entropy*: minus the logarithm of the share that the right class gets, so 0 for a share of 1. `F.cross_entropy` takes the softmax itself. A model that has a softmax of its own gets it twice, and then the loss cannot fall below 0.31 with two classes, however sure the model is:

# %% [markdown] lang="ko" name="logits-text" of="527a89be"
# 나오는 것은 *로짓*입니다. 비율이 아니라 어떤 값이든 될 수 있는 수입니다. 손실은 *교차 엔트로피*입니다. 정답 클래스에 준 비율의 로그에 음의 부호를 붙인 값이어서, 비율이 1이면 0입니다. softmax는 `F.cross_entropy`가 알아서 합니다. 모델이 스스로 softmax를 하면 두 번 하게 되고, 클래스가 둘일 때 모델이 아무리 확신해도 손실이 0.31 아래로 내려가지 못합니다.

# %% name="twice"
sure = torch.tensor([[50.0, -50.0]])
label = torch.tensor([0])
f"{F.cross_entropy(sure, label):.2f} {F.cross_entropy(sure.softmax(dim=-1), label):.2f}"

# %% [markdown] lang="en" name="plain-mean"
# ### Break it: a mean over everything
#
# One sentence alone, and the same sentence beside a longer one. How far does its vector move, with the masked mean and with the mean over all places?

# %% [markdown] lang="ko" name="plain-mean" of="d2865e3d"
# ### 일부러 망가뜨리기: 패딩까지 넣은 평균
#
# 문장 하나를 혼자 두었을 때와 더 긴 문장 옆에 두었을 때를 견줍니다. 벡터가 얼마나 움직일까요? 마스크를 쓴 평균과 모든 자리의 평균으로 재 봅시다.

# %% name="plain-mean-run"
pair = ["The tea is good.", "The tea is not so good, although the room is very clean."]
vectors = {"masked_mean": [], "mean": []}
for texts in (pair[:1], pair):
    ids = vocab["en"].batch(texts)
    mask = padding_mask(ids, pad_id=0)
    with torch.no_grad():
        hidden = untrained.encoder(ids, mask)
    vectors["masked_mean"].append(masked_mean(hidden, mask)[0])
    vectors["mean"].append(hidden[0].mean(dim=0))
{name: round((alone - beside).abs().max().item(), 3) for name, (alone, beside) in vectors.items()}

# %% [markdown] lang="en" name="exercise-step-text" tags=["exercise"]
# With the masked mean nothing changes. With the plain mean the sentence becomes another one when its neighbour is longer.
#
# ## 4. The training loop
#
# A training step is always the same four lines. Write them before you read ours.
#
# ### Your turn · medium · about 7 minutes
#
# `train_steps(model, batches, lr)`: for each `(x, labels)` of `batches`, compute the mean cross-entropy of `model(x)`, and move the weights with plain SGD, `torch.optim.SGD(model.parameters(), lr=lr)`. Return a list with one number for each batch, in order: the loss before that step.
#
# <details><summary>Hint 1</summary>The order: loss, zero_grad, backward, step.</details>
# <details><summary>Hint 2</summary>A loss is a tensor; loss.item() is its number.</details>

# %% [markdown] lang="ko" name="exercise-step-text" of="fd7cc39d" tags=["exercise"]
# 마스크를 쓴 평균은 그대로입니다. 그냥 평균을 내면 옆 문장이 길다는 이유로 벡터가 달라집니다.
#
# ## 4. 학습 루프
#
# 학습의 한 걸음은 언제나 같은 네 줄입니다. 라이브러리의 것을 읽기 전에 먼저 써 보세요.
#
# ### 직접 해 보기 · 보통 · 약 7분
#
# `train_steps(model, batches, lr)`: `batches`의 `(x, labels)`마다 `model(x)`의 평균 교차 엔트로피를 구하고, 단순한 SGD `torch.optim.SGD(model.parameters(), lr=lr)`로 파라미터를 움직입니다. 배치마다 파라미터를 움직이기 전에 구한 손실을 숫자로 바꾸어, 순서대로 담은 리스트를 돌려주세요.
#
# <details><summary>힌트 1</summary>순서는 loss, zero_grad, backward, step입니다.</details>
# <details><summary>힌트 2</summary>손실은 텐서입니다. loss.item()이 그 숫자입니다.</details>


# %% name="exercise-step" tags=["exercise"]
def train_steps(model, batches, lr):
    # your turn
    ...


check.train_steps(train_steps)


# %% name="solution-step" tags=["solution"]
def train_steps(model, batches, lr):
    optimizer = torch.optim.SGD(model.parameters(), lr=lr)
    losses = []
    for x, labels in batches:
        loss = F.cross_entropy(model(x), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


check.train_steps(train_steps)

# %% [markdown] lang="en" name="fit-text"
# Around these lines a real loop has a few more, each against a trouble that somebody had:
#
# - `randperm`: the order is new in each *epoch* (once through all training data);
# - `clip_grad_norm_`: a gradient that is too long, over all parameters together, is scaled down;
# - `schedule`: the learning rate climbs and falls (`pace` is the factor on `lr`);
# - `evaluate`: after each epoch it looks at the validation set;
# - `best`: it keeps the weights that were best there, and you have them when you stop it, too (■ in JupyterLab).
#
# If the loss becomes NaN, it says at which step, and what is the likely cause. (AdamW is SGD with a step size of its own for each weight and a slight pull towards 0; `-(-a // b)` rounds up. The helpers whose names begin with `_` can wait.)

# %% [markdown] lang="ko" name="fit-text" of="51d105a8"
# 실제 루프에는 그 둘레에 몇 줄이 더 있습니다. 모두 누군가 겪은 문제 때문에 생긴 줄입니다.
#
# - `randperm`: *에포크*(학습 데이터를 한 번 다 도는 것)마다 순서를 새로 섞습니다.
# - `clip_grad_norm_`: 파라미터 전체의 기울기가 너무 크면 줄입니다.
# - `schedule`: 학습률을 올렸다가 내립니다(`pace`는 `lr`에 곱하는 값입니다).
# - `evaluate`: 에포크가 끝날 때마다 검증 데이터의 손실을 잽니다.
# - `best`: 거기서 가장 좋았던 파라미터를 간직합니다. 도중에 멈춰도(JupyterLab의 ■) 남습니다.
#
# 손실이 NaN이 되면 몇 번째 걸음에서 그랬는지, 무엇 때문인 것 같은지 알려 줍니다. (AdamW는 파라미터마다 걸음의 크기가 따로 있고 파라미터를 0 쪽으로 조금씩 당기는 SGD입니다. `-(-a // b)`는 올림입니다. 이름이 `_`로 시작하는 도우미 함수는 나중에 읽어도 됩니다.)

# %% name="library-fit"
# from tutorial_lib.training: History, fit, evaluate, _copy, _rows, _cause

# %% [markdown] lang="en" name="train-text"
# One thing we add for this task: *word dropout*. In training one token in ten becomes `<UNK>`, so that no single word can be leaned on (`<BOS>` and `<EOS>` are spared). On `choose` (not shown here) it helped in Korean and not in English; we keep one recipe for both, and it makes the model used to `<UNK>`, which section 6 needs. **Guess first.** The loss of a coin is ln 2, about 0.69. Will the curve fall from the start?

# %% [markdown] lang="ko" name="train-text" of="804ca6c6"
# 이 문제를 위해 한 가지를 더합니다. *단어 드롭아웃*입니다. 학습할 때 토큰 열 개에 하나쯤을 `<UNK>`로 바꾸어, 어느 한 단어에만 기대지 못하게 합니다(`<BOS>`와 `<EOS>`는 그대로 둡니다). `choose`에서 재 보니(여기에는 싣지 않았습니다) 한국어에는 도움이 되었고 영어에는 그렇지 않았습니다. 방법은 두 언어에 똑같이 쓰겠습니다. 모델이 `<UNK>`에 익숙해지므로 아래 '6. 어디를 볼까?'에서도 쓸모가 있습니다. **먼저 예상해 보세요.** 동전 던지기의 손실은 ln 2, 약 0.69입니다. 곡선은 처음부터 내려갈까요?


# %% name="loss"
def loss(model, src, labels):
    if model.training:
        dropped = (torch.rand(src.shape) < 0.1).to(src.device) & (src > Vocab.eos_id)  # dropped: [bs, sl]
        src = src.masked_fill(dropped, Vocab.unk_id)  # src: [bs, sl]
    return F.cross_entropy(model(src), labels)


# %% name="train"
models, histories = {}, {}
for lang in corpus:
    torch.manual_seed(0)
    models[lang] = Classifier(n_classes=2, input_dim=len(vocab[lang]), **sizes).to(device())
    data = tensors(lang, "train"), tensors(lang, "valid")
    histories[lang] = fit(models[lang], *data, loss, epochs=8, batch_size=32, lr=5e-3)

# %% name="curves"
curves = {}
for lang, history in histories.items():
    curves |= {t(en=f"{lang}, train", ko=f"{lang}, 학습"): history.train}
    curves |= {t(en=f"{lang}, valid", ko=f"{lang}, 검증"): history.valid}
plot.lines(range(1, 9), curves, xlabel=t(en="epoch", ko="에포크"), ylabel=t(en="loss", ko="손실"))
plt.show()

# %% [markdown] lang="en" name="curves-text"
# English rests near 0.69 for two epochs and then falls; Korean falls earlier. The reason lies in the task: as long as a model sees only single words, no small change helps in English, since nearly every word stands in praise and complaint alike. Only when attention joins two words, a predicate and its *not*, can the loss give way. In Korean the form of a single word says something already (section 2).
# Validation lies below training: it is measured after the epoch and without dropped words. That it falls along says that the model does not learn sentences by heart.
#
# ## 5. What has it understood?

# %% [markdown] lang="ko" name="curves-text" of="96cc8c4e"
# 영어는 두 에포크 동안 0.69 근처에 머물다가 떨어지고, 한국어는 더 일찍 떨어집니다. 까닭은 문제 자체에 있습니다. 영어에서는 단어를 하나씩만 보는 동안 무엇을 조금 바꿔도 나아지지 않습니다. 거의 모든 단어가 칭찬과 불만에 똑같이 나오기 때문입니다. 어텐션이 서술어와 부정하는 말을 이어 붙일 때 비로소 손실이 줄어듭니다. 한국어에서는 단어의 꼴만 보아도 알 수 있는 것이 있습니다(2절).
# 검증 손실이 학습 손실보다 낮은 것은 에포크가 끝난 뒤에, 그리고 단어를 가리지 않고 재기 때문입니다. 두 손실이 함께 내려간다는 것은 문장을 외우는 것이 아니라는 뜻입니다.
#
# ## 5. 무엇을 알게 되었을까?


# %% name="results"
def said(lang, split):
    return training.predict(models[lang], tensors(lang, split)[0]).argmax(dim=-1)


encoder = t(en="encoder", ko="인코더")
results[encoder] = [accuracy(corpus[lang][split], said(lang, split)) for lang, split in places]
plot.bars(results, names, **labels)
plt.show()

# %% [markdown] lang="en" name="results-text"
# On `test` the encoder is almost always right, in English too, where three-word counts are not. And on `held_out`, with negations that it has never seen, it is far ahead of both in both languages.
#
# But one run says little about the next. In the README of this repository three runs get between 0.56 and 0.94 of English `held_out` right (Korean: 0.85 to 0.94): some starts learn a negation that is not tied to a word, some hardly do. A seed does not settle it either. Another processor adds in another order and so rounds differently, in the seventh digit, and a thousand steps make much of that. **So from the loss curves on your pictures may differ from those that are stored, and from what the text reads off them; so it is in the later lessons that train, too.**
#
# The same table has all baselines, and one of them beats us: a GRU, a network that reads word after word and carries a memory. Reading in both directions, it gets nearly all of `held_out` right. A likely reason: a GRU is built so that it always has the neighbouring word at hand, and this task needs little else; the encoder must first learn what *beside* means. For short sentences that a rule writes, attention is not the best way, and a comparison with word counts alone would have hidden that.
#
# **Guess first.** Is our model wrong in one direction more than in the other? A *confusion matrix* counts it, here for English and `held_out`. Rows are the truth, columns what the model said; the numbers are sentences, the colour is the share of the row:

# %% [markdown] lang="ko" name="results-text" of="f8757397"
# `test`에서는 인코더가 거의 다 맞힙니다. 세 단어까지 세어도 안 되던 영어에서도 그렇습니다. 그리고 `held_out`, 곧 한 번도 본 적 없는 부정문에서도 두 언어 모두 나머지 둘을 크게 앞섭니다.
#
# 하지만 한 번 돌려 보고 다음 결과를 장담할 수는 없습니다. 이 저장소의 README에 있는 표를 만들 때 세 번 학습시켰더니 영어의 `held_out`이 0.56에서 0.94까지 나왔습니다(한국어는 0.85에서 0.94). 시작할 때의 난수에 따라 특정한 단어에 매이지 않는 부정을 배우기도 하고, 거의 배우지 못하기도 합니다. 시드를 정해 두어도 결과가 하나로 정해지지는 않습니다. 프로세서가 다르면 더하는 순서가 달라서 일곱째 자리쯤에서 반올림이 달라지고, 천 걸음을 걷는 동안 그 차이가 크게 불어납니다. **그래서 손실 곡선부터는 여러분의 그림이 저장된 그림이나 글에 적힌 숫자와 다를 수 있습니다. 뒤에 나오는, 학습시키는 강의에서도 마찬가지입니다.**
#
# 같은 표에 비교 대상 전부가 있고, 그 가운데 하나는 우리보다 낫습니다. 단어를 차례로 읽으며 기억을 이어 가는 신경망인 GRU입니다. 양방향으로 읽히면 `held_out`을 거의 다 맞힙니다. 까닭은 아마 이럴 것입니다. GRU는 바로 옆의 단어를 언제나 보게 되어 있고, 이 문제에는 그것으로 거의 충분합니다. 인코더는 *옆*이 무엇인지부터 배워야 합니다. 규칙으로 만든 짧은 문장에서는 어텐션이 가장 좋은 길이 아닙니다. 단어를 세는 방법하고만 견주었다면 몰랐을 일입니다.
#
# **먼저 예상해 보세요.** 우리 모델은 한쪽으로 더 많이 틀릴까요? *혼동 행렬*이 세어 줍니다. 영어의 `held_out`입니다. 행은 정답, 열은 모델의 답이고, 숫자는 문장 수, 색은 그 행에서 차지하는 비율입니다.

# %% name="confusion"
true = [row.label for row in corpus["en"]["held_out"]]
plot.confusion(true, said("en", "held_out"), [t(en="complaint", ko="불만"), t(en="praise", ko="칭찬")])
plt.show()

# %% [markdown] lang="en" name="double-text"
# It is: complaints pass for praise (top right, 50) far more often than praise for complaint (bottom left, 13).
#
# **Guess first**: *It is not true that the soup is not good.* No training sentence negates the same clause twice. Will two negations cancel each other?

# %% [markdown] lang="ko" name="double-text" of="f281cef2"
# 그렇습니다. 불만을 칭찬으로 잘못 답한 것(오른쪽 위, 50개)이 칭찬을 불만으로 잘못 답한 것(왼쪽 아래, 13개)보다 훨씬 많습니다.
#
# **먼저 예상해 보세요.** *찌개는 맛있지 않은 것은 아니다.* 한 절을 두 번 부정하는 문장은 학습 데이터에 없습니다. 두 부정이 서로 상쇄될까요?

# %% name="double"
doubles = [accuracy(corpus[lang]["double"], said(lang, "double")) for lang in corpus]
double = {encoder: doubles, t(en="a coin", ko="동전"): [0.5, 0.5]}
plot.bars(double, list(corpus), xlabel=t(en="language", ko="언어"), ylabel=labels["ylabel"])
plt.show()

# %% [markdown] lang="en" name="order-text"
# Mostly they do not: the model is far below a coin. It goes by the inner negation, as it has learned to. Of the outer one some words are `<UNK>` to it (it has never met *true*), so this does not tell whether it could learn to cancel two. It was never asked to.
#
# And does it need the order of words? Here is an encoder without positions, untrained. Whatever one trains it to, the two sentences below remain one bag of words for it, and get the same logits:

# %% [markdown] lang="ko" name="order-text" of="e1ed2cd3"
# 대개 상쇄되지 않습니다. 동전 던지기보다 훨씬 못합니다. 모델은 배운 대로 안쪽의 부정을 따릅니다. 바깥쪽 부정에는 모델이 본 적 없는 토큰(`<UNK>`)도 섞여 있으니, 두 부정을 상쇄하는 법을 배울 수 있는지까지는 알 수 없습니다. 배울 일이 없었을 뿐입니다.
#
# 그렇다면 어순은 필요할까요? 아래는 위치 정보가 없고 학습도 하지 않은 인코더입니다. 무엇을 어떻게 가르치든, 이 인코더에게 아래의 두 문장은 같은 단어를 담은 자루여서 로짓도 같습니다.

# %% name="no-order"
mirror = ["The tea is good, but the room is dark.", "The room is dark, but the tea is good."]
blind = Classifier(n_classes=2, input_dim=len(vocab["en"]), positions=None, **sizes).eval()
first, second = blind(vocab["en"].batch(mirror))
same_without = torch.allclose(first, second, atol=1e-5)
first, second = training.predict(models["en"], vocab["en"].batch(mirror))
same_without, torch.allclose(first, second, atol=1e-5)

# %% [markdown] lang="en" name="exercise-balanced-text" tags=["exercise"]
# Without positions the logits are the same (`True`), with them they are not. So without positions one of every two mirror images is wrong, by proof and not by experiment.
#
# ### Your turn · easy · about 6 minutes
#
# Our classes are equally large. Where they are not, accuracy flatters: always naming the class of nine in ten is right in nine cases of ten. `balanced_accuracy(true, said)`: two lists of class numbers, the truth and what the model said. For each class of `true`, take the share of its members that were recognised; return the mean of these shares.
#
# <details><summary>Hint 1</summary>set(true) has each class once.</details>
# <details><summary>Hint 2</summary>For one class: how many are true and said, over how many are true.</details>

# %% [markdown] lang="ko" name="exercise-balanced-text" of="777b5e57" tags=["exercise"]
# 위치 정보가 없으면 로짓이 같고(`True`), 있으면 다릅니다. 그러니 위치 정보가 없으면 거울에 비친 짝 가운데 하나는 반드시 틀립니다. 실험이 아니라 증명입니다.
#
# ### 직접 해 보기 · 쉬움 · 약 6분
#
# 우리 데이터는 두 클래스의 크기가 같습니다. 그렇지 않을 때는 정확도가 실제보다 좋아 보입니다. 열에 아홉이 속한 클래스만 늘 외치면 열에 아홉은 맞히니까요. `balanced_accuracy(true, said)`: 정답과 모델의 답을 클래스 번호의 리스트로 받습니다. `true`에 나오는 클래스마다, 정답이 그 클래스인 것 가운데 맞힌 비율을 구하고, 그 비율들의 평균을 0과 1 사이의 수로 돌려주세요.
#
# <details><summary>힌트 1</summary>set(true)에는 클래스가 하나씩 들어 있습니다.</details>
# <details><summary>힌트 2</summary>한 클래스에 대해: 정답도 모델의 답도 그 클래스인 수를 정답이 그 클래스인 수로 나눕니다.</details>


# %% name="exercise-balanced" tags=["exercise"]
def balanced_accuracy(true, said):
    # your turn
    ...


check.balanced_accuracy(balanced_accuracy)


# %% name="solution-balanced" tags=["solution"]
def balanced_accuracy(true, said):
    shares = []
    for one in set(true):
        answers = [b for a, b in zip(true, said) if a == one]
        shares.append(sum(b == one for b in answers) / len(answers))
    return sum(shares) / len(shares)


check.balanced_accuracy(balanced_accuracy)

# %% [markdown] lang="en" name="library-scores-text"
# Outside of exercises scikit-learn does it for us. `training.scores` gives accuracy, balanced accuracy and macro F1. The F1 of a class is 2 × right / (times said + times true), and macro F1 is the mean over the classes. For always saying class 0, where it is right nine times in ten, F1 is 18/19 for class 0 and 0 for class 1:

# %% [markdown] lang="ko" name="library-scores-text" of="5b7e4c42"
# 연습 문제가 아니라면 scikit-learn이 대신해 줍니다. `training.scores`는 정확도, 균형 정확도, 매크로 F1을 돌려줍니다. 어떤 클래스의 F1은 2 × 그 클래스를 맞힌 수 / (모델이 그 클래스라고 답한 수 + 정답이 그 클래스인 수)이고, 매크로 F1은 그것을 클래스에 걸쳐 평균한 값입니다. 열에 아홉이 0번 클래스일 때 늘 0번만 외치면 F1은 0번 클래스가 18/19, 1번 클래스가 0입니다.

# %% name="library-scores"
{name: round(score, 2) for name, score in training.scores([0] * 9 + [1], [0] * 10).items()}

# %% [markdown] lang="en" name="look"
# ## 6. Where does it look?
#
# Lesson 04 showed the maps of an untrained encoder, nearly all pale. These are the two layers with their two heads after training, for a sentence with a negation that it has never seen. Above stands the share that the model gives to praise.

# %% [markdown] lang="ko" name="look" of="db794172"
# ## 6. 어디를 볼까?
#
# 04강에서 본 학습 전 인코더의 히트맵은 대체로 흐릿했습니다. 아래는 학습을 마친 인코더의 히트맵 네 장(계층 둘에 헤드 둘씩)입니다. 한 번도 본 적이 없는 부정문을 읽고 있습니다. 위에는 모델이 칭찬에 준 비율이 있습니다.

# %% name="maps"
sentence = "The room is not cramped."
src = vocab["en"].batch([sentence]).to(device())  # src: [1, sl]
tokens = vocab["en"].decode(src[0], specials=True)
share = training.predict(models["en"], src.cpu()).softmax(dim=-1)[0, 1]
with torch.no_grad():
    _, weights = models["en"].encoder(src, need_weights=True)
figure = plot.layer_head_grid([layer[0] for layer in weights], tokens)
figure.suptitle(t(en=f"share for praise: {share:.2f}", ko=f"칭찬에 준 비율: {share:.2f}"))
plt.show()

# %% [markdown] lang="en" name="hide-text"
# The maps have dark cells now. It is tempting to read off them what the decision rests on. There is a more direct test: replace one token at a time by `<UNK>`, which word dropout has made the model used to, and see how far the difference of the two logits moves (as a share of all these moves together). Beside it, the attention that the token gets in each layer, on average over queries and heads:

# %% [markdown] lang="ko" name="hide-text" of="d84634c5"
# 이제 진한 칸들이 보입니다. 이 그림에서 판단의 근거를 읽어 내고 싶어집니다. 하지만 더 직접적인 방법이 있습니다. 토큰을 하나씩 `<UNK>`(단어 드롭아웃 덕분에 모델에게 낯설지 않습니다)로 바꾸고 두 로짓의 차이가 얼마나 움직이는지 보는 것입니다. 그림에는 토큰마다 움직인 크기를 모두 더한 값에서 그 토큰이 차지하는 비율을 그립니다. 그 옆에 그 토큰이 계층마다 받은 어텐션(쿼리와 헤드의 평균)을 나란히 놓겠습니다.

# %% name="hide"
margin = lambda ids: training.predict(models["en"], ids).diff(dim=-1)[:, 0]
hidden_one = src.cpu().repeat(len(tokens), 1).fill_diagonal_(vocab["en"].unk_id)  # hidden_one: [sl, sl]
moved = (margin(hidden_one) - margin(src.cpu())).abs()  # moved: [sl]

groups = {t(en=f"attention, layer {i}", ko=f"어텐션, 계층 {i}"): weights[i][0].mean(dim=(0, 1)).cpu() for i in (0, 1)}
groups |= {t(en="moves the logits", ko="로짓을 움직인 정도"): moved / moved.sum()}
plot.bars(groups, tokens, xlabel=t(en="token", ko="토큰"), ylabel=t(en="share", ko="비율"))
plt.show()

# %% [markdown] lang="en" name="hide-answer"
# *not* and *cramped* move the logits most: rightly so, they carry the meaning. Attention ranks the tokens otherwise, and differently in each layer: layer 0 looks at *is* more than at *cramped*, and layer 1 hardly at *cramped* at all. A layer fetches something and hands it on inside other tokens, so that the next one need not look there again. Whoever shows one map has chosen a story. Hiding leaves no map to choose (it is still a rough probe, for a sentence with `<UNK>` is another sentence).
#
# ## 7. Save, load, predict
#
# A model is of use only together with its vocabulary and its sizes. `training.save` writes all three: weights as safetensors, which runs no code when it is read, and the rest as JSON. The tokenizer is a function and is not saved: pass the one that the model was trained with.

# %% [markdown] lang="ko" name="hide-answer" of="e8552d69"
# 로짓을 가장 크게 움직이는 것은 *not*과 *cramped*입니다. 뜻이 그 둘에 있으니 당연합니다. 어텐션이 매긴 순위는 이와 다르고, 그 순위마저 계층마다 다릅니다. 계층 0은 *cramped*보다 *is*를 더 보고, 계층 1은 *cramped*를 거의 보지 않습니다. 한 계층이 무언가를 가져와 다른 토큰에 담아 넘기면, 다음 계층은 거기를 다시 볼 필요가 없습니다. 그러니 그림 한 장만 보여 주는 사람은 하고 싶은 이야기에 맞는 그림을 고른 셈입니다. 토큰을 하나씩 가려 보는 방법에는 고를 그림이 없습니다(다만 이것도 거친 방법입니다. `<UNK>`가 들어간 문장은 다른 문장이니까요).
#
# ## 7. 저장하고, 불러오고, 예측하기
#
# 모델을 다시 쓰려면 파라미터 말고도 어휘집과 크기 설정이 있어야 합니다. `training.save`는 이 셋을 모두 저장합니다. 파라미터는 safetensors 형식(읽을 때 코드를 실행하지 않습니다)으로, 나머지는 JSON으로 저장합니다. 토크나이저는 함수라서 저장하지 않습니다. 불러올 때 학습에 쓴 것과 같은 것을 넘기세요.

# %% name="save"
config = dict(n_classes=2, input_dim=len(vocab["en"]), **sizes)
with TemporaryDirectory() as folder:
    training.save(folder, models["en"], config=config, vocab=vocab["en"])
    loaded, words = training.load(folder, Classifier, tokenizer=cut["en"])
same = torch.equal(loaded.to(device())(src), models["en"](src))
models["en"], vocab["en"] = loaded, words  # from here on, English is what was read from the files
same

# %% [markdown] lang="en" name="predict-text"
# The same to the last bit. Now both models take text, in English the one that was loaded; the picture shows how sure they are of praise. Change the sentences and try to break it.

# %% [markdown] lang="ko" name="predict-text" of="e1799d1a"
# 마지막 비트까지 같습니다. 이제 텍스트를 줍니다(영어는 방금 불러온 모델, 한국어는 위에서 학습시킨 모델입니다). 그림은 칭찬이라고 얼마나 확신하는지 보여 줍니다. 문장을 바꿔 가며 속여 보세요.


# %% name="predict"
def predict(texts, lang):
    return training.predict(models[lang], vocab[lang].batch(texts)).softmax(dim=-1)[:, 1]  # [3]


english = ["The soup is good.", "The soup is not good.", "The soup is not bad."]
korean = ["김치는 좋다.", "김치는 좋지 않다.", "김치는 나쁘지 않다."]
shares = {"ko": predict(korean, "ko"), "en": predict(english, "en")}
both = [f"{a}\n{b}" for a, b in zip(korean, english)]
plot.bars(shares, both, xlabel=t(en="sentence", ko="문장"), ylabel=t(en="share for praise", ko="칭찬일 확률"))
plt.show()

# %% [markdown] lang="en" name="summary"
# All six are on the right side. But look at 김치는 좋다. (*the kimchi is good*): the plainest of them gets only about two thirds. What is easy for us need not be easy for a model.
#
# Remember what it is: a model of a few dozen nouns and predicates, in sentences of a few builds; one of these six stands in training word for word. It has never seen irony, a question, or a word outside its vocabulary, and a share near 1 does not mean that it knows.
#
# ## What you have now
#
# - One vector per sentence: the mean over real tokens, or the first token. Then one linear layer to logits; the loss takes the softmax.
# - A training step: loss, `zero_grad`, `backward`, `step`. A loop adds shuffling, clipping, a learning rate that climbs and falls, validation, the best weights.
# - A result is worth as much as the baselines beside it and the split that it was measured on. Single words do not suffice; three-word counts look perfect on Korean `test` and fail where a negation is new; a GRU does better than the encoder.
# - Choices are made on `valid` and `choose`, reports on `test` and `held_out`.
# - Attention maps show a step of the computation, not its reasons.
#
# Next: [10 · Named entities](10_named_entities.ipynb), where every token gets a label.
#
# **Further reading**: [BERT](https://arxiv.org/abs/1810.04805), section 4.1; [Attention is not Explanation](https://arxiv.org/abs/1902.10186) and the answer [Attention is not not Explanation](https://arxiv.org/abs/1908.04626)

# %% [markdown] lang="ko" name="summary" of="ebd5896e"
# 여섯 문장 모두 옳은 쪽입니다. 그런데 가장 쉬워 보이는 '김치는 좋다.'에서 모델은 3분의 2쯤만 확신합니다. 사람에게 쉬운 문장이 모델에게도 쉬운 것은 아닙니다.
#
# 이 모델의 한계를 잊지 마세요. 명사와 서술어 몇십 개를 몇 가지 틀의 문장에서만 본 모델이고, 위의 여섯 문장 가운데 하나는 학습 데이터에 그대로 있습니다. 반어도, 물음도, 어휘집에 없는 말도 본 적이 없습니다. 확률이 1에 가깝다고 해서 안다는 뜻은 아닙니다.
#
# ## 정리
#
# - 문장마다 벡터 하나: 진짜 토큰의 평균, 또는 첫 토큰. 그다음 선형 계층 하나로 로짓을 얻습니다. softmax는 손실 함수의 일입니다.
# - 학습의 한 걸음: 손실, `zero_grad`, `backward`, `step`. 루프에는 섞기, 기울기 줄이기, 오르내리는 학습률, 검증, 가장 좋은 파라미터가 더해집니다.
# - 결과의 값어치는 그 옆에 세운 비교 대상과 그것을 잰 데이터 분할이 정합니다. 단어 하나씩 세는 것으로는 모자라고, 세 단어까지 세는 방법은 한국어 `test`에서 완벽해 보이지만 부정이 새로우면 무너지며, GRU는 인코더보다 낫습니다.
# - 고르는 일은 `valid`와 `choose`로 하고, 보고는 `test`와 `held_out`으로 합니다.
# - 어텐션 그림은 계산의 한 단계를 보여 줄 뿐, 까닭을 보여 주지 않습니다.
#
# 다음: [10 · 개체명 인식](10_named_entities.ipynb). 이번에는 토큰마다 라벨이 붙습니다.
#
# **더 읽을거리**: [BERT](https://arxiv.org/abs/1810.04805) 4.1절, [Attention is not Explanation](https://arxiv.org/abs/1902.10186)과 그에 답한 [Attention is not not Explanation](https://arxiv.org/abs/1908.04626)
