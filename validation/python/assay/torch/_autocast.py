"""torch.autocast: floats are cast as PyTorch casts those of its own functions. ctc_loss, the losses and the SVD are in its list of
float32, linear in that of the lower type. Gradients arrive in the types of the parameters, since a cast has a derivative.
"""

from __future__ import annotations

from typing import Optional

import torch

_DEVICES = ("cpu", "cuda", "mps")


def _lower_type(device: str) -> Optional[torch.dtype]:
    """The lower type where autocast is on, else None."""
    if hasattr(torch, "get_autocast_dtype"):  # PyTorch 2.4
        return torch.get_autocast_dtype(device) if torch.is_autocast_enabled(device) else None
    if device == "cpu":
        return torch.get_autocast_cpu_dtype() if torch.is_autocast_cpu_enabled() else None
    return torch.get_autocast_gpu_dtype() if device == "cuda" and torch.is_autocast_enabled() else None


def _cast(tensor: torch.Tensor, dtype: Optional[torch.dtype]) -> torch.Tensor:
    """As PyTorch: float64 stays."""
    is_cast = tensor.is_floating_point() and tensor.dtype not in (torch.float64, dtype)
    return tensor.to(dtype) if is_cast else tensor


def float32(tensor: torch.Tensor) -> torch.Tensor:
    is_on = isinstance(tensor, torch.Tensor) and tensor.device.type in _DEVICES and _lower_type(tensor.device.type)
    return _cast(tensor, torch.float32) if is_on else tensor


def lower(tensor: torch.Tensor) -> torch.Tensor:
    is_there = isinstance(tensor, torch.Tensor) and tensor.device.type in _DEVICES
    dtype = _lower_type(tensor.device.type) if is_there else None
    return tensor if dtype is None else _cast(tensor, dtype)
