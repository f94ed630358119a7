"""assay.gradcheck: right gradients pass, wrong ones fail and are named, what cannot be decided is said."""

import os
import signal

import numpy as np
import pytest

import assay
import kernels


def softplus(x):
    return np.log(1 + np.exp(x)).sum()


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


X = np.array([[0.5, -1.25], [2.0, 0.1]])


def test_a_right_gradient_passes_at_a_hundred_digits():
    result = assay.gradcheck(softplus, X, gradient=sigmoid)
    assert result.passed and result.record["elements"] == 4, str(result)
    assert result.worst <= 1
    result.raise_for_failure()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_one_wrong_digit_fails_and_is_named(dtype):
    claim = sigmoid(X).astype(dtype)
    claim[1, 0] *= 1 + 64 * np.finfo(dtype).eps
    result = assay.gradcheck(softplus, X, gradient=claim, dtype=claim.dtype.name)
    assert result.verdict == "fail" and result.worst > 1
    assert "[1, 0]" in result.place or "1" in result.place
    with pytest.raises(AssertionError):
        result.raise_for_failure()


def test_nan_fails():
    assert assay.gradcheck(softplus, X, gradient=np.full_like(X, np.nan)).verdict == "fail"


def test_a_function_may_return_its_gradient_itself():
    assert assay.gradcheck(lambda x: (softplus(x), sigmoid(x)), X, exact=False).passed


def test_a_function_may_write_into_its_arguments():
    def f(x):
        value, gradient = (x * x).sum(), 2 * x
        x[0] = 7
        return value, gradient

    x = np.array([1.0, 2.0])
    assert assay.gradcheck(f, x, exact=False).verdict == "pass" and x[0] == 1


def test_of_several_inputs_the_gravest_is_returned():
    def product(a, b):
        return (a * b).sum()

    a, b = np.array([1.0, 2.0]), np.array([3.0, 5.0])
    assert assay.gradcheck(product, [a, b], gradient=[b, a]).passed
    wrong = assay.gradcheck(product, [a, b], gradient=[b, 2 * a])
    assert wrong.verdict == "fail" and "input 1" in wrong.record["subject"]


def test_a_black_box_gets_arrays_whose_elements_are_apart():
    """With NumPy 2 and a pybind11 before 2.12, an array that C++ made without its stride had stride 0."""
    strides = []

    def cubes(x):
        strides.append(x.strides)
        return float((x.ravel() ** 3).sum())

    x = np.array([1.0, 2.0, 3.0])
    assert assay.gradcheck(cubes, x, gradient=3 * x**2, exact=False).passed
    assert set(strides) == {(8,)}


def test_a_black_box_is_checked_along_directions():
    def rounds(x):
        return float(softplus(x.astype(np.float64)))

    assert assay.gradcheck(rounds, X, gradient=sigmoid).passed
    assert assay.gradcheck(rounds, X, gradient=lambda x: 1.01 * sigmoid(x)).verdict == "fail"


def test_the_worst_element_of_a_black_box_is_the_one_that_is_shown():
    result = assay.gradcheck(lambda x: float((np.asarray(x, float) ** 2).sum()), np.array([1.0, 2.0]), lambda x: 2 * x + 0.1)
    assert result.place == result.record["worst_elements"][0]["place"] == "gradient[1]"
    assert "the gradient is wrong along 16 of 16 random directions" in str(result)


def test_a_black_box_of_noise_is_not_decided():
    random = np.random.default_rng(1)

    def noise(x):
        return float(softplus(x) + 0.5 * random.standard_normal())

    assert assay.gradcheck(noise, X, gradient=sigmoid).verdict in ("mistrusted", "fail")


def test_what_fn_raises_is_told_and_an_interrupt_ends_it():
    def breaks(x):
        raise RuntimeError("no such device")

    def interrupted(x):
        os.kill(os.getpid(), signal.SIGINT)

    result = assay.gradcheck(breaks, X, gradient=X)
    assert result.verdict == "error" and "no such device" in result.explanation
    with pytest.raises(KeyboardInterrupt):
        assay.gradcheck(interrupted, X, gradient=X, exact=True)


