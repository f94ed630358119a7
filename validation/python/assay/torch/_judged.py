"""The functions of assay.torch as kernels that the gate judges: from the tensor to the gradient that autograd returns."""

from __future__ import annotations

from typing import Any, Callable, Dict, Sequence, Tuple

import numpy as np
import torch

from .. import _own_kernels
from ._define import tensor_of


def tensor(array: np.ndarray) -> torch.Tensor:
    """A tensor of the same memory."""
    is_bfloat16 = array.dtype.name in ("uint16", "bfloat16")
    return tensor_of(array, torch.bfloat16) if is_bfloat16 else torch.from_numpy(array)


def vjp(f: Callable[..., Any], arrays: Sequence[torch.Tensor]) -> Tuple[torch.Tensor, Callable[[np.ndarray], Any]]:
    loss = f(*(one.requires_grad_() for one in arrays))
    return loss, lambda upstream: torch.autograd.grad(loss, arrays, torch.from_numpy(upstream))


def kernels(ctc_loss: Any, linear_cross_entropy: Any, svd: Any) -> Dict[str, Callable[[Any], Any]]:
    return _own_kernels.kernels(ctc_loss, linear_cross_entropy, svd, tensor, vjp)
