"""Faults of arithmetic in 16 bits. The kernels' arithmetic is true: each rounding is made where the kernel has it."""

from __future__ import annotations

from typing import Any, Dict

import numpy as np

from .._references import operation
from ..gallery import matmul, rms_norm
from .cross_entropy import cross_entropy
from .elementwise import softplus
from .entry import Family
from .narrow import bfloat16, bits, f32, half, wide
from .norms import EPS, gemma_norm, group_norm

FAMILY = Family("low precision")


@operation(x="N, D", limits={"N": 9, "D": 4097})
def running_sum(xp: Any, x: Any) -> Any:
    return xp.cumulative_sum(x, axis=-1)


@operation(x="N, C", limits={"N": 257, "C": 17})
def batch_norm(xp: Any, x: Any) -> Any:
    d = x - xp.mean(x, axis=0, keepdims=True)
    return d / xp.sqrt(xp.mean(d * d, axis=0, keepdims=True) + 2.0**-17)


@operation(x="T, 8", limits={"T": 1025})
def rotary_by_angles(xp: Any, x: Any) -> Any:
    """Position t turns pair i by t 4^-i."""
    angle = xp.arange(x.shape[0])[:, None] * xp.asarray([1.0, 0.25, 0.0625, 0.015625])
    a, b, c, s = x[:, :4], x[:, 4:], xp.cos(angle), xp.sin(angle)
    return xp.concat([a * c - b * s, b * c + a * s], axis=-1)


def right_cross_entropy(p: Any) -> Any:
    x = wide(p.logits)
    d = x - x.max(-1, keepdims=True)
    return np.log(np.exp(d).sum(-1)) - d[np.arange(len(x)), p.label]


def right_gemma(p: Any) -> Any:
    x = wide(p.x)
    return bits(x / np.sqrt((x * x).mean(-1, keepdims=True) + EPS) * (f32(1) + wide(p.weight)))


def right_running_sum(p: Any) -> Any:
    return wide(p.x).cumsum(-1, dtype=f32).astype(np.float16)


def right_running_sum_bfloat16(p: Any) -> Any:
    return bits(wide(p.x).cumsum(-1, dtype=f32))


def right_rms(p: Any) -> Any:
    x = wide(p.x)
    return (x / np.sqrt((x * x).mean(-1, keepdims=True) + EPS) * wide(p.weight)).astype(np.float16)


def right_half_matmul(p: Any) -> Any:
    return (wide(p.a) @ wide(p.b)).astype(np.float16)


def right_bfloat16_matmul(p: Any) -> Any:
    return bits(wide(p.a) @ wide(p.b))


def right_softplus(p: Any) -> Any:
    x = wide(p.x)
    return (np.maximum(x, f32(0)) + np.log1p(np.exp(-np.abs(x)))).astype(np.float16)


def _normalised(x: Any, mean: Any, variance: Any) -> Any:
    return bits((x - mean) / np.sqrt(variance + EPS))


def _two_pass(x: Any, axis: Any) -> Any:
    mean = x.mean(axis, keepdims=True)
    return _normalised(x, mean, ((x - mean) ** 2).mean(axis, keepdims=True))


def right_group_norm(p: Any) -> Any:
    return _two_pass(wide(p.x), (2, 3))


def right_batch_norm(p: Any) -> Any:
    return _two_pass(wide(p.x), 0)


def _rotated(p: Any, angle: Any) -> Any:
    x, c, s = wide(p.x), np.cos(angle).astype(f32), np.sin(angle).astype(f32)
    a, b = x[:, :4], x[:, 4:]
    return bits(np.concatenate([a * c - b * s, b * c + a * s], axis=-1))


def right_rotary(p: Any) -> Any:
    return _rotated(p, np.arange(len(p.x), dtype=f32)[:, None] * f32(4.0) ** -np.arange(4, dtype=f32))


HALF: Dict[str, Any] = {"dtype": "float16"}
BFLOAT16: Dict[str, Any] = {"dtype": "bfloat16"}
PRODUCT = {"M": 16, "K": 64, "N": 16}


@FAMILY.fault("google-deepmind/optax#1020", cross_entropy, right_cross_entropy, shape={"N": 32, "V": 100},
              dtypes={"output": "float32"}, **BFLOAT16)  # fmt: skip
def normaliser_in_bfloat16(p: Any) -> Any:
    """the log-sum-exp is rounded to bfloat16 before the logit is subtracted"""
    x = wide(p.logits)
    d = bfloat16(x - x.max(-1, keepdims=True))
    return bfloat16(bfloat16(np.log(np.exp(d).sum(-1))) - d[np.arange(len(x)), p.label])


@FAMILY.fault("linkedin/Liger-Kernel#1462", gemma_norm, right_gemma, shape={"N": 16, "D": 64}, **BFLOAT16)
def offset_in_bfloat16(p: Any) -> Any:
    """1 is added to the weight in bfloat16"""
    x = wide(p.x)
    return bits(x / np.sqrt((x * x).mean(-1, keepdims=True) + EPS) * bfloat16(f32(1) + wide(p.weight)))


