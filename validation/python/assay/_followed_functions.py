"""The functions of NumPy that followed arrays know: of each how its residues come about."""

from __future__ import annotations

from typing import Any, Callable, Dict, Sequence, Tuple

import numpy as np

from ._followed import (
    FollowedArray,
    LeftAlgebra,
    Table,
    elementwise,
    is_float,
    is_followed,
    matmul,
    numbers_of,
    reduced,
    unknown,
)

# By the names of ufuncs: those whose rule has another name or is written with others.
_SAME = {"add", "subtract", "multiply", "divide", "maximum", "minimum", "logaddexp", "power", "negative", "exp", "expm1", "exp2", "log",
         "log1p", "log2", "sqrt", "sin", "cos", "erf", "floor", "tanh", "sign"}  # fmt: skip
_RENAMED = {"true_divide": "divide", "fmax": "maximum", "fmin": "minimum", "float_power": "power", "absolute": "abs", "fabs": "abs",
            "rint": "round", "expit": "sigmoid"}  # fmt: skip
_REDUCED = {
    "add": "sum",
    "multiply": "product",
    "maximum": "largest",
    "minimum": "smallest",
    "fmax": "largest",
    "fmin": "smallest",
}


def _log10(x: Any) -> Any:
    return np.log(x) * 0.4342944819032518


def _sinh(x: Any) -> Any:
    return (np.exp(x) - np.exp(-x)) / 2


def _cosh(x: Any) -> Any:
    return (np.exp(x) + np.exp(-x)) / 2


_WRITTEN: Dict[str, Callable[..., Any]] = {
    "positive": lambda x: x, "square": lambda x: x * x, "reciprocal": lambda x: 1 / x, "log10": _log10,
    "ceil": lambda x: -np.floor(-x), "tan": lambda x: np.sin(x) / np.cos(x), "sinh": _sinh, "cosh": _cosh,
    "cbrt": lambda x: np.power(x, 1 / 3), "erfc": lambda x: 1 - _erf(x),
    "logaddexp2": lambda a, b: np.log2(np.exp2(a) + np.exp2(b)), "hypot": lambda a, b: np.sqrt(a * a + b * b),
    "clip": lambda x, low, high: np.minimum(np.maximum(x, low), high),
}  # fmt: skip


def _erf(x: FollowedArray) -> FollowedArray:
    return elementwise("erf", x.values, x)  # only the residue counts


def _plain(x: Any) -> Any:
    if isinstance(x, (tuple, list)):
        return type(x)(_plain(one) for one in x)
    return x.values if isinstance(x, FollowedArray) else x


def apply_ufunc(ufunc: Any, method: str, inputs: Sequence[Any], options: Dict[str, Any]) -> Any:
    if not is_followed():
        return getattr(ufunc, method)(*_plain(tuple(inputs)), **{key: _plain(one) for key, one in options.items()})
    out = options.pop("out", (None,))[0]
    if method in ("reduce", "accumulate"):
        options = {**options, "axis": inputs[1] if len(inputs) > 1 else options.get("axis", 0)}
        result = _folded(ufunc, method, inputs[0], options)
    elif method == "at" and ufunc in (np.add, np.subtract):
        return _added_at(ufunc, *inputs)
    elif method == "outer":
        a, b = inputs
        result = ufunc(np.reshape(a, np.shape(a) + (1,) * np.ndim(b)), b)
    elif method == "__call__":
        result = _called(ufunc, inputs, options)
    else:
        raise LeftAlgebra(f"np.{ufunc.__name__}.{method} is not followed")
    return result if out is None else _written(out, result)


def _written(out: Any, result: Any) -> Any:
    if isinstance(out, FollowedArray):
        out[...] = result
    elif isinstance(result, FollowedArray):
        raise LeftAlgebra("a followed number is written into an array that is not followed")
    else:
        out[...] = result
    return out


def _called(ufunc: Any, inputs: Sequence[Any], options: Dict[str, Any]) -> Any:
    if options.get("where", True) is not True:
        raise LeftAlgebra(f"np.{ufunc.__name__} with where=")
    if ufunc is np.matmul:
        return matmul(*inputs)
    values = ufunc(*(_plain(one) for one in inputs), **options)
    if isinstance(values, tuple) or not is_float(values):
        return values  # comparisons and whole numbers follow the run
    name = ufunc.__name__
    if name in _WRITTEN:
        return FollowedArray(np.asarray(values), _WRITTEN[name](*inputs).residues)
    rule = name if name in _SAME else _RENAMED.get(name)
    return unknown(values) if rule is None else elementwise(rule, values, *inputs)


