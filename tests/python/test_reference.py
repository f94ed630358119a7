"""assay.reference and assay.Real: digits that are known otherwise."""

from decimal import Decimal, localcontext

import numpy as np
import pytest

import assay
from assay import Real, reference

ONE = dict(targets=[[1]], input_lengths=[2], target_lengths=[1])


def test_ctc_to_a_hundred_digits():
    truth = reference.ctc(logits=np.zeros((2, 1, 2)), digits=100, **ONE)
    with localcontext() as context:
        context.prec = 110
        exact = (Decimal(4) / 3).ln()  # three of four paths
        assert abs(truth.loss[0] - exact) < Decimal("1e-99")
    assert truth.gradient.shape == (2, 1, 2)
    assert truth.loss_float64[0] == float(exact)
    assert np.allclose(truth.gradient_float64[0, 0], [1 / 6, -1 / 6])


def test_float64_is_used_exactly():
    small = np.zeros((2, 1, 2))
    small[0, 0, 1] = 1e-12  # less than float32 tells beside 1
    low, high = (reference.ctc(logits=x, **ONE).loss[0] for x in (small, np.zeros((2, 1, 2))))
    assert low != high and abs((high - low) / Decimal("1e-12") - Decimal(1) / 6) < Decimal("1e-10")
    assert reference.ctc(logits=1 + small.astype(np.float32), **ONE).loss[0] != low


def test_log_probs_reductions_and_layouts():
    log_probs = np.log(np.full((2, 2, 2), 0.5))
    arguments = dict(log_probs=log_probs, input_lengths=[2, 2], target_lengths=[1, 1], gradient_of="log_probs")
    padded = reference.ctc(targets=[[1], [1]], **arguments)
    concatenated = reference.ctc(targets=[1, 1], **arguments)
    mean = reference.ctc(targets=[[1], [1]], reduction="mean", **arguments)
    assert (padded.loss == concatenated.loss).all() and mean.loss.shape == ()
    assert abs(mean.loss.item() - padded.loss[0]) < Decimal("1e-45")


def test_impossible_rows_are_infinite():
    truth = reference.ctc(logits=np.zeros((1, 1, 2)), targets=[[1, 1]], input_lengths=[1], target_lengths=[2])
    assert truth.loss[0] == Decimal("inf") and truth.gradient[0, 0, 0].is_nan()


def test_cross_entropy():
    hidden, weight = np.array([[1.0, 2.0]]), np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    truth = reference.cce(hidden, weight, [2], bias=np.zeros(3), digits=40)
    z = weight @ hidden[0]
    y = np.exp(z) / np.exp(z).sum()
    assert abs(float(truth.loss[0]) + np.log(y[2])) < 1e-15
    assert np.allclose(reference.float64(truth.dhidden), (y - [0, 0, 1]) @ weight)
    assert np.allclose(reference.float64(truth.dbias), y - [0, 0, 1])
    assert reference.cce(hidden, weight, [2]).dbias is None


def test_svd_of_a_matrix_and_of_a_batch():
    A = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    truth = reference.svd(A, digits=60)
    assert truth.U.shape == (3, 2) and truth.S.shape == (2,) and truth.Vh.shape == (2, 2)
    residual = (truth.U * truth.S) @ truth.Vh - np.vectorize(Decimal, otypes=[object])(A)
    assert max(abs(x) for x in residual.ravel()) < Decimal("1e-24")  # decimal's own 28 digits
    batch = reference.svd(np.stack([A, 2 * A]))
    assert batch.S.shape == (2, 2) and np.allclose(reference.float64(batch.S[1]), 2 * truth.S_float64)


@pytest.mark.parametrize(
    "call, told",
    [
        (lambda: reference.ctc(**ONE), "logits, log_probs: expected one of them"),
        (lambda: reference.ctc(logits=np.zeros((2, 2)), **ONE), "logits: .*expected 3 dimensions"),
        (lambda: reference.ctc(logits=np.zeros((2, 1, 2), complex), **ONE), "logits: complex128"),
        (lambda: reference.ctc(logits=np.zeros((2, 1, 2)), **{**ONE, "targets": [[0]]}), "targets"),
        (lambda: reference.ctc(logits=np.zeros((2, 1, 2)), **{**ONE, "targets": [[0.5]]}), "targets: float64"),
        (lambda: reference.ctc(logits=np.zeros((2, 1, 2)), reduction="max", **ONE), "reduction = 'max'"),
        (lambda: reference.ctc(logits=np.zeros((2, 1, 2)), digits=3, **ONE), "digits = 3"),
        (lambda: reference.cce(np.zeros((1, 2)), np.zeros((3, 2)), [3]), "targets"),
        (lambda: reference.cce(np.zeros((1, 2)), np.zeros((3, 2)), np.array([2**64 - 100], np.uint64)), "targets: element 0 = 18446744073709551516: expected at most"),
        (lambda: reference.svd(np.full((2, 2), np.nan)), r"A\["),
        (lambda: reference.svd(np.zeros(3)), "A: float64"),
    ],
)
def test_bad_arguments_are_named(call, told):
    with pytest.raises(ValueError, match=told):
        call()


def test_reals_compute_in_object_arrays():
    with assay.precision(60):
        x = np.array([Real(1) / 3, Real("0.1"), Real(2)], object)
        assert abs(np.log(np.exp(x)) - x).max() < Real("1e-58")
        assert abs(np.sin(x) ** 2 + np.cos(x) ** 2 - 1).max() < Real("1e-58")
        assert abs(np.sqrt(x) ** 2 - x).max() < Real("1e-58") and (x @ x) > x.sum() / 1
        assert np.maximum(x, 1)[2] == 2 and (2 * x - x == x).all() and (np.float64(0.5) * x)[2] == 1
        assert Real(Decimal("0.1")) == Real("0.1") != Real(0.1)
    assert str(Real(1) / 3) == "0." + 50 * "3" and float(Real(1) / 3) == 1 / 3
    assert Real(10**40) == Real("1e40")
    with pytest.raises(TypeError, match="expected a number"):
        Real([])
    with pytest.raises(ValueError, match="expected a decimal number"):
        Real("one")


def test_precisions_nest():
    with assay.precision(30):
        with assay.precision(80):
            assert assay.precision_digits() == 80
        assert assay.precision_digits() == 30
    assert assay.precision_digits() == 50
