"""Operators of PyTorch that are computed by assay's kernels, with autograd.

Where PyTorch has torch.library.custom_op (2.4 and later), an operator is assay::NAME, with a fake for meta tensors and
torch.compile. An older PyTorch calls the same functions from a torch.autograd.Function; so does a newer one where nothing
but autograd asks what the operator is, since that saves a tenth of a millisecond. Under torch.func and in forward mode an
operator is what _transforms.py makes.
"""

from __future__ import annotations

import math
from typing import Any, Callable, Optional, Sequence, Tuple

import numpy as np
import torch

from .._arrays import Carried, as_int64
from .._kernel_calls import SVD_DTYPES, either
from . import _transforms

_PLAIN = {torch.Tensor, torch.nn.Parameter, bool, int, float, str, type(None)}  # no other kind of tensor
_NAMES = {getattr(torch, name): name for name in SVD_DTYPES}  # str(dtype) takes 5 us after a kernel has filled the cache

DEVICES = ("cpu", "cuda", "mps")  # of the kernels that run on GPUs too


def define(
    name: str,
    schema: str,
    compute: Callable[..., Any],
    fake: Callable[..., Any],
    backward: Callable[..., Any],
    setup_context: Optional[Callable[..., None]] = None,
    returns_first: bool = False,
    *,
    transformed: Callable[[Callable[..., Any]], Callable[..., Any]],
    vmap: Optional[Callable[..., Any]] = None,
) -> Callable[..., Any]:
    """An operator. `fake` returns results of the right shapes and types without values; `backward` takes the context and
    the derivatives of the results, and returns those of the arguments; `setup_context` is as PyTorch names it. With
    `returns_first` its callers get the first result alone: the others are for `setup_context`. `transformed` takes the
    operator without derivatives, and returns what is called under torch.func and in forward mode; `vmap` is the rule of
    torch.vmap where torch.compile sees the call."""
    function = _function(name, compute, fake, backward, setup_context, returns_first)
    if not hasattr(torch.library, "custom_op"):
        under_transforms = transformed(lambda *inputs: (fake if inputs[0].is_meta else compute)(*inputs))
        return lambda *inputs: (under_transforms if _transforms.active() else function)(*inputs)
    operator = torch.library.custom_op(f"assay::{name}", mutates_args=(), schema=schema)(compute)
    operator.register_fake(fake)
    operator.register_autograd(backward, setup_context=_of_first(setup_context) if returns_first else setup_context)
    if hasattr(torch.library, "register_vmap"):  # PyTorch 2.5
        torch.library.register_vmap(f"assay::{name}", vmap or _transforms.one_by_one(operator))
    observed: Any = (lambda *inputs: operator(*inputs)[0]) if returns_first else operator
    under_transforms = transformed(operator)

    def with_transforms(*inputs: Any) -> Any:
        return under_transforms(*inputs)

    in_forward_mode: Any = torch.compiler.disable(with_transforms)
    in_forward_mode.__qualname__ = f"assay.torch.{name} in forward mode"  # for PyTorch's message, with fullgraph=True

    def call(*inputs: Any) -> Any:
        if torch.compiler.is_compiling():
            if _transforms.forward_mode():
                return in_forward_mode(*inputs)  # an operator has no rule for it, and would give 0
        elif _transforms.functionalized():
            _transforms.expect_no_forward_mode(name)
            return observed(*inputs)
        elif _transforms.active():
            return under_transforms(*inputs)
        return (observed if _is_observed(inputs) else function)(*inputs)

    return call


def _of_first(setup_context: Any) -> Callable[..., None]:
    """`setup_context` for an operator of which the caller gets the first result alone: no gradient flows to the others."""

    def setup(ctx: Any, inputs: Tuple[Any, ...], output: Tuple[torch.Tensor, ...]) -> None:
        ctx.mark_non_differentiable(*output[1:])
        ctx.set_materialize_grads(False)  # a gradient in a gradient would be zeros of its size
        setup_context(ctx, inputs, (output[0], *(one.detach() for one in output[1:])))

    return setup


def _is_observed(inputs: Sequence[Any]) -> bool:
    """Whether more than autograd sees the call: torch.compile, torch.jit, a dispatch mode, a kind of tensor."""
    return (
        torch.compiler.is_compiling()
        or torch._C._is_tracing()
        or torch._C._len_torch_dispatch_stack() > 0
        or not _PLAIN.issuperset(map(type, inputs))
    )


def _function(
    name: str,
    compute: Any,
    fake: Any,
    backward: Any,
    setup_context: Optional[Callable[..., None]],
    returns_first: bool,
) -> Callable[..., Any]:
    def forward(ctx: Any, *inputs: Any) -> Any:
        output = (fake if inputs[0].is_meta else compute)(*inputs)
        if setup_context is not None:
            setup_context(ctx, inputs, output)
        return output[0] if returns_first else output

    rules = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    function: Any = type(name, (torch.autograd.Function,), rules)
    apply: Callable[..., Any] = function.apply
    return apply


