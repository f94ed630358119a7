"""Scans and sums."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._references import operation
from ..gallery import cumulative_log_sum_exp
from .entry import Family
from .narrow import f32

FAMILY = Family("scans")


@operation(x="N, D")
def row_sum(xp: Any, x: Any) -> Any:
    return xp.sum(x, axis=-1)


@operation(a="N", b="N", minus_infinity="a b")
def log_add_exp(xp: Any, a: Any, b: Any) -> Any:
    return xp.logaddexp(a, b)


@operation(a="T of decay", x="T, D", limits={"T": 65, "D": 5})
def gated_scan(xp: Any, a: Any, x: Any) -> Any:
    """h = a h + x."""
    h, out = x[0] * 0, []
    for t in range(x.shape[0]):
        h = a[t] * h + x[t]
        out.append(h)
    return xp.stack(out, axis=0)


@operation(g="N, T", limits={"T": 129})
def decay_of_chunk(xp: Any, g: Any) -> Any:
    """exp of the sum of a chunk's log-decays -g^2."""
    return xp.exp(xp.sum(-g * g, axis=-1))


@operation(x="G, L", limits={"G": 65, "L": 129})
def segment_sum(xp: Any, x: Any) -> Any:
    return xp.sum(x, axis=-1)


def right_log_cumsum(p: Any) -> Any:
    return np.logaddexp.accumulate(p.x, axis=-1)


def right_sum(p: Any) -> Any:
    return np.add.reduce(p.x[:, ::-1], axis=-1)


def right_log_add_exp(p: Any) -> Any:
    m = np.maximum(p.a, p.b)
    d = np.where(m == -np.inf, f32(0), np.minimum(p.a, p.b) - m)
    return m + np.log1p(np.exp(d)) * (m > -np.inf)


def right_scan(p: Any) -> Any:
    h, out = np.zeros(p.x.shape[1], p.x.dtype), np.empty_like(p.x)
    for t in range(len(p.x)):
        h = p.a[t] * h + p.x[t]
        out[t] = h
    return out


def right_decay(p: Any) -> Any:
    return np.exp((-p.g * p.g).sum(-1))


@FAMILY.fault("tinygrad/tinygrad#17853", cumulative_log_sum_exp, right_log_cumsum, shape={"N": 8, "T": 32})
def masked_prefix(p: Any) -> Any:
    """a prefix of -inf has a maximum of -inf, and -inf less -inf is NaN"""
    m = np.maximum.accumulate(p.x, axis=-1)
    out, total = np.empty_like(p.x), np.zeros(len(p.x), f32)
    for t in range(p.x.shape[1]):
        before = m[:, t - 1] if t else m[:, 0]
        total = total * np.exp(before - m[:, t]) + np.exp(p.x[:, t] - m[:, t])
        out[:, t] = m[:, t] + np.log(total)
    return out


@FAMILY.fault("pytorch/pytorch#52947", log_add_exp, right_log_add_exp, shape={"N": 1024})
def both_minus_infinity(p: Any) -> Any:
    """min - max of two -inf is NaN, where -inf is due"""
    return np.log1p(np.exp(np.minimum(p.a, p.b) - np.maximum(p.a, p.b))) + np.maximum(p.a, p.b)


@FAMILY.fault("pytorch/executorch#21417", gated_scan, right_scan, shape={"T": 64, "D": 4})
def inverse_of_tiny_decay(p: Any) -> Any:
    """a chunk is divided by its decay: exp of its logarithm's negative overflows, and 0 times infinity is NaN"""
    g = np.cumsum(np.log(p.a))[:, None]
    return np.exp(g) * np.cumsum(np.exp(-g) * p.x, axis=0)


@FAMILY.fault("tenstorrent/tt-metal#56550", decay_of_chunk, right_decay, shape={"N": 8, "T": 32})
def product_of_two_decays(p: Any) -> Any:
    """exp(sum - g0) exp(g0): the first overflows or the second underflows where their product does not"""
    g = -p.g * p.g
    first = g[:, 0] * f32(64)  # the reference point of the chunk
    return np.exp(g.sum(-1) - first) * np.exp(first)


@FAMILY.fault("diku-dk/futhark#252", row_sum, right_sum, shape={"N": 8, "D": 64})
def lanes_past_the_end(p: Any) -> Any:
    """a group of lanes that is not full adds its first element once more for each lane"""
    return p.x.sum(-1) + p.x[:, 0] * f32(-p.x.shape[1] % 4)


@FAMILY.fault("Bears-R-Us/arkouda#1036", segment_sum, right_sum, shape={"G": 8, "L": 32})
def difference_of_running_sums(p: Any) -> Any:
    """the sum of a segment is a difference of running sums, whose rounding it inherits"""
    ends = np.concatenate([[f32(0)], np.cumsum(p.x.reshape(-1), dtype=f32)[p.x.shape[1] - 1 :: p.x.shape[1]]])
    return np.diff(ends)
