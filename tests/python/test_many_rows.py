"""Rows past 2^17 others: row numbers that are cut off, and parts of rows that begin anew, are noticed in a quick run."""

import time

import numpy as np
import pytest

import assay

ASKED = dict(filter="^many-rows$", cases=2, empty=False)


@assay.operation(x="N, D", weight="D")
def scaled(xp, x, weight):
    return x * weight


@assay.operation(x="N, D")
def of_columns(xp, x):
    return xp.sum(x, axis=0)


def right(p):
    return p.x * p.weight


def in_blocks(p):
    return np.concatenate([p.x[i : i + 5000] * p.weight for i in range(0, len(p.x), 5000)])


def rows_of_16_bits(p):
    rows = np.arange(len(p.x)).astype(np.uint16)
    return p.x[rows] * p.weight


def grid_of_65535(p):
    y = right(p)
    y[65535:] = 0
    return y


def nan_at_the_end(p):
    y = right(p)
    y[100_000:] = np.nan
    return y


def ends_alone(p):
    y = right(p)
    if len(y) > 5000:
        y[64:-64] = 0
    return y


def upper_third_lost(p):
    y = right(p)
    if len(y) > 5000:
        y[2 * len(y) // 3 : -64] = 0
    return y


def of_fewer_rows(p):
    return right(p)[: 2**16]


@pytest.mark.parametrize("kernel", [right, in_blocks])
def test_right_kernels_pass(kernel):
    result = assay.gate(scaled, kernel, **ASKED)
    assert result.passed and result["many-rows"].cases == 1, result.table


@pytest.mark.parametrize("kernel", [rows_of_16_bits, grid_of_65535, nan_at_the_end, ends_alone, upper_third_lost, of_fewer_rows])
def test_faults_past_2_to_the_16_rows_are_noticed_by_it_alone(kernel):
    result = assay.gate(scaled, kernel, cases=10, empty=False)
    assert list(result.failures) == ["many-rows"], result.table


def test_gradients_of_rows_and_of_a_weight():
    def backward(p):
        return p.upstream * p.weight, (p.upstream * p.x).sum(0)

    def rows_lost(p):
        gradient, of_weight = backward(p)
        gradient[2**16 :] = 0
        return gradient, of_weight

    assert assay.gradcheck(scaled, backward, **ASKED).passed
    assert not assay.gradcheck(scaled, rows_lost, **ASKED).passed


def test_a_kernel_that_would_take_long_declines():
    def slow(p):
        end = time.process_time() + 5e-5 * len(p.x)
        while time.process_time() < end:
            pass
        return right(p)

    result = assay.gate(scaled, slow, filter="^(outputs|many-rows)$", cases=10, empty=False)
    assert (
        result.passed and result["many-rows"].verdict == "skipped" and "N = 131075: a call would take" in result.table
    ), result.table


def test_many_rows_are_spared_where_few_are_wrong():
    result = assay.gate(scaled, lambda p: np.zeros_like(p.x), filter="^(outputs|many-rows)$", cases=5, empty=False)
    assert list(result.failures) == ["outputs"] and result["many-rows"].verdict == "skipped", result.table
    assert result["many-rows"].skipped["results on few rows are wrong"] == 1, result["many-rows"]


def test_sizes_that_are_declared_hold_and_columns_are_no_rows():
    assert "many-rows" in assay.property_names(scaled, right)
    for operation, kernel, declared in (
        (scaled, right, {"limits": {"N": 9}}),
        (scaled, right, {"extents": {"N": [3]}}),
        (of_columns, None, {}),
    ):
        assert "many-rows" not in assay.property_names(operation, kernel, **declared)


@assay.operation(x="N, D")
def softmax(xp, x):
    e = xp.exp(x - xp.max(x, axis=-1, keepdims=True))
    return e / xp.sum(e, axis=-1, keepdims=True)


def softmax_of_rows(rows):
    def kernel(p):
        e = np.exp(p.x - p.x.max(-1, keepdims=True))
        return (e / e.sum(-1, keepdims=True))[rows(len(e))]

    return kernel


def test_rows_that_differ_by_an_offset_hide_no_fault_of_a_softmax():
    assert assay.gate(softmax, softmax_of_rows(np.arange), **ASKED).passed
    assert not assay.gate(softmax, softmax_of_rows(lambda n: np.arange(n).astype(np.uint16)), **ASKED).passed
