"""Results of which few digits mean something are named, by a condition number that is known, and no others."""

import json

import numpy as np
import pytest

import assay


@assay.operation(x="N, 3")
def total(xp, x):
    return xp.sum(x, axis=-1)


@assay.operation(x="T", limits={"T": 1025})
def sum_of_exponentials(xp, x):
    return xp.sum(xp.exp(x), axis=-1, keepdims=True)


def right(p):
    return p.x.sum(-1)


def judged(x, dtype="float32"):
    result = assay.gate(
        total, right, cases=0, reach="none", filter="^outputs$", input={"x": x.astype(dtype)}, dtype=dtype, empty=False
    )
    assert result.passed, result.table
    (said,) = result.record["runs"][0]["properties"]
    return said, result.table


def cancelling(size, dtype):
    """Sums of `size` / 3 + 1 / 7 - `size` / 3, whose partial sums are no numbers of the type."""
    return np.array([[size / 3, 1 / 7, -size / 3]], dtype)


@pytest.mark.parametrize("size, dtype, is_named", [
    (2.0**20, "float32", True), (2.0**16, "float32", True), (2.0**10, "float32", False), (1.0, "float32", False),
    (2.0**20, "float64", False), (2.0**46, "float64", True),
])  # fmt: skip
def test_a_sum_of_known_condition_is_named_where_fewer_than_three_digits_are_left(size, dtype, is_named):
    said, table = judged(cancelling(size, dtype), dtype)
    assert said["weighed"] == 1 and said["ill_conditioned"] == is_named, said
    assert ("    outputs 100 % of 1 (up to " in table) is is_named
    if is_named:
        assert said["condition"] == pytest.approx(7 * (2 * size / 3 + 1 / 7), rel=0.1)


def test_small_errors_of_positive_terms_are_not_named():
    said, table = judged(np.abs(np.random.default_rng(1).standard_normal((50, 3))) + 0.1)
    assert said["weighed"] > 40 and said["ill_conditioned"] == 0 and "ill-conditioned" not in table


def test_what_is_exact_is_not_weighed():
    said, _ = judged(np.array([[2.0**20, 1.0, -(2.0**20)]]))
    assert said["weighed"] == 0 and said["condition"] == 0


def in_turn(p):
    s = np.float32(0)
    for x in np.exp(p.x):
        s = s + x
    return np.array([s], np.float32)


def by_pairs(p):
    return np.exp(p.x).sum(-1, keepdims=True)


def test_the_growth_of_errors_is_that_of_the_kernel():
    """In turn, the errors of equal terms add up; by pairs there are few."""
    asked = dict(cases=2, reach="full", filter="^outputs$", empty=False)
    runs = [assay.gate(sum_of_exponentials, one, **asked) for one in (in_turn, by_pairs)]
    growths = [one.record["runs"][0]["properties"][0]["errors"]["T"] for one in runs]
    assert [one.passed for one in runs] == [True, True]
    assert growths[0]["growth"] in ("sqrt", "linear") and growths[1]["growth"] in ("", "none"), growths
    assert "the error of outputs grows like" in runs[0].table and "grows like" not in runs[1].table
    sizes = [size for size, _ in growths[0]["sizes"]]
    assert sizes == sorted(sizes) and sizes[-1] == 1025


def test_losses_of_built_in_operations_are_weighed_by_their_bounds():
    def ctc(p):
        from assay.corpus.ctc import right_ctc

        return right_ctc(p)

    result = assay.gate("ctc", ctc, cases=30, reach="none", filter="^loss$", checks_arguments=False)
    (said,) = json.loads(json.dumps(result.record))["runs"][0]["properties"]
    assert said["weighed"] > 0 and 0 <= said["ill_conditioned"] <= said["weighed"]
