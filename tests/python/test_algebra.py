"""The property `algebra`: right kernels of every making are equal to the formula, and faults that bounds hide are not."""

import formula_gradients
import formula_right_kernels
import formula_right_sequences
import numpy as np
import pytest
from hidden_faults import HIDDEN, LEAST, RIGHT

import assay
from assay import gallery

f32 = np.float32


def judged(operation, kernel, backward=None, **options):
    options = {"cases": 12, "filter": "^algebra$", **options}
    return operation.gate(kernel, backward, **options)["algebra"]


def named(table):
    return [(operation, kernel) for operation, kernels in table.items() for kernel in kernels]


def label(value):
    return getattr(value, "__name__", str(value))


@pytest.mark.parametrize("operation,kernel", named(formula_right_kernels.RIGHT) + named(formula_right_sequences.RIGHT), ids=label)
def test_right_kernels_are_equal(operation, kernel):
    found = judged(getattr(gallery, operation), kernel, limits=dict.fromkeys(getattr(gallery, operation).extents, 33))
    assert found.verdict == "pass" and found.judged > 0.9 * found.elements, found


@pytest.mark.parametrize("operation,backward", named(formula_gradients.RIGHT), ids=label)
def test_right_gradients_are_never_accused(operation, backward):
    found = judged(getattr(gallery, operation), None, backward, limits=dict.fromkeys(getattr(gallery, operation).extents, 17))
    assert found.verdict in ("pass", "skipped"), found


@pytest.mark.parametrize("operation,kernel", RIGHT, ids=label)
def test_other_makings_are_equal(operation, kernel):
    found = judged(operation, kernel)
    assert found.verdict == "pass" and found.judged > 0.9 * found.elements, found


@pytest.mark.parametrize("name", HIDDEN)
def test_a_fault_that_the_bound_hides_is_found(name):
    operation, kernel, words = HIDDEN[name]
    found = judged(operation, kernel, cases=4)
    assert found.verdict == "fail", found
    assert words in found.failure.explanation, found.failure.explanation


def test_there_are_enough_of_them():
    assert len(HIDDEN) >= LEAST
