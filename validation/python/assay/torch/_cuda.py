"""The production kernels on tensors of an NVIDIA GPU: in place, on PyTorch's current stream."""

from __future__ import annotations

import functools
import importlib
from typing import Any, Dict, Tuple

import numpy as np
import torch

from .. import _kernel_calls as calls
from ._define import array_of, carried, dtype_name


def module() -> Any:
    """assay.lib._gpu. Raises ImportError where the package was built without it."""
    return importlib.import_module("assay.lib._gpu")


@functools.lru_cache(maxsize=None)
def is_available(ordinal: int) -> bool:
    """Whether the kernels can be compiled for this GPU."""
    try:
        return module().why_not(ordinal) == ""
    except ImportError:
        return False


def _expect_valid(activations: torch.Tensor, *arguments: Any) -> None:
    """Raises ValueError for activations that the kernel for CPUs refuses. This waits for the stream."""
    if activations.numel() > 0 and not bool(torch.isfinite(activations.amax(-1)).all()):
        calls.ctc_loss(carried(activations.cpu()), *arguments, False, torch.get_num_threads())


def ctc_loss(
    activations: torch.Tensor,
    targets: np.ndarray,
    input_lengths: np.ndarray,
    target_lengths: np.ndarray,
    upstream: np.ndarray,
    options: Dict[str, Any],
    with_gradient: bool,
) -> Tuple[torch.Tensor, torch.Tensor]:
    """As _kernel_calls.ctc_loss, whose checks it has."""
    dtype = activations.dtype
    if dtype != torch.float32 and not np.array_equal(upstream, array_of(torch.from_numpy(upstream).to(dtype).float())):
        activations = activations.float()  # such an upstream gradient is not exact in 16 bits
    activations = activations.contiguous()
    T, B, C = activations.shape
    _expect_valid(activations, targets, input_lengths, target_lengths, upstream, options)
    loss = activations.new_empty(calls.loss_shape(options["reduction"], (B,)), dtype=torch.float32)
    gradient = torch.empty_like(activations) if with_gradient else activations.new_empty((0,))
    name = dtype_name(activations.dtype)
    with torch.cuda.device(activations.device), calls.named_activations(options["logits"]):
        module().ctc_loss(
            activations.device.index, torch.cuda.current_stream().cuda_stream, activations.data_ptr(),
            calls.empty((0,), name), name, (T, B, C), calls.batch_targets(targets, B), input_lengths, target_lengths,
            upstream, options["blank"], options["logits"], options["reduction"], options["zero_infinity"],
            loss.data_ptr(), gradient.data_ptr() if with_gradient else 0,
        )  # fmt: skip
    return loss, gradient.to(dtype)
