"""assay.mlx: the gate's verdict through mx.vjp, and the call that the seed of this project promised."""

import pytest

mx = pytest.importorskip("mlx.core")

import assay  # noqa: E402
from assay.mlx import ctc_loss, linear_cross_entropy, standing_in, svd  # noqa: E402

LOSSES = {"ctc": ctc_loss, "cce": linear_cross_entropy}
KERNELS = {**LOSSES, "svd": svd}


@pytest.mark.parametrize("operation", KERNELS)
def test_the_gate_passes_it(operation):
    assay.gate(operation, KERNELS[operation], cases=3).raise_for_failure()


@pytest.mark.parametrize("operation", LOSSES)
def test_the_gate_finds_an_upstream_gradient_that_is_ignored(operation):
    def ignoring(p):
        return KERNELS[operation].assay_kernel(type(p)(**{**vars(p), "upstream": None}))

    declared = KERNELS[operation].assay_declared
    assert not assay.gate(operation, ignoring, cases=8, reach="none", filter="^linearity$", **declared).passed


@pytest.mark.parametrize("dtype", [mx.float32, mx.float16, mx.bfloat16])
def test_value_and_grad_of_a_batch_of_sequences(dtype):
    hidden, weight = mx.random.normal((2, 4, 3)).astype(dtype), mx.random.normal((7, 3)).astype(dtype)
    targets = mx.array([[1, 6, -100, 0], [2, 2, 5, 3]])
    loss = lambda h, w: linear_cross_entropy(h, w, targets)  # noqa: E731
    value, (dhidden, dweight) = mx.value_and_grad(loss, argnums=(0, 1))(hidden, weight)
    assert dhidden.shape == (2, 4, 3) and dweight.shape == (7, 3) and dhidden.dtype == dtype
    each = linear_cross_entropy(hidden, weight, targets, reduction="none")
    assert each.shape == (2, 4) and abs(each.sum().item() / 7 - value.item()) <= 1e-5


def test_the_gradient_of_svd():
    A = mx.random.normal((2, 4, 3))
    assert mx.allclose(mx.grad(lambda A: (svd(A).S ** 2).sum())(A), 2 * A, atol=1e-5)  # of the squared Frobenius norm
    assert mx.grad(lambda A: svd(A).U.sum())(A.astype(mx.bfloat16)).dtype == mx.bfloat16


def test_a_refusal_names_the_argument():
    with pytest.raises(ValueError, match="A.*nan: expected a finite number"):
        svd(mx.full((3, 2), float("nan")))
    with pytest.raises(ValueError, match="targets.*= 5: expected a label"):
        ctc_loss(mx.zeros((2, 1, 5)), [[5]], [2], [1])


LOGITS = mx.random.normal((9, 3, 5), key=mx.random.key(1))
BATCH = ([[1, 2, 2], [3, 0, 0], [4, 4, 1]], [9, 5, 7], [3, 1, 2])


@pytest.mark.parametrize("dtype, unit", [(mx.float32, 2**-23), (mx.float16, 2**-11), (mx.bfloat16, 2**-8)])
def test_the_kernels_in_metal_agree_with_those_for_cpus(dtype, unit):
    """The emulator's metal_kernel in place of mx.fast's, which needs an Apple GPU."""
    hidden, weight, bias = (mx.random.normal(shape).astype(dtype) for shape in ((2, 4, 3), (7, 3), (7,)))
    targets = mx.array([[1, 6, -100, 0], [2, 2, 5, 3]])

    def results():
        ctc = mx.value_and_grad(lambda x: ctc_loss(x, *BATCH, logits=True))(LOGITS.astype(dtype))
        cce = mx.value_and_grad(lambda *given: linear_cross_entropy(*given[:2], targets, given[2]), argnums=(0, 1, 2))
        loss, gradients = cce(hidden, weight, bias)
        return [*ctc, loss, *gradients, *svd(hidden)]

    expected = results()
    with standing_in(assay.metal.mlx.metal_kernel):
        for one, other in zip(results(), expected):
            assert one.dtype == other.dtype and one.shape == other.shape
            assert mx.allclose(one.astype(mx.float32), other.astype(mx.float32), rtol=4 * unit, atol=4 * unit)


def test_the_gate_passes_the_kernel_in_metal():
    declared = {"dtype": "float32", "reductions": "none", "inputs": "logits", "gradient_of": "logits"}
    with standing_in(assay.metal.mlx.metal_kernel):
        assay.gate("ctc", ctc_loss, cases=1, reach="none", filter="^gradient$", **declared).raise_for_failure()


def test_what_the_kernel_for_cpus_refuses_is_refused_before_anything_is_compiled():
    with standing_in(lambda **_: pytest.fail("compiled")):
        with pytest.raises(ValueError, match="logits.*nan: expected a finite number"):
            ctc_loss(mx.full((2, 1, 5), float("nan")), [[1]], [2], [1], logits=True)
        with pytest.raises(ValueError, match="targets.*= 5: expected a label"):
            ctc_loss(mx.zeros((2, 1, 5)), [[5]], [2], [1])
