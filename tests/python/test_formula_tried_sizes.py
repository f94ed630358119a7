"""Kernels that are wrong for sizes between the powers of two, after a whole tile, or for two large extents, fail."""

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
