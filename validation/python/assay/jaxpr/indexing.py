"""Rows of gather and scatter: elements at positions that are known, or at one index of the formula."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, NamedTuple, Sequence, Tuple

import numpy as np
from jax import lax

from .._traced import NotTraceable, Traced
from .values import is_known


class _Dims(NamedTuple):
    """lax.GatherDimensionNumbers; of a scatter, those of the gather that reads what it writes to."""

    offset: Sequence[int]
    collapsed: Sequence[int]
    indexed: Sequence[int]
    batch: Sequence[int]
    index_batch: Sequence[int]


def _of_gather(d: Any) -> _Dims:
    return _Dims(d.offset_dims, d.collapsed_slice_dims, d.start_index_map, getattr(d, "operand_batching_dims", ()),
                 getattr(d, "start_indices_batching_dims", ()))  # fmt: skip


def _of_scatter(d: Any) -> _Dims:
    return _Dims(d.update_window_dims, d.inserted_window_dims, d.scatter_dims_to_operand_dims,
                 getattr(d, "operand_batching_dims", ()), getattr(d, "scatter_indices_batching_dims", ()))  # fmt: skip


def _columns(xp: Any, indices: Any) -> List[Any]:
    """The indices of each operand axis, apart: known ones beside those of the formula."""
    columns = xp.columns.get(indices._node)
    if columns is not None and sum(one.shape[-1] for one in columns) == len(columns):
        return [one[..., 0] for one in columns]
    return [indices[..., k] for k in range(indices.shape[-1])]


def _known_places(shape: Sequence[int], indices: np.ndarray, dims: _Dims, sizes: Sequence[int]) -> np.ndarray:
    """The positions of the elements that a gather takes; -1 outside of the array."""
    batch_shape = indices.shape[:-1]
    place, stride = np.zeros(batch_shape + tuple(sizes), np.int64), 1
    inside = np.ones(place.shape, bool)
    for axis in range(len(shape) - 1, -1, -1):
        start = np.zeros(batch_shape, np.int64)
        if axis in dims.indexed:
            start = indices[..., list(dims.indexed).index(axis)].astype(np.int64)
        elif axis in dims.batch:
            start = _along(batch_shape, dims.index_batch[list(dims.batch).index(axis)])
        start = start.reshape(batch_shape + (1,) * len(sizes))
        within = np.arange(sizes[axis]).reshape([-1 if k == axis else 1 for k in range(len(sizes))])
        at = start + within
        inside &= (at >= 0) & (at < shape[axis])
        place, stride = place + at * stride, stride * shape[axis]
    place[~inside] = -1
    kept = [k for k in range(len(sizes)) if k not in (*dims.collapsed, *dims.batch)]
    place = place.reshape(batch_shape + tuple(sizes[k] for k in kept))
    return _with_offsets(place, len(batch_shape), dims.offset)


def _along(shape: Tuple[int, ...], axis: int) -> np.ndarray:
    return np.broadcast_to(np.arange(shape[axis]).reshape([-1 if k == axis else 1 for k in range(len(shape))]), shape)


def _order(ndim: int, batch: int, offset: Sequence[int]) -> List[int]:
    """Where the axes of [batch..., offset...] go in the result."""
    rest, order = iter(range(batch)), []
    last = iter(range(batch, ndim))
    for axis in range(ndim):
        order.append(next(last) if axis in offset else next(rest))
    return order


def _with_offsets(place: np.ndarray, batch: int, offset: Sequence[int]) -> np.ndarray:
    return np.transpose(place, _order(place.ndim, batch, offset))


class _Key(NamedTuple):
    """x.transpose(axes)[key], whose axes are then to be put in `order` and given `shape`, is what a gather takes."""

    axes: List[int]
    key: Tuple[Any, ...]
    batch: int
    inserted: List[int]


def _key_of(xp: Any, name: str, x: Traced, indices: Any, dims: _Dims, sizes: Sequence[int]) -> _Key:
    """By one index of the formula. Raises NotTraceable for windows that begin where data say."""
    first = [*dims.indexed, *dims.batch]
    rest = [k for k in range(x.ndim) if k not in first]
    if any(sizes[k] != 1 for k in dims.indexed) or any(sizes[k] != x.shape[k] for k in rest):
        raise NotTraceable(f"{name}: windows that begin at an index of the formula: expected single elements or whole axes")
    batch_shape = tuple(indices.shape[:-1])
    key = (*_columns(xp, indices), *(_along(batch_shape, k) for k in dims.index_batch))
    if sum(isinstance(one, Traced) for one in key) > 1:
        raise NotTraceable(f"{name} by two indices of the formula at once: expected one; take by one after the other")
    kept = [k for k in range(x.ndim) if k not in (*dims.collapsed, *dims.batch)]
    return _Key([*first, *rest], key, len(batch_shape), [kept.index(k) for k in kept if k in dims.indexed])


def _gather(xp: Any, eqn: Any, x: Any, indices: Any) -> Any:
    dims, sizes = _of_gather(eqn.params["dimension_numbers"]), eqn.params["slice_sizes"]
    x = xp._array(x)
    if is_known(indices):
        clipped = _clipped(x.shape, indices, dims, sizes) if eqn.params["mode"] == lax.GatherScatterMode.CLIP else indices
        place = _known_places(x.shape, clipped, dims, sizes)
        if (place < 0).any():
            raise NotTraceable("gather: an index outside of the array: expected indices from 0 to its size less 1")
        return xp._moved([x], place)
    key = _key_of(xp, "gather", x, indices, dims, sizes)
    taken = xp.permute_dims(x, key.axes)[key.key]
    for at in sorted(key.inserted):
        taken = xp.expand_dims(taken, axis=key.batch + at)
    return xp.permute_dims(taken, _order(taken.ndim, key.batch, dims.offset))


def _clipped(shape: Sequence[int], indices: np.ndarray, dims: _Dims, sizes: Sequence[int]) -> np.ndarray:
    most = np.array([shape[axis] - sizes[axis] for axis in dims.indexed])
    clipped: np.ndarray = np.clip(indices, 0, most)
    return clipped


def _window_sizes(x: Traced, updates: Any, dims: _Dims) -> List[int]:
    kept = iter(updates.shape[k] for k in sorted(dims.offset))
    return [1 if k in (*dims.collapsed, *dims.batch) else next(kept) for k in range(x.ndim)]


def _scatter(xp: Any, eqn: Any, x: Any, indices: Any, updates: Any) -> Any:
    """x.at[index].set(updates), at positions that are known."""
    x, updates, dims = xp._array(x), xp._array(updates), _of_scatter(eqn.params["dimension_numbers"])
    if not is_known(indices):
        raise NotTraceable("x.at[index].set(...) at an index of the formula: expected jnp.where, or .add(...)")
    place = _known_places(x.shape, indices, dims, _window_sizes(x, updates, dims)).reshape(-1)
    index = np.arange(x.size)
    index[place[place >= 0]] = x.size + np.flatnonzero(place >= 0)
    return xp._moved([x, updates], index.reshape(x.shape))


def _scatter_add(xp: Any, eqn: Any, x: Any, indices: Any, updates: Any) -> Any:
    x, updates, dims = xp._array(x), xp._array(updates), _of_scatter(eqn.params["dimension_numbers"])
    sizes = _window_sizes(x, updates, dims)
    if is_known(indices):
        return x + _sums_at(xp, x, _known_places(x.shape, indices, dims, sizes).reshape(-1), updates)
    key = _key_of(xp, "scatter_add", x, indices, dims, sizes)
    values = xp.permute_dims(updates, list(np.argsort(_order(updates.ndim, key.batch, dims.offset))))
    for at in sorted(key.inserted, reverse=True):
        values = xp.squeeze(values, key.batch + at)
    added = xp._added(xp.permute_dims(x, key.axes), key.key, values)
    return xp.permute_dims(added, [int(one) for one in np.argsort(key.axes)])


def _sums_at(xp: Any, x: Traced, place: np.ndarray, updates: Traced) -> Any:
    """At each element of x the sum of the updates that arrive there, padded with zeros to one number of terms."""
    arrive: List[List[int]] = [[] for _ in range(x.size)]
    for k, at in enumerate(place):
        if at >= 0:
            arrive[at].append(k)
    most = max((len(one) for one in arrive), default=0) or 1
    index = np.array([one + [updates.size] * (most - len(one)) for one in arrive], np.int64).reshape(*x.shape, most)
    return xp.sum(xp._moved([updates, xp._array(0.0)], index), axis=-1)


ROWS: Dict[str, Callable[..., Any]] = {"gather": _gather, "scatter": _scatter, "scatter-add": _scatter_add,
                                       "scatter_add": _scatter_add}  # fmt: skip
