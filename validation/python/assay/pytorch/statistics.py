"""Running statistics of a batch norm, which a new layer has as 0 and 1: drawn, so that a kernel which forgets them is noticed."""

from __future__ import annotations

import copy
from typing import Dict, Sequence

import torch


def _statistics(module: torch.nn.Module) -> Dict[str, torch.Tensor]:
    return {name: one for name, one in module.named_buffers() if name.endswith(("running_mean", "running_var"))}


def with_drawn_statistics(module: torch.nn.Module) -> torch.nn.Module:
    random = torch.Generator().manual_seed(2)
    for name, buffer in _statistics(module).items():
        is_mean = name.endswith("running_mean")
        buffer.copy_(torch.randn(buffer.shape, generator=random) if is_mean else 0.5 + torch.rand(buffer.shape, generator=random))
    return module


def are_new(module: torch.nn.Module) -> bool:
    """Whether it has statistics, and all are those of a new layer."""
    own = _statistics(module)
    return bool(own) and all(bool((one == name.endswith("running_var")).all()) for name, one in own.items())


def can_be_drawn(reference: torch.nn.Module, kernel: object) -> bool:
    """Whether the reference has the statistics of a new layer, and a kernel has buffers of the same names with these, or with drawn
    ones: of any other, what it computes of them is not known."""
    if not are_new(reference) or not isinstance(kernel, torch.nn.Module):
        return False
    if dict(kernel.named_buffers()).keys() != dict(reference.named_buffers()).keys():
        return False
    theirs, wanted = _statistics(kernel), _statistics(with_drawn_statistics(copy.deepcopy(reference)))
    return all(theirs[name].shape == one.shape and (torch.equal(theirs[name], one) or torch.equal(theirs[name], wanted[name]))
               for name, one in _statistics(reference).items())  # fmt: skip


def drawn_for_both(reference: torch.nn.Module, kernel: torch.nn.Module) -> torch.nn.Module:
    """A copy of a reference whose statistics can be drawn, with drawn ones, which the kernel gets too."""
    drawn = with_drawn_statistics(copy.deepcopy(reference))
    for name, one in _statistics(drawn).items():
        _statistics(kernel)[name].copy_(one)
    return drawn


def why_unproven(reference: torch.nn.Module, kernels: Sequence[object]) -> str:
    """Why a pass says nothing of the statistics; empty where it does, or there are none."""
    if not are_new(reference) or (len(kernels) == 1 and can_be_drawn(reference, kernels[0])):
        return ""
    return (f"{', '.join(_statistics(reference))} are 0 and 1, as a new layer has them, so that a kernel which ignores them would "
            "pass too: give the reference others, such as those of a trained module, before the kernel is made")  # fmt: skip
