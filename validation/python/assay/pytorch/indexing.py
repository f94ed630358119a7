"""Rows of positions that depend on data: embedding, gather, scatter, one-hot, and an index in brackets."""

from __future__ import annotations

from typing import Any, Dict

import numpy as np

from .._traced import NotTraceable


def _embedding(xp: Any, weight: Any, indices: Any, padding_idx: int = -1, *_: Any) -> Any:
    return xp.take(weight, indices, axis=0)


def _cropped(xp: Any, input: Any, dim: int, index: Any) -> Any:
    """The part of the input that an index of smaller sizes reads on the other axes."""
    axis = dim % input.ndim
    return input[tuple(slice(None) if k == axis else slice(n) for k, n in enumerate(index.shape))]


def _gather(xp: Any, input: Any, dim: int, index: Any, sparse_grad: bool = False) -> Any:
    return xp.take_along_axis(_cropped(xp, input, dim, index), index, axis=dim)


def _scatter_add(xp: Any, input: Any, dim: int, index: Any, src: Any) -> Any:
    src = src[tuple(slice(n) for n in index.shape)]
    if any(n != m for k, (n, m) in enumerate(zip(index.shape, input.shape)) if k != dim % input.ndim):
        raise NotTraceable("scatter_add with an index of smaller sizes than the input: expected equal sizes but for dim")
    return xp.add_along_axis(input, index, src, axis=dim)


def _scatter(xp: Any, input: Any, dim: int, index: Any, src: Any = None, value: Any = None, reduce: Any = None) -> Any:
    """Where an index occurs twice PyTorch keeps either; the graph has the positions of one row apart only for one index each."""
    if reduce == "add" and src is not None:
        return _scatter_add(xp, input, dim, index, src)
    if value is None and not hasattr(src, "_node"):
        value = src
    if value is None or reduce is not None or index.shape[dim] != 1:
        raise NotTraceable(
            "scatter of several values along dim at positions that depend on data: expected scatter_add, or one value each"
        )
    axis = dim % input.ndim
    shape = [1] * input.ndim
    shape[axis] = input.shape[axis]
    return xp.where(xp.equal(index, np.arange(input.shape[axis]).reshape(shape)), value, input)


def _index_add(xp: Any, input: Any, dim: int, index: Any, source: Any, alpha: Any = 1) -> Any:
    return xp.add_at(input, index, source if alpha == 1 else alpha * source, axis=dim)


def _one_hot(xp: Any, input: Any, num_classes: int = -1) -> Any:
    if num_classes < 0:
        raise NotTraceable("one_hot without num_classes: its shape depends on data; expected num_classes")
    return xp.equal(xp.expand_dims(input, -1), np.arange(num_classes))


def _get_item(xp: Any, input: Any, key: Any) -> Any:
    """An index of the formula among slices, or beside one known index before it: rows[range(N), labels]."""
    return input[key if not isinstance(key, list) else tuple(key)]


ROWS: Dict[str, Any] = {
    "embedding": _embedding, "gather": _gather, "scatter_add": _scatter_add, "scatter": _scatter, "index_add": _index_add,
    "one_hot": _one_hot,
    "index_select": lambda xp, input, dim, index: xp.take(input, index, axis=dim), "__getitem__": _get_item,
    "take_along_dim": lambda xp, input, indices, dim: xp.take_along_axis(input, indices, axis=dim), "__setitem__": None,
}  # fmt: skip
