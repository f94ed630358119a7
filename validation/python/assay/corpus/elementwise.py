"""Functions of one element, and losses that are built of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._references import operation
from .entry import Family
from .narrow import f32

FAMILY = Family("elementwise")
SHAPE = {"N": 1024}
CUBE, ROOT = f32(0.044715), f32(0.7978845608028654)


@operation(x="N")
def log_sigmoid(xp: Any, x: Any) -> Any:
    return xp.minimum(x, 0) - xp.log1p(xp.exp(-xp.abs(x)))


@operation(x="N")
def softplus(xp: Any, x: Any) -> Any:
    return xp.maximum(x, 0) + xp.log1p(xp.exp(-xp.abs(x)))


@operation(x="N")
def tanh(xp: Any, x: Any) -> Any:
    return xp.tanh(x)


@operation(x="N")
def gelu(xp: Any, x: Any) -> Any:
    """The approximation by tanh, as x sigmoid(2 u): 1 + tanh(u) cancels for negative u."""
    return x / (1 + xp.exp(-2 * 0.7978845608028654 * (x + 0.044715 * x * x * x)))


@operation(x="N")
def leaky_relu(xp: Any, x: Any) -> Any:
    return xp.where(x > 0, x, x * 0.015625)


@operation(x="N")
def silu(xp: Any, x: Any) -> Any:
    return x / (1 + xp.exp(-x))


@operation(x="N", target="N of unit")
def binary_cross_entropy(xp: Any, x: Any, target: Any) -> Any:
    """In the form whose terms do not cancel."""
    return xp.maximum(x, 0) - x * target + xp.log1p(xp.exp(-xp.abs(x)))


@operation(x="N", y="N")
def jensen_shannon(xp: Any, x: Any, y: Any) -> Any:
    """Of -x^2 and -y^2 as log-probabilities, by element."""
    p, q = -x * x, -y * y
    middle = xp.logaddexp(p, q) - 0.6931471805599453
    return 0.5 * (xp.exp(q) * (q - middle) + xp.exp(p) * (p - middle))


def right_log_sigmoid(p: Any) -> Any:
    return np.minimum(p.x, f32(0)) - np.log1p(np.exp(-np.abs(p.x)))


def right_softplus(p: Any) -> Any:
    return np.maximum(p.x, f32(0)) + np.log1p(np.exp(-np.abs(p.x)))


def right_tanh(p: Any) -> Any:
    return np.tanh(p.x)


def _inner(x: Any) -> Any:
    return ROOT * (x + CUBE * x * x * x)


def right_gelu(p: Any) -> Any:
    return p.x / (f32(1) + np.exp(f32(-2) * _inner(p.x)))


def right_leaky(p: Any) -> Any:
    return np.where(p.x > 0, p.x, p.x * f32(0.015625))


def right_silu(p: Any) -> Any:
    return p.x / (f32(1) + np.exp(-p.x))


def right_binary(p: Any) -> Any:
    return np.maximum(p.x, f32(0)) - p.x * p.target + np.log1p(np.exp(-np.abs(p.x)))


def right_jensen_shannon(p: Any) -> Any:
    a, b = -p.x * p.x, -p.y * p.y
    middle = np.logaddexp(a, b) - f32(np.log(2))
    return f32(0.5) * (np.exp(b) * (b - middle) + np.exp(a) * (a - middle))


@FAMILY.fault("tenstorrent/tt-metal#53787", log_sigmoid, right_log_sigmoid, shape=SHAPE)
def three_branches(p: Any) -> Any:
    """x itself up to -4, and -exp(-x) from 4 on"""
    return np.where(p.x <= -4, p.x, np.where(p.x > 4, -np.exp(-p.x), right_log_sigmoid(p)))


@FAMILY.fault("pytorch/pytorch#66441", log_sigmoid, right_log_sigmoid, shape=SHAPE)
def log_in_place_of_log1p(p: Any) -> Any:
    """log(1 + e) loses the digits of results near 0"""
    return np.minimum(p.x, f32(0)) - np.log(f32(1) + np.exp(-np.abs(p.x)))


@FAMILY.fault("pytorch/pytorch#186278", gelu, right_gelu, shape=SHAPE)
def tanh_by_exponentials(p: Any) -> Any:
    """tanh as (exp(2u) - 1) / (exp(2u) + 1): NaN from x = 10 on"""
    e = np.exp(f32(2) * _inner(p.x))
    return f32(0.5) * p.x * (f32(1) + (e - f32(1)) / (e + f32(1)))


@FAMILY.fault("tenstorrent/tt-metal#56517", gelu, right_gelu, shape=SHAPE)
def negative_tail(p: Any) -> Any:
    """1 + tanh(u) cancels: 0 for x below -6"""
    return f32(0.5) * p.x * (f32(1) + np.tanh(_inner(p.x)))


@FAMILY.fault("apache/tvm#16438", tanh, right_tanh, shape=SHAPE)
def tanh_overflows(p: Any) -> Any:
    """(t - 1) / (t + 1) with t = exp(2x): NaN from 45 on"""
    t = np.exp(f32(2) * p.x)
    return (t - f32(1)) / (t + f32(1))


@FAMILY.fault("openvinotoolkit/openvino#4932", softplus, right_softplus, shape=SHAPE)
def softplus_overflows(p: Any) -> Any:
    """log(exp(x) + 1) is infinite from 89 on"""
    return np.log(np.exp(p.x) + f32(1))


@FAMILY.fault("jaxleyverse/jaxley#714", softplus, right_softplus, shape=SHAPE)
def softplus_clipped(p: Any) -> Any:
    """the exponential takes at most 20, and so does the result"""
    return np.log1p(np.exp(np.minimum(p.x, f32(20))))


@FAMILY.fault("PyTorch 2.15 binary_cross_entropy_with_logits, docs/conformance.md", binary_cross_entropy, right_binary,
              shape=SHAPE)  # fmt: skip
def one_minus_target(p: Any) -> Any:
    """(1 - t) x + max(-x, 0) + ... cancels for x far below 0: 0 where 1.1e-7 is due at -16"""
    return (f32(1) - p.target) * p.x + np.maximum(-p.x, f32(0)) + np.log1p(np.exp(-np.abs(p.x)))


@FAMILY.fault("huggingface/candle#2561", binary_cross_entropy, right_binary, shape=SHAPE)
def log_of_a_sigmoid(p: Any) -> Any:
    """the sigmoid of a large logit is 1, and log(1 - 1) is no number"""
    s = f32(1) / (f32(1) + np.exp(-p.x))
    return -(p.target * np.log(s) + (f32(1) - p.target) * np.log(f32(1) - s))


@FAMILY.fault("pytorch/pytorch#13773", binary_cross_entropy, right_binary, shape=SHAPE)
def weight_of_positives(p: Any) -> Any:
    """with a weight of positives, here 1, max(-x, 0) is subtracted twice: exp(-x) overflows"""
    m = np.maximum(-p.x, f32(0))
    return (f32(1) - p.target) * p.x + (np.log(np.exp(-m) + np.exp(-p.x - m)) + m) * np.exp(-p.x - m) / np.exp(-p.x - m)


@FAMILY.fault("linkedin/Liger-Kernel#1453", jensen_shannon, right_jensen_shannon, shape=SHAPE)
def mixture_of_probabilities(p: Any) -> Any:
    """the logarithm of a mixture that underflows: 0 times -inf is NaN"""
    a, b = -p.x * p.x, -p.y * p.y
    m = f32(0.5) * (np.exp(a) + np.exp(b))
    return f32(0.5) * (np.exp(b) * b + np.exp(a) * a) - m * np.log(m)


@FAMILY.fault("sarkar-dipankar/gpuemu-corpus leaky_relu_triton_buggy", leaky_relu, right_leaky, shape=SHAPE)
def ten_times_the_slope(p: Any) -> Any:
    """the slope of negative numbers is 10 times too large"""
    return np.where(p.x > 0, p.x, p.x * f32(0.15625))


@FAMILY.fault("sarkar-dipankar/gpuemu-corpus silu_triton_buggy", silu, right_silu, shape=SHAPE)
def sigmoid_of_twice(p: Any) -> Any:
    """the sigmoid is that of 2x"""
    return p.x / (f32(1) + np.exp(-2 * p.x))


@FAMILY.fault("sarkar-dipankar/gpuemu-corpus gelu_triton_buggy", gelu, right_gelu, shape=SHAPE)
def half_forgotten(p: Any) -> Any:
    """the factor 1/2 is left out"""
    return f32(2) * right_gelu(p)
