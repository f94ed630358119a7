"""Norms and statistics."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._references import operation
from ..gallery import layer_norm, rms_norm
from .entry import Family
from .narrow import f32

FAMILY = Family("norms")
EPS = f32(2.0**-17)
SHAPE = {"N": 16, "D": 64}


@operation(x="N, D", weight="D")
def gemma_norm(xp: Any, x: Any, weight: Any) -> Any:
    """The stored weight is what is added to 1."""
    return x / xp.sqrt(xp.mean(x * x, axis=-1, keepdims=True) + 2.0**-17) * (1 + weight)


@operation(x="N, 2, C, D", limits={"N": 9, "C": 9, "D": 257})
def group_norm(xp: Any, x: Any) -> Any:
    d = x - xp.mean(x, axis=(2, 3), keepdims=True)
    return d / xp.sqrt(xp.mean(d * d, axis=(2, 3), keepdims=True) + 2.0**-17)


@operation(x="T, F")
def per_feature(xp: Any, x: Any) -> Any:
    """Each feature of an utterance over its standard deviation."""
    d = x - xp.mean(x, axis=0, keepdims=True)
    return d / (xp.sqrt(xp.mean(d * d, axis=0, keepdims=True)) + 2.0**-17)


@operation(x="N, C", running="C of positive")
def running_variance(xp: Any, x: Any, running: Any) -> Any:
    """As batch norm keeps it: 9/10 of the old one and 1/10 of the unbiased variance of the batch."""
    d = x - xp.mean(x, axis=0, keepdims=True)
    return 0.9 * running + xp.sum(d * d, axis=0) * (0.1 / (x.shape[0] - 1))


@operation(x="N, D of nonzero")
def l2_normalised(xp: Any, x: Any) -> Any:
    return x / xp.sqrt(xp.sum(x * x, axis=-1, keepdims=True) + 2.0**-17)


def _centred(x: Any, axis: Any = -1) -> Any:
    return x - x.mean(axis, keepdims=True)


def _mean_square(d: Any, axis: Any = -1) -> Any:
    return (d * d).mean(axis, keepdims=True)


def _rms(p: Any) -> Any:
    return p.x / np.sqrt(_mean_square(p.x) + EPS)


def right_layer_norm(p: Any) -> Any:
    d = _centred(p.x)
    return d * (f32(1) / np.sqrt(_mean_square(d) + EPS)) * p.weight + p.bias


def right_rms_norm(p: Any) -> Any:
    return p.x * (f32(1) / np.sqrt(_mean_square(p.x) + EPS)) * p.weight


def right_gemma_norm(p: Any) -> Any:
    return _rms(p) * (f32(1) + p.weight)


def right_group_norm(p: Any) -> Any:
    d = _centred(p.x, (2, 3))
    return d * (f32(1) / np.sqrt(_mean_square(d, (2, 3)) + EPS))


def right_per_feature(p: Any) -> Any:
    d = _centred(p.x, 0)
    return d / (np.sqrt(_mean_square(d, 0)) + EPS)


def right_running_variance(p: Any) -> Any:
    d = _centred(p.x, 0)
    return f32(0.9) * p.running + f32(0.1) * ((d * d).sum(0) / f32(len(d) - 1))


def right_l2(p: Any) -> Any:
    return p.x * (f32(1) / np.sqrt((p.x * p.x).sum(-1, keepdims=True) + EPS))


def _one_pass(x: Any, axis: Any = -1) -> Any:
    """E[x^2] - E[x]^2."""
    return (x * x).mean(axis, keepdims=True) - x.mean(axis, keepdims=True) ** 2


@FAMILY.fault("tracel-ai/burn#5607", layer_norm, right_layer_norm, shape=SHAPE)
def one_pass_variance(p: Any) -> Any:
    """the variance is E[x^2] - E[x]^2, at least 0: it cancels where the mean is large"""
    return _centred(p.x) / np.sqrt(np.maximum(_one_pass(p.x), f32(0)) + EPS) * p.weight + p.bias


@FAMILY.fault("microsoft/onnxruntime#28463", layer_norm, right_layer_norm, shape=SHAPE)
def negative_variance(p: Any) -> Any:
    """E[x^2] - E[x]^2 becomes negative, and its root NaN"""
    return _centred(p.x) / np.sqrt(_one_pass(p.x) + EPS) * p.weight + p.bias


@FAMILY.fault("k2-fsa/sherpa-onnx#3857", per_feature, right_per_feature, shape={"T": 64, "F": 16})
def constant_feature(p: Any) -> Any:
    """the variance of a feature at its floor cancels to 0, and what is left is multiplied by 1 / eps"""
    return _centred(p.x, 0) / (np.sqrt(np.maximum(_one_pass(p.x, 0), f32(0))) + EPS)


@FAMILY.fault("linkedin/Liger-Kernel 0.8.2 group_norm, docs/conformance.md", group_norm, right_group_norm,
              shape={"N": 4, "C": 4, "D": 64})  # fmt: skip
def one_pass_group_norm(p: Any) -> Any:
    """the variance of a group is E[x^2] - E[x]^2"""
    return _centred(p.x, (2, 3)) / np.sqrt(_one_pass(p.x, (2, 3)) + EPS)


@FAMILY.fault("xlite-dev/LeetCUDA#309", layer_norm, right_layer_norm, shape=SHAPE)
def constant_added_to_the_count(p: Any) -> Any:
    """the constant is added to the number of elements: a row without spread is divided by 0"""
    d = _centred(p.x)
    return d / np.sqrt((d * d).sum(-1, keepdims=True) / (f32(d.shape[1]) + EPS)) * p.weight + p.bias


@FAMILY.fault("allenai/OLMo#281", rms_norm, right_rms_norm, shape=SHAPE)
def constant_outside_the_root(p: Any) -> Any:
    """the constant is added to the root, not under it"""
    return p.x / (np.sqrt(_mean_square(p.x)) + EPS) * p.weight


@FAMILY.fault("mosaicml/llm-foundry#371", rms_norm, right_rms_norm, shape=SHAPE)
def divided_by_the_reciprocal(p: Any) -> Any:
    """x is divided by the reciprocal root"""
    return p.x / (f32(1) / np.sqrt(_mean_square(p.x) + EPS)) * p.weight


@FAMILY.fault("linkedin/Liger-Kernel#74", gemma_norm, right_gemma_norm, shape=SHAPE)
def offset_of_weight_missing(p: Any) -> Any:
    """the weight is not added to 1"""
    return _rms(p) * p.weight


@FAMILY.fault("utensils/mold#1078", rms_norm, right_rms_norm, shape=SHAPE)
def offset_of_weight_twice(p: Any) -> Any:
    """1 is added to a weight that has it already"""
    return _rms(p) * (f32(1) + p.weight)


@FAMILY.fault("131250208/TPlinker-joint-extraction#37", layer_norm, right_layer_norm, shape=SHAPE)
def square_for_root(p: Any) -> Any:
    """the variance is squared in place of its root"""
    d = _centred(p.x)
    return d / (_mean_square(d) + EPS) ** 2 * p.weight + p.bias


@FAMILY.fault("tenstorrent/tt-metal#55438", running_variance, right_running_variance, shape={"N": 64, "C": 16},
              extents={"N": "at least 2"})  # fmt: skip
def biased_running_variance(p: Any) -> Any:
    """the running variance is that of the batch, without the factor N / (N - 1)"""
    d = _centred(p.x, 0)
    return f32(0.9) * p.running + f32(0.1) * (d * d).mean(0)


@FAMILY.fault("sarkar-dipankar/gpuemu-corpus l2norm_triton_buggy", l2_normalised, right_l2, shape=SHAPE)
def root_forgotten(p: Any) -> Any:
    """x is divided by its squared norm"""
    return p.x / ((p.x * p.x).sum(-1, keepdims=True) + EPS)
