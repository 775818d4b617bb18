# ---
# jupyter:
#   jupytext:
#     formats: py:percent
#     cell_metadata_filter: lang,of,name,tags,-all
# ---

# %% [markdown] lang="en" name="title"
# # 01 · Text to tensor
#
# An encoder never sees a letter. It gets a table of whole numbers, `[bs, sl]`, and knows no more about the text than what is in that table:
# two words with the same number are the same word to it. In this lesson you make the table, in Korean and in English.
#
# **You will be able to**
#
# - cut a text into tokens in four ways, and say what you gain and lose with each;
# - say why cutting at spaces is not enough for Korean, and why two strings that look the same may differ;
# - number tokens, cut long sentences, pad short ones, and feed batches to an encoder.
#
# **Read first**: [00 · Start here](00_start_here.ipynb).
#
# **Time**: 70 minutes.
#
# <details><summary>For the classroom</summary>
#
# | Section | Minutes |
# |---|---|
# | 1 Where does a token end? | 8 |
# | 2 Why spaces are not enough in Korean | 7 |
# | 3 Let the data choose the pieces | 10 |
# | 4 Two strings that look the same | 6 |
# | 5 A number for every token | 9 |
# | 6 Too long: cut, but keep BOS and EOS | 8 |
# | 7 Too short: pad | 15 |
# | 8 All in one class, and into the encoder | 7 |
#
# Two questions to ask: *You want to search chat messages that are full of typos. Which of the four ways of cutting would you take?*
# *What would go wrong if the vocabulary were built on all the data, held-out sentences too?*
#
# </details>

# %% [markdown] lang="ko" name="title" of="dcd6b9e3"
# # 01 · 텍스트를 텐서로
#
# 인코더는 글자를 보지 않습니다. 정수로 된 표 `[bs, sl]`을 받고, 그 표에 적힌 것 말고는 텍스트에 대해 아무것도 모릅니다.
# 번호가 같은 두 단어는 인코더가 보기에 같은 단어입니다. 이 강의에서는 한국어와 영어 문장으로 그 표를 직접 만듭니다.
#
# **이 강의를 마치면**
#
# - 텍스트를 토큰으로 자르는 네 가지 방법을 알고, 방법마다 무엇을 얻고 무엇을 잃는지 말할 수 있습니다.
# - 한국어를 띄어쓰기로만 자르면 왜 부족한지, 똑같아 보이는 두 문자열이 왜 다를 수 있는지 설명할 수 있습니다.
# - 토큰에 번호를 매기고, 긴 문장은 자르고 짧은 문장은 채워서 인코더에 배치로 넣을 수 있습니다.
#
# **먼저 볼 것**: [00 · 여기서 시작](00_start_here.ipynb).
#
# **시간**: 70분.
#
# <details><summary>수업용 안내</summary>
#
# | 절 | 분 |
# |---|---|
# | 1 토큰은 어디서 끝날까? | 8 |
# | 2 한국어를 띄어쓰기로만 자르면 부족한 이유 | 7 |
# | 3 조각은 데이터에 맡기자 | 10 |
# | 4 똑같아 보이는 두 문자열 | 6 |
# | 5 모든 토큰에 번호를 | 9 |
# | 6 너무 길면: 자르되 BOS와 EOS는 지키기 | 8 |
# | 7 너무 짧으면: 채우기 | 15 |
# | 8 클래스 하나로 모아서 인코더까지 | 7 |
#
# 던져 볼 질문 두 가지: *오타가 많은 채팅 메시지 속을 검색하려면 네 가지 자르는 방법 가운데 무엇을 고를까요?*
# *평가용 문장까지 포함한 모든 데이터로 어휘집을 만들면 무엇이 잘못될까요?*
#
# </details>

# %% name="setup" tags=["setup"]

# %% name="imports" tags=["imports"]
import json
import operator
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
from tutorial_lib.text import BOS, EOS, PROBE, SPECIALS, _many, frame, tokenize

# %% [markdown] lang="en" name="levels"
# ## 1. Where does a token end?
#
# A token is a piece of text that gets one id. **Guess first.** How many tokens are there in
# "학교에 갔다. I don't mind 👍🏽"? (The Korean part says "I went to school.")

# %% [markdown] lang="ko" name="levels" of="2f5c6507"
# ## 1. 토큰은 어디서 끝날까?
#
# 토큰은 번호(id) 하나를 받는 텍스트 조각입니다. **먼저 예상해 보세요.**
# "학교에 갔다. I don't mind 👍🏽"는 토큰 몇 개일까요?

# %% name="three-levels"
sentence = "학교에 갔다. I don't mind 👍🏽"
levels = ["space", "word", "char"]
for level in levels:
    tokens = tokenize(sentence, level=level)
    print(f"{level:6}{len(tokens):3}", tokens)

# %% [markdown] lang="en" name="three-levels-text"
# It depends on how you cut.
#
# - `space` cuts at blanks. The full stop sticks to `갔다`, so `갔다.` and `갔다` are two different tokens with two different ids.
# - `word` sets punctuation apart, except for an apostrophe inside a word. This is what we use unless we say otherwise.
# - `char` takes every character alone: a letter in English, a syllable in Korean, each mark of punctuation.
#
# All three lose nothing but the blanks. Don't take that for granted.
#
# ### Break it: the pattern everybody writes first
#
# `\w+` means "letters, digits and underscores in a row". What is missing below?

# %% [markdown] lang="ko" name="three-levels-text" of="d9660c35"
# 자르는 방법에 따라 다릅니다.
#
# - `space`는 띄어쓰기에서 자릅니다. `갔다`에 마침표가 붙어 있어서 `갔다.`와 `갔다`는 번호가 다른 별개의 토큰이 됩니다.
# - `word`는 문장 부호를 따로 떼어 냅니다. 단어 안의 작은따옴표만 그대로 둡니다. 특별한 말이 없으면 이 방법을 씁니다.
# - `char`는 문자 하나하나로 자릅니다. 영어는 알파벳 하나, 한국어는 음절 하나, 문장 부호도 하나씩입니다.
#
# 셋 다 빈칸 말고는 아무것도 버리지 않습니다. 당연해 보이지만 그렇지 않습니다.
#
# ### 일부러 망가뜨리기: 누구나 처음에 쓰는 패턴
#
# `\w+`는 "이어진 글자, 숫자, 밑줄"이라는 뜻입니다. 아래 결과에서 사라진 것은 무엇일까요?

