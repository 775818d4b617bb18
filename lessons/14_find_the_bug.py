# ---
# jupyter:
#   jupytext:
#     formats: py:percent
#     cell_metadata_filter: lang,of,name,tags,-all
# ---

# %% [markdown] lang="en" name="title"
# # 14 · Find the bug
#
# Thirteen encoders are waiting. Each has one fault that somebody has really made, in one of the two posts or in public code, and each runs without an error, with the right shape everywhere. You get the symptom; you find the fault, the line that repairs it, and
# the test that would have caught it.
#
# **You will be able to**
#
# - examine an encoder with four tests, a heatmap, a trace and a count, and say what each of them can see;
# - name thirteen silent faults by their symptoms;
# - say which faults no test on one model can see, and what sees them.
#
# **Read first**: [08 · The encoder in BERT's words](08_bert_words.ipynb).
#
# **Time**: 80 minutes.
#
# <details><summary>For the classroom</summary>
#
# | Section | Minutes |
# |---|---|
# | 1 The instruments | 26 |
# | 2 Who is heard? | 19 |
# | 3 Who is mixed with whom? | 16 |
# | 4 The quiet ones | 14 |
# | 5 What sees what | 5 |
#
# Give each pair of learners two patients and ten minutes; let them present symptom, instrument and repair. Two questions to ask:
# *Which of these faults would you never notice from the training loss? Which instrument would you build into every project from the first day?*
#
# </details>

# %% [markdown] lang="ko" name="title" of="6e759050"
# # 14 · 버그 찾기
#
# 인코더 열세 개가 기다리고 있습니다. 저마다 잘못이 하나씩 있는데, 모두 누군가 실제로 저지른 것으로 두 블로그 글이나 공개된 코드에서 가져왔습니다. 모두 오류 없이 돌아가고 모양도 어디서나 맞습니다. 여러분은 증상을 보고 무엇이 잘못되었는지, 어느 줄을 고쳐야 하는지,
# 어떤 테스트라면 잡아냈을지 찾아냅니다.
#
# **이 강의를 마치면**
#
# - 테스트 네 가지와 히트맵, 추적, 개수 세기로 인코더를 진찰하고, 저마다 무엇을 볼 수 있는지 말할 수 있습니다.
# - 조용한 잘못 열세 가지를 증상으로 알아볼 수 있습니다.
# - 모델 하나만 보는 테스트로는 알 수 없는 잘못이 무엇이고, 무엇으로 알아내는지 말할 수 있습니다.
#
# **먼저 볼 것**: [08 · BERT의 말로 다시 쓴 인코더](08_bert_words.ipynb).
#
# **시간**: 80분.
#
# <details><summary>수업용 안내</summary>
#
# | 절 | 분 |
# |---|---|
# | 1 진찰 도구 | 26 |
# | 2 누구의 말을 듣는가 | 19 |
# | 3 누가 누구와 섞이는가 | 16 |
# | 4 조용한 환자들 | 14 |
# | 5 무엇이 무엇을 보는가 | 5 |
#
# 두 사람씩 짝을 지어 환자 둘과 10분을 주고, 증상과 도구와 고친 줄을 발표하게 하세요. 던져 볼 질문 두 가지:
# *이 잘못들 가운데 학습 손실만 보아서는 끝내 모를 것은 무엇일까요? 어떤 도구를 첫날부터 프로젝트에 넣어 두겠습니까?*
#
# </details>

# %% name="setup" tags=["setup"]

# %% name="imports" tags=["imports"]
import matplotlib.pyplot as plt
import torch
import torch.nn.functional as F

from tutorial_lib import broken, device, plot, t
from tutorial_lib.exercises import lesson_14 as check
from tutorial_lib.masks import padding_mask
from tutorial_lib.text import Vocab
from tutorial_lib.trace import attention_weights, trace_shapes

# %% [markdown] lang="en" name="tools"
# ## 1. The instruments
#
# The patients are in `tutorial_lib/broken.py` (do not look yet). All have the weights of one healthy encoder, three layers of two heads; so whatever differs from it is the fault. Each gets the right padding mask; what it does with the mask is its own affair. The batch has *I go*, *(I) go*, and an empty text:

# %% [markdown] lang="ko" name="tools" of="ab1c5840"
# ## 1. 진찰 도구
#
# 환자들은 `tutorial_lib/broken.py`에 있습니다(아직 열어 보지 마세요). 모두 건강한 인코더 하나와 파라미터가 같습니다. 계층 세 개에 헤드가 두 개씩입니다. 그러니 그것과 다른 점은 모두 잘못에서 나온 것입니다. 환자에게는 모두 올바른 패딩 마스크를 넘깁니다. 그것으로 무엇을 하는지는 환자마다 다릅니다. 배치에는 문장 두 개와 빈 텍스트가 있습니다.

# %% name="batch"
vocab = Vocab.build(["나는 간다"])
src = vocab.batch(["나는 간다", "간다", ""]).to(device())  # src: [bs, sl]
tokens = [vocab.decode(row, specials=True) for row in src]
well = broken.healthy(input_dim=len(vocab)).to(device())


