"""Plans of the hosts by mx.fast.metal_kernel, as assay.mlx runs them on an Apple GPU: here the emulator's stands in, and
arrays of NumPy for those of MLX. test_kernels_mlx.py has MLX's."""

import contextlib
import re

import numpy as np
import pytest

import assay
import assay.numpy as on_cpu
from assay import _carried_over, _mlx_gpu, _shader_text
from assay._metal_kernel_plan import Framework

RANDOM = np.random.default_rng(1)
LOGITS = RANDOM.standard_normal((9, 3, 5)).astype(np.float32)
BATCH = [np.array([[1, 2, 2], [3, 0, 0], [4, 4, 1]]), np.array([9, 5, 7]), np.array([3, 1, 2])]
CTC = {"blank": 0, "logits": True, "reduction": "mean", "zero_infinity": False}
CCE = {"ignore_index": -100, "logit_softcap": 0.0, "label_smoothing": 0.0, "z_loss": 0.0, "reduction": "mean"}


class Calls:
    """A metal_kernel that computes nothing: results are zeros."""

    def __init__(self):
        self.names, self.init_values, self.dtypes = [], [], {}

    def __call__(self, name, input_names, output_names, source, header):
        def kernel(*, inputs, output_shapes, output_dtypes, grid, threadgroup, init_value=None):
            assert len(inputs) == len(input_names) and min(one.size for one in inputs) >= 8  # else in constant memory
            assert len(output_shapes) == len(output_dtypes) == len(output_names)
            self.names.append(re.sub("_[0-9a-f]{8}$", "", name))
            self.dtypes[self.names[-1]] = output_dtypes
            self.init_values.append(init_value)
            return [np.zeros(shape, dtype) for shape, dtype in zip(output_shapes, output_dtypes)]

        return kernel


def emulated(memory=0):
    return Framework(np, assay.metal.mlx.metal_kernel, memory)


def recorded(memory=0):
    return Framework(np, Calls(), memory)


def agrees(results, expected):
    loss, gradients = results
    return all(
        one.shape == np.shape(other) and one.dtype == other.dtype and np.allclose(one, other, rtol=1e-5, atol=3e-6)
        for one, other in zip([loss, *gradients], expected)
    )


def test_ctc_agrees_with_the_kernel_for_cpus_and_without_what_lay_in_the_gradient_it_does_not(monkeypatch):
    expected = on_cpu.ctc_loss(LOGITS, *BATCH, logits=True)
    framework = emulated()
    assert agrees(_mlx_gpu.ctc_loss(framework, LOGITS, BATCH, None, CTC, True), expected)
    monkeypatch.setitem(_carried_over.COPIED, "ctc_gradient", (("gradients",), ""))
    with contextlib.suppress(assay.metal.CheckError, assay.metal.MetalError):  # it may read what is not there
        assert not agrees(_mlx_gpu.ctc_loss(framework, LOGITS, BATCH, None, CTC, True), expected)


def test_cross_entropy_in_blocks_agrees_with_the_kernel_for_cpus():
    hidden, weight = (RANDOM.standard_normal(shape).astype(np.float32) for shape in ((70, 4), (9, 4)))
    targets = RANDOM.integers(0, 9, 70)
    expected = on_cpu.linear_cross_entropy(hidden, weight, targets)
    assert agrees(_mlx_gpu.linear_cross_entropy(emulated(4096), [hidden, weight], targets, None, CCE, True), expected)


def test_the_svd_agrees_with_the_kernel_for_cpus():
    A = RANDOM.standard_normal((2, 4, 3)).astype(np.float32)
    U, *others = _mlx_gpu.svd(emulated(), A)
    assert agrees((U, others), on_cpu.svd(A))


def test_matrices_that_take_more_kernels_are_left_to_the_kernel_for_cpus():
    framework = recorded()
    assert _mlx_gpu.svd(framework, np.ones((1, 300, 300), np.float32)) is None and framework.metal_kernel.names == []


def test_blocks_are_added_to_those_before():
    framework = recorded(4096)
    inputs, targets = [np.ones((70, 4), np.float32), np.ones((9, 4), np.float32), np.ones(9, np.float32)], np.full(70, 3)
    targets[5] = CCE["ignore_index"]
    loss, gradients = _mlx_gpu.linear_cross_entropy(framework, inputs, targets, None, CCE, True)
    made = framework.metal_kernel
    blocks = ["cce_logits", "cce_loss", "cce_differentiate", "cce_dhidden", "cce_dweight", "cce_dbias"]
    assert made.names == 3 * blocks + ["cce_store_losses", "cce_clear_dhidden"]
    assert made.init_values == 3 * [None, 0, None, 0, 0, 0] + [None, 0]
    assert [one.shape for one in gradients] == [one.shape for one in inputs] and loss.shape == ()


