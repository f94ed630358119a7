"""Running statistics of a batch norm, which a new layer has as 0 and 1: drawn, so that a kernel which forgets them is noticed."""

from __future__ import annotations

import copy
from typing import Dict, Optional

import torch


def _statistics(module: torch.nn.Module) -> Dict[str, torch.Tensor]:
    return {name: one for name, one in module.named_buffers() if name.endswith(("running_mean", "running_var"))}


def with_drawn_statistics(module: torch.nn.Module) -> torch.nn.Module:
    random = torch.Generator().manual_seed(2)
    for name, buffer in _statistics(module).items():
        is_mean = name.endswith("running_mean")
        buffer.copy_(torch.randn(buffer.shape, generator=random) if is_mean else 0.5 + torch.rand(buffer.shape, generator=random))
    return module


def drawn_for_both(reference: torch.nn.Module, kernel: torch.nn.Module) -> Optional[torch.nn.Module]:
    """A copy of a reference whose statistics are those of a new layer, with drawn ones, which the kernel gets too. None where the
    reference has others or none, and where the kernel has no buffers of the same names: what it computes of them is not known."""
    own, theirs = _statistics(reference), _statistics(kernel)
    is_new = all(bool((one == name.endswith("running_var")).all()) for name, one in own.items())
    if not own or not is_new or dict(kernel.named_buffers()).keys() != dict(reference.named_buffers()).keys():
        return None
    drawn = with_drawn_statistics(copy.deepcopy(reference))
    wanted = _statistics(drawn)
    if any(theirs[name].shape != one.shape or not (torch.equal(theirs[name], one) or torch.equal(theirs[name], wanted[name]))
           for name, one in own.items()):  # fmt: skip
        return None
    for name, one in wanted.items():
        theirs[name].copy_(one)
    return drawn
