"""Casts to JAX's types of 8 bits and fewer in references: they round as JAX does, and results of such a type are codes."""

import numpy as np
import pytest

jax = pytest.importorskip("jax", reason="no JAX here")
jnp = jax.numpy

import assay  # noqa: E402

NAMES = [name for name in ("float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz") if hasattr(jnp, name)]
ROUNDS_ONCE = float(jnp.float32(0.84370).astype(jnp.float8_e4m3fn)) == 0.8125  # not to float16 first, as XLA did
of_jax = pytest.mark.skipif(not ROUNDS_ONCE, reason="this XLA rounds to float16 first, which the gate notices")
SIZES = {"x": "N, D", "cases": 20, "limits": {"N": 9, "D": 33}, "sizes": 8, "reach": "none", "empty": False}
SCALED = {**SIZES, "weight": "D", "cases": 30}


def quantise_rows(x):
    scale = jnp.maximum(jnp.max(jnp.abs(x), -1, keepdims=True), 1e-12) / 448
    return (x / scale).astype(jnp.float8_e4m3fn), scale


def by_numpy(x):
    import ml_dtypes

    x = np.asarray(x)
    scale = np.maximum(np.abs(x).max(-1, keepdims=True), np.float32(1e-12)) / np.float32(448)
    return np.clip(x / scale, -448, 448).astype(ml_dtypes.float8_e4m3fn), scale


def spoiled(change):
    def kernel(x):
        codes, scale = quantise_rows(x)
        return jax.lax.bitcast_convert_type(change(jax.lax.bitcast_convert_type(codes, jnp.uint8)), jnp.float8_e4m3fn), scale

    return kernel


@pytest.mark.parametrize(
    "kernel", [pytest.param(quantise_rows, marks=of_jax), pytest.param(jax.jit(quantise_rows), marks=of_jax), by_numpy]
)
def test_codes_of_a_reference_are_judged_as_codes(kernel):
    result = assay.gate(quantise_rows, kernel, framework="jax", **SIZES)
    assert result.passed and result["quantisation"].verdict == "pass", result.table


@pytest.mark.parametrize("change", [lambda bits: bits.at[..., -1].set(bits[..., -1] ^ 1), lambda bits: bits & 0x7F,
                                    lambda bits: bits * 0, lambda bits: bits | 0x7F])  # fmt: skip
def test_wrong_codes_fail(change):
    assert "quantisation" in assay.gate(quantise_rows, spoiled(change), framework="jax", **SIZES).failures


@pytest.mark.parametrize("name", NAMES)
def test_a_cast_on_the_way_rounds_and_overflows_as_jax(name):
    dtype = getattr(jnp, name)
    most = float(jnp.finfo(dtype).max)

    def reference(x):
        return x.astype(dtype).astype(jnp.float32) * 3

    def by_bits(x):
        return np.asarray(x).astype(dtype).astype(np.float32) * np.float32(3)

    many = {**SIZES, "cases": 60}
    assert assay.gate(reference, by_bits, framework="jax", **many).passed
    assert assay.gate(reference, reference, framework="jax", **many).passed or not ROUNDS_ONCE
    for wrong in (lambda x: x * 3, lambda x: reference(jnp.clip(x, -most, most)), lambda x: reference(x.astype(jnp.float16)),
                  lambda x: reference(x.astype(jnp.bfloat16)), lambda x: x.astype(jnp.float16).astype(jnp.float32) * 3):  # fmt: skip
        assert "outputs" in assay.gate(reference, wrong, framework="jax", **many).failures, wrong


def in_fp8(x, weight):
    return (x * 4).astype(jnp.float8_e4m3fn).astype(jnp.float32) * weight


def rounded(y):
    """To e4m3, below its largest number, by arithmetic."""
    step = jnp.maximum(jnp.frexp(y)[1] - 1, -6) - 3
    return jnp.ldexp(jnp.round(jnp.ldexp(y, -step)), step)


def by_stop_gradient(x, weight):
    y = x * 4
    return (y + jax.lax.stop_gradient(rounded(y) - y)) * weight


def by_rule(of_gradient):
    @jax.custom_vjp
    def cast(y):
        return rounded(y)

    cast.defvjp(lambda y: (cast(y), y), lambda y, g: (of_gradient(g, y),))
    return lambda x, weight: cast(x * 4) * weight


@pytest.mark.parametrize("kernel", [pytest.param(in_fp8, marks=of_jax), by_stop_gradient, by_rule(lambda g, y: g),
                                    by_rule(lambda g, y: rounded(g))])  # fmt: skip
def test_gradients_go_straight_through_a_cast_rounded_or_not(kernel):
    result = assay.gradcheck(in_fp8, kernel, framework="jax", largest=100, **SCALED)
    assert result.passed, result.table


@pytest.mark.parametrize("of_gradient", [
    lambda g, y: g * 0, lambda g, y: g / 4, lambda g, y: g.astype(jnp.float8_e5m2).astype(jnp.float32),
    lambda g, y: g.at[..., -1].set(jnp.nan), lambda g, y: g * jnp.inf,
])  # fmt: skip
def test_other_gradients_of_a_cast_fail(of_gradient):
    result = assay.gradcheck(in_fp8, by_rule(of_gradient), framework="jax", largest=100, **SCALED)
    assert result["gradient"].verdict == "fail", result.table


@pytest.mark.parametrize("name", [name for name in ("float8_e8m0fnu", "float8_e3m4", "float8_e4m3b11fnuz") if hasattr(jnp, name)])
def test_a_type_that_no_format_is_is_refused(name):
    def reference(x):
        return x.astype(getattr(jnp, name)).astype(jnp.float32)

    with pytest.raises(TypeError, match=f"a cast to {name}: expected one to float8_e4m3fn, float8_e5m2"):
        assay.gate(reference, reference, framework="jax", **SIZES)
