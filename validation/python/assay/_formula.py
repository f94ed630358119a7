"""The namespace `xp` that a formula is traced with: the array API's names, on arrays that record what is done to them."""

from __future__ import annotations

import sys
from typing import Any, Callable, List, Optional, Sequence, Tuple, Union

import numpy as np

from . import _core

Number = Union[int, float, bool, np.ndarray]


class NotTraceable(TypeError):
    """The formula does something that a trace cannot record; the text says what to write instead."""


class Traced:
    """An array of a formula: a shape and a node of the graph."""

    __array_priority__ = 1000
    __array_ufunc__ = None

    def __init__(self, xp: "Namespace", node: int, shape: Tuple[int, ...]) -> None:
        self._xp, self._node, self.shape = xp, node, shape
        self.ndim, self.size = len(shape), int(np.prod(shape, dtype=np.int64))

    def __bool__(self) -> bool:
        raise NotTraceable("a branch or a loop depends on data: write xp.where(condition, a, b); extents may be branched on")

    def __float__(self) -> float:
        raise NotTraceable("a plain number of an array of the formula: its value is not known while tracing; keep it an array, "
                           "and call xp.exp in place of math.exp")

    def __len__(self) -> int:
        return self.shape[0]

    __int__ = __index__ = __float__  # type: ignore[assignment]

    def __iter__(self) -> Any:
        return (self[i] for i in range(self.shape[0]))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # a protocol that others ask for
            raise AttributeError(name)
        raise NotTraceable(f"an array of the formula has no method {name!r}: write xp.{name}(x, ...) if xp has it, else leave "
                           "it out; a kernel's types are declared, not computed")

    def __setitem__(self, key: Any, value: Any) -> None:
        raise NotTraceable("an element is assigned: make the array anew, by xp.where, xp.concat or xp.stack")

    def __getitem__(self, key: Any) -> "Traced":
        if any(isinstance(one, Traced) for one in (key if isinstance(key, tuple) else (key,))):
            raise NotTraceable("an index depends on data: compare with xp.arange and sum over xp.where, or use a mask")
        return self._xp._moved([self], self._xp._positions(self)[key])

    def __array__(self, *_: Any) -> Any:
        raise NotTraceable("NumPy was called on an array of the formula: call the function of xp in its place")

    @property
    def T(self) -> "Traced":
        return self._xp.matrix_transpose(self)

    def __neg__(self) -> "Traced":
        return self._xp._unary("negative", self)

    def __matmul__(self, other: Any) -> "Traced":
        return self._xp.matmul(self, other)

    def __rmatmul__(self, other: Any) -> "Traced":
        return self._xp.matmul(other, self)

    def __invert__(self) -> "Traced":
        return 1 - self

    def __abs__(self) -> "Traced":
        return self._xp.abs(self)

    def __pow__(self, power: Any) -> "Traced":
        if isinstance(power, Traced):
            raise NotTraceable("x ** y of arrays: write xp.exp(y * xp.log(x))")
        if power == 0.5:
            return self._xp.sqrt(self)
        if power not in (2, 3, 4):
            raise NotTraceable(f"x ** {power!r}: expected 0.5, 2, 3 or 4; write xp.exp(p * xp.log(x)) for others")
        result = self
        for _ in range(power - 1):
            result = result * self
        return result

    def __rpow__(self, base: Any) -> "Traced":
        raise NotTraceable(f"{base!r} ** x: write xp.exp(x * log) with the logarithm of the base, a number")


def _operator(op: str, swap: bool = False) -> Callable[[Traced, Any], Traced]:
    def method(self: Traced, other: Any) -> Traced:
        return self._xp._binary(op, other, self) if swap else self._xp._binary(op, self, other)

    return method


for _name, _op in (("add", "add"), ("sub", "subtract"), ("mul", "multiply"), ("truediv", "divide")):
    setattr(Traced, f"__{_name}__", _operator(_op))
    setattr(Traced, f"__r{_name}__", _operator(_op, swap=True))
for _name, _op, _swap in (("lt", "less", 0), ("le", "less_equal", 0), ("gt", "less", 1), ("ge", "less_equal", 1), ("eq", "equal", 0)):
    setattr(Traced, f"__{_name}__", _operator(_op, bool(_swap)))
setattr(Traced, "__ne__", lambda self, other: 1 - (self == other))
setattr(Traced, "__and__", _operator("multiply"))
setattr(Traced, "__or__", _operator("maximum"))
setattr(Traced, "__hash__", None)


