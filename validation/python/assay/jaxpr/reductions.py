"""Rows of reductions, windows, scans and orders."""

from __future__ import annotations

from typing import Any, Callable, Dict

import numpy as np

from .._convolution import windows_of
from .._traced import NotTraceable
from .values import is_known


def _sum(xp: Any, eqn: Any, x: Any) -> Any:
    x, axes = xp._array(x), tuple(eqn.params["axes"])
    result = xp.sum(x, axis=axes) if axes else x
    if axes and result is not x:
        xp.sums[result._node] = (x, axes, x.size / result.size if result.size else 0)
    return result


def _over_axes(name: str) -> Callable[..., Any]:
    def row(xp: Any, eqn: Any, x: Any) -> Any:
        axes = tuple(eqn.params["axes"])
        return getattr(xp, name)(xp._array(x), axis=axes) if axes else x

    return row


def _position(name: str) -> Callable[..., Any]:
    def row(xp: Any, eqn: Any, x: Any) -> Any:
        (axis,) = eqn.params["axes"]
        return getattr(xp, name)(xp._array(x), axis=axis)

    return row


def _scan(function: Callable[[Any, Any, int], Any]) -> Callable[..., Any]:
    def row(xp: Any, eqn: Any, x: Any) -> Any:
        axis = eqn.params["axis"]
        if not eqn.params["reverse"]:
            return function(xp, xp._array(x), axis)
        return xp.flip(function(xp, xp.flip(xp._array(x), axis), axis), axis)

    return row


def _log_sum_exp(xp: Any, x: Any, axis: int) -> Any:
    rows = list(xp.moveaxis(x, axis, 0))
    for k in range(1, len(rows)):
        rows[k] = xp.logaddexp(rows[k - 1], rows[k])
    return xp.moveaxis(xp.stack(rows), 0, axis) if rows else x


def _windows(name: str, filler: float) -> Callable[..., Any]:
    def row(xp: Any, eqn: Any, x: Any, *_: Any) -> Any:
        params, x = eqn.params, xp._array(x)
        size = params["window_dimensions"]
        if any(one != 1 for one in params.get("base_dilation") or ()):
            raise NotTraceable("a window over elements that are spread: expected base_dilation=1")
        p = np.pad(xp._positions(x), params["padding"], constant_values=x.size)
        found = windows_of(p, size, params["window_strides"], params.get("window_dilation") or (1,) * len(size))
        axes = tuple(range(found.ndim - len(size), found.ndim))
        return getattr(xp, name)(xp._moved([x, xp._array(filler)], found), axis=axes)

    return row


def _sort(xp: Any, eqn: Any, *operands: Any) -> Any:
    """By the first operand; others, such as positions, go with it."""
    axis = eqn.params["dimension"]
    if eqn.params["num_keys"] != 1:
        raise NotTraceable("a sort by several keys: expected one")
    key = xp._array(operands[0])
    if len(operands) == 1:
        return xp.sort(key, axis=axis)
    order = xp.argsort(key, axis=axis)

    def in_order(one: Any) -> Any:
        places = np.arange(key.shape[axis]).reshape([-1 if k == axis else 1 for k in range(key.ndim)])
        is_position = is_known(one) and np.array_equal(one, np.broadcast_to(places, one.shape))
        return order if is_position else xp.take_along_axis(xp._array(one), order, axis=axis)

    return [xp.sort(key, axis=axis), *(in_order(one) for one in operands[1:])]


def _top_k(xp: Any, eqn: Any, x: Any) -> Any:
    return list(xp.top_k(xp._array(x), eqn.params["k"], axis=-1))


ROWS: Dict[str, Callable[..., Any]] = {
    "reduce_sum": _sum, "reduce_max": _over_axes("max"), "reduce_min": _over_axes("min"), "reduce_prod": _over_axes("prod"),
    "reduce_and": _over_axes("all"), "reduce_or": _over_axes("any"), "argmax": _position("argmax"), "argmin": _position("argmin"),
    "cumsum": _scan(lambda xp, x, axis: xp.cumulative_sum(x, axis=axis)),
    "cumprod": _scan(lambda xp, x, axis: xp.cumulative_prod(x, axis=axis)),
    "cummax": _scan(lambda xp, x, axis: xp.cumulative_max(x, axis=axis)),
    "cummin": _scan(lambda xp, x, axis: xp.cumulative_min(x, axis=axis)), "cumlogsumexp": _scan(_log_sum_exp),
    "reduce_window_sum": _windows("sum", 0.0), "reduce_window_max": _windows("max", -np.inf),
    "reduce_window_min": _windows("min", np.inf), "sort": _sort, "top_k": _top_k,
}  # fmt: skip
