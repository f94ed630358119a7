"""The production kernels for MLX: mx.custom_function around those for CPUs and, where MLX has a Metal GPU, around those in
Metal by mx.fast.metal_kernel.

    import assay.mlx
    loss, gradients = mx.value_and_grad(lambda h, w: assay.mlx.linear_cross_entropy(h, w, targets), argnums=(0, 1))(h, w)

Arguments and results are those of assay.numpy, without the gradients. Arrays are evaluated when the function is called,
which mx.compile and mx.vmap do not allow. There is no second derivative. The GPU computes where mx.default_device() is one.
"""

from __future__ import annotations

import contextlib
import math
from typing import Any, Callable, Iterator, List, Optional, Sequence, Tuple

import mlx.core as mx
import numpy as np

from . import _kernel_calls as calls
from . import _mlx_gpu
from . import numpy as kernels
from ._arrays import carry
from ._metal_kernel_plan import Framework
from ._own_kernels import judged_as
from ._own_kernels import kernels as kernels_of
from ._options import CceOptions, CtcOptions, Unpack, with_options
from .numpy import Svd

__all__ = ["ctc_loss", "linear_cross_entropy", "svd"]


def _array(array: np.ndarray) -> mx.array:
    is_bfloat16 = array.dtype.name in ("uint16", "bfloat16")
    return mx.array(array.view(np.uint16)).view(mx.bfloat16) if is_bfloat16 else mx.array(array)


def _numpy(array: Any) -> np.ndarray:
    return carry(array).array if isinstance(array, mx.array) else np.asarray(array)


_stand_in: Optional[Callable[..., Any]] = None


@contextlib.contextmanager
def standing_in(metal_kernel: Callable[..., Any]) -> Iterator[None]:
    """For tests, where there is no Apple GPU: what would be computed there is, with this mx.fast.metal_kernel."""
    global _stand_in
    before, _stand_in = _stand_in, metal_kernel
    try:
        yield
    finally:
        _stand_in = before


def _gpu() -> Optional[Framework]:
    if _stand_in is not None:
        return Framework(mx, _stand_in, 0)
    if mx.default_device().type != mx.DeviceType.gpu or not mx.metal.is_available():
        return None
    info = mx.device_info() if hasattr(mx, "device_info") else mx.metal.device_info()
    return Framework(mx, mx.fast.metal_kernel, int(info.get("max_recommended_working_set_size", 0)))


_Results = Tuple[mx.array, List[mx.array]]  # loss and gradients

_Function = Callable[[Sequence[mx.array], Optional[np.ndarray], bool], _Results]  # of arrays, upstream and with_gradient


def _loss(function: _Function, arrays: Sequence[mx.array]) -> mx.array:
    """The loss of `arrays`."""

    def value(*given: mx.array) -> mx.array:
        return function(given, None, False)[0]

    def backward(given: Any, upstream: mx.array, _: Any) -> List[mx.array]:
        given = given if isinstance(given, (list, tuple)) else [given]
        return function(given, _numpy(upstream), True)[1]

    loss = mx.custom_function(value)
    loss.vjp(backward)
    return loss(*arrays)


def _on_cpu(loss: Any, *gradients: Any) -> _Results:
    return mx.array(loss), [_array(one) for one in gradients if one is not None]


@with_options(CtcOptions)
def ctc_loss(
    log_probs: mx.array,
    targets: Any,
    input_lengths: Any,
    target_lengths: Any,
    **options: Unpack[CtcOptions],
) -> mx.array:
    """As assay.numpy.ctc_loss: log_probs [T, B, C], or logits with logits=True."""
    named = (("targets", targets), ("input_lengths", input_lengths), ("target_lengths", target_lengths))
    integers = [calls.integers(name, _numpy(one)) for name, one in named]

    def ctc(given: Sequence[mx.array], upstream: Optional[np.ndarray], with_gradient: bool) -> _Results:
        x = calls.floats("logits" if options["logits"] else "log_probs", given[0], calls.LOSS_DTYPES, "T, B, C")
        gpu = _gpu()
        results = gpu and _mlx_gpu.ctc_loss(gpu, given[0], integers, upstream, {**options}, with_gradient)
        return results or _on_cpu(
            *kernels.ctc_loss(x.array, *integers, **options, upstream=upstream, with_gradient=with_gradient)
        )

    return _loss(ctc, [log_probs])


