"""The ways in which a training loop calls a kernel, beside the plain call. A right kernel gives the same in each."""

from __future__ import annotations

import math
from typing import Any, Callable, Dict, Iterable, List, Optional, Sequence, Tuple

import torch

from .._pipe import ReturnedWrong, Unsupported
from .device import memory_of
from .own_state import plain_outputs

Tensors = Dict[str, torch.Tensor]

PLAIN = ""
REQUIRING = "inputs that require gradients"
IN_PLACE = "inputs that were changed in place after a call before, as an optimizer changes a weight"
EVALUATED = "eval() and torch.no_grad()"
EQUAL_UPSTREAM = "an upstream of strides 0, as that of sum().backward()"
STRIDED_UPSTREAM = "an upstream that is not contiguous"
TWICE = "retain_graph=True, for the second backward pass of one forward pass"
BETWEEN = "forward passes of other inputs before this one and between it and its backward pass"
FREED = "inputs whose memory is given back after the forward pass, unless the kernel keeps them, and then has NaN"
SHARED = "one tensor for all inputs that are declared alike, as in f(x, x)"
_FROZEN = " frozen (requires_grad=False), and once with all others frozen"


def forward_ways(also_evaluates: bool, may_be_shared: bool) -> List[str]:
    return [REQUIRING, IN_PLACE] + [EVALUATED] * also_evaluates + [SHARED] * may_be_shared


def backward_ways(differentiable: Sequence[str], may_be_shared: bool) -> List[str]:
    frozen = [name + _FROZEN for name in differentiable] if len(differentiable) > 1 else []
    return [EQUAL_UPSTREAM, STRIDED_UPSTREAM, TWICE, BETWEEN, IN_PLACE, *frozen, FREED, *[SHARED] * may_be_shared]


def upstream_in(way: str, upstream: torch.Tensor) -> torch.Tensor:
    """The same numbers, in memory as the way has it."""
    if not upstream.numel():
        return upstream
    if way == EQUAL_UPSTREAM and bool((upstream == upstream.reshape(-1)[0]).all()):
        return upstream.reshape(-1)[0].expand(upstream.shape)
    if way == STRIDED_UPSTREAM:
        room = torch.full((16 + 2 * upstream.numel(),), float("nan"), dtype=upstream.dtype, device=upstream.device)
        wide = room[16:].view(*upstream.shape, 2)  # as a part of a larger tensor, at an aligned address
        wide[..., 0] = upstream
        return wide[..., 0]
    return upstream


def shared(tensors: Tensors, names: Iterable[str]) -> Tensors:
    """With one tensor for those of these names that are equal."""
    found: Tensors = {}
    for name, one in tensors.items():
        like = [other for key, other in found.items() if key in names and other.dtype == one.dtype and torch.equal(other, one)]
        found[name] = like[0] if like and name in names else one
    return found


def others_like(tensors: Tensors) -> Tensors:
    """Tensors of the same kinds with other numbers, which a kernel takes if it takes these."""
    return {name: one / 2 if one.is_floating_point() else one.clone() for name, one in tensors.items()}


def change_in_place(tensors: Tensors, values: Tensors) -> None:
    with torch.no_grad():
        for name, one in tensors.items():
            one.copy_(values[name])


