"""Launches on an NVIDIA GPU: in the memory of PyTorch's tensors, on its current stream."""

from __future__ import annotations

from typing import Any, Optional, Sequence, Tuple

import torch

from .._kernel_calls import gpu_module


def _place(tensor: torch.Tensor) -> Tuple[int, int]:
    """The ordinal of the tensor's GPU, and PyTorch's current stream there."""
    return tensor.device.index, torch.cuda.current_stream(tensor.device).cuda_stream


def _address(tensor: Optional[torch.Tensor]) -> int:
    return 0 if tensor is None else tensor.data_ptr()


def ctc_loss(
    problem: Any, activations: torch.Tensor, loss: torch.Tensor, gradient: Optional[torch.Tensor]
) -> None:
    with torch.cuda.device(activations.device):
        gpu_module().ctc_loss(*_place(activations), problem, *map(_address, (activations, loss, gradient)))


def linear_cross_entropy(
    problem: Any,
    inputs: Sequence[Optional[torch.Tensor]],
    losses: torch.Tensor,
    gradients: Sequence[Optional[torch.Tensor]],
) -> None:
    """`inputs` and `gradients`: of hidden, weight and bias."""
    with torch.cuda.device(losses.device):
        gpu_module().cce(*_place(losses), problem, [_address(one) for one in (*inputs, losses, *gradients)])


def svd(problem: Any, A: torch.Tensor, U: torch.Tensor, S: torch.Tensor, Vh: torch.Tensor) -> None:
    with torch.cuda.device(A.device):
        gpu_module().svd(*_place(A), problem, *map(_address, (A, U, S, Vh)))
