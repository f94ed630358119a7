"""Arrays that are followed: NumPy's numbers, which decide, and beside each the residue of what it stands for.

A kernel that is given such arrays in the place of NumPy's computes both. docs/algebra.md says what is followed.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import numpy as np

from . import _core

RESIDUE = np.dtype("V32")


class _Call:
    """The call that is followed, by its number, or 0. A kernel may keep arrays of an earlier call, such as tables: after it
    they are their numbers, and in the next call these are constants."""

    number, count = 0, 0


def begin_call() -> None:
    _Call.count += 1
    _Call.number = _Call.count


def end_call() -> None:
    _Call.number = 0


def is_followed() -> bool:
    return _Call.number > 0


class LeftAlgebra(TypeError):
    """Something reads the numbers alone, so that what it makes of them is not followed."""


def words_of(residues: np.ndarray) -> np.ndarray:
    """Residues as the module in C++ takes them."""
    return np.ascontiguousarray(residues).reshape(-1).view(np.uint64).reshape(-1, 4)


def of_words(words: np.ndarray, shape: Tuple[int, ...]) -> np.ndarray:
    return np.asarray(words, np.uint64).reshape(-1).view(RESIDUE).reshape(shape)


def is_float(values: Any) -> bool:
    """Whether the numbers are of a float type: to NumPy, ml_dtypes.bfloat16 is none."""
    dtype = np.asarray(values).dtype
    return dtype.kind == "f" or dtype.name == "bfloat16"


def _doubles(values: Any) -> np.ndarray:
    return np.ascontiguousarray(values, np.float64).reshape(-1)


def residues_of(values: Any, are_constants: bool) -> np.ndarray:
    values = np.asarray(values, np.float64)
    if values.size > 64 and are_constants:  # masks, tables: of few numbers each
        known, index = np.unique(values, return_inverse=True)
        if known.size * 4 < values.size:
            return residues_of(known, True)[index].reshape(values.shape)
    return of_words(_core.residues_of(_doubles(values), are_constants), values.shape)


_TRAITS = 13  # the place of the traits among the 16-bit words of a residue, and the one of a constant without a name
_ROUNDED = 64


def is_number_of_note(constant: Any) -> bool:
    """Whether a constant is recognised as a number that programs mean (reference/number/residue_constant.h)."""
    return not int(residues_of(constant, True).reshape(1).view(np.uint16)[_TRAITS]) & _ROUNDED


def numbers_of(x: Any) -> Tuple[Any, np.ndarray]:
    """Values and residues of an operand: those of a constant are what it stands for."""
    return (x.values, x.residues) if isinstance(x, FollowedArray) else (x, residues_of(x, True))


def unknown(values: np.ndarray) -> "FollowedArray":
    """Numbers of which nothing is known."""
    residue = np.zeros(32, np.uint8)
    residue[24], residue[28] = 3, 5  # its kind, unknown, and its reason, a function that is not known
    return FollowedArray(np.asarray(values), np.broadcast_to(residue.view(RESIDUE).reshape(()), np.shape(values)).copy())


def elementwise(op: str, values: Any, *operands: Any) -> "FollowedArray":
    """What NumPy made of the operands, and the residues that `op` makes of theirs."""
    values = np.asarray(values)
    pairs = []
    for one in operands:
        own, residues = numbers_of(one)
        pairs.append((_doubles(np.broadcast_to(own, values.shape)), words_of(np.broadcast_to(residues, values.shape))))
    return FollowedArray(values, of_words(_core.residues_elementwise(op, pairs), values.shape))


def reduced(op: str, values: Any, x: "FollowedArray", axis: Any, is_scan: bool = False) -> "FollowedArray":
    """The residues of a reduction over axes, or of a scan along one; `values` are NumPy's."""
    axes = tuple(range(x.ndim)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    axes = tuple(a % x.ndim for a in axes)
    order = [a for a in range(x.ndim) if a not in axes] + list(axes)
    inner = int(np.prod([x.shape[a] for a in axes], dtype=np.int64))
    values = np.asarray(values)
    if inner == 0:
        return FollowedArray(values, residues_of(values, False))
    moved = _doubles(x.values.transpose(order)), words_of(x.residues.transpose(order))
    words = _core.residues_reduced(op, *moved, inner, is_scan)
    if not is_scan:
        return FollowedArray(values, of_words(words, values.shape))
    shape = [x.shape[a] for a in order]
    return FollowedArray(values, np.ascontiguousarray(of_words(words, tuple(shape)).transpose(np.argsort(order))))


def matmul(a: Any, b: Any) -> "FollowedArray":
    a, b = (one if isinstance(one, FollowedArray) else FollowedArray(np.asarray(one), residues_of(one, True)) for one in (a, b))
    values = np.matmul(a.values, b.values)
    left, right = (a[None] if a.ndim == 1 else a), (b[:, None] if b.ndim == 1 else b)
    batch = np.broadcast_shapes(left.shape[:-2], right.shape[:-2])
    pairs = []
    for one in (left, right):
        shape = (*batch, *one.shape[-2:])
        pairs.append((_doubles(np.broadcast_to(one.values, shape)), words_of(np.broadcast_to(one.residues, shape))))
    sizes = int(np.prod(batch, dtype=np.int64)), left.shape[-2], left.shape[-1], right.shape[-1]
    return FollowedArray(values, of_words(_core.residues_matmul(*pairs, *sizes), values.shape))


class FollowedArray(np.lib.mixins.NDArrayOperatorsMixin):
    """An array of numbers, `values`, beside what they stand for, `residues`. Views share both."""

    __slots__ = ("values", "_residues", "_call")
    __array_priority__ = 1000

    def __init__(self, values: np.ndarray, residues: np.ndarray) -> None:
        self.values, self._residues, self._call = np.asarray(values), residues, _Call.number

    @property
    def residues(self) -> np.ndarray:
        if self._call != _Call.number:
            self._call = _Call.number
            if self._residues.flags.writeable:  # views share them
                self._residues[...] = residues_of(self.values, True)
            else:
                self._residues = residues_of(self.values, True)
        return self._residues

    shape = property(lambda self: self.values.shape)
    dtype = property(lambda self: self.values.dtype)
    ndim = property(lambda self: self.values.ndim)
    size = property(lambda self: self.values.size)
    strides = property(lambda self: self.values.strides)
    flags = property(lambda self: self.values.flags)
    itemsize = property(lambda self: self.values.itemsize)
    nbytes = property(lambda self: self.values.nbytes)
    T = property(lambda self: FollowedArray(self.values.T, self.residues.T))
    real = property(lambda self: self)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        from ._followed_functions import apply_ufunc

        return apply_ufunc(ufunc, method, inputs, options)

    def __array_function__(self, function: Any, types: Any, args: Any, options: Any) -> Any:
        from ._followed_functions import apply_function

        return apply_function(function, args, options)

    def __array__(self, *_: Any, **__: Any) -> np.ndarray:
        if not is_followed():
            return self.values
        raise LeftAlgebra("compiled code or NumPy reads the numbers of a followed array")

    def __float__(self) -> float:
        if not is_followed():
            return float(self.values)
        raise LeftAlgebra("float() of a followed number")

    def __int__(self) -> int:
        return int(self.values)

    def __bool__(self) -> bool:
        return bool(self.values)

    def __len__(self) -> int:
        return len(self.values)

    def __iter__(self) -> Any:
        return (self[i] for i in range(len(self.values)))

    def __repr__(self) -> str:
        return f"followed({self.values!r})"

    def __getitem__(self, key: Any) -> "FollowedArray":
        key = _plain_key(key)
        return FollowedArray(self.values[key], np.asarray(self.residues[key], RESIDUE))

    def __setitem__(self, key: Any, value: Any) -> None:
        key = _plain_key(key)
        values, residues = numbers_of(value)
        self.values[key] = values
        self.residues[key] = residues

    def __deepcopy__(self, _: Any) -> "FollowedArray":
        return self.copy()

    def copy(self, order: str = "C") -> "FollowedArray":
        return FollowedArray(self.values.copy(), self.residues.copy())

    __copy__ = copy

    def astype(self, dtype: Any, *_: Any, **__: Any) -> Any:
        """A rounding changes no residue; whole numbers and flags follow the run."""
        values = self.values.astype(dtype)
        return FollowedArray(values, self.residues.copy()) if is_float(values) else values

    def fill(self, value: Any) -> None:
        self[...] = value

    def item(self, *at: int) -> "FollowedArray":
        return self[at] if at else self.reshape(())

    def tolist(self) -> Any:
        return [one.tolist() for one in self] if self.ndim else self

    def __getattr__(self, name: str) -> Any:
        """The methods of ndarray that are functions of NumPy too."""
        if name.startswith("__"):
            raise AttributeError(name)
        function: Optional[Callable[..., Any]] = getattr(np, name, None) if name in _METHODS else None
        if not is_followed():
            return getattr(self.values, name)
        if function is None:
            raise LeftAlgebra(f"ndarray.{name} reads the numbers of a followed array")
        return lambda *args, **options: function(self, *_as_shape(name, args), **options)


_METHODS = {"sum", "mean", "max", "min", "prod", "var", "std", "argmax", "argmin", "argsort", "reshape", "transpose", "squeeze",
            "ravel", "swapaxes", "take", "repeat", "clip", "cumsum", "cumprod", "dot", "any", "all", "round", "diagonal", "nonzero",
            "trace", "searchsorted"}  # fmt: skip


def _as_shape(name: str, args: Sequence[Any]) -> Sequence[Any]:
    """x.reshape(2, 3) and x.transpose(1, 0) take what np.reshape and np.transpose take as a tuple."""
    takes_many = name in ("reshape", "transpose") and args and not isinstance(args[0], (tuple, list, type(None)))
    return (tuple(args),) if takes_many else args


def _plain_key(key: Any) -> Any:
    if isinstance(key, tuple):
        return tuple(_plain_key(one) for one in key)
    return key.values if isinstance(key, FollowedArray) else key


def flatten(value: Any) -> List[Any]:
    return [one for part in value for one in flatten(part)] if isinstance(value, (list, tuple)) else [value]


def stacked(value: Any, dtype: Any = None) -> Any:
    """np.array of nested lists that hold followed arrays."""
    if isinstance(value, (list, tuple)):
        return np.stack([stacked(one) for one in value]) if value else np.full(0, 0.0)
    if isinstance(value, FollowedArray):
        return value
    return FollowedArray(np.asarray(value, np.float64), residues_of(value, True))


Table = Dict[Any, Callable[..., Any]]
