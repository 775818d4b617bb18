# ---
# jupyter:
#   jupytext:
#     formats: py:percent
#     cell_metadata_filter: lang,of,name,tags,-all
# ---

# %% [markdown] lang="en" name="title"
# # 01 · Text to tensor
#
# An encoder never sees a letter. It gets a table of whole numbers, `[bs, sl]`, and that table decides what it can know:
# two words with the same number are the same word to it, and a word without a number does not exist.
# In this lesson you make the table, in Korean and in English.
#
# **You will be able to**
#
# - cut a text into tokens in four ways, and say what each way costs;
# - say why spaces are not enough for Korean, and why two strings that look the same may differ;
# - number tokens, cut long sentences, pad short ones, and feed batches to an encoder.
#
# **Read first**: [00 · Start here](00_start_here.ipynb).
#
# **Time**: 60 minutes.
#
# <details><summary>For the classroom</summary>
#
# | Section | Minutes |
# |---|---|
# | 1 Where does a token end? | 8 |
# | 2 Why spaces are not enough in Korean | 6 |
# | 3 Let the data choose the pieces | 8 |
# | 4 Two strings that look the same | 6 |
# | 5 A number for every token | 10 |
# | 6 Too long: cut, but keep the frame | 8 |
# | 7 Too short: pad | 6 |
# | 8 All in one class, and into the encoder | 8 |
#
# Two questions to ask: *Why does a tokenizer that makes short sentences need a large vocabulary?*
# *What would go wrong if the vocabulary were built on all the data, test sentences too?*
#
# </details>

# %% [markdown] lang="ko" name="title" of="643abef6"
# # 01 · 텍스트를 텐서로
#
# 인코더는 글자를 보지 않습니다. 정수로 된 표 `[bs, sl]`을 받을 뿐이고, 인코더가 알 수 있는 것은 이 표가 정합니다.
# 번호가 같은 두 단어는 인코더에게 같은 단어이고, 번호가 없는 단어는 세상에 없는 단어입니다.
# 이 강의에서는 한국어와 영어 문장으로 그 표를 직접 만듭니다.
#
# **이 강의를 마치면**
#
# - 텍스트를 네 가지 방법으로 토큰으로 자르고, 방법마다 무엇을 치러야 하는지 말할 수 있습니다.
# - 한국어에 띄어쓰기만으로는 왜 부족한지, 똑같아 보이는 두 문자열이 왜 다를 수 있는지 설명할 수 있습니다.
# - 토큰에 번호를 매기고, 긴 문장은 자르고 짧은 문장은 채워서 인코더에 배치로 넣을 수 있습니다.
#
# **먼저 볼 것**: [00 · 여기서 시작](00_start_here.ipynb).
#
# **시간**: 60분.
#
# <details><summary>수업용 안내</summary>
#
# | 절 | 분 |
# |---|---|
# | 1 토큰은 어디서 끝날까? | 8 |
# | 2 한국어에 띄어쓰기만으로는 부족한 이유 | 6 |
# | 3 조각은 데이터가 고르게 하자 | 8 |
# | 4 똑같아 보이는 두 문자열 | 6 |
# | 5 모든 토큰에 번호를 | 10 |
# | 6 너무 길면: 자르되 앞뒤는 지키기 | 8 |
# | 7 너무 짧으면: 채우기 | 6 |
# | 8 클래스 하나로 모아서 인코더까지 | 8 |
#
# 던져 볼 질문 두 가지: *문장을 짧게 만드는 토크나이저는 왜 어휘집이 커야 할까요?*
# *시험용 문장까지 포함해서 어휘집을 만들면 무엇이 잘못될까요?*
#
# </details>

# %% name="setup" tags=["setup"]

# %% name="imports" tags=["imports"]
import json
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import matplotlib.pyplot as plt
import regex
import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, trainers
from torch import Tensor
from torch.utils.data import DataLoader

from tutorial_lib import data, device, plot, t
from tutorial_lib.encoder import Encoder
from tutorial_lib.exercises import lesson_01 as check
from tutorial_lib.masks import padding_mask
from tutorial_lib.text import BOS, EOS, SPECIALS, tokenize
from tutorial_lib.trace import trace_shapes

# %% [markdown] lang="en" name="levels"
# ## 1. Where does a token end?
#
# A token is the piece of text that gets one number. **Guess first.** How many tokens are there in this line?

# %% [markdown] lang="ko" name="levels" of="0ccbe86e"
# ## 1. 토큰은 어디서 끝날까?
#
# 토큰은 번호 하나를 받는 텍스트 조각입니다. **먼저 예상해 보세요.** 아래 문장은 토큰 몇 개일까요?

