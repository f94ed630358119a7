"""The namespace `xp` that a formula is traced with: the array API's names, on traced arrays."""

from __future__ import annotations

import sys
from typing import Any, Callable, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from . import _core
from ._compositions import Compositions
from ._einsum import einsum, tensordot, vecdot
from ._formats import Format
from ._indexing import Indexing
from ._traced import NotTraceable, Traced


class Namespace(Compositions, Indexing):
    """The array API's functions, traced into one graph."""

    inf, nan, pi, e = float("inf"), float("nan"), float(np.pi), float(np.e)

    def __init__(self, source: str) -> None:
        self._graph, self._source, self._frame = _core.Traced(), source, None

    def __getattr__(self, name: str) -> Callable[..., Traced]:
        known = ", ".join(sorted(one for one in dir(type(self)) if not one.startswith("_")))
        raise NotTraceable(f"xp.{name} is not among the functions that can be traced: {known}")

    def _line(self) -> int:
        frame: Any = sys._getframe(1)
        while frame is not None and frame.f_code.co_filename != self._source:
            frame = frame.f_back
        if frame is None:
            return 0
        self._frame = frame
        self._name_locals(frame)  # those that were assigned since the operation before
        return int(frame.f_lineno)

    def _name_locals(self, frame: Any) -> None:
        while frame is not None and frame.f_code.co_filename == self._source:
            for name, value in frame.f_locals.items():
                value = self._read(value)
                if isinstance(value, Traced):
                    self._graph.name(value._node, name)
            frame = frame.f_back

    def _name_results(self, outputs: Sequence[Traced]) -> None:
        """By the last local variables, which a frame keeps after its end, or as "output", "output0", ..."""
        frame, self._frame = self._frame, None
        self._name_locals(frame)
        for k, one in enumerate(outputs):
            self._graph.name(one._node, f"output{k}" if len(outputs) > 1 else "output")

    def _read(self, value: Any) -> Any:
        """A local variable of the formula as an array of the graph, where it is one."""
        return value

    def _array(self, value: Any) -> Traced:
        if isinstance(value, Traced):
            return value
        array = np.asarray(value)
        if array.dtype.kind not in "bif":
            raise NotTraceable(f"{value!r}: expected a number, an array of numbers or an array of the formula")
        result = Traced(self, self._graph.constant(array.astype(np.float64).reshape(-1)), array.shape, array.dtype.kind == "i")
        result._constant = array
        return result

    def _input(self, name: str, shape: Tuple[int, ...], kind: str) -> Traced:
        node = self._graph.input(name, int(np.prod(shape, dtype=np.int64)), kind in ("index", "flag"))
        return Traced(self, node, shape, kind == "index")

    @staticmethod
    def _positions(x: Traced) -> np.ndarray:
        return np.arange(x.size).reshape(x.shape)

    def _moved(self, xs: Sequence[Traced], index: Any) -> Traced:
        index = np.asarray(index)
        flat = np.ascontiguousarray(index).reshape(-1)
        if len(xs) == 1 and flat.size == xs[0].size and np.array_equal(flat, np.arange(flat.size)):
            same = Traced(self, xs[0]._node, index.shape, xs[0]._is_whole)
            same._constant = None if xs[0]._constant is None else xs[0]._constant.reshape(index.shape)
            return same
        result = Traced(self, self._graph.gather([x._node for x in xs], flat), index.shape, all(x._is_whole for x in xs))
        if all(x._constant is not None for x in xs):
            numbers = [np.reshape(x._constant, -1) for x in xs] or [np.zeros(0)]  # type: ignore[arg-type]
            result._constant = np.concatenate(numbers)[index]
        return result

    def _unary(self, op: str, x: Any) -> Traced:
        x = self._array(x)
        is_whole = op in ("floor", "round") or (x._is_whole and op in ("negative", "abs", "sign"))
        return Traced(self, self._graph.add(op, x.size, [x._node], self._line()), x.shape, is_whole)

    def _elementwise(self, op: str, *values: Any) -> Traced:
        arrays = [self._array(value) for value in values]
        try:
            shape = np.broadcast_shapes(*(x.shape for x in arrays))
        except ValueError:
            shapes = " and ".join(str(list(x.shape)) for x in arrays)
            raise ValueError(f"{op}: shapes {shapes} do not broadcast (line {self._line()} of the formula); "
                             "use keepdims=True or xp.expand_dims") from None
        nodes = [self.broadcast_to(x, shape)._node for x in arrays]
        keeps = op in ("add", "subtract", "multiply", "maximum", "minimum", "where")
        is_whole = keeps and all(x._is_whole for x in (arrays[1:] if op == "where" else arrays))
        return Traced(self, self._graph.add(op, int(np.prod(shape, dtype=np.int64)), nodes, self._line()), shape, is_whole)

    _binary = _elementwise

    def _cast(self, x: Traced, to: Format, rounding: str, saturates: bool, gradient: str) -> Traced:
        return Traced(self, self._graph.cast(x._node, to.name, rounding, saturates, gradient, self._line()), x.shape)

    def asarray(self, x: Any) -> Traced:
        return self._array(x)

    def pow(self, x: Any, p: Any) -> Traced:
        """By products, quotients and roots where the exponent is a small number: these are exact where they can be."""
        if not isinstance(p, (int, float, np.number)):
            return self._elementwise("power", x, p)
        x = self._array(x)
        if p < 0 and -p in (0.5, 1, 2, 3, 4):
            return 1 / self.pow(x, -p)
        if p == 0.5:
            return self.sqrt(x)
        if p not in (1, 2, 3, 4):
            return self._elementwise("power", x, p)
        result: Traced = x
        for _ in range(int(p) - 1):
            result = result * x
        return result

    def where(self, condition: Any, a: Any, b: Any) -> Traced:
        return self._elementwise("where", condition, a, b)

    def _reduce(self, op: str, x: Any, axis: Any, keepdims: bool, running: bool = False) -> Traced:
        x = self._array(x)
        axes = tuple(range(x.ndim)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
        if any(not -x.ndim <= a < x.ndim for a in axes):
            raise ValueError(f"xp.{op}: axis={axis} of an array of shape {list(x.shape)}; expected an axis that it has")
        axes = tuple(a % x.ndim for a in axes)
        kept = [a for a in range(x.ndim) if a not in axes]
        outer, inner = [x.shape[a] for a in kept], int(np.prod([x.shape[a] for a in axes], dtype=np.int64))
        last = self._moved([x], np.transpose(self._positions(x), [*kept, *axes]))
        size = int(np.prod(outer, dtype=np.int64))
        node = self._graph.reduce(op, size, last._node, inner, self._line(), running)
        return Traced(self, node, tuple(1 if a in axes else x.shape[a] for a in range(x.ndim)) if keepdims else tuple(outer))

    def mean(self, x: Any, *, axis: Any = None, keepdims: bool = False) -> Traced:
        total = self._reduce("sum", x, axis, keepdims, running=True)
        return total / (self._array(x).size / total.size if total.size else 1)

    def var(self, x: Any, *, axis: Any = None, correction: float = 0, keepdims: bool = False) -> Traced:
        x = self._array(x)
        total = self._reduce("sum", (x - self.mean(x, axis=axis, keepdims=True)) ** 2, axis, keepdims, running=True)
        return total / max((x.size / total.size if total.size else 1) - correction, 0)

    def matmul(self, a: Any, b: Any) -> Traced:
        a, b = self._array(a), self._array(b)
        if a.ndim < 2 or b.ndim < 2 or a.shape[-1] != b.shape[-2]:
            raise ValueError(f"matmul of {list(a.shape)} and {list(b.shape)}: expected [..., M, K] and [..., K, N]")
        batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
        a, b = self.broadcast_to(a, batch + a.shape[-2:]), self.broadcast_to(b, batch + b.shape[-2:])
        shape = batch + (a.shape[-2], b.shape[-1])
        size = int(np.prod(shape, dtype=np.int64))
        node = self._graph.matmul(a._node, b._node, size, a.shape[-2], a.shape[-1], b.shape[-1], self._line())
        return Traced(self, node, shape)

    def cumulative_sum(self, x: Any, *, axis: int = -1) -> Traced:
        moved = self.moveaxis(x, axis, -1)
        node = self._graph.reduce("cumulative_sum", moved.size, moved._node, moved.shape[-1], self._line(), False)
        return self.moveaxis(Traced(self, node, moved.shape), -1, axis)

    def broadcast_to(self, x: Any, shape: Tuple[int, ...]) -> Traced:
        x = self._array(x)
        return x if x.shape == tuple(shape) else self._moved([x], np.broadcast_to(self._positions(x), shape))

    def concat(self, xs: Sequence[Any], *, axis: int = 0) -> Traced:
        return self._joined(np.concatenate, xs, axis)

    def stack(self, xs: Sequence[Any], *, axis: int = 0) -> Traced:
        return self._joined(np.stack, xs, axis)

    def _joined(self, join: Any, xs: Sequence[Any], axis: int) -> Traced:
        arrays = [self._array(x) for x in xs]
        starts = np.cumsum([0] + [x.size for x in arrays])
        return self._moved(arrays, join([self._positions(x) + int(at) for x, at in zip(arrays, starts)], axis=axis))

    def arange(self, *args: int) -> Traced:
        return self._array(np.arange(*args))

    def zeros(self, shape: Any) -> Traced:
        return self._array(np.zeros(shape))

    def ones(self, shape: Any) -> Traced:
        return self._array(np.ones(shape))

    def tril(self, x: Any, *, k: int = 0) -> Traced:
        x = self._array(x)
        return self.where(np.tril(np.ones(x.shape), k), x, 0)

    def triu(self, x: Any, *, k: int = 0) -> Traced:
        x = self._array(x)
        return self.where(np.triu(np.ones(x.shape), k), x, 0)


def _mover(function: Any) -> Callable[..., Traced]:
    def moved(self: Namespace, x: Any, *args: Any, **options: Any) -> Traced:
        if any(isinstance(one, Traced) for one in (*args, *options.values())):
            raise NotTraceable(f"xp.{function.__name__}: an axis or shape depends on data: expected numbers")
        x = self._array(x)
        return self._moved([x], function(self._positions(x), *args, **options))

    return moved


for _name, _function in {
    "reshape": np.reshape, "expand_dims": np.expand_dims, "squeeze": np.squeeze, "permute_dims": np.transpose,
    "moveaxis": np.moveaxis, "swapaxes": np.swapaxes, "tile": np.tile, "flip": np.flip, "repeat": np.repeat,
    "matrix_transpose": lambda x: np.swapaxes(x, -1, -2), "roll": np.roll,
}.items():  # fmt: skip
    setattr(Namespace, _name, _mover(_function))
for _name in ("exp", "expm1", "log", "log1p", "sqrt", "sin", "cos", "erf", "floor", "round", "sigmoid", "tanh", "abs", "sign",
              "negative"):  # fmt: skip
    setattr(Namespace, _name, lambda self, x, _op=_name: self._unary(_op, x))
for _name in ("add", "subtract", "multiply", "divide", "maximum", "minimum", "logaddexp", "less", "less_equal", "equal"):
    setattr(Namespace, _name, lambda self, a, b, _op=_name: self._elementwise(_op, a, b))
for _function in (einsum, tensordot, vecdot):
    setattr(Namespace, _function.__name__, _function)
for _name, _op in (("sum", "sum"), ("prod", "product"), ("max", "largest"), ("min", "smallest")):
    setattr(Namespace, _name,
            lambda self, x, *, axis=None, keepdims=False, _op=_op: self._reduce(_op, x, axis, keepdims))  # fmt: skip


def _explained(error: Exception, formula: Callable[..., Any], inputs: str) -> Exception:
    """The error with the formula's line, and what to write instead. NumPy's words alone would not say either."""
    line, at = formula.__code__.co_firstlineno, error.__traceback__
    while at is not None:
        line = at.tb_lineno if at.tb_frame.f_code.co_filename == formula.__code__.co_filename else line
        at = at.tb_next
    where = f"line {line} of the formula, with {inputs}"
    if isinstance(error, TypeError):
        return NotTraceable(f"{where}: {error}; expected +, -, *, /, @, **, comparisons, slices and functions of xp, which take "
                            "arrays, and axis= and keepdims= by name; NumPy and PyTorch do not know arrays of a formula")
    if isinstance(error, ArithmeticError):
        return ValueError(f"{where}: {error}, in numbers that are not of an input")
    return ValueError(f"{where}: {error}; expected shapes, axes and indices that fit those of the inputs")


def trace(formula: Callable[..., Any], names: Sequence[str], shapes: Sequence[Tuple[int, ...]], wrt: Sequence[str],
          kinds: Mapping[str, str]) -> Any:
    """The graph of `formula` at these shapes, with the gradients in the inputs `wrt`. `kinds`: of inputs that are not real.

    Raises NotTraceable, ValueError.
    """
    xp = Namespace(formula.__code__.co_filename)
    inputs = [xp._input(name, tuple(shape), kinds.get(name, "real")) for name, shape in zip(names, shapes)]
    try:
        result: Optional[Any] = formula(xp, *inputs)
    except NotTraceable:
        raise
    except (SystemExit, GeneratorExit) as error:
        raise NotTraceable(f"the formula {formula.__name__} raised {type(error).__name__}: expected an array") from error
    except (TypeError, ValueError, IndexError, ArithmeticError) as error:
        given = ", ".join(f"{one} {list(shape)}" for one, shape in zip(names, shapes))
        raise _explained(error, formula, given) from error
    if result is None or (isinstance(result, (tuple, list)) and not result):
        raise NotTraceable(f"the formula {formula.__name__} returned nothing: expected an array, or a tuple of arrays")
    return finished(xp, result, [inputs[names.index(name)]._node for name in wrt])


def finished(xp: Namespace, result: Any, nodes: Sequence[int]) -> Any:
    """The graph of these results, with the gradients in `nodes`."""
    outputs: List[Traced] = [xp._array(one) for one in (result if isinstance(result, (tuple, list)) else (result,))]
    xp._name_results(outputs)
    xp._graph.finish([one._node for one in outputs], [list(one.shape) for one in outputs], list(nodes))
    return xp._graph