def _folded(ufunc: Any, method: str, x: Any, options: Dict[str, Any]) -> Any:
    axis, keepdims, initial = options.get("axis"), options.get("keepdims", False), options.get("initial")
    if options.get("where", True) is not True:
        raise LeftAlgebra(f"np.{ufunc.__name__}.{method} with where=")
    numbers = {key: _plain(value) for key, value in options.items() if value is not None or key == "axis"}
    values = getattr(ufunc, method)(x.values, **numbers)
    if not is_float(values):
        return values
    if ufunc.__name__ not in _REDUCED:
        return _folded_in_turn(ufunc, method, x, axis, keepdims)
    result = reduced(_REDUCED[ufunc.__name__], values, x, axis, method == "accumulate")
    is_neutral = initial is None or isinstance(initial, type(np._NoValue)) or x.size == 0 or _plain(initial) == ufunc.identity
    return result if is_neutral or np.isinf(_plain(initial)) else FollowedArray(values, ufunc(result, initial).residues)


def _folded_in_turn(ufunc: Any, method: str, x: FollowedArray, axis: Any, keepdims: bool) -> FollowedArray:
    rows = np.moveaxis(x, axis, 0)
    so_far = [rows[0]]
    for k in range(1, len(rows)):
        so_far.append(ufunc(so_far[-1], rows[k]))
    if method == "accumulate":
        return np.moveaxis(np.stack(so_far), 0, axis)  # type: ignore[return-value]
    return np.expand_dims(so_far[-1], axis) if keepdims else so_far[-1]  # type: ignore[return-value]


def _added_at(ufunc: Any, x: Any, index: Any, terms: Any) -> None:
    if not isinstance(x, FollowedArray):
        raise LeftAlgebra("a followed number is added into an array that is not followed")
    places = np.arange(x.size).reshape(x.shape)[_plain(index)]
    values, residues = numbers_of(terms)
    values, residues = np.broadcast_to(values, places.shape), np.broadcast_to(residues, places.shape)
    for place, at in zip(places.reshape(-1), np.ndindex(places.shape)):
        one = np.unravel_index(place, x.shape)
        x[one] = ufunc(x[one], FollowedArray(values[at], np.asarray(residues[at], residues.dtype)))


def _moved(function: Any) -> Callable[..., Any]:
    """A function that only moves elements."""

    def moved(*args: Any, **options: Any) -> Any:
        parts = [_with(args, options, function, side) for side in (0, 1)]
        if isinstance(parts[0], (list, tuple)):
            return [FollowedArray(*both) for both in zip(*parts)]
        return FollowedArray(*parts)

    return moved


def _with(args: Any, options: Any, function: Any, side: int) -> Any:
    return function(*(_side(one, side) for one in args), **{key: _plain(one) for key, one in options.items() if key != "out"})


def _side(x: Any, side: int) -> Any:
    return (x.values, x.residues)[side] if isinstance(x, FollowedArray) else x


def _joined(function: Any) -> Callable[..., Any]:
    def joined(arrays: Any, *args: Any, **options: Any) -> Any:
        pairs = [numbers_of(one) for one in arrays]
        return FollowedArray(*(function([np.asarray(pair[side]) for pair in pairs], *args, **options) for side in (0, 1)))

    return joined


def _by_ufunc(ufunc: Any, method: str, axis_of_none: Any = None) -> Callable[..., Any]:
    def folded(x: Any, axis: Any = None, dtype: Any = None, out: Any = None, **options: Any) -> Any:
        if method == "accumulate" and axis is None:
            x, axis = np.ravel(x), 0
        options = {key: one for key, one in options.items() if not isinstance(one, type(np._NoValue))}
        result = apply_ufunc(ufunc, method, [x], {"axis": axis, "dtype": dtype, **options})
        return result if out is None else _written(out, result)

    return folded


def _mean(x: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False) -> Any:
    total = np.sum(x, axis=axis, dtype=dtype, keepdims=keepdims)
    return _with_values(np.mean(x.values, axis=axis, dtype=dtype, keepdims=keepdims), total / (x.size / max(total.size, 1)))


