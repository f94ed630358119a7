"""Plug-ins for operations of one's own: a shared library (assay_formula.h), or the .json binding of a Metal shader."""

from __future__ import annotations

import json
import os
from copy import copy
from pathlib import Path
from typing import Any, Callable, Dict, List, NamedTuple, Set, Tuple
from zlib import crc32

import numpy as np

from . import _core
from ._arithmetic import Types
from ._arrays import from_bfloat16, to_bfloat16
from ._followed import FollowedArray, of_words
from ._formats import formats, held_shape, plain_type
from ._inputs import CODES
from ._pipe import ReturnedWrong, Unsupported
from ._program import program
from ._served import Served, started

DTYPES = {"float32": 0, "float16": 1, "bfloat16": 2, "float64": 3, "int64": 16, "bool": 17, "int32": 18, "int8": 19,
          "uint8": 20, "uint32": 21}  # assay_formula.h

WHOLE_TYPES = {"int64": "long", "int32": "int", "bool": "uchar", "int8": "char", "uint8": "uchar", "uint32": "uint"}  # of shaders
REAL_TYPES = {"float32": "float", "float16": "half", "bfloat16": "bfloat"}

_FAR = 2**32  # elements


class Named(NamedTuple):
    """An array as a plug-in is given it: of bfloat16 its bits."""

    name: str
    array: np.ndarray
    dtype: str


class Result(NamedTuple):
    """A result that is due."""

    name: str
    shape: Tuple[int, ...]
    dtype: str


def _named(name: str, array: np.ndarray, dtype: str) -> Named:
    if array.dtype.name.startswith(("float8_", "float6_", "float4_")):
        array = array.view(np.uint8)
    return Named(name, array.view(np.uint16) if array.dtype.name == "bfloat16" else array, dtype)


def _contiguous(named: Named) -> Named:
    return named._replace(array=np.ascontiguousarray(named.array).reshape(named.array.shape))


def _is_used_before(inputs: List[Named]) -> bool:
    """Whether the results of a call lie where other numbers were: for a third of the cases, the same ones in each run. Not for
    small ones: what a library leaves unwritten is to be NaN in a case that was shrunk."""
    return inputs[0].array.size > 16 and crc32(inputs[0].array.tobytes()) % 3 == 0


def unwritten(due: Result, inputs: List[Named]) -> Named:
    """Elements that are NaN until they are written, or numbers as in memory that was used before."""
    dtype = np.dtype(np.uint16 if due.dtype == "bfloat16" else due.dtype)
    size = int(np.prod(due.shape, dtype=np.int64)) * dtype.itemsize
    byte = 0x42 if _is_used_before(inputs) else 0xFF
    return Named(due.name, np.full(size, byte, np.uint8).view(dtype).reshape(due.shape), due.dtype)


