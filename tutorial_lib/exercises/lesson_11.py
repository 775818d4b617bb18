"""Lesson 11: split and scale without a leak, windows with their targets, and a roll-out over many steps."""

import torch

from tutorial_lib.check import Exercise, Mistake


def _split(series, n_train, fit=None, fit_test=None, correction=0, divide="std", cut=0):
    a, b = series[: n_train + cut], series[n_train + cut :]
    fit = a if fit is None else fit
    fit_test = fit if fit_test is None else fit_test

    def scaled(part, by):
        spread = dict(std=by.std(correction=correction), var=by.var(correction=0), range=by.max() - by.min())
        return (part - (by.min() if divide == "range" else by.mean())) / spread[divide]

    return scaled(a, fit), scaled(b, fit_test)


def _by_sums(series, n_train):
    seen = series[:n_train].tolist()
    mean = sum(seen) / n_train
    std = (sum((x - mean) ** 2 for x in seen) / n_train) ** 0.5
    scaled = torch.stack([(x - mean) / std for x in series])
    return [scaled[:n_train], scaled[n_train:]]


def _series():
    return [(torch.cat([torch.arange(8.0), torch.tensor([100.0, 200.0])]), 8), (torch.randn(12) * 3 + 5, 9),
            (torch.randn(10) - 2, 3)]  # fmt: skip


scale_series = Exercise(
    name="scale_series", minutes=6, difficulty={"en": "easy", "ko": "쉬움"},
    inputs=_series, reference=_split,
    variants=[
        _by_sums,
        lambda series, n_train: torch.split((series - series[:n_train].mean()) / series[:n_train].var(correction=0).sqrt(),
                                            [n_train, len(series) - n_train]),
    ],
    mistakes=[
        Mistake("scaled_on_all", lambda series, n_train: _split(series, n_train, fit=series), {
            "en": "Mean and std come from the whole series: the test part has leaked into the training data. Take them from series[:n_train].",
            "ko": "평균과 표준 편차를 시리즈 전체에서 구했습니다. 테스트 구간이 학습 데이터로 새어 들어갔습니다. series[:n_train]에서 구하세요."}),
        Mistake("each_part_by_itself", lambda series, n_train: _split(series, n_train, fit_test=series[n_train:]), {
            "en": "The test part is scaled by its own mean and std, which nobody knows when they forecast. Use the two numbers of the training part.",
            "ko": "테스트 구간의 눈금을 그 구간의 평균과 표준 편차로 맞췄습니다. 예측할 때는 알 수 없는 숫자입니다. 학습 구간의 두 숫자를 쓰세요."}),
        Mistake("fitted_on_test", lambda series, n_train: _split(series, n_train, fit=series[n_train:]), {
            "en": "Mean and std come from the test part. It is the other part that may be looked at: series[:n_train].",
            "ko": "평균과 표준 편차를 테스트 구간에서 구했습니다. 봐도 되는 쪽은 series[:n_train]입니다."}),
        Mistake("sample_std", lambda series, n_train: _split(series, n_train, correction=1), {
            "en": "Nearly: torch's std divides by n - 1. The population std divides by n: std(correction=0).",
            "ko": "거의 맞았습니다. torch의 std는 n - 1로 나눕니다. 모집단 표준 편차는 n으로 나누니 std(correction=0)을 쓰세요."}),
        Mistake("sample_std_of_all", lambda series, n_train: _split(series, n_train, fit=series, correction=1), {
            "en": "Mean and std come from the whole series (and std divides by n - 1): the test part has leaked. Take both from series[:n_train], with std(correction=0).",
            "ko": "평균과 표준 편차를 시리즈 전체에서 구했고(std는 n - 1로 나눴습니다), 테스트 구간이 새어 들어갔습니다. 둘 다 series[:n_train]에서, std(correction=0)으로 구하세요."}),
        Mistake("divided_by_the_variance", lambda series, n_train: _split(series, n_train, divide="var"), {
            "en": "You divided by the variance. It is its root, the std.", "ko": "분산으로 나눴습니다. 분산의 제곱근인 표준 편차로 나누세요."}),
        Mistake("smallest_to_largest", lambda series, n_train: _split(series, n_train, divide="range"), {
            "en": "This puts the training part between 0 and 1. Asked for is another scale: minus the mean, over the std.",
            "ko": "학습 구간을 0과 1 사이로 옮기는 방법입니다. 여기서는 평균을 빼고 표준 편차로 나누세요."}),
        Mistake("test_left_alone", lambda series, n_train: (_split(series, n_train)[0], series[n_train:]), {
            "en": "The test part is still in its old unit: scale it by the same two numbers.",
            "ko": "테스트 구간이 원래 단위로 남아 있습니다. 같은 두 숫자로 눈금을 맞추세요."}),
        Mistake("one_value_early", lambda series, n_train: _split(series, n_train, cut=-1), {
            "en": "Your training part ends one value early: it is series[:n_train].", "ko": "학습 구간이 값 하나만큼 일찍 끝납니다. series[:n_train]입니다."}),
    ],
    hints=[{"en": "Split first. Then compute the two numbers, from one of the two parts.", "ko": "먼저 두 구간으로 나누세요. 그런 다음 두 구간 가운데 한쪽에서 두 숫자를 구합니다."},
           {"en": "series[:n_train].std(correction=0) is the population std.", "ko": "series[:n_train].std(correction=0)이 모집단 표준 편차입니다."}],
)  # fmt: skip