def test_a_block_alone_needs_no_zeros():
    framework = recorded()
    inputs = [np.ones((5, 4), np.float32), np.ones((9, 4), np.float32)]
    _mlx_gpu.linear_cross_entropy(framework, inputs, np.arange(5), None, CCE, True)
    assert set(framework.metal_kernel.init_values) == {None}


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_what_is_not_finite_is_left_to_the_kernel_for_cpus(wrong):
    x = LOGITS.copy()
    x[2, 1, 3] = wrong
    assert _mlx_gpu.ctc_loss(recorded(), x, BATCH, None, CTC, True) is None
    x = LOGITS[0].copy()
    x[2, 1] = wrong
    assert _mlx_gpu.svd(recorded(), x[None]) is None
    for inputs in ([x, LOGITS[0]], [LOGITS[0], x]):
        assert _mlx_gpu.linear_cross_entropy(recorded(), inputs, np.arange(3), None, CCE, True) is None


def test_minus_infinity_is_an_activation():
    x = LOGITS.copy()
    x[2, 1, 3] = -np.inf
    assert _mlx_gpu.ctc_loss(recorded(), x, BATCH, None, CTC, True) is not None
    x[2, 1] = -np.inf
    assert _mlx_gpu.ctc_loss(recorded(), x, BATCH, None, CTC, True) is None


def test_arrays_without_elements_are_left_to_the_kernel_for_cpus():
    assert _mlx_gpu.ctc_loss(recorded(), LOGITS[:0], [BATCH[0], 0 * BATCH[1], 0 * BATCH[2]], None, CTC, True) is None
    assert _mlx_gpu.svd(recorded(), np.zeros((0, 4, 3), np.float32)) is None


def test_rows_that_take_several_dispatches_are_left_to_the_kernel_for_cpus():
    integers = [np.ones((16, 20000), np.int64), np.full(16, 40000), np.full(16, 20000)]
    framework = recorded()
    assert _mlx_gpu.ctc_loss(framework, np.zeros((40000, 16, 2), np.float32), integers, None, CTC, True) is None
    assert framework.metal_kernel.names == []


def test_a_bad_label_is_refused_by_name():
    with pytest.raises(ValueError, match=r"targets\[b=0, s=0\] = 5: expected a label in \[0, C=5\)"):
        _mlx_gpu.ctc_loss(recorded(), LOGITS, [np.full((3, 3), 5), *BATCH[1:]], None, CTC, True)


def test_an_upstream_gradient_that_16_bits_do_not_hold_is_used_in_32():
    x = LOGITS.astype(np.float16)
    for upstream, dtype in ((2.0, np.float16), (1 + 2.0**-12, np.float32)):
        framework = recorded()
        _, (gradient,) = _mlx_gpu.ctc_loss(framework, x, BATCH, upstream, CTC, True)
        assert gradient.dtype == np.float16 and framework.metal_kernel.dtypes["ctc_gradient"] == [dtype]


def test_rows_that_are_not_aligned_and_short_ones_are_copied():
    framework, x = recorded(), np.zeros(33, np.float32)
    for given in (x[1:], x[:3]):
        flat = framework.flat(given)
        assert flat.ctypes.data % 16 == 0 and flat.size >= 8 and np.array_equal(flat[: given.size], given)
    assert framework.flat(x[:32]).ctypes.data == x.ctypes.data


@pytest.mark.parametrize("operation, count", [("ctc", 13), ("cce", 11), ("svd", 10)])
def test_the_text_of_a_kernel_is_a_body_and_a_header(operation, count):
    shader = f"{operation}/{operation}.metal"
    header, _, instances = _shader_text._definitions(shader)
    assert len(instances) == count and "kernel void" not in header and "INSTANTIATE" not in header
    for name in instances:
        kernel = _shader_text.kernel(shader, name.replace("{type}", "float"), "float32", [])
        assert "[[" not in kernel.header + kernel.body
        assert len(kernel.buffers()) > 2 and not re.search(r"\bkernel\b", kernel.body)
