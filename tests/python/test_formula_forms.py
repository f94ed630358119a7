"""Right kernels in other orders and forms than the formula's pass, and declare nothing; a planted fault beside each fails."""

import numpy as np
import pytest

import assay
import formula_forms
from formula_settings import CASES, SEED, failed


def _pairs(pairs):
    return [pytest.param(one, kernel, id=f"{one.name}-{kernel.__name__}") for one, kernel in pairs]


@pytest.mark.parametrize("operation, kernel", _pairs(formula_forms.RIGHT))
def test_right_forms_pass(operation, kernel):
    result = assay.gate(operation, kernel, cases=CASES, seed=SEED, empty=False)
    assert result.passed, str(result)


@pytest.mark.parametrize("operation, backward", _pairs(formula_forms.RIGHT_BACKWARD))
def test_right_gradients_pass(operation, backward):
    result = operation.gate(backward=backward, cases=CASES, seed=SEED, empty=False)
    assert result.passed, str(result)


@pytest.mark.parametrize("operation, kernel", _pairs(formula_forms.FAULTY))
def test_faulty_forms_fail(operation, kernel):
    assert failed(assay.gate(operation, kernel, cases=CASES, seed=SEED, empty=False))


@pytest.mark.parametrize("operation, backward", _pairs(formula_forms.FAULTY_BACKWARD))
def test_faulty_gradients_fail(operation, backward):
    assert failed(operation.gate(backward=backward, cases=CASES, seed=SEED, empty=False)) == ["gradient"]
