"""Kernels that are wrong for few layouts of their arrays fail; those that refuse negative strides decline them."""

import numpy as np
import pytest

import assay
import formula_tried as tried
from assay import gallery
from formula_right_kernels import softmax_plain
from formula_settings import SEED, each


@pytest.mark.parametrize("name, kernel", each(tried.FAULTY_LAYOUTS))
def test_wrong_layouts_fail(name, kernel):
    result = assay.gate(getattr(gallery, name), kernel, cases=60, filter="outputs", seed=SEED)
    assert result.failures, result


def test_halves_at_odd_addresses_are_read():
    result = assay.gate(gallery.softmax, tried.half_read_at_even_halves, dtype="float16", cases=60, filter="outputs", seed=SEED)
    assert result.failures, result


def test_a_kernel_may_refuse_negative_strides_by_name():
    def refusing(p):
        if any(stride < 0 for stride in p.x.strides):
            raise ValueError("tensors with negative strides are not supported")
        return softmax_plain(p)

    result = assay.gate(gallery.softmax, refusing, cases=60, seed=SEED)
    assert result.passed, result
    assert any("negative strides" in reason for reason in result["outputs"].skipped)


def test_another_refusal_of_an_array_fails():
    def refusing(p):
        if any(stride < 0 for stride in p.x.strides):
            raise ValueError("no such array")
        return softmax_plain(p)

    assert not assay.gate(gallery.softmax, refusing, cases=60, filter="outputs", seed=SEED).passed


def test_a_backward_pass_is_given_an_upstream_of_stride_0():
    def backward(p):
        is_repeated = len(p.upstream) > 1 and p.upstream.strides[0] == 0
        y, g = softmax_plain(p), p.upstream * np.float32(0 if is_repeated else 1)
        return y * (g - (y * g).sum(-1, keepdims=True))

    assert not assay.gradcheck(gallery.softmax, backward, cases=60, seed=SEED).passed
    right = lambda p: softmax_plain(p) * (p.upstream - (softmax_plain(p) * p.upstream).sum(-1, keepdims=True))  # noqa: E731
    assert assay.gradcheck(gallery.softmax, right, cases=60, seed=SEED).passed


def test_there_are_as_many_faults_as_it_takes():
    assert sum(len(some) for some in tried.FAULTY_LAYOUTS.values()) >= 10
