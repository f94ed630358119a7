"""Cumulative sums: kernels that scan in any order pass, and those whose blocks lose what came before fail."""

import numpy as np
import pytest

import assay

f32 = np.float32


@assay.operation(x="B, T")
def scan(xp, x):
    return xp.cumulative_sum(x, axis=1)


@assay.operation(x="T, B", limits={"T": 64})
def log_of_sums(xp, x):
    m = xp.max(x, axis=0, keepdims=True)
    return xp.log(xp.cumulative_sum(xp.exp(x - m), axis=0)) + m


def in_turn(p):
    return np.cumsum(p.x, 1, dtype=f32)


def in_float64(p):
    return np.cumsum(p.x, 1, dtype=np.float64).astype(f32)


def by_doubling(p):
    """Hillis and Steele 1986."""
    y, step = p.x.copy(), 1
    while step < y.shape[1]:
        y[:, step:] = y[:, step:] + y[:, :-step]
        step *= 2
    return y


def by_a_product(p):
    return p.x @ np.triu(np.ones((p.x.shape[1],) * 2, f32))


def by_blocks(width, carries=True):
    def scanned(p):
        y, before = np.empty_like(p.x), np.zeros((len(p.x), 1), f32)
        for at in range(0, y.shape[1], width):
            y[:, at : at + width] = np.cumsum(p.x[:, at : at + width], 1, dtype=f32) + before
            if carries:
                before = y[:, at : at + width][:, -1:]
        return y

    scanned.__name__ = f"by_blocks_of_{width}"
    return scanned


def backward(p):
    return np.cumsum(p.upstream[:, ::-1], 1, dtype=f32)[:, ::-1]


def backward_without_the_last(p):
    return backward(p) - p.upstream[:, -1:]


def changed(value, add=False):
    """One element in the middle is another one."""

    def wrong(p):
        y = in_turn(p)
        if y.size > 2:
            y.flat[y.size // 2] = y.flat[y.size // 2] + value if add else value
        return y

    return wrong


@pytest.mark.parametrize("kernel", [in_turn, in_float64, by_doubling, by_a_product, by_blocks(64), by_blocks(256)])
def test_every_order_passes(kernel):
    result = scan.gate(kernel, filter="exact|outputs", cases=25)
    assert not result.failures, str(result)
    assert "T 4097" in str(result), "sizes as those of other sums"


def test_its_gradient_is_the_sum_from_each_element_on():
    assert not scan.gate(in_turn, backward=backward, filter="gradient", cases=10, limits={"T": 1025}).failures
    assert scan.gate(in_turn, backward=backward_without_the_last, filter="gradient", cases=10, reach="none").failures


@pytest.mark.parametrize("width", [32, 256, 1024, 4096])
def test_a_block_that_loses_what_came_before_fails(width):
    assert scan.gate(by_blocks(width, carries=False), filter="outputs", cases=20).failures


@pytest.mark.parametrize("kernel", [changed(np.nan), changed(np.inf), changed(0.125, add=True)])
def test_one_wrong_element_fails(kernel):
    assert scan.gate(kernel, filter="outputs", cases=50, reach="none").failures


def test_what_follows_a_cumulative_sum_is_judged():
    def accumulated(p):
        return np.logaddexp.accumulate(p.x.astype(float), 0).astype(f32) if p.x.size else p.x

    def shifted(p):
        m = p.x.max(0, keepdims=True, initial=-np.inf)
        return np.log(np.cumsum(np.exp(p.x - m), 0, dtype=f32)) + m

    def of_all(p):
        return np.broadcast_to(np.logaddexp.reduce(p.x, 0, dtype=f32, initial=-np.inf), p.x.shape)

    for right in (accumulated, shifted):
        assert not log_of_sums.gate(right, filter="outputs", cases=50).failures
    assert log_of_sums.gate(of_all, filter="outputs", cases=50).failures


def test_faults_of_the_operation_are_killed():
    assert [fault for fault, noticed, _ in scan.mutants() if not noticed] == []
