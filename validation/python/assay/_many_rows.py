"""Rows of a case past 2^17 others, where row numbers of 16 bits, a grid's 65,535 blocks and parts of 32,768 rows end.

The first row of the case is the first of all, its last three are the last, and its others lie anywhere between: where, its
numbers decide, so that a replayed case has the same rows. All other rows have numbers of the case in another order, since a
softmax or a norm has one result for rows that differ by an offset; they are computed, and are not looked at. Only formulas whose
rows do not depend on each other have such cases.
"""

from __future__ import annotations

import time
import zlib
from typing import Any, Callable, Dict, List

import numpy as np

from ._arrays import carry_result
from ._file_kernel import name_of
from ._pipe import ReturnedWrong, Unsupported

ROWS = 2**17 + 3
_TRIED = 128  # rows, by which the time of all is foretold
_LAST = 3  # rows of the case that are the last
_LONGEST = 2.0  # seconds


def rows_extent(operation: Any) -> str:
    """The extent whose indices are rows, each of which alone decides its part of all outputs; "" where there is none."""
    name: str
    for name in operation.extents:
        dims = [one[1] for one in operation.inputs]
        has = [one for one in dims if name in one]
        of_index = any(one[3] == name for one in operation.inputs)
        if name not in operation.limits and not of_index and has and all(one[0] == name and name not in one[1:] for one in has):
            if any(len(one) > 1 for one in has) and _computed_are_rows(operation, name):
                return name
    return ""


def _computed_are_rows(operation: Any, name: str) -> bool:
    try:
        with np.errstate(all="ignore"):
            return _are_rows(operation, name)
    except Exception:  # of the formula, which the run names
        return False


def _are_rows(operation: Any, name: str) -> bool:
    """Whether the formula gives a row in float64 what it gives it among others."""
    extents = {**operation.usual_extents(), name: 3}
    if not operation.takes(extents) or not operation.takes({**extents, name: 1}):
        return False
    arrays = operation.usual_arrays(extents)
    leading = {of for of, dims, *_ in operation.inputs if name in dims}
    whole = operation.results_at(arrays, extents)
    if any(result.shape[:1] != (3,) for result in whole):
        return False
    for i in range(3):
        alone = {of: a[i : i + 1] if of in leading else a for of, a in arrays.items()}
        part = operation.results_at(alone, {**extents, name: 1})
        if not all(np.allclose(a[i : i + 1], b, rtol=1e-9, atol=1e-12, equal_nan=True) for a, b in zip(whole, part)):
            return False
    return True


class ManyRows:
    """A kernel, called with the rows of a case far apart; it returns the results of these rows."""

    def __init__(self, operation: Any, kernel: Callable[[Any], Any], extent: str, is_gradient: bool) -> None:
        self._operation, self._kernel, self._extent, self._is_gradient = operation, kernel, extent, is_gradient
        self.__name__ = name_of(kernel)

    def __call__(self, p: Any) -> List[Any]:
        seconds = min(self._foretold(p) for _ in range(2))  # the first call of a kernel may compile it
        if seconds > _LONGEST:
            raise Unsupported(f"{self._extent} = {ROWS}: a call would take {seconds:.0f} s")
        results = self._kernel(self._spread(p, ROWS))
        given = list(results) if isinstance(results, (tuple, list)) else [results]
        places = self._places(p, ROWS)
        return [self._picked(one, k, places) for k, one in enumerate(given)]

    def _foretold(self, p: Any) -> float:
        """The seconds of a call with all rows."""
        few = self._spread(p, _TRIED)
        began, worked = time.perf_counter(), time.process_time()
        self._kernel(few)
        seconds = min(time.perf_counter() - began, time.process_time() - worked)  # others may use the processors as well
        return seconds * ROWS / _TRIED

    def _places(self, p: Any, rows: int) -> List[int]:
        """Of the case's rows among so many. Half of those between lie evenly, half on a logarithmic scale: one in each part."""
        count = p.extents[self._extent]
        last = [0, *range(rows - min(count - 1, _LAST), rows)]
        between = count - len(last)
        seed = zlib.crc32(np.ascontiguousarray(getattr(p, self._first())).tobytes())
        parts = np.linspace(0, 1, between // 2, endpoint=False), np.linspace(0, 1, between - between // 2, endpoint=False)
        random = np.random.default_rng(seed)
        even, scaled = (one + random.random(len(one)) / max(len(one), 1) for one in parts)
        drawn = np.sort(np.concatenate([even * (rows - count), (rows - count) ** scaled - 1]).astype(int))
        return [0, *(1 + drawn + np.arange(between)).tolist(), *last[1:]]

    def _first(self) -> str:
        """The first input that has rows."""
        return next(of for of, dims, *_ in self._operation.inputs if self._has_rows(of))

    def _has_rows(self, name: str) -> bool:
        return any(of == name and self._extent in dims for of, dims, *_ in self._operation.inputs)

    def _spread(self, p: Any, rows: int) -> Any:
        """The rows between have a gradient of 0, so that they add nothing to that of a weight."""
        places = self._places(p, rows)

        def spread(array: np.ndarray, between: np.ndarray) -> np.ndarray:
            large = np.resize(np.roll(between, 1, -1) if between.ndim > 1 else between, (rows, *array.shape[1:]))
            large[places] = array
            return large

        names = [one[0] for one in self._operation.inputs]
        given = {name: getattr(p, name) for name in names}
        arrays = {name: spread(one, one) if self._has_rows(name) else one for name, one in given.items()}
        upstreams = [spread(one, np.zeros_like(one)) for one in p.upstreams]
        return type(p)(**{**vars(p), **arrays, "extents": {**p.extents, self._extent: rows}, "upstreams": upstreams,
                          "upstream": upstreams[0]})  # fmt: skip

    def _picked(self, value: Any, k: int, places: List[int]) -> Any:
        """The rows of a result that the case has; a weight's gradient has none."""
        names = self._operation.differentiable
        if value is None or (self._is_gradient and k < len(names) and not self._has_rows(names[k])):
            return value
        array = carry_result(value).array
        if array.shape[:1] != (ROWS,):
            raise ReturnedWrong(f"result {k} has the shape {list(array.shape)} where {self._extent}={ROWS}: expected {ROWS} rows")
        return array[places]
