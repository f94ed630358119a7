"""Functions of one argument and powers: right kernels of two makings pass, planted faults fail."""

import math

import numpy as np
import pytest

import assay

f32 = np.float32


@assay.operation(x="N, D")
def gelu(xp, x):
    return 0.5 * x * (1 + xp.erf(x * 0.5**0.5))


@assay.operation(x="N, D")
def waves(xp, x):
    return xp.sin(x), xp.cos(x)


@assay.operation(x="N, D", y="N, D")
def rotated(xp, x, y):
    return x * xp.cos(y) - xp.sin(y)


@assay.operation(x="N, D", scale="N of positive")
def quantised(xp, x, scale):
    return xp.clip(xp.round(x / scale[:, None]), -128, 127)


@assay.operation(x="N")
def whole_parts(xp, x):
    return xp.floor(x), xp.ceil(x), xp.trunc(x), xp.round(x)


@assay.operation(x="N of positive")
def power(xp, x):
    return xp.pow(x, 0.75)


@assay.operation(x="N")
def fifth(xp, x):
    return x**5


_erf = np.vectorize(math.erf, otypes=[np.float64])


def gelu_in_float64(p):
    x = p.x.astype(float)
    return (0.5 * x * (1 + _erf(x / np.sqrt(2)))).astype(f32)


def gelu_in_float32(p):
    return f32(0.5) * p.x * (f32(1) + _erf(p.x * f32(0.5**0.5)).astype(f32))


def gelu_halves(p):
    half = f32(0.5) * p.x
    return half + half * _erf(p.x * f32(0.5**0.5)).astype(f32)


def gelu_by_tanh(p):
    return f32(0.5) * p.x * (1 + np.tanh(f32(np.sqrt(2 / np.pi)) * (p.x + f32(0.044715) * p.x**3)))


def gelu_backward(p):
    x, g = p.x.astype(float), p.upstream
    return g * (0.5 * (1 + _erf(x / np.sqrt(2))) + x * np.exp(-x * x / 2) / np.sqrt(2 * np.pi)).astype(f32)


def gelu_backward_in_float32(p):
    x, g = p.x, p.upstream
    cdf = f32(0.5) * (1 + _erf(x * f32(0.5**0.5)).astype(f32))
    return g * (cdf + x * np.exp(f32(-0.5) * x * x) * f32(1 / np.sqrt(2 * np.pi)))


def gelu_backward_without_the_density(p):
    return p.upstream * f32(0.5) * (1 + _erf(p.x * f32(0.5**0.5)).astype(f32))


def waves_plain(p):
    return np.sin(p.x), np.cos(p.x)


def waves_in_float64(p):
    x = p.x.astype(float)
    return np.sin(x).astype(f32), np.cos(x).astype(f32)


def waves_reduced_in_float32(p):
    turns = np.round(p.x * f32(0.5 / np.pi))
    x = p.x - turns * f32(2 * np.pi)
    return np.sin(x), np.cos(x)


def waves_swapped(p):
    return np.cos(p.x), np.sin(p.x)


def waves_backward(p):
    return p.upstreams[0] * np.cos(p.x) - p.upstreams[1] * np.sin(p.x)


def waves_backward_of_the_wrong_sign(p):
    return p.upstreams[0] * np.cos(p.x) + p.upstreams[1] * np.sin(p.x)


def quantised_plain(p):
    return np.clip(np.round(p.x / p.scale[:, None]), -128, 127).astype(f32)


def quantised_by_a_reciprocal(p):
    return np.clip(np.rint(p.x * (f32(1) / p.scale)[:, None]), -128, 127).astype(f32)


def quantised_cut(p):
    return np.clip(np.trunc(p.x / p.scale[:, None]), -128, 127).astype(f32)


def quantised_halves_up(p):
    return np.clip(np.floor(p.x / p.scale[:, None] + f32(0.5)), -128, 127).astype(f32)


def whole_plain(p):
    return np.floor(p.x), np.ceil(p.x), np.trunc(p.x), np.round(p.x)


def whole_by_remainders(p):
    x = p.x.astype(float)
    floor = x - np.mod(x, 1)
    return tuple(one.astype(f32) for one in (floor, -(-x - np.mod(-x, 1)), x - np.fmod(x, 1), np.rint(x)))


def whole_by_a_cast(p):
    return np.trunc(p.x), np.ceil(p.x), np.trunc(p.x), np.round(p.x)


def power_plain(p):
    return np.power(p.x, f32(0.75))


def power_by_logarithms(p):
    return np.exp2(f32(0.75) * np.log2(p.x))


