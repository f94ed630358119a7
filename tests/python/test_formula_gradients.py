"""Backward passes of the gallery's operations: right ones pass, faulty ones fail, whatever the seed."""

import pytest

import assay
import formula_gradients
from assay import gallery
from formula_settings import CASES, SEED, each, failed


@pytest.mark.parametrize("name, kernel", each(formula_gradients.RIGHT))
def test_right_backward_passes_pass(name, kernel):
    declared = formula_gradients.DECLARED.get(kernel, {})
    assay.gradcheck(getattr(gallery, name), kernel, cases=CASES, seed=SEED, **declared).raise_for_failure()


@pytest.mark.parametrize("name, fault", each(formula_gradients.FAULTY))
def test_faulty_backward_passes_fail(name, fault):
    result = assay.gradcheck(getattr(gallery, name), formula_gradients.FAULTY[name][fault], cases=CASES, seed=SEED)
    assert failed(result), result
