"""Values that a kernel keeps in a narrower type, and factors of products in TF32: declared by name, and named by the hint."""

import re
import warnings

import numpy as np
import pytest

import assay
from assay.corpus.narrow import bfloat16, half

CASES = 40
f32 = np.float32
warnings.filterwarnings("ignore", category=RuntimeWarning)


def truncated(x):
    """The first 11 bits, as a matrix unit reads float32."""
    return (np.ascontiguousarray(x, f32).view(np.uint32) & np.uint32(0xFFFFE000)).view(f32).reshape(x.shape)


def to_tf32(x):
    """Rounded to 11 bits, halves away from 0."""
    bits = np.ascontiguousarray(x, f32).view(np.uint32)
    return ((bits + 0x1000) & np.uint32(0xFFFFE000)).view(f32).reshape(x.shape)


@assay.operation(q="N, D", k="T, D", v="T, E")
def attention(xp, q, k, v):
    scores = q @ k.T
    e = xp.exp(scores - xp.max(scores, axis=-1, keepdims=True))
    p = e / xp.sum(e, axis=-1, keepdims=True)
    return p @ v


def in_one_piece(p, keep=bfloat16):
    """All weights at once, which are kept narrow."""
    scores = p.q @ p.k.T
    e = np.exp(scores - scores.max(-1, keepdims=True, initial=-np.inf))
    return keep(e / e.sum(-1, keepdims=True)) @ p.v


def in_blocks(p, keep=bfloat16, block=2):
    """Online, with weights that are kept narrow before their sum is known: each relative to the maximum so far."""
    n = p.q.shape[0]
    top, total, out = np.full((n, 1), -np.inf, f32), np.zeros((n, 1), f32), np.zeros((n, p.v.shape[1]), f32)
    for first in range(0, p.k.shape[0], block):
        scores = p.q @ p.k[first : first + block].T
        above = np.maximum(top, scores.max(-1, keepdims=True))
        e, scale = np.exp(scores - above), np.exp(top - above)
        total, out, top = total * scale + e.sum(-1, keepdims=True), out * scale + keep(e) @ p.v[first : first + block], above
    return out / total


def judge(kernel, **declared):
    limits = {"N": 9, "T": 40, "D": 9, "E": 9}
    return assay.gate(attention, kernel, cases=CASES, reach="none", empty=False, limits=limits, **declared)


RIGHT = [(in_one_piece, "p"), (in_blocks, "e")]


@pytest.mark.parametrize("kernel,name", RIGHT)
def test_a_value_that_is_kept_in_16_bits_passes_where_it_is_declared(kernel, name):
    result = judge(kernel, rounds={name: "bfloat16"})
    result.raise_for_failure()
    assert 0.1 < result["outputs"].worst <= 1
    (share,) = re.findall(r"output: of the bound without what is declared, errors would use (.+)", result.table)
    assert share == "more than all" or float(share.split()[0]) > 100


def test_the_hint_names_the_value_and_its_type():
    for keep, type_name in ((bfloat16, "bfloat16"), (half, "float16")):
        failure = judge(lambda p: in_one_piece(p, keep)).failures["outputs"]
        found = re.search(r"if the kernel keeps p in ([a-z0-9 ]+), declare rounds={'p': '", failure.explanation)
        assert found and type_name in found[1].split(" or ")


def test_the_hint_is_silent_about_faults():
    forgotten = judge(lambda p: in_one_piece(p, lambda x: x) * f32(1.0005)).failures["outputs"]
    assert "keeps" not in forgotten.explanation
    assert "times more" not in judge(lambda p: in_one_piece(p, lambda x: x) * f32(1.00001)).failures["outputs"].explanation


def spoiled(value):
    def kernel(p):
        y = in_one_piece(p)
        y.reshape(-1)[-1] = value(y.reshape(-1)[-1])
        return y

    return kernel


def without_the_last(p):
    return in_blocks(type(p)(q=p.q, k=p.k[:-1], v=p.v[:-1])) if len(p.k) > 1 else in_blocks(p)


FAULTS = {
    "another type": (in_one_piece, {"p": "float16"}),
    "another value": (in_one_piece, {"scores": "float16"}),
    "the values of v too": (lambda p: in_one_piece(type(p)(q=p.q, k=p.k, v=bfloat16(p.v))), {"p": "bfloat16"}),
    "one element": (spoiled(lambda y: y * f32(1.1) + f32(0.1)), {"p": "bfloat16"}),
    "NaN": (spoiled(lambda y: np.nan), {"p": "bfloat16"}),
    "infinite": (spoiled(lambda y: np.inf), {"p": "bfloat16"}),
    "the last block": (without_the_last, {"e": "bfloat16"}),
}


