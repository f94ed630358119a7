"""assay.numpy computes what the kernels of metal/cpu do: on arrays as they are, without the interpreter's lock, and with
errors that name the argument."""

import os
import sys
import threading
import time

import numpy as np
import pytest

import assay
from assay import _kernel_calls as calls
from assay.numpy import ctc_loss, linear_cross_entropy, randomized_svd, svd, svd_gradient

RANDOM = np.random.default_rng(1)
LOGITS = RANDOM.standard_normal((6, 3, 5)).astype(np.float32)
BATCH = (np.array([[1, 2], [3, 0], [4, 4]]), np.array([6, 5, 6]), np.array([2, 1, 2]))
HIDDEN, WEIGHT = (RANDOM.standard_normal(shape).astype(np.float32) for shape in ((4, 3), (7, 3)))
TARGETS = np.array([1, 6, -100, 0])
KERNELS = {"ctc": ctc_loss, "cce": linear_cross_entropy, "svd": svd}


@pytest.mark.parametrize("operation", KERNELS)
def test_the_gate_passes_it(operation):
    assay.gate(operation, KERNELS[operation], cases=4).raise_for_failure()


def test_the_gate_passes_ctc_from_logits():
    assay.gate("ctc", ctc_loss, cases=4, inputs="logits", gradient_of="logits").raise_for_failure()


def with_fault(operation, **changed):
    """The kernel as the gate calls it, with some of the problem's fields replaced by what a wrapper might get wrong."""

    def kernel(p):
        return KERNELS[operation].assay_kernel(type(p)(**{**vars(p), **{key: f(p) for key, f in changed.items()}}))

    return kernel


@pytest.mark.parametrize(
    "operation, fault, found_by",
    [
        ("ctc", {"upstream": lambda p: None}, "linearity"),
        ("ctc", {"reduction": lambda p: p.reduction.replace("mean", "sum")}, "reductions"),
        ("cce", {"upstream": lambda p: None}, "linearity"),
        ("cce", {"label_smoothing": lambda p: 0.0}, "loss"),
    ],
)
def test_the_gate_finds_a_faulty_wrapper(operation, fault, found_by):
    declared = KERNELS[operation].assay_declared
    asked = {"cases": 24, "reach": "none", "filter": f"^{found_by}$"}  # one case in five smooths labels
    assert assay.gate(operation, KERNELS[operation], **asked).passed
    assert not assay.gate(operation, with_fault(operation, **fault), **asked, **declared).passed


def test_a_row_major_array_is_not_copied_and_another_gives_the_same_bits():
    assert np.shares_memory(calls.floats("x", LOGITS, calls.LOSS_DTYPES, "T, B, C").array, LOGITS)
    strided = np.asfortranarray(LOGITS)
    assert not strided.flags.c_contiguous
    for one, other in zip(ctc_loss(LOGITS, *BATCH, logits=True), ctc_loss(strided, *BATCH, logits=True)):
        assert one.tobytes() == other.tobytes()


def test_bfloat16_is_taken_as_its_bits():
    bits = (LOGITS.view(np.uint32) >> 16).astype(np.uint16)
    rounded = (bits.astype(np.uint32) << 16).view(np.float32)
    loss, gradient = ctc_loss(bits, *BATCH, logits=True)
    exact_loss, exact_gradient = ctc_loss(rounded, *BATCH, logits=True)
    assert loss == exact_loss
    wide = (np.asarray(gradient).view(np.uint16).astype(np.uint32) << 16).view(np.float32)
    assert np.abs(wide - exact_gradient).max() <= 2.0**-8 * np.abs(exact_gradient).max()


def test_an_upstream_gradient_beyond_16_bits_is_not_rounded_to_them():
    scale = 2.0**17  # not finite in float16
    x = LOGITS.astype(np.float16)
    _, gradient = ctc_loss(x, *BATCH, reduction="sum", logits=True, upstream=scale)
    _, expected = ctc_loss(x.astype(np.float32), *BATCH, reduction="sum", logits=True, upstream=scale)
    with np.errstate(over="ignore"):
        assert np.array_equal(gradient, expected.astype(np.float16))


