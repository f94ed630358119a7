"""assay.jax: the gate's verdict through grad, and jit, vmap and types as JAX has them."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

jax = pytest.importorskip("jax", reason="JAX is not installed")

import jax.numpy as jnp  # noqa: E402

import assay  # noqa: E402

if not (Path(assay.__file__).parent / "lib/_xla.so").exists():
    pytest.skip("the package was built without JAX's headers", allow_module_level=True)

from assay.jax import ctc_loss, linear_cross_entropy, svd  # noqa: E402
from assay.numpy import ctc_loss as ctc_of_numpy  # noqa: E402
from assay.numpy import svd as svd_of_numpy  # noqa: E402

RANDOM = np.random.default_rng(1)
LOGITS = jnp.asarray(RANDOM.standard_normal((6, 3, 5)), jnp.float32)
BATCH = (np.array([[1, 2], [3, 0], [4, 4]]), np.array([6, 5, 6]), np.array([2, 1, 2]))
REFUSED = (ValueError, jax.errors.JaxRuntimeError)  # the second where JAX learns of it after the call
KERNELS = {"ctc": ctc_loss, "cce": linear_cross_entropy, "svd": svd}


@pytest.mark.parametrize("operation", KERNELS)
def test_the_gate_passes_it(operation):
    assay.gate(operation, KERNELS[operation], cases=3).raise_for_failure()


def test_the_gate_finds_an_upstream_gradient_that_is_ignored():
    def ignoring(p):
        return ctc_loss.assay_kernel(type(p)(**{**vars(p), "upstream": None}))

    assert not assay.gate("ctc", ignoring, cases=8, reach="none", filter="^linearity$", **ctc_loss.assay_declared).passed


def test_jit_grad_and_vmap():
    loss = lambda x: ctc_loss(x, *BATCH, logits=True)  # noqa: E731
    expected_loss, expected = ctc_of_numpy(np.asarray(LOGITS), *BATCH, logits=True)
    value, gradient = jax.jit(jax.value_and_grad(loss))(LOGITS)
    assert value == expected_loss and np.array_equal(gradient, expected)
    assert np.array_equal(jax.vmap(loss)(jnp.stack([LOGITS, 2 * LOGITS])), [loss(LOGITS), loss(2 * LOGITS)])


def test_a_checkpoint_computes_the_same_gradient():
    """jax.checkpoint traces forward and backward apart: an array of the one is no array of the other."""
    weight, targets = jnp.eye(5), np.arange(18) % 5
    for loss in (
        lambda x: ctc_loss(x, *BATCH, logits=True),
        lambda x: linear_cross_entropy(x.reshape(18, 5), weight, targets, reduction="none").sum(),
    ):
        due = jax.grad(loss)(LOGITS)
        assert np.allclose(jax.grad(jax.checkpoint(loss))(LOGITS), due, atol=1e-6) and np.abs(due).sum() > 1
        assert np.allclose(jax.jit(jax.grad(jax.checkpoint(loss)))(LOGITS), due, atol=1e-6)


def test_shapes_without_elements_are_refused_by_name():
    with pytest.raises(REFUSED, match="H = 0: expected at least 1"):
        linear_cross_entropy(jnp.zeros((2, 0)), jnp.zeros((3, 0)), [0, 1]).block_until_ready()
    with pytest.raises(ValueError, match=r"hidden has shape \[\]: expected \[..., H\]"):
        linear_cross_entropy(jnp.float32(1), jnp.zeros((3, 1)), 0)


def test_vmap_of_svd_is_one_call_on_all_matrices():
    A = jnp.asarray(RANDOM.standard_normal((5, 4, 3)), jnp.float32)
    for one, expected in zip(jax.jit(jax.vmap(svd))(A), svd_of_numpy(np.asarray(A))):
        assert np.array_equal(one, expected)
    assert "while" not in str(jax.make_jaxpr(jax.vmap(svd))(A)) and "scan" not in str(jax.make_jaxpr(jax.vmap(svd))(A))


@pytest.fixture
def x64():
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", False)


def test_float64_where_jax_has_it(x64):
    A = RANDOM.standard_normal((4, 3))
    assert svd(A).S.dtype == np.float64 and np.array_equal(svd(A).S, svd_of_numpy(A).S)
    with pytest.raises(ValueError, match="log_probs is float64: expected float32, float16 or bfloat16"):
        ctc_loss(np.asarray(LOGITS, np.float64), *BATCH)


def test_the_gradient_of_svd_is_that_of_differences():
    A = jnp.asarray(RANDOM.standard_normal((4, 3)), jnp.float32)
    f = lambda A: (svd(A).S ** 2).sum()  # noqa: E731  (the squared Frobenius norm)
    assert np.allclose(jax.jit(jax.grad(f))(A), 2 * A, atol=1e-5)


def test_a_second_derivative_is_refused_by_name():
    with pytest.raises(ValueError, match="assay_ctc.*cannot be differentiated"):
        jax.grad(lambda x: jax.grad(lambda y: ctc_loss(y, *BATCH, logits=True))(x).sum())(LOGITS)


def test_calls_at_the_same_time_do_not_disturb_each_other():
    """Each from a thread of its own, between matrix products, for which XLA needs its threads."""
    step = jax.jit(lambda x: (ctc_loss(x, *BATCH, reduction="none", logits=True), jnp.ones((300, 300)) @ jnp.ones((300, 300))))
    with ThreadPoolExecutor(4) as pool:
        losses = [one[0] for one in pool.map(step, [LOGITS * i for i in range(40)])]
    for i, loss in enumerate(losses):
        assert np.array_equal(loss, ctc_loss(LOGITS * i, *BATCH, reduction="none", logits=True))


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_a_value_that_is_not_finite_is_refused(wrong):
    with pytest.raises(REFUSED, match=r"INVALID_ARGUMENT: logits\[t=1, b=2, c=3\]"):
        ctc_loss(LOGITS.at[1, 2, 3].set(wrong), *BATCH, logits=True).block_until_ready()


@pytest.mark.parametrize("label", [5, 2**32 + 1])  # JAX keeps the lower 32 bits of the second
def test_a_label_out_of_range_is_refused_by_name(label):
    with pytest.raises(REFUSED, match="targets.*: expected a label"):
        ctc_loss(LOGITS, BATCH[0] + label - 1, *BATCH[1:]).block_until_ready()


def test_types_and_shapes_are_refused_when_the_function_is_traced():
    with pytest.raises(ValueError, match="targets is float64: expected integers"):
        jax.eval_shape(lambda x: ctc_loss(x, BATCH[0] * 1.0, *BATCH[1:]), LOGITS)
    with pytest.raises(ValueError, match=r"weight has shape \[7, 4\]: expected \[V, H=5\]"):
        jax.eval_shape(lambda x: linear_cross_entropy(x, np.zeros((7, 4), np.float32), BATCH[0]), LOGITS)
