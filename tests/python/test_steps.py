"""assay.steps: that its numbers are those of assay.reference, in Python's types, and what it refuses."""

from decimal import Decimal
from fractions import Fraction

import assay
import numpy as np
import pytest
from assay import steps

LOGITS = np.random.default_rng(5).normal(size=(6, 4)).astype(np.float32) * 3
LABELS = [2, 1, 1]


def truth():
    return assay.reference.ctc(logits=LOGITS[:, None], targets=[LABELS], input_lengths=[6], target_lengths=[3])


def test_digits_are_those_of_the_reference():
    walk = steps.ctc(LABELS, logits=LOGITS, number=50)
    assert isinstance(walk.loss, Decimal)
    assert abs(walk.loss - truth().loss[0]) < Decimal("1e-48")
    assert np.max(np.abs(walk.gradient - truth().gradient[:, 0])) < Decimal("1e-48")


@pytest.mark.parametrize("space", ["probability", "log", "scaled"])
@pytest.mark.parametrize("number, most", [("half", 0.02), ("bfloat16", 0.2), ("float", 1e-5), ("double", 1e-13)])
def test_formats_are_near_it_and_not_equal_to_it(number, most, space):
    walk = steps.ctc(LABELS, logits=LOGITS, number=number, space=space)
    assert walk.gradient.dtype == np.float64
    error = np.max(np.abs(walk.gradient - truth().gradient_float64[:, 0]))
    assert 0 < error <= most


def test_halves_are_halves():
    walk = steps.ctc(LABELS, logits=LOGITS, number="half")
    assert np.array_equal(walk.alpha, walk.alpha.astype(np.float16).astype(np.float64))


def test_fractions():
    walk = steps.ctc([1], outputs=[[Fraction(1, 2), Fraction(1, 2)], ["1/4", 0.75]], number="exact")
    assert walk.p == Fraction(7, 8) and walk.loss is None
    assert walk.alpha.tolist() == [[Fraction(1, 2), Fraction(1, 2), 0], [0, Fraction(3, 4), Fraction(1, 8)]]
    assert (walk.gradient == walk.gradient_two_step).all()
    assert steps.ctc([1, 1], outputs=[["1/2", "1/2"]], number="exact").gradient is None


def test_a_transition_left_out_of_alpha_shows():
    whole = steps.ctc([1, 1], outputs=[["1/3"] * 3] * 5, number="exact")
    broken = steps.ctc([1, 1], outputs=[["1/3"] * 3] * 5, number="exact", without=(2, 1, 2))
    assert [i == whole.p for i in broken.invariant_excluding] == [True, True, False, False, False]


def test_alignments_add_up():
    found = steps.alignments([1, 1], 4, outputs=[["1/3"] * 3] * 4)
    assert found.count == found.count_closed_form == len(found.alignments) == 5
    assert sum(found.probability) == found.p == Fraction(5, 81)
    assert found.best in found.alignments and found.best_probability == max(found.probability)
    assert (found.gradient_wrt_logits == steps.ctc([1, 1], outputs=[["1/3"] * 3] * 4, number="exact").gradient).all()
    many = steps.alignments([1, 2], 50, outputs=[["1/4", "1/2", "1/4"]] * 50)
    assert many.alignments is None and many.probability is None
    assert len(many.best) == 50 and many.best_probability == Fraction(1, 2) ** 49 * Fraction(1, 4)
    assert steps.count_alignments([1, 2], 3) == 5


def test_matrices():
    assert steps.log_sum_exp([1000.0, 1000.0]).naive == np.inf
    assert steps.log_sum_exp([0.0, 1.0, 2.0], chunk=2).log.shape == (2,)
    rng = np.random.default_rng(0)
    hidden, weight = rng.normal(size=(2, 3)), rng.normal(size=(5, 3))
    exact = assay.reference.cce(hidden, weight, [1, 4])
    got = steps.cce(hidden, weight, [1, 4])
    assert np.allclose(got.loss, exact.loss_float64, rtol=1e-13)
    assert got.dhidden.shape == (2, 3) and got.dweight.shape == (5, 3) and got.dbias is None
    A = rng.normal(size=(4, 3))
    walk = steps.jacobi(A, number=30)
    assert walk.sweeps[-1].rotations == 0 and walk.sweeps[1].AV.shape == (4, 3)
    assert np.max(np.abs(walk.S - assay.reference.svd(A).S)) < Decimal("1e-28")


def test_bounds_hold_and_are_small():
    bounds = steps.bounds(LABELS, LOGITS)
    walk = steps.ctc(LABELS, logits=LOGITS, number="float", space="log")
    error = np.abs(walk.gradient - truth().gradient_float64[:, 0])
    assert (error <= bounds.gradient).all() and np.max(bounds.gradient) < 1e-3
    assert abs(walk.loss - float(truth().loss[0])) <= bounds.loss


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: steps.ctc([5], logits=LOGITS), r"labels\[0\] = 5: expected a label in \[0, C=4\)"),
        (lambda: steps.ctc([1]), "logits, outputs: expected one of them"),
        (lambda: steps.ctc([1], logits=LOGITS, number="quad"), 'number = "quad": expected half'),
        (lambda: steps.ctc([1], logits=[[0.0, float("nan")]]), "expected a finite number or -inf"),
        (lambda: steps.ctc([1], logits=LOGITS, number="exact"), "expected outputs"),
        (lambda: steps.jacobi([[1.0, 2.0]]), "expected at least as many rows as columns"),
        (lambda: steps.bounds([1], [[0.1, 1.0]]), "expected a float32"),
    ],
)
def test_refusals_name_what_was_wrong(call, words):
    with pytest.raises(ValueError, match=words):
        call()