def patient(number):
    return broken.patient(number, input_dim=len(vocab)).to(device())


def run(model, src):
    with torch.no_grad():
        out = model(src, padding_mask(src, pad_id=vocab.pad_id))  # out: [bs, sl, hid_dim]
    return out


# %% name="batch-picture"
plot.batch_grid(src, tokens, pad_id=vocab.pad_id)
plt.show()

# %% [markdown] lang="en" name="exercise-padding-text" tags=["exercise"]
# Two of the tests you write yourself. You know both from lessons 06 and 08.
#
# ### Your turn · medium · about 9 minutes
#
# `padding_test(model, src)`: run the batch as it is and with four more places of padding (id 0) behind it, each with its mask (`padding_mask(src, pad_id=0)`), and return the largest absolute change at a real token, as a tensor without axes (no `.item()`). The model is in `eval()` already; call it as `model(src, mask)`.
#
# <details><summary>Hint 1</summary>F.pad(src, (0, 4)) adds four places with 0 at the end.</details>
# <details><summary>Hint 2</summary>Cut the longer output to sl places, and keep [src != 0] of the difference.</details>

# %% [markdown] lang="ko" name="exercise-padding-text" of="c0239ca9" tags=["exercise"]
# 테스트 가운데 두 가지는 직접 씁니다. 06강과 08강에서 본 것들입니다.
#
# ### 직접 해 보기 · 보통 · 약 9분
#
# `padding_test(model, src)`: 배치를 그대로 한 번, 뒤에 패딩(번호 0)을 네 자리 더해 한 번 돌리고(저마다 마스크 `padding_mask(src, pad_id=0)`를 넘기고), 진짜 토큰 자리에서 절댓값이 가장 큰 변화를 축이 없는 텐서로(`.item()` 없이) 돌려주세요. 모델은 이미 `eval()` 상태이고, `model(src, mask)`로 부릅니다.
#
# <details><summary>힌트 1</summary>F.pad(src, (0, 4))는 뒤에 0인 자리를 네 개 더합니다.</details>
# <details><summary>힌트 2</summary>긴 쪽의 출력을 sl자리까지 자르고, 차이에서 [src != 0]만 남기세요.</details>


# %% name="exercise-padding" tags=["exercise"]
def padding_test(model, src):
    # your turn
    ...


check.padding_test(padding_test)


# %% name="solution-padding" tags=["solution"]
def padding_test(model, src):
    longer = F.pad(src, (0, 4))
    with torch.no_grad():
        before = model(src, padding_mask(src, pad_id=0))  # before: [bs, sl, hid_dim]
        after = model(longer, padding_mask(longer, pad_id=0))
    return (after[:, : src.size(1)] - before)[src != 0].abs().max()


check.padding_test(padding_test)

# %% [markdown] lang="en" name="exercise-batch-text" tags=["exercise"]
# ### Your turn · a stretch · about 9 minutes
#
# `batch_test(model, src)`: run the batch once, and each sentence once alone (with its padding as it stands), always with its mask. Return for each sentence the largest absolute change at a real token, as a tensor `[bs]`.
#
# <details><summary>Hint 1</summary>src[i : i + 1] is sentence i as a batch of one.</details>
# <details><summary>Hint 2</summary>For each sentence: the largest difference where src[i] != 0.</details>

# %% [markdown] lang="ko" name="exercise-batch-text" of="2b79e37b" tags=["exercise"]
# ### 직접 해 보기 · 도전 · 약 9분
#
# `batch_test(model, src)`: 배치를 한 번 돌리고, 문장을 하나씩 따로 한 번씩 돌립니다(패딩은 그대로 두고, 저마다 마스크를 넘깁니다). 문장마다 진짜 토큰 자리에서 절댓값이 가장 큰 변화를 `[bs]` 텐서로 돌려주세요.
#
# <details><summary>힌트 1</summary>src[i : i + 1]은 i번 문장 하나짜리 배치입니다.</details>
# <details><summary>힌트 2</summary>문장마다 src[i] != 0인 자리에서 가장 큰 차이입니다.</details>


# %% name="exercise-batch" tags=["exercise"]
def batch_test(model, src):
    # your turn
    ...


check.batch_test(batch_test)


# %% name="solution-batch" tags=["solution"]
def batch_test(model, src):
    changes = []
    with torch.no_grad():
        together = model(src, padding_mask(src, pad_id=0))  # together: [bs, sl, hid_dim]
        for i in range(len(src)):
            one = src[i : i + 1]
            alone = model(one, padding_mask(one, pad_id=0))
            changes.append((together[i] - alone[0])[src[i] != 0].abs().max())
    return torch.stack(changes)  # [bs]


check.batch_test(batch_test)

# %% [markdown] lang="en" name="tests-text"
# Here are the ones that we use below: `padding` and `neighbours` (the batch test), and two more. `twice`: two runs in `eval()` must give the same. `rows`: every row of the attention weights must add up to 1. `maps` gives the weights of each layer. **Guess first.** What will they say of the healthy encoder?

