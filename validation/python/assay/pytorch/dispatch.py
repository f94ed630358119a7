"""How a call of PyTorch on traced tensors becomes rows of the table: names, arguments, types, views and writes in place.

A function that PyTorch writes in Python, such as torch.nn.functional.normalize, needs no row: its own body is run on the
traced tensors, and ends in functions that have one.
"""

from __future__ import annotations

import functools
import types
from typing import Any, Callable, Dict, Tuple

import numpy as np
import torch
import torch.nn.functional as F

from .._traced import NotTraceable
from .conversions import lowered_of, raised_of, tensors_in, traced_of
from .dtypes import CASTS, cast, dtype_of_result
from .moves import is_view
from .table import MOVES, RANDOM, ROWS
from .tensor import TracedTensor

_IGNORED = ("out", "layout", "device", "memory_format", "pin_memory", "requires_grad", "non_blocking", "copy", "_stacklevel")
_AS_OTHER = {"expand_as": "expand", "view_as": "view", "reshape_as": "reshape"}
_BODIES = ("torch.nn.functional", "torch.functional", "torch._tensor")
_NO_OVERRIDE = {
    name: (lambda *_: False) for name in ("has_torch_function", "has_torch_function_unary", "has_torch_function_variadic")
}


def _plain(name: str) -> Tuple[str, bool, bool]:
    """The name of a row, whether the operands are swapped, and whether the first is written in place."""
    if name in ROWS or name in MOVES or name in CASTS or name in _AS_OTHER:
        return name, False, False
    if name.startswith("__") and name.endswith("__"):
        word = name[2:-2]
        for prefix in ("", "r", "i"):
            if word.startswith(prefix) and f"__{word[len(prefix) :]}__" in ROWS:
                return f"__{word[len(prefix) :]}__", prefix == "r", prefix == "i"
    if name.endswith("_") and (name[:-1] in ROWS or name[:-1] in MOVES):
        return name[:-1], False, True
    raise NotTraceable(
        f"{name} is not among PyTorch's functions that can be traced; write it with others, such as arithmetic, "
        "torch.where, sums and products of matrices"
    )


def _options(name: str, options: Dict[str, Any]) -> Dict[str, Any]:
    if options.get("out") is not None:
        raise NotTraceable(f"{name}(out=...): expected a result of its own")
    options = {key: value for key, value in options.items() if key not in _IGNORED}
    for ours, others in (("dim", "axis"), ("keepdim", "keepdims")):
        if others in options:
            options[ours] = options.pop(others)
    return options


def _moved(xp: Any, name: str, args: Tuple[Any, ...], options: Dict[str, Any]) -> Any:
    """Elements at other places: a view, or a copy where PyTorch makes one."""
    tensor = traced_of(xp, args[0])
    got = MOVES[name](tensor.positions, *args[1:], **options)

    def placed(index: np.ndarray) -> TracedTensor:
        index = np.asarray(index)
        shares = is_view(name, args) or (name in ("reshape", "flatten", "ravel", "contiguous") and tensor.is_contiguous())
        seen = tensor.seen_as(index)
        return seen if shares else TracedTensor.of(seen.value, tensor.dtype)

    return type(got)(placed(one) for one in got) if isinstance(got, (tuple, list)) else placed(got)