# %% name="three-levels"
sentence = "학교에 갔다. I don't mind 👍🏽"
levels = ["space", "word", "char"]
for level in levels:
    print(f"{level:6}", tokenize(sentence, level=level))

# %% [markdown] lang="en" name="three-levels-text"
# It depends on who cuts.
#
# - `space` cuts at blanks. The full stop sticks to `갔다.`, so `갔다` without a full stop would be another token, with another number.
# - `word` sets punctuation apart. This is what we use when nothing else is said.
# - `char` takes every character alone: a syllable in Korean, a letter in English.
#
# All three lose nothing but the blanks. That is not a matter of course.
#
# ### Break it: the pattern everybody writes first
#
# `\w+` reads "letters and digits in a row". What is missing below?

# %% [markdown] lang="ko" name="three-levels-text" of="8bfb2663"
# 누가 자르느냐에 따라 다릅니다.
#
# - `space`는 띄어쓰기에서 자릅니다. `갔다.`에 마침표가 붙어 있어서, 마침표가 없는 `갔다`는 번호가 다른 별개의 토큰이 됩니다.
# - `word`는 문장 부호를 따로 떼어 냅니다. 특별한 말이 없으면 이 방법을 씁니다.
# - `char`는 문자 하나하나를 자릅니다. 한국어는 음절, 영어는 알파벳 하나입니다.
#
# 셋 다 빈칸 말고는 아무것도 버리지 않습니다. 당연해 보이지만 그렇지 않습니다.
#
# ### 일부러 망가뜨리기: 누구나 처음에 쓰는 패턴
#
# `\w+`는 "이어진 글자와 숫자"라는 뜻입니다. 아래 결과에서 사라진 것은 무엇일까요?

# %% name="naive-pattern"
re.findall(r"\w+", sentence)

# %% [markdown] lang="en" name="naive-pattern-text"
# The full stop and the 👍🏽 are gone, `don't` is in two parts, and nobody complained. A review that ends in 👍🏽 or 👎 has just lost its verdict.
#
# ### What each level costs
#
# We need sentences. The library brings forty in each language, about school, cats and rain. We keep the last eight of each
# aside as **held-out** sentences, as if they came tomorrow, and look at the first 32, the **training** sentences, only.

# %% [markdown] lang="ko" name="naive-pattern-text" of="b3b57f81"
# 마침표와 👍🏽가 사라졌고 `don't`는 두 동강이 났는데 아무도 불평하지 않았습니다. 👍🏽나 👎로 끝나는 후기라면 방금 결론을 잃은 셈입니다.
#
# ### 단위마다 치르는 값
#
# 문장이 필요합니다. 라이브러리에는 학교, 고양이, 비에 관한 문장이 언어마다 40개씩 들어 있습니다. 마지막 8개는
# 내일 처음 만날 문장이라고 치고 **평가용**으로 따로 두고, 앞의 32개만 **학습용**으로 씁니다.

# %% name="split"
training, held_out = {}, {}
for lang in ("ko", "en"):
    training[lang] = data.sentences(lang)[:32]
    held_out[lang] = data.sentences(lang)[32:]
training["ko"][0], training["en"][0]

# %% name="tokens-per-sentence"
names = {"ko": t(en="Korean", ko="한국어"), "en": t(en="English", ko="영어")}
lengths = {}
for lang, name in names.items():
    counts = [sum(len(tokenize(text, level=level)) for text in training[lang]) for level in levels]
    lengths[name] = [count / len(training[lang]) for count in counts]

plot.bars(lengths, levels, ylabel=t(en="tokens per sentence", ko="문장당 토큰 수"))
plt.show()

# %% [markdown] lang="en" name="tokens-per-sentence-text"
# Smaller pieces make longer sentences, and a Transformer compares every token with every other one: twice the length is four
# times the work. A Korean `char` sentence is less than half as long as an English one, because a syllable holds two to four letters.
#
# If long sentences are dear, why not always cut at spaces? That is the next question.
#
# ## 2. Why spaces are not enough in Korean
#
# Which forms of the word 학교 (school) stand in our forty sentences?

# %% [markdown] lang="ko" name="tokens-per-sentence-text" of="7081e5fb"
# 조각이 작을수록 문장이 길어집니다. 트랜스포머는 모든 토큰을 서로 견주므로, 길이가 두 배면 일은 네 배입니다.
# `char`로 자른 한국어 문장은 영어의 절반도 안 됩니다. 음절 하나에 낱글자가 두 개에서 네 개씩 들어 있기 때문입니다.
#
# 문장이 길수록 비싸다면 늘 띄어쓰기로 자르면 되지 않을까요? 다음 질문이 바로 그것입니다.
#
# ## 2. 한국어에 띄어쓰기만으로는 부족한 이유
#
# 우리 문장 40개에는 "학교"가 어떤 모습으로 들어 있을까요?

