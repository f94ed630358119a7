"""Kernels that are wrong for few magnitudes, or where finite numbers begin late in a row, fail."""

import pytest

import assay
from assay import gallery
from formula_settings import SEED, each
from formula_tried import FAULTY_MAGNITUDES


@pytest.mark.parametrize("name, kernel", each(FAULTY_MAGNITUDES))
def test_wrong_magnitudes_fail(name, kernel):
    result = assay.gate(getattr(gallery, name), kernel, cases=20, filter="outputs", reach="full", seed=SEED)
    assert result.failures, result


def test_there_are_as_many_faults_as_it_takes():
    assert sum(len(some) for some in FAULTY_MAGNITUDES.values()) >= 10
