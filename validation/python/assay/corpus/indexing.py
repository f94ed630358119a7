"""Indices, strides, layouts and positions."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._references import operation
from .attention import right_softmax, softmax
from .entry import Family
from .narrow import f32

FAMILY = Family("indexing")


def as_if_contiguous(x: Any) -> Any:
    """What a kernel reads that is given the address of an array and ignores its strides; past its memory, the beginning."""
    root = x
    while isinstance(root.base, np.ndarray):
        root = root.base
    first = (x.__array_interface__["data"][0] - root.__array_interface__["data"][0]) // x.itemsize
    return root.reshape(-1).view(x.dtype).take(first + np.arange(x.size), mode="wrap").reshape(x.shape)


@operation(x="N, D", post="N, 4", comb="N, 4, 4", residual="N, 4, D", limits={"N": 33, "D": 33})
def mixed_heads(xp: Any, x: Any, post: Any, comb: Any, residual: Any) -> Any:
    return x[:, None] * post[:, :, None] + xp.matmul(comb, residual)


@operation(x="N, C, L", w="C, 3", limits={"N": 3, "C": 9, "L": 65})
def depthwise_conv(xp: Any, x: Any, w: Any) -> Any:
    """Dilation 2, and 2 zeros of padding on each side."""
    zeros = xp.zeros((x.shape[0], x.shape[1], 2))
    wide, L = xp.concat([zeros, x, zeros], axis=-1), x.shape[2]
    return sum(wide[:, :, 2 * k : 2 * k + L] * w[:, k, None] for k in range(3))


@operation(x="C, H, W", w="C, 3", limits={"C": 5, "H": 17, "W": 17})
def column_conv(xp: Any, x: Any, w: Any) -> Any:
    """A filter of 3 rows along the columns of each channel's image, without padding."""
    H = x.shape[1] - 2
    return sum(x[:, k : k + H] * w[:, k, None, None] for k in range(3))


@operation(x="N, L")
def max_pool(xp: Any, x: Any) -> Any:
    """Windows of 2, one step at a time."""
    return xp.maximum(x[:, :-1], x[:, 1:])


