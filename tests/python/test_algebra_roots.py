"""The property `algebra` where the sign of a root is a choice, where constants are typed, and where little can be judged."""

import math

import numpy as np
import pytest

import assay

f32 = np.float32


@assay.operation(x="N, D")
def norm(xp, x):
    return xp.sqrt(xp.sum(x * x, axis=-1))


@assay.operation(x="N, D", w="D", b="D")
def rms_norm(xp, x, w, b):
    return x / xp.sqrt(xp.mean(x * x, axis=-1, keepdims=True) + 1e-5) * w + b


@assay.operation(x="N, D", y="N, D")
def cosine(xp, x, y):
    return xp.sum(x * y, axis=-1) / (xp.sqrt(xp.sum(x * x, axis=-1)) * xp.sqrt(xp.sum(y * y, axis=-1)))


@assay.operation(x="N, D")
def magnitude(xp, x):
    return 1 + xp.sum(xp.exp(xp.abs(x)), axis=-1)


def scales(x):
    yield np.abs(x).max(-1, keepdims=True)
    yield np.abs(x).sum(-1, keepdims=True)
    yield 2 + np.exp(x[..., :1])


def scaled_norm(x, k):
    m = list(scales(x))[k]
    return m * np.sqrt(((x / m) ** 2).sum(-1, keepdims=True))


def scaled_rms(p, k):
    m = list(scales(p.x))[k]
    y = p.x / m
    return y / np.sqrt((y * y).mean(-1, keepdims=True) + f32(1e-5) / (m * m)) * p.w + p.b


def judged(operation, kernel, **options):
    return operation.gate(kernel, **{"cases": 12, "reach": "none", "filter": "^algebra$", "algebra": True, **options})["algebra"]


RIGHT = [
    *((norm, lambda p, k=k: scaled_norm(p.x, k)[:, 0]) for k in range(3)),
    *((rms_norm, lambda p, k=k: scaled_rms(p, k)) for k in range(3)),
    *((cosine, lambda p, k=k: (p.x * p.y).sum(-1) / (scaled_norm(p.x, k) * scaled_norm(p.y, k))[:, 0]) for k in range(3)),
    (norm, lambda p: np.exp(f32(0.5) * np.log((p.x * p.x).sum(-1)))),
    (norm, lambda p: ((p.x * p.x).sum(-1)) ** f32(0.5)),
]


@pytest.mark.parametrize("operation,kernel", RIGHT)
def test_roots_of_scaled_arguments_are_equal(operation, kernel):
    found = judged(operation, kernel)
    assert found.verdict == "pass" and found.judged > 0.8 * found.elements, found


def test_roots_of_squares_are_never_accused():
    assert judged(magnitude, lambda p: 1 + np.exp(np.sqrt(p.x * p.x)).sum(-1)).verdict != "fail"


WRONG = [
    (norm, lambda p: (scaled_norm(p.x, 0) * f32(1.001))[:, 0]),
    (norm, lambda p: np.sqrt((p.x * p.x).sum(-1) + f32(1e-9))),
    (rms_norm, lambda p: p.x / np.sqrt((p.x * p.x).mean(-1, keepdims=True) + f32(1.1e-5)) * p.w + p.b),
    (cosine, lambda p: (p.x * p.y).sum(-1) / ((scaled_norm(p.x, 0) * scaled_norm(p.y, 1))[:, 0] + f32(1e-8))),
]


@pytest.mark.parametrize("operation,kernel", WRONG[:3])
def test_another_formula_with_roots_differs(operation, kernel):
    assert judged(operation, kernel).verdict == "fail"


def test_where_signs_of_several_roots_mix_nobody_is_judged_right():
    found = judged(*WRONG[3])
    assert found.verdict in ("fail", "skipped", "mistrusted"), found


TYPED = (0.123456789, 0.7978845608, 2.5066282746, 0.3333333333, 1.4426950409)


@pytest.mark.parametrize("number", TYPED)
@pytest.mark.parametrize("steps", [-1, 0, 1])
def test_typed_constants_accuse_nobody(number, steps):
    @assay.operation(x="N")
    def scaled(xp, x):
        return x * number

    near = f32(number)
    if steps:
        near = np.nextafter(near, f32(steps * math.inf))
    assert judged(scaled, lambda p: p.x * near).verdict != "fail"


def test_another_constant_differs():
    @assay.operation(x="N")
    def scaled(xp, x):
        return x * 0.7978845608

    assert judged(scaled, lambda p: p.x * f32(0.79)).verdict == "fail"


def test_too_little_judged_is_no_pass():
    @assay.operation(x="T, 3")
    def totals(xp, x):
        return xp.cumulative_sum(x, axis=0)

    def only_the_first(p):
        y = np.cumsum(p.x, axis=0)
        y[1:] = np.fmod(y[1:], f32(1e6))
        return y

    assert judged(totals, only_the_first).verdict == "mistrusted"
    assert judged(totals, lambda p: np.fmod(np.cumsum(p.x, axis=0), f32(1e6))).verdict == "skipped"


def test_a_wrong_count_is_no_missing_term():
    @assay.operation(x="N, D")
    def variance(xp, x):
        return xp.sum(x * x, axis=-1) / x.shape[1]

    failure = judged(variance, lambda p: (p.x * p.x).sum(-1) / f32(p.x.shape[1] + 1)).failure
    assert "term" not in failure.explanation and "operand" not in failure.explanation, failure.explanation