# %% name="naive-pattern"
re.findall(r"\w+", sentence)

# %% [markdown] lang="en" name="naive-pattern-text"
# The full stop, the apostrophe and the 👍🏽 are gone, and there was neither an error nor a warning. A review that ends in 👍🏽 or 👎
# has just lost its verdict.
#
# ### Long sentences cost
#
# To compare the three we need sentences. The library comes with forty in each language, about school, cats, rain and other everyday things. The last eight of each
# are set aside as **held-out** sentences: we pretend that they arrive tomorrow. The first 32 are the **training** sentences.
# **Guess first.** In which language do characters make longer sentences?

# %% [markdown] lang="ko" name="naive-pattern-text" of="ceb54250"
# 마침표와 작은따옴표와 👍🏽가 사라졌는데 오류도 경고도 나오지 않았습니다. 👍🏽나 👎로 끝나는 후기라면 방금 결론을 잃은 셈입니다.
#
# ### 긴 문장은 비쌉니다
#
# 세 방법을 비교하려면 문장이 더 필요합니다. 라이브러리에는 학교, 고양이, 비 같은 일상에 관한 문장이 언어마다 40개씩 들어 있습니다. 마지막 8개는
# 내일 처음 만날 문장이라고 치고 **평가용**으로 따로 두고, 앞의 32개를 **학습용**으로 씁니다.
# **먼저 예상해 보세요.** 문자로 자르면 어느 언어의 문장이 더 길까요?

# %% name="split"
training, held_out = {}, {}
for lang in ("ko", "en"):
    training[lang] = data.sentences(lang)[:32]
    held_out[lang] = data.sentences(lang)[32:]
training["ko"][0], training["en"][0]

# %% name="tokens-per-sentence"
names = {"ko": t(en="Korean", ko="한국어"), "en": t(en="English", ko="영어")}
cut_at = t(en="how the text is cut", ko="자르는 방법")
lengths = {}
for lang, name in names.items():
    counts = [sum(len(tokenize(text, level=level)) for text in training[lang]) for level in levels]
    lengths[name] = [count / len(training[lang]) for count in counts]

plot.bars(lengths, levels, xlabel=cut_at, ylabel=t(en="tokens per training sentence", ko="학습용 문장당 토큰 수"))
plt.show()

# %% [markdown] lang="en" name="tokens-per-sentence-text"
# In English, by far. A Korean syllable is a block of two or three letters, the *jamo* (한 is ㅎ, ㅏ and ㄴ; a double one such as ㄺ counts once),
# and the block counts as one character. These Korean sentences also have fewer words to begin with.
#
# Why does length matter? Attention compares every token with every token, itself included: twice the length, four times the comparisons.
# So why not always cut at spaces? That is the next question.
#
# ## 2. Why spaces are not enough in Korean
#
# Which tokens begin with 학교 (school), in the training sentences and in the held-out ones?

# %% [markdown] lang="ko" name="tokens-per-sentence-text" of="a150f0db"
# 영어가 훨씬 깁니다. 한국어 음절은 낱자 두세 개를 모은 것인데('한'은 ㅎ, ㅏ, ㄴ이고, ㄺ 같은 겹낱자는 하나로 칩니다) 문자 하나로 세기 때문입니다.
# 게다가 여기 있는 한국어 문장은 단어 수도 더 적습니다.
#
# 길이가 왜 중요할까요? 어텐션은 모든 토큰을 자기 자신을 포함한 모든 토큰과 견주므로, 길이가 두 배면 견주는 횟수는 네 배가 됩니다.
# 그렇다면 늘 띄어쓰기로 자르면 되지 않을까요? 바로 다음에 다룰 질문입니다.
#
# ## 2. 한국어를 띄어쓰기로만 자르면 부족한 이유
#
# 학습용 문장과 평가용 문장에서 '학교'로 시작하는 토큰은 무엇일까요?

# %% name="school-forms"
for texts in (training["ko"], held_out["ko"]):
    words = {token for text in texts for token in tokenize(text)}
    print(sorted(word for word in words if word.startswith("학교")))

# %% [markdown] lang="en" name="school-forms-text"
# One noun, and four tokens: 는 marks the topic, 를 the object, 에 means "to" and 에서 "at" or "from". Korean glues such a *particle* to its noun, and
# endings to its verbs: 읽었다 (read), 읽은 (that one has read). English has separate words for some of this ("to school") and word order for the rest,
# so `school` mostly stays `school`. And 학교에서, "from the school", comes up tomorrow for the first time.
#
# **Guess first.** What share of the tokens in tomorrow's sentences has never been seen in training? Say a number for Korean
# and one for English, cut at spaces.

# %% [markdown] lang="ko" name="school-forms-text" of="07c2fb4b"
# 명사 하나에 토큰이 네 개입니다. 는, 를, 에, 에서 같은 조사가 명사에 붙기 때문입니다. 동사와 형용사도 어미에 따라 '읽었다', '읽은'처럼 서로 다른 토큰이 됩니다.
# 영어는 이런 일을 전치사("to school")나 어순이 맡으므로 `school`은 대개 그대로 `school`입니다.
# 그리고 '학교에서'는 내일 처음 보게 됩니다.
#
# **먼저 예상해 보세요.** 띄어쓰기로 자르면, 내일 만날 문장의 토큰 가운데 학습할 때 한 번도 못 본 것은 한국어와 영어에서 각각 몇 퍼센트일까요?

# %% name="unknown-share"
unknown = {}
for lang, name in names.items():
    unknown[name] = []
    for level in levels:
        known = {token for text in training[lang] for token in tokenize(text, level=level)}
        tokens = [token for text in held_out[lang] for token in tokenize(text, level=level)]
        unknown[name].append(100 * sum(token not in known for token in tokens) / len(tokens))

plot.bars(unknown, levels, xlabel=cut_at, ylabel=t(en="% of held-out tokens unknown", ko="모르는 평가용 토큰 (%)"))
plt.show()

# %% [markdown] lang="en" name="unknown-share-text"
# Cut at spaces, 72 % of the Korean tokens are unknown, and 22 % of the English. Setting punctuation apart lowers the share, mostly because the full stop
# is a token that every text knows. With characters it is 9 % and a bar too small to see, but a lone character means little, and the sentences get long.
# (Eight sentences are few. Look at which bar is higher, not at the decimals.)
#
# What are these unknown tokens? Here are the Korean ones, cut at `word`.

