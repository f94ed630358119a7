"""Functions of JAX as references: traced, and their kernels judged with JAX's arrays."""

import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

jax = pytest.importorskip("jax")
pytest.importorskip("jax.experimental")

import assay  # noqa: E402
from assay._references import _framework_of  # noqa: E402
from jaxpr_references import REFERENCES, attention, layer_norm, recurrence  # noqa: E402

jnp, lax, nn = jax.numpy, jax.lax, jax.nn
FEW = dict(cases=20, reach="none", sizes=6)


@pytest.mark.parametrize("name", REFERENCES)
def test_a_reference_is_what_jax_computes(name):
    """Its results, and its gradient where JAX has one: both are compared when the operation is made."""
    function, inputs = REFERENCES[name]
    made = assay.operation(framework="jax", **inputs)(function)
    assert name in ("while_loop",) or not made.gradient_differs


PASSING = ["softmax", "layer norm", "causal", "cross-entropy", "scan", "convolution", "add", "argmax", "top_k"]


@pytest.mark.parametrize("name", PASSING)
def test_jax_itself_passes(name):
    function, inputs = REFERENCES[name]
    words = [one for text in inputs.values() for one in text.replace(",", " ").split(" of ")[0].split()]
    limits = {one: 12 for one in words if one.isalpha()}
    result = assay.gate(jax.jit(function), function, **inputs, **FEW, empty=False, limits=limits, largest=1e12)
    result.raise_for_failure()


def normed(x, weight, bias):
    return layer_norm(x, weight, bias)


def by_numpy(x, weight, bias):
    """Of another making: NumPy's, in float64."""
    x = np.asarray(x, np.float64)
    d = x - x.mean(-1, keepdims=True)
    return (d / np.sqrt((d * d).mean(-1, keepdims=True) + 1e-5) * np.asarray(weight) + np.asarray(bias)).astype(np.float32)


GIVEN = dict(x="N, D", weight="D", bias="D", empty=False, largest=1e12, limits={"N": 9, "D": 64}, **FEW)


@pytest.mark.parametrize("kernel", [normed, jax.jit(normed), by_numpy])
def test_right_kernels_pass(kernel):
    assay.gate(layer_norm, kernel, **GIVEN).raise_for_failure()


def spoiled(value):
    def kernel(x, weight, bias):
        y = normed(x, weight, bias)
        return y.at[-1, -1].set(value(y[-1, -1]))

    return kernel


FAULTS = {
    "epsilon": lambda x, w, b: (x - x.mean(-1, keepdims=True)) / jnp.std(x, -1, keepdims=True) * w + b,
    "unbiased": lambda x, w, b: (x - x.mean(-1, keepdims=True)) * lax.rsqrt(x.var(-1, keepdims=True, ddof=1) + 1e-5) * w + b,
    "bias": lambda x, w, b: normed(x, w, 0 * b),
    "axis": lambda x, w, b: normed(x.T, jnp.ones(len(x)), jnp.zeros(len(x))).T * w + b,
    "16 bits": lambda x, w, b: normed(x, w, b).astype(jnp.bfloat16).astype(jnp.float32),
    "NaN": spoiled(lambda y: jnp.nan),
    "infinite": spoiled(lambda y: jnp.inf),
    "one element": spoiled(lambda y: y * 1.001 + 1e-3),
    "zeros": lambda x, w, b: jnp.zeros_like(x),
    "the input": lambda x, w, b: x,
    "a shape": lambda x, w, b: normed(x, w, b).T,
    "a type": lambda x, w, b: normed(x, w, b).astype(jnp.float16),
}


@pytest.mark.parametrize("name", FAULTS)
def test_faults(name):
    result = assay.gate(layer_norm, FAULTS[name], **GIVEN)
    assert not result.passed and result.failures


def test_gradients():
    given = {**GIVEN, "largest": 1e6, "limits": {"N": 9, "D": 12}}
    assay.gradcheck(layer_norm, normed, **given).raise_for_failure()

    @jax.custom_vjp
    def faulty(x, weight, bias):
        return normed(x, weight, bias)

    faulty.defvjp(lambda x, w, b: (normed(x, w, b), (x, w, b)),
                  lambda kept, up: tuple(one * f for one, f in zip(jax.vjp(normed, *kept)[1](up), (1, 1.001, 1))))  # fmt: skip
    assert "gradient" in assay.gradcheck(layer_norm, faulty, **given).failures


def test_a_gradient_that_the_graph_does_not_have_is_refused():
    function = lambda x: x * lax.stop_gradient(x)  # noqa: E731
    made = assay.operation(x="N", framework="jax")(function)
    assert "stop_gradient and custom derivatives are not followed" in made.gradient_differs
    with pytest.raises(TypeError, match="expected a reference that is differentiated as it is written"):
        assay.gradcheck(made, function)
    made.gate(lambda x: x * x, **FEW).raise_for_failure()


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float64"])
def test_types(dtype):
    def kernel(x, weight, bias):
        assert x.dtype == dtype
        wide = [one.astype("float64" if dtype == "float64" else "float32") for one in (x, weight, bias)]
        return normed(*wide).astype(dtype)

    assay.gate(layer_norm, kernel, dtype=dtype, **{**GIVEN, "largest": 1e3}).raise_for_failure()
    faulty = lambda x, w, b: kernel(x, w, b) * (1 + (2.0**-6 if dtype != "float64" else 1e-10))  # noqa: E731
    assert not assay.gate(layer_norm, faulty, dtype=dtype, **{**GIVEN, "largest": 1e3}).passed