def expect_floats(name: str, value: Any, dtypes: Sequence[str], devices: Sequence[str] = ("cpu",)) -> None:
    """Raises TypeError or ValueError unless `value` is a tensor of one of these types that the kernels reach."""
    if not isinstance(value, torch.Tensor):
        raise TypeError(f"{name} is {type(value).__name__}: expected a torch.Tensor")
    if not (value.is_cpu or value.is_meta) and value.device.type not in devices:
        expected = " or ".join(["the CPU", *(one for one in devices if one != "cpu")])
        raise ValueError(f"{name} is on {value.device}: expected {expected}; use {name}.cpu(), or PyTorch's own function there")
    if dtype_name(value.dtype) not in dtypes:
        raise ValueError(f"{name} is {dtype_name(value.dtype)}: expected {either(dtypes)}")
    expect_dense(name, value)


def expect_dense(name: str, value: torch.Tensor) -> None:
    if value.layout is not torch.strided or value.is_nested:
        layout = "nested" if value.is_nested else str(value.layout).split(".")[-1]
        raise ValueError(f"{name} is {layout}: expected a dense tensor; use {name}.to_dense(), or one call for each of its parts")


def integers(name: str, value: Any, beside: torch.Tensor) -> torch.Tensor:
    """As int64 on the CPU, of a tensor or of numbers. Only beside a meta tensor may it be one."""
    try:
        tensor = value if isinstance(value, torch.Tensor) else torch.as_tensor(value, dtype=torch.int64)
    except (TypeError, ValueError, RuntimeError) as cause:
        raise ValueError(f"{name} = {value!r}: expected integers, or a tensor of them") from cause
    if tensor.is_meta and not beside.is_meta:
        raise ValueError(f"{name} is on meta, without values: expected a tensor of the CPU")
    expect_dense(name, tensor)
    if tensor.dtype == torch.int64 and (tensor.is_cpu or tensor.is_meta):
        return tensor
    if tensor.is_floating_point() or tensor.is_complex() or tensor.dtype == torch.bool:
        raise ValueError(f"{name} is {dtype_name(tensor.dtype)}: expected integers")
    if tensor.is_meta:
        return tensor.to(torch.int64)
    if tensor.dtype == getattr(torch, "uint64", None):
        return torch.from_numpy(as_int64(name, tensor.cpu().numpy()))
    return tensor.to("cpu", torch.int64)


def aligned(tensor: torch.Tensor) -> torch.Tensor:
    """For kernels that load four elements at once. Tensors are aligned, except for some views."""
    return tensor if tensor.data_ptr() % 16 == 0 else tensor.clone()


def dtype_name(dtype: torch.dtype) -> str:
    return _NAMES.get(dtype) or str(dtype).split(".")[-1]


def array_of(tensor: torch.Tensor) -> np.ndarray:
    """Its elements, in row-major order, copied only where they are in another one; of bfloat16 its bits."""
    if tensor.requires_grad:
        tensor = tensor.detach()
    if tensor.is_neg():  # a view that stands for the opposite of its memory
        tensor = tensor.resolve_neg()
    if not tensor.is_contiguous():
        tensor = tensor.contiguous()
    return tensor.view(torch.int16).numpy().view(np.uint16) if tensor.dtype == torch.bfloat16 else tensor.numpy()


def carried(tensor: torch.Tensor) -> Carried:
    return Carried(dtype_name(tensor.dtype), array_of(tensor))


def tensor_of(array: np.ndarray, dtype: torch.dtype) -> torch.Tensor:
    """The array itself as a tensor."""
    return torch.from_numpy(array.view(np.int16)).view(dtype) if dtype == torch.bfloat16 else torch.from_numpy(array)


def has_values(tensor: torch.Tensor) -> bool:
    """False for meta tensors, and while torch.compile traces."""
    return type(tensor) is torch.Tensor and not tensor.is_meta


def scaled(kept: Sequence[torch.Tensor], upstream: torch.Tensor) -> Optional[Tuple[torch.Tensor, ...]]:
    """The gradients `kept`, which were computed for upstream gradients of 1, for `upstream`, a number or, of [T, B, C], [B];
    None where they must be computed anew.

    Multiplying would round 16 bits a second time, and does not restore what underflowed. With create_graph an operator is
    due, which refuses a second derivative; it also refuses an upstream gradient that is not finite. The caller gives `kept`
    away: it is scaled in place.
    """
    if torch.is_grad_enabled() or _transforms.active():
        return None
    if not has_values(upstream):
        return tuple(one * upstream for one in kept) if _are_float32(kept) else None
    factors = upstream.flatten().tolist() if upstream.dim() > 0 else [upstream.item()]  # of a GPU: one wait
    if set(factors) <= {1}:
        return tuple(kept)
    is_due = all(map(math.isfinite, factors)) and _are_float32(kept)
    return tuple(one.mul_(upstream) for one in kept) if is_due else None


def _are_float32(tensors: Sequence[torch.Tensor]) -> bool:
    return all(one.dtype == torch.float32 for one in tensors)