# %% [markdown] lang="ko" name="unknown-share-text" of="f7ff26f8"
# 띄어쓰기로 자르면 한국어 토큰의 72%, 영어 토큰의 22%를 모릅니다. 문장 부호를 떼면 비율이 조금 낮아지는데, 어느 텍스트에나 있는 마침표가 토큰으로 세어지기 때문입니다.
# 문자로 자르면 한국어는 9%, 영어는 막대가 보이지 않을 만큼 줄지만, 문자 하나에는 뜻이 별로 없고 문장이 길어집니다.
# (문장이 8개뿐이니 소수점보다는 어느 막대가 높은지를 보세요.)
#
# 모르는 토큰은 어떤 것들일까요? `word`로 자른 한국어 토큰을 봅시다.

# %% name="unknown-tokens"
known = {token for text in training["ko"] for token in tokenize(text)}
print(sorted({token for text in held_out["ko"] for token in tokenize(text)} - known))

# %% [markdown] lang="en" name="unknown-tokens-text"
# Some are new words, such as 빌렸다 (borrowed). Others are not: 버스는, 친구는, 집에 and 엄마에게 are nouns that training knows (bus, friend, home, mother) with another
# particle, 우산 (umbrella) is one without any, and 읽어 is the verb "read" with another ending. It would be good to have such parts as tokens of their own.
#
# ## 3. Let the data choose the pieces
#
# **Subwords** come close to that: pieces mostly between a character and a word in size, which come from counting alone.
# Start with characters; find the pair of neighbours that occurs most often; glue it into one piece; repeat.
# The recipe is called *byte pair encoding* (BPE), after a method of compression that did this with bytes.
#
# **Guess first.** Nobody tells it about grammar. Will the most frequent pair in the Korean training sentences belong to a noun, to a particle, or to the end of
# the sentence? (We write ▁ for the beginning of a word.)

# %% [markdown] lang="ko" name="unknown-tokens-text" of="ef697cd1"
# '빌렸다'처럼 정말 새로운 단어도 있습니다. 하지만 '버스는', '친구는', '집에', '엄마에게'는 학습할 때 본 명사에 다른 조사가 붙은 것이고,
# '우산'은 조사가 빠진 것, '읽어'는 어미가 다른 것입니다. 이런 부분들을 따로따로 토큰으로 만들 수 있으면 좋겠습니다.
#
# ## 3. 조각은 데이터에 맡기자
#
# 여기에 가까운 것이 **서브워드**입니다. 대체로 문자보다 크고 단어보다 작은 조각이고, 얼마나 자주 나오는지 세어서 정합니다.
# 문자에서 시작해서, 가장 자주 붙어 나오는 이웃 한 쌍을 찾아 한 조각으로 붙이고, 이것을 되풀이합니다.
# 이 방법을 바이트 쌍 인코딩(BPE)이라고 합니다. 원래 바이트로 하던 압축 방법에서 온 이름입니다.
#
# **먼저 예상해 보세요.** 문법은 아무도 알려 주지 않습니다. 학습용 한국어 문장에서 가장 자주 나오는 쌍은 명사에 있을까요, 조사에 있을까요, 문장 끝에 있을까요?
# (단어의 시작은 ▁로 표시합니다.)

# %% name="pairs"
pairs = Counter()
for text in training["ko"]:
    for word in text.split():
        pairs.update(zip("▁" + word, word))
pairs.most_common(3)

# %% [markdown] lang="en" name="pairs-text"
# At the end: 다 and the full stop, with which these sentences close. Then 었 of the past tense before 다, then the particle 에서. Counting often finds grammar.
#
# We do not write the rest ourselves: the library `tokenizers` does it well. We ask for 200 pieces. What did it glue together?

# %% [markdown] lang="ko" name="pairs-text" of="0483ea22"
# 문장 끝입니다. 여기 있는 문장은 대개 '다'와 마침표로 끝납니다. 그다음은 과거를 나타내는 '었'에 '다'가 이어진 쌍, 그다음은 조사 '에서'입니다. 세기만 해도 문법이 보일 때가 많습니다.
#
# 나머지는 직접 짜지 않겠습니다. `tokenizers` 라이브러리가 잘해 줍니다. 조각을 200개 달라고 해 봅시다. 무엇을 붙였을까요?


# %% name="train-subwords"
def train_subwords(texts, size):
    subwords = Tokenizer(models.BPE(unk_token="<UNK>"))
    subwords.normalizer = normalizers.NFC()  # see section 4
    subwords.pre_tokenizer = pre_tokenizers.Metaspace()  # cuts at blanks and marks the beginning of a word with ▁
    trainer = trainers.BpeTrainer(vocab_size=size, special_tokens=["<UNK>"], show_progress=False)
    subwords.train_from_iterator(texts, trainer)
    return subwords


subwords = {lang: train_subwords(training[lang], size=200) for lang in ("ko", "en")}
pieces = sorted(subwords["ko"].get_vocab(), key=subwords["ko"].token_to_id)
print(sum(len(piece) == 1 for piece in pieces), [piece for piece in pieces if len(piece.strip("▁")) > 1][1:20])

# %% [markdown] lang="en" name="train-subwords-text"
# 130 of the 200 are the single characters that it has seen, so that it can always fall back on them. Among the first merges are 었다. (with its full stop, because 다. was glued
# before), 에서, and the nouns 고양이 (cat), 문제 (problem), 버스 (bus), 친구 (friend) and 학교 (school), each without its particle. There are also fragments without
# any meaning, such as 침에. How does it cut one of tomorrow's sentences, "친구는 학교에서 책을 빌렸다." (My friend borrowed a book from the school.)?

# %% [markdown] lang="ko" name="train-subwords-text" of="961f638f"
# 200개 가운데 130개는 학습할 때 본 문자 하나짜리입니다. 언제든 문자로 돌아갈 수 있게 남겨 둔 것입니다. 먼저 붙은 조각에는 '었다.'('다.'가 먼저 붙어서 마침표까지 있습니다), '에서'와 함께
# '고양이', '문제', '버스', '친구', '학교'가 조사 없이 들어 있습니다. '침에'처럼 아무 뜻도 없는 조각도 있습니다.
# 내일 만날 문장 "친구는 학교에서 책을 빌렸다."는 어떻게 자를까요?