# %% name="school-forms"
words = {token for text in data.sentences("ko") for token in tokenize(text)}
sorted(word for word in words if word.startswith("학교"))

# %% [markdown] lang="en" name="school-forms-text"
# Four tokens for one noun: 는, 를, 에, 에서 are *particles*, which Korean glues to the noun to say what it does in the sentence.
# English has a separate word for that ("to school", "from the school"), and `school` stays one token.
#
# **Guess first.** Tomorrow the eight held-out sentences arrive. What share of their tokens has never been seen in training,
# in Korean and in English?

# %% [markdown] lang="ko" name="school-forms-text" of="0d141463"
# 명사 하나에 토큰이 네 개입니다. 는, 를, 에, 에서 같은 조사가 명사에 붙기 때문입니다.
# 영어는 이런 일을 따로 떨어진 단어로 하므로("to school", "from the school") `school`은 언제나 토큰 하나입니다.
#
# **먼저 예상해 보세요.** 내일 평가용 문장 8개가 도착합니다. 학습 때 한 번도 못 본 토큰은 한국어와 영어에서 각각 몇 퍼센트일까요?

# %% name="unseen"
unseen = {}
for lang, name in names.items():
    unseen[name] = []
    for level in levels:
        known = {token for text in training[lang] for token in tokenize(text, level=level)}
        new = [token for text in held_out[lang] for token in tokenize(text, level=level)]
        unseen[name].append(100 * sum(token not in known for token in new) / len(new))

plot.bars(unseen, levels, ylabel=t(en="% of tokens never seen", ko="처음 보는 토큰 (%)"))
plt.show()

# %% [markdown] lang="en" name="unseen-text"
# Cut at spaces, most of the Korean tokens are new, about three times the English share: every noun would have to be learned again with every particle.
# Cut into characters, hardly anything is new, but a lone syllable means little and the sentence gets long.
#
# Thirty-two sentences are few, and with a million the bars would be lower. The order would stay: Korean puts together
# more forms than any text can show.
#
# ## 3. Let the data choose the pieces
#
# Between word and character lies a third way: **subwords**. Start with characters, find the two neighbours that meet most often,
# glue them into one piece, and repeat until there are as many pieces as you want. Frequent words end as one piece, rare ones stay in parts.
# This recipe is called *byte pair encoding* (BPE). We do not write it ourselves: the library `tokenizers` does it well.
#
# **Guess first.** Nobody tells it about particles. Will it find them?

# %% [markdown] lang="ko" name="unseen-text" of="6e335af3"
# 띄어쓰기로 자르면 한국어 토큰은 대부분 처음 보는 것이고, 그 비율이 영어의 세 배쯤 됩니다. 명사마다 조사를 바꿔 가며 처음부터 다시 배워야 하기 때문입니다.
# 문자로 자르면 새로운 것이 거의 없지만, 음절 하나에는 뜻이 별로 없고 문장이 길어집니다.
#
# 문장 32개는 아주 적습니다. 백만 개라면 막대가 낮아집니다. 그래도 순서는 그대로입니다. 한국어는 어떤 텍스트에도
# 다 담을 수 없을 만큼 많은 꼴을 만들어 내기 때문입니다.
#
# ## 3. 조각은 데이터가 고르게 하자
#
# 단어와 문자 사이에 세 번째 길이 있습니다. **서브워드**입니다. 문자에서 시작해서, 가장 자주 붙어 나오는 두 이웃을 찾아
# 한 조각으로 붙이고, 조각이 원하는 수만큼 생길 때까지 되풀이합니다. 자주 나오는 단어는 한 조각이 되고 드문 단어는 여러 조각으로 남습니다.
# 이 방법이 바이트 쌍 인코딩(BPE)입니다. 직접 짜지는 않겠습니다. `tokenizers` 라이브러리가 잘해 줍니다.
#
# **먼저 예상해 보세요.** 조사라는 것이 있다고 아무도 알려 주지 않습니다. 스스로 찾아낼까요?


# %% name="train-subwords"
def train_subwords(texts, n_pieces):
    subwords = Tokenizer(models.BPE(unk_token="<UNK>"))
    subwords.normalizer = normalizers.NFC()
    subwords.pre_tokenizer = pre_tokenizers.Metaspace()  # a blank becomes ▁, in front of the word behind it
    trainer = trainers.BpeTrainer(vocab_size=n_pieces, special_tokens=["<UNK>"], show_progress=False)
    subwords.train_from_iterator(texts, trainer)
    return subwords