def _var(x: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: int = 0, keepdims: bool = False) -> Any:
    shifted = x - _mean(x, axis, dtype, None, True)
    total = np.sum(shifted * shifted, axis=axis, keepdims=keepdims)
    return _with_values(np.var(x.values, axis=axis, dtype=dtype, ddof=ddof, keepdims=keepdims),
                        total / (x.size / max(total.size, 1) - ddof))  # fmt: skip


def _with_values(values: Any, followed: FollowedArray) -> FollowedArray:
    return FollowedArray(np.asarray(values), followed.residues)


def _std(x: Any, *args: Any, **options: Any) -> Any:
    return _with_values(np.std(x.values, *args, **options), np.sqrt(_var(x, *args, **options)))


def _where(condition: Any, *choices: Any) -> Any:
    if not choices:
        return np.where(_plain(condition))
    pairs = [numbers_of(one) for one in choices]
    condition = _plain(condition)
    values = np.where(condition, *(one[0] for one in pairs))
    return FollowedArray(values, np.where(condition, *(np.broadcast_to(one[1], values.shape) for one in pairs)))


def _sort(x: Any, axis: int = -1, **options: Any) -> Any:
    return np.take_along_axis(x, np.argsort(x.values, axis=axis, **options), axis)


def _like(number: Any) -> Callable[..., Any]:
    def filled(x: Any, *args: Any, dtype: Any = None, shape: Any = None, **options: Any) -> Any:
        value = args[0] if args and number is None else options.get("fill_value", number)
        values = np.full(_plain(x).shape if shape is None else shape, _plain(value), dtype or x.dtype)
        if not is_float(values):
            return values
        return FollowedArray(values, np.broadcast_to(numbers_of(value)[1], values.shape).copy())

    return filled


def _tril(x: Any, k: int = 0) -> Any:
    return _where(np.tril(np.ones(x.shape, bool), k), x, 0)


def _triu(x: Any, k: int = 0) -> Any:
    return _where(np.triu(np.ones(x.shape, bool), k), x, 0)


def _dot(a: Any, b: Any, out: Any = None) -> Any:
    if np.ndim(a) == 0 or np.ndim(b) == 0:
        return a * b
    return matmul(a, b) if np.ndim(b) <= 2 else einsum_of("...a,...ab->...b", a, b)


def einsum_of(subscripts: str, *operands: Any, **_: Any) -> Any:
    """Products over all letters, summed over those that the result does not have."""
    if "." in subscripts or not isinstance(subscripts, str):
        raise LeftAlgebra("np.einsum with an ellipsis or lists")
    given, _, due = subscripts.replace(" ", "").partition("->")
    terms = given.split(",")
    if "->" not in subscripts:
        due = "".join(sorted(one for one in set("".join(terms)) if "".join(terms).count(one) == 1))
    letters = due + "".join(sorted(set("".join(terms)) - set(due)))
    values = np.einsum(subscripts, *(_plain(one) for one in operands))
    product: Any = None
    for term, one in zip(terms, operands):
        if len(set(term)) != len(term):
            raise LeftAlgebra("np.einsum with a diagonal")
        here = [letter for letter in letters if letter in term]
        moved = np.transpose(one, [term.index(letter) for letter in here])
        moved = np.reshape(moved, [moved.shape[here.index(letter)] if letter in term else 1 for letter in letters])
        product = moved if product is None else product * moved
    rest = tuple(range(len(due), len(letters)))
    return _with_values(values, np.sum(product, axis=rest) if rest else product)


def _tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    if isinstance(axes, int):
        axes = list(range(np.ndim(a) - axes, np.ndim(a))), list(range(axes))
    left, right = ([one] if isinstance(one, int) else list(one) for one in axes)
    names = [chr(ord("a") + i) for i in range(np.ndim(a) + np.ndim(b))]
    first, second = names[: np.ndim(a)], names[np.ndim(a) :]
    for i, j in zip(left, right):
        second[j] = first[i]
    due = [one for one in [*first, *second] if (one in first) != (one in second)]
    return einsum_of(f"{''.join(first)},{''.join(second)}->{''.join(due)}", a, b)


def _norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    if ord not in (None, 2) or (ord == 2 and isinstance(axis, tuple)):
        raise LeftAlgebra(f"np.linalg.norm with ord={ord!r}")
    return np.sqrt(np.sum(x * x, axis=axis, keepdims=keepdims))