# %% name="cut-subwords"
print(subwords["ko"].encode(held_out["ko"][0]).tokens)

# %% [markdown] lang="en" name="cut-subwords-text"
# 친구 + 는 and 학교 + 에서: two words that were unknown before, cut into a noun and a particle that are not. Only 빌 became `<UNK>` (*unknown*), a syllable that
# training never had. Many large tokenizers, as such tools are called, avoid even that: they cut an unknown character into bytes, and have all 256 of them in their list.
#
# Now all four ways side by side. First length, then what is unknown.

# %% [markdown] lang="ko" name="cut-subwords-text" of="fe71ed95"
# 친구 + 는, 학교 + 에서. 모르던 두 단어를 아는 명사와 아는 조사로 나누어 냈습니다. '빌'만 `<UNK>`(unknown), 곧 모르는 토큰이 되었습니다. 학습할 때
# 한 번도 나오지 않은 음절이기 때문입니다. 이런 도구를 토크나이저라고 하는데, 큰 토크나이저 가운데는 이것마저 피하는 것이 많습니다. 모르는 문자를 바이트로 쪼개고, 256가지 바이트를 모두 목록에 넣어 둡니다.
#
# 네 방법을 나란히 놓아 봅시다. 먼저 길이, 그다음은 모르는 토큰입니다.

# %% name="four-ways"
four = [*levels, "subword"]
long = {}
for lang, name in names.items():
    cut = [subwords[lang].encode(text).tokens for text in held_out[lang]]
    total = sum(map(len, cut))
    long[name] = [sum(len(tokenize(x, level=level)) for x in held_out[lang]) / 8 for level in levels] + [total / 8]
    unknown[name] = unknown[name][:3] + [100 * sum(row.count("<UNK>") for row in cut) / total]

plot.bars(long, four, xlabel=cut_at, ylabel=t(en="tokens per held-out sentence", ko="평가용 문장당 토큰 수"))
plot.bars(unknown, four, xlabel=cut_at, ylabel=t(en="% of held-out tokens unknown", ko="모르는 평가용 토큰 (%)"))
plt.show()

# %% [markdown] lang="en" name="four-ways-text"
# In English, subwords make sentences less than half as long as characters do. In Korean the gain is small here, 10.6 tokens per sentence in place of 12.2,
# because single characters take 130 of the 200 pieces and leave little room for merges. The unknown tokens are the same few in both, only among fewer tokens in all.
# With more text and more room there are more pieces worth having, and nearly every large language model is built on subwords. In part III we come back to them.
# Until then we cut at `word`, because its tokens are the easiest to read.
#
# ## 4. Two strings that look the same
#
# **Guess first.** `one` and `two` below both show 한국어 (the Korean language) on your screen. What does Python return for `one == two`?

# %% [markdown] lang="ko" name="four-ways-text" of="0b5cacf3"
# 영어에서는 서브워드로 자르면 문장이 문자로 잘랐을 때의 절반보다 짧아집니다. 한국어에서는 문장당 12.2개가 10.6개로 조금 줄 뿐입니다.
# 조각 200개 가운데 130개를 문자가 차지해서 붙인 조각이 들어갈 자리가 적기 때문입니다. 모르는 토큰은 둘이 똑같고, 전체 토큰 수가 줄어 비율만 조금 올랐습니다.
# 텍스트와 자리가 늘면 쓸 만한 조각도 많아지고, 큰 언어 모델은 거의 모두 서브워드를 씁니다. 3부에서 다시 만납니다.
# 그때까지는 토큰을 읽기 쉬운 `word`로 자르겠습니다.
#
# ## 4. 똑같아 보이는 두 문자열
#
# **먼저 예상해 보세요.** 아래의 `one`과 `two`는 화면에서 둘 다 '한국어'로 보입니다. 파이썬은 `one == two`에 뭐라고 답할까요?

# %% name="two-strings"
one = "한국어"
two = unicodedata.normalize("NFD", one)
print(one, two)
print(one == two, len(one), len(two))

# %% [markdown] lang="en" name="two-strings-text"
# False. A *code point* is a number that Unicode gives to a character, and Korean can be written in two ways. *Composed* (NFC),
# each syllable is one code point. *Decomposed* (NFD), each of its letters is one, and your screen puts them together again.
# File names that come from a Mac, for example, are often decomposed. In the picture each cell is a code point, with its number below; grey means nothing there.

# %% [markdown] lang="ko" name="two-strings-text" of="b66726dc"
# False입니다. 유니코드가 문자에 매긴 번호를 코드 포인트라고 하는데, 같은 한글을 두 가지 코드 포인트 열로 적을 수 있습니다. **음절로 모은 꼴**(NFC)은
# 음절 하나가 코드 포인트 하나이고, **낱자로 나눈 꼴**(NFD)은 낱자 하나가 코드 포인트 하나입니다. 나눈 꼴도 화면은 다시 모아서 보여 줍니다.
# 맥에서 만든 파일 이름이 다른 컴퓨터에서 'ㅎㅏㄴㄱㅡㄹ'처럼 풀려 보일 때가 있는데, 나눈 꼴이기 때문입니다.
# 그림의 칸 하나가 코드 포인트 하나이고, 아래가 그 번호입니다. 회색은 빈자리입니다.

# %% name="code-points"
points = [[ord(char) for char in text] for text in (one, two)]
table = torch.tensor([points[0] + [0] * 5, points[1]])
ax = plot.batch_grid(table, [[*one, *"     "], [*two]], pad_id=0)
ax.set_yticklabels(["NFC", "NFD"])
ax.set(xlabel=t(en="place in the string →", ko="문자열 안의 자리 →"), ylabel="")
plt.show()

# %% [markdown] lang="en" name="code-points-text"
# Three code points against eight, and none in common. (Even the two ㄱ of the lower row differ: one begins a syllable, the other ends one.)
# Different strings are different tokens, so they would get different ids, or one would be unknown, and nothing would warn you.
# So we compose first of all:

# %% [markdown] lang="ko" name="code-points-text" of="213117d3"
# 코드 포인트가 세 개와 여덟 개이고, 겹치는 것은 하나도 없습니다. (아랫줄의 두 ㄱ도 서로 다릅니다. 하나는 음절의 첫소리, 하나는 받침입니다.)
# 문자열이 다르면 토큰도 달라서 서로 다른 번호를 받거나, 한쪽은 모르는 토큰이 됩니다. 경고는 나오지 않습니다.
# 그래서 무엇보다 먼저 모은 꼴로 바꿉니다.