# %% [markdown] lang="ko" name="tests-text" of="ce3b3144"
# 아래에서는 이것들을 씁니다. 방금 쓴 `padding`(패딩 테스트)과 `neighbours`(배치 테스트)에 두 가지를 더합니다. `twice`(두 번)는 `eval()`에서 두 번 돌린 결과가 같은지, `rows`(행)는 어텐션 가중치의 행마다 합이 1인지 봅니다. `maps`는 계층마다 가중치를 돌려줍니다. **먼저 예상해 보세요.** 건강한 인코더는 어떻게 나올까요?


# %% name="tests-padding"
def padding(model):
    longer = run(model, F.pad(src, (0, 4)))[:, : src.size(1)]
    return (longer - run(model, src))[src != 0].abs().max().item()


# %% name="tests-neighbours"
def neighbours(model):
    alone = torch.cat([run(model, src[i : i + 1]) for i in range(len(src))])
    gaps = (run(model, src) - alone).abs().amax(dim=-1)  # gaps: [bs, sl]
    return gaps.masked_fill(src == vocab.pad_id, 0.0).amax(dim=-1).cpu()  # [bs]


# %% name="tests-others"
def twice(model):
    return (run(model, src) - run(model, src)).abs().max().item()


def maps(model):
    return attention_weights(model, src, padding_mask(src, pad_id=vocab.pad_id))


def rows(model):
    return max((weights.sum(dim=-1) - 1).abs().max().item() for weights in maps(model))


# %% name="healthy"
found = {
    t(en="padding", ko="패딩"): padding(well),
    t(en="batch", ko="배치"): neighbours(well).max().item(),
    t(en="twice", ko="두 번"): twice(well),
    t(en="rows", ko="행"): rows(well),
}
print(*(f"{name} {value:.2f}" for name, value in found.items()), sep=", ")
trace_shapes(well, src, padding_mask(src, pad_id=0), sizes={"bs": 3, "sl": 4, "hid_dim": 16}).depth(1)

# %% [markdown] lang="en" name="heard"
# Nothing moves. Now the patients.
#
# ## 2. Who is heard?
#
# **Patient 1.** Head 0 for the second sentence, in the first layer and in the second. **Guess first**, before you open the answer below: what is wrong, and in which line of the encoder would you look?

# %% [markdown] lang="ko" name="heard" of="e6b37d96"
# 아무것도 움직이지 않습니다. 이제 환자들을 봅시다.
#
# ## 2. 누구의 말을 듣는가
#
# **환자 1.** 둘째 문장의 헤드 0을 첫째 계층과 둘째 계층에서 봅니다. 아래 답을 열기 전에 **먼저 예상해 보세요.** 무엇이 잘못되었고, 인코더의 어느 줄을 살펴보겠습니까?

# %% name="patient-1"
weights = maps(patient(1))
titles = [t(en=f"patient 1, layer {i}", ko=f"환자 1, 계층 {i}") for i in (0, 1)]
plot.attention_grid([weights[i][1, 0] for i in (0, 1)], tokens[1], titles=titles, annotate=True)
plt.show()

# %% [markdown] lang="en" name="answer-1"
# Layer 0 gives padding nothing, layer 1 listens to it.
#
# <details><summary>The fault, the repair, the test</summary>
#
# The loop of the encoder hands the mask to the first layer only: `src = layer(src)`. Repair: `src = layer(src, src_mask)`. Post A's `Layer` does the same to its `Attention`. The heatmap of *every* layer shows it; so does the padding test.
#
# </details>
#
# **Patients 2, 3 and 4**, the same sentence in layer 0. Three different faults with one mask. Look at the maps and **guess first**: which looks as if there were no mask?

# %% [markdown] lang="ko" name="answer-1" of="d5a67741"
# 계층 0은 패딩에 아무것도 주지 않는데 계층 1은 패딩의 말을 듣습니다.
#
# <details><summary>무엇이 잘못인지, 어떻게 고치는지, 어떤 테스트가 잡는지</summary>
#
# 인코더의 반복문이 첫 계층에만 마스크를 넘깁니다: `src = layer(src)`. 고친 줄은 `src = layer(src, src_mask)`입니다. 글 A의 `Layer`도 자기 `Attention`에 같은 잘못을 합니다. *모든* 계층의 히트맵을 보면 알 수 있고, 패딩 테스트로도 알 수 있습니다.
#
# </details>
#
# **환자 2, 3, 4**는 같은 문장을 계층 0에서 봅니다. 같은 마스크를 저마다 다르게 잘못 썼습니다. 히트맵을 보고 **먼저 예상해 보세요.** 마스크가 아예 없는 것처럼 보이는 환자는 누구일까요?

# %% name="patients-2-3-4"
titles = [t(en=f"patient {n}", ko=f"환자 {n}") for n in (2, 3, 4)]
plot.attention_grid([maps(patient(n))[0][1, 0] for n in (2, 3, 4)], tokens[1], titles=titles, annotate=True, bar=False)
plt.show()

# %% name="patients-2-3-4-numbers"
for number in (2, 3, 4):
    print(t(en=f"patient {number}: padding test", ko=f"환자 {number}: 패딩 테스트"), f"{padding(patient(number)):.2f}")

