"""Kernels on other roads than the formula's: the road, given as a formula, has a bound of its own. docs/formula.md, "Roads"."""

import warnings

import numpy as np
import pytest

import assay
import formula_gradients
import formula_right_sequences as right
import formula_roads as roads
from assay import gallery
from formula_faulty_sequences import inverse_by_powers
from formula_settings import CASES, SEED, each
from test_formula_declared import layer_fused

warnings.filterwarnings("ignore", category=RuntimeWarning)
NEAR = 4  # how much more than on the formula's own road a kernel may lose in a recurrence: Arithmetic::near_roads


@pytest.mark.parametrize(
    "name, kernel, road",
    [
        ("layer_norm", layer_fused, roads.layer_norm_of_two_products),
        ("cumulative_log_sum_exp", right.cumulative_by_doubling, roads.cumulative_by_doubling),
        ("gated_delta_rule", right.delta_by_matrices, roads.delta_by_matrices),
        ("gated_delta_rule", right.delta_in_chunks, roads.delta_in_chunks),
    ],
)
def test_a_right_kernel_passes_by_its_own_road(name, kernel, road):
    assay.gate(getattr(gallery, name), kernel, road=road, cases=CASES, seed=SEED, reach="none").raise_for_failure()


def test_a_backward_pass_in_logarithms_passes_by_its_own_road_alone():
    backward, road = formula_gradients.transducer_backward, roads.transducer_gradient
    seed = 4  # its cases tell the roads apart
    failure = assay.gradcheck(gallery.transducer_loss, backward, cases=CASES, seed=seed).failures["gradient"]
    assert "write the road as a formula: road=f" in failure.explanation
    result = assay.gradcheck(gallery.transducer_loss, backward, cases=CASES, seed=seed, road=road)
    result.raise_for_failure()
    assert "gradient: of the bound without what is declared, errors would use" in result.table
    both = gallery.transducer_loss.gate(right.transducer_alpha, backward, cases=10, road=(transducer_again, road))
    both.raise_for_failure()


def transducer_again(xp, logits, labels):
    return gallery.transducer_loss.formula(xp, logits, labels)


@pytest.mark.parametrize("fault", formula_gradients.FAULTY["transducer_loss"])
def test_a_road_is_no_blank_cheque(fault):
    kernel = formula_gradients.FAULTY["transducer_loss"][fault]
    failures = assay.gradcheck(gallery.transducer_loss, kernel, cases=CASES, road=roads.transducer_gradient).failures
    assert "road=transducer_gradient" in failures["gradient"].again
    assert assay.gate(gallery.layer_norm, lambda p: layer_fused(p) * np.float32(1.001), cases=CASES,
                      road=roads.layer_norm_of_two_products).failures  # fmt: skip


def test_a_road_to_elsewhere_is_refused():
    def without_bias(xp, x, weight, bias):
        return roads.layer_norm_of_two_products(xp, x, weight, 0 * bias)

    failure = assay.gate(gallery.layer_norm, layer_fused, cases=20, road=without_bias, filter="outputs").failures["outputs"]
    assert "expected a road to the same results" in failure.explanation


@pytest.mark.parametrize(
    "road, says",
    [
        (3, "road has 3: expected a function"),
        (lambda xp, x: x, "takes x after xp: expected x, weight, bias, and for the gradients also upstream"),
        (lambda xp, x, weight, bias: x[0], r"gives arrays of shapes \[\[5\]\]: expected \[\[5, 5\]\] where N=5, D=5"),
        (lambda xp, x, weight, bias, upstream0, upstream1: x, "takes 2 upstream gradients: expected 1"),
        ((roads.layer_norm_of_two_products,) * 2, "which take the same arrays: expected one of them"),
    ],
)
def test_what_is_no_road_is_refused(road, says):
    with pytest.raises((TypeError, ValueError), match=says):
        subject = gallery.layer_norm.subject(layer_fused, road=road, rounds={"d": 0})
        subject.run(1, 1, "outputs", "none", [], str)


RECURRENCES = {
    "gated_delta_rule": [*right.RIGHT["gated_delta_rule"], lambda p: right.delta_in_chunks(p, chunk=32)],
    "cumulative_log_sum_exp": right.RIGHT["cumulative_log_sum_exp"],
    "transducer_loss": right.RIGHT["transducer_loss"],
}


@pytest.mark.parametrize("name, kernel", each(RECURRENCES))
def test_right_kernels_are_on_roads_near_the_formulas(name, kernel):
    """Within half of what is allowed, so that a right kernel is not accused by chance."""
    operation = getattr(gallery, name)
    needed = assay.gate(operation, kernel, cases=CASES, seed=SEED, reach="none", filter="outputs", road=operation.formula)["outputs"].worst
    print(f"{name} {kernel.__name__}: {needed:.2f} of the formula's own road, {NEAR} allowed")
    assert 0 < needed <= NEAR / 2


def test_a_kernel_that_cancels_where_the_formula_does_not_is_noticed():
    result = assay.gate(gallery.gated_delta_rule, inverse_by_powers, cases=CASES, seed=SEED, reach="none", limits={"T": 129})
    assert "outputs" in result.failures or "exact" in result.failures, result