subwords = {lang: train_subwords(training[lang], n_pieces=200) for lang in ("ko", "en")}
for text in ("친구는 학교에서 책을 빌렸다.", "학교는 학교를"):
    print(subwords["ko"].encode(text).tokens)

# %% [markdown] lang="en" name="train-subwords-text"
# It found 학교 and the particles 는, 에서, 을, 를, from 32 sentences and counting alone. The first sentence is held-out: the subwords put a new word
# together from pieces they know. Only 빌 is `<UNK>`, *unknown*, because this syllable never came up in training.
# (Large tokenizers avoid even that: they fall back to bytes, and there are only 256 of them.)
#
# Now all four ways side by side, in tokens per held-out sentence and in unknown ones.

# %% [markdown] lang="ko" name="train-subwords-text" of="6fd83a07"
# 문장 32개를 놓고 세기만 했는데 "학교"와 조사 는, 에서, 을, 를 찾아냈습니다. 첫 문장은 평가용입니다. 처음 보는 어절도 아는 서브워드 조각으로 맞춰 냅니다.
# "빌"만 `<UNK>`(unknown), 곧 모르는 토큰이 되었습니다. 학습 때 한 번도 나오지 않은 음절이기 때문입니다.
# (큰 토크나이저는 이것마저 피합니다. 모르는 글자는 바이트로 쪼개는데, 바이트는 256가지뿐입니다.)
#
# 네 가지 방법을 나란히 놓고, 평가용 문장의 길이와 모르는 토큰의 비율을 비교해 봅시다.

# %% name="subwords-compared"
pieces = {lang: [subwords[lang].encode(text).tokens for text in held_out[lang]] for lang in ("ko", "en")}
long, unknown = {}, {}
for lang, name in names.items():
    n_pieces = sum(map(len, pieces[lang]))
    n_unknown = sum(row.count("<UNK>") for row in pieces[lang])
    long[name] = [sum(len(tokenize(x, level=level)) for x in held_out[lang]) / 8 for level in levels] + [n_pieces / 8]
    unknown[name] = unseen[name] + [100 * n_unknown / n_pieces]

plot.bars(long, [*levels, "subword"], ylabel=t(en="tokens per sentence", ko="문장당 토큰 수"))
plot.bars(unknown, [*levels, "subword"], ylabel=t(en="% unknown", ko="모르는 토큰 (%)"))
plt.show()

# %% [markdown] lang="en" name="subwords-compared-text"
# Subwords give shorter sentences than characters, and know nearly as much. With more text and more pieces both bars fall further,
# which is why nearly every large model uses them. We go on with `word`, whose tokens are the easiest to read.
#
# ## 4. Two strings that look the same
#
# **Guess first.** What does Python say to `one == two`?

# %% [markdown] lang="ko" name="subwords-compared-text" of="4eda57e0"
# 서브워드는 문자보다 문장이 짧으면서 아는 것은 거의 비슷합니다. 텍스트와 조각이 많아지면 두 막대 모두 더 낮아집니다.
# 큰 모델이 거의 모두 서브워드를 쓰는 이유입니다. 우리는 토큰을 읽기 쉬운 `word`로 계속합니다.
#
# ## 4. 똑같아 보이는 두 문자열
#
# **먼저 예상해 보세요.** 파이썬은 `one == two`에 뭐라고 답할까요?

# %% name="two-strings"
one = "한국어"
two = unicodedata.normalize("NFD", one)
print(one, two)
print(one == two, len(one), len(two))

# %% [markdown] lang="en" name="two-strings-text"
# False. The first is *composed* (NFC), one code point per syllable. The second is *decomposed* (NFD), one per letter of the alphabet,
# and your screen puts them together again. File names from a Mac, some web forms and some data sets come decomposed.
# In the picture each cell is one code point, with its number below.

# %% [markdown] lang="ko" name="two-strings-text" of="06660b1d"
# False입니다. 앞의 것은 음절 하나가 코드 포인트 하나인 **완성형**(NFC)입니다. 뒤의 것은 자음과 모음이 따로따로인 **풀어 쓴 꼴**(NFD)이고,
# 화면이 다시 모아서 보여 줄 뿐입니다. 맥에서 만든 파일 이름, 일부 웹 양식, 일부 데이터가 이런 꼴로 옵니다.
# 그림의 칸 하나가 코드 포인트 하나이고, 아래는 그 번호입니다.

# %% name="code-points"
points = [[ord(char) for char in text] for text in (one, two)]
table = torch.tensor([points[0] + [0] * 5, points[1]])
ax = plot.batch_grid(table, [[*one, *"     "], [*two]], pad_id=0)
ax.set_yticklabels(["NFC", "NFD"])
ax.set(xlabel=t(en="code point →", ko="코드 포인트 →"), ylabel="")
plt.show()

