"""The namespace `xp` of a formula that is called with NumPy's arrays."""

from __future__ import annotations

import math
from types import MethodType
from typing import Any

import numpy as np

from ._compositions import Compositions
from ._formats import rounded


def _added(x: np.ndarray, key: Any, values: Any) -> np.ndarray:
    result = np.array(x)
    np.add.at(result, key, values)
    return result


def _added_along(x: np.ndarray, index: np.ndarray, values: Any, *, axis: int = -1) -> np.ndarray:
    key = [np.arange(n).reshape([-1 if k == m else 1 for m in range(x.ndim)]) for k, n in enumerate(x.shape)]
    key[axis] = index
    return _added(x, tuple(key), values)


class NumPy:
    """NumPy under the array API's names, those that versions before 2 lack included."""

    matrix_transpose = staticmethod(lambda x: np.swapaxes(x, -1, -2))
    permute_dims = staticmethod(np.transpose)
    concat = staticmethod(np.concatenate)
    cumulative_sum = staticmethod(lambda x, *, axis=-1: np.cumsum(x, axis=axis))
    cumulative_prod = staticmethod(lambda x, *, axis=-1: np.cumprod(x, axis=axis))

    cast = Compositions.cast  # np.cast is another function
    clip = Compositions.clip
    pow = staticmethod(np.power)
    erf = staticmethod(np.vectorize(math.erf, otypes=[float]))
    sigmoid = staticmethod(lambda x: np.where(x < 0, np.exp(-np.abs(x)), 1) / (1 + np.exp(-np.abs(x))))
    var = staticmethod(lambda x, *, correction=0, **options: np.var(x, ddof=correction, **options))
    std = staticmethod(lambda x, *, correction=0, **options: np.std(x, ddof=correction, **options))
    add_along_axis = staticmethod(_added_along)
    take_along_axis = staticmethod(lambda x, index, *, axis=-1: np.take_along_axis(x, index, axis))
    vecdot = staticmethod(lambda a, b, *, axis=-1: np.sum(a * b, axis=axis))
    sort = staticmethod(lambda x, *, axis=-1, descending=False: -np.sort(-x, axis) if descending else np.sort(x, axis))
    argsort = staticmethod(lambda x, *, axis=-1, descending=False: np.argsort(-x if descending else x, axis, kind="stable"))
    add_at = staticmethod(lambda x, index, values, *, axis=0: _added(x, (slice(None),) * (axis % x.ndim) + (index,), values))
    _cast = staticmethod(lambda x, of, rounding, saturates, gradient: rounded(x, of, rounding, saturates))
    linspace = staticmethod(lambda first, last, count: np.linspace(first, last, count))

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name) if hasattr(np, name) else MethodType(getattr(Compositions, name), self)