class Backward:
    """The backward pass of a kernel on one case. `call` takes tensors by name, and `own` are the parameters of a kernel that is
    a module, which `set_own` gives their values."""

    def __init__(self, call: Callable[[Tensors], Any], own: Dict[str, torch.nn.Parameter], set_own: Callable[[Tensors], None],
                 differentiable: Sequence[str]) -> None:  # fmt: skip
        self._call, self._own, self._set_own, self._differentiable = call, own, set_own, list(differentiable)

    def gradients(self, tensors: Tensors, upstreams: List[torch.Tensor], way: str = PLAIN) -> List[torch.Tensor]:
        self._set_own(tensors)
        if way.endswith(_FROZEN):
            found = self._with_frozen(tensors, upstreams, way[: -len(_FROZEN)])
        elif way == IN_PLACE:
            found = self._changed_in_place(tensors, upstreams)
        else:
            others: List[Any] = [self._outputs(self._leaves(others_like(tensors)))] if way == BETWEEN else []
            leaves = self._leaves(tensors, lie_as_given=way == SHARED)
            outputs = self._outputs({name: one.clone() for name, one in leaves.items()} if way == FREED else leaves)
            others += [torch.full_like(one, math.nan) for one in tensors.values() if way == FREED and one.is_floating_point()]
            if way == BETWEEN:
                others.append(self._outputs(self._leaves(others_like(tensors))))
            if way == TWICE:
                self._first_of_two(outputs, leaves, [-one for one in upstreams])
            found = self._grad(outputs, leaves, self._differentiable, upstreams)
        return [found[name] for name in self._differentiable]

    def _leaves(self, tensors: Tensors, frozen: Iterable[str] = (), lie_as_given: bool = False) -> Tensors:
        """Leaves are copies, since a gradient may not flow into memory that is checked for writes, unless they are to share it."""
        wanted = set(self._differentiable) - set(frozen)
        copies = {name: one.detach() if lie_as_given else one.detach().clone() if name in self._differentiable else one
                  for name, one in tensors.items()}  # fmt: skip
        return {name: self._own.get(name, one).requires_grad_(name in wanted) if name in self._differentiable else one
                for name, one in copies.items()}  # fmt: skip

    def _outputs(self, leaves: Tensors) -> List[Any]:
        return plain_outputs(self._call(leaves))

    def _grad(self, outputs: List[Any], leaves: Tensors, wanted: Sequence[str], upstreams: List[torch.Tensor],
              retain_graph: bool = False) -> Tensors:  # fmt: skip
        if len(outputs) != len(upstreams):
            raise ReturnedWrong(f"the kernel returned {len(outputs)} results: expected {len(upstreams)}")
        pairs = [(one, upstream) for one, upstream in zip(outputs, upstreams) if getattr(one, "requires_grad", False)]
        if not pairs:
            raise ReturnedWrong(
                "the kernel's results have no gradient: expected a torch.autograd.Function's apply, or operations that "
                "autograd follows"
            )
        got: Sequence[Optional[torch.Tensor]] = torch.autograd.grad(
            [one for one, _ in pairs], [leaves[name] for name in wanted],
            [upstream if upstream.shape == one.shape else upstream.reshape(one.shape) for one, upstream in pairs],
            allow_unused=True, retain_graph=retain_graph,
        )  # fmt: skip
        ours = {memory_of(one) for one in upstreams}  # autograd hands on the upstream itself where it is the gradient
        return {name: torch.zeros_like(leaves[name]) if one is None else one.clone() if memory_of(one) in ours else one
                for name, one in zip(wanted, got)}  # fmt: skip

    def _first_of_two(self, outputs: List[Any], leaves: Tensors, upstreams: List[torch.Tensor]) -> None:
        """Raises Unsupported for what torch.compile made, which uses the memory that it saved again in its one backward pass."""
        try:
            self._grad(outputs, leaves, self._differentiable, upstreams, retain_graph=True)
        except RuntimeError as error:
            if "donated buffer" not in str(error):
                raise
            raise Unsupported("retain_graph=True, with donated buffers") from error

    def _with_frozen(self, tensors: Tensors, upstreams: List[torch.Tensor], name: str) -> Tensors:
        """The gradients of all but one input, which is frozen, and that one's, where all but it are."""
        others, found = [one for one in self._differentiable if one != name], {}
        for wanted, frozen in ((others, [name]), ([name], others)):
            leaves = self._leaves(tensors, frozen)
            outputs = self._outputs(leaves)
            if any(getattr(one, "requires_grad", False) for one in outputs):
                found.update(self._grad(outputs, leaves, wanted, upstreams))
            else:  # of results that do not depend on what is not frozen
                found.update({one: torch.zeros_like(leaves[one]) for one in wanted})
        for one in self._own.values():
            one.requires_grad_()
        return found

    def _changed_in_place(self, tensors: Tensors, upstreams: List[torch.Tensor]) -> Tensors:
        others = others_like(tensors)
        self._set_own(others)
        leaves = self._leaves(others)
        self._grad(self._outputs(leaves), leaves, self._differentiable, upstreams)
        change_in_place(leaves, tensors)
        return self._grad(self._outputs(leaves), leaves, self._differentiable, upstreams)