def _windows(part, sl, ahead=1, step=1, short=0):
    starts = range(0, len(part) - sl - short, step)
    return torch.stack([part[i : i + sl] for i in starts]), torch.stack(
        [part[i + ahead : i + ahead + sl] for i in starts]
    )


make_windows = Exercise(
    name="make_windows", minutes=7, difficulty={"en": "medium", "ko": "보통"},
    inputs=lambda: [(torch.arange(9.0), 3), (torch.randn(11), 4), (torch.randn(6), 5)],
    reference=lambda part, sl: _windows(part, sl),
    variants=[
        lambda part, sl: (part.unfold(0, sl + 1, 1)[:, :-1], part.unfold(0, sl + 1, 1)[:, 1:]),
        lambda part, sl: [part[torch.arange(len(part) - sl)[:, None] + torch.arange(sl) + shift] for shift in (0, 1)],
    ],
    mistakes=[
        Mistake("target_is_the_input", lambda part, sl: _windows(part, sl, ahead=0), {
            "en": "The target of each place is its own value, which the model is shown. It should be the value after it: start one further.",
            "ko": "자리마다 목표가 자기 값입니다. 모델에 이미 보여 준 값입니다. 바로 다음 값이어야 하니 한 칸 뒤에서 시작하세요."}),
        Mistake("target_runs_out", lambda part, sl: (part.unfold(0, sl, 1), part[1:].unfold(0, sl, 1)), {
            "en": "There is one window more than there are targets: the last window has no value after it. Leave it out.",
            "ko": "입력 창이 목표보다 하나 많습니다. 마지막 창 다음에는 값이 없으니 그 창은 빼세요."}),
        Mistake("last_window_forgotten", lambda part, sl: _windows(part, sl, short=1) if len(part) - sl > 1 else (part.new_zeros(0, sl),) * 2, {
            "en": "The last window is missing. A part of length n has n - sl windows, so the last starts at n - sl - 1.",
            "ko": "마지막 창이 빠졌습니다. 길이가 n인 구간에는 창이 n - sl개 있고, 마지막 창은 n - sl - 1에서 시작합니다."}),
        Mistake("no_overlap", lambda part, sl: _windows(part, sl, step=sl), {
            "en": "Your windows stand side by side. Start one at every value: the next begins one place further, not sl.",
            "ko": "창이 서로 겹치지 않습니다. 모든 값에서 창을 시작하세요. 다음 창은 sl칸이 아니라 한 칸 뒤에서 시작합니다."}),
        Mistake("only_the_last_target", lambda part, sl: (_windows(part, sl)[0], part[sl:]), {
            "en": "You have one target a window, the value behind it. Every place gets one: [n, sl].",
            "ko": "창마다 목표가 하나, 창 바로 뒤의 값뿐입니다. 자리마다 하나씩 있어야 합니다. [n, sl]입니다."}),
        Mistake("swapped", lambda part, sl: _windows(part, sl)[::-1], {
            "en": "Inputs and targets are swapped: your model would forecast the past.", "ko": "입력과 목표가 바뀌었습니다. 과거를 예측하는 모델이 됩니다."}),
        Mistake("one_value_too_long", lambda part, sl: (part.unfold(0, sl + 1, 1), part.unfold(0, sl + 1, 1)[:, 1:]), {
            "en": "Your inputs have sl + 1 places, and the last one is the answer. Cut it off: [:, :-1].",
            "ko": "입력의 자리가 sl + 1개이고, 마지막 자리가 바로 정답입니다. [:, :-1]로 잘라 내세요."}),
        Mistake("windows_in_columns", lambda part, sl: tuple(x.mT for x in _windows(part, sl)), {
            "en": "Your windows are columns. Batch first: a window is a row, [n, sl].", "ko": "창이 열로 놓였습니다. 배치가 먼저입니다. 창 하나가 한 행, [n, sl]입니다."}),
    ],
    hints=[{"en": "A window and its targets together are sl + 1 values in a row.", "ko": "창과 그 목표를 합치면 이어진 값 sl + 1개입니다."},
           {"en": "part.unfold(0, sl + 1, 1) gives all of them; inputs are all but the last column.", "ko": "part.unfold(0, sl + 1, 1)이 그 전부를 줍니다. 마지막 열을 뺀 것이 입력입니다."}],
)  # fmt: skip


def _model(window):
    """A stand-in for a model, [bs, sl] → [bs, sl]: each place counts the values up to it, the later the more."""
    place = torch.arange(1, window.size(1) + 1, device=window.device)
    return (window * place).cumsum(dim=1) / place.sum() + window.size(1) / 10


