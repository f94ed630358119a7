"""Rows of reductions, scans and softmaxes."""

from __future__ import annotations

import math
from typing import Any, Dict, List, NamedTuple, Optional


class ValuesAndIndices(NamedTuple):
    """What max and min along an axis return, and cummax and cummin."""

    values: Any
    indices: Any


def axes_of(dim: Any) -> Optional[Any]:
    """As xp takes them: None for all axes."""
    if dim is None or (isinstance(dim, (tuple, list)) and not dim):
        return None
    return tuple(dim) if isinstance(dim, (tuple, list)) else dim


def _total(op: str) -> Any:
    def row(xp: Any, input: Any, dim: Any = None, keepdim: bool = False) -> Any:
        return getattr(xp, op)(input, axis=axes_of(dim), keepdims=keepdim)

    return row


def _extreme(name: str) -> Any:
    """max and min: of all elements, along an axis with indices, or of two tensors."""

    def row(xp: Any, input: Any, dim: Any = None, keepdim: bool = False, other: Any = None) -> Any:
        if other is not None or hasattr(dim, "_node"):
            return getattr(xp, {"max": "maximum", "min": "minimum"}[name])(input, dim if other is None else other)
        value = getattr(xp, name)(input, axis=dim, keepdims=keepdim)
        if dim is None:
            return value
        return ValuesAndIndices(value, getattr(xp, f"arg{name}")(input, axis=dim, keepdims=keepdim))

    return row


def deviation(xp: Any, input: Any, axes: Any, keepdims: bool, correction: float) -> Any:
    """Mean, and mean square of what differs from it with `correction` fewer in the divisor."""
    mean = xp.mean(input, axis=axes, keepdims=True)
    square = (input - mean) ** 2
    if not correction:
        return mean, xp.mean(square, axis=axes, keepdims=keepdims)
    total = xp.sum(square, axis=axes, keepdims=keepdims)
    count = input.size / total.size if total.size else 1
    return mean, total / max(count - correction, 0) if count > correction else total * math.nan


def _variance(xp: Any, input: Any, dim: Any = None, unbiased: Any = True, keepdim: bool = False, correction: Any = None) -> Any:
    """torch.var(x, dim, unbiased, keepdim) and torch.var(x, dim, correction=, keepdim=); torch.var(x, unbiased) too."""
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    correction = (1 if unbiased else 0) if correction is None else correction
    return deviation(xp, input, axes_of(dim), keepdim, correction)[1]


def _with_mean(root: bool) -> Any:
    def row(xp: Any, input: Any, dim: Any = None, unbiased: Any = True, keepdim: bool = False, correction: Any = None) -> Any:
        variance = _variance(xp, input, dim, unbiased, keepdim, correction)
        return (xp.sqrt(variance) if root else variance), xp.mean(input, axis=axes_of(dim), keepdims=keepdim)

    return row


def norm(xp: Any, input: Any, p: Any = 2, dim: Any = None, keepdim: bool = False) -> Any:
    axes, p = axes_of(dim), 2 if p in (None, "fro") else p
    if p == math.inf:
        return xp.max(xp.abs(input), axis=axes, keepdims=keepdim)
    if p == -math.inf:
        return xp.min(xp.abs(input), axis=axes, keepdims=keepdim)
    if p == 1:
        return xp.sum(xp.abs(input), axis=axes, keepdims=keepdim)
    if p == 2:
        return xp.sqrt(xp.sum(input * input, axis=axes, keepdims=keepdim))
    if p == 0:
        return xp.sum(xp.where(xp.equal(input, 0), 0, 1), axis=axes, keepdims=keepdim)
    return xp.pow(xp.sum(xp.pow(xp.abs(input), p), axis=axes, keepdims=keepdim), 1 / p)


def softmax(xp: Any, input: Any, dim: Any = -1, dtype: Any = None) -> Any:
    e = xp.exp(input - xp.max(input, axis=dim, keepdims=True))
    return e / xp.sum(e, axis=dim, keepdims=True)


def log_softmax(xp: Any, input: Any, dim: Any = -1, dtype: Any = None) -> Any:
    shifted = input - xp.max(input, axis=dim, keepdims=True)
    return shifted - xp.log(xp.sum(xp.exp(shifted), axis=dim, keepdims=True))


def logsumexp(xp: Any, input: Any, dim: Any, keepdim: bool = False) -> Any:
    """Of a row of -inf it is -inf, which x - max(x) alone would make NaN."""
    axes = axes_of(dim)
    top = xp.max(input, axis=axes, keepdims=True)
    top = xp.where(xp.equal(xp.abs(top), math.inf), 0, top)
    total = xp.log(xp.sum(xp.exp(input - top), axis=axes, keepdims=True)) + top
    return total if keepdim else xp.sum(total, axis=axes)