@pytest.mark.parametrize("name", FAULTS)
def test_what_is_kept_is_no_excuse(name):
    kernel, rounds = FAULTS[name]
    assert not judge(kernel, rounds=rounds).passed


def test_exact_values_stay_exact():
    """A number of the narrow type is not rounded: small integers allow no error."""
    twice = assay.operation(x="N")(lambda xp, x: named(xp, x))
    assay.gate(twice, lambda p: p.x * 2 + 1, rounds={"h": "bfloat16"}, cases=CASES, reach="none").raise_for_failure()
    faulty = lambda p: np.where(p.x == 3, f32(7 + 2.0**-6), p.x * 2 + 1)  # noqa: E731
    worse = assay.gate(twice, faulty, rounds={"h": "bfloat16"}, filter="exact")
    assert "exact" in worse.failures


def named(xp, x):
    h = x * 2
    return h + 1


def test_a_value_that_is_returned_has_a_name():
    @assay.operation(x="N")
    def logistic(xp, x):
        e = xp.exp(-xp.abs(x))
        y = xp.where(x < 0, e, 1) / (1 + e)
        return y

    def kernel(p):
        e = np.exp(-np.abs(p.x))
        return bfloat16(np.where(p.x < 0, e, f32(1)) / (1 + e))

    assert "rounds={'y': 'bfloat16'}" in assay.gate(logistic, kernel, cases=CASES, reach="none").failures["outputs"].explanation
    assay.gate(logistic, kernel, cases=CASES, reach="none", rounds={"y": "bfloat16"}).raise_for_failure()
    without = assay.operation(x="N")(lambda xp, x: xp.exp(x))
    plain = lambda p: bfloat16(np.exp(p.x))  # noqa: E731
    assay.gate(without, plain, cases=CASES, reach="none", rounds={"output": "bfloat16"}).raise_for_failure()


@assay.operation(a="M, K", b="K, N", c="N")
def affine(xp, a, b, c):
    return a @ b + c


def with_factors(rounded):
    return lambda p: rounded(p.a) @ rounded(p.b) + p.c


def in_slices(p):
    """The inner axis in steps of two, each by the matrix unit."""
    y = np.zeros((p.a.shape[0], p.b.shape[1]), f32)
    for k in range(0, p.a.shape[1], 2):
        y = y + truncated(p.a[:, k : k + 2]) @ truncated(p.b[k : k + 2])
    return y + p.c


def products(kernel, **declared):
    return assay.gate(affine, kernel, cases=CASES, reach="none", **declared)


@pytest.mark.parametrize("kernel", [with_factors(truncated), with_factors(to_tf32), in_slices])
def test_products_in_tf32(kernel):
    failure = products(kernel).failures["outputs"]
    assert "if the kernel rounds the factors of products of matrices to tf32, declare products='tf32'" in failure.explanation
    products(kernel, products="tf32").raise_for_failure()


def test_products_in_bfloat16_are_no_tf32():
    kernel = with_factors(bfloat16)
    assert "products='bfloat16'" in products(kernel, products="tf32").failures["outputs"].explanation
    products(kernel, products="bfloat16").raise_for_failure()


@pytest.mark.parametrize("kernel", [
    lambda p: truncated(p.a) @ truncated(p.b) + truncated(p.c),
    lambda p: truncated(truncated(p.a) @ truncated(p.b)) + p.c,
    lambda p: np.where(p.a @ p.b > 1, f32(np.nan), truncated(p.a) @ truncated(p.b) + p.c),
    lambda p: truncated(p.a[:, :-1]) @ truncated(p.b[:-1]) + p.c,
])  # fmt: skip
def test_tf32_is_for_factors_of_products_alone(kernel):
    assert not products(kernel, products="tf32").passed


def test_mistakes():
    for rounds, said in (
        ({"p": "bf16"}, "rounds['p'] = 'bf16': expected one of"),
        ({"w": "bfloat16"}, "rounds has 'w': expected one of"),
        ({"out.operands": "bfloat16"}, "expected"),
        ("p", "rounds = 'p': expected numbers of roundings"),
    ):
        with pytest.raises((ValueError, TypeError), match="expected") as error:
            judge(in_one_piece, rounds=rounds)
        assert said in str(error.value)
    with pytest.raises(ValueError, match="products = 'fp8': expected one of"):
        products(with_factors(truncated), products="fp8")
