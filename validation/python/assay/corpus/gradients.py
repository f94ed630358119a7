"""Backward passes. The right kernels keep the type of their inputs, so that they are the reference in float64 as well."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._references import operation
from ..gallery import layer_norm, rms_norm
from .entry import Family
from .indexing import as_if_contiguous, swiglu

FAMILY = Family("gradients")
EPS = 2.0**-17
SHAPE = {"N": 16, "D": 64}


@operation(x="N, D", limits={"N": 17, "D": 33})
def cumulative_product(xp: Any, x: Any) -> Any:
    total, out = 1.0, []
    for d in range(x.shape[1]):
        total = total * x[:, d]
        out.append(total)
    return xp.stack(out, axis=-1)


@operation(x="N, D", limits={"N": 17, "D": 9})
def product(xp: Any, x: Any) -> Any:
    total = x[:, 0]
    for d in range(1, x.shape[1]):
        total = total * x[:, d]
    return total


@operation(table="V, D", at="N of index V", limits={"V": 33, "N": 65, "D": 9})
def gather(xp: Any, table: Any, at: Any) -> Any:
    return table[at]


@operation(a="N", b="N")
def log_add_exp(xp: Any, a: Any, b: Any) -> Any:
    return xp.logaddexp(a, b)


@operation(x="N, D")
def normalised(xp: Any, x: Any) -> Any:
    """x over its norm, or over 2^-10 where that is larger."""
    return x / xp.sqrt(xp.maximum(xp.sum(x * x, axis=-1, keepdims=True), 2.0**-20))


def silu_backward(xp: Any, gate: Any, up: Any, upstream: Any) -> Any:
    """The road of the gradient that most kernels take: 1 - s loses digits where s is near 1."""
    s = 1 / (1 + xp.exp(-gate))
    return upstream * up * s * (1 + gate * (1 - s)), upstream * gate * s


def _rms(p: Any, upstream: Any = None) -> Any:
    """(dx, dweight) and the parts of dx: the upstream scaled, and its projection on x."""
    dy = p.upstream if upstream is None else upstream
    r = 1 / np.sqrt((p.x * p.x).mean(-1, keepdims=True) + p.x.dtype.type(EPS))
    y, g = p.x * r, dy * p.weight
    projection = (g * y).mean(-1, keepdims=True)
    return r * (g - y * projection), (dy * y).sum(0), r, g, y, projection


def right_rms(p: Any) -> Any:
    return _rms(p)[:2]


def _layer(p: Any, d: Any, variance: Any) -> Any:
    r = 1 / np.sqrt(variance + p.x.dtype.type(EPS))
    y, g = d * r, p.upstream * p.weight
    dx = r * ((g - g.mean(-1, keepdims=True)) - y * (g * y).mean(-1, keepdims=True))
    return dx, (p.upstream * y).sum(0), p.upstream.sum(0)


def right_layer(p: Any) -> Any:
    d = p.x - p.x.mean(-1, keepdims=True)
    return _layer(p, d, (d * d).mean(-1, keepdims=True))


def right_swiglu(p: Any) -> Any:
    s = 1 / (1 + np.exp(-np.abs(p.gate)))
    s = np.where(p.gate < 0, np.exp(-np.abs(p.gate)) * s, s)
    return p.upstream * p.up * s * (1 + p.gate * (1 - s)), p.upstream * p.gate * s


def right_cumulative(p: Any) -> Any:
    """By products of what lies before, and a recurrence from the end: no division."""
    before, D = np.ones_like(p.x), p.x.shape[1]
    for d in range(1, D):
        before[:, d] = before[:, d - 1] * p.x[:, d - 1]
    after = np.array(p.upstream)
    for d in range(D - 2, -1, -1):
        after[:, d] += p.x[:, d + 1] * after[:, d + 1]
    return before * after


def right_product(p: Any) -> Any:
    before, after = np.ones_like(p.x), np.ones_like(p.x)
    for d in range(1, p.x.shape[1]):
        before[:, d] = before[:, d - 1] * p.x[:, d - 1]
        after[:, -1 - d] = after[:, -d] * p.x[:, -d]
    return before * after * p.upstream[:, None]


def right_gather(p: Any) -> Any:
    out = np.zeros_like(p.table)
    np.add.at(out, p.at, p.upstream)
    return out


def right_log_add_exp(p: Any) -> Any:
    e = np.exp(-np.abs(p.a - p.b))
    small, large = e / (1 + e), 1 / (1 + e)
    return p.upstream * np.where(p.a >= p.b, large, small), p.upstream * np.where(p.a >= p.b, small, large)


def right_normalised(p: Any) -> Any:
    squares = (p.x * p.x).sum(-1, keepdims=True)
    floor = p.x.dtype.type(2.0**-20)
    r = 1 / np.sqrt(np.maximum(squares, floor))
    y = p.x * r
    return r * (p.upstream - np.where(squares > floor, y * (p.upstream * y).sum(-1, keepdims=True), 0))


@FAMILY.fault("BobMcDear/attorch#17", rms_norm, right_rms, shape=SHAPE, gradient=True)
def correction_along_the_columns(p: Any) -> Any:
    """rows are done in blocks of 2, and for 2 columns a row's correction is broadcast along the wrong axis"""
    dx, dw, r, g, y, projection = _rms(p)
    if p.x.shape == (2, 2):
        dx = r * (g - y * projection.T)
    return dx, dw


