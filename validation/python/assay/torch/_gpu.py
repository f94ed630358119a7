"""The production kernels on tensors of a GPU: what NVIDIA's (_cuda.py) and Apple's (_mps.py) have in common.

They differ in how the kernels of metal/kernels are launched: in place, and in the order of PyTorch's other work.
"""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy as np
import torch

from .. import _kernel_calls as calls
from . import _cuda, _mps
from ._define import aligned, array_of, carried, dtype_name


def computes(tensor: torch.Tensor) -> bool:
    """Whether the tensor is computed here, and not by the kernels for CPUs."""
    return tensor.is_cuda or _mps.computes(tensor)


def _launch(operation: str, problem: Any, tensors: Dict[str, Optional[torch.Tensor]]) -> None:
    """`tensors`: the arguments of the kernels first, then the results; None where one is absent or not wanted."""
    given = {name: one for name, one in tensors.items() if one is not None}
    (_cuda if next(iter(given.values())).is_cuda else _mps).launch(operation, problem, given)


def _expect_finite(name: str, axes: str, tensor: torch.Tensor, ignored: Optional[np.ndarray] = None) -> None:
    """Raises ValueError at an element that is not finite, in a row that is not ignored. Waits for the stream, and takes
    memory of the tensor's size only where there is such an element."""
    if tensor.numel() == 0 or float(sum(one * 0 for one in torch.aminmax(tensor))) == 0:
        return
    bad = ~torch.isfinite(tensor)
    if ignored is not None:
        bad &= ~torch.from_numpy(ignored).to(bad.device).unsqueeze(1)
    for index in bad.nonzero()[:1].tolist():
        place = ", ".join(f"{axis}={i}" for axis, i in zip(axes, index))
        raise ValueError(f"{name}[{place}] = {tensor[tuple(index)].item()}: expected a finite number")


def _zero_if_finite(activations: torch.Tensor) -> Optional[torch.Tensor]:
    """Queues a sum that is 0 if the maximum of every frame is finite, and else NaN; None where there are no activations."""
    return None if activations.numel() == 0 else (activations.amax(-1) * 0).sum()


def _expect_valid(
    zero: Optional[torch.Tensor],
    activations: torch.Tensor,
    targets: np.ndarray,
    input_lengths: np.ndarray,
    target_lengths: np.ndarray,
    upstream: np.ndarray,
    options: Dict[str, Any],
) -> None:
    """Waits for the sum of _zero_if_finite. Raises ValueError if a frame that the kernel reads is invalid: the
    kernel for CPUs names the element."""
    if zero is None or zero.item() == 0:
        return
    largest = activations.amax(-1).cpu()
    is_read = torch.arange(len(largest)).unsqueeze(1) < torch.from_numpy(input_lengths)
    if not bool((torch.isfinite(largest) | ~is_read).all()):
        given = targets, input_lengths, target_lengths, upstream, options
        calls.ctc_loss(carried(activations.cpu()), *given, False, torch.get_num_threads())


def ctc_loss(
    activations: torch.Tensor,
    targets: np.ndarray,
    input_lengths: np.ndarray,
    target_lengths: np.ndarray,
    upstream: np.ndarray,
    options: Dict[str, Any],
    with_gradient: bool,
) -> Tuple[torch.Tensor, torch.Tensor]:
    """As _kernel_calls.ctc_loss, whose checks it has. Waits for the check of the activations."""
    dtype = activations.dtype
    if dtype != torch.float32 and not np.array_equal(upstream, array_of(torch.from_numpy(upstream).to(dtype).float())):
        activations = activations.float()  # such an upstream gradient is not exact in 16 bits
    activations = activations.contiguous()
    T, B, C = activations.shape
    zero = _zero_if_finite(activations)
    loss = activations.new_empty(calls.loss_shape(options["reduction"], (B,)), dtype=torch.float32)
    gradient = torch.empty_like(activations) if with_gradient else activations.new_empty((0,))
    with calls.NamedActivations(options["logits"]):
        given = calls.batch_targets(targets, B), input_lengths, target_lengths, upstream, options
        problem = calls.gpu_module().CtcProblem(dtype_name(activations.dtype), (T, B, C), *given)
        tensors = {"activations": activations, "loss": loss, "gradient": gradient if with_gradient else None}
        _launch("ctc", problem, tensors)
    # After the kernels are queued: the host prepares them while the GPU looks for invalid activations.
    _expect_valid(zero, activations, targets, input_lengths, target_lengths, upstream, options)
    return loss, gradient.to(dtype)


def linear_cross_entropy(
    hidden: torch.Tensor,
    weight: torch.Tensor,
    bias: Optional[torch.Tensor],
    targets: np.ndarray,
    upstream: np.ndarray,
    options: Dict[str, Any],
    wanted: Sequence[bool],
) -> Tuple[torch.Tensor, List[torch.Tensor]]:
    """Loss and the gradients in hidden, weight and bias; of size 0 where one is not wanted."""
    hidden, weight = aligned(hidden.contiguous()), aligned(weight.contiguous())
    inputs = [hidden, weight, None if bias is None else aligned(bias.contiguous())]
    _expect_finite("hidden", "nh", hidden, ignored=targets == options["ignore_index"])
    _expect_finite("weight", "vh", weight)
    losses = hidden.new_empty(len(targets), dtype=torch.float32)
    gradients = [torch.empty_like(one) if want and one is not None else None for one, want in zip(inputs, wanted)]
    values = None if bias is None else array_of(bias.cpu())
    shape = (*hidden.shape, len(weight))
    problem = calls.gpu_module().CceProblem(dtype_name(hidden.dtype), shape, values, targets, upstream, options)
    names = ("hidden", "weight", "bias", "loss", "dhidden", "dweight", "dbias")
    _launch("cce", problem, dict(zip(names, (*inputs, losses, *gradients))))
    results = [hidden.new_empty((0,)) if one is None else one for one in gradients]
    return _reduced(losses, targets, options), results


def _reduced(losses: torch.Tensor, targets: np.ndarray, options: Dict[str, Any]) -> torch.Tensor:
    """As the kernel for CPUs: summed in double; the mean over no tokens is 0."""
    if options["reduction"] == "none":
        return losses
    doubles = losses.double() if losses.is_cuda else losses.cpu().double()  # Apple's GPUs have no double
    return (doubles.sum() / calls.counted_tokens(targets, options)).float().to(losses.device)


def svd(A: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """U [B, M, K], S [B, K], Vh [B, K, N] of A [B, M, N]. Waits for the results, to know that they have converged."""
    A = A.contiguous()
    _expect_finite("A", "bij", A)
    B, M, N = A.shape
    K = min(M, N)
    U, S, Vh = A.new_empty(B, M, K), A.new_empty((B, K), dtype=torch.float32), A.new_empty(B, K, N)
    problem = calls.gpu_module().SvdProblem(dtype_name(A.dtype), (B, M, N))
    _launch("svd", problem, {"A": A, "U": U, "S": S, "Vh": Vh})
    return U, S, Vh