# %% [markdown] lang="en" name="answer-2"
# Look at the row 간다: in all three, padding gets a share, and a healthy encoder gives it 0. Patient 4's map is the one without any mask. In patient 2 padding gets less than half of what it gets there, but not 0. Patient 3 has patient 4's map, except for the last *row*, the padding's own: it is the same everywhere.
#
# <details><summary>The faults, the repairs, the tests</summary>
#
# - **2**: the mask is added to the scores as 1 and 0, `scores + mask`. Repair: `scores.masked_fill(~mask, -inf)`. The mask itself can be checked too: `from_additive` refuses a 1, which would shift a score and hide nothing (lesson 06).
# - **3**: the mask hides queries, `[bs, 1, sl, 1]`. Repair: `[bs, 1, 1, sl]`.
# - **4**: the mask has a length of 1 where the keys should be, `mask[..., :1]`, and broadcasts: it asks whether the *first* key is real, and that is always so. Repair: the axis of the keys in full; the library refuses a length of 1 there.
#
# The padding test sees all three.
#
# </details>
#
# **Patient 5**, the first sentence (no padding) and the second. Its padding test passes. **Guess first.** Is it healthy, then?

# %% [markdown] lang="ko" name="answer-2" of="d635ae8d"
# 간다 행을 보세요. 셋 모두 패딩이 몫을 받습니다. 건강한 인코더라면 0입니다. 환자 4의 히트맵은 마스크가 없을 때와 같습니다. 환자 2에서는 패딩이 그 절반도 받지 못하지만 0은 아닙니다. 환자 3은 환자 4와 같고 마지막 *행*, 곧 패딩 자신의 행만 다릅니다. 그 행은 네 칸이 모두 같습니다.
#
# <details><summary>무엇이 잘못인지, 어떻게 고치는지, 어떤 테스트가 잡는지</summary>
#
# - **2**: 마스크를 1과 0으로 점수에 더합니다: `scores + mask`. 고친 줄은 `scores.masked_fill(~mask, -inf)`입니다. 마스크 자체를 검사할 수도 있습니다. `from_additive`는 1을 거절합니다. 점수를 옮기기만 하고 아무것도 가리지 않기 때문입니다(06강).
# - **3**: 마스크가 쿼리를 가립니다: `[bs, 1, sl, 1]`. 고치면 `[bs, 1, 1, sl]`입니다.
# - **4**: 키가 있어야 할 축의 길이가 1이라서(`mask[..., :1]`) 브로드캐스팅되어 *첫째* 키가 진짜인지만 묻게 되는데, 첫째 키는 늘 진짜입니다. 키 축을 온전히 두어야 합니다. 라이브러리는 그 축의 길이가 1이면 거절합니다.
#
# 패딩 테스트는 셋 모두 알아봅니다.
#
# </details>
#
# **환자 5**의 첫째 문장(패딩 없음)과 둘째 문장입니다. 이 환자는 패딩 테스트를 통과합니다. **먼저 예상해 보세요.** 그러면 건강한 걸까요?

# %% name="patient-5"
weights = maps(patient(5))[0]  # weights: [bs, n_heads, sl, sl]
print(t(en="padding test", ko="패딩 테스트"), f"{padding(patient(5)):.2f}")
for i in (0, 1):
    plot.attention_heatmap(
        weights[i, 0], tokens[i], annotate=True, title=t(en=f"patient 5, sentence {i}", ko=f"환자 5, 문장 {i}")
    )
plt.show()

# %% [markdown] lang="en" name="answer-5"
# A triangle, where nobody asked for one.
#
# <details><summary>The fault, the repair, the test</summary>
#
# `forward` overwrites the mask that it was given with a causal one of its own, as post A's does. Repair: `mask = mask & causal` where one is wanted, and nothing where not. The padding test cannot see it, because padding stands behind the real tokens, and the triangle happens to hide it from them. With padding in *front* the heatmap would show it: padding gets a share. (The padding test would not help there: the positions shift, and even the healthy encoder moves.) A test that compares the weights with the mask sees it at once.
#
# </details>
#
# ## 3. Who is mixed with whom?
#
# **Patient 6.** Its heatmaps of the first layer are those of the healthy encoder. Here is how far each sentence moves when its neighbours leave the batch. **Guess first.** Why does sentence 0 stay?

# %% [markdown] lang="ko" name="answer-5" of="917060f7"
# 아무도 시키지 않은 삼각형이 있습니다.
#
# <details><summary>무엇이 잘못인지, 어떻게 고치는지, 어떤 테스트가 잡는지</summary>
#
# 글 A처럼 `forward`가 받은 마스크를 자기 인과 마스크로 덮어씁니다. 필요하면 `mask = mask & causal`로 합치고, 필요 없으면 아무것도 하지 않아야 합니다. 패딩 테스트로는 알 수 없습니다. 패딩이 진짜 토큰 뒤에 있어서 삼각형이 마침 진짜 토큰에게서 가려 주기 때문입니다. 패딩이 *앞에* 있으면 히트맵에서 드러납니다. 패딩이 몫을 받기 때문입니다. (이때 패딩 테스트는 도움이 되지 않습니다. 위치가 밀려서 건강한 인코더도 움직입니다.) 가중치를 마스크와 견주는 테스트는 바로 알아봅니다.
#
# </details>
#
# ## 3. 누가 누구와 섞이는가
#
# **환자 6.** 첫 계층의 히트맵은 건강한 인코더와 같습니다. 이웃 문장들이 배치에서 빠졌을 때 문장마다 얼마나 움직이는지 보세요. **먼저 예상해 보세요.** 문장 0은 왜 그대로일까요?

