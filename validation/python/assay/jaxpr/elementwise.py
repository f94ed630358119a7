"""Rows of primitives of single elements."""

from __future__ import annotations

from functools import partial
from typing import Any, Callable, Dict

import numpy as np

from .._formats import format_of_type
from .._traced import NotTraceable
from .values import is_known, is_real


def _hyperbolic(xp: Any, x: Any, sign: int) -> Any:
    return (xp.exp(x) + sign * xp.exp(-x)) / 2


def _plain(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda xp, eqn, *values: function(xp, *(xp._array(one) for one in values))


def _named(name: str) -> Callable[..., Any]:
    return _plain(lambda xp, *values: getattr(xp, name)(*values))


def _is_real(eqn: Any) -> bool:
    return is_real(eqn.outvars[0].aval.dtype)


def _divide(xp: Any, eqn: Any, a: Any, b: Any) -> Any:
    """A sum over as many elements as it is divided by is a mean, which kernels may take as a running one."""
    if not _is_real(eqn):
        return xp.trunc(xp.divide(a, b))
    count = float(np.reshape(b, -1)[0]) if is_known(b) and np.size(b) and np.all(b == np.reshape(b, -1)[0]) else 0
    summed, axes, of = (None, (), 0) if is_known(a) else xp.sums.get(a._node, (None, (), 0))
    if summed is None or count not in (of, of - 1) or count <= 0:
        return xp.divide(a, b)
    return xp.reshape(xp._reduce("sum", summed, axes, False, running=True), a.shape) / count


def _remainder(xp: Any, a: Any, b: Any) -> Any:
    return a - xp.trunc(xp.divide(a, b)) * b


def _power(xp: Any, eqn: Any, x: Any, p: Any) -> Any:
    if is_known(p) and np.size(p) and np.all(p == np.reshape(p, -1)[0]):
        return xp.pow(xp._array(x), float(np.reshape(p, -1)[0]))
    return xp.pow(xp._array(x), xp._array(p))


def _logical(name: str, xp: Any, eqn: Any, *values: Any) -> Any:
    if eqn.outvars[0].aval.dtype != bool:
        raise NotTraceable(f"{eqn.primitive.name} of the bits of whole numbers that depend on data: expected booleans")
    return getattr(xp, name)(*(xp._array(one) for one in values))


def _select(xp: Any, eqn: Any, which: Any, *cases: Any) -> Any:
    if eqn.invars[0].aval.dtype == bool:
        return xp.where(xp._array(which), *(xp._array(one) for one in reversed(cases)))
    result = xp._array(cases[0])
    for k, one in enumerate(cases[1:], 1):
        result = xp.where(xp.equal(which, k), xp._array(one), result)
    return result


def _clamp(xp: Any, low: Any, x: Any, high: Any) -> Any:
    return xp.minimum(xp.maximum(x, low), high)


def _round(xp: Any, eqn: Any, x: Any) -> Any:
    if int(eqn.params["rounding_method"]) != 1:
        raise NotTraceable("lax.round away from 0 at ties: expected jnp.round, which takes ties to even")
    return xp.round(x)


def _cast(xp: Any, dtype: np.dtype[Any], x: Any) -> Any:
    """Numbers of 8 bits and fewer are part of the formula."""
    to = format_of_type(dtype.name)
    if to is None or to.name == "e8m0":
        known = "float8_e4m3fn, float8_e5m2, float8_e4m3fnuz, float8_e5m2fnuz, float4_e2m1fn"
        raise NotTraceable(f"a cast to {dtype.name}: expected one to {known}")
    xp.casts = xp.rounds = True
    return xp.cast(xp._array(x), to.name, overflow="nonfinite", gradient="rounded")


def _convert(xp: Any, eqn: Any, x: Any) -> Any:
    """Another type of the same numbers: what a float type of 16 bits and more rounds is declared. Whole numbers of a float are those towards 0."""
    old, new = eqn.invars[0].aval.dtype, np.dtype(eqn.params["new_dtype"])
    if is_real(new) and new.itemsize == 1:
        return _cast(xp, new, x)
    if is_real(new):
        if not is_known(x) and is_real(old) and np.dtype(old).itemsize == 1:
            return x * 1  # numbers, and no codes
        xp.rounds = xp.rounds or (is_real(old) and new.itemsize < np.dtype(old).itemsize)
        return np.asarray(x, np.float64) if is_known(x) else x
    if is_known(x):
        return np.asarray(x).astype(new)
    if new == bool:
        return xp.not_equal(x, 0)
    return xp.trunc(x) if is_real(old) else x


def _reduced_precision(xp: Any, eqn: Any, x: Any) -> Any:
    xp.rounds = True
    return x


_DIRECT = {"exp": "exp", "exp2": "exp2", "expm1": "expm1", "log": "log", "log1p": "log1p", "sqrt": "sqrt", "sin": "sin",
           "cos": "cos", "tanh": "tanh", "erf": "erf", "abs": "abs", "sign": "sign", "neg": "negative", "floor": "floor",
           "ceil": "ceil", "add": "add", "add_any": "add", "sub": "subtract", "mul": "multiply", "max": "maximum",
           "min": "minimum", "eq": "equal", "ne": "not_equal", "lt": "less", "le": "less_equal", "gt": "greater",
           "ge": "greater_equal", "is_finite": "isfinite", "square": "square"}  # fmt: skip

ROWS: Dict[str, Callable[..., Any]] = {
    **{name: _named(of) for name, of in _DIRECT.items()},
    "div": _divide, "pow": _power, "rem": _plain(_remainder), "select_n": _select, "clamp": _plain(_clamp), "round": _round,
    "integer_pow": lambda xp, eqn, x: xp.pow(xp._array(x), eqn.params["y"]),
    "rsqrt": _plain(lambda xp, x: 1 / xp.sqrt(x)), "logistic": _plain(lambda xp, x: xp.sigmoid(x)), "erfc": _plain(lambda xp, x: 1 - xp.erf(x)),
    "tan": _plain(lambda xp, x: xp.sin(x) / xp.cos(x)), "sinh": _plain(lambda xp, x: _hyperbolic(xp, x, -1)),
    "cosh": _plain(lambda xp, x: _hyperbolic(xp, x, 1)), "convert_element_type": _convert,
    "reduce_precision": _reduced_precision,
    **{name: partial(_logical, f"logical_{name}") for name in ("not", "and", "or", "xor")},
}  # fmt: skip