# %% [markdown] lang="en" name="code-points-text"
# Three numbers against eight, and not one in common. To an encoder these would be two unrelated words, and nothing would warn you. So the first step is always to compose.

# %% [markdown] lang="ko" name="code-points-text" of="0922df89"
# 세 개와 여덟 개, 겹치는 번호는 하나도 없습니다. 인코더에게는 아무 상관 없는 두 단어이고, 경고해 주는 것은 아무것도 없습니다. 그래서 언제나 완성형으로 바꾸는 일부터 합니다.

# %% name="normalize"
unicodedata.normalize("NFC", two) == one, tokenize(two) == tokenize(one)

# %% [markdown] lang="en" name="normalize-text"
# `tokenize` does it for you. Here is all of it, as it stands in the library. `\X` in the pattern means "one character as a reader sees it":
# it keeps 👍🏽, which is two code points, in one piece.

# %% [markdown] lang="ko" name="normalize-text" of="e671f9d7"
# `tokenize`는 이 일을 알아서 합니다. 라이브러리에 있는 그대로 전체를 옮겨 봅니다. 패턴의 `\X`는 "읽는 사람 눈에 보이는 문자 하나"라는 뜻이라,
# 코드 포인트가 두 개인 👍🏽도 쪼개지 않습니다.

# %% name="library-tokenize"
# from tutorial_lib.text: LEVELS, normalize, tokenize

# %% [markdown] lang="en" name="numbers"
# ## 5. A number for every token
#
# Go through the training sentences and give each new token the next free number. The first four numbers are taken by **special tokens**:
# `<PAD>` fills up, `<UNK>` stands for everything unknown, `<BOS>` and `<EOS>` mark beginning and end.

# %% [markdown] lang="ko" name="numbers" of="7fdc78ff"
# ## 5. 모든 토큰에 번호를
#
# 학습용 문장을 차례로 읽으면서, 새 토큰이 나올 때마다 다음 번호를 줍니다. 처음 네 번호는 **특수 토큰**의 자리입니다.
# `<PAD>`는 빈자리를 채우고, `<UNK>`는 모르는 토큰을 대신하고, `<BOS>`와 `<EOS>`는 문장의 시작과 끝을 표시합니다.

# %% name="korbow"
korbow = {"<PAD>": 0, "<UNK>": 1, "<BOS>": 2, "<EOS>": 3}
for text in training["ko"]:
    for token in tokenize(text):
        korbow.setdefault(token, len(korbow))
len(korbow.keys())

# %% [markdown] lang="en" name="korbow-text"
# `korbow` is what post B calls this dictionary, and `len(korbow.keys())` is the `input_dim` that it hands to its encoder: the number of
# rows in the embedding table. The post never shows where it comes from. Now you know.
#
# From tokens to ids, and back:

# %% [markdown] lang="ko" name="korbow-text" of="04c93e33"
# `korbow`는 글 B가 이 사전에 붙인 이름이고, `len(korbow.keys())`는 글 B가 인코더에 넘기는 `input_dim`, 곧 임베딩 표의 행 수입니다.
# 글에는 이 값이 어디서 왔는지 나오지 않습니다. 이제 알게 되었습니다.
#
# 토큰을 번호로, 번호를 다시 토큰으로 바꿔 봅시다.

# %% name="to-ids"
ids = [korbow[token] for token in tokenize("나는 도서관에서 책을 읽었다.")]
by_number = {number: token for token, number in korbow.items()}
print(ids)
print([by_number[number] for number in ids])

# %% [markdown] lang="en" name="unknown-text"
# And a word that was not in training? `korbow["바다"]` would stop with a KeyError. A vocabulary must have an answer for everything:

# %% [markdown] lang="ko" name="unknown-text" of="3194bf07"
# 학습 때 없던 단어는 어떻게 할까요? `korbow["바다"]`는 KeyError로 멈춥니다. 어휘집은 무엇을 물어도 답할 수 있어야 합니다.

# %% name="unknown"
[korbow.get(token, korbow["<UNK>"]) for token in tokenize("나는 바다에서 책을 읽었다.")]

# %% [markdown] lang="en" name="leak-text"
# The 1 says: here stood a word, and I do not know which.
#
# ### Break it: a vocabulary that has seen the test
#
# Why build it on the training sentences only? All forty would give fewer unknown words. **Guess first.** How many of the held-out
# tokens are unknown then?