# %% name="patient-6"
names = [t(en=f"sentence {i}", ko=f"문장 {i}") for i in range(3)]
moved = {t(en="healthy", ko="건강"): neighbours(well), t(en="patient 6", ko="환자 6"): neighbours(patient(6))}
plot.bars(moved, names, xlabel="", ylabel=t(en="change without neighbours", ko="이웃이 없을 때의 변화"))
plt.show()

# %% [markdown] lang="en" name="answer-6"
# Sentence 0 gets what it should get; the others depend on who stands first in the batch.
#
# <details><summary>The fault, the repair, the test</summary>
#
# The attention output of sentence 0 is used for all: post A's `self_outputs[0]` on a tensor. Sentence 0 gets its own and stays. Repair: no `[0]`, or let the attention really return a pair (output, weights). The batch test sees it. The maps do not point to it: the weights are computed rightly from what comes in, and only their result is lost. (The later layers' maps do change, because something wrong comes in.)
#
# </details>
#
# **Patient 7.** Mask and rows are in order, and still the padding test fails badly. We change the last token of a sentence without padding. Every row gets a new last key, so every row of a map moves. We therefore look only at how the first two keys share, the ratio of their weights `w[:, 0] / w[:, 1]`, in head 0 of the first layer. **Guess first.** In which rows should this ratio move?

# %% [markdown] lang="ko" name="answer-6" of="a5f482a0"
# 문장 0은 받을 것을 받고, 나머지는 배치 맨 앞에 누가 서 있는지에 좌우됩니다.
#
# <details><summary>무엇이 잘못인지, 어떻게 고치는지, 어떤 테스트가 잡는지</summary>
#
# 문장 0의 어텐션 출력을 모두에게 씁니다. 글 A가 텐서에 쓴 `self_outputs[0]`입니다. 문장 0은 자기 것을 받으니 그대로입니다. `[0]`을 빼거나, 어텐션이 (출력, 가중치) 쌍을 정말로 돌려주게 고칩니다. 배치 테스트가 알아봅니다. 히트맵은 어디가 잘못인지 알려 주지 못합니다. 가중치는 들어온 것에서 맞게 계산되고 그 결과만 잃어버리기 때문입니다. (뒤 계층의 히트맵은 달라지지만, 잘못된 것이 들어왔기 때문입니다.)
#
# </details>
#
# **환자 7.** 마스크도 행도 멀쩡한데 패딩 테스트에 크게 걸립니다. 패딩이 없는 문장의 마지막 토큰을 바꿉니다. 그러면 모든 행의 마지막 키가 바뀌므로 히트맵의 행은 모두 움직입니다. 그래서 처음 두 키의 가중치 비율 `w[:, 0] / w[:, 1]`만, 첫 계층의 헤드 0에서 봅니다. **먼저 예상해 보세요.** 이 비율은 어느 행에서 움직여야 할까요?

# %% name="patient-7"
changed = src[:1].clone()  # changed: [1, sl]
changed[0, 3] = vocab.unk_id


def ratio(model, ids):
    weights = attention_weights(model, ids)[0][0, 0]  # weights: [sl, sl]
    return (weights[:, 0] / weights[:, 1]).cpu()  # [sl]


def moved_ratio(model):
    return (ratio(model, changed) - ratio(model, src[:1])).abs()  # [sl]


# %% name="patient-7-picture"
shown = {t(en="healthy", ko="건강"): moved_ratio(well), t(en="patient 7", ko="환자 7"): moved_ratio(patient(7))}
numbered = [t(en=f"row {i}", ko=f"행 {i}") for i in range(4)]
ylabel = t(en="change of the ratio", ko="비율의 변화")
plot.bars(shown, numbered, xlabel=t(en="head 0, layer 0", ko="헤드 0, 계층 0"), ylabel=ylabel)
print(t(en="padding test", ko="패딩 테스트"), f"{padding(patient(7)):.2f}")
plt.show()

# %% [markdown] lang="en" name="answer-7"
# In the healthy encoder only the last row's: there the query changed, while the first two keys are the same everywhere. In the patient's head 0 not even that row moves. Its four rows are the first two tokens, each cut into halves; the last token is not in it at all.
#
# <details><summary>The fault, the repair, the test</summary>
#
# The heads are cut by `view(bs, n_heads, sl, head_dim)` alone (lesson 05). Repair: `view(bs, sl, n_heads, head_dim).transpose(1, 2)`. The padding test sees it, because the cut depends on the length.
#
# </details>
#
# **Patient 8**, the first sentence in layer 0. **Guess first.** Which add up to 1, the rows or the columns?

