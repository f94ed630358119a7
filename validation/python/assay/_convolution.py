"""Windows of an array, and the product of matrices that a convolution is."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from ._traced import Traced


def windows_of(p: np.ndarray, kernel: Sequence[int], stride: Sequence[int], dilation: Sequence[int]) -> np.ndarray:
    """[..., O1, ..., K1, ...] of [..., S1, ...]."""
    n = len(kernel)
    reach = tuple(d * (k - 1) + 1 for k, d in zip(kernel, dilation))
    axes = tuple(range(p.ndim - n, p.ndim))
    if p.size == 0 or any(size < one for size, one in zip(p.shape[-n:], reach)):
        out = tuple(max((size - one) // s + 1, 0) for size, one, s in zip(p.shape[-n:], reach, stride))
        return np.zeros((*p.shape[:-n], *out, *kernel), np.int64)
    window: Any = np.lib.stride_tricks.sliding_window_view
    seen = window(p, reach, axes)
    steps = tuple(slice(None, None, one) for one in (*stride, *dilation))
    stepped: np.ndarray = seen[(Ellipsis, *steps)]
    return stepped


def product_of_windows(xp: Any, x: Traced, windows: np.ndarray, weight: Traced, groups: int) -> Traced:
    """[N, Cout, O...] of windows [N, C, O..., K...] and weight [Cout, C / groups, K...]."""
    n = weight.ndim - 2
    N, C, out = windows.shape[0], windows.shape[1], windows.shape[2 : 2 + n]
    Cout, inner = weight.shape[0], int(np.prod(weight.shape[1:], dtype=np.int64))
    rows = int(np.prod((N, *out), dtype=np.int64))
    split = windows.reshape(N, groups, C // groups, *windows.shape[2:])
    moved = np.moveaxis(split, (1, 0), (0, 1))  # [groups, N, C / groups, O..., K...]
    moved = np.moveaxis(moved, 2, 2 + n).reshape(groups, rows, inner)
    sources = [x, xp._array(0)] if moved.size and moved.max() == x.size else [x]
    left = xp._moved(sources, moved)
    right = xp.matrix_transpose(xp.reshape(weight, (groups, Cout // groups, inner)))
    product = xp.reshape(xp.matmul(left, right), (groups, N, *out, Cout // groups))
    placed = xp.permute_dims(product, (1, 0, 2 + n, *range(2, 2 + n)))
    result: Traced = xp.reshape(placed, (N, Cout, *out))
    return result
