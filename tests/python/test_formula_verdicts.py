"""Right kernels of the gallery pass, written as people write them, whatever the seed."""

import numpy as np
import pytest

import assay
import formula_right_kernels
import formula_right_sequences
from assay import gallery
from formula_settings import CASES, SEED, each

RIGHT = {**formula_right_kernels.RIGHT, **formula_right_sequences.RIGHT}


@pytest.mark.parametrize("name, kernel", each(RIGHT))
def test_right_kernels_pass(name, kernel):
    assay.gate(getattr(gallery, name), kernel, cases=CASES, seed=SEED).raise_for_failure()


def test_there_are_as_many_kernels_as_it_takes():
    assert sum(len(some) for some in RIGHT.values()) >= 25
    assert all(len(RIGHT[name]) >= 5 for name in ("softmax", "rms_norm", "layer_norm", "causal_attention", "matmul"))


@pytest.mark.parametrize("wrong", [np.nan, np.inf, 7])
def test_a_failure_has_a_picture_of_where_it_lies(wrong):
    def one_wrong(p):
        y = p.x + p.x
        y[1:2, 2:3] = wrong
        return y

    operation = assay.operation(x="N, D")(lambda xp, x: x + x)
    given = {"x": np.ones((2, 4), np.float32)}
    result = assay.gate(operation, one_wrong, cases=0, input=given, filter="^outputs$", reach="none")
    (picture,) = result.record["runs"][0]["properties"][0]["failure"]["pictures"]
    shares = np.array(picture["values"], np.float64).reshape(picture["rows"], picture["columns"])
    assert np.count_nonzero(~(shares == 0)) == 1 and not shares[1, 2] <= 1