def test_a_type_for_each_array():
    def kernel(x, weight, bias):
        assert x.dtype == jnp.bfloat16 and weight.dtype == jnp.float32
        return normed(x.astype(jnp.float32), weight, bias).astype(jnp.bfloat16)

    types = {"x": "bfloat16", "output": "bfloat16"}
    assay.gate(layer_norm, kernel, dtypes=types, **{**GIVEN, "largest": 1e3}).raise_for_failure()
    faulty = lambda x, w, b: kernel(x, w.astype(jnp.bfloat16).astype(jnp.float32), b)  # noqa: E731
    assert not assay.gate(layer_norm, faulty, dtypes=types, **{**GIVEN, "largest": 1e3}).passed


def test_local_variables_are_names():
    def kernel(q, k, v):
        p = nn.softmax(jnp.einsum("bnd,btd->bnt", q, k) / jnp.sqrt(q.shape[-1]))
        return jnp.einsum("bnt,btd->bnd", p.astype(jnp.bfloat16).astype(jnp.float32), v)

    limits = {"B": 3, "N": 9, "T": 12, "D": 9}
    given = dict(q="B, N, D", k="B, T, D", v="B, T, D", empty=False, largest=1e6, limits=limits, **FEW)
    failure = assay.gate(attention, kernel, **given).failures["outputs"]
    assert "keeps p in" in failure.explanation and "rounds={'p': '" in failure.explanation
    assay.gate(attention, kernel, rounds={"p": "bfloat16"}, **given).raise_for_failure()


def test_a_loop_and_its_bound():
    given = dict(x="T, D", decay="T, D of decay", limits={"T": 12, "D": 9}, **FEW)
    in_order = lambda x, decay: recurrence(x, decay)  # noqa: E731
    assay.gate(recurrence, in_order, **given).raise_for_failure()
    assert not assay.gate(recurrence, lambda x, decay: jnp.cumsum(x, 0), **given).passed


def dropout(x):
    return x * jax.random.bernoulli(jax.random.key(0), 0.5, x.shape)


def branch(x):
    return x if x[0] > 0 else -x


def unknown(x):
    y = x * 2
    return lax.lgamma(y)


@pytest.mark.parametrize("function, says", [
    (dropout, "draws random numbers: expected a function of its inputs alone"), (branch, "branches on data: "),
    (unknown, "lgamma is not among JAX's primitives that can be traced"),
    (lambda x: lax.while_loop(lambda c: c[0] < 3, lambda c: c + 1, x), "while_loop: where an element is depends on data"),
    (lambda x: x + 1j, "expected real or whole numbers"), (lambda x: None, "returned nothing"),
])  # fmt: skip
def test_what_cannot_be_traced_is_refused_by_name(function, says):
    with pytest.raises((TypeError, ValueError), match=says) as error:
        assay.operation(x="N", framework="jax")(function)
    if function is unknown:
        assert f"(line {unknown.__code__.co_firstlineno + 2} of the reference)" in str(error.value)


def test_whose_function_it_is():
    assert _framework_of(layer_norm) == _framework_of(jax.jit(lambda x: x)) == _framework_of(jax.vmap(lambda x: x)) == "jax"
    inner = lambda x: jnp.exp(x)  # noqa: E731
    assert _framework_of(lambda x: inner(x) + (lambda y: nn.relu(y))(x)) == "jax"
    assert isinstance(assay.operation(x="N", framework="jax")(lambda x: x * 2), assay.Operation)
    with pytest.raises(ValueError, match="framework = 'tf': expected 'torch' or 'jax'"):
        assay.operation(x="N", framework="tf")
    if "torch" in sys.modules:
        assert _framework_of(lambda x: x * 2) == "torch"


def test_a_line_that_judges_again():
    result = assay.gate(lambda x: x * 2, lambda x: x * 2.001, x="N", framework="jax", **FEW)
    assert "framework='jax'" in result.failures["outputs"].again
    made = assay.operation(x="N", framework="jax")(lambda x: x * 2)
    assert assay.replay(lambda x: x * 2, result.failures["outputs"].reproducer, operation=made)


def test_a_run_is_shared_out():
    with ThreadPoolExecutor(2) as executor:
        assert assay.gate(layer_norm, normed, **GIVEN, executor=executor, shards=2).passed


def test_inputs_are_checked():
    with pytest.raises(ValueError, match="the reference takes weight, which is not declared"):
        assay.gate(layer_norm, normed, x="N, D")
    with pytest.raises(TypeError, match="the kernel is 3: expected a function that is called as the reference is"):
        assay.gate(layer_norm, 3, **GIVEN)


def test_a_table_that_says_something_else_is_no_truth(monkeypatch):
    from assay.jaxpr import table

    monkeypatch.setitem(table.ROWS, "tanh", lambda xp, eqn, x: xp.tanh(x) * 1.000001)
    with pytest.raises(TypeError, match="output 0 of <lambda> as traced is not what JAX computes in float64"):
        assay.operation(x="N")(lambda x: jnp.tanh(x))