# %% name="normalize"
unicodedata.normalize("NFC", two) == one, tokenize(two) == tokenize(one)

# %% [markdown] lang="en" name="normalize-text"
# `tokenize` has done this for you all along. Here it is in full, word for word from the library. `\X` in the patterns means "one character as
# a reader sees it": it keeps 👍🏽, which is two code points, in one piece. Python's own `re` does not know it, so we use the package `regex`.
# (`EMOJI` sets an emoji such as 1️⃣ apart from a word beside it.)

# %% [markdown] lang="ko" name="normalize-text" of="ab5c802e"
# 지금까지 `tokenize`가 이 일을 알아서 했습니다. 라이브러리의 코드를 그대로 옮기면 다음과 같습니다. 패턴의 `\X`는 "읽는 사람 눈에 보이는 문자 하나"라는 뜻이라,
# 코드 포인트가 두 개인 👍🏽도 쪼개지 않습니다. 파이썬의 `re`는 이것을 모르므로 `regex` 패키지를 씁니다.
# (`EMOJI`는 1️⃣ 같은 이모지를 옆에 붙은 단어에서 떼어 냅니다.)

# %% name="library-tokenize"
# from tutorial_lib.text: EMOJI, LEVELS, normalize, tokenize

# %% [markdown] lang="en" name="numbers"
# ## 5. A number for every token
#
# Go through the training sentences and give each new token the next free number. The resulting dictionary is called a **vocabulary**.
# Its first four numbers are taken by **special tokens**: `<PAD>` for padding, `<UNK>` for everything unknown, `<BOS>` and `<EOS>`
# for the beginning and the end of a sentence.

# %% [markdown] lang="ko" name="numbers" of="1a2f56d6"
# ## 5. 모든 토큰에 번호를
#
# 학습용 문장을 차례로 읽으면서, 새 토큰이 나올 때마다 다음 번호를 줍니다. 이렇게 만든 사전을 **어휘집**(vocabulary)이라고 합니다.
# 처음 네 번호는 **특수 토큰**의 자리입니다. `<PAD>`는 패딩, `<UNK>`는 모르는 토큰, `<BOS>`와 `<EOS>`는 문장의 시작과 끝입니다.

# %% name="korbow"
korbow = {"<PAD>": 0, "<UNK>": 1, "<BOS>": 2, "<EOS>": 3}
for text in training["ko"]:
    for token in tokenize(text):
        korbow.setdefault(token, len(korbow))
len(korbow.keys())

# %% [markdown] lang="en" name="korbow-text"
# (`korbow` is post B's name for this dictionary, presumably for a Korean bag of words. Its encoder begins with `input_dim = len(korbow.keys())`,
# the number of different ids that it must be ready for.)
#
# From tokens to ids, and back:

# %% [markdown] lang="ko" name="korbow-text" of="23fa4a7a"
# (`korbow`는 글 B가 이 사전에 붙인 이름입니다. Korean bag of words를 줄인 말로 보입니다. 글 B의 인코더는 `input_dim = len(korbow.keys())`로 시작하는데,
# 서로 다른 번호를 몇 개까지 받을지 정하는 값입니다.)
#
# 토큰을 번호로, 번호를 다시 토큰으로 바꿔 봅시다.

# %% name="to-ids"
ids = [korbow[token] for token in tokenize("나는 도서관에서 책을 읽었다.")]
by_number = {number: token for token, number in korbow.items()}
print(ids)
print([by_number[number] for number in ids])

# %% [markdown] lang="en" name="unknown-text"
# Every token of this sentence is known. And 바다에서, "by the sea", which training never had? `korbow["바다에서"]` would stop with a KeyError.
# A vocabulary must have an answer for everything:

# %% [markdown] lang="ko" name="unknown-text" of="414ce709"
# 이 문장의 토큰은 모두 아는 것입니다. 학습할 때 없던 '바다에서'는 어떻게 할까요? `korbow["바다에서"]`는 KeyError로 멈춥니다. 어휘집은 무엇을 물어도 답할 수 있어야 합니다.

# %% name="unknown"
[korbow.get(token, korbow["<UNK>"]) for token in tokenize("나는 바다에서 책을 읽었다.")]

# %% [markdown] lang="en" name="leak-text"
# The 1 says: there was a word here, and I do not know which.
#
# ### Break it: a vocabulary that has seen the held-out sentences
#
# Why build it on the training sentences only? All forty would leave fewer words unknown. **Guess first.** What share of the held-out
# tokens is unknown then?

# %% [markdown] lang="ko" name="leak-text" of="794b2d94"
# 1은 "여기에 단어가 있었지만 무엇인지 모른다"라는 뜻입니다.
#
# ### 일부러 망가뜨리기: 평가용 문장을 미리 본 어휘집
#
# 왜 학습용 문장만으로 만들까요? 40개를 다 쓰면 모르는 단어가 줄어들지 않을까요? **먼저 예상해 보세요.** 그러면 평가용 토큰 가운데 모르는 것은 몇 퍼센트일까요?

# %% name="leak"
shares = {}
for lang, name in names.items():
    tokens = [token for text in held_out[lang] for token in tokenize(text)]
    shares[name] = []
    for seen in (training[lang], data.sentences(lang)):
        known = {token for text in seen for token in tokenize(text)}
        shares[name].append(100 * sum(token not in known for token in tokens) / len(tokens))

built_on = [t(en="training", ko="학습용"), t(en="all", ko="전체")]
plot.bars(
    shares,
    built_on,
    xlabel=t(en="sentences the vocabulary is built on", ko="어휘집을 만든 문장"),
    ylabel=t(en="% of held-out tokens unknown", ko="모르는 평가용 토큰 (%)"),
)
plt.show()

# %% [markdown] lang="en" name="leak-answer"
# None at all, and the number is worthless: the vocabulary has seen these very sentences. With sentences that are really new you will meet about what the two bars on
# the left show, 60 % and 16 %. Nor would it help the model, since nothing is ever learned about a token that does not occur in training.
#
# ## 6. Too long: cut, but keep BOS and EOS
#
# Our encoder has a maximum length, `max_len` (the length of its table of positions, lesson 03), so a sentence that is too long must be cut.
# It also gets `<BOS>` and `<EOS>`. **Guess first.** Which comes first, cutting or adding them? Here are both orders, for the five tokens
# of "나는 친구와 영화를 보았다." (I watched a movie with a friend.) and a `max_len` of 5.