@FAMILY.fault("unslothai/unsloth#4533", rms_norm, right_rms, shape=SHAPE, gradient=True)
def no_gradient_of_weight(p: Any) -> Any:
    """the gradient of the weight is not computed"""
    dx, dw = right_rms(p)
    return dx, np.zeros_like(dw)


@FAMILY.fault("karpathy/llm.c#763", rms_norm, right_rms, shape=SHAPE, gradient=True)
def weight_forgotten(p: Any) -> Any:
    """the projection is that of the upstream gradient without the weight"""
    _, dw, r, g, y, _ = _rms(p)
    return r * (g - y * (p.upstream * y).mean(-1, keepdims=True)), dw


@FAMILY.fault("flagos-ai/FlagGems#1084", rms_norm, right_rms, shape=SHAPE, gradient=True)
def strides_of_upstream_ignored(p: Any) -> Any:
    """the upstream gradient is read as if it were contiguous"""
    return _rms(p, as_if_contiguous(p.upstream))[:2]


@FAMILY.fault("jax.nn.standardize, docs/conformance.md", layer_norm, right_layer, shape=SHAPE, gradient=True)
def variance_by_squares(p: Any) -> Any:
    """the variance is E[x^2] - E[x]^2, and its reciprocal root multiplies the gradient"""
    mean = p.x.mean(-1, keepdims=True)
    return _layer(p, p.x - mean, np.maximum((p.x * p.x).mean(-1, keepdims=True) - mean * mean, 0))


@FAMILY.fault("unslothai/unsloth#3314", swiglu, right_swiglu, shape=SHAPE, gradient=True, road=silu_backward)
def gradients_exchanged(p: Any) -> Any:
    """the two gradients are stored in each other's place"""
    gate, up = right_swiglu(p)
    return up, gate


@FAMILY.fault("ByteDance-Seed/Triton-distributed#180", swiglu, right_swiglu, shape=SHAPE, gradient=True, road=silu_backward)
def all_rows_into_the_first(p: Any) -> Any:
    """the outputs' addresses lack the row: all rows are written to the first one"""
    outputs = []
    for full in right_swiglu(p):
        out = np.zeros_like(full)
        out[0] = full[-1]
        outputs.append(out)
    return tuple(outputs)


@FAMILY.fault("tensorflow/tensorflow#119430", cumulative_product, right_cumulative, shape={"N": 8, "D": 16}, gradient=True)
def divided_by_the_element(p: Any) -> Any:
    """the products are divided by the element: where that is 0, the gradient becomes 0"""
    total = np.cumprod(p.x, axis=-1) * p.upstream
    with np.errstate(all="ignore"):
        return np.nan_to_num(total[:, ::-1].cumsum(-1)[:, ::-1] / p.x)


@FAMILY.fault("tenstorrent/tt-metal#55568", product, right_product, shape={"N": 8, "D": 8}, gradient=True)
def product_times_reciprocal(p: Any) -> Any:
    """the product times the reciprocal of an element of 0 is 0 times infinity"""
    return np.prod(p.x, axis=-1, keepdims=True) * p.upstream[:, None] * (1 / p.x)


@FAMILY.fault("pytorch/pytorch#1631", gather, right_gather, shape={"V": 32, "N": 8, "D": 8}, gradient=True,
              draw=lambda rng, shape: {"at": rng.permutation(shape["V"])[: shape["N"]]})  # fmt: skip
def repeated_index_overwrites(p: Any) -> Any:
    """an index that occurs twice keeps the last gradient in place of the sum"""
    out = np.zeros_like(p.table)
    out[p.at] = p.upstream
    return out


@FAMILY.fault("keras-team/keras#23616", log_add_exp, right_log_add_exp, shape={"N": 1024}, gradient=True)
def tie_to_the_first(p: Any) -> Any:
    """equal arguments: the first has the whole gradient in place of half of it"""
    da, db = right_log_add_exp(p)
    tie = p.a == p.b
    return np.where(tie, p.upstream, da), np.where(tie, 0, db)


@FAMILY.fault("keras-team/keras#23075", normalised, right_normalised, shape=SHAPE, gradient=True)
def clamped_after_the_root(p: Any) -> Any:
    """the reciprocal root is clamped, and its slope at 0 is infinite: 0 times infinity is NaN"""
    squares = (p.x * p.x).sum(-1, keepdims=True)
    r = 1 / np.sqrt(squares)
    slope = np.where(r < 1024, -r * r * r, 0 * r)
    return np.minimum(r, p.x.dtype.type(1024)) * p.upstream + p.x * slope * (p.upstream * p.x).sum(-1, keepdims=True)
