"""Rows of primitives that move elements."""

from __future__ import annotations

from functools import partial
from typing import Any, Callable, Dict, List

import numpy as np

from .._traced import Traced
from .values import is_known, moved, require_known


def _broadcast(xp: Any, eqn: Any, x: Any, *_: Any) -> Any:
    shape, dimensions = eqn.params["shape"], eqn.params["broadcast_dimensions"]

    def move(p: np.ndarray) -> np.ndarray:
        wide = [1] * len(shape)
        for axis, size in zip(dimensions, p.shape):
            wide[axis] = size
        return np.broadcast_to(p.reshape(wide), shape)

    return moved(xp, x, move)


def _slice(xp: Any, eqn: Any, x: Any) -> Any:
    start, limit = eqn.params["start_indices"], eqn.params["limit_indices"]
    steps = eqn.params["strides"] or (1,) * len(start)
    return moved(xp, x, lambda p: p[tuple(slice(a, b, s) for a, b, s in zip(start, limit, steps))])


def _starts(name: str, starts: Any, shape: Any, sizes: Any) -> List[int]:
    require_known(name, *starts)
    return [min(max(int(one), 0), whole - size) for one, whole, size in zip(starts, shape, sizes)]


def _dynamic_slice(xp: Any, eqn: Any, x: Any, *starts: Any) -> Any:
    sizes = eqn.params["slice_sizes"]
    first = _starts("dynamic_slice", starts, x.shape, sizes)
    return moved(xp, x, lambda p: p[tuple(slice(a, a + size) for a, size in zip(first, sizes))])


def _dynamic_update_slice(xp: Any, eqn: Any, x: Any, part: Any, *starts: Any) -> Any:
    x, part = xp._array(x), xp._array(part)
    first = _starts("dynamic_update_slice", starts, x.shape, part.shape)
    index = np.array(xp._positions(x))
    index[tuple(slice(a, a + size) for a, size in zip(first, part.shape))] = x.size + xp._positions(part)
    return xp._moved([x, part], index)


def _concatenate(xp: Any, eqn: Any, *xs: Any) -> Any:
    axis = eqn.params["dimension"]
    if all(is_known(one) for one in xs):
        return np.concatenate(xs, axis)
    result = xp.concat([xp._array(one) for one in xs], axis=axis)
    if axis == result.ndim - 1:
        xp.columns[result._node] = list(xs)  # which a gather may take one by one
    return result


def _padded(p: np.ndarray, config: Any, filler: int) -> np.ndarray:
    sizes = [low + high + size + max(size - 1, 0) * inner for size, (low, high, inner) in zip(p.shape, config)]
    wide = np.full([max(size + max(-low, 0) + max(-high, 0), 0) for size, (low, high, _) in zip(sizes, config)], filler)
    places = tuple(slice(max(low, 0), max(low, 0) + max(size - 1, 0) * (inner + 1) + (size > 0), inner + 1)
                   for size, (low, high, inner) in zip(p.shape, config))  # fmt: skip
    wide[places] = p
    return wide[tuple(slice(max(-low, 0), max(-low, 0) + size) for size, (low, _, _) in zip(sizes, config))]


def _pad(xp: Any, eqn: Any, x: Any, filler: Any) -> Any:
    x = xp._array(x)
    return xp._moved([x, xp._array(filler)], _padded(xp._positions(x), eqn.params["padding_config"], x.size))


def _split(xp: Any, eqn: Any, x: Any) -> List[Any]:
    ends = np.cumsum(eqn.params["sizes"])[:-1]
    axis = eqn.params["axis"]
    parts = np.split(np.arange(x.shape[axis]), ends)
    return [moved(xp, x, partial(np.take, indices=at, axis=axis)) for at in parts]


def _iota(xp: Any, eqn: Any, *_: Any) -> np.ndarray:
    shape, axis = eqn.params["shape"], eqn.params["dimension"]
    return np.broadcast_to(np.arange(shape[axis]).reshape([-1 if k == axis else 1 for k in range(len(shape))]), shape)


def _same(xp: Any, eqn: Any, *xs: Any) -> Any:
    return list(xs) if len(xs) > 1 else next(iter(xs))


def _detached(xp: Any, eqn: Any, x: Any) -> Any:
    return x


def _checkpoint_name(xp: Any, eqn: Any, x: Any) -> Any:
    if isinstance(x, Traced):
        xp._graph.name(x._node, eqn.params["name"])
    return x


def _of(function: Callable[..., np.ndarray], *names: str) -> Callable[..., Any]:
    return lambda xp, eqn, x, *_: moved(xp, x, lambda p: function(p, *(eqn.params[name] for name in names)))


ROWS: Dict[str, Callable[..., Any]] = {
    "broadcast_in_dim": _broadcast, "reshape": _of(np.reshape, "new_sizes"), "transpose": _of(np.transpose, "permutation"),
    "squeeze": _of(lambda p, axes: np.squeeze(p, tuple(axes)), "dimensions"),
    "expand_dims": _of(lambda p, axes: np.expand_dims(p, tuple(axes)), "dimensions"),
    "rev": _of(lambda p, axes: np.flip(p, tuple(axes)), "dimensions"), "slice": _slice, "dynamic_slice": _dynamic_slice,
    "dynamic_update_slice": _dynamic_update_slice, "concatenate": _concatenate, "pad": _pad, "split": _split, "iota": _iota,
    "copy": _same, "copy_p": _same, "device_put": _same, "optimization_barrier": _same, "sharding_constraint": _same,
    "stop_gradient": _detached, "name": _checkpoint_name,
}  # fmt: skip