def _copyto(out: Any, value: Any, casting: str = "", where: Any = True) -> None:
    if not isinstance(out, FollowedArray):
        raise LeftAlgebra("a followed number is copied into an array that is not followed")
    out[...] = value if where is True else _where(where, value, out)


def _put_along_axis(x: Any, index: Any, values: Any, axis: int) -> None:
    own, residues = numbers_of(values)
    np.put_along_axis(x.values, index, own, axis)
    np.put_along_axis(x.residues, index, residues, axis)


def _reading(function: Any) -> Callable[..., Any]:
    """A function whose result follows the run: positions, flags, shapes."""
    return lambda *args, **options: function(*_plain(args), **{key: _plain(one) for key, one in options.items()})


def _table() -> Table:
    moves = (np.reshape, np.transpose, np.moveaxis, np.swapaxes, np.squeeze, np.expand_dims, np.broadcast_to, np.take,
             np.take_along_axis, np.repeat, np.tile, np.flip, np.fliplr, np.flipud, np.roll, np.rollaxis, np.rot90, np.ravel,
             np.diagonal, np.diag, np.copy, np.split, np.array_split, np.hsplit, np.vsplit, np.atleast_1d, np.atleast_2d, np.compress,
             np.delete, np.broadcast_arrays)  # fmt: skip
    joins = (np.concatenate, np.stack, np.vstack, np.hstack, np.dstack, np.column_stack)
    reads = (np.argmax, np.argmin, np.argsort, np.argpartition, np.any, np.all, np.nonzero, np.flatnonzero, np.count_nonzero, np.shape,
             np.ndim, np.size, np.searchsorted, np.allclose, np.isclose, np.array_equal, np.argwhere, np.may_share_memory,
             np.shares_memory, np.result_type, np.unique, np.iscomplexobj, np.isrealobj)  # fmt: skip
    table: Table = {**{one: _moved(one) for one in moves}, **{one: _joined(one) for one in joins},
                    **{one: _reading(one) for one in reads}}  # fmt: skip
    for name, ufunc in (("sum", np.add), ("prod", np.multiply), ("max", np.maximum), ("amax", np.maximum), ("min", np.minimum),
                        ("amin", np.minimum)):  # fmt: skip
        table[getattr(np, name)] = _by_ufunc(ufunc, "reduce")
    table.update({
        np.cumsum: _by_ufunc(np.add, "accumulate"), np.cumprod: _by_ufunc(np.multiply, "accumulate"), np.mean: _mean, np.var: _var,
        np.std: _std, np.where: _where, np.sort: _sort, np.zeros_like: _like(0.0), np.empty_like: _like(0.0), np.ones_like: _like(1.0),
        np.full_like: _like(None), np.tril: _tril, np.triu: _triu, np.dot: _dot, np.inner: lambda a, b: _dot(a, np.transpose(b)),
        np.outer: lambda a, b: np.multiply.outer(np.ravel(a), np.ravel(b)), np.vdot: lambda a, b: _dot(np.ravel(a), np.ravel(b)),
        np.einsum: einsum_of, np.tensordot: _tensordot, np.linalg.norm: _norm, np.copyto: _copyto, np.put_along_axis: _put_along_axis,
        np.clip: lambda x, low=None, high=None, out=None, **_: _clipped(x, low, high), np.diff: _diff, np.trace: _trace,
        np.append: lambda x, y, axis=None: np.concatenate([np.ravel(x), np.ravel(y)] if axis is None else [x, y], axis=axis or 0),
    })  # fmt: skip
    return table


def _clipped(x: Any, low: Any, high: Any) -> Any:
    x = x if low is None else np.maximum(x, low)
    return x if high is None else np.minimum(x, high)


def _diff(x: Any, n: int = 1, axis: int = -1) -> Any:
    for _ in range(n):
        rows = np.moveaxis(x, axis, 0)
        x = np.moveaxis(rows[1:] - rows[:-1], 0, axis)
    return x


def _trace(x: Any) -> Any:
    return np.sum(np.diagonal(x))


_TABLE = _table()


def apply_function(function: Any, args: Tuple[Any, ...], options: Dict[str, Any]) -> Any:
    if not is_followed():
        return function(*_plain(args), **{key: _plain(one) for key, one in options.items()})
    known = _TABLE.get(function)
    if known is None:
        raise LeftAlgebra(f"np.{getattr(function, '__name__', function)} is not followed")
    return known(*args, **options)