def call_row(name: str, args: Tuple[Any, ...], options: Dict[str, Any]) -> Any:
    """The row called `name` of these arguments, of which at least one is traced."""
    if name in RANDOM:
        raise NotTraceable(f"{name} draws random numbers: expected a function of its inputs alone")
    row, is_swapped, in_place = _plain(name)
    tensors = tensors_in(list(args)) + tensors_in(options)
    xp = next(one for one in tensors if isinstance(one, TracedTensor)).xp
    xp.has_own_gradient = xp.has_own_gradient or not torch.is_grad_enabled()
    args, options = tuple(xp.current(one) for one in args), _options(name, {key: xp.current(one) for key, one in options.items()})
    if row in CASTS:
        return cast(xp, args[0], row, [*args[1:], *options.values()])
    if row in _AS_OTHER:  # of another tensor's shape
        return call_row(_AS_OTHER[row], (args[0], tuple(args[1].shape)), {})
    if is_swapped:
        args = (args[1], args[0], *args[2:])
    if row in MOVES and not any(isinstance(one, TracedTensor) for one in tensors_in(list(args[1:]))):
        xp.detaches = xp.detaches or row == "detach"
        result = _moved(xp, row, args, options)
        return args[0].become(result) if in_place else result
    wanted = options.pop("dtype", None)
    if row == "scaled_dot_product_attention":
        mask = options.get("attn_mask", args[3] if len(args) > 3 else None)
        options["mask_is_boolean"] = mask is not None and mask.dtype == torch.bool
    lowered = [lowered_of(xp, one) for one in args]
    if row == "__setitem__":
        return _set_item(xp, *args)
    try:
        result = ROWS[row](xp, *lowered, **{key: lowered_of(xp, one) for key, one in options.items()})
    except TypeError as error:
        if "argument" in str(error) and not isinstance(error, NotTraceable):
            raise NotTraceable(f"{name}: {str(error).replace('<lambda>()', 'it')}; such a call cannot be traced") from error
        raise
    if in_place:
        return next(iter(args)).write(result)
    return raised_of(result, wanted or dtype_of_result(row, args, tensors))


def _set_item(xp: Any, tensor: Any, key: Any, value: Any) -> Any:
    """x[key] = value. A boolean mask of the tensor's shape chooses elements; other keys are positions that are known."""
    value = lowered_of(xp, value)
    if isinstance(key, TracedTensor):
        if key.dtype != torch.bool:
            raise NotTraceable("x[index] = value with an index that depends on data: use torch.where or scatter")
        mask = xp.broadcast_to(xp.reshape(key.value, (*key.shape, *([1] * (tensor.ndim - key.ndim)))), tuple(tensor.shape))
        return tensor.write(xp.where(mask, value, tensor.value))
    part = traced_of(xp, tensor)[key]
    where = tensor.seen_as(np.asarray(MOVES["__getitem__"](tensor.positions, key)))
    return where.write(xp.broadcast_to(xp._array(value), tuple(part.shape)))


@functools.lru_cache(maxsize=None)
def _body_of(function: Callable[..., Any]) -> Callable[..., Any]:
    """PyTorch's own body of a Python function, which does not ask for an override first."""
    body = types.FunctionType(function.__code__, {**function.__globals__, **_NO_OVERRIDE}, function.__name__,
        function.__defaults__,
                              function.__closure__)  # fmt: skip
    body.__kwdefaults__ = function.__kwdefaults__
    return body


_OF_PYTHON = frozenset(name for name in ROWS if isinstance(getattr(F, name, None), types.FunctionType)
                       and getattr(F, name).__module__ == F.__name__)  # fmt: skip
# Whose arguments are others than those of the function in C++, or of the method, of this name.
_OTHER_ORDER = ("batch_norm", "instance_norm", "unfold", "tensordot")


def dispatched(function: Any, args: Tuple[Any, ...], options: Dict[str, Any]) -> Any:
    """The result of PyTorch's `function`, of whose arguments at least one is traced."""
    name = getattr(function, "__name__", str(function))
    if name == "__get__":  # a property of an ordinary tensor that was written to
        return getattr(args[0], function.__self__.__name__)
    is_python = isinstance(function, types.FunctionType) and function.__module__ in _BODIES
    if is_python and (name not in ROWS and name not in MOVES or name in _OTHER_ORDER or name in _BY_BODY):
        return _body_of(function)(*args, **options)
    if name in _ATTRIBUTES and isinstance(args[0], TracedTensor):
        return getattr(args[0], name)(*args[1:], **options)
    return call_row(name, args, options)


# Losses and activations whose Python functions take words ("mean", "none") or inplace=, which their bodies translate.
_BY_BODY = frozenset(
    name for name in _OF_PYTHON if name.endswith("_loss") or "inplace" in getattr(F, name).__code__.co_varnames
    or name in ("softmax", "log_softmax", "softmin", "binary_cross_entropy", "binary_cross_entropy_with_logits", "kl_div",
        "embedding",
                "dropout", "glu", "rms_norm", "layer_norm", "group_norm")
)  # fmt: skip
_ATTRIBUTES = ("size", "dim", "numel", "nelement", "is_floating_point", "is_complex", "stride", "is_contiguous", "item", "tolist")
