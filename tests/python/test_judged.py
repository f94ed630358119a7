"""A pass proves something: elements whose bounds are too wide to judge by are counted, and too many are no pass."""

import warnings

import numpy as np
import pytest

import assay
import kernels
from assay import gallery
from formula_right_kernels import softmax_plain

warnings.filterwarnings("ignore", category=RuntimeWarning)
CASES = 40


def zero_for_nothing(p):
    """0 for a row of -inf, where the formula gives NaN."""
    return np.nan_to_num(softmax_plain(p), nan=0.0)


def test_nan_is_judged_where_the_formula_gives_it():
    result = assay.gate(gallery.softmax, softmax_plain, cases=CASES, reach="none", filter="^outputs$")
    assert result.passed and result["outputs"].judged > 0.8 * result["outputs"].elements > 0
    failure = assay.gate(gallery.softmax, zero_for_nothing, cases=CASES, reach="none", filter="^outputs$").failures["outputs"]
    assert "exact    nan" in failure.explanation and "got      0" in failure.explanation


def test_zero_and_minus_zero_are_one_number():
    @assay.operation(x="N, D", properties="rows=N")
    def half(xp, x):
        return x / 2

    def negated(p):
        y = p.x / np.float32(2)
        return np.where(y == 0, -y, y)

    assay.gate(half, negated, cases=CASES, reach="none").raise_for_failure()


def test_bounds_that_judge_nothing_are_no_pass():
    declared = dict(accumulate="bfloat16", extents={"D": [300]})  # sums of more than 128 terms may be off by themselves
    result = assay.gate(gallery.softmax, softmax_plain, cases=CASES, reach="none", filter="^outputs$", **declared)
    outputs = result["outputs"]
    assert not result.passed and outputs.verdict == "mistrusted" and outputs.judged < outputs.elements / 2
    assert "too little was judged in" in outputs.mistrust and outputs.mistrust in str(result)


def test_a_road_that_alone_hides_a_result_judges_none():
    def through_a_large_number(xp, x):
        e = xp.exp(x - xp.max(x, axis=-1, keepdims=True))
        return (e / xp.sum(e, axis=-1, keepdims=True) + 2.0**22) - 2.0**22

    def in_quarters(p):
        return (np.round(softmax_plain(p) * np.float32(4)) / np.float32(4)).astype(np.float32)

    for kernel in (in_quarters, softmax_plain):
        result = assay.gate(gallery.softmax, kernel, cases=CASES, reach="none", filter="^outputs$", road=through_a_large_number)
        assert result["outputs"].verdict == "mistrusted", result


def test_a_loose_declaration_passes_nothing():
    declared = {**kernels.CTC, "unit_roundoff": 2**-8}
    result = assay.gate("ctc", kernels.ctc, cases=CASES, reach="none", filter="^gradient$", **declared)
    gradient = result["gradient"]
    assert not result.passed and gradient.verdict == "mistrusted" and gradient.judged < gradient.elements
    said = result.record["runs"][0]["properties"][0]
    assert said["elements"] == gradient.elements and said["thin"] > said["measured"] / 2
    assert "too few in" in str(result)
    with pytest.raises(AssertionError, match="too little was judged in"):
        result.raise_for_failure()
