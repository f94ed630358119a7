"""Kernels in Python that are given followed arrays, so that the gate knows what their results stand for (docs/algebra.md)."""

from __future__ import annotations

import os
import sys
import traceback
from contextlib import contextmanager
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple

import numpy as np

from ._called import KernelEnded, called
from ._followed import (
    FollowedArray,
    LeftAlgebra,
    begin_call,
    end_call,
    flatten,
    is_float,
    is_number_of_note,
    residues_of,
    stacked,
    unknown,
    words_of,
)
from ._pipe import Unsupported


def _is_called_by_library() -> bool:
    """Whether NumPy or this package calls the function that calls this: they want NumPy's own."""
    return sys._getframe(2).f_globals.get("__name__", "").partition(".")[0] in ("numpy", __name__.partition(".")[0])


def _made(function: Any, number: Optional[float]) -> Callable[..., Any]:
    """np.zeros and others: a kernel writes followed numbers into what they make."""

    def made(*args: Any, **options: Any) -> Any:
        array = function(*args, **options)
        if not is_float(array) or _is_called_by_library():
            return array
        return FollowedArray(array, residues_of(array if number is None else np.full(array.shape, number), True))

    return made


def _read(function: Any) -> Callable[..., Any]:
    """np.asarray and others, of what may hold followed arrays."""

    def read(x: Any, dtype: Any = None, *args: Any, **options: Any) -> Any:
        if _is_called_by_library() or not any(isinstance(one, FollowedArray) for one in flatten(x)):
            return function(x, dtype, *args, **options)
        followed = stacked(x)
        return followed if dtype is None else followed.astype(dtype)

    return read


def _computed(ufunc: Any) -> Callable[..., Any]:
    """np.exp and others, of constants: a table that a kernel makes of whole numbers stands for what it was made of."""

    def computed(*args: Any, **options: Any) -> Any:
        values = ufunc(*args, **options)
        if _is_called_by_library() or any(isinstance(one, FollowedArray) for one in args) or not is_float(values):
            return values
        if np.ndim(values) == 0 and is_number_of_note(values):
            return values
        return ufunc(*(FollowedArray(np.asarray(one), residues_of(one, True)) for one in args), **options)

    return computed


_COMPUTED = ("exp", "exp2", "expm1", "log", "log2", "log1p", "log10", "sqrt", "sin", "cos", "tan", "tanh", "power")


@contextmanager
def _numpy_that_follows() -> Iterator[None]:
    """While a kernel is followed, what NumPy makes for it can hold followed numbers."""
    own = {name: _made(getattr(np, name), number)
           for name, number in (("zeros", 0.0), ("empty", 0.0), ("ones", 1.0), ("full", None))}  # fmt: skip
    own.update({name: _read(getattr(np, name)) for name in ("asarray", "array", "ascontiguousarray", "asanyarray")})
    own.update({name: _computed(getattr(np, name)) for name in _COMPUTED})
    before = {name: getattr(np, name) for name in own}
    for name, function in own.items():
        setattr(np, name, function)
    try:
        yield
    finally:
        for name, function in before.items():
            setattr(np, name, function)


def _words(results: Sequence[Any]) -> List[Tuple[np.ndarray, np.ndarray]]:
    pairs = []
    for one in results:
        followed = one if isinstance(one, FollowedArray) else unknown(np.asarray(one, np.float64))
        pairs.append((np.ascontiguousarray(followed.values, np.float64).reshape(-1), words_of(followed.residues)))
    return pairs


def _line_of(error: BaseException) -> str:
    """Where the kernel was: its last line that is not of this package or NumPy."""
    own = os.path.dirname(__file__), os.path.dirname(np.__file__)
    frames = [one for one in traceback.extract_tb(error.__traceback__) if not one.filename.startswith((*own, "<"))]
    return f" (line {frames[-1].lineno} of {os.path.basename(frames[-1].filename)})" if frames else ""


class FollowedCall:
    """The kernels of a subject, called once more with followed arrays. KernelCalls make the problem."""

    def __init__(self, calls: Sequence[Any]) -> None:
        self._calls = calls

    def __call__(self, extents: Dict[str, int], arrays: Any, upstream: Any) -> Tuple[str, Any]:
        results: List[Any] = []
        begin_call()
        try:
            for call in self._calls:
                results += self._followed(call, extents, call._problem(extents, arrays, upstream))
        except Unsupported as error:
            return "left", f"the kernel declines it: {error}"
        except KernelEnded as error:
            return "left", str(error)
        except Exception as error:
            what = str(error).splitlines()[0] if str(error) else type(error).__name__
            return "left", f"{what}{_line_of(error)}"
        else:
            return "followed", _words(results)
        finally:
            end_call()

    @staticmethod
    def _followed(call: Any, extents: Dict[str, int], p: Any) -> List[Any]:
        if hasattr(call._fn, "followed"):  # of a framework, whose graph can be traced, or a plug-in
            return list(called(call._fn.followed, p))
        for name, _, kind, _, _ in call._operation.inputs:
            if kind not in ("flag", "index"):
                setattr(p, name, _input(getattr(p, name)))
        p.upstreams = [_input(one) for one in p.upstreams]
        p.upstream = p.upstreams[0]
        with np.errstate(all="ignore"), _numpy_that_follows():
            got = called(call._fn, p)
        due = call._due(extents)
        results = list(got) if isinstance(got, (tuple, list)) else [got]
        if [np.shape(one) for one in results] != [one.shape for one in due]:
            raise LeftAlgebra("results of other shapes")
        return results


def _input(array: np.ndarray) -> FollowedArray:
    if not is_float(array):
        raise LeftAlgebra("the bits of bfloat16, in the place of numbers: install ml_dtypes")
    return FollowedArray(np.array(array), residues_of(array, False))


def require_followed(kernels: Sequence[Any]) -> None:
    """Raises TypeError unless the kernels can be followed: Python functions and plug-ins that carry residues."""
    for one in kernels:
        if not getattr(one, "can_be_followed", True):
            raise TypeError(f"algebra = True of {one.path!r}: expected a library that `assay instrument` compiled, or a shader")
