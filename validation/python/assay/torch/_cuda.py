"""Launches on an NVIDIA GPU: in the memory of PyTorch's tensors, on its current stream."""

from __future__ import annotations

from typing import Any, Dict

import torch

from .._kernel_calls import gpu_module


def launch(operation: str, problem: Any, tensors: Dict[str, torch.Tensor]) -> None:
    """Queues the kernels of "ctc", "cce" or "svd"; `tensors` by the names of arguments and wanted results."""
    device = next(iter(tensors.values())).device
    with torch.cuda.device(device):
        stream = torch.cuda.current_stream(device).cuda_stream
        addresses = {name: one.data_ptr() for name, one in tensors.items()}
        getattr(gpu_module(), operation)(device.index, stream, problem, addresses)