# %% [markdown] lang="ko" name="answer-7" of="7020f294"
# 건강한 인코더에서는 마지막 행만 움직입니다. 그 행은 쿼리가 바뀌었고, 처음 두 키는 어디서나 그대로이기 때문입니다. 환자의 헤드 0에서는 그 행마저 움직이지 않습니다. 네 행은 처음 두 토큰을 반씩 자른 것이고, 마지막 토큰은 그 안에 아예 없습니다.
#
# <details><summary>무엇이 잘못인지, 어떻게 고치는지, 어떤 테스트가 잡는지</summary>
#
# `view(bs, n_heads, sl, head_dim)`만으로 헤드를 나누었습니다(05강). 고친 줄은 `view(bs, sl, n_heads, head_dim).transpose(1, 2)`입니다. 나누는 자리가 길이에 따라 달라지므로 패딩 테스트가 알아봅니다.
#
# </details>
#
# **환자 8**의 첫째 문장, 계층 0입니다. **먼저 예상해 보세요.** 합이 1인 것은 행일까요, 열일까요?

# %% name="patient-8"
plot.attention_heatmap(maps(patient(8))[0][0, 0], tokens[0], annotate=True, title=t(en="patient 8", ko="환자 8"))
print(t(en="rows test", ko="행 테스트"), f"{rows(patient(8)):.2f}")
plt.show()

# %% [markdown] lang="en" name="answer-8"
# The columns add up to 1, the rows do not. (The number is the largest miss of all rows, sentences and layers.)
#
# <details><summary>The fault, the repair, the test</summary>
#
# `softmax(dim=-2)` runs along the queries. Repair: `softmax(dim=-1)`. The rows test sees it.
#
# </details>
#
# **Patient 9.** Heatmaps and rows of the first layer are healthy; the padding test is not. We look at the standard deviation of each token after the first norm, which LayerNorm should make 1 (its weight is still 1 and its bias 0). **Guess first.** What if it is not 1?

# %% [markdown] lang="ko" name="answer-8" of="b5595758"
# 열의 합이 1이고 행의 합은 1이 아닙니다. (숫자는 모든 문장과 계층의 행 가운데 가장 크게 어긋난 값입니다.)
#
# <details><summary>무엇이 잘못인지, 어떻게 고치는지, 어떤 테스트가 잡는지</summary>
#
# `softmax(dim=-2)`는 쿼리 축을 따라 계산합니다. 고친 줄은 `softmax(dim=-1)`입니다. 행 테스트가 알아봅니다.
#
# </details>
#
# **환자 9.** 첫 계층의 히트맵과 행은 멀쩡한데 패딩 테스트는 그렇지 않습니다. 첫 norm을 지난 뒤 토큰마다 표준 편차가 얼마인지 봅시다. LayerNorm이라면 1이어야 합니다(weight는 아직 1, bias는 0입니다). **먼저 예상해 보세요.** 1이 아니라면 무슨 뜻일까요?


# %% name="patient-9"
def after_norm(model):
    seen = []  # keeps what the norm gives out
    hook = model.layers[0].attn_layer_norm.register_forward_hook(lambda module, given, out: seen.append(out))
    run(model, src[:1])
    hook.remove()
    return seen[0][0].std(dim=-1, unbiased=False).cpu()  # [sl]


shown = {t(en="healthy", ko="건강"): after_norm(well), t(en="patient 9", ko="환자 9"): after_norm(patient(9))}
ax = plot.bars(shown, tokens[0], xlabel=t(en="token", ko="토큰"), ylabel=t(en="standard deviation", ko="표준 편차"))
ax.set_ylim(top=1.5)  # room for the legend
print(t(en="padding test", ko="패딩 테스트"), f"{padding(patient(9)):.2f}")
plt.show()

# %% [markdown] lang="en" name="answer-9"
# The patient's tokens are some above 1 and some below: it was not the token that was normalised.
#
# <details><summary>The fault, the repair, the test</summary>
#
# The norm takes mean and variance along the sentence, `x.mean(dim=1)`, so that every token depends on the others, padding too. Repair: `dim=-1`. The padding test sees it.
#
# </details>
#
# ## 4. The quiet ones
#
# **Patients 10 and 11.** The first passes all four tests. The second fails three of them, for one reason. **Guess first.** What could you count to convict the first, and which test would you read first for the second?

# %% [markdown] lang="ko" name="answer-9" of="9011426d"
# 환자의 토큰은 1보다 큰 것도 작은 것도 있습니다. 토큰이 아닌 다른 것을 정규화했습니다.
#
# <details><summary>무엇이 잘못인지, 어떻게 고치는지, 어떤 테스트가 잡는지</summary>
#
# norm이 문장 방향으로 평균과 분산을 구합니다: `x.mean(dim=1)`. 그래서 토큰이 다른 토큰에, 심지어 패딩에도 좌우됩니다. 고치면 `dim=-1`입니다. 패딩 테스트가 알아봅니다.
#
# </details>
#
# ## 4. 조용한 환자들
#
# **환자 10과 11.** 앞의 환자는 네 테스트를 모두 통과하고, 뒤의 환자는 한 가지 까닭으로 셋에 걸립니다. **먼저 예상해 보세요.** 앞의 환자는 무엇을 세면 알아낼 수 있고, 뒤의 환자는 어느 테스트를 먼저 보아야 할까요?

