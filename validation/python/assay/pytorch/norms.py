"""Rows of normalizations."""

from __future__ import annotations

from typing import Any, Dict, Sequence

import torch

from .._formula import Namespace
from .._traced import Traced
from .reductions import deviation


def _channels(xp: Namespace, value: Any, ndim: int) -> Any:
    """A number for each channel, as it goes with [N, C, ...]."""
    return xp.reshape(value, (1, value.size, *([1] * (ndim - 2))))


def _affine(xp: Namespace, y: Traced, weight: Any, bias: Any) -> Traced:
    """`weight` and `bias`, where they are there, already in shape."""
    y = y if weight is None else y * weight
    return y if bias is None else y + bias


def _normal(xp: Namespace, x: Traced, mean: Traced, variance: Traced, eps: float) -> Traced:
    """(x - mean) r as x r - mean r, which is PyTorch's road; a kernel that subtracts first is nearer to the exact result."""
    r = 1 / xp.sqrt(variance + eps)
    return x * r - mean * r


def _last_axes(x: Traced, shape: Sequence[int]) -> Any:
    if tuple(shape) != x.shape[x.ndim - len(shape) :]:
        raise ValueError(f"normalized_shape={list(shape)} of an input {list(x.shape)}: expected its last sizes")
    return tuple(range(-len(shape), 0))


def _layer_norm(
    xp: Namespace, input: Any, normalized_shape: Any, weight: Any = None, bias: Any = None, eps: float = 1e-5, *_: Any, **__: Any
) -> Any:
    axes = _last_axes(input, normalized_shape)
    mean, variance = deviation(xp, input, axes, True, 0)
    return _affine(xp, _normal(xp, input, mean, variance, eps), weight, bias)


def _rms_norm(xp: Any, input: Any, normalized_shape: Any, weight: Any = None, eps: Any = None) -> Any:
    axes = _last_axes(input, normalized_shape)
    eps = torch.finfo(xp.real_dtype).eps if eps is None else eps
    return _affine(xp, input / xp.sqrt(xp.mean(input**2, axis=axes, keepdims=True) + eps), weight, None)


def _group_norm(
    xp: Namespace, input: Any, num_groups: int, weight: Any = None, bias: Any = None, eps: float = 1e-5, *_: Any, **__: Any
) -> Any:
    N, C = input.shape[:2]
    if C % num_groups:
        raise ValueError(f"num_groups={num_groups} of {C} channels: expected a divisor")
    rest = input.size // (N * C) if N * C else 1
    grouped = xp.reshape(input, (N, num_groups, C // num_groups * rest))
    mean, variance = deviation(xp, grouped, -1, True, 0)
    normal = xp.reshape(_normal(xp, grouped, mean, variance, eps), input.shape)
    return _affine(xp, normal, *(one if one is None else _channels(xp, one, input.ndim) for one in (weight, bias)))


def _standardized(xp: Namespace, input: Any, weight: Any, bias: Any, mean: Any, variance: Any, eps: float) -> Any:
    """x s + (bias - mean s) with s = weight / sqrt(variance + eps): kernels fold s and the bias into what comes before."""
    scale = 1 / xp.sqrt(variance + eps)
    scale = scale if weight is None else scale * _channels(xp, weight, input.ndim)
    shift = -mean * scale
    return input * scale + (shift if bias is None else _channels(xp, bias, input.ndim) + shift)


def _batch_norm(
    xp: Namespace,
    input: Any,
    weight: Any,
    bias: Any,
    running_mean: Any,
    running_var: Any,
    training: bool,
    momentum: Any,
    eps: float,
    *_: Any,
) -> Any:
    """With the batch's own statistics in training mode; the running ones are no result, so that they need not be followed."""
    if training or running_mean is None:
        axes = (0, *range(2, input.ndim))
        mean, variance = deviation(xp, input, axes, True, 0)
    else:
        mean, variance = (_channels(xp, one, input.ndim) for one in (running_mean, running_var))
    return _standardized(xp, input, weight, bias, mean, variance, eps)


def _instance_norm(
    xp: Namespace,
    input: Any,
    weight: Any,
    bias: Any,
    running_mean: Any,
    running_var: Any,
    use_input_stats: bool,
    momentum: Any,
    eps: float,
    *_: Any,
) -> Any:
    if not use_input_stats:
        return _batch_norm(xp, input, weight, bias, running_mean, running_var, False, momentum, eps)
    mean, variance = deviation(xp, input, tuple(range(2, input.ndim)), True, 0)
    return _standardized(xp, input, weight, bias, mean, variance, eps)


ROWS: Dict[str, Any] = {
    "layer_norm": _layer_norm, "rms_norm": _rms_norm, "group_norm": _group_norm, "batch_norm": _batch_norm,
    "instance_norm": _instance_norm,
}  # fmt: skip