# %% [markdown] lang="ko" name="leak-answer" of="0099b24d"
# 하나도 없습니다. 하지만 이 숫자는 쓸모가 없습니다. 어휘집이 바로 그 문장들을 미리 보았기 때문입니다. 정말 새로운 문장에서 실제로 나올 값은 왼쪽의 두 막대,
# 60%와 16% 근처입니다. 모델에도 도움이 되지 않습니다. 학습용 문장에 나오지 않는 토큰에 대해서는 배울 수 있는 것이 없습니다.
#
# ## 6. 너무 길면: 자르되 BOS와 EOS는 지키기
#
# 우리 인코더에는 최대 길이 `max_len`이 있습니다(위치 표의 길이이고, 03강에서 봅니다). 그래서 너무 긴 문장은 잘라야 하고, `<BOS>`와 `<EOS>`도 붙여야 합니다.
# **먼저 예상해 보세요.** 자르기와 붙이기 가운데 무엇을 먼저 해야 할까요? "나는 친구와 영화를 보았다."의 토큰 다섯 개에
# `max_len` 5로 두 순서를 다 해 보겠습니다.

# %% name="two-orders"
tokens = tokenize("나는 친구와 영화를 보았다.")
add_first = [BOS, *tokens, EOS][:5]
cut_first = frame(tokens, max_len=5)  # the library's function, shown below

rows = torch.tensor([[korbow[token] for token in row] for row in (add_first, cut_first)])
ax = plot.batch_grid(rows, [add_first, cut_first], pad_id=0)
ax.set_yticklabels([t(en="add, then cut", ko="붙이고 자르기"), t(en="cut, then add", ko="자르고 붙이기")])
ax.set(ylabel="")
plt.show()

# %% [markdown] lang="en" name="exercise-cut-text" tags=["exercise"]
# In the upper row `<EOS>` is gone. If every training sentence ended with `<EOS>`, this is an input unlike any that the model has learned from.
# Both rows have the right length, so the shape does not reveal the mistake. Cut first, then add.
#
# ### Your turn · easy · about 5 minutes
#
# Write the lower row's way for ids: `cut_and_frame(ids, max_len)` returns a list of at most `max_len` ids, with 2 (BOS) first and 3 (EOS) last,
# and keeps the beginning of the sentence. `max_len` is at least 2.
#
# <details><summary>Hint 1</summary>How many ids fit between BOS and EOS?</details>
# <details><summary>Hint 2</summary>Cut first, with a slice. Then build the list around what is left.</details>

# %% [markdown] lang="ko" name="exercise-cut-text" of="c934d056" tags=["exercise"]
# 윗줄에는 `<EOS>`가 없습니다. 학습용 문장이 모두 `<EOS>`로 끝났다면, 윗줄은 모델이 한 번도 본 적 없는 꼴의 입력입니다.
# 두 줄 모두 길이는 맞으니 모양만 보아서는 알 수 없습니다. 먼저 자르고 나중에 붙입니다.
#
# ### 직접 해 보기 · 쉬움 · 약 5분
#
# 아랫줄의 방법을 번호 리스트에 쓰는 함수를 만들어 보세요. `cut_and_frame(ids, max_len)`은 BOS와 EOS까지 합친 길이가 `max_len`을 넘지 않도록
# 문장의 앞부분만 남기고, 맨 앞에 2(BOS), 맨 뒤에 3(EOS)을 붙인 리스트를 돌려줍니다. `max_len`은 2 이상입니다.
#
# <details><summary>힌트 1</summary>BOS와 EOS 사이에 번호가 몇 개 들어갈까요?</details>
# <details><summary>힌트 2</summary>먼저 슬라이스로 자르고, 남은 것의 앞과 뒤에 붙이세요.</details>


# %% name="exercise-cut" tags=["exercise"]
def cut_and_frame(ids, max_len):
    # your turn
    ...


check.cut_and_frame(cut_and_frame)


# %% name="solution-cut" tags=["solution"]
def cut_and_frame(ids, max_len):
    return [2, *ids[: max_len - 2], 3]


check.cut_and_frame(cut_and_frame)

# %% [markdown] lang="en" name="frame-text"
# The library's function takes tokens or ids, and refuses a `max_len` that leaves no room for the two:

# %% [markdown] lang="ko" name="frame-text" of="5a465bc7"
# 라이브러리의 함수는 토큰과 번호를 모두 받고, 둘을 붙일 자리조차 없는 `max_len`은 거절합니다.

# %% name="library-frame"
# from tutorial_lib.text: frame

# %% [markdown] lang="en" name="pad"
# ## 7. Too short: pad
#
# Three texts, three lengths: "The rain stopped in the evening." and "The cat sleeps." in Korean, and an empty one, as real data sometimes has.
# **Guess first.** What does `torch.tensor` make of them?

# %% [markdown] lang="ko" name="pad" of="877644bd"
# ## 7. 너무 짧으면: 채우기
#
# 텍스트 세 개의 길이가 제각각입니다. 마지막 것은 실제 데이터에 가끔 있는 빈 텍스트입니다.
# **먼저 예상해 보세요.** `torch.tensor`에 넣으면 어떻게 될까요?

# %% name="ragged"
texts = ["비는 저녁에 그쳤다.", "고양이가 잔다.", ""]
rows = [frame([korbow.get(token, 1) for token in tokenize(text)], bos=2, eos=3) for text in texts]
try:
    torch.tensor(rows)
except ValueError as error:
    print(error)

# %% [markdown] lang="en" name="ragged-text"
# An error, for once a loud one: a tensor is a box. So the short rows are padded with `<PAD>` to the longest row **of this batch**.

# %% [markdown] lang="ko" name="ragged-text" of="b134ac2e"
# 이번에는 조용하지 않고 오류가 납니다. 텐서는 반듯한 상자여야 합니다. 그래서 짧은 행을 **이 배치에서** 가장 긴 행에 맞춰 `<PAD>`로 채웁니다.

