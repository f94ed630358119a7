"""The types that traced tensors have, as PyTorch would give them. They decide nothing but how masks and indices are read: what a
kernel rounds is declared, not computed."""

from __future__ import annotations

from typing import Any, List, Sequence, Tuple

import torch

from .._formats import format_of_type
from .tensor import TracedTensor

BOOLEAN = frozenset(
    "eq ne lt le gt ge __eq__ __ne__ __lt__ __le__ __gt__ __ge__ less less_equal greater greater_equal "
    "not_equal equal logical_and "
    "logical_or logical_xor logical_not isnan isinf isfinite isneginf isposinf any all signbit".split()
)
INTEGER = frozenset("argmax argmin argsort count_nonzero".split())
_AS_GIVEN = frozenset(
    "add sub subtract rsub mul multiply neg negative abs sum cumsum prod cumprod where masked_fill max "
    "min amax amin maximum minimum "
    "clamp clip clamp_min clamp_max cat concat stack tril triu pow square floor ceil round trunc "
    "remainder fmod floor_divide __add__ "
    "__sub__ __mul__ __neg__ __abs__ __pow__ __and__ __or__ __xor__ __invert__ __floordiv__ __mod__ "
    "__pos__ bitwise_and bitwise_or "
    "bitwise_not gather index_select take_along_dim clone detach pad embedding one_hot zeros_like "
    "ones_like full_like scatter_add "
    "index_add scatter masked_scatter __getitem__ diag diag_embed ".split()
)
_TO_WHOLE = frozenset("sum cumsum prod cumprod".split())


def dtype_of_result(row: str, args: Tuple[Any, ...], tensors: Sequence[Any]) -> torch.dtype:
    if row in BOOLEAN:
        return torch.bool
    if row in INTEGER:
        return torch.int64
    if row in ("where", "masked_fill"):  # the condition's type does not count
        tensors = [one for one in tensors if one.dtype != torch.bool] or tensors
    floating: List[torch.dtype] = [one.dtype for one in tensors if one.dtype.is_floating_point]
    if floating:
        return max(floating, key=lambda one: torch.finfo(one).bits)
    if row in _AS_GIVEN and not any(isinstance(one, float) for one in args):
        is_bool = all(one.dtype == torch.bool for one in tensors)
        return (
            torch.bool if is_bool and row not in _TO_WHOLE and not any(isinstance(one, int) for one in args[1:2]) else torch.int64
        )
    return torch.get_default_dtype()


CASTS = {
    "to": None, "type": None, "type_as": None, "cpu": None, "cuda": None, "float": torch.float32, "double": torch.float64,
    "half": torch.float16, "bfloat16": torch.bfloat16, "long": torch.int64, "int": torch.int32, "short": torch.int16,
    "bool": torch.bool,
}  # fmt: skip


def cast(xp: Any, tensor: TracedTensor, name: str, args: Sequence[Any]) -> TracedTensor:
    """Another type of the same numbers. Whole numbers of a float are those towards 0; what a float type rounds is declared, but
    that of 8 bits, which is part of the formula."""
    given = [
        one if isinstance(one, torch.dtype) else one.dtype
        for one in args
        if isinstance(one, torch.dtype) or hasattr(one, "dtype")
    ]
    dtype = CASTS[name] or (given[0] if given else tensor.dtype)
    if dtype == tensor.dtype:
        return tensor
    value = tensor.value
    xp.rounds = xp.rounds or dtype.is_floating_point and tensor.dtype.is_floating_point
    small = format_of_type(str(dtype).replace("torch.", ""))
    if small:
        xp.casts = True
        saturates = bool(torch.tensor(1e30).to(dtype).float().isfinite())  # of e4m3fn PyTorch 2.15 does, and others do not
        overflow, is_scale = "saturate" if saturates else "nonfinite", small.name == "e8m0"
        xp.loses_signs = xp.loses_signs or is_scale
        value = xp.cast(xp.abs(value) if is_scale else value, small.name, overflow=overflow, gradient="rounded")
    elif dtype.is_floating_point and format_of_type(str(tensor.dtype).replace("torch.", "")):
        value = value * 1  # a number, and no code
    elif dtype == torch.bool:
        value = xp.not_equal(value, 0)
    elif tensor.dtype.is_floating_point and not dtype.is_floating_point:
        value = xp.trunc(value)
    return TracedTensor.of(value, dtype)
