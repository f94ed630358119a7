"""Rows of convolutions: a gather of windows and a product of matrices."""

from __future__ import annotations

from functools import wraps
from typing import Any, Callable, Dict, List, Sequence, Tuple

import numpy as np

from .._convolution import product_of_windows, windows_of
from .._formula import Namespace
from .._traced import Traced


def each_of(value: Any, n: int) -> Tuple[int, ...]:
    """A number for each of n axes."""
    return tuple(value) * (n if len(value) == 1 else 1) if isinstance(value, (tuple, list)) else (value,) * n


def same_padding(kernel: Sequence[int], dilation: Sequence[int]) -> List[Tuple[int, int]]:
    totals = [d * (k - 1) for k, d in zip(kernel, dilation)]
    return [(total // 2, total - total // 2) for total in totals]


def padded(x: Traced, padding: Sequence[Tuple[int, int]]) -> np.ndarray:
    """Positions, and x.size where the padding is."""
    lead = [(0, 0)] * (x.ndim - len(padding))
    return np.pad(np.arange(x.size).reshape(x.shape), [*lead, *padding], constant_values=x.size)


def _with_bias(xp: Namespace, y: Traced, bias: Any) -> Traced:
    return y if bias is None else y + xp.reshape(bias, (bias.size, *([1] * (y.ndim - 2))))


def _require_channels(name: str, x: Traced, weight: Traced, expected: int, groups: int) -> None:
    if x.ndim != weight.ndim or x.shape[1] != expected or weight.shape[0] % groups:
        raise ValueError(
            f"{name} of input {list(x.shape)} and weight {list(weight.shape)}, groups={groups}: expected {expected} channels"
        )


def _of_one_or_many(row: Callable[..., Traced]) -> Callable[..., Traced]:
    """A row that takes an input without the axis of the batch as well."""

    @wraps(row)
    def taken(xp: Namespace, input: Traced, weight: Traced, *args: Any, **options: Any) -> Traced:
        if input.ndim != weight.ndim - 1:
            return row(xp, input, weight, *args, **options)
        return xp.squeeze(row(xp, xp.expand_dims(input, 0), weight, *args, **options), 0)

    return taken


@_of_one_or_many
def convolution(
    xp: Namespace,
    input: Traced,
    weight: Traced,
    bias: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Traced:
    n = weight.ndim - 2
    _require_channels("a convolution", input, weight, weight.shape[1] * groups, groups)
    kernel, dilation = weight.shape[2:], each_of(dilation, n)
    if isinstance(padding, str):
        pads = same_padding(kernel, dilation) if padding == "same" else [(0, 0)] * n
    else:
        pads = [(one, one) for one in each_of(padding, n)]
    windows = windows_of(padded(input, pads), kernel, each_of(stride, n), dilation)
    return _with_bias(xp, product_of_windows(xp, input, windows, weight, groups), bias)


@_of_one_or_many
def transposed(
    xp: Namespace,
    input: Traced,
    weight: Traced,
    bias: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: int = 1,
    dilation: Any = 1,
) -> Traced:
    """A convolution of the input with zeros between its elements and the mirrored weight [Cin, Cout / groups, K...]."""
    n = weight.ndim - 2
    _require_channels("a transposed convolution", input, weight, weight.shape[0], groups)
    stride, dilation, kernel = each_of(stride, n), each_of(dilation, n), weight.shape[2:]
    sizes = [(size - 1) * s + 1 if size else 0 for size, s in zip(input.shape[2:], stride)]
    spread: Any = np.full((*input.shape[:2], *sizes), input.size)
    spread[(Ellipsis, *(slice(None, None, s) for s in stride))] = np.arange(input.size).reshape(input.shape)
    rims = [(d * (k - 1) - p, d * (k - 1) - p + o)
            for k, d, p, o in zip(kernel, dilation, each_of(padding, n), each_of(output_padding, n))]  # fmt: skip
    crop = tuple(slice(max(-a, 0), size - max(-b, 0)) for (a, b), size in zip(rims, sizes))
    wide = np.pad(
        spread[(Ellipsis, *crop)], [(0, 0), (0, 0), *((max(a, 0), max(b, 0)) for a, b in rims)], constant_values=input.size
    )
    mirrored: Any = xp._positions(weight)
    mirrored = mirrored[(Ellipsis, *([slice(None, None, -1)] * n))]
    mirrored = mirrored.reshape(groups, weight.shape[0] // groups, *mirrored.shape[1:]).swapaxes(1, 2)
    turned = xp._moved([weight], mirrored.reshape(groups * weight.shape[1], weight.shape[0] // groups, *kernel))
    windows = windows_of(wide, kernel, (1,) * n, dilation)
    return _with_bias(xp, product_of_windows(xp, input, windows, turned, groups), bias)


def _im2col(xp: Namespace, input: Traced, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Traced:
    """torch.nn.functional.unfold: [N, C K1 K2, L]."""
    kernel = each_of(kernel_size, 2)
    windows = windows_of(
        padded(input, [(one, one) for one in each_of(padding, 2)]), kernel, each_of(stride, 2), each_of(dilation, 2)
    )
    N, C = input.shape[:2]
    index = np.transpose(windows, (0, 1, 4, 5, 2, 3)).reshape(N, C * kernel[0] * kernel[1], windows.shape[2] * windows.shape[3])
    return xp._moved([input, xp._array(0)], index)


ROWS: Dict[str, Any] = {
    "conv1d": convolution, "conv2d": convolution, "conv3d": convolution, "conv_transpose1d": transposed,
    "conv_transpose2d": transposed,
    "conv_transpose3d": transposed, "im2col": _im2col,
}  # fmt: skip
