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


@assay.operation(x="N, D", limits={"D": 65})
def largest_of_pairs(xp, x):
    """Of windows that do not overlap, as pooling takes them, times a weight."""
    D = x.shape[1] // 2
    return 3 * xp.max(xp.reshape(x[:, : 2 * D], (x.shape[0], D, 2)), axis=-1)


def pairs_backward(share):
    def backward(p):
        N, D = p.x.shape
        pairs = p.x[:, : D // 2 * 2].reshape(N, D // 2, 2)
        is_largest = pairs == pairs.max(-1, keepdims=True)
        if share == "last":
            is_largest[..., 0] &= ~is_largest[..., 1]
        parts = is_largest.sum(-1, keepdims=True) if share == "equal" else 1
        gradient = np.zeros_like(p.x)
        gradient[:, : D // 2 * 2] = (f32(3) * p.upstream[..., None] * is_largest / parts).reshape(N, -1)
        return gradient

    return backward


@pytest.mark.parametrize("share", ["equal", "last"])
def test_ties_of_windows_may_be_shared_or_go_to_one(share):
    result = largest_of_pairs.gate(backward=pairs_backward(share), cases=100, reach="none", empty=False)
    assert result.passed, str(result)


@pytest.mark.parametrize("operation, backward", [(largest, largest_backward), (largest_of_pairs, pairs_backward)])
def test_shares_that_add_up_to_more_than_the_gradient_are_wrong(operation, backward):
    result = operation.gate(backward=backward("all"), cases=100, reach="none", empty=False)
    assert result["gradient"].verdict == "fail", str(result)
    assert "equal largest elements" in result["gradient"].failure.explanation


def test_one_lost_share_is_wrong():
    def backward(p):  # each of two or more gets half of what is due
        gradient = largest_backward("equal")(p)
        ties = (p.x == p.x.max(-1, keepdims=True, initial=-np.inf)).sum(-1, keepdims=True)
        return np.where(ties > 1, gradient / 2, gradient).astype(f32)

    assert largest.gate(backward=backward, cases=100, reach="none", empty=False)["gradient"].verdict == "fail"


@assay.operation(x="N, D", weight="D", limits={"D": 33})
def largest_of_products(xp, x, weight):
    """Of values that are computed, of which the largest is known where all others lie apart."""
    return xp.max(x * weight, axis=-1)


@assay.operation(x="N, D", weight="D", limits={"D": 33})
def smallest_of_products(xp, x, weight):
    return xp.min(x * weight, axis=-1)


def products_backward(chosen):
    """With the gradient at the elements of a mask, or at one place, of each row of products."""

    def backward(p):
        with np.errstate(all="ignore"):
            at = chosen(p)
        mask = at if at.dtype == bool else np.arange(p.x.shape[1]) == at[:, None]
        g = np.where(mask, p.upstream[:, None], f32(0))
        return (g * p.weight).astype(f32), (g * p.x).sum(0).astype(f32)

    return backward


def in_float32(p):
    y = p.x * p.weight
    return y == y.max(-1, keepdims=True)


def by_argmax(p):
    return np.argmax(p.x * p.weight, axis=-1)


def in_double(p):
    return np.argmax(p.x.astype(np.float64) * p.weight, axis=-1)


@pytest.mark.parametrize("chosen", [in_float32, by_argmax, in_double])
def test_a_maximum_of_computed_values_has_one_gradient(chosen):
    largest_of_products.gate(backward=products_backward(chosen), cases=60, reach="none", empty=False).raise_for_failure()


@pytest.mark.parametrize("chosen", [
    lambda p: np.zeros(p.x.shape, bool),
    lambda p: np.argmin(p.x * p.weight, axis=-1),
    lambda p: np.argsort(p.x * p.weight, axis=-1)[:, max(-2, -p.x.shape[1])],
    lambda p: np.full(p.x.shape[0], p.x.shape[1] - 1),
])  # fmt: skip
def test_no_gradient_and_that_of_another_element_are_wrong(chosen):
    result = largest_of_products.gate(backward=products_backward(chosen), cases=60, reach="none", empty=False)
    assert result["gradient"].verdict == "fail", str(result)


@pytest.mark.parametrize("chosen, verdict", [
    (lambda p: np.argmin(p.x * p.weight, axis=-1), "pass"), (lambda p: np.zeros(p.x.shape, bool), "fail"),
])  # fmt: skip
def test_a_minimum_of_computed_values_has_one_gradient(chosen, verdict):
    result = smallest_of_products.gate(backward=products_backward(chosen), cases=60, reach="none", empty=False)
    assert result["gradient"].verdict == verdict, str(result)


@assay.operation(x="N, D", limits={"D": 33})
def norms_of_two(xp, x):
    """The gradient of an element that two maxima take, where either share is free."""
    return xp.max(x, axis=-1), xp.max(x, axis=0)


def test_an_element_of_two_maxima_may_get_any_share_of_either():
    def backward(p):
        rows, columns = (p.x == p.x.max(k, keepdims=True) for k in (1, 0))
        rows &= np.cumsum(rows, 1) == 1  # the first of each row
        columns = columns / columns.sum(0, keepdims=True)  # and equal parts of each column
        return (rows * p.upstreams[0][:, None] + columns * p.upstreams[1]).astype(f32)

    norms_of_two.gate(backward=backward, cases=100, reach="none", empty=False).raise_for_failure()


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