@FAMILY.fault("ml-explore/mlx#3907", running_sum, right_running_sum, shape={"N": 4, "D": 64}, **HALF)
def running_sum_in_half(p: Any) -> Any:
    """the running sum is kept in float16: of ones it stays at 2048"""
    return np.cumsum(p.x, axis=-1, dtype=np.float16)


@FAMILY.fault("torch.cumsum on CUDA, docs/conformance.md", running_sum, right_running_sum_bfloat16, shape={"N": 4, "D": 64},
              **BFLOAT16)  # fmt: skip
def running_sum_in_bfloat16(p: Any) -> Any:
    """the running sum is kept in bfloat16: of ones it stays at 256"""
    x = wide(p.x)
    out, total = np.empty_like(x), np.zeros(len(x), f32)
    for d in range(x.shape[1]):
        total = bfloat16(total + x[:, d])
        out[:, d] = total
    return bits(out)


@FAMILY.fault("nntrainer/nntrainer#3935", rms_norm, right_rms, shape={"N": 16, "D": 64}, **HALF)
def squares_in_half(p: Any) -> Any:
    """the sum of squares is kept in float16, and overflows"""
    total = np.zeros((len(p.x), 1), np.float16)
    for d in range(p.x.shape[1]):
        total = total + p.x[:, d : d + 1] * p.x[:, d : d + 1]
    mean = total.astype(f32) / f32(p.x.shape[1])
    return (wide(p.x) / np.sqrt(mean + EPS) * wide(p.weight)).astype(np.float16)


def _half_product(p: Any, every: int) -> Any:
    """Partial sums of `every` products in float32, added up in float16."""
    a, b = wide(p.a), wide(p.b)
    total = np.zeros((len(a), b.shape[1]), np.float16)
    for k in range(0, a.shape[1], every):
        total = total + (a[:, k : k + every] @ b[k : k + every]).astype(np.float16)
    return total


@FAMILY.fault("microsoft/onnxruntime#29599", matmul, right_half_matmul, shape=PRODUCT, **HALF)
def accumulator_in_half(p: Any) -> Any:
    """products are added up in float16, where their sum may overflow on the way"""
    return _half_product(p, 1)


@FAMILY.fault("openvinotoolkit/openvino#25525", matmul, right_half_matmul, shape=PRODUCT, **HALF)
def inner_loop_in_half(p: Any) -> Any:
    """sums of 8 products are added up in float16: small ones vanish beside a large sum"""
    return _half_product(p, 8)


@FAMILY.fault("pytorch-labs/tritonbench matmul, docs/conformance.md", matmul, right_bfloat16_matmul, shape=PRODUCT, **BFLOAT16)
def bfloat16_through_half(p: Any) -> Any:
    """the result goes through float16 on its way to bfloat16: 262144 becomes infinite"""
    return bits(half(wide(p.a) @ wide(p.b)))


@FAMILY.fault("sbryngelson/ANEForge#113", softplus, right_softplus, shape={"N": 1024}, **HALF)
def softplus_in_half(p: Any) -> Any:
    """exp overflows in float16 from 11.09 on, and what follows makes 0 of it"""
    e = np.exp(p.x)
    return np.where(np.isinf(e), np.float16(0), np.log1p(e.astype(f32)).astype(np.float16))


@FAMILY.fault("PyTorch 2.11 group_norm on CUDA, docs/conformance.md", group_norm, right_group_norm,
              shape={"N": 4, "C": 4, "D": 64}, **BFLOAT16)  # fmt: skip
def statistics_in_bfloat16(p: Any) -> Any:
    """mean and variance are stored in bfloat16"""
    x = wide(p.x)
    mean = x.mean((2, 3), keepdims=True)
    return _normalised(x, bfloat16(mean), bfloat16(((x - mean) ** 2).mean((2, 3), keepdims=True)))


@FAMILY.fault("tenstorrent/tt-metal#45968", batch_norm, right_batch_norm, shape={"N": 64, "C": 16}, **BFLOAT16)
def squares_in_bfloat16(p: Any) -> Any:
    """E[x^2] - E[x]^2 of numbers in bfloat16: NaN or anything where the mean is large"""
    x = wide(p.x)
    mean = bfloat16(x.mean(0, keepdims=True))
    squares = bfloat16(bfloat16(x * x).mean(0, keepdims=True))
    return _normalised(x, mean, bfloat16(squares - bfloat16(mean * mean)))


@FAMILY.fault("huggingface/transformers#29285", rotary_by_angles, right_rotary, shape={"T": 64}, **BFLOAT16)
def angles_in_bfloat16(p: Any) -> Any:
    """positions are rounded to bfloat16: those past 256 are not told apart"""
    t = bfloat16(np.arange(len(p.x), dtype=f32))
    return _rotated(p, bfloat16(t[:, None] * f32(4.0) ** -np.arange(4, dtype=f32)))