# %% [markdown] lang="ko" name="leak-text" of="3dd076de"
# 1은 "여기에 단어가 있었지만 무엇인지 모른다"라는 뜻입니다.
#
# ### 일부러 망가뜨리기: 시험지를 미리 본 어휘집
#
# 왜 학습용 문장만으로 만들까요? 40개를 다 쓰면 모르는 단어가 줄어들 텐데요. **먼저 예상해 보세요.** 그러면 평가용 토큰 가운데 모르는 것은 몇 퍼센트일까요?

# %% name="leak"
shares = {}
for lang, name in names.items():
    new = [token for text in held_out[lang] for token in tokenize(text)]
    shares[name] = []
    for seen in (training[lang], data.sentences(lang)):
        known = {token for text in seen for token in tokenize(text)}
        shares[name].append(100 * sum(token not in known for token in new) / len(new))

built_on = [t(en="training only", ko="학습용만"), t(en="all sentences", ko="모든 문장")]
plot.bars(shares, built_on, ylabel=t(en="% of held-out tokens unknown", ko="모르는 평가용 토큰 (%)"))
plt.show()

# %% [markdown] lang="en" name="leak-answer"
# None at all, and that is the trouble. It looks like a perfect vocabulary, but tomorrow's sentences will not be in it. The left bars are what
# you will meet. A number that is measured on what has been seen before is not a measurement.
#
# ## 6. Too long: cut, but keep the frame
#
# An encoder has a longest length (`max_len`). A sentence gets `<BOS>` in front and `<EOS>` behind, and if it is too long, it is cut.
# In which order? The picture shows both, for five tokens and `max_len` 5.

# %% [markdown] lang="ko" name="leak-answer" of="3cdc764f"
# 하나도 없습니다. 바로 그것이 문제입니다. 완벽한 어휘집처럼 보이지만 내일 만날 문장은 거기에 없습니다. 실제로 겪을 일은 왼쪽 막대입니다.
# 이미 본 것으로 잰 숫자는 측정이 아닙니다.
#
# ## 6. 너무 길면: 자르되 앞뒤는 지키기
#
# 인코더에는 최대 길이(`max_len`)가 있습니다. 문장 앞에는 `<BOS>`, 뒤에는 `<EOS>`를 붙이고, 너무 길면 자릅니다.
# 어떤 순서로 해야 할까요? 토큰 다섯 개, `max_len` 5일 때 두 가지 순서를 그려 봅시다.

# %% name="two-orders"
tokens = tokenize("나는 친구와 영화를 보았다.")
max_len = 5
frame_first = [BOS, *tokens, EOS][:max_len]
cut_first = [BOS, *tokens[: max_len - 2], EOS]

rows = torch.tensor([[korbow[token] for token in row] for row in (frame_first, cut_first)])
ax = plot.batch_grid(rows, [frame_first, cut_first], pad_id=0)
ax.set_yticklabels([t(en="frame, then cut", ko="붙이고 자르기"), t(en="cut, then frame", ko="자르고 붙이기")])
ax.set(ylabel="")
plt.show()

# %% [markdown] lang="en" name="exercise-cut-text" tags=["exercise"]
# In the upper row `<EOS>` is gone. A model that has learned "the sentence ends at EOS" meets a sentence that never ends. Both rows
# have the right length, so no shape will tell.
#
# ### Your turn · easy · about 5 minutes
#
# Write it for ids: `cut_and_frame(ids, max_len)` returns a list of at most `max_len` ids, with 2 (BOS) in front and 3 (EOS) behind,
# keeping the beginning of the sentence.
#
# <details><summary>Hint 1</summary>How many ids fit between BOS and EOS?</details>
# <details><summary>Hint 2</summary><code>ids[: max_len - 2]</code> is the part that stays.</details>

# %% [markdown] lang="ko" name="exercise-cut-text" of="9e66f7cc" tags=["exercise"]
# 윗줄에는 `<EOS>`가 없습니다. "문장은 EOS에서 끝난다"고 배운 모델이 끝나지 않는 문장을 만나게 됩니다. 두 줄 모두
# 길이는 맞으니 모양만 보아서는 알 수 없습니다.
#
# ### 직접 해 보기 · 쉬움 · 약 5분
#
# 번호 목록에 대해 써 보세요. `cut_and_frame(ids, max_len)`은 앞에 2(BOS), 뒤에 3(EOS)을 붙인, 길이가 `max_len` 이하인 목록을 돌려줍니다.
# 문장은 앞부분을 남깁니다.
#
# <details><summary>힌트 1</summary>BOS와 EOS 사이에 번호가 몇 개 들어갈까요?</details>
# <details><summary>힌트 2</summary>남길 부분은 <code>ids[: max_len - 2]</code>입니다.</details>


# %% name="exercise-cut" tags=["exercise"]
def cut_and_frame(ids, max_len): ...


