"""Operators under torch.func (grad, vjp, vmap and what is made of them) and in forward mode.

There each operator is a torch.autograd.Function of which every transform asks for its rule, so that what has none is refused
and never taken as a constant. PyTorch's own operators of Python have no rule of forward mode: derivatives would be 0.
"""

from __future__ import annotations

from typing import Any, Callable, Optional, Tuple

import torch
from torch.autograd import forward_ad

Rule = Callable[..., Any]
_functorch: Any = getattr(torch._C, "_functorch", None)  # before PyTorch 2: None


def forward_mode() -> bool:
    """Whether a tensor may be a dual number: within torch.func.jvp and torch.autograd.forward_ad.dual_level."""
    return forward_ad._current_level >= 0


def active() -> bool:
    if forward_mode():
        return True
    return hasattr(torch, "func") and torch._C._are_functorch_transforms_active()


def functionalized() -> bool:
    """Within torch.func.functionalize, which knows operators but no torch.autograd.Function."""
    if not torch._C._are_functorch_transforms_active():
        return False
    functionalize = _functorch.TransformType.Functionalize
    return any(one.key() == functionalize for one in _functorch.get_interpreter_stack())


def expect_no_forward_mode(name: str) -> None:
    if forward_mode():
        raise NotImplementedError(f"assay.torch.{name} has no forward mode within torch.func.functionalize: call it outside")


def is_batched_gradient(upstream: torch.Tensor) -> bool:
    """Whether is_grads_batched of torch.autograd.grad is on, the older vmap, which only PyTorch's own operations know."""
    if hasattr(torch, "func"):
        return bool(_functorch.is_legacy_batchedtensor(upstream))
    return "Batched" in str(torch._C._dispatch_keys(upstream))


def expect_no_batched_gradient(name: str, upstream: torch.Tensor) -> None:
    if is_batched_gradient(upstream):
        raise NotImplementedError(
            f"assay.torch.{name} does not take is_grads_batched (vectorize=True): expected torch.func.jacrev, or a loop"
        )


def ruled(
    name: str, compute: Rule, setup_context: Optional[Rule], backward: Rule, jvp: Rule, vmap: Optional[Rule] = None
) -> Rule:
    """A function with these rules, each as torch.autograd.Function names it; without `vmap`, one call for each element of
    the batch. compute, setup_context and vmap have the arguments of the function."""

    def setup(ctx: Any, inputs: Tuple[Any, ...], output: Any) -> None:
        if setup_context is not None:
            setup_context(ctx, inputs, output)

    def forward(ctx: Any, *inputs: Any) -> Any:  # PyTorch 1
        output = compute(*inputs)
        setup(ctx, inputs, output)
        return output

    function: Any
    members = {"forward": forward, "backward": backward, "jvp": jvp}
    if hasattr(torch.autograd.Function, "setup_context"):
        members.update(forward=compute, setup_context=setup, vmap=vmap or one_by_one(lambda *inputs: function.apply(*inputs)))
    function = type(name, (torch.autograd.Function,), {key: staticmethod(rule) for key, rule in members.items()})
    apply: Rule = function.apply
    return apply


def require_elements(info: Any) -> None:
    if info.batch_size == 0:
        raise ValueError("torch.func.vmap over 0 elements: expected at least 1")


def one_by_one(function: Rule) -> Rule:
    """The rule of vmap that calls `function` on each element of the batch."""

    def vmap(info: Any, in_dims: Tuple[Optional[int], ...], *inputs: Any) -> Tuple[Any, Any]:
        require_elements(info)
        results = [
            function(*(one if dim is None else one.select(dim, i) for one, dim in zip(inputs, in_dims)))
            for i in range(info.batch_size)
        ]
        if isinstance(results[0], torch.Tensor):
            return torch.stack(results), 0
        return tuple(map(torch.stack, zip(*results))), (0,) * len(results[0])

    return vmap


def as_one_batch(function: Rule) -> Rule:
    """The rule of vmap for a function whose tensors all have a batch as their first axis: both batches as one."""

    def vmap(info: Any, in_dims: Tuple[Optional[int], ...], *inputs: Any) -> Tuple[Any, Any]:
        require_elements(info)

        def flat(one: Any, dim: Optional[int]) -> Any:
            if not isinstance(one, torch.Tensor):
                return one
            whole = one.expand(info.batch_size, *one.shape) if dim is None else one.movedim(dim, 0)
            return whole.flatten(0, 1)

        given = [flat(one, dim) for one, dim in zip(inputs, in_dims)]
        results = function(*given)
        sizes = (info.batch_size, len(results[0]) // info.batch_size)
        return tuple(one.reshape(*sizes, *one.shape[1:]) for one in results), (0,) * len(results)

    return vmap


def refusing(name: str, derivative: str, way_out: str) -> Rule:
    """A rule that refuses."""

    def rule(ctx: Any, *inputs: Any) -> Any:
        raise NotImplementedError(f"assay.torch.{name} has no {derivative}: {way_out}")

    return rule