class Namespace:
    """The array API's functions, traced into one graph."""

    inf, nan, pi, e = float("inf"), float("nan"), float(np.pi), float(np.e)

    def __init__(self, source: str) -> None:
        self._graph, self._source = _core.Traced(), source

    def __getattr__(self, name: str) -> Any:
        known = ", ".join(sorted(one for one in dir(type(self)) if not one.startswith("_")))
        raise NotTraceable(f"xp.{name} is not among the functions that can be traced: {known}")

    def _line(self) -> int:
        frame = sys._getframe(1)
        while frame is not None and frame.f_code.co_filename != self._source:
            frame = frame.f_back  # type: ignore[assignment]
        if frame is None:
            return 0
        for name, value in frame.f_locals.items():  # those that were assigned since the operation before
            if isinstance(value, Traced):
                self._graph.name(value._node, name)
        return frame.f_lineno

    def _array(self, value: Any) -> Traced:
        if isinstance(value, Traced):
            return value
        array = np.asarray(value)
        if array.dtype.kind not in "bif":
            raise NotTraceable(f"{value!r}: expected a number, an array of numbers or an array of the formula")
        return Traced(self, self._graph.constant(array.astype(np.float64).reshape(-1)), array.shape)

    def _input(self, name: str, shape: Tuple[int, ...]) -> Traced:
        return Traced(self, self._graph.input(name, int(np.prod(shape, dtype=np.int64))), shape)

    @staticmethod
    def _positions(x: Traced) -> np.ndarray:
        return np.arange(x.size).reshape(x.shape)

    def _moved(self, xs: Sequence[Traced], index: Any) -> Traced:
        index = np.asarray(index)
        flat = np.ascontiguousarray(index).reshape(-1)
        if len(xs) == 1 and flat.size == xs[0].size and np.array_equal(flat, np.arange(flat.size)):
            return Traced(self, xs[0]._node, index.shape)
        return Traced(self, self._graph.gather([x._node for x in xs], flat), index.shape)

    def _unary(self, op: str, x: Any) -> Traced:
        x = self._array(x)
        return Traced(self, self._graph.add(op, x.size, [x._node], self._line()), x.shape)

    def _elementwise(self, op: str, *values: Any) -> Traced:
        arrays = [self._array(value) for value in values]
        try:
            shape = np.broadcast_shapes(*(x.shape for x in arrays))
        except ValueError:
            shapes = " and ".join(str(list(x.shape)) for x in arrays)
            raise ValueError(f"{op}: shapes {shapes} do not broadcast (line {self._line()} of the formula); "
                             "use keepdims=True or xp.expand_dims") from None
        nodes = [self.broadcast_to(x, shape)._node for x in arrays]
        return Traced(self, self._graph.add(op, int(np.prod(shape, dtype=np.int64)), nodes, self._line()), shape)

    _binary = _elementwise

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
        summed = self.matmul(self.expand_dims(moved, -2), np.triu(np.ones((moved.shape[-1],) * 2)))
        return self.moveaxis(self.squeeze(summed, -2), -1, axis)

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


def _mover(function: Callable[..., np.ndarray]) -> Callable[..., Traced]:
    def moved(self: Namespace, x: Any, *args: Any, **options: Any) -> Traced:
        x = self._array(x)
        return self._moved([x], function(self._positions(x), *args, **options))

    return moved


for _name, _function in {
    "reshape": np.reshape, "expand_dims": np.expand_dims, "squeeze": np.squeeze, "permute_dims": np.transpose,
    "moveaxis": np.moveaxis, "flip": np.flip, "take": np.take, "repeat": np.repeat,
    "matrix_transpose": lambda x: np.swapaxes(x, -1, -2), "roll": np.roll,
}.items():  # fmt: skip
    setattr(Namespace, _name, _mover(_function))
for _name in ("exp", "expm1", "log", "log1p", "sqrt", "tanh", "abs", "sign", "negative"):
    setattr(Namespace, _name, lambda self, x, _op=_name: self._unary(_op, x))
for _name in ("add", "subtract", "multiply", "divide", "maximum", "minimum", "logaddexp", "less", "less_equal", "equal"):
    setattr(Namespace, _name, lambda self, a, b, _op=_name: self._elementwise(_op, a, b))
for _name, _op in (("sum", "sum"), ("prod", "product"), ("max", "largest"), ("min", "smallest")):
    setattr(Namespace, _name,
            lambda self, x, *, axis=None, keepdims=False, _op=_op: self._reduce(_op, x, axis, keepdims))  # fmt: skip


class NumPy:
    """NumPy under the array API's names, those that versions before 2 lack included."""

    matrix_transpose = staticmethod(lambda x: np.swapaxes(x, -1, -2))
    permute_dims = staticmethod(np.transpose)
    concat = staticmethod(np.concatenate)
    cumulative_sum = staticmethod(lambda x, *, axis=-1: np.cumsum(x, axis=axis))

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)


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
    return ValueError(f"{where}: {error}; expected shapes, axes and indices that fit those of the inputs")


def trace(formula: Callable[..., Any], names: Sequence[str], shapes: Sequence[Tuple[int, ...]], wrt: Sequence[str]) -> Any:
    """The graph of `formula` at these shapes, with the gradients in the inputs `wrt`. Raises NotTraceable, ValueError."""
    xp = Namespace(formula.__code__.co_filename)
    inputs = [xp._input(name, tuple(shape)) for name, shape in zip(names, shapes)]
    try:
        result: Optional[Any] = formula(xp, *inputs)
    except NotTraceable:
        raise
    except (TypeError, ValueError, IndexError) as error:
        given = ", ".join(f"{one} {list(shape)}" for one, shape in zip(names, shapes))
        raise _explained(error, formula, given) from error
    if result is None:
        raise NotTraceable(f"the formula {formula.__name__} returned nothing: expected an array, or a tuple of arrays")
    outputs: List[Traced] = [xp._array(one) for one in (result if isinstance(result, (tuple, list)) else (result,))]
    nodes = [inputs[names.index(name)]._node for name in wrt]
    xp._graph.finish([one._node for one in outputs], [list(one.shape) for one in outputs], nodes)
    return xp._graph
