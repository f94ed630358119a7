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
