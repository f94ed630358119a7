"""Elements by indices that are arrays of a formula, and by their rank: take, x[index], what adds to them, sort, argsort."""

from __future__ import annotations

from typing import Any, Callable, List, Tuple

import numpy as np

from ._traced import NotTraceable, Traced

Places = Tuple[Traced, int, Traced, np.ndarray]


def _axis(name: str, x: Traced, axis: int) -> int:
    if not -x.ndim <= axis < x.ndim:
        raise ValueError(f"xp.{name}: axis={axis} of an array of shape {list(x.shape)}; expected an axis that it has")
    return axis % x.ndim


class Indexing:
    """The part of a namespace that takes elements by index. NumPy's rules say which element an index means."""

    _array: Callable[..., Traced]
    _moved: Callable[..., Traced]
    _positions: Callable[..., Any]
    _graph: Any
    _line: Callable[[], int]
    moveaxis: Callable[..., Traced]
    broadcast_to: Callable[..., Traced]

    def take(self, x: Any, index: Any, axis: Any = None) -> Traced:
        x = self._array(x)
        if axis is None:
            x = self._moved([x], self._positions(x).reshape(-1))
        taken: Traced = x[(slice(None),) * _axis("take", x, axis or 0) + (self._array(index),)]
        return taken

    def take_along_axis(self, x: Any, index: Any, *, axis: int = -1) -> Traced:
        x = self._array(x)
        taken: Traced = x[self._along(x, self._array(index), axis, "take_along_axis")]
        return taken

    def add_at(self, x: Any, index: Any, values: Any, *, axis: int = 0) -> Traced:
        x = self._array(x)
        return self._added(x, (slice(None),) * _axis("add_at", x, axis) + (self._array(index),), values)

    def add_along_axis(self, x: Any, index: Any, values: Any, *, axis: int = -1) -> Traced:
        x = self._array(x)
        return self._added(x, self._along(x, self._array(index), axis, "add_along_axis"), values)

    def _ordered(self, op: str, x: Any, axis: int, descending: bool) -> Traced:
        moved = self.moveaxis(-self._array(x) if descending else x, axis, -1)
        node = self._graph.reduce(op, moved.size, moved._node, moved.shape[-1], self._line(), False)
        return self.moveaxis(Traced(self, node, moved.shape, is_whole=op == "argsort"), -1, axis)  # type: ignore[arg-type]

    def sort(self, x: Any, *, axis: int = -1, descending: bool = False) -> Traced:
        result = self._ordered("sort", x, axis, descending)
        return -result if descending else result

    def argsort(self, x: Any, *, axis: int = -1, descending: bool = False) -> Traced:
        return self._ordered("argsort", x, axis, descending)

    def _along(self, x: Traced, index: Traced, axis: int, name: str) -> Tuple[Any, ...]:
        if index.ndim != x.ndim:
            raise ValueError(f"xp.{name}: an index of shape {list(index.shape)} for an array of shape {list(x.shape)}: "
                             "expected as many axes")
        key: List[Any] = [np.arange(n).reshape([-1 if k == m else 1 for m in range(x.ndim)]) for k, n in enumerate(x.shape)]
        key[_axis(name, x, axis)] = index
        return tuple(key)

    def _at(self, x: Traced, key: Any) -> Traced:
        """x[key], where arrays of the formula are in the key."""
        key = tuple(self._plain(one) for one in (key if isinstance(key, tuple) else (key,)))
        if not any(isinstance(one, Traced) for one in key):
            return self._moved([x], self._positions(x)[key])
        last, axis, at, rows = self._places(x, key)
        node = self._graph.indexed("take", at.size, last._node, at._node, rows.reshape(-1), x.shape[axis], self._line())
        return Traced(self, node, at.shape, is_whole=x._is_whole)  # type: ignore[arg-type]

    def _added(self, x: Traced, key: Tuple[Any, ...], values: Any) -> Traced:
        """x and, at the places that the key means, the values as well."""
        for one in key:
            self._plain(one)
        last, axis, at, rows = self._places(x, key)
        added = self.broadcast_to(values, at.shape)
        node = self._graph.indexed("add_at", x.size, added._node, at._node, rows.reshape(-1), x.shape[axis], self._line())
        scattered = self.moveaxis(Traced(self, node, last.shape), -1, axis)  # type: ignore[arg-type]
        is_zero = x._constant is not None and not x._constant.any()
        return scattered if is_zero else x + scattered

    @staticmethod
    def _plain(one: Any) -> Any:
        """A part of a key: whole numbers that are known while tracing, or an index of the formula."""
        if not isinstance(one, Traced):
            return one
        if not one._is_whole:
            raise NotTraceable("an index depends on data and may be no whole number: expected an input that is declared as "
                               "'N of index V', or what xp.floor and xp.round make; for a mask write xp.where")
        return one if one._constant is None else one._constant.astype(np.int64)

    def _places(self, x: Traced, key: Tuple[Any, ...]) -> Places:
        """x with the axis of the index last, that axis, and for each element of x[key] its index and its row of that x."""
        chosen = [k for k, one in enumerate(key) if isinstance(one, Traced)]
        if len(chosen) != 1:
            raise NotTraceable(f"{len(chosen)} indices of the formula in one key: expected one; take by one after the other")
        index: Traced = key[chosen[0]]
        before = sum(one is not None and one is not Ellipsis for one in key[: chosen[0]])
        after = sum(one is not None and one is not Ellipsis for one in key[chosen[0] + 1 :])
        axis = x.ndim - 1 - after if any(one is Ellipsis for one in key[: chosen[0]]) else before
        if axis < 0 or axis >= x.ndim:
            raise IndexError(f"an index for axis {axis} of an array of shape {list(x.shape)}")
        outer = x.shape[:axis] + x.shape[axis + 1 :]

        def picked(whole: np.ndarray, extent: int, own: np.ndarray) -> np.ndarray:
            spread = np.moveaxis(np.broadcast_to(whole, (*outer, extent)), -1, axis)
            part: np.ndarray = spread[(*key[: chosen[0]], own, *key[chosen[0] + 1 :])]
            return part

        numbers = np.arange(index.size).reshape(index.shape)
        rows = np.arange(int(np.prod(outer, dtype=np.int64))).reshape(*outer, 1)
        elements = picked(np.arange(max(index.size, 1)), max(index.size, 1), numbers)
        return self.moveaxis(x, axis, -1), axis, self._moved([index], elements), picked(rows, max(index.size, 1), numbers)
