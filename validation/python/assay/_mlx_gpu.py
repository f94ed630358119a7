"""The kernels of metal/kernels for MLX's arrays on an Apple GPU: the same plans and the same text as assay.torch has there.

What these kernels do not compute is left to those for CPUs, which is what None says: empty arrays, numbers that are not
finite (a bad argument is refused there, by name), and plans that are more than functions of arrays.
"""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy as np

from . import _kernel_calls as calls
from ._arrays import carry
from ._metal_kernel_plan import Framework, Run, Unsupported, dtype_name

# Loss and gradients; None for the kernels for CPUs to compute.
Results = Optional[Tuple[Any, List[Any]]]


def _frames_are_finite(framework: Framework, activations: Any) -> bool:
    """Whether the largest activation of every frame is a finite number, and none is NaN."""
    arrays = framework.arrays
    if activations.size == 0 or bool(arrays.any(arrays.isnan(activations))):
        return False
    return bool(arrays.all(arrays.isfinite(arrays.max(activations, axis=-1))))


def _are_finite(framework: Framework, *given: Any) -> bool:
    arrays = framework.arrays
    return all(one.size > 0 and bool(arrays.all(arrays.isfinite(one))) for one in given)


def ctc_loss(
    framework: Framework, activations: Any, integers: Sequence[np.ndarray], upstream: Any, options: Dict[str, Any],
    with_gradient: bool,
) -> Results:  # fmt: skip
    """As assay.numpy.ctc_loss; `integers`: targets and lengths."""
    upstream = calls.upstream_of(upstream)
    if not _frames_are_finite(framework, activations):
        return None
    dtype, shape = dtype_name(activations), activations.shape
    if dtype != "float32":
        held = framework.arrays.array(upstream).astype(activations.dtype).astype(framework.dtype("float32"))
        if not np.array_equal(carry(held).array, upstream):  # such an upstream gradient is not exact in 16 bits
            wide = activations.astype(framework.dtype("float32"))
            results = ctc_loss(framework, wide, integers, upstream, options, with_gradient)
            return results and (results[0], [one.astype(activations.dtype) for one in results[1]])
    with calls.NamedActivations(options["logits"]):
        targets, *lengths = integers
        given = calls.batch_targets(targets, shape[1]), *lengths, upstream, options
        problem = calls.gpu_module().CtcProblem(dtype, shape, *given)
        plan = calls.gpu_module().ctc_plan(problem, {"gradient"} if with_gradient else set(), framework.memory, {})
    try:
        run = Run(framework, "ctc", dtype, plan, {"activations": activations})
    except Unsupported:
        return None
    each = calls.loss_shape(options["reduction"], (shape[1],))
    loss = run.result("loss", int(np.prod(each))).reshape(each)
    return loss, [run.result("gradient", activations.size).reshape(shape)] if with_gradient else []


def linear_cross_entropy(
    framework: Framework, inputs: Sequence[Any], targets: np.ndarray, upstream: Any, options: Dict[str, Any],
    with_gradient: bool,
) -> Results:  # fmt: skip
    """As assay.numpy.linear_cross_entropy; `inputs`: hidden [N, H], weight [V, H] and, if there is one, bias."""
    hidden, weight, *bias = inputs
    if not _are_finite(framework, hidden, weight):
        return None
    dtype, shape = dtype_name(hidden), (*hidden.shape, weight.shape[0])
    values = carry(bias[0]).array if bias else None
    problem = calls.gpu_module().CceProblem(dtype, shape, values, targets, calls.upstream_of(upstream), options)
    wanted = set(("dhidden", "dweight", "dbias")[: len(inputs)] if with_gradient else ())
    plan = calls.gpu_module().cce_plan(problem, wanted, framework.memory, {})
    try:
        run = Run(framework, "cce", dtype, plan, dict(zip(("hidden", "weight", "bias"), inputs)))
    except Unsupported:
        return None
    losses = run.result("loss", shape[0])
    if options["reduction"] != "none":
        total = carry(losses).array.sum(dtype=np.float64) / calls.counted_tokens(targets, options)  # GPUs have no double
        losses = framework.arrays.array(np.float32(total))
    given = zip(("dhidden", "dweight", "dbias"), inputs)
    return losses, [run.result(name, one.size).reshape(one.shape) for name, one in given] if with_gradient else []


def svd(framework: Framework, A: Any) -> Optional[Tuple[Any, Any, Any]]:
    """U [B, M, K], S [B, K], Vh [B, K, N] of A [B, M, N]. Waits for the results, to know that they have converged."""
    if not _are_finite(framework, A):
        return None
    (B, M, N), K = A.shape, min(A.shape[1:])
    problem = calls.gpu_module().SvdProblem(dtype_name(A), (B, M, N))
    plan = calls.gpu_module().svd_plan(problem, {"U", "S", "Vh"}, framework.memory, {})
    try:
        run = Run(framework, "svd", dtype_name(A), plan, {"A": A})
    except Unsupported:
        return None
    plan["check"](carry(run.result("status", B)).array)
    S = run.result("S", B * K).view(framework.dtype("float32"))  # the kernels write them as bits
    return run.result("U", B * M * K).reshape(B, M, K), S.reshape(B, K), run.result("Vh", B * K * N).reshape(B, K, N)