class Plugin:
    """The forward or the backward pass of a plug-in as a kernel of an operation: a function of one problem."""

    def __init__(self, path: Any, operation: Any, types: Types, gradient: bool, seconds: float = 10,
                 strides: bool = False) -> None:
        self.path, self.operation, self.types, self.gradient = os.fspath(path), operation, types, gradient
        self.takes_strides, self._far_extent = strides, ""
        self.__name__ = Path(self.path).name
        file = self.path.partition("@")[0]
        if not os.path.isfile(file):
            raise FileNotFoundError(f"no file {file!r}: expected a shared library (.so), the binding of a shader (.json), "
                                    "or the file and the name of a function ('mine.py:softmax')")
        is_shader = self._is_shader = self.__name__.partition("@")[0].endswith(".json")
        command = [program(), "metal", "serve", self.path]
        self._served, self._served_followed = (Served(self.path, lambda: started(command), 60) for _ in range(2))
        self._library: Any = None
        self._seconds, self.starts_afresh = seconds, not is_shader  # which takes a second to compile
        self.takes_threads, self.threads = False, 0  # 0: by the size of the inputs
        self.is_instrumented = False
        if not is_shader:
            self._library = _core.FormulaPlugin(self.path, "backward" if gradient else "forward", seconds)
            self.takes_threads, self.is_instrumented = self._library.uses_openmp, self._library.is_instrumented

    def __call__(self, p: Any) -> List[np.ndarray]:
        run = self._run_shader if self._is_shader else self._run_library
        try:
            return run(p, self.given(p), self.due(p.extents))
        except RuntimeError as error:
            raise ReturnedWrong(str(error)) from error

    @property
    def can_be_followed(self) -> bool:
        return self._is_shader or self.is_instrumented

    def followed(self, p: Any) -> List[FollowedArray]:
        """The results, with the residues of what they stand for."""
        inputs, due = self.given(p), self.due(p.extents)
        if self._is_shader:
            results = self._served_results(self._served_followed, p, inputs, due, True)
            words = [np.frombuffer(self._served_followed.read(32 * one.size), np.uint64) for one in results]
        else:
            status, says, outputs, words = self._answer(self._library.followed, inputs, due)
            results = self._results(status, says, outputs)
        return [FollowedArray(_widened(Named("", one, of.dtype)), of_words(residues, one.shape))
                for one, residues, of in zip(results, words, due)]  # fmt: skip

    def given(self, p: Any) -> List[Named]:
        types = self.types
        own: Dict[str, Callable[[str], str]] = {"flag": lambda name: "bool", "index": types.of_index}
        given = []
        for name, _, kind, of, _ in self.operation.inputs:
            dtype = plain_type(formats()[of], types.of_codes(name)) if kind in CODES else own.get(kind, types.of)(name)
            given.append(_named(name, getattr(p, name), dtype))
        if self.gradient:
            given += [_named(f"upstream{k}", one, types.of_output(k)) for k, one in enumerate(p.upstreams)]
        return given if self.takes_strides and not self._far_extent else [_contiguous(one) for one in given]

    def due(self, extents: Dict[str, int]) -> List[Result]:
        operation = self.operation
        if self.gradient:
            shapes = zip(operation.inputs, operation.shapes(extents))
            return [Result("gradient_" + one[0], shape, self.types.of(one[0])) for one, shape in shapes
                    if one[0] in operation.differentiable]  # fmt: skip
        traced = operation.trace(extents)
        return [self._due_output(k, tuple(shape), traced.positions[k], traced.formats[k])
                for k, shape in enumerate(traced.shapes)]  # fmt: skip

    def _due_output(self, k: int, shape: Tuple[int, ...], is_position: bool, code: str) -> Result:
        if not code:
            return Result(f"output{k}", shape, "int64" if is_position else self.types.of_output(k))
        of, word = formats()[code], self.types.of_codes(f"output{k}")
        return Result(f"output{k}", held_shape(shape, of, word), plain_type(of, word))

    def afresh(self) -> "Plugin":
        """The same in a process of its own, which nothing was called in before."""
        return Plugin(self.path, self.operation, self.types, self.gradient, self._seconds, self.takes_strides)

    def with_far_rows(self, extent: str) -> "Plugin":
        """The same library, which is given the rows of a case far apart in arrays past 2^32 elements. Zeros lie between, whose
        results are not looked at: a gradient that all rows add up to would be that of other inputs."""
        far = copy(self)
        far._far_extent = extent
        return far

    def close(self) -> None:
        """Ends the processes of the plug-in."""
        self._served.close()
        self._served_followed.close()
        self._library = None

    def answer(self, inputs: List[Named], due: List[Result]) -> Tuple[str, str, List[Named]]:
        """How a call of the library ended, why, and its results."""
        status, says, results, *_ = self._answer(self._library.call, inputs, due)
        return status, says, results

    def _answer(self, call: Callable[..., Any], inputs: List[Named], due: List[Result]) -> Tuple[Any, ...]:
        results = [unwritten(one, inputs) for one in due]
        given, to = ([(name, one, DTYPES[dtype]) for name, one, dtype in some] for some in (inputs, results))
        far = [self._spread([*inputs, *results])] if self._far_extent else []
        status, says, *more = call(self.operation.name, given, to, self.threads, *far)
        return (status, says, results, *more)

    def _spread(self, arrays: List[Named]) -> Tuple[Set[str], int]:
        """The arrays that have rows, and how many they get."""
        whole = {name for name, dims, *_ in self.operation.inputs if self._far_extent not in dims}
        spread = [one for one in arrays if one.name not in whole]
        steps = len(spread[0].array) - 1
        of_row = max(one.array[0].size for one in spread)
        return {one.name for one in spread}, (_FAR // (of_row * steps) + 1) * steps + 1

    def _run_library(self, p: Any, inputs: List[Named], due: List[Result]) -> List[np.ndarray]:
        return self._results(*self.answer(inputs, due))

    @staticmethod
    def _results(status: str, says: str, results: List[Named]) -> List[np.ndarray]:
        if status == "unsupported":
            raise Unsupported(says)
        if status != "ok":
            raise RuntimeError(f"the plug-in says: {says}" if status == "refused" else says)
        return [one.array for one in results]

    def _run_shader(self, p: Any, inputs: List[Named], due: List[Result]) -> List[np.ndarray]:
        return self._served_results(self._served, p, inputs, due, False)

    def _served_results(self, served: Served, p: Any, inputs: List[Named], due: List[Result], follows: bool) -> List[np.ndarray]:
        if any(one.dtype == "int64" for one in due):
            raise Unsupported("the results are positions, which shaders do not return here: expected results that are numbers")
        if not served.is_running:
            _say(served, {**self._interface(inputs, due), "algebra": follows})
            _expect_started(served)
        doubles = [_widened(one) for one in inputs]
        sizes: List[Any] = [[one.name, int(np.prod(one.shape, dtype=np.int64))] for one in due]
        call = {"variables": p.extents, "inputs": [[of.name, one.size] for of, one in zip(inputs, doubles)], "outputs": sizes,
                "chain": _core.chain_in_use()}  # fmt: skip
        _say(served, call, *(one.tobytes() for one in doubles))
        _expect_ok(served)
        got = [np.frombuffer(served.read(8 * size), np.float64) for _, size in sizes]
        return [_narrowed(one, of.dtype).reshape(of.shape) for one, of in zip(got, due)]

    def _interface(self, inputs: List[Named], due: List[Result]) -> Dict[str, Any]:
        types = {**WHOLE_TYPES, **(REAL_TYPES if self.types.others else {})}  # else the binding's own dtype
        arrays = [{"name": one.name, "type": types.get(one.dtype, ""), "is_output": False} for one in inputs]
        arrays += [{"name": one.name, "type": types.get(one.dtype, ""), "is_output": True} for one in due]
        return {"operation": self.operation.name, "variables": self.operation.extents, "arrays": arrays}


def _say(served: Served, message: Dict[str, Any], *contents: bytes) -> None:
    served.write(json.dumps(message).encode() + b"\n" + b"".join(contents))


def _expect_started(served: Served) -> None:
    try:
        _expect_ok(served)
    except RuntimeError:
        served.close()  # it ends by itself, but a call before its end would not start it anew
        raise


def _expect_ok(served: Served) -> None:
    said = json.loads(served.read_line())
    if said["status"] != "ok":
        raise RuntimeError(said["says"])


def _widened(one: Named) -> np.ndarray:
    array = from_bfloat16(one.array) if one.dtype == "bfloat16" else one.array
    return np.ascontiguousarray(array, np.float64)


def _narrowed(array: np.ndarray, dtype: str) -> np.ndarray:
    return to_bfloat16(array) if dtype == "bfloat16" else array.astype(dtype)