def _roll(model, past, steps, window=None, pick=-1, keep=None, front=False, feed=lambda new, window: new):
    window, found = past if window is None else window, []
    for _ in range(steps):
        new = model(window)[:, pick]
        found.append(new)
        joined = [feed(new, window)[:, None], window] if front else [window, feed(new, window)[:, None]]
        window = torch.cat(joined, dim=1)
        window = window[:, :-1] if front else window[:, 1:] if keep is None else window[:, :keep]
    return torch.stack(found, dim=1)


def _into_a_buffer(model, past, steps):
    sl, line = past.size(1), torch.cat([past, past.new_zeros(len(past), steps)], dim=1)
    for i in range(steps):
        line[:, sl + i] = model(line[:, i : i + sl])[:, -1]
    return line[:, sl:]


roll_out = Exercise(
    name="roll_out", minutes=9, difficulty={"en": "a stretch", "ko": "도전"},
    inputs=lambda: [(_model, torch.randn(3, 5), 4), (_model, torch.randn(2, 4), 6), (_model, torch.randn(1, 6), 1)],
    reference=_roll,
    variants=[_into_a_buffer,
              lambda model, past, steps: _roll(lambda window: model(window[:, -past.size(1) :]), past, steps, keep=10**6)],
    mistakes=[
        Mistake("window_not_moved", lambda model, past, steps: model(past)[:, -1:].expand(-1, steps), {
            "en": "The window never moves, so every step gives the same. The forecast goes behind it, and it is the oldest value, the first, that is dropped: [:, 1:].",
            "ko": "창이 움직이지 않아서 모든 단계의 답이 같습니다. 예측은 창 뒤에 붙고, 빠지는 것은 가장 오래된 첫 값입니다. [:, 1:]입니다."}),
        Mistake("window_grows", lambda model, past, steps: _roll(model, past, steps, keep=10**6), {
            "en": "The window grows. Drop its oldest value at each step, so that it keeps the length the model was trained with.",
            "ko": "창이 점점 길어집니다. 단계마다 가장 오래된 값을 빼서 모델이 학습한 길이를 지키세요."}),
        Mistake("put_in_front", lambda model, past, steps: _roll(model, past, steps, front=True), {
            "en": "The forecast is put in front, where the oldest values stand. The newest value belongs at the end.",
            "ko": "예측을 앞에, 곧 가장 오래된 값 쪽에 붙였습니다. 가장 새로운 값은 맨 뒤입니다."}),
        Mistake("first_place_read", lambda model, past, steps: _roll(model, past, steps, pick=0), {
            "en": "You read the forecast of the first place. The one that reaches beyond the window is the last: [:, -1].",
            "ko": "첫 자리의 예측을 읽었습니다. 창 너머를 말해 주는 것은 마지막 자리입니다. [:, -1]입니다."}),
        Mistake("feeds_the_last_value", lambda model, past, steps: _roll(model, past, steps, feed=lambda new, window: window[:, -1]), {
            "en": "You put the last known value into the window again. Put the forecast there: the next step builds on it.",
            "ko": "마지막으로 아는 값을 창에 다시 넣었습니다. 예측을 넣으세요. 다음 단계는 그 위에서 이어집니다."}),
        Mistake("feeds_the_past", lambda model, past, steps: _roll(model, past, steps, feed=lambda new, window: window[:, 0]), {
            "en": "The window only turns round: its oldest value comes in again at the end. What belongs there is the forecast.",
            "ko": "창이 돌기만 합니다. 가장 오래된 값이 뒤로 다시 들어옵니다. 그 자리에는 예측이 들어가야 합니다."}),
        Mistake("all_at_once", lambda model, past, steps: model(past)[:, -steps:], {
            "en": "These are one-step forecasts inside the window, which look at the true values. Nothing of it lies beyond the window but the last.",
            "ko": "창 안의 자리마다 한 걸음씩만 예측한 값입니다. 모두 진짜 값을 보고 한 것이고, 창 너머의 것은 마지막 하나뿐입니다."}),
        Mistake("returns_the_window", lambda model, past, steps: torch.cat([past, _roll(model, past, steps)], dim=1), {
            "en": "The past is returned as well. Asked for are the forecasts alone, [bs, steps].",
            "ko": "과거까지 함께 돌려주었습니다. 예측만, [bs, steps]로 돌려주세요."}),
        Mistake("returns_the_inputs", lambda model, past, steps: torch.cat([past, _roll(model, past, steps)], dim=1)[:, -steps - 1 : -1], {
            "en": "You note what goes into the window one step late: your first entry is the last known value, and the last forecast is missing.",
            "ko": "예측을 한 단계 늦게 모았습니다. 돌려준 첫 값은 이미 알던 마지막 값이고, 마지막 예측은 빠졌습니다."}),
    ],
    hints=[{"en": "One step: ask the model, take the last place, put it behind the window, drop the oldest value.",
            "ko": "한 단계는 이렇습니다. 모델에 묻고, 마지막 자리를 꺼내고, 창 뒤에 붙이고, 가장 오래된 값을 뺍니다."},
           {"en": "torch.cat([window[:, 1:], new[:, None]], dim=1) is the window moved by one.", "ko": "torch.cat([window[:, 1:], new[:, None]], dim=1)이 한 칸 옮긴 창입니다."}],
)  # fmt: skip
