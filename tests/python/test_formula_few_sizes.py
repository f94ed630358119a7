"""Runs of few sizes, for kernels that are tuned anew at each; runs that end in time; and kinds without 0."""

import time
import warnings

import numpy as np
import pytest

import assay
from assay import gallery
from formula_right_kernels import rms_plain, softmax_plain

f32 = np.float32
warnings.filterwarnings("ignore", category=RuntimeWarning)


def sizes_met(**options):
    met = []

    def kernel(p):
        met.append(p.x.shape)
        return softmax_plain(p)

    result = assay.gate(gallery.softmax, kernel, own_process=False, **options)
    return result, set(met), met


@pytest.mark.parametrize("seed", [1, 2])
def test_a_run_of_few_sizes(seed):
    result, met, calls = sizes_met(sizes=6, cases=30, seed=seed)
    result.raise_for_failure()
    assert len(met) <= 6 and max(d for _, d in met) > 1000 and len(calls) > 100
    assert met == sizes_met(sizes=6, cases=30, seed=seed)[1]


def test_a_failing_kernel_meets_no_other_sizes():
    met = set()

    def faulty(p):
        met.add(p.x.shape)
        y = softmax_plain(p)
        return y * f32(1.001) if p.x.shape[-1] > 100 else y

    failure = assay.gate(gallery.softmax, faulty, sizes=5, cases=30, own_process=False).failures["outputs"]
    assert len(met) <= 5 and "of the bound" in failure.errors + failure.explanation or "error" in failure.explanation
    assert not assay.gate(gallery.softmax, lambda p: np.full_like(p.x, np.nan), sizes=3, cases=10).passed


def test_a_run_that_ends_in_time_says_what_it_judged():
    def slow(p):
        time.sleep(0.03)
        return softmax_plain(p)

    began = time.monotonic()
    result = assay.gate(gallery.softmax, slow, cases=1000, seconds=4)
    assert time.monotonic() - began < 12
    assert not result.passed and not result.failures
    late = result["outputs"]
    assert late.verdict == "mistrusted" and late.cases > 3 and "time ended: of 4 s for the run" in late.mistrust
    assert all(one.cases > 0 for one in result.properties if one.name != "many-rows")
    assay.gate(gallery.softmax, softmax_plain, cases=5, reach="none", seconds=600).raise_for_failure()


def test_a_fault_is_found_before_time_ends():
    faulty = lambda p: softmax_plain(p) * f32(1.001)  # noqa: E731
    assert "outputs" in assay.gate(gallery.softmax, faulty, cases=100_000, seconds=6).failures


def test_mistakes():
    for options, said in ((dict(sizes=0), "sizes = 0"), (dict(seconds=0), "seconds = 0"), (dict(sizes="2"), "sizes = '2'")):
        with pytest.raises((ValueError, TypeError), match=said):
            assay.gate(gallery.softmax, softmax_plain, **options)
    with pytest.raises(TypeError, match="seconds = 3 is for a run in one process"):
        assay.gate(gallery.softmax, softmax_plain, seconds=3, executor=object())


@assay.operation(decay="T, D of decay", x="T, D")
def recurrence(xp, decay, x):
    h, rows = xp.zeros((x.shape[1],)), []
    for t in range(x.shape[0]):
        h = h * decay[t] + x[t]
        rows.append(h)
    return xp.stack(rows)


def by_logarithms(p):
    """Divides by what decays: right for numbers in (0, 1] alone, and as long as they do not underflow."""
    assert np.all(p.decay > 0) and np.all(p.decay <= 1)
    decay, x = p.decay.astype(np.float64), p.x.astype(np.float64)
    y, h = np.zeros_like(x), np.zeros(x.shape[1:])
    for t in range(len(x)):
        h = np.exp(np.log(decay[t])) * h + x[t]
        y[t] = h
    return y.astype(f32)


def in_order(p):
    y, h = np.zeros_like(p.x), np.zeros(p.x.shape[1:], f32)
    for t in range(len(p.x)):
        h = h * p.decay[t] + p.x[t]
        y[t] = h
    return y


LIMITS = dict(limits={"T": 20, "D": 9}, cases=60, reach="quick", empty=False)


@pytest.mark.parametrize("kernel", [by_logarithms, in_order])
def test_decays_are_positive(kernel):
    assay.gate(recurrence, kernel, **LIMITS).raise_for_failure()


def test_a_decay_that_is_forgotten():
    without_decay = lambda p: np.cumsum(p.x, 0, dtype=f32)  # noqa: E731
    assert not assay.gate(recurrence, without_decay, **LIMITS).passed


@assay.operation(x="N, D of nonzero")
def normalized(xp, x):
    return x / xp.sqrt(xp.sum(x * x, axis=-1, keepdims=True))


def refuses_zeros(p):
    size = np.sqrt((p.x * p.x).sum(-1, keepdims=True))
    assert np.all(p.x != 0)
    return p.x / size


@pytest.mark.parametrize("kernel", [refuses_zeros, lambda p: p.x * (1 / np.sqrt((p.x * p.x).sum(-1, keepdims=True)))])
def test_rows_that_are_not_0(kernel):
    result = assay.gate(normalized, kernel, cases=60, empty=False)
    result.raise_for_failure()
    assert not assay.gate(normalized, lambda p: refuses_zeros(p) * f32(1 + 1e-5), cases=60, empty=False).passed


def test_other_kinds_have_zeros():
    zeros = []
    plain = assay.operation(x="N, D")(lambda xp, x: x * 2)
    assay.gate(plain, lambda p: zeros.append((p.x == 0).any()) or p.x * 2, cases=40, own_process=False)
    assert any(zeros)
    assay.gate(gallery.rms_norm, rms_plain, cases=5, reach="none", sizes=2).raise_for_failure()
