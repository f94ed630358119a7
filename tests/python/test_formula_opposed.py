"""Inputs of one size and both signs, whose products are far below 0: a maximum that begins at a number fails a quick run."""

import numpy as np
import pytest

import assay
from assay.corpus.attention import attention, right_attention


def begun_at(start):
    """Keys in blocks of four, with a running maximum."""

    def kernel(p):
        s = p.q @ p.k.T * np.float32(0.25)
        m, total, out = (
            np.full((len(s), 1), start, np.float32),
            np.zeros((len(s), 1), np.float32),
            np.zeros((len(s), p.v.shape[1]), np.float32),
        )
        for first in range(0, s.shape[1], 4):
            part = s[:, first : first + 4]
            new = np.maximum(m, part.max(-1, keepdims=True))
            e, factor = np.exp(part - new), np.exp(m - new)
            m, total, out = new, total * factor + e.sum(-1, keepdims=True), out * factor + e @ p.v[first : first + 4]
        return out / np.where(total > 0, total, np.float32(1))

    return kernel


@pytest.mark.parametrize("kernel", [right_attention, begun_at(-np.inf)], ids=["whole", "in blocks"])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_right_kernels_pass(kernel, seed):
    result = assay.gate(attention, kernel, filter="^outputs$", empty=False, seed=seed)
    assert result.passed, result.table


@pytest.mark.parametrize("start", [0, -1e4, -5e4])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_maximum_that_begins_at_a_number_fails(start, seed):
    result = assay.gate(attention, begun_at(start), filter="^outputs$", empty=False, seed=seed)
    assert "outputs" in result.failures, result.table
