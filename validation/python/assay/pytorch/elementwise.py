"""Rows of functions of single elements: arithmetic, comparisons, activations."""

from __future__ import annotations

import math
from typing import Any, Dict

from .._traced import NotTraceable


def _add(xp: Any, input: Any, other: Any, alpha: Any = 1) -> Any:
    return xp.add(input, other if alpha == 1 else alpha * xp._array(other))


def _sub(xp: Any, input: Any, other: Any, alpha: Any = 1) -> Any:
    return xp.subtract(input, other if alpha == 1 else alpha * xp._array(other))


def _div(xp: Any, input: Any, other: Any, rounding_mode: Any = None) -> Any:
    quotient = xp.divide(input, other)
    return quotient if rounding_mode is None else xp.floor(quotient) if rounding_mode == "floor" else xp.trunc(quotient)


def _pow(xp: Any, input: Any, exponent: Any) -> Any:
    """Powers that kernels compute by products, quotients and roots are these."""
    number = exponent if isinstance(exponent, (int, float)) else None
    if number in (1, 2, 3, 4):
        return xp._array(input) ** int(number) if number != 1 else xp._array(input)
    if number in (-1, -2, -3, -4):
        return 1 / _pow(xp, input, -number)
    if number in (0.5, -0.5):
        return xp.sqrt(input) if number > 0 else 1 / xp.sqrt(input)
    return xp.pow(input, exponent)


def _clamp(xp: Any, input: Any, min: Any = None, max: Any = None) -> Any:
    if min is not None:
        input = xp.maximum(input, min)
    return input if max is None else xp.minimum(input, max)


def _remainder(xp: Any, input: Any, other: Any) -> Any:
    return xp._array(input) - xp.floor(xp.divide(input, other)) * other


def _softplus(xp: Any, input: Any, beta: Any = 1, threshold: Any = 20) -> Any:
    scaled = input if beta == 1 else beta * input
    soft = xp.logaddexp(scaled, 0)
    return xp.where(xp.less(threshold, scaled), input, soft if beta == 1 else soft / beta)


def _gelu(xp: Any, input: Any, approximate: str = "none") -> Any:
    """x (1 + erf) / 2 with erfc in between: PyTorch's erf is off by some roundoffs of 1, near 0 too."""
    if approximate == "none":
        return input * (1 - 0.5 * (1 - xp.erf(input * math.sqrt(0.5))))
    return 0.5 * input * (1 + xp.tanh(math.sqrt(2 / math.pi) * (input + 0.044715 * input**3)))


def _elu(xp: Any, input: Any, alpha: Any = 1, scale: Any = 1, input_scale: Any = 1) -> Any:
    """exp(x) - 1, as its page has it and PyTorch computes it: near 0 a roundoff of 1 is lost, which expm1 keeps."""
    low = xp.minimum(input, 0)
    low = alpha * (xp.exp(low if input_scale == 1 else input_scale * low) - 1)
    return scale * xp.where(xp.less(0, input), input, low)


_SELU = (1.6732632423543772848170429916717, 1.0507009873554804934193349852946)


def _prelu(xp: Any, input: Any, weight: Any) -> Any:
    if weight.size > 1:
        weight = xp.reshape(weight, (1, weight.size, *([1] * (input.ndim - 2))))
    return xp.where(xp.less(0, input), input, weight * input)


def _leaky_relu(xp: Any, input: Any, negative_slope: Any = 0.01) -> Any:
    return xp.where(xp.less(0, input), input, negative_slope * input)


def _rrelu(xp: Any, input: Any, lower: Any = 1 / 8, upper: Any = 1 / 3, training: bool = False, *_: Any) -> Any:
    if training:
        raise NotTraceable("rrelu in training mode draws random numbers: expected a function of its inputs alone")
    return _leaky_relu(xp, input, (lower + upper) / 2)


def _dropout(xp: Any, input: Any, p: Any = 0.5, train: bool = True, **_: Any) -> Any:
    if train and p > 0:
        raise NotTraceable("dropout in training mode draws random numbers: call eval() of the module, or pass training=False")
    return input


def _glu(xp: Any, input: Any, dim: int = -1) -> Any:
    half = input.shape[dim] // 2
    index = [slice(None)] * input.ndim
    index[dim] = slice(half)
    first = input[tuple(index)]
    index[dim] = slice(half, None)
    return first * xp.sigmoid(input[tuple(index)])


def _masked_fill(xp: Any, input: Any, mask: Any, value: Any) -> Any:
    return xp.where(mask, value, input)


def _where(xp: Any, condition: Any, input: Any = None, other: Any = None) -> Any:
    if input is None:
        raise NotTraceable("torch.where(condition) alone, whose shape depends on data: expected torch.where(condition, a, b)")
    return xp.where(condition, input, other)


def _hyperbolic(xp: Any, x: Any, sign: int) -> Any:
    return (xp.exp(x) + sign * xp.exp(-x)) / 2


def _bitwise_not(xp: Any, input: Any) -> Any:
    return 1 - input


def _direct(name: str) -> Any:
    return lambda xp, input: getattr(xp, name)(input)


def _of_two(name: str) -> Any:
    return lambda xp, input, other: getattr(xp, name)(input, other)


_UNARY = {one: one for one in ("exp", "expm1", "log", "log1p", "sqrt", "sigmoid", "tanh", "abs", "sign", "negative", "sin", "cos",
                               "erf", "floor", "ceil", "trunc", "exp2", "log2", "log10", "isnan", "isinf", "isfinite",
                               "logical_not")}  # fmt: skip
_UNARY.update(neg="negative", absolute="abs", sgn="sign", fix="trunc", special_erf="erf", special_expm1="expm1",
              special_log1p="log1p", special_exp2="exp2", special_expit="sigmoid", __neg__="negative", __abs__="abs")  # fmt: skip
