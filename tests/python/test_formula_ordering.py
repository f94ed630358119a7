"""Sorts, the largest k and positions: right where an error may give an element the rank, ties included."""

import re

import numpy as np
import pytest

import assay

f32 = np.float32


@assay.operation(x="N, D")
def rising(xp, x):
    return xp.sort(x)


@assay.operation(x="N, D", limits={"D": 257})
def order(xp, x):
    return xp.argsort(x, axis=1)


@assay.operation(x="N, D")
def largest_at(xp, x):
    return xp.argmax(x, axis=-1)


@assay.operation(x="N, D", w="D, 16")
def routed(xp, x, w):
    """The experts of a token: the 2 largest of 16 logits."""
    return xp.top_k(xp.matmul(x, w), 2)


def rising_plain(p):
    return np.sort(p.x)


def rising_by_ranks(p):
    x, others, before = p.x[:, :, None], p.x[:, None], np.tri(p.x.shape[1], k=-1, dtype=bool)
    ranks = ((x > others) | ((x == others) & before)).sum(2)
    out = np.empty_like(p.x)
    np.put_along_axis(out, ranks, p.x, 1)
    return out


def rising_in_tiles(p):
    return np.concatenate([np.sort(p.x[:, at : at + 64]) for at in range(0, p.x.shape[1], 64)] or [p.x], 1)


def rising_backward(p):
    out = np.empty_like(p.x)
    np.put_along_axis(out, np.argsort(p.x, 1), p.upstream, 1)
    return out


def rising_backward_of_the_last_ties(p):
    out = np.empty_like(p.x)
    np.put_along_axis(out, np.argsort(p.x[:, ::-1], 1, kind="stable"), p.upstream, 1)
    return np.ascontiguousarray(out[:, ::-1])


def rising_backward_unsorted(p):
    return p.upstream.copy()


def order_plain(p):
    return np.argsort(p.x, 1, kind="stable")


def order_of_ties_reversed(p):
    return p.x.shape[1] - 1 - np.argsort(p.x[:, ::-1], 1, kind="stable")


def order_in_int32(p):
    return np.argsort(p.x, 1).astype(np.int32)


def order_falling(p):
    return np.argsort(-p.x, 1, kind="stable")


def order_of_one_element(p):
    return np.argmin(p.x, 1)[:, None].repeat(p.x.shape[1], 1) if p.x.shape[1] else np.zeros(p.x.shape, int)


def order_with_one_twice(p):
    found = np.argsort(p.x, 1, kind="stable")
    same = np.take_along_axis(p.x, found, 1)
    again = np.concatenate([np.zeros((len(found), 1), bool), same[:, 1:] == same[:, :-1]], 1)[:, : found.shape[1]]
    return np.where(again, np.roll(found, 1, 1), found)


def at_plain(p):
    return np.argmax(p.x, -1)


def at_the_last_tie(p):
    return p.x.shape[1] - 1 - np.argmax(p.x[:, ::-1], -1)


def at_the_largest_size(p):
    return np.argmax(np.abs(p.x), -1)


def at_without_the_last(p):
    return np.argmax(p.x[:, :-1], -1) if p.x.shape[1] > 1 else np.argmax(p.x, -1)


def at_one_further(p):
    return np.argmax(p.x, -1) + 1


def at_as_numbers(p):
    return np.argmax(p.x, -1).astype(f32)


def _top(logits):
    at = np.argsort(-logits, 1, kind="stable")[:, :2]
    return np.take_along_axis(logits, at, 1).astype(f32), at


def routed_plain(p):
    return _top(p.x @ p.w)


def routed_in_float64(p):
    return _top(p.x.astype(float) @ p.w.astype(float))


def routed_in_another_order(p):
    return _top((p.x[:, ::-1] @ p.w[::-1]).astype(f32))


def routed_swapped(p):
    values, at = _top(p.x @ p.w)
    return values, np.ascontiguousarray(at[:, ::-1])


def routed_twice_to_the_first(p):
    values, at = _top(p.x @ p.w)
    return values, at[:, :1].repeat(2, 1)


RIGHT = [
    (rising, rising_plain), (rising, rising_by_ranks), (order, order_plain), (order, order_of_ties_reversed), (order, order_in_int32),
    (largest_at, at_plain), (largest_at, at_the_last_tie), (routed, routed_plain), (routed, routed_in_float64),
    (routed, routed_in_another_order),
]  # fmt: skip
FAULTY = [
    (rising, rising_in_tiles), (order, order_falling), (order, order_of_one_element), (order, order_with_one_twice),
    (largest_at, at_the_largest_size), (largest_at, at_without_the_last), (largest_at, at_one_further), (routed, routed_swapped),
    (routed, routed_twice_to_the_first),
]  # fmt: skip