def test_a_narrower_gradient_is_declared():
    """Its roundoff would let 0 pass for the gradient of what is ill-conditioned."""
    f, x = lambda x: np.sin(3000.0 * x).sum(), np.random.default_rng(1).normal(size=40)  # noqa: E731
    with pytest.raises(ValueError, match="gradient 0: float16: expected float64, the type of input 0; .* dtype='float16'"):
        assay.gradcheck(f, x, lambda x: np.zeros_like(x, np.float16))
    with pytest.raises(ValueError, match="gradient 0: float16: expected float32, as declared"):
        assay.gradcheck(softplus, X, gradient=sigmoid(X).astype(np.float16), dtype="float32")
    with pytest.raises(ValueError, match="dtype = 'half': expected one of float16"):
        assay.gradcheck(softplus, X, gradient=sigmoid, dtype="half")
    assert assay.gradcheck(softplus, X, gradient=sigmoid(X).astype(np.float16), dtype="float16").passed
    assert assay.gradcheck(softplus, X.astype(np.float32), gradient=sigmoid(X.astype(np.float32))).passed


def test_a_gradient_is_a_plain_array():
    class Idle(np.ndarray):
        def __array_ufunc__(self, ufunc, method, *inputs, **options):
            return np.zeros(self.shape)

    with pytest.raises(TypeError, match="a Idle, which computes by rules of its own: expected a plain ndarray"):
        assay.gradcheck(softplus, X, gradient=sigmoid(X).view(Idle))


def test_bad_arguments_are_named():
    with pytest.raises(ValueError, match=r"gradient 0: \[2\]: expected \[2, 2\]"):
        assay.gradcheck(softplus, X, gradient=np.zeros(2))
    with pytest.raises(ValueError, match=r"gradient: None, and fn returned .*: expected \(value, gradient\)"):
        assay.gradcheck(lambda x: x.sum(), np.ones(2))
    with pytest.raises(ValueError, match="input 0: int64"):
        assay.gradcheck(softplus, np.arange(3), gradient=np.zeros(3))
    with pytest.raises(TypeError, match="layouts"):
        assay.gradcheck(softplus, X, gradient=X, layouts="padded")


def test_a_kernel_is_checked_by_the_reference():
    assert assay.gradcheck("ctc", kernels.ctc, cases=5, **kernels.CTC).passed

    mistaken = {**kernels.CTC, "gradient_of": "log_probs"}
    result = assay.gradcheck("ctc", kernels.ctc, cases=200, **mistaken)
    assert result.verdict == "fail"
    assert "this is dL/dlogits, you declared dL/dlog_probs" in result.variable


@pytest.mark.parametrize("x", [0.5, np.float64(0.5), np.float32(0.5), np.array(0.5)])
def test_numbers_and_scalars_of_numpy_are_inputs(x):
    def f(x):
        return x * np.exp(x)

    def slope(x):
        return np.exp(x) + x * np.exp(x)

    assert assay.gradcheck(f, x, slope).passed
    assert assay.gradcheck(f, x, slope(x)).passed
    assert assay.gradcheck(f, x, 1.01 * slope(x)).verdict == "fail"


def test_a_kink_is_mistrusted_and_said_so():
    kink = assay.gradcheck(lambda x: np.abs(x).sum(), np.array([1.0, 0.0, -2.0]), np.sign)
    assert kink.verdict == "mistrusted" and "mistrusted 3 elements" in str(kink)


def test_the_digits_of_an_operations_reference_are_those_asked_for():
    assert "31 digits" in assay.gradcheck("svd", kernels.svd, cases=2, digits=31).text

    @assay.operation(x="N")
    def square(xp, x):
        return x * x

    assert "31 digits" in assay.gradcheck(square, lambda p: 2 * p.x * p.upstream, cases=2, digits=31).table
