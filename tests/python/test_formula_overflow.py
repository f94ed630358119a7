"""Values beyond the largest double: they are no infinities that a kernel in float64 has to give."""

import math

import numpy as np
import pytest

import assay

f64 = np.float64
erf = np.vectorize(math.erf, otypes=[np.float64])
PLACES = 2.0**-20


@assay.operation(x="N, D")
def rms_norm(xp, x):
    return x / xp.sqrt(xp.mean(x * x, axis=-1, keepdims=True) + PLACES)


def plain(p):
    return p.x / np.sqrt((p.x * p.x).mean(-1, keepdims=True) + f64(PLACES))


def scaled(p):
    """Takes the largest element out of the squares."""
    most = np.maximum(np.abs(p.x).max(-1, keepdims=True, initial=0), f64(1))
    y = p.x / most
    return y / np.sqrt((y * y).mean(-1, keepdims=True) + PLACES / most / most)


@pytest.mark.parametrize("kernel", [plain, scaled])
def test_right_kernels_pass(kernel):
    assay.gate(rms_norm, kernel, cases=200, dtype="float64", empty=False, reach="none").raise_for_failure()


@pytest.mark.parametrize("wrong", [1 + 1e-14, np.nan, np.inf])
def test_wrong_ones_fail(wrong):
    assert "outputs" in assay.gate(rms_norm, lambda p: plain(p) * f64(wrong), cases=100, dtype="float64", empty=False).failures


def test_an_infinity_that_a_rule_gives_is_due():
    @assay.operation(x="N")
    def reciprocal(xp, x):
        return 1 / xp.abs(x)

    def finite(p):
        with np.errstate(divide="ignore"):
            return np.minimum(1 / np.abs(p.x), np.finfo(f64).max)

    assert "outputs" in assay.gate(reciprocal, finite, cases=200, dtype="float64", reach="none").failures
    assay.gate(reciprocal, lambda p: 1 / np.abs(p.x), cases=200, dtype="float64", reach="none").raise_for_failure()


@assay.operation(x="N", w="N")
def halved(xp, x, w):
    product = x * w
    return product * 0.5 * (1 + xp.erf(product))


def test_a_product_that_leaves_the_range_has_no_bound_though_half_of_it_is_within():
    found = halved.truth(np.array([264.0]), np.array([-264.0]), dtype="float16", compute="float16")
    assert found["outputs"] == [["-0"]] and found["output_bounds"] == [[math.inf]]


@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_an_infinity_times_zero_is_no_fault_there(dtype):
    def kernel(p):
        with np.errstate(all="ignore"):
            product = p.x * p.w
            return product * product.dtype.type(0.5) * (1 + erf(product)).astype(product.dtype)

    declared = dict(dtype=dtype, compute=dtype, reach="none", cases=100)
    assay.gate(halved, kernel, **declared).raise_for_failure()
    assert "outputs" in assay.gate(halved, lambda p: np.where(np.abs(p.x * p.w) > 2, np.nan, kernel(p)), **declared).failures
