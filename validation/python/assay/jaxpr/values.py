"""The values that a jaxpr is run on: arrays of the graph, and NumPy's where the numbers are known."""

from __future__ import annotations

import importlib
import warnings
from contextlib import AbstractContextManager
from typing import Any, Callable

import jax
import jax.numpy as jnp
import numpy as np

from .._traced import NotTraceable, Traced


def x64() -> AbstractContextManager[None]:
    """While it lasts, numbers of 64 bits stay such."""
    context: Any = getattr(jax, "enable_x64", None)
    if context is None:
        context = importlib.import_module("jax.experimental").enable_x64
    on: AbstractContextManager[None] = context(True)
    return on


def is_real(dtype: Any) -> bool:
    return bool(jnp.issubdtype(dtype, jnp.floating))


def known_of(value: Any) -> np.ndarray:
    """A constant as NumPy's. A single float32 such as 0.1 is the decimal number that the function has in its text."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        array = np.asarray(value)
    if not is_real(array.dtype):
        if array.dtype.kind not in "biu":
            raise NotTraceable(f"numbers of the type {array.dtype}: expected real or whole numbers")
        return array
    if array.ndim == 0 and array.dtype == np.float32 and np.isfinite(array):
        return np.asarray(float(str(array[()])))
    return array.astype(np.float64)


def is_known(value: Any) -> bool:
    return not isinstance(value, Traced)


def moved(xp: Any, value: Any, move: Callable[[np.ndarray], np.ndarray]) -> Any:
    """Elements at other places."""
    return np.asarray(move(value)) if is_known(value) else xp._moved([value], move(xp._positions(value)))


def require_known(name: str, *values: Any) -> None:
    for value in values:
        if not is_known(value):
            raise NotTraceable(f"{name}: where an element is depends on data: expected positions that follow from the sizes")