# %% name="patients-10-11"
for n in (10, 11):
    moves = twice(patient(n)) > 0.1
    print(
        t(en=f"patient {n}, two runs:", ko=f"환자 {n}, 두 번:"),
        t(en="moves", ko="움직임") if moves else t(en="stays", ko="그대로"),
    )
count = {
    t(en="parameter tensors", ko="파라미터 텐서"): [
        len(list(model.parameters())) for model in (well, patient(10), patient(11))
    ]
}
plot.bars(
    count,
    [t(en="healthy", ko="건강"), t(en="patient 10", ko="환자 10"), t(en="patient 11", ko="환자 11")],
    xlabel="",
    ylabel=list(count)[0],
)
plt.show()

# %% [markdown] lang="en" name="answer-10"
# Patient 10 has fewer parameters than it has layers for; patient 11 gives another answer each time.
#
# <details><summary>The faults, the repairs, the tests</summary>
#
# - **10**: `[layer] * n_layers` is one layer three times. Repair: `nn.ModuleList(EncoderLayer(...) for _ in range(n_layers))`. A count of parameters sees it (lesson 04).
# - **11**: dropout is alive in `eval()`. It was written as `F.dropout(src, 0.1)`, which does not ask for the mode (or in a class that is no `nn.Module`, which `eval()` cannot reach). Repair: `nn.Dropout`, or `F.dropout(..., training=self.training)`. Two runs see it.
#
# </details>
#
# **Patients 12 and 13** pass everything: the four tests, the count, the trace's shapes. Yet both differ from the healthy encoder. **Guess first.** What is left to look at?

# %% [markdown] lang="ko" name="answer-10" of="aae52975"
# 환자 10은 계층 수에 견주어 파라미터가 너무 적고, 환자 11은 돌릴 때마다 답이 다릅니다.
#
# <details><summary>무엇이 잘못인지, 어떻게 고치는지, 어떤 테스트가 잡는지</summary>
#
# - **10**: `[layer] * n_layers`는 같은 계층을 세 번 담은 것입니다. 고친 줄은 `nn.ModuleList(EncoderLayer(...) for _ in range(n_layers))`입니다. 파라미터를 세면 알 수 있습니다(04강).
# - **11**: 드롭아웃이 `eval()`에서도 살아 있습니다. `F.dropout(src, 0.1)`이라고 써서 모드를 묻지 않습니다(`nn.Module`이 아닌 클래스여서 `eval()`이 닿지 않을 때도 그렇습니다). `nn.Dropout`을 쓰거나 `F.dropout(..., training=self.training)`으로 고칩니다. 두 번 돌려 보면 알 수 있습니다.
#
# </details>
#
# **환자 12와 13**은 네 테스트도, 개수도, 추적의 모양도 모두 통과합니다. 그런데 둘 다 건강한 인코더와 다릅니다. **먼저 예상해 보세요.** 이제 무엇을 보아야 할까요?

# %% name="patient-12-trace"
trace_shapes(patient(12), src, padding_mask(src, pad_id=0), sizes={"bs": 3, "sl": 4, "hid_dim": 16}).depth(1)

# %% name="patient-13"
first = [maps(model)[0][0, 0] for model in (well, patient(13))]
titles = [t(en="healthy, layer 0", ko="건강, 계층 0"), t(en="patient 13, layer 0", ko="환자 13, 계층 0")]
plot.attention_grid(first, tokens[0], titles=titles, annotate=True)
plt.show()

# %% [markdown] lang="en" name="answer-12"
# Read the *names* in the trace, not only the shapes; and hold the map beside the healthy one: it is sharper in every row.
#
# <details><summary>The faults, the repairs, the tests</summary>
#
# - **12**: `pe` is called three times: positions are added in every layer. Repair: once, before the loop.
# - **13**: the scores are not divided by √head_dim. Repair: `/ math.sqrt(head_dim)`.
#
# No *test* on one model tells that these are wrong: each is a consistent encoder, only not the one that was meant. You see them if you know what was meant and read for it, or if you compare with an implementation that is known to be right, with the same weights: `nn.TransformerEncoder` (lesson 04) or Hugging Face's (lesson 08).
#
# </details>
#
# ## 5. What sees what
#
# All thirteen at once. **Guess first.** Which sees most, if you have nothing to compare with?