@operation(x="N, L", limits={"N": 9, "L": 257})
def average_pool(xp: Any, x: Any) -> Any:
    """Windows of 2, steps of 2; the last window has one element where their number is odd."""
    N, L = x.shape
    pairs = xp.sum(xp.reshape(x[:, : L // 2 * 2], (N, L // 2, 2)), axis=-1) * 0.5
    return xp.concat([pairs, x[:, -1:]], axis=-1) if L % 2 else pairs


@operation(x="N, 3, C, L", bias="3, C", limits={"N": 3, "C": 5, "L": 33})
def grouped_bias(xp: Any, x: Any, bias: Any) -> Any:
    return x + bias[:, :, None]


@operation(x="T, D", limits={"D": 9}, nan="x")
def largest_position(xp: Any, x: Any) -> Any:
    return xp.argmax(x, axis=-1)


@operation(x="T, 16", cos="T, 4", sin="T, 4", limits={"T": 65})
def partial_rotary(xp: Any, x: Any, cos: Any, sin: Any) -> Any:
    """Channel i turns with channel i + 8, for the first 4 of 8; the others stay."""
    a, b = x[:, :4], x[:, 8:12]
    return xp.concat([a * cos - b * sin, x[:, 4:8], b * cos + a * sin, x[:, 12:]], axis=-1)


@operation(x="T, 16", cos="T, 8", sin="T, 8", limits={"T": 65})
def rotary(xp: Any, x: Any, cos: Any, sin: Any) -> Any:
    a, b = x[:, :8], x[:, 8:]
    return xp.concat([a * cos - b * sin, b * cos + a * sin], axis=-1)


@operation(gate="N, D", up="N, D")
def swiglu(xp: Any, gate: Any, up: Any) -> Any:
    return gate / (1 + xp.exp(-gate)) * up


def right_mixed(p: Any) -> Any:
    return np.einsum("nd,nh->nhd", p.x, p.post) + p.comb @ p.residual


def _depthwise(p: Any, w: Any, reach: int = 2) -> Any:
    wide, L = np.pad(p.x, ((0, 0), (0, 0), (2, 2))), p.x.shape[2]
    return sum(wide[:, :, 2 * k : 2 * k + L] * w[:, k, None] for k in range(3))


def right_depthwise(p: Any) -> Any:
    return _depthwise(p, p.w)


def right_column_conv(p: Any) -> Any:
    return sum(p.x[:, k : k + p.x.shape[1] - 2] * p.w[:, k, None, None] for k in range(3))


def right_max_pool(p: Any) -> Any:
    return np.lib.stride_tricks.sliding_window_view(p.x, 2, axis=1).max(-1)


def _average_pool(p: Any, last: Any) -> Any:
    padded = np.pad(p.x, ((0, 0), (0, p.x.shape[1] % 2)))
    out = (padded[:, ::2] + padded[:, 1::2]) * f32(0.5)
    if p.x.shape[1] % 2:
        out[:, -1] = p.x[:, -1] * last
    return out


def right_average_pool(p: Any) -> Any:
    return _average_pool(p, f32(1))


def right_bias(p: Any) -> Any:
    return p.x + p.bias[None, :, :, None]


def right_position(p: Any) -> Any:
    return np.argmax(p.x, axis=-1)


def right_partial_rotary(p: Any) -> Any:
    return _turned(p, 8, 4)


def right_rotary(p: Any) -> Any:
    return _turned(p, 8, 8)


def _turned(p: Any, distance: int, count: int) -> Any:
    out, a, b = np.array(p.x), p.x[:, :count], p.x[:, distance : distance + count]
    out[:, :count], out[:, distance : distance + count] = a * p.cos - b * p.sin, b * p.cos + a * p.sin
    return out


def right_swiglu(p: Any) -> Any:
    return p.gate * (f32(1) / (f32(1) + np.exp(-p.gate))) * p.up


@FAMILY.fault("ROCm/aiter#5292", mixed_heads, right_mixed, shape={"N": 16, "D": 32})
def strides_of_mix_ignored(p: Any) -> Any:
    """two of four arrays are read as if they were contiguous"""
    return p.x[:, None] * as_if_contiguous(p.post)[:, :, None] + as_if_contiguous(p.comb) @ p.residual


@FAMILY.fault("pytorch/pytorch#192212", depthwise_conv, right_depthwise, shape={"N": 2, "C": 8, "L": 32})
def strides_of_weight_ignored(p: Any) -> Any:
    """a slice of a larger weight is read as if it were contiguous"""
    return _depthwise(p, as_if_contiguous(p.w))


@FAMILY.fault("pytorch-labs/applied-ai fused_softmax, docs/conformance.md", softmax, right_softmax, shape={"N": 16, "D": 64})
def transposed_view(p: Any) -> Any:
    """a transposed view is read in the order of its memory"""
    e = as_if_contiguous(p.x)
    e = np.exp(e - e.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


@FAMILY.fault("pytorch/pytorch#38922", largest_position, right_position, shape={"T": 100, "D": 8})
def position_of_later_parts(p: Any) -> Any:
    """rows past 32768 belong to another thread, whose positions begin at its first row"""
    return right_position(p) + np.arange(len(p.x)) // 32768 * 32768


@FAMILY.fault("ml-explore/mlx#4274", largest_position, right_position, shape={"T": 100, "D": 8})
def position_skips_nan(p: Any) -> Any:
    """the position of the largest number, where that of the first NaN is due"""
    return np.argmax(np.where(np.isnan(p.x), f32(-np.inf), p.x), axis=-1)


@FAMILY.fault("uxlfoundation/oneDNN#1677", max_pool, right_max_pool, shape={"N": 8, "L": 64}, extents={"L": "at least 2"})
def smallest_positive_number(p: Any) -> Any:
    """the maximum begins at FLT_MIN, the smallest number above 0"""
    return np.maximum(right_max_pool(p), np.finfo(f32).tiny)


@FAMILY.fault("sonos/tract#2851", average_pool, right_average_pool, shape={"N": 4, "L": 64})
def divisor_of_overhang(p: Any) -> Any:
    """a window that reaches past the end is divided by the size of a full one"""
    return _average_pool(p, f32(0.5))


@FAMILY.fault("tensorflow/tfjs#5500", depthwise_conv, right_depthwise, shape={"N": 2, "C": 8, "L": 32})
def dilation_in_the_bounds(p: Any) -> Any:
    """the check of the bounds takes the dilation twice: the last column's taps are left out"""
    out, L = np.array(right_depthwise(p)), p.x.shape[2]
    for t in range(max(L - 4, 0), L - 2):
        out[:, :, t] -= p.x[:, :, t + 2] * p.w[:, 2]
    return out


@FAMILY.fault("torch/cunn#470", column_conv, right_column_conv, shape={"C": 4, "H": 16, "W": 16},
              extents={"H": "at least 3"})  # fmt: skip
def height_for_width(p: Any) -> Any:
    """rows are H elements apart in place of W: right for square images"""
    C, H, W = p.x.shape
    at = np.arange(C)[:, None, None] * H * W + np.arange(H)[:, None] * H + np.arange(W)
    x = np.ascontiguousarray(p.x).reshape(-1).take(at, mode="wrap")
    return sum(x[:, k : k + H - 2] * p.w[:, k, None, None] for k in range(3))


@FAMILY.fault("robertknight/rten#1408", grouped_bias, right_bias, shape={"N": 2, "C": 4, "L": 16})
def bias_of_the_first_group(p: Any) -> Any:
    """the bias is that of the channel within the group: the first group's for all"""
    return p.x + p.bias[0][None, None, :, None]


@FAMILY.fault("apple/coreai-models#66", partial_rotary, right_partial_rotary, shape={"T": 64})
def pairs_within_the_turned_part(p: Any) -> Any:
    """channel i turns with channel i + 4, within the part that turns"""
    return _turned(p, 4, 4)


@FAMILY.fault("flagos-ai/FlagGems#5143", rotary, right_rotary, shape={"T": 64})
def written_in_place(p: Any) -> Any:
    """the first half is overwritten before the second half reads it"""
    first = p.x[:, :8] * p.cos - p.x[:, 8:] * p.sin
    return np.concatenate([first, p.x[:, 8:] * p.cos + first * p.sin], axis=-1)


@FAMILY.fault("ml-explore/mlx-lm#767", swiglu, right_swiglu, shape={"N": 16, "D": 64})
def arguments_exchanged(p: Any) -> Any:
    """silu(up) gate in place of silu(gate) up"""
    return p.up / (f32(1) + np.exp(-p.up)) * p.gate
