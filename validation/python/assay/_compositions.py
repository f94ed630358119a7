"""Functions of `xp` that are written in others, for traced arrays and for NumPy's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, List, Optional, Tuple

import numpy as np

from ._quantise import Quantising


class Compositions(Quantising):
    """What the array API has beyond the nodes of a graph; `self` is `xp`."""

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...

    def square(self, x: Any) -> Any:
        return self.multiply(x, x)

    def reciprocal(self, x: Any) -> Any:
        return self.divide(1.0, x)

    def clip(self, x: Any, min: Any = None, max: Any = None) -> Any:
        x = self.asarray(x) if min is None else self.maximum(x, min)
        return x if max is None else self.minimum(x, max)

    def exp2(self, x: Any) -> Any:
        return self.pow(2.0, x)

    def log2(self, x: Any) -> Any:
        return self.log(x) / self.log(self.asarray(2.0))

    def log10(self, x: Any) -> Any:
        return self.log(x) / self.log(self.asarray(10.0))

    def ceil(self, x: Any) -> Any:
        return -self.floor(self.negative(x))

    def trunc(self, x: Any) -> Any:
        return self.where(self.less(x, 0), self.ceil(x), self.floor(x))

    def greater(self, a: Any, b: Any) -> Any:
        return self.less(b, a)

    def greater_equal(self, a: Any, b: Any) -> Any:
        return self.less_equal(b, a)

    def not_equal(self, a: Any, b: Any) -> Any:
        return 1 - self.equal(a, b)

    def logical_not(self, x: Any) -> Any:
        return self.equal(x, 0)

    def logical_and(self, a: Any, b: Any) -> Any:
        return self.not_equal(a, 0) * self.not_equal(b, 0)

    def logical_or(self, a: Any, b: Any) -> Any:
        return self.maximum(self.not_equal(a, 0), self.not_equal(b, 0))

    def logical_xor(self, a: Any, b: Any) -> Any:
        return self.not_equal(self.not_equal(a, 0), self.not_equal(b, 0))

    def any(self, x: Any, *, axis: Any = None, keepdims: bool = False) -> Any:
        return self.less(0, self.sum(self.not_equal(x, 0), axis=axis, keepdims=keepdims))

    def all(self, x: Any, *, axis: Any = None, keepdims: bool = False) -> Any:
        return self.equal(self.sum(self.equal(x, 0), axis=axis, keepdims=keepdims), 0)

    def isfinite(self, x: Any) -> Any:
        return self.less(self.abs(x), np.inf)

    def isnan(self, x: Any) -> Any:
        return self.equal(x, 0) * self.equal(x, 1)  # in a graph, NaN is neither less nor greater than any number

    def isinf(self, x: Any) -> Any:
        return 1 - self.isfinite(x) - self.isnan(x)

    def std(self, x: Any, *, axis: Any = None, correction: float = 0, keepdims: bool = False) -> Any:
        return self.sqrt(self.var(x, axis=axis, correction=correction, keepdims=keepdims))

    def eye(self, n: int, m: Optional[int] = None, *, k: int = 0) -> Any:
        return self.asarray(np.eye(n, m, k))

    def full(self, shape: Any, value: Any) -> Any:
        return self.broadcast_to(self.asarray(value), tuple(np.atleast_1d(shape)))

    def full_like(self, x: Any, value: Any) -> Any:
        return self.full(x.shape, value)

    def zeros_like(self, x: Any) -> Any:
        return self.zeros(x.shape)

    def ones_like(self, x: Any) -> Any:
        return self.ones(x.shape)

    def linspace(self, first: float, last: float, count: int) -> Any:
        return self.asarray(np.linspace(first, last, count))

    def unstack(self, x: Any, *, axis: int = 0) -> Tuple[Any, ...]:
        return tuple(self.moveaxis(x, axis, 0))

    def diff(self, x: Any, *, axis: int = -1) -> Any:
        last = self.moveaxis(x, axis, -1)
        return self.moveaxis(last[..., 1:] - last[..., :-1], -1, axis)

    def meshgrid(self, *xs: Any, indexing: str = "xy") -> List[Any]:
        if indexing not in ("xy", "ij"):
            raise ValueError(f"xp.meshgrid: indexing={indexing!r}: expected 'xy' or 'ij'")
        shape, swaps = tuple(x.shape[0] for x in xs), indexing == "xy" and len(xs) > 1
        grids = [self.broadcast_to(self.reshape(x, (-1,) + (1,) * (len(xs) - 1 - k)), shape) for k, x in enumerate(xs)]
        return [self.swapaxes(one, 0, 1) if swaps else one for one in grids]

    def top_k(self, x: Any, k: int, *, axis: int = -1) -> Tuple[Any, Any]:
        """The k largest, the largest first, and their positions."""
        x = self.asarray(x)
        key = (slice(None),) * (axis % x.ndim) + (slice(0, k),)
        return self.sort(x, axis=axis, descending=True)[key], self.argsort(x, axis=axis, descending=True)[key]

    def argmax(self, x: Any, *, axis: Optional[int] = None, keepdims: bool = False) -> Any:
        return self._first(x, axis, keepdims, True)

    def argmin(self, x: Any, *, axis: Optional[int] = None, keepdims: bool = False) -> Any:
        return self._first(x, axis, keepdims, False)

    def _first(self, x: Any, axis: Optional[int], keepdims: bool, descending: bool) -> Any:
        x = self.asarray(x)
        row, along = (self.reshape(x, (-1,)), 0) if axis is None else (x, axis)
        first = self.moveaxis(self.argsort(row, axis=along, descending=descending), along, 0)[0]
        if not keepdims:
            return first
        return self.reshape(first, (1,) * x.ndim) if axis is None else self.expand_dims(first, axis=axis)

    def cumulative_prod(self, x: Any, *, axis: int = -1) -> Any:
        return self._scan(self.multiply, x, axis)

    def cumulative_max(self, x: Any, *, axis: int = -1) -> Any:
        return self._scan(self.maximum, x, axis)

    def cumulative_min(self, x: Any, *, axis: int = -1) -> Any:
        return self._scan(self.minimum, x, axis)

    def _scan(self, function: Callable[[Any, Any], Any], x: Any, axis: int) -> Any:
        """By doubling (Hillis and Steele 1986): the graph grows like n log n, and each element is taken once."""
        x, step = self.moveaxis(x, axis, -1), 1
        while step < x.shape[-1]:
            x = self.concat([x[..., :step], function(x[..., step:], x[..., :-step])], axis=-1)
            step *= 2
        return self.moveaxis(x, -1, axis)