# %% [markdown] lang="ko" name="answer-12" of="40c058a6"
# 추적에서 모양만 보지 말고 *이름*을 읽으세요. 그리고 히트맵을 건강한 것과 나란히 놓으세요. 모든 행이 한쪽으로 더 쏠려 있습니다.
#
# <details><summary>무엇이 잘못인지, 어떻게 고치는지, 어떤 테스트가 잡는지</summary>
#
# - **12**: `pe`가 세 번 불립니다. 위치를 계층마다 더합니다. 반복문 앞에서 한 번만 더하게 고칩니다.
# - **13**: 점수를 √head_dim으로 나누지 않습니다. 고친 줄은 `/ math.sqrt(head_dim)`입니다.
#
# 모델 하나를 *테스트*해서는 틀렸다고 할 수 없습니다. 둘 다 앞뒤가 맞는 인코더이고, 만들려던 것이 아닐 뿐입니다. 무엇을 만들려 했는지 알고 추적을 읽거나, 맞다고 알려진 구현과 파라미터를 같게 해서 견주어야 합니다. `nn.TransformerEncoder`(04강)나 Hugging Face(08강)가 있습니다.
#
# </details>
#
# ## 5. 무엇이 무엇을 보는가
#
# 열세 환자를 한꺼번에 봅시다. **먼저 예상해 보세요.** 견줄 구현이 없다면 어느 도구가 가장 많이 알아볼까요?


# %% name="chart-run"
def compared(model):
    return (run(model, src) - run(well, src))[src != vocab.pad_id].abs().max().item()


instruments = {
    t(en="padding", ko="패딩"): lambda m: padding(m) > 0.01,
    t(en="batch", ko="배치"): lambda m: neighbours(m).max() > 0.01,
    t(en="twice", ko="두 번"): lambda m: twice(m) > 0.01,
    t(en="rows", ko="행"): lambda m: rows(m) > 0.01,
    t(en="count", ko="개수"): lambda m: len(list(m.parameters())) != len(list(well.parameters())),
    t(en="compare", ko="비교"): lambda m: compared(m) > 0.01,
}
seen = torch.tensor(
    [[bool(sees(patient(n))) for sees in instruments.values()] for n in range(1, 14)]
).long()  # seen: [13, 6]

# %% name="chart-picture"
cells = [[t(en="seen", ko="보임") if one else "·" for one in row] for row in seen]
ax = plot.batch_grid(seen, cells, pad_id=0, ids=False)
ax.set_xticklabels(instruments)
ax.set_yticklabels([t(en=f"patient {n}", ko=f"환자 {n}") for n in range(1, 14)])
ax.set(xlabel="", ylabel="")
plt.show()

# %% [markdown] lang="en" name="summary"
# The comparison sees all thirteen, and of these six it is the only one that sees patients 5, 12 and 13. But it needs something to compare with, and says only *that* there is a fault. Of the others the padding test sees most, and each tells more about *where*. (Patient 11 fails three of the four tests: what moves by itself moves wherever two runs are compared. Look at `twice` first.)
#
# ## What you have now
#
# - Four tests of a few lines: more padding, other neighbours, two runs, rows that add up to 1. Put them into every project.
# - Heatmaps of every layer, a trace whose *names* you read, a count of parameters.
# - A comparison with a trusted implementation and the same weights, for what is consistent and still wrong.
# - Thirteen faults that you will recognise.
#
# The patients' code is short. Now you may read it: `tutorial_lib/broken.py`.
#
# **Further reading**, the same faults in the wild: [heads cut by view](https://github.com/hyunwoongko/transformer/issues/15) · [a mask on the wrong axis](https://github.com/hyunwoongko/transformer/issues/32) ·
# [dropout alive in eval](https://github.com/pytorch/pytorch/issues/124464) · [padding that changes the result](https://github.com/huggingface/transformers/issues/278)

# %% [markdown] lang="ko" name="summary" of="9c501f62"
# 비교는 열세 환자를 모두 알아보고, 이 여섯 가운데 환자 5와 12와 13을 알아보는 것은 비교뿐입니다. 하지만 견줄 것이 있어야 하고, 잘못이 *있다*는 것만 알려 줍니다. 나머지 가운데서는 패딩 테스트가 가장 많이 알아보고, 저마다 *어디가* 잘못인지 더 알려 줍니다. (환자 11은 네 테스트 가운데 셋에 걸립니다. 저절로 움직이는 것은 두 번 돌려 견주는 어느 테스트에서나 움직이기 때문입니다. 두 번 돌려 보는 `twice`를 먼저 보세요.)
#
# ## 정리
#
# - 몇 줄짜리 테스트 네 가지: 패딩 늘리기, 이웃 바꾸기, 두 번 돌리기, 행의 합이 1인지 보기. 어느 프로젝트에나 넣어 두세요.
# - 모든 계층의 히트맵, *이름*을 읽는 추적, 파라미터 개수.
# - 앞뒤가 맞지만 틀린 것을 위해서는, 믿을 만한 구현과 파라미터를 같게 해서 견주기.
# - 이제 알아볼 수 있는 잘못 열세 가지.
#
# 환자들의 코드는 짧습니다. 이제 읽어 보아도 됩니다: `tutorial_lib/broken.py`.
#
# **더 읽을거리**(같은 잘못의 실제 사례): [view로 나눈 헤드](https://github.com/hyunwoongko/transformer/issues/15) · [엉뚱한 축에 놓인 마스크](https://github.com/hyunwoongko/transformer/issues/32) ·
# [eval에서도 살아 있는 드롭아웃](https://github.com/pytorch/pytorch/issues/124464) · [결과를 바꾸는 패딩](https://github.com/huggingface/transformers/issues/278)
