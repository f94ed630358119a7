"""Gradients of maxima at ties: every share from 0 to 1 is right, and nothing else."""

import numpy as np
import pytest

import assay

f32 = np.float32


@assay.operation(x="N, D")
def relu(xp, x):
    return xp.maximum(x, 0)


@assay.operation(x="N, D")
def hardtanh(xp, x):
    return xp.minimum(xp.maximum(x, -1), 1)


@assay.operation(x="N, D", limits={"D": 65})
def largest(xp, x):
    return xp.max(x, axis=-1)


def relu_backward(at_zero):
    return lambda p: p.upstream * np.where(p.x > 0, f32(1), np.where(p.x == 0, f32(at_zero), f32(0)))


def hardtanh_backward(at_edges):
    return lambda p: p.upstream * np.where(np.abs(p.x) < 1, f32(1), np.where(np.abs(p.x) == 1, f32(at_edges), f32(0)))


def largest_backward(share):
    """The share of each of the largest: 1/n as autograd of amax, all to the first as of max, all to each."""

    def backward(p):
        is_largest = p.x == p.x.max(-1, keepdims=True, initial=-np.inf)
        if share == "first":
            is_largest &= np.cumsum(is_largest, -1) == 1
        parts = is_largest.sum(-1, keepdims=True) if share == "equal" else 1
        return (is_largest / parts * p.upstream[..., None]).astype(f32)

    return backward


@pytest.mark.parametrize("share", [0, 0.25, 0.5, 1])
def test_every_share_of_a_tie_is_right(share):
    for operation, backward in ((relu, relu_backward), (hardtanh, hardtanh_backward)):
        result = operation.gate(backward=backward(share), cases=100, reach="none")
        assert result.passed, str(result)


@pytest.mark.parametrize("share", ["equal", "first"])
def test_ties_of_a_row_may_be_shared_or_go_to_one(share):
    result = largest.gate(backward=largest_backward(share), cases=100, reach="none", empty=False)
    assert result.passed, str(result)


@pytest.mark.parametrize("share", [-0.25, 1.25, 2, np.nan, np.inf])
def test_other_shares_are_wrong(share):
    for operation, backward in ((relu, relu_backward), (hardtanh, hardtanh_backward)):
        result = operation.gate(backward=backward(share), cases=100, reach="none")
        assert result["gradient"].verdict == "fail", str(result)


def test_one_wrong_element_beside_a_tie_is_seen():
    def backward(p):
        gradient = relu_backward(0.5)(p)
        if gradient.shape[-1] > 2 and gradient.size and p.x.flat[1] != 0:
            gradient.flat[1] = p.upstream.flat[1] - gradient.flat[1]
        return gradient

    assert relu.gate(backward=backward, cases=100, reach="none")["gradient"].verdict == "fail"
