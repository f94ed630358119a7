"""A factor that a kernel applies to a product before a function or a quotient is no fault, though the formula's own product may be
exact; a product that is kept in 16 bits is one."""

import numpy as np
import pytest

import assay
from assay.corpus.narrow import bfloat16

LOG2_E = 1.4426950408889634
SCALE = 0.25  # a power of two: the formula scales exactly


@assay.operation(q="N, E", k="M, E", v="M, D")
def attention(xp, q, k, v):
    scores = xp.matmul(q, xp.permute_dims(k, (1, 0))) * SCALE
    e = xp.exp(scores - xp.max(scores, axis=-1, keepdims=True))
    return xp.matmul(e / xp.sum(e, axis=-1, keepdims=True), v)


@assay.operation(x="N, D", w="N, D of positive")
def average(xp, x, w):
    return xp.sum(x * w, axis=-1) / xp.sum(w, axis=-1)


def scores_of(p):
    return np.ascontiguousarray(p.q) @ np.ascontiguousarray(p.k).T


def with_powers_of_two(p, store=lambda s: s):
    """The factor log2(e) goes into the scale, and a fused multiply-add subtracts the scaled maximum."""
    scores, factor = store(scores_of(p)), np.float32(SCALE * LOG2_E)
    largest = scores.max(-1, keepdims=True) * factor
    e = np.exp2((scores.astype(np.float64) * np.float64(factor) - largest).astype(np.float32))
    return (e @ p.v) / e.sum(-1, keepdims=True)


def in_blocks(p, block=16):
    """The same, online."""
    scores, factor = scores_of(p), np.float32(SCALE * LOG2_E)
    largest = np.full((len(scores), 1), -np.inf, np.float32)
    total, result = np.zeros_like(largest), np.zeros((len(scores), p.v.shape[1]), np.float32)
    for first in range(0, scores.shape[1], block):
        part = scores[:, first : first + block]
        new = np.maximum(largest, part.max(-1, keepdims=True) * factor)
        e, again = np.exp2(part * factor - new), np.exp2(largest - new)
        total, result, largest = total * again + e.sum(-1, keepdims=True), result * again + e @ p.v[first : first + block], new
    return result / total


def weights_first(p, store=lambda w: w):
    return (p.x * store(p.w / p.w.sum(-1, keepdims=True))).sum(-1)


def by_parts(p, block=7):
    """Rescaled to the weights so far: the average of a part joins that of the parts before."""
    total, result = np.zeros(len(p.x), np.float32), np.zeros(len(p.x), np.float32)
    for first in range(0, p.x.shape[1], block):
        x, w = p.x[:, first : first + block], p.w[:, first : first + block]
        new = total + w.sum(-1)
        result, total = result * (total / new) + (x * (w / new[:, None])).sum(-1), new
    return result


NOT_EMPTY = {attention: {"M": "at least 1", "E": "at least 1"}, average: {"D": "at least 1"}}


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize(
    "operation, kernel",
    [(attention, with_powers_of_two), (attention, in_blocks), (average, weights_first), (average, by_parts)],
    ids=lambda one: getattr(one, "__name__", None),
)
def test_factors_may_be_applied_earlier(operation, kernel, seed):
    assay.gate(operation, kernel, seed=seed, reach="quick", extents=NOT_EMPTY[operation]).raise_for_failure()


def test_a_factor_may_underflow_at_each_term():
    """25 products of 13.5 times the smallest number, each rounded to one of it; an error of a tenth is another's."""
    w = np.full((1, 25), 0.28256967663764954, np.float32)
    for kernel, x, passes in [(weights_first, -1.82e-44, True), (weights_first, -1e-42, True),
                              (lambda p: weights_first(p) * np.float32(0.9), -1e-42, False)]:  # fmt: skip
        given = {"x": np.full((1, 25), x, np.float32), "w": w}
        assert assay.gate(average, kernel, cases=0, reach="none", filter="outputs", input=given).passed == passes


@pytest.mark.parametrize(
    "operation, kernel",
    [(attention, lambda p: with_powers_of_two(p, bfloat16)), (average, lambda p: weights_first(p, bfloat16))],
    ids=["scores", "weights"],
)
def test_what_is_kept_in_16_bits_is_a_fault(operation, kernel):
    result = assay.gate(operation, kernel, reach="quick", extents=NOT_EMPTY[operation])
    assert "outputs" in result.failures


@pytest.mark.parametrize("value", [np.nan, np.inf, 0.5])
def test_one_wrong_element_is_a_fault(value):
    def wrong(p):
        result = np.array(weights_first(p))
        result[:1] = value
        return result

    result = assay.gate(average, wrong, reach="quick", extents=NOT_EMPTY[average])
    assert {"exact", "outputs"} <= set(result.failures)


def test_an_extent_of_at_least_1_is_not_empty():
    seen = []
    assay.gate(average, lambda p: seen.append(p.x.shape[1]) or weights_first(p), extents=NOT_EMPTY[average], reach="none",
               own_process=False)  # fmt: skip
    assert min(seen) == 1
