"""assay.mlx: the gate's verdict through mx.vjp, and the call that the seed of this project promised."""

import pytest

mx = pytest.importorskip("mlx.core")

import assay  # noqa: E402
from assay.mlx import ctc_loss, linear_cross_entropy  # noqa: E402

KERNELS = {"ctc": ctc_loss, "cce": linear_cross_entropy}


@pytest.mark.parametrize("operation", KERNELS)
def test_the_gate_passes_it(operation):
    assay.gate(operation, KERNELS[operation], cases=3).raise_for_failure()


@pytest.mark.parametrize("operation", KERNELS)
def test_the_gate_finds_an_upstream_gradient_that_is_ignored(operation):
    def ignoring(p):
        return KERNELS[operation].assay_kernel(type(p)(**{**vars(p), "upstream": None}))

    declared = KERNELS[operation].assay_declared
    assert not assay.gate(operation, ignoring, cases=8, filter="^linearity$", **declared).passed


@pytest.mark.parametrize("dtype", [mx.float32, mx.float16, mx.bfloat16])
def test_value_and_grad_of_a_batch_of_sequences(dtype):
    hidden, weight = mx.random.normal((2, 4, 3)).astype(dtype), mx.random.normal((7, 3)).astype(dtype)
    targets = mx.array([[1, 6, -100, 0], [2, 2, 5, 3]])
    loss = lambda h, w: linear_cross_entropy(h, w, targets)  # noqa: E731
    value, (dhidden, dweight) = mx.value_and_grad(loss, argnums=(0, 1))(hidden, weight)
    assert dhidden.shape == (2, 4, 3) and dweight.shape == (7, 3) and dhidden.dtype == dtype
    each = linear_cross_entropy(hidden, weight, targets, reduction="none")
    assert each.shape == (2, 4) and abs(each.sum().item() / 7 - value.item()) <= 1e-5


def test_a_refusal_names_the_argument():
    with pytest.raises(ValueError, match="targets.*= 5: expected a label"):
        ctc_loss(mx.zeros((2, 1, 5)), [[5]], [2], [1])
