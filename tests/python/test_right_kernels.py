"""The gate accuses no right kernel, naive or clever."""

import numpy as np
import pytest

import assay
import kernels
import right_kernels as right

CASES = [
    ("ctc", right.ctc_of_the_whole_batch, dict(reach="none")),  # test_kernels_numpy.py has large cases of CTC, by a faster kernel
    ("ctc", right.ctc_of_scaled_probabilities, dict(arithmetic="probability", unit_roundoff=2.0**-53, reach="none")),
    ("cce", right.cce_by_blas, dict(limits={"N": 40}, rounded_lse=True)),
    ("cce", right.cce_in_chunks, dict(rounded_lse=True)),
    ("svd", right.svd_of_the_gram_matrix, dict(empty=False)),
    ("svd", right.svd_of_lapack, dict(dtype=("float32", "float64"))),
    ("svd", kernels.svd, dict(dtype=("float32", "float64"))),
]


@pytest.mark.parametrize("operation, fn, declared", CASES, ids=[fn.__name__ for _, fn, _ in CASES])
def test_a_right_kernel_is_not_accused(operation, fn, declared):
    with np.errstate(all="ignore"):
        result = assay.gate(operation, fn, cases=30, checks_arguments=False, **declared)
    assert result.passed, str(result)
