"""The arrays that a formula is traced with: each records what is done to it, and refuses what a trace cannot record."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Optional, Tuple

import numpy as np

if TYPE_CHECKING:
    from ._formula import Namespace


class NotTraceable(TypeError):
    """The formula does something that a trace cannot record; the text says what to write instead."""


class Traced:
    """An array of a formula: a shape and a node of the graph."""

    __array_priority__ = 1000
    __array_ufunc__ = None

    _constant: Optional[np.ndarray] = None  # its numbers, where they are known while tracing

    def __init__(self, xp: "Namespace", node: int, shape: Tuple[int, ...], is_whole: bool = False) -> None:
        self._xp, self._node, self.shape = xp, node, shape
        self._is_whole = is_whole  # whether it may be an index
        self.ndim, self.size = len(shape), int(np.prod(shape, dtype=np.int64))

    def __bool__(self) -> bool:
        raise NotTraceable("a branch or a loop depends on data: write xp.where(condition, a, b); extents may be branched on")

    def __float__(self) -> float:
        raise NotTraceable("a plain number of an array of the formula: its value is not known while tracing; keep it an array, "
                           "and call xp.exp in place of math.exp")

    def __len__(self) -> int:
        return self.shape[0]

    __int__ = __index__ = __float__  # type: ignore[assignment,unused-ignore]

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
            return self._xp._at(self, key)
        return self._xp._moved([self], self._xp._positions(self)[key])

    def __array__(self, *_: Any) -> Any:
        raise NotTraceable("NumPy was called on an array of the formula: call the function of xp in its place")

    @property
    def T(self) -> "Traced":
        transposed: Traced = self._xp.matrix_transpose(self)
        return transposed

    if TYPE_CHECKING:  # what is set below

        def __add__(self, other: Any) -> "Traced": ...
        def __radd__(self, other: Any) -> "Traced": ...
        def __sub__(self, other: Any) -> "Traced": ...
        def __rsub__(self, other: Any) -> "Traced": ...
        def __mul__(self, other: Any) -> "Traced": ...
        def __rmul__(self, other: Any) -> "Traced": ...
        def __truediv__(self, other: Any) -> "Traced": ...
        def __rtruediv__(self, other: Any) -> "Traced": ...

    def __neg__(self) -> "Traced":
        return self._xp._unary("negative", self)

    def __matmul__(self, other: Any) -> "Traced":
        return self._xp.matmul(self, other)

    def __rmatmul__(self, other: Any) -> "Traced":
        return self._xp.matmul(other, self)

    def __invert__(self) -> "Traced":
        return 1 - self

    def __abs__(self) -> "Traced":
        size: Traced = self._xp.abs(self)
        return size

    def __pow__(self, power: Any) -> "Traced":
        return self._xp.pow(self, power)

    def __rpow__(self, base: Any) -> "Traced":
        return self._xp.pow(base, self)


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
