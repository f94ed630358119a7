"""Plug-ins for operations of one's own: a shared library (assay_formula.h), or the .json binding of a Metal shader."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Dict, List, Tuple

import numpy as np

from . import _core
from ._pipe import ReturnedWrong, Unsupported
from ._program import program
from ._served import Served

Arrays = List[Tuple[str, np.ndarray]]
Shapes = List[Tuple[str, Tuple[int, ...]]]
DTYPES = {"float32": 0, "float16": 1, "bfloat16": 2, "float64": 3, "int64": 16, "bool": 17}  # assay_formula.h


def _as_bits(array: np.ndarray, dtype: str) -> np.ndarray:
    """Contiguous; an ml_dtypes.bfloat16 as the bits that it is passed as."""
    contiguous = np.ascontiguousarray(array).reshape(array.shape)
    return contiguous.view(np.uint16) if dtype == "bfloat16" and contiguous.dtype.name == "bfloat16" else contiguous


def _unwritten(shape: Tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """Elements that are NaN until they are written."""
    return np.full(int(np.prod(shape, dtype=np.int64)) * dtype.itemsize, 0xFF, np.uint8).view(dtype).reshape(shape)


class Plugin:
    """The forward or the backward pass of a plug-in as a kernel of an operation: a function of one problem."""

    def __init__(self, path: Any, operation: Any, dtype: str, gradient: bool, seconds: float = 10) -> None:
        self.path, self.operation, self.dtype, self.gradient = os.fspath(path), operation, dtype, gradient
        self.__name__ = Path(self.path).name
        file = self.path.partition("@")[0]
        if not os.path.isfile(file):
            raise FileNotFoundError(f"no file {file!r}: expected a shared library (.so), or the binding of a shader (.json)")
        is_shader = self.__name__.partition("@")[0].endswith(".json")
        self._call = self._run_shader if is_shader else self._run_library
        self._served = Served(self.path, [program(), "metal", "serve", self.path], 60)
        self._library: Any = None
        self._seconds, self.starts_afresh = seconds, not is_shader  # which takes a second to compile
        if not is_shader:
            self._library = _core.FormulaPlugin(self.path, "backward" if gradient else "forward", seconds)

    def __call__(self, p: Any) -> List[np.ndarray]:
        inputs: Arrays = [(one[0], _as_bits(getattr(p, one[0]), self.dtype)) for one in self.operation.inputs]
        traced = self.operation.trace(p.extents)
        outputs: Shapes = [(f"output{k}", tuple(shape)) for k, shape in enumerate(traced.shapes)]
        positions = [not self.gradient and one for one in traced.positions]
        if self.gradient:
            inputs += [(f"upstream{k}", _as_bits(one, self.dtype)) for k, one in enumerate(p.upstreams)]
            shapes = zip(self.operation.inputs, self.operation.shapes(p.extents))
            outputs = [("gradient_" + one[0], shape) for one, shape in shapes if one[0] in self.operation.differentiable]
        try:
            return self._call(p.extents, inputs, outputs, positions)
        except RuntimeError as error:
            raise ReturnedWrong(str(error)) from error

    def afresh(self) -> "Plugin":
        """The same in a process of its own, which nothing was called in before."""
        return Plugin(self.path, self.operation, self.dtype, self.gradient, self._seconds)

    def close(self) -> None:
        """Ends the process of the plug-in."""
        self._served.close()
        self._library = None

    def _run_library(self, extents: Dict[str, int], inputs: Arrays, outputs: Shapes, positions: List[bool]) -> List[np.ndarray]:
        plain, whole = np.dtype(np.uint16 if self.dtype == "bfloat16" else self.dtype), np.dtype(np.int64)
        types = [whole if one else plain for one in positions] if not self.gradient else [plain] * len(outputs)
        results = [_unwritten(shape, one) for (_, shape), one in zip(outputs, types)]
        given = [(name, one, DTYPES.get(one.dtype.name, DTYPES[self.dtype])) for name, one in inputs]
        due = [(name, one, DTYPES["int64" if one.dtype == whole else self.dtype]) for (name, _), one in zip(outputs, results)]
        status, says = self._library.call(self.operation.name, given, due)
        if status == "unsupported":
            raise Unsupported(says)
        if status != "ok":
            raise RuntimeError(f"the plug-in says: {says}" if status == "refused" else says)
        return results

    def _run_shader(self, extents: Dict[str, int], inputs: Arrays, outputs: Shapes, positions: List[bool]) -> List[np.ndarray]:
        if any(positions):
            raise Unsupported("the results are positions, which shaders do not return here: expected results that are numbers")
        if not self._served.is_running:
            self._say(self._interface(inputs, outputs))
            self._expect_started()
        doubles = [(name, self._widened(one)) for name, one in inputs]
        sizes = [[name, int(np.prod(shape, dtype=np.int64))] for name, shape in outputs]
        call = {"variables": extents, "inputs": [[name, one.size] for name, one in doubles], "outputs": sizes}
        self._say(call, *(one.tobytes() for _, one in doubles))
        self._expect_ok()
        got = [np.frombuffer(self._served.read(8 * size), np.float64) for _, size in sizes]
        return [self._narrowed(one).reshape(shape) for one, (_, shape) in zip(got, outputs)]

    def _interface(self, inputs: Arrays, outputs: Shapes) -> Dict[str, Any]:
        types = {"int64": "long", "bool": "uchar"}
        arrays = [{"name": name, "type": types.get(one.dtype.name, ""), "is_output": False} for name, one in inputs]
        arrays += [{"name": name, "type": "", "is_output": True} for name, _ in outputs]
        return {"operation": self.operation.name, "variables": self.operation.extents, "arrays": arrays}

    def _say(self, message: Dict[str, Any], *contents: bytes) -> None:
        self._served.write(json.dumps(message).encode() + b"\n" + b"".join(contents))

    def _expect_started(self) -> None:
        try:
            self._expect_ok()
        except RuntimeError:
            self._served.close()  # it ends by itself, but a call before its end would not start it anew
            raise

    def _expect_ok(self) -> None:
        said = json.loads(self._served.read_line())
        if said["status"] != "ok":
            raise RuntimeError(said["says"])

    def _widened(self, array: np.ndarray) -> np.ndarray:
        if self.dtype == "bfloat16" and array.dtype == np.uint16:
            array = (array.astype(np.uint32) << 16).view(np.float32)
        return np.ascontiguousarray(array, np.float64)

    def _narrowed(self, array: np.ndarray) -> np.ndarray:
        if self.dtype == "bfloat16":
            return (array.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
        return array.astype(self.dtype)
