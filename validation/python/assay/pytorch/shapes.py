"""Rows that join tensors, pad them, choose triangles and diagonals, and make constants of a tensor's shape."""

from __future__ import annotations

from typing import Any, Dict, List, Sequence

import numpy as np

from .._formula import Namespace
from .._traced import Traced
from .moves import sizes_of


def _cat(xp: Namespace, tensors: Sequence[Traced], dim: int = 0) -> Traced:
    full = [one for one in tensors if one.shape != (0,)] or list(tensors)  # PyTorch passes over an empty vector
    return xp.concat(full, axis=dim)


def _stack(xp: Namespace, tensors: Sequence[Traced], dim: int = 0) -> Traced:
    return xp.stack(tensors, axis=dim)


def _pad(xp: Namespace, input: Traced, pad: Sequence[int], mode: str = "constant", value: Any = None) -> Traced:
    """`pad` counts from the last axis: (left, right, top, bottom, ...); negative numbers crop."""
    each = [(0, 0)] * (input.ndim - len(pad) // 2) + [tuple(pad[k : k + 2]) for k in range(len(pad) - 2, -1, -2)]
    p = np.arange(input.size).reshape(input.shape)
    p = p[tuple(slice(max(-a, 0), n - max(-b, 0)) for (a, b), n in zip(each, p.shape))]
    widths = [(max(a, 0), max(b, 0)) for a, b in each]
    if mode != "constant":
        modes: Dict[str, Any] = {"reflect": "reflect", "replicate": "edge", "circular": "wrap"}
        return xp._moved([input], np.pad(p, widths, modes[mode]))
    return xp._moved([input, xp._array(value or 0)], np.pad(p, widths, constant_values=input.size))


def _diag(xp: Namespace, input: Traced, diagonal: int = 0) -> Traced:
    return (
        _diag_embed(xp, input, diagonal) if input.ndim == 1 else xp._moved([input], np.diagonal(xp._positions(input), diagonal))
    )


def _diag_embed(xp: Namespace, input: Traced, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Traced:
    n = input.shape[-1] + abs(offset)
    p = np.full((*input.shape[:-1], n, n), input.size)
    rows = np.arange(input.shape[-1]) + max(-offset, 0)
    p[..., rows, rows + offset] = xp._positions(input)
    return xp._moved([input, xp._array(0)], np.moveaxis(p, (-2, -1), (dim1, dim2)))


def _meshgrid(xp: Namespace, *tensors: Any, indexing: Any = "ij") -> List[Traced]:
    arrays = list(tensors[0]) if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)) else list(tensors)
    grids = np.meshgrid(*[xp._positions(one) for one in arrays], indexing=indexing)
    return [xp._moved([one], grid) for one, grid in zip(arrays, grids)]


def _broadcast_tensors(xp: Namespace, *tensors: Any) -> List[Traced]:
    arrays = list(tensors[0]) if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)) else list(tensors)
    shape = np.broadcast_shapes(*(one.shape for one in arrays))
    return [xp.broadcast_to(one, shape) for one in arrays]


def _new(value: float) -> Any:
    return lambda xp, input, *size: xp._array(np.full(sizes_of(size), value))


ROWS: Dict[str, Any] = {
    "cat": _cat, "concat": _cat, "concatenate": _cat, "stack": _stack, "hstack": lambda xp,
    tensors: _cat(xp, tensors, min(1, tensors[0].ndim - 1)),
    "vstack": lambda xp, tensors: _cat(xp, [xp.reshape(one, (1, -1)) if one.ndim < 2 else one for one in tensors]), "pad": _pad,
    "tril": lambda xp, input, diagonal=0: xp.tril(input, k=diagonal), "triu": lambda xp, input,
    diagonal=0: xp.triu(input, k=diagonal),
    "diag": _diag, "diag_embed": _diag_embed, "meshgrid": _meshgrid, "broadcast_tensors": _broadcast_tensors,
    "zeros_like": lambda xp, input: xp.zeros(input.shape), "ones_like": lambda xp, input: xp.ones(input.shape),
    "empty_like": lambda xp, input: xp._array(np.full(input.shape, np.nan)),
    "full_like": lambda xp, input, fill_value: xp._array(np.full(input.shape, fill_value)),
    "new_zeros": _new(0), "new_ones": _new(1), "new_empty": _new(np.nan),
    "new_full": lambda xp, input, size, fill_value: xp._array(np.full(tuple(size), fill_value)),
}  # fmt: skip