@with_options(CceOptions)
def linear_cross_entropy(
    hidden: mx.array,
    weight: mx.array,
    targets: Any,
    bias: Any = None,
    **options: Unpack[CceOptions],
) -> mx.array:
    """As assay.numpy.linear_cross_entropy: hidden [..., H], such as [B, S, H], weight [V, H], targets [...]."""
    flat = _numpy(targets)
    classes = calls.integers("targets", flat.reshape(-1))

    def cce(given: Sequence[mx.array], upstream: Optional[np.ndarray], with_gradient: bool) -> _Results:
        named = zip(("hidden", "weight", "bias"), given, ("N, H", "V, H", "V"))
        h, w, *b = (calls.floats(name, one, calls.LOSS_DTYPES, axes) for name, one, axes in named)
        calls.check_linear_cross_entropy(h, w, *b)
        gpu = _gpu()
        results = gpu and _mlx_gpu.linear_cross_entropy(gpu, given, classes, upstream, {**options}, with_gradient)
        return results or _on_cpu(
            *kernels.linear_cross_entropy(
                h.array, w.array, classes, *(one.array for one in b), **options, upstream=upstream, with_gradient=with_gradient
            )
        )

    if hidden.ndim < 1:
        raise ValueError("hidden has shape []: expected [..., H]")
    rows = hidden.reshape(math.prod(hidden.shape[:-1]), hidden.shape[-1])
    loss = _loss(cce, [rows, weight, *([] if bias is None else [bias])])
    return loss.reshape(flat.shape) if options["reduction"] == "none" else loss


def _factors_of(A: mx.array) -> Tuple[mx.array, ...]:
    gpu = _gpu()
    results = gpu and _mlx_gpu.svd(gpu, A)
    return results or tuple(_array(one) for one in kernels.svd(_numpy(A)))


def _factors_backward(A: mx.array, cotangents: Sequence[mx.array], factors: Sequence[mx.array]) -> mx.array:
    return _array(kernels.svd_gradient(*map(_numpy, factors), *map(_numpy, cotangents)))  # in double, on the CPU


_factors = mx.custom_function(_factors_of)
_factors.vjp(_factors_backward)


def svd(A: mx.array) -> Svd:
    """Thin factors of matrices [..., M, N], as assay.numpy.svd, with the gradient of assay.numpy.svd_gradient, which is
    computed on the CPU."""
    calls.floats("A", A, calls.LOSS_DTYPES, "..., M, N")
    if A.ndim < 2:
        raise ValueError(f"A has shape {list(A.shape)}: expected [..., M, N]")
    leading, (M, N) = A.shape[:-2], A.shape[-2:]
    factors = _factors(A.reshape(int(np.prod(leading)), M, N))
    return Svd(*(one.reshape(*leading, *one.shape[1:]) for one in factors))


def _vjp(f: Callable[..., Any], arrays: Sequence[mx.array]) -> Tuple[mx.array, Callable[[np.ndarray], Any]]:
    return f(*arrays), lambda upstream: mx.vjp(f, list(arrays), [mx.array(upstream)])[1]


_JUDGED = kernels_of(ctc_loss, linear_cross_entropy, svd, _array, _vjp)
judged_as("ctc", ctc_loss, _JUDGED["ctc"])
judged_as("cce", linear_cross_entropy, _JUDGED["cce"])
judged_as("svd", svd, _JUDGED["svd"], dtype=calls.LOSS_DTYPES)
