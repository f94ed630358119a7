"""Faulty kernels of the gallery fail, whatever the seed, in the setting in which right ones pass."""

import pytest

import assay
import formula_faulty_kernels
import formula_faulty_sequences
from assay import gallery
from formula_settings import CASES, SEED, each, failed

FAULTY = {**formula_faulty_kernels.FAULTY, **formula_faulty_sequences.FAULTY}


@pytest.mark.parametrize("name, fault", each(FAULTY))
def test_faulty_kernels_fail(name, fault):
    result = assay.gate(getattr(gallery, name), FAULTY[name][fault], cases=CASES, seed=SEED)
    assert failed(result), result


def test_there_are_as_many_faults_as_it_takes():
    assert sum(len(some) for some in FAULTY.values()) >= 40