_BINARY = {one: one for one in ("maximum", "minimum", "logaddexp", "less", "less_equal", "greater", "greater_equal", "not_equal",
                                "logical_and", "logical_or", "logical_xor")}  # fmt: skip
_BINARY.update(mul="multiply", multiply="multiply", __mul__="multiply", __sub__="subtract", __add__="add", __truediv__="divide",
               lt="less", le="less_equal", gt="greater", ge="greater_equal", eq="equal", ne="not_equal", __lt__="less",
               __le__="less_equal", __gt__="greater", __ge__="greater_equal", __eq__="equal", __ne__="not_equal", fmax="maximum",
               fmin="minimum", __and__="logical_and", __or__="logical_or", __xor__="logical_xor", bitwise_and="logical_and",
               bitwise_or="logical_or", bitwise_xor="logical_xor")  # fmt: skip

ROWS: Dict[str, Any] = {
    **{name: _direct(of) for name, of in _UNARY.items()}, **{name: _of_two(of) for name, of in _BINARY.items()},
    "add": _add, "sub": _sub, "subtract": _sub, "rsub": lambda xp, input, other, alpha=1: _sub(xp, other, input, alpha),
    "div": _div, "divide": _div, "true_divide": _div, "pow": _pow, "__pow__": _pow, "float_power": _pow,
    "floor_divide": lambda xp, input, other: _div(xp, input, other, "floor"),
    "__floordiv__": lambda xp, input, other: _div(xp, input, other, "floor"),
    "remainder": _remainder, "__mod__": _remainder,
    "fmod": lambda xp, input, other: xp._array(input) - xp.trunc(xp.divide(input, other)) * other,
    "__invert__": _bitwise_not, "bitwise_not": _bitwise_not, "__pos__": lambda xp, input: input, "positive": lambda xp,
    input: input,
    "round": lambda xp, input, decimals=0: xp.round(input) if not decimals else xp.round(input * 10**decimals) / 10**decimals,
    "frac": lambda xp, input: input - xp.trunc(input), "square": lambda xp, input: input**2,
    "rsqrt": lambda xp, input: 1 / xp.sqrt(input), "reciprocal": lambda xp, input: 1 / input,
    "tan": lambda xp, input: xp.sin(input) / xp.cos(input), "erfc": lambda xp, input: 1 - xp.erf(input),
    "sinh": lambda xp, input: _hyperbolic(xp, input, -1), "cosh": lambda xp, input: _hyperbolic(xp, input, 1),
    "logaddexp2": lambda xp, input, other: xp.logaddexp(input * math.log(2), other * math.log(2)) / math.log(2),
    "hypot": lambda xp, input, other: xp.sqrt(input**2 + other**2),
    "clamp": _clamp, "clip": _clamp, "clamp_min": lambda xp, input, min: _clamp(xp, input, min),
    "clamp_max": lambda xp, input, max: _clamp(xp, input, None, max), "where": _where, "masked_fill": _masked_fill,
    "lerp": lambda xp, input, end, weight: input + weight * (end - input),
    "addcmul": lambda xp, input, tensor1, tensor2, value=1: input + value * tensor1 * tensor2,
    "addcdiv": lambda xp, input, tensor1, tensor2, value=1: input + value * tensor1 / tensor2,
    "relu": lambda xp, input: xp.maximum(input, 0), "relu6": lambda xp, input: _clamp(xp, input, 0, 6),
    "hardtanh": lambda xp, input, min_val=-1.0, max_val=1.0: _clamp(xp, input, min_val, max_val),
    "hardsigmoid": lambda xp, input: _clamp(xp, input + 3, 0, 6) / 6,
    "hardswish": lambda xp, input: input * _clamp(xp, input + 3, 0, 6) / 6,
    "silu": lambda xp, input: input * xp.sigmoid(input),
    "softplus": _softplus, "mish": lambda xp, input: input * xp.tanh(xp.logaddexp(input, 0)), "gelu": _gelu,
    "log_sigmoid": lambda xp, input: -xp.logaddexp(-input, 0), "logsigmoid": lambda xp, input: -xp.logaddexp(-input, 0),
    "elu": _elu, "selu": lambda xp, input: _elu(xp, input, *_SELU),
    "celu": lambda xp, input, alpha=1.0: xp.where(xp.less(0, input), input, alpha * (xp.exp(xp.minimum(input, 0) / alpha) - 1)),
    "leaky_relu": _leaky_relu, "prelu": _prelu, "_prelu_kernel": _prelu, "rrelu": _rrelu, "glu": _glu,
    "threshold": lambda xp, input, threshold, value: xp.where(xp.less(threshold, input), input, value),
    "hardshrink": lambda xp, input, lambd=0.5: xp.where(xp.less_equal(xp.abs(input), lambd), 0, input),
    "softshrink": lambda xp, input, lambd=0.5: xp.where(
        xp.less(lambd, input), input - lambd, xp.where(xp.less(input, -lambd), input + lambd, 0)),
    "logit": lambda xp, input,
    eps=None: xp.log(input / (1 - input)) if eps is None else ROWS["logit"](xp, _clamp(xp, input, eps, 1 - eps)),
    "dropout": _dropout, "dropout1d": _dropout, "feature_dropout": _dropout, "alpha_dropout": _dropout,
    "feature_alpha_dropout": _dropout,
    "fill": lambda xp, input, value: xp.broadcast_to(xp._array(value), input.shape),
    "zero": lambda xp, input: xp.zeros(input.shape), "copy": lambda xp, input, src: xp._array(src),
    "xlogy": lambda xp, input, other: xp.where(xp.equal(input, 0), 0, input * xp.log(other)),
}  # fmt: skip
