"""Rows of pooling and of resizing: a gather of windows and a reduction."""

from __future__ import annotations

import math
from functools import partial
from typing import Any, Dict, List, Sequence, Tuple

import numpy as np

from .._formula import Namespace
from .._traced import NotTraceable, Traced
from .._convolution import windows_of
from .convolutions import each_of
from .reductions import ValuesAndIndices


def _windows(x: Traced, n: int, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool) -> np.ndarray:
    """Positions [..., O..., K...] with -1 in the padding and -2 beyond it, which ceil_mode reaches."""
    kernel, padding, dilation = each_of(kernel, n), each_of(padding, n), each_of(dilation, n)
    stride = kernel if stride is None or stride == [] or stride == () else each_of(stride, n)
    p = np.arange(x.size).reshape(x.shape)
    p = np.pad(p, [(0, 0)] * (x.ndim - n) + [(one, one) for one in padding], constant_values=-1)
    more = [(0, 0)] * (x.ndim - n)
    for size, k, s, pad, d in zip(x.shape[-n:], kernel, stride, padding, dilation):
        room = size + 2 * pad - d * (k - 1) - 1
        out = -(-room // s) + 1 if ceil_mode else room // s + 1
        if ceil_mode and (out - 1) * s >= size + pad:  # the last window must begin within the input or its left padding
            out -= 1
        more.append((0, max((out - 1) * s + d * (k - 1) + 1 - size - 2 * pad, 0)))
    return windows_of(np.pad(p, more, constant_values=-2), kernel, stride, dilation)


def _maximum(xp: Namespace, x: Traced, windows: np.ndarray, n: int) -> Traced:
    index = np.where(windows < 0, x.size, windows)
    sources = [x, xp._array(-math.inf)] if (windows < 0).any() else [x]
    return xp.max(xp._moved(sources, index), axis=tuple(range(-n, 0)))


def _average(xp: Namespace, x: Traced, windows: np.ndarray, n: int, counts: np.ndarray) -> Traced:
    """The mean over windows; `counts` is what each sum is divided by."""
    last = tuple(range(-n, 0))
    inner = int(np.prod(windows.shape[-n:]))
    if (windows >= 0).all() and (counts == inner).all():
        return xp.mean(xp._moved([x], windows), axis=last)
    total = xp.sum(xp._moved([x, xp._array(0)], np.where(windows < 0, x.size, windows)), axis=last)
    return total / xp._array(np.broadcast_to(counts, total.shape))


def _max_pool(n: int) -> Any:
    def row(
        xp: Namespace,
        input: Any,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        ceil_mode: bool = False,
        return_indices: bool = False,
    ) -> Any:
        value = _maximum(xp, input, _windows(input, n, kernel_size, stride, padding, dilation, ceil_mode), n)
        return ValuesAndIndices(value, None) if return_indices else value

    return row


def _avg_pool(n: int) -> Any:
    def row(
        xp: Namespace,
        input: Any,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: Any = None,
    ) -> Any:
        windows = _windows(input, n, kernel_size, stride, padding, 1, ceil_mode)
        counts = np.sum(windows >= (-1 if count_include_pad else 0), axis=tuple(range(-n, 0)))
        return _average(xp, input, windows, n, counts if divisor_override is None else np.full_like(counts, divisor_override))

    return row


def _adaptive_windows(x: Traced, sizes: Sequence[Any]) -> np.ndarray:
    """Window i of an axis is [floor(i S / O), ceil((i + 1) S / O)); -2 fills the shorter ones."""
    n = len(sizes)
    p = np.arange(x.size).reshape(x.shape)
    for k, out in enumerate(sizes):
        axis = x.ndim - n + k
        size = x.shape[axis]
        out = size if out is None else out
        starts, ends = [i * size // out for i in range(out)], [-(-(i + 1) * size // out) for i in range(out)]
        widest = max((b - a for a, b in zip(starts, ends)), default=0)
        at = np.array([[a + j if a + j < b else -1 for j in range(widest)] for a, b in zip(starts, ends)], np.int64).reshape(
            out, widest
        )
        taken = np.take(p, np.maximum(at, 0), axis)
        shape = [1] * taken.ndim
        shape[axis : axis + 2] = at.shape
        p = np.moveaxis(np.where(at.reshape(shape) < 0, -2, taken), axis + 1, -1)
    return p


def _adaptive(n: int, is_max: bool) -> Any:
    def row(xp: Namespace, input: Any, output_size: Any, return_indices: bool = False) -> Any:
        windows = _adaptive_windows(input, each_of(output_size, n))
        if is_max:
            value = _maximum(xp, input, windows, n)
            return ValuesAndIndices(value, None) if return_indices else value
        return _average(xp, input, windows, n, np.sum(windows >= 0, axis=tuple(range(-n, 0))))

    return row


def _sizes_of(x: Traced, n: int, output_size: Any, scales: Sequence[Any]) -> Tuple[int, ...]:
    if output_size is not None:
        return each_of(output_size, n)
    return tuple(int(size * scale) for size, scale in zip(x.shape[-n:], scales))


def _scales(n: int, rest: Tuple[Any, ...]) -> List[Any]:
    """PyTorch gives the factors as one list, or as a number for each axis."""
    given = list(rest[0]) if rest and isinstance(rest[0], (tuple, list)) else list(rest)
    return (given + [None] * n)[:n]


def _nearest(n: int) -> Any:
    def row(xp: Namespace, input: Any, output_size: Any = None, *rest: Any, scale_factors: Any = None) -> Any:
        scales = _scales(n, (scale_factors,) if scale_factors is not None else rest)
        p = np.arange(input.size).reshape(input.shape)
        for k, (out, scale) in enumerate(zip(_sizes_of(input, n, output_size, scales), scales)):
            size, step = input.shape[-n + k], np.float32(1 / scale if scale else input.shape[-n + k] / out)
            p = np.take(p, np.minimum(np.floor(np.arange(out, dtype=np.float32) * step).astype(int), size - 1), p.ndim - n + k)
        return xp._moved([input], p)

    return row


def _linear(n: int) -> Any:
    """Between the nearest elements along each axis in turn."""

    def row(xp: Namespace, input: Any, output_size: Any, align_corners: bool, *rest: Any, scale_factors: Any = None) -> Any:
        scales = _scales(n, (scale_factors,) if scale_factors is not None else rest)
        for k, (out, scale) in enumerate(zip(_sizes_of(input, n, output_size, scales), scales)):
            axis, size = input.ndim - n + k, input.shape[input.ndim - n + k]
            if align_corners:
                at = np.arange(out) * ((size - 1) / (out - 1) if out > 1 else 0)
            else:
                at = np.maximum((np.arange(out) + 0.5) * (1 / scale if scale else size / out) - 0.5, 0)
            low = np.minimum(np.floor(at).astype(int), size - 1)
            share = np.reshape(at - low, (-1, *([1] * (n - 1 - k))))
            ends = [xp.take(input, one, axis=axis) for one in (low, np.minimum(low + 1, size - 1))]
            input = ends[0] * (1 - share) + ends[1] * share
        return input

    return row


def _refused(xp: Namespace, *_: Any, **__: Any) -> Any:
    raise NotTraceable("fractional pooling draws random numbers: expected a function of its inputs alone")


ROWS: Dict[str, Any] = {
    **{f"max_pool{n}d": _max_pool(n) for n in (1, 2, 3)}, **{f"avg_pool{n}d": _avg_pool(n) for n in (1, 2, 3)},
    **{f"max_pool{n}d_with_indices": partial(_max_pool(n), return_indices=True) for n in (1, 2, 3)},
    **{f"adaptive_avg_pool{n}d": _adaptive(n, False) for n in (1, 2, 3)},
    **{f"adaptive_max_pool{n}d": _adaptive(n, True) for n in (1, 2, 3)},
    "fractional_max_pool2d": _refused, "fractional_max_pool3d": _refused, "upsample_nearest1d": _nearest(1),
    "upsample_nearest2d": _nearest(2),
    "upsample_nearest3d": _nearest(3), "upsample_linear1d": _linear(1), "upsample_bilinear2d": _linear(2),
    "upsample_trilinear3d": _linear(3),
}  # fmt: skip