def named(pairs):
    return [pytest.param(*pair, id=pair[1].__name__) for pair in pairs]


def gate(operation, kernel=None, backward=None, **options):
    limits = {"D": 129} if backward or kernel is rising_by_ranks else None  # ties make the bounds of gradients D^2 terms
    return operation.gate(kernel, backward, cases=60, empty=False, limits=limits, **options)


@pytest.mark.parametrize("operation, kernel", named(RIGHT))
def test_a_right_kernel_passes(operation, kernel):
    result = gate(operation, kernel)
    assert not result.failures and all(one.verdict == "pass" for one in result.properties), str(result)


@pytest.mark.parametrize("operation, kernel", named(FAULTY))
def test_a_faulty_kernel_fails(operation, kernel):
    assert "outputs" in gate(operation, kernel).failures


def test_backward_passes():
    for right in (rising_backward, rising_backward_of_the_last_ties):
        assert not gate(rising, backward=right).failures, right.__name__
    assert "gradient" in gate(rising, backward=rising_backward_unsorted).failures


@pytest.mark.parametrize("wrong", [np.nan, np.inf, 0.125])
def test_one_wrong_element_fails(wrong):
    def with_one(p):
        y = np.sort(p.x)
        y.flat[y.size // 2] = wrong
        return y

    assert gate(rising, with_one, filter="outputs", reach="none").failures


@pytest.mark.parametrize("wrong", [-1, 2**40])
def test_one_wrong_position_fails(wrong):
    def with_one(p):
        y = np.argsort(p.x, 1)
        y.flat[y.size // 2] = wrong
        return y

    failure = gate(order, with_one, filter="outputs", reach="none").failures["outputs"]
    assert "expected a whole number from 0 to" in failure.explanation


def test_positions_are_integers():
    assert "expected integers, the positions of elements" in gate(largest_at, at_as_numbers).failures["outputs"].explanation


def test_a_failure_says_which_ranks_are_possible():
    failure = gate(largest_at, at_the_largest_size, filter="outputs").failures["outputs"]
    assert re.search(r"where the value is -.*: from the largest it has rank .*, whatever is rounded; expected rank 0", failure.explanation)


def test_values_are_those_of_numpy():
    x = np.array([[3.0, 1, 2, 2], [0, -1, 5, 4]])

    @assay.operation(x="2, 4")
    def all_of_them(xp, x):
        return (xp.sort(x, axis=0), xp.sort(x, descending=True), xp.argsort(x), xp.argsort(x, axis=0, descending=True), xp.argmax(x),
                xp.argmin(x, axis=1, keepdims=True), *xp.top_k(x, 2, axis=0), xp.take_along_axis(x, xp.argsort(x), axis=1))  # fmt: skip

    truth, due = all_of_them.truth(x, digits=20), all_of_them(x)
    for got, one, shape in zip(truth["outputs"], due, all_of_them.trace({}).shapes):
        assert list(np.shape(one)) == list(shape)
        np.testing.assert_array_equal(np.array(got, float), np.reshape(one, -1))
    assert np.array_equal(due[8], np.sort(x))


@pytest.mark.parametrize("operation", [rising, order, largest_at], ids=lambda one: one.name)
def test_the_faults_of_these_operations_are_killed(operation):
    missed = {fault for fault, noticed, _ in operation.mutants(empty=False) if not noticed}
    assert not [fault for fault in missed if "sort" in fault], missed


@assay.operation(x="N")
def largest_two(xp, x):
    return xp.top_k((x + 1024) - 1024, 2)


def two_of(p, positions_of=lambda y: np.argsort(-y, kind="stable")):
    y = (p.x + f32(1024)) - f32(1024)
    return np.sort(y)[::-1][:2].copy(), positions_of(y)[:2].copy()


def test_values_of_a_top_k_are_those_at_its_positions():
    x = np.array([0.1, 0.7], f32)  # which are rounded in the sum
    bound = largest_two.truth(x)["output_bounds"][0][0]
    near = {"x": np.array([0.1, 0.1 + 1.5 * bound], f32)}  # either may be the largest, but their values are not each other's
    options = dict(cases=0, reach="none", filter="^outputs$", input=near)
    largest_two.gate(two_of, **options).raise_for_failure()
    by_sorting_pairs = largest_two.gate(lambda p: two_of(p, lambda y: np.lexsort((np.arange(len(y)), -y))), **options)
    by_sorting_pairs.raise_for_failure()
    crossed = largest_two.gate(lambda p: two_of(p, lambda y: np.argsort(y if np.ptp(p.x) < 2 * bound else -y)), **options)
    assert crossed["outputs"].verdict == "fail", str(crossed)
    assert "beside it the position" in crossed["outputs"].failure.explanation
