"""Quantised kernels judged in one setting: right ones of several makings pass, and faulty ones fail."""

import pytest
from quantised_faulty import FAULTY
from quantised_right import RIGHT

import assay

CASES = 40


def name_of(entry):
    return f"{entry[0].name}-{entry[1].__name__}"


@pytest.mark.parametrize("operation, kernel, declared", RIGHT, ids=map(name_of, RIGHT))
def test_a_right_kernel_passes(operation, kernel, declared):
    result = assay.gate(operation, kernel, cases=CASES, **declared)
    assert result.passed, result.table


@pytest.mark.parametrize("operation, kernel, declared", FAULTY, ids=map(name_of, FAULTY))
def test_a_faulty_kernel_fails(operation, kernel, declared):
    result = assay.gate(operation, kernel, cases=CASES, **declared)
    assert result.failures, result.table
    wrong = [one.explanation for one in result.failures.values()]
    assert any("  got " in text for text in wrong), wrong  # no exception, no refusal


def test_there_are_enough_of_them():
    assert len(RIGHT) >= 3 * 14
    assert len(FAULTY) >= 50
