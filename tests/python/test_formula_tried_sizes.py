"""Kernels that are wrong for sizes between the powers of two, after a whole tile, or for two large extents, fail."""

import numpy as np
import pytest

import assay
from assay import gallery
from formula_settings import SEED, each
from formula_tried import FAULTY_SIZES


@pytest.mark.parametrize("name, kernel", each(FAULTY_SIZES))
def test_wrong_sizes_fail(name, kernel):
    result = assay.gate(getattr(gallery, name), kernel, cases=20, filter="outputs", reach="full", seed=SEED)
    assert result.failures, result


def test_there_are_as_many_faults_as_it_takes():
    assert sum(len(some) for some in FAULTY_SIZES.values()) >= 15


@assay.operation(x="N, D", y="D, K")
def product(xp, x, y):
    return x @ y


def zero_from(least):
    def wrong(p):
        result = p.x @ p.y
        if min(*p.x.shape, p.y.shape[1]) >= least:
            result[:] = 0
        return result

    return wrong


@pytest.mark.parametrize("reach, least", [("quick", 9), ("quick", 20), ("full", 37)])
def test_zeros_where_all_three_extents_are_large_at_once_fail(reach, least):
    assert product.gate(zero_from(least), reach=reach, filter="outputs", cases=20).failures


def test_a_product_in_blocks_passes():
    def in_blocks(p):
        result = np.zeros((len(p.x), p.y.shape[1]), np.float32)
        for k in range(0, len(p.y), 16):
            result += p.x[:, k : k + 16] @ p.y[k : k + 16]
        return result

    assert product.gate(in_blocks, reach="quick", cases=20).passed


@assay.operation(x="N, K", w="K, V")
def probabilities(xp, x, w):
    logits = x @ w
    e = xp.exp(logits - xp.max(logits, axis=-1, keepdims=True))
    return e / xp.sum(e, axis=-1, keepdims=True)


def backward(p):
    logits = p.x @ p.w
    e = np.exp(logits - logits.max(-1, keepdims=True, initial=-np.inf))
    y = e / e.sum(-1, keepdims=True)
    of_logits = y * (p.upstream - (p.upstream * y).sum(-1, keepdims=True))
    return of_logits @ p.w.T, p.x.T @ of_logits


def backward_without_the_end(p):
    of_x, of_w = backward(p)
    if min(of_w.shape) > 200:
        of_w[200:, 200:] = 0
    return of_x, of_w


def test_a_gradient_each_element_of_which_needs_all_inputs_is_sampled():
    asked = {"filter": "gradient", "cases": 5, "empty": False}
    assert probabilities.gate(backward=backward, **asked).passed
    assert probabilities.gate(backward=backward_without_the_end, **asked).failures
