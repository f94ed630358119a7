"""The property `algebra` accuses no kernel of another making, and finds what is wrong in each."""

import algebra_forms
import algebra_makings
import algebra_sequences
import pytest
from algebra_makings import BACKWARD, HIDDEN_BACKWARD
from hidden_faults import HIDDEN

RIGHT = {**algebra_sequences.RIGHT, **algebra_makings.RIGHT, **algebra_forms.RIGHT}
DOUBTFUL = algebra_makings.DOUBTFUL + algebra_forms.DOUBTFUL
FAULTS = {**algebra_sequences.FAULTS, **algebra_makings.FAULTS}


def judged(operation, kernel, backward=None, **options):
    options = {"cases": 8, "filter": "^algebra$", "algebra": True, "empty": False, "reach": "none", **options}
    return operation.gate(kernel, backward, **options)["algebra"]


def label(value):
    return getattr(value, "name", getattr(value, "__name__", str(value)))


def named(table):
    return [(operation, kernel) for operation, kernels in table.items() for kernel in kernels]


@pytest.mark.parametrize("operation,kernel", named(RIGHT), ids=label)
def test_other_makings_are_equal(operation, kernel):
    found = judged(operation, kernel)
    assert found.verdict == "pass" and found.judged > 0.9 * found.elements, found


@pytest.mark.parametrize("operation,kernel", DOUBTFUL)
def test_numbers_of_a_computed_table_accuse_nobody(operation, kernel):
    assert judged(operation, kernel, reach="quick").verdict != "fail"


@pytest.mark.parametrize("operation,backward", named(BACKWARD), ids=label)
def test_gradients_of_other_makings_are_equal(operation, backward):
    found = judged(operation, None, backward)
    assert found.verdict == "pass" and found.judged > 0.9 * found.elements, found


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_of_these_makings_differs(name):
    assert judged(*FAULTS[name], reach="quick").verdict == "fail"


def test_each_kind_of_fault_has_one():
    kinds = {
        "an index of a long sum": {"total_without_8000", "product_twice_8000", "row_8000_of_the_batch_left_out"},
        "a mask off by one": {"mask_one_ahead", "mask_one_behind"},
        "beta by blocks": {"beta_by_blocks_upwards"},
        "a stale maximum": {"stale_maximum_of_a_split", "stale_maximum_online"},
        "upstream of another row": {"upstream_of_the_row_before", "upstream_of_another_row"},
        "p for p - 1": {"p_for_p_less_one"},
    }
    tested = {*HIDDEN, *HIDDEN_BACKWARD, *FAULTS}
    assert not {name: of - tested for name, of in kinds.items() if of - tested}


@pytest.mark.parametrize("name", HIDDEN_BACKWARD)
def test_a_fault_of_a_gradient_that_the_bound_hides_is_found(name):
    operation, backward = HIDDEN_BACKWARD[name]
    properties = "^algebra$" if operation.name == "dot" else "^(exact|outputs|gradient|algebra)$"
    result = operation.gate(None, backward, cases=10, algebra=True, filter=properties)
    assert set(result.failures) == {"algebra"}, str(result)