# %% [markdown] lang="en" name="exercise-pad-text" tags=["exercise"]
# ### Your turn · a stretch · about 8 minutes
#
# `pad_rows(rows, pad_id)` turns lists of ids into an int64 tensor `[bs, sl]`: `sl` is the length of the longest row, and the padding stands at the end.
# Rows without BOS and EOS may be empty, even all of them; then `sl` is 1 (why, we see right after).
#
# <details><summary>Hint 1</summary>How wide is the batch? As wide as its longest row, and at least 1.</details>
# <details><summary>Hint 2</summary><code>row + [pad_id] * n</code> makes a row longer by n.</details>

# %% [markdown] lang="ko" name="exercise-pad-text" of="98b953b5" tags=["exercise"]
# ### 직접 해 보기 · 도전 · 약 8분
#
# `pad_rows(rows, pad_id)`는 번호 리스트 여러 개를 int64 텐서 `[bs, sl]`로 바꿉니다. `sl`은 가장 긴 행의 길이이고, 패딩은 뒤에 붙입니다.
# BOS와 EOS를 붙이지 않았다면 빈 행도 있을 수 있습니다. 행이 모두 비어 있으면 `sl`은 1로 합니다(까닭은 바로 뒤에서 봅니다).
#
# <details><summary>힌트 1</summary>배치의 너비는 얼마일까요? 가장 긴 행만큼이고, 적어도 1입니다.</details>
# <details><summary>힌트 2</summary><code>row + [pad_id] * n</code>은 행을 n자리만큼 늘립니다.</details>


# %% name="exercise-pad" tags=["exercise"]
def pad_rows(rows, pad_id):
    # your turn
    ...


check.pad_rows(pad_rows)


# %% name="solution-pad" tags=["solution"]
def pad_rows(rows, pad_id):
    sl = max([1, *map(len, rows)])
    return torch.tensor([row + [pad_id] * (sl - len(row)) for row in rows])  # [bs, sl]


check.pad_rows(pad_rows)

# %% [markdown] lang="en" name="collate-text"
# The library calls this function `collate`, as PyTorch does.

# %% [markdown] lang="ko" name="collate-text" of="71bf4094"
# 라이브러리에서는 이 함수를 PyTorch의 용어를 따라 `collate`라고 부릅니다.

# %% name="library-collate"
# from tutorial_lib.text: collate

# %% name="collated"
src = collate(rows, pad_id=0)  # src: [bs, sl]
plot.batch_grid(src, [[by_number[number] for number in row] for row in src.tolist()], pad_id=0)
plt.show()
src.shape, src.dtype

# %% [markdown] lang="en" name="collated-text"
# `[3, 6]`, and whole numbers (int64), which an embedding needs. The empty text is a row too: BOS, EOS, and padding.
#
# ### Break it: a text without a single token
#
# Had we left out BOS and EOS, the empty text would have no ids at all. PyTorch and `collate` make different things of that:

# %% [markdown] lang="ko" name="collated-text" of="4c50d7c7"
# 모양은 `[3, 6]`, 자료형은 임베딩에 필요한 정수(int64)입니다. 빈 텍스트도 BOS와 EOS와 패딩으로 된 한 행이 되었습니다.
#
# ### 일부러 망가뜨리기: 토큰이 하나도 없는 텍스트
#
# BOS와 EOS를 붙이지 않았다면 빈 텍스트에는 번호가 하나도 없습니다. 이때 PyTorch와 `collate`의 결과가 다릅니다.

# %% name="empty"
print(torch.tensor([[]]).shape, torch.tensor([[]]).dtype)
print(collate([[]], pad_id=0).shape, collate([[]], pad_id=0).dtype)

# %% [markdown] lang="en" name="empty-text"
# PyTorch makes a tensor without columns, of floats, and the embedding will refuse it with an error that speaks of types and not of an empty text.
# `collate` makes a row with one `<PAD>`, which the encoder can take (what it does where every token is padding is a story for lesson 06).
#
# ## 8. All in one class, and into the encoder
#
# You have seen each step. Here they are together, word for word from the library: `build` numbers the tokens, this time the frequent ones first;
# `encode` and `decode` turn text into ids and ids back into tokens; `batch` makes the tensor; `save` and `load` keep the tokens and their order in a file,
# because a trained model is useless without them. Read `encode` closely and skim the rest.

# %% [markdown] lang="ko" name="empty-text" of="ae77e8f8"
# PyTorch가 만든 텐서는 열이 없고 실수형입니다. 임베딩이 거절하지만, 오류 메시지는 자료형 이야기뿐이고 텍스트가 비었다는 말은 없습니다.
# `collate`는 `<PAD>` 하나짜리 행을 만들고, 인코더는 이것을 받을 수 있습니다(모든 토큰이 패딩이면 어떻게 되는지는 06강에서 봅니다).
#
# ## 8. 클래스 하나로 모아서 인코더까지
#
# 모든 단계를 보았습니다. 라이브러리의 코드를 그대로 옮기면 다음과 같습니다. `build`는 토큰에 번호를 매기는데, 이번에는 자주 나오는 것부터 매깁니다.
# `encode`와 `decode`는 텍스트와 번호를 서로 바꿔 주고, `batch`는 텐서를 만듭니다. `save`와 `load`는 토큰과 그 순서를 파일에 보관합니다. 이것을 잃어버리면
# 학습한 모델도 쓸 수 없기 때문입니다. `encode`만 자세히 읽고 나머지는 훑어보아도 됩니다.

# %% name="library-vocab"
# from tutorial_lib.text: Vocab

# %% name="round-trip"
vocab = Vocab.build(training["ko"] + training["en"])
text = "나는 바다에서 책을 읽었다."
ids = vocab.encode(text)
print(len(vocab), ids)
print(vocab.decode(ids))

# %% [markdown] lang="en" name="round-trip-text"
# Every token of the text comes back but the one it never met; `decode` leaves out BOS, EOS and PAD. (The ids differ from those of section 5: both languages are in now, and frequent tokens come first.)
#
# A training loop wants its sentences in batches, in a different order each time. A `DataLoader` deals them out, and `vocab.batch` is the
# function that it needs to turn a handful of sentences into a tensor. **Guess first.** Do all batches have the same shape?