def power_by_roots(p):
    root = np.sqrt(p.x)
    return root * np.sqrt(root)


def power_of_two_thirds(p):
    return np.power(p.x, f32(2 / 3))


def fifth_plain(p):
    return np.power(p.x, f32(5))


def fifth_by_products(p):
    square = p.x * p.x
    return square * square * p.x


def fifth_of_the_size(p):
    return np.exp2(f32(5) * np.log2(np.abs(p.x)))


RIGHT = [
    (gelu, gelu_in_float64), (gelu, gelu_in_float32), (gelu, gelu_halves), (waves, waves_plain), (waves, waves_in_float64),
    (quantised, quantised_plain), (quantised, quantised_by_a_reciprocal), (whole_parts, whole_plain), (whole_parts, whole_by_remainders),
    (power, power_plain), (power, power_by_logarithms), (power, power_by_roots), (fifth, fifth_plain), (fifth, fifth_by_products),
]  # fmt: skip
FAULTY = [
    (gelu, gelu_by_tanh), (waves, waves_reduced_in_float32), (waves, waves_swapped), (quantised, quantised_cut),
    (quantised, quantised_halves_up), (whole_parts, whole_by_a_cast), (power, power_of_two_thirds), (fifth, fifth_of_the_size),
]  # fmt: skip
RIGHT_BACKWARD = [(gelu, gelu_backward), (gelu, gelu_backward_in_float32), (waves, waves_backward)]
FAULTY_BACKWARD = [(gelu, gelu_backward_without_the_density), (waves, waves_backward_of_the_wrong_sign)]


def named(pairs):
    return [pytest.param(*pair, id=pair[1].__name__) for pair in pairs]


@pytest.mark.parametrize("operation, kernel", named(RIGHT))
def test_a_right_kernel_passes(operation, kernel):
    result = operation.gate(kernel, cases=60)
    assert not result.failures and all(one.verdict == "pass" for one in result.properties), str(result)


@pytest.mark.parametrize("operation, kernel", named(FAULTY))
def test_a_faulty_kernel_fails(operation, kernel):
    assert "outputs" in operation.gate(kernel, cases=60).failures


@pytest.mark.parametrize("operation, kernel", named(RIGHT_BACKWARD))
def test_a_right_backward_pass_passes(operation, kernel):
    result = operation.gate(backward=kernel, cases=60)
    assert not result.failures, str(result)


@pytest.mark.parametrize("operation, kernel", named(FAULTY_BACKWARD))
def test_a_faulty_backward_pass_fails(operation, kernel):
    assert operation.gate(backward=kernel, cases=60).failures


@pytest.mark.parametrize("wrong", [np.nan, np.inf, 0.125])
@pytest.mark.parametrize("operation, kernel", named([(gelu, gelu_in_float64), (power, power_plain), (quantised, quantised_plain)]))
def test_one_wrong_element_fails(operation, kernel, wrong):
    def with_one(p):
        y = kernel(p)
        if y.size:
            y.flat[y.size // 2] = wrong
        return y

    assert operation.gate(with_one, filter="outputs", cases=30, reach="none").failures


def test_a_step_that_an_error_may_cross_makes_the_bound_as_wide_as_the_step():
    at_a_half = quantised.truth(np.float32([[1.5, 1.6]]), np.float32([1]), digits=20)
    assert at_a_half["output_bounds"][0] == [0, 0], "a quotient by a power of two is exact"
    in_doubt = quantised.truth(np.float32([[1.05, 1.2]]), np.float32([0.7]), digits=20)
    assert in_doubt["output_bounds"][0][0] >= 1 and in_doubt["output_bounds"][0][1] == 0


def test_the_gradient_of_a_step_is_zero():
    truth = whole_parts.truth(np.float32([0.5, 1, -2.25]), upstream=None)
    assert truth["outputs"][3] == ["0", "1", "-2"]
    assert not quantised.gate(backward=lambda p: (np.zeros_like(p.x), np.zeros_like(p.scale)), cases=30, filter="gradient").failures


NO_FAULTS = {"output: sums in bfloat16", "gradient: sums in bfloat16", "gradient: where takes its third argument always"}


@pytest.mark.parametrize("operation", [gelu, rotated, power], ids=lambda one: one.name)
def test_the_faults_of_these_operations_are_killed(operation):
    """But for those that change nothing: there are no sums, and an exponent of 0.75 is not 0."""
    assert {fault for fault, noticed, _ in operation.mutants() if not noticed} <= NO_FAULTS