def test_gradients_are_left_out_where_they_are_not_wanted():
    assert ctc_loss(LOGITS, *BATCH, logits=True, with_gradient=False)[1] is None
    assert linear_cross_entropy(HIDDEN, WEIGHT, TARGETS, with_gradient=False)[1:] == (None, None)
    assert np.array_equal(svd(WEIGHT, compute_uv=False), svd(WEIGHT).S)


def test_svd_takes_any_leading_extents_and_its_gradient_is_that_of_differences():
    A = RANDOM.standard_normal((2, 1, 4, 3))
    U, S, Vh = svd(A)
    assert U.shape == (2, 1, 4, 3) and S.shape == (2, 1, 3) and Vh.shape == (2, 1, 3, 3)
    dU, dS, dVh = (RANDOM.standard_normal(one.shape) for one in (U, S, Vh))

    def value(A):
        return sum((one * d).sum() for one, d in zip(svd(A), (dU, dS, dVh)))

    dA, direction, h = svd_gradient(U, S, Vh, dU, dS, dVh), RANDOM.standard_normal(A.shape), 1e-6
    slope = (value(A + h * direction) - value(A - h * direction)) / (2 * h)
    assert abs((dA * direction).sum() - slope) <= 1e-6 * abs(slope)


def test_randomized_svd_finds_the_largest_triplets():
    A = (svd(RANDOM.standard_normal((30, 3))).U * [9.0, 5.0, 2.0]) @ svd(RANDOM.standard_normal((20, 3))).U.T
    U, S, Vh = randomized_svd(A, 3, seed=7)
    assert np.abs(S - [9, 5, 2]).max() <= 1e-12 and np.abs((U * S) @ Vh - A).max() <= 1e-12


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: ctc_loss(LOGITS.astype(np.float64), *BATCH), "log_probs is float64: expected float32, float16 or bfloat16"),
        (lambda: ctc_loss(LOGITS[0], *BATCH), r"log_probs has shape \[3, 5\]: expected \[T, B, C\]"),
        (lambda: ctc_loss(LOGITS * np.nan, *BATCH, logits=True), r"logits\[t=0, b=0, c=0\] = nan: expected a finite"),
        (lambda: ctc_loss(LOGITS, BATCH[0] + 4, *BATCH[1:]), r"targets\[b=0, s=0\] = 5: expected a label"),
        (lambda: ctc_loss(LOGITS, BATCH[0] * 1.0, *BATCH[1:]), "targets is float64: expected integers"),
        (lambda: ctc_loss(LOGITS, BATCH[0][:2], *BATCH[1:]), r"targets has shape \[2, 2\]: expected \[B=3, S\]"),
        (lambda: ctc_loss(LOGITS, BATCH[0], [7, 5, 6], BATCH[2]), r"input_lengths\[b=0\] = 7: expected a length"),
        (lambda: ctc_loss(LOGITS, *BATCH, reduction="max"), "reduction = 'max': expected 'none', 'mean' or 'sum'"),
        (lambda: ctc_loss(LOGITS, *BATCH, blank=5), "blank = 5: expected a class"),
        (lambda: ctc_loss(LOGITS, *BATCH, upstream=[1.0, 2.0]), "upstream.*2: expected 1"),
        (lambda: ctc_loss(LOGITS, *BATCH, threads=-1), "threads = -1: expected a whole number from 0"),
        (lambda: ctc_loss(LOGITS, [[1, 2], [3], [1]], *BATCH[1:]), r"targets = \[\[1, 2\], \[3\], \[1\]\]: expected rows of one length"),
        (lambda: ctc_loss(LOGITS, BATCH[0], [2**70, 5, 6], BATCH[2]), "input_lengths = .*: expected numbers of at most 64 bits"),
        (lambda: ctc_loss(LOGITS, BATCH[0].astype(np.uint64) + np.uint64(2**63), *BATCH[1:]), r"targets: element 0 = 92233720368547758\d\d: expected at most"),
        (lambda: linear_cross_entropy(HIDDEN, WEIGHT[:, :2], TARGETS), r"weight has shape \[7, 2\]: expected \[V, H=3\]"),
        (lambda: linear_cross_entropy(HIDDEN, WEIGHT.astype(np.float16), TARGETS), "weight is float16: expected float32"),
        (lambda: linear_cross_entropy(HIDDEN, WEIGHT, TARGETS, WEIGHT[0]), r"bias has shape \[3\]: expected \[V=7\]"),
        (lambda: linear_cross_entropy(HIDDEN, WEIGHT, TARGETS + 7), r"targets\[n=0\] = 8: expected"),
        (lambda: linear_cross_entropy(HIDDEN, WEIGHT, TARGETS[:2]), r"targets.*2: expected"),
        (lambda: svd(np.array([[1.0, np.inf]])), r"A\[b=0, i=0, j=1\] = inf: expected a finite number"),
        (lambda: svd(np.zeros(3)), r"A has shape \[3\]: expected \[..., M, N\]"),
        (lambda: randomized_svd(WEIGHT, 4), "rank = 4: expected a whole number from 1 to 3"),
        (lambda: randomized_svd(WEIGHT, 1, seed=-1), "seed = -1: expected a whole number from 0"),
        (lambda: randomized_svd(WEIGHT, 1, oversampling=2**70), "oversampling = .*: expected a whole number from 0"),
    ],
)
def test_a_refusal_names_argument_value_and_expectation(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: ctc_loss(LOGITS, *BATCH, threads="x"), "threads = 'x': expected a whole number"),
        (lambda: ctc_loss(LOGITS, np.ma.masked_equal(BATCH[0], 1), *BATCH[1:]), "targets = .*a masked array"),
        (lambda: svd(np.ma.masked_equal(WEIGHT, 0)), "a masked array, whose mask would be lost"),
        (lambda: randomized_svd(WEIGHT, None), "rank = None: expected a whole number from 1 to 3"),
        (lambda: randomized_svd(WEIGHT, 2.5), "rank = 2.5: expected a whole number"),
        (lambda: randomized_svd(WEIGHT, 1, power_iterations="x"), "power_iterations = 'x': expected a whole number"),
    ],
)
def test_another_type_is_refused_by_name(call, message):
    with pytest.raises(TypeError, match=message):
        call()


def test_other_threads_of_python_run_while_a_kernel_computes():
    A, counts, ticks = RANDOM.standard_normal((400, 400)), [], [0]

    def compute():
        counts.append(ticks[0])
        svd(A, threads=1)
        counts.append(ticks[0])

    interval = sys.getswitchinterval()
    sys.setswitchinterval(100)  # whoever has the lock keeps it until it lets go
    try:
        worker = threading.Thread(target=compute)
        worker.start()
        while worker.is_alive():
            ticks[0] += 1
            time.sleep(0.001)
        worker.join()
    finally:
        sys.setswitchinterval(interval)
    assert counts[1] > counts[0] + 5


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_child_computes_after_its_parent_used_threads():
    linear_cross_entropy(HIDDEN, WEIGHT, TARGETS, threads=2)
    expected = ctc_loss(LOGITS, *BATCH, logits=True, threads=2)[0]
    child = os.fork()
    if child == 0:
        os._exit(0 if ctc_loss(LOGITS, *BATCH, logits=True, threads=2)[0] == expected else 1)
    for _ in range(600):
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            break
        time.sleep(0.1)
    else:
        os.kill(child, 9)
    assert done and status == 0