# %% [markdown] lang="ko" name="round-trip-text" of="e3c179c1"
# 처음 보는 토큰 하나를 빼고는 모두 되돌아옵니다. `decode`는 BOS, EOS, PAD를 빼고 돌려줍니다. (번호가 5절과 다른 것은 두 언어를 함께 넣었고 자주 나오는 토큰부터 매겼기 때문입니다.)
#
# 학습할 때는 문장을 매번 다른 순서로 섞어 배치로 나눕니다. 나눠 주는 일은 `DataLoader`가 하고, 문장 묶음을 텐서로 바꾸는 일은
# `vocab.batch`에 맡깁니다. **먼저 예상해 보세요.** 배치의 모양은 모두 같을까요?

# %% name="loader"
texts = training["ko"] + training["en"]
by_length = sorted(texts, key=lambda text: len(tokenize(text)))
shuffled_batches = list(DataLoader(texts, batch_size=16, shuffle=True, collate_fn=vocab.batch))
sorted_batches = list(DataLoader(by_length, batch_size=16, collate_fn=vocab.batch))
print([list(src.shape) for src in shuffled_batches])
print([list(src.shape) for src in sorted_batches])

# %% [markdown] lang="en" name="loader-text"
# No: each batch is as wide as its longest sentence. `sl` is not one number for all your data, each batch has its own, and good code never
# writes it down. The second line comes from sentences sorted by length. How much of each batch is padding?

# %% [markdown] lang="ko" name="loader-text" of="71f5db63"
# 아닙니다. 배치의 너비는 그 안에서 가장 긴 문장이 정합니다. `sl`은 데이터 전체에 하나로 정해진 값이 아니라 배치마다 다른 값이고, 그래서 좋은 코드는 이 값을 숫자로 적어 두지 않습니다.
# 둘째 줄은 문장을 길이순으로 늘어놓고 나눈 것입니다. 배치마다 패딩이 얼마나 될까요?

# %% name="padding-share"
both = {t(en="shuffled", ko="섞은 순서"): shuffled_batches, t(en="by length", ko="길이순"): sorted_batches}
shares = {name: [100 * (src == 0).float().mean().item() for src in batches] for name, batches in both.items()}
plot.bars(
    shares,
    list("1234"),
    xlabel=t(en="batch", ko="배치"),
    ylabel=t(en="% of places that are padding", ko="패딩인 자리 (%)"),
)
plt.show()

# %% [markdown] lang="en" name="padding-share-text"
# Of the shuffled batches 19 % to 38 % is padding, which is computed and thrown away. Sorted by length it is 9 % to 20 %, but then the batches are
# the same every time, and training does better with a new mix. (Lesson 15 finds a middle way.)
#
# Last, three of tomorrow's sentences go into an encoder, as in lesson 00:

# %% [markdown] lang="ko" name="padding-share-text" of="ad20affc"
# 섞은 배치는 19%에서 38%가 패딩이고, 패딩은 계산해 놓고 버립니다. 길이순으로 모으면 9%에서 20%입니다. 하지만 그러면 배치가 매번 똑같은데,
# 학습에는 매번 새로 섞는 편이 낫습니다. (15강에서 그 중간을 찾습니다.)
#
# 마지막으로, 내일 만날 문장 세 개를 00강처럼 인코더에 넣어 봅시다.

# %% name="into-the-encoder"
src = vocab.batch(held_out["ko"][:3]).to(device())  # src: [bs, sl]
src_mask = padding_mask(src, pad_id=vocab.pad_id)  # src_mask: [bs, 1, 1, sl]
encoder = Encoder(input_dim=len(vocab), hid_dim=12, pf_dim=24, n_heads=3, n_layers=6).to(device())
with torch.no_grad():
    out = encoder.eval()(src, src_mask)  # out: [bs, sl, hid_dim]
src.shape, out.shape

# %% [markdown] lang="en" name="summary"
# Ids `[3, 7]` went in, and each of the 21 places came out as 12 numbers.
#
# ## What you have now
#
# - Text is composed (NFC), cut into tokens, numbered, cut to length, given BOS and EOS, and padded: `[bs, sl]`, int64.
# - Smaller tokens mean longer sentences and fewer unknown ones; subwords lie in between. Korean needs them more, since particles and endings multiply the forms of a word.
# - The vocabulary is built on training sentences only, and has an answer for every token: UNK.
# - Cut first, add BOS and EOS afterwards. The width can differ from batch to batch.
#
# Next comes [02 · The Transformer at a glance](02_transformer_at_a_glance.ipynb), and then *03 · Embedding and positions*: how an id becomes a vector that knows its place.
#
# **Further reading**: [Unicode normalisation forms](https://unicode.org/reports/tr15/) ·
# [Neural Machine Translation of Rare Words with Subword Units, Sennrich et al. 2016](https://arxiv.org/abs/1508.07909) ·
# [`tokenizers`](https://huggingface.co/docs/tokenizers)

# %% [markdown] lang="ko" name="summary" of="4f1a9c13"
# 번호 `[3, 7]`이 들어가서, 자리 21개가 저마다 숫자 12개가 되어 나왔습니다.
#
# ## 정리
#
# - 텍스트는 모은 꼴(NFC)로 바꾸고, 토큰으로 자르고, 번호를 매기고, 너무 긴 것은 자르고, BOS와 EOS를 붙이고, 패딩으로 채워서 `[bs, sl]` int64가 됩니다.
# - 토큰이 작을수록 문장은 길어지고 모르는 토큰은 줄어듭니다. 서브워드는 그 중간입니다. 조사와 어미 때문에 단어의 꼴이 다양한 한국어에는 작은 토큰이 더 필요합니다.
# - 어휘집은 학습용 문장만으로 만들고, 어떤 토큰에도 답이 있어야 합니다. 모르면 UNK입니다.
# - 먼저 자르고 나중에 BOS와 EOS를 붙입니다. 너비는 배치마다 다를 수 있습니다.
#
# 다음은 [02 · 한눈에 보는 트랜스포머](02_transformer_at_a_glance.ipynb)이고, 이어서 *03 · 임베딩과 위치 인코딩*에서 번호가 위치 정보를 담은 벡터로 바뀌는 과정을 봅니다.
#
# **더 읽을거리**: [유니코드 정규화](https://unicode.org/reports/tr15/) ·
# [Neural Machine Translation of Rare Words with Subword Units, Sennrich 외 2016](https://arxiv.org/abs/1508.07909) ·
# [`tokenizers`](https://huggingface.co/docs/tokenizers)
