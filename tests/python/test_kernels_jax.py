"""assay.jax: the gate's verdict through grad, and jit, vmap and types as JAX has them."""

import numpy as np
import pytest

jax = pytest.importorskip("jax")

import jax.numpy as jnp  # noqa: E402

import assay  # noqa: E402
from assay.jax import ctc_loss, linear_cross_entropy, svd  # noqa: E402
from assay.numpy import ctc_loss as ctc_of_numpy  # noqa: E402

RANDOM = np.random.default_rng(1)
LOGITS = jnp.asarray(RANDOM.standard_normal((6, 3, 5)), jnp.float32)
BATCH = (np.array([[1, 2], [3, 0], [4, 4]]), np.array([6, 5, 6]), np.array([2, 1, 2]))


KERNELS = {"ctc": ctc_loss, "cce": linear_cross_entropy, "svd": svd}


@pytest.mark.parametrize("operation", KERNELS)
def test_the_gate_passes_it(operation):
    assay.gate(operation, KERNELS[operation], cases=3).raise_for_failure()


def test_the_gate_finds_an_upstream_gradient_that_is_ignored():
    def ignoring(p):
        return ctc_loss.assay_kernel(type(p)(**{**vars(p), "upstream": None}))

    assert not assay.gate("ctc", ignoring, cases=8, filter="^linearity$", **ctc_loss.assay_declared).passed


def test_jit_grad_and_vmap():
    loss = lambda x: ctc_loss(x, *BATCH, logits=True)  # noqa: E731
    expected_loss, expected = ctc_of_numpy(np.asarray(LOGITS), *BATCH, logits=True)
    value, gradient = jax.jit(jax.value_and_grad(loss))(LOGITS)
    assert value == expected_loss and np.array_equal(gradient, expected)
    assert np.array_equal(jax.vmap(loss)(jnp.stack([LOGITS, 2 * LOGITS])), [loss(LOGITS), loss(2 * LOGITS)])


def test_the_gradient_of_svd_is_that_of_differences():
    A = jnp.asarray(RANDOM.standard_normal((4, 3)), jnp.float32)
    f = lambda A: (svd(A).S ** 2).sum()  # noqa: E731  (the squared Frobenius norm)
    assert np.allclose(jax.jit(jax.grad(f))(A), 2 * A, atol=1e-5)


def test_a_refusal_names_the_argument():
    with pytest.raises(Exception, match="targets.*= 5: expected a label"):
        ctc_loss(LOGITS, BATCH[0] + 4, *BATCH[1:]).block_until_ready()