check.cut_and_frame(cut_and_frame)


# %% name="solution-cut" tags=["solution"]
def cut_and_frame(ids, max_len):
    return [2, *ids[: max_len - 2], 3]


check.cut_and_frame(cut_and_frame)

# %% [markdown] lang="en" name="frame-text"
# The library's version takes tokens or ids, and refuses a `max_len` that leaves no room for the frame.

# %% [markdown] lang="ko" name="frame-text" of="d801d96e"
# 라이브러리의 것은 토큰과 번호를 모두 받고, 앞뒤를 붙일 자리조차 없는 `max_len`은 거절합니다.

# %% name="library-frame"
# from tutorial_lib.text: frame

# %% [markdown] lang="en" name="pad"
# ## 7. Too short: pad
#
# Three sentences, three lengths. **Guess first.** What does `torch.tensor` make of them?

# %% [markdown] lang="ko" name="pad" of="2b955f59"
# ## 7. 너무 짧으면: 채우기
#
# 문장 세 개의 길이가 제각각입니다. **먼저 예상해 보세요.** `torch.tensor`에 넣으면 어떻게 될까요?

# %% name="ragged"
texts = ["비는 저녁에 그쳤다.", "고양이가 잔다.", ""]
rows = [frame([korbow.get(token, 1) for token in tokenize(text)], bos=2, eos=3) for text in texts]
try:
    torch.tensor(rows)
except ValueError:
    print("ValueError:", [len(row) for row in rows], "is no rectangle")

# %% [markdown] lang="en" name="ragged-text"
# A tensor is a box. So the short rows are filled up with PAD to the longest row of **this batch**; the next batch may be narrower.

# %% [markdown] lang="ko" name="ragged-text" of="fd6185fb"
# 텐서는 반듯한 상자여야 합니다. 그래서 짧은 행을 **이 배치에서** 가장 긴 행에 맞춰 PAD로 채웁니다. 다음 배치는 더 좁아도 됩니다.

# %% name="library-collate"
# from tutorial_lib.text: collate

# %% name="collated"
src = collate(rows, pad_id=0)  # src: [bs, sl]
plot.batch_grid(src, [[by_number[number] for number in row] for row in src.tolist()], pad_id=0)
plt.show()
src.shape, src.dtype

# %% [markdown] lang="en" name="collated-text"
# `[3, 6]`, and int64, as an embedding wants it. The third text is empty, and still a row: BOS, EOS, and nothing between.
#
# ### Break it: an empty batch without a frame
#
# `collate` takes care of one more thing. Without frames an empty text has no ids at all, and then PyTorch's own answer is treacherous:

# %% [markdown] lang="ko" name="collated-text" of="97064c88"
# 모양은 `[3, 6]`, 자료형은 임베딩이 원하는 int64입니다. 세 번째 텍스트는 비어 있지만 그래도 한 행입니다. BOS와 EOS가 있고 그 사이에 아무것도 없습니다.
#
# ### 일부러 망가뜨리기: 앞뒤 없는 빈 배치
#
# `collate`는 한 가지를 더 챙깁니다. 앞뒤를 붙이지 않으면 빈 텍스트에는 번호가 하나도 없는데, 이때 PyTorch의 답이 고약합니다.

# %% name="empty"
print(torch.tensor([[]]).shape, torch.tensor([[]]).dtype)
print(collate([[]], pad_id=0).shape, collate([[]], pad_id=0).dtype)

# %% [markdown] lang="en" name="empty-text"
# No column and floats, which fails much later and far away; against one PAD of the right type.
#
# ## 8. All in one class, and into the encoder
#
# You have seen each step. Here they are together, as they stand in the library: `build` numbers the tokens (the frequent ones first),
# `encode` and `decode` go there and back, `batch` makes the tensor, `save` and `load` keep the numbers, for a model is worthless without them.

# %% [markdown] lang="ko" name="empty-text" of="f85db54a"
# 하나는 열도 없고 실수형이라 한참 뒤 엉뚱한 곳에서 오류가 납니다. 다른 하나는 자료형이 맞는 PAD 하나입니다.
#
# ## 8. 클래스 하나로 모아서 인코더까지
#
# 모든 단계를 보았습니다. 이제 라이브러리에 있는 그대로 한데 모아 봅시다. `build`는 토큰에 번호를 매기고(자주 나오는 것부터),
# `encode`와 `decode`는 오가고, `batch`는 텐서를 만들고, `save`와 `load`는 번호를 보관합니다. 번호를 잃은 모델은 쓸모가 없기 때문입니다.

# %% name="library-vocab"
# from tutorial_lib.text: Vocab, _many, _name

