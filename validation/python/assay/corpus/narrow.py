"""Narrow arithmetic for kernels in NumPy: bfloat16, float16 and float32 by rounding, and a formula computed eagerly in them."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._arrays import from_bfloat16, to_bfloat16
from .._numpy_names import NumPy

f32 = np.float32
bits = to_bfloat16  # uint16


def wide(x: Any) -> np.ndarray:
    """The numbers of an array of the gate in float32 (float64 stays): bfloat16 comes as its bits, or as ml_dtypes has it."""
    x = np.asarray(x)
    if x.dtype == np.uint16:
        return from_bfloat16(x)
    return x if x.dtype == np.float64 else x.astype(f32)


def bfloat16(x: Any) -> np.ndarray:
    """Rounded to bfloat16, held in float32."""
    return wide(bits(x))


def half(x: Any) -> np.ndarray:
    """Rounded to float16, held in float32."""
    return np.asarray(x).astype(np.float16).astype(f32)


def rounded(x: Any, dtype: str) -> np.ndarray:
    """In float32, rounded to the type of this name; what is no number stays."""
    x = np.asarray(x)
    if x.dtype.kind != "f":
        return x
    return {"bfloat16": bfloat16, "float16": half}.get(dtype, lambda y: y)(x.astype(f32))


class _Eager(np.ndarray):
    """An array whose every operation rounds its result to `dtype`. Sums are float32's, as frameworks accumulate."""

    dtype_name = "float32"

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        plain = [np.asarray(one) if isinstance(one, np.ndarray) else one for one in inputs]
        options.pop("out", None)
        return eager(getattr(ufunc, method)(*plain, **options), self.dtype_name)


def eager(x: Any, dtype: str) -> Any:
    """`x` as an array that computes eagerly in `dtype`."""
    view = rounded(x, dtype).view(_Eager)
    view.dtype_name = dtype
    return view


class EagerNames(NumPy):
    """The namespace of a formula that is computed operation by operation in a narrow type, as a framework does."""

    def __init__(self, dtype: str) -> None:
        self._dtype = dtype

    def __getattribute__(self, name: str) -> Any:
        found = super().__getattribute__(name) if name.startswith("_") else _named(self, name)
        dtype = object.__getattribute__(self, "_dtype") if callable(found) and not name.startswith("_") else None
        if dtype is None:
            return found

        def rounding(*arguments: Any, **options: Any) -> Any:
            result = found(*arguments, **options)
            return eager(result, dtype) if isinstance(result, np.ndarray) else result

        return rounding


def _named(names: NumPy, name: str) -> Any:
    try:
        return NumPy.__getattribute__(names, name)
    except AttributeError:
        return NumPy.__getattr__(names, name)
