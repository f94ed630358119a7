"""Kernels of the built-in operations are given views of other arrays, and return arrays of their own."""

import numpy as np
import pytest

import assay
import kernels

OPERATIONS = {"ctc": (kernels.ctc, kernels.CTC), "cce": (kernels.cce, {}), "svd": (kernels.svd, {})}
FIRST_INPUT = {"ctc": "activations", "cce": "hidden", "svd": "A"}


def gate(operation, fn, filter="^strides$", **options):
    return assay.gate(operation, fn, cases=20, filter=filter, reach="none", **OPERATIONS[operation][1], **options)


def with_first_input(operation, change):
    """The right kernel on a problem whose first input has been changed."""
    name, kernel = FIRST_INPUT[operation], OPERATIONS[operation][0]

    def changed(p):
        return kernel(type(p)(**{**vars(p), name: change(getattr(p, name))}))

    return changed


def taken_as_rows_first(array):
    """The elements in the order of their addresses."""
    return array.ravel(order="K").reshape(array.shape)


def taken_as_contiguous(array):
    """From the first element on, without the strides; only where what is read so is part of the array's memory."""
    last = array.shape[-1] * array.itemsize if array.ndim else 0
    is_wider = array.ndim > 1 and array.size > 0 and array.strides[-2] >= 2 * last and min(array.strides) > 0
    plain = np.empty(array.shape, array.dtype).strides
    return np.lib.stride_tricks.as_strided(array, strides=plain) if is_wider else array


@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_right_kernel_passes(operation):
    result = gate(operation, OPERATIONS[operation][0])
    assert result.passed and result["strides"].cases == 20, str(result)


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("fault", [taken_as_rows_first, taken_as_contiguous], ids=lambda fault: fault.__name__)
def test_ignored_strides_fail(operation, fault):
    faulty = with_first_input(operation, fault)
    result = gate(operation, faulty, "^(strides|loss|dhidden|gradient|values)$")
    assert [name for name in result.failures] == ["strides"], str(result)
    failure = result.failures["strides"]
    assert "with inputs that lie " in failure.explanation, str(result)
    assert result["strides"].verdict == "error" or "copy the array first" in failure.usual_cause, str(result)
    assert not assay.replay(faulty, failure.reproducer, **OPERATIONS[operation][1])
    assert assay.replay(OPERATIONS[operation][0], failure.reproducer, **OPERATIONS[operation][1])


@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_stride_of_zero_is_met(operation):
    def first_part_alone(array):
        if not (array.size and array.shape[0] > 1 and array.strides[0] == 0):
            return array
        copy = array.copy()
        copy[1:] = 0
        return copy

    result = gate(operation, with_first_input(operation, first_part_alone))
    assert "with a stride of 0 along the first axis" in result.failures["strides"].explanation, str(result)


@pytest.mark.parametrize("wrong", [np.nan, np.inf, 1e-2])
def test_one_wrong_element_fails(wrong):
    def one_wrong(p):
        loss, gradient = kernels.ctc(p)
        if not p.activations.flags.c_contiguous and gradient.size and np.isfinite(gradient.flat[0]):
            gradient.flat[0] += wrong
        return loss, gradient

    assert gate("ctc", one_wrong)["strides"].verdict == "fail"


def refuse(p, exception, text):
    if any(stride < 0 for stride in p.A.strides):
        raise exception(text)
    return kernels.svd(p)


def test_a_kernel_may_refuse_negative_strides_by_name():
    told = "At least one stride in the given numpy array is negative"
    assert gate("svd", lambda p: refuse(p, ValueError, told)).passed
    assert gate("svd", lambda p: refuse(p, assay.Unsupported, "")).passed
    assert gate("svd", lambda p: refuse(p, ValueError, "A: expected another array"))["strides"].verdict == "error"


def test_a_kernel_of_contiguous_arrays_is_judged_at_other_addresses():
    seen = set()

    def contiguous(p):
        if not p.A.flags.c_contiguous:
            raise assay.Unsupported("views")
        if p.A.nbytes > 8:  # a smaller array may lie anywhere
            seen.add(p.A.ctypes.data % 16)
        return kernels.svd(p)

    assert gate("svd", contiguous, own_process=False).passed and {4, 8, 12} <= seen


def test_a_result_is_no_view_of_an_input():
    explanation = gate("ctc", lambda p: (kernels.ctc(p)[0], p.activations), "^gradient$").failures["gradient"].explanation
    assert "gradient is a view of the input activations: expected an array of its own" in explanation


def test_a_result_is_not_overwritten_by_the_next_call():
    buffers = {}

    def in_a_buffer(p):
        U, S, Vh = kernels.svd(p)
        buffer = buffers.setdefault((S.shape, S.dtype), np.empty_like(S))
        buffer[...] = S
        return U, buffer, Vh

    explanation = gate("svd", in_a_buffer, "^scaling$").failures["scaling"].explanation
    assert "S of the call before was overwritten by this call: expected a new array for each call" in explanation