# %% name="round-trip"
vocab = Vocab.build(training["ko"] + training["en"])
text = "나는 바다에서 책을 읽었다."
ids = vocab.encode(text)
print(len(vocab), ids)
print(vocab.decode(ids))

# %% [markdown] lang="en" name="round-trip-text"
# Everything comes back but the word it never met.
#
# A training loop wants its sentences in batches, in another order each time. A `DataLoader` deals them out, and `vocab.batch` is just
# the function that it needs to turn a handful of sentences into a tensor. **Guess first.** Do all batches have the same shape?

# %% [markdown] lang="ko" name="round-trip-text" of="462b9901"
# 처음 보는 단어 하나를 빼고는 모두 되돌아옵니다.
#
# 학습할 때는 문장을 매번 다른 순서로 섞어 배치로 나눕니다. 나눠 주는 일은 `DataLoader`가 하고, 문장 한 줌을 텐서로 바꾸는 함수로는
# `vocab.batch`가 제격입니다. **먼저 예상해 보세요.** 배치의 모양은 모두 같을까요?

# %% name="loader"
loader = DataLoader(training["ko"] + training["en"], batch_size=16, shuffle=True, collate_fn=vocab.batch)
for src in loader:
    print(list(src.shape))

# %% [markdown] lang="en" name="loader-text"
# Each batch is as wide as its longest sentence. `sl` is not a constant of your data, it belongs to the batch, and good code never
# writes it down as a number.
#
# One batch, and the road of lesson 00: ids in, `[bs, sl, hid_dim]` out.

# %% [markdown] lang="ko" name="loader-text" of="5f95d70e"
# 배치의 너비는 그 안에서 가장 긴 문장이 정합니다. `sl`은 데이터의 상수가 아니라 배치마다 다른 값이고, 그래서 좋은 코드는 이 값을 숫자로 적어 두지 않습니다.
#
# 배치 하나로 00강의 길을 다시 가 봅시다. 번호가 들어가고 `[bs, sl, hid_dim]`이 나옵니다.

# %% name="into-the-encoder"
src = vocab.batch(held_out["ko"][:3]).to(device())  # src: [bs, sl]
src_mask = padding_mask(src, pad_id=vocab.pad_id)  # src_mask: [bs, 1, 1, sl]
encoder = Encoder(input_dim=len(vocab), hid_dim=8, pf_dim=16, n_heads=2, n_layers=6).to(device())
trace_shapes(encoder, src, src_mask, sizes={"bs": src.size(0), "sl": src.size(1), "hid_dim": 8}).depth(1)

# %% [markdown] lang="en" name="summary"
# ## What you have now
#
# - Text is normalised (NFC), cut into tokens, numbered, framed with BOS and EOS, cut to length, and padded: `[bs, sl]`, int64.
# - Smaller tokens mean longer sentences and fewer unknown words. Korean needs them more, because particles multiply the forms of every noun.
# - The vocabulary is built on training sentences only, and knows an answer to every word: UNK.
# - Cut first, frame afterwards. The width belongs to the batch.
#
# Next comes *02 · The Transformer at a glance*, and then *03 · Embedding and positions*: how an id becomes a vector that knows its place.
#
# **To read on**: [Unicode normalisation forms](https://unicode.org/reports/tr15/) ·
# [byte pair encoding for words, Sennrich et al. 2016](https://arxiv.org/abs/1508.07909) · [`tokenizers`](https://huggingface.co/docs/tokenizers)

# %% [markdown] lang="ko" name="summary" of="95e10644"
# ## 정리
#
# - 텍스트는 정규화(NFC)하고, 토큰으로 자르고, 번호를 매기고, BOS와 EOS를 붙이고, 길이를 자르고, 채워서 `[bs, sl]` int64가 됩니다.
# - 토큰이 작을수록 문장은 길어지고 모르는 단어는 줄어듭니다. 조사 때문에 명사마다 꼴이 많은 한국어에는 작은 토큰이 더 필요합니다.
# - 어휘집은 학습용 문장만으로 만들고, 어떤 단어에도 답이 있어야 합니다. 모르면 UNK입니다.
# - 먼저 자르고 나중에 붙입니다. 너비는 배치마다 다릅니다.
#
# 다음은 *02 · 한눈에 보는 트랜스포머*이고, 이어서 *03 · 임베딩과 위치 인코딩*에서 번호가 자기 자리를 아는 벡터가 되는 과정을 봅니다.
#
# **더 읽을거리**: [유니코드 정규화](https://unicode.org/reports/tr15/) ·
# [단어를 위한 바이트 쌍 인코딩, Sennrich 외 2016](https://arxiv.org/abs/1508.07909) · [`tokenizers`](https://huggingface.co/docs/tokenizers)