def _logcumsumexp(xp: Any, input: Any, dim: int) -> Any:
    """One step after the other: every prefix has a maximum of its own."""
    moved = xp.moveaxis(input, dim, 0)
    rows = [moved[0]] if moved.shape[0] else []
    for k in range(1, moved.shape[0]):
        rows.append(xp.logaddexp(rows[-1], moved[k]))
    return xp.moveaxis(xp.stack(rows), 0, dim) if rows else input


def _scan(op: str) -> Any:
    return lambda xp, input, dim: getattr(xp, op)(input, axis=dim)


def _running(op: str) -> Any:
    """The values of cummax and cummin; their positions are not traced."""
    return lambda xp, input, dim: ValuesAndIndices(getattr(xp, op)(input, axis=dim), None)


def _sort(xp: Any, input: Any, dim: int = -1, descending: bool = False, stable: bool = False) -> Any:
    return ValuesAndIndices(
        xp.sort(input, axis=dim, descending=descending), xp.argsort(input, axis=dim, descending=descending))


def _top_k(xp: Any, input: Any, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Any:
    values, positions = xp.top_k(input if largest else -input, k, axis=dim)
    return ValuesAndIndices(values if largest else -values, positions)


def _ranked(xp: Any, input: Any, rank: int, dim: int, keepdim: bool) -> Any:
    """The element of this rank, the smallest first, and its position."""
    ordered = _sort(xp, input, dim)
    at: List[Any] = [slice(None)] * input.ndim
    at[dim] = slice(rank, rank + 1) if keepdim else rank
    return ValuesAndIndices(*(one[tuple(at)] for one in ordered))


def _median(xp: Any, input: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """The lower one of two."""
    if dim is None:
        return _ranked(xp, xp.reshape(input, (-1,)), (input.size - 1) // 2, 0, False).values
    return _ranked(xp, input, (input.shape[dim] - 1) // 2, dim, keepdim)


def _normalized(xp: Any, input: Any, p: Any, dim: int, maxnorm: Any) -> Any:
    axes = tuple(k for k in range(input.ndim) if k != dim % input.ndim)
    size = norm(xp, input, p, axes, True)
    return xp.where(xp.less(maxnorm, size), input * (maxnorm / (size + 1e-7)), input)


ROWS: Dict[str, Any] = {
    "sum": _total("sum"), "mean": _total("mean"), "amax": _total("max"), "amin": _total("min"), "prod": _total("prod"),
    "max": _extreme("max"), "min": _extreme("min"), "var": _variance,
    "std": lambda xp, *args, **named: xp.sqrt(_variance(xp, *args, **named)), "var_mean": _with_mean(False),
    "std_mean": _with_mean(True),
    "aminmax": lambda xp, input, dim=None,
    keepdim=False: (xp.min(input, axis=dim, keepdims=keepdim), xp.max(input, axis=dim, keepdims=keepdim)),
    "norm": norm, "linalg_norm": lambda xp, input, ord=None, dim=None, keepdim=False: norm(xp, input, ord, dim, keepdim),
    "linalg_vector_norm": lambda xp, input, ord=2, dim=None, keepdim=False: norm(xp, input, ord, dim, keepdim),
    "dist": lambda xp, input, other, p=2: norm(xp, input - other, p), "renorm": _normalized,
    "softmax": softmax, "special_softmax": softmax, "log_softmax": log_softmax, "special_log_softmax": log_softmax,
    "logsumexp": logsumexp,
    "special_logsumexp": logsumexp, "cumsum": _scan("cumulative_sum"), "cumprod": _scan("cumulative_prod"),
    "logcumsumexp": _logcumsumexp,
    "cummax": _running("cumulative_max"), "cummin": _running("cumulative_min"),
    "argmax": lambda xp, input, dim=None, keepdim=False: xp.argmax(input, axis=dim, keepdims=keepdim),
    "argmin": lambda xp, input, dim=None, keepdim=False: xp.argmin(input, axis=dim, keepdims=keepdim), "sort": _sort,
    "argsort": lambda xp, input, dim=-1, descending=False, stable=False: xp.argsort(input, axis=dim, descending=descending),
    "msort": lambda xp, input: xp.sort(input, axis=0), "topk": _top_k, "median": _median,
    "kthvalue": lambda xp, input, k, dim=-1, keepdim=False: _ranked(xp, input, k - 1, dim, keepdim),
    "all": _total("all"), "any": _total("any"),
    "count_nonzero": lambda xp, input, dim=None: xp.sum(xp.where(xp.equal(input, 0), 0, 1), axis=axes_of(dim)),
}  # fmt: skip
