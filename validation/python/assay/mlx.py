"""The production kernels for MLX, on the CPU: by mx.custom_function, whose forward and backward read arrays as NumPy's.

    import assay.mlx
    loss, gradients = mx.value_and_grad(lambda h, w: assay.mlx.linear_cross_entropy(h, w, targets), argnums=(0, 1))(h, w)

Arguments and results are those of assay.numpy, without the gradients. Arrays are evaluated when the function is called,
which mx.compile and mx.vmap do not allow. There is no second derivative.
"""

from __future__ import annotations

from typing import Any, Callable, List, Sequence

import mlx.core as mx
import numpy as np

from . import numpy as kernels
from ._arrays import carry
from ._own_kernels import judged_as
from ._own_kernels import kernels as kernels_of

__all__ = ["ctc_loss", "linear_cross_entropy"]


def _array(array: np.ndarray) -> mx.array:
    is_bfloat16 = array.dtype.name in ("uint16", "bfloat16")
    return mx.array(array.view(np.uint16)).view(mx.bfloat16) if is_bfloat16 else mx.array(array)


def _numpy(array: Any) -> np.ndarray:
    return carry(array).array if isinstance(array, mx.array) else np.asarray(array)


def _loss(function: Callable[..., Any], arrays: Sequence[mx.array]) -> mx.array:
    """The loss of `arrays`; `function` takes them as NumPy arrays, upstream and with_gradient."""

    @mx.custom_function
    def loss(*given: mx.array) -> mx.array:
        return mx.array(function(*map(_numpy, given), upstream=None, with_gradient=False)[0])

    @loss.vjp
    def backward(given: Any, upstream: mx.array, _: Any) -> List[mx.array]:
        given = given if isinstance(given, (list, tuple)) else [given]
        gradients = function(*map(_numpy, given), upstream=_numpy(upstream), with_gradient=True)[1:]
        return [_array(one) for one in gradients]

    return loss(*arrays)


def ctc_loss(
    log_probs: mx.array,
    targets: Any,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
    *,
    logits: bool = False,
) -> mx.array:
    """As assay.numpy.ctc_loss: log_probs [T, B, C], or logits with logits=True."""
    integers = [_numpy(one) for one in (targets, input_lengths, target_lengths)]

    def ctc(x: np.ndarray, **options: Any) -> Any:
        return kernels.ctc_loss(x, *integers, blank, reduction, zero_infinity, logits=logits, **options)

    return _loss(ctc, [log_probs])


def linear_cross_entropy(
    hidden: mx.array,
    weight: mx.array,
    targets: Any,
    bias: Any = None,
    *,
    ignore_index: int = -100,
    label_smoothing: float = 0.0,
    logit_softcap: float = 0.0,
    z_loss: float = 0.0,
    reduction: str = "mean",
) -> mx.array:
    """As assay.numpy.linear_cross_entropy: hidden [..., H], such as [B, S, H], weight [V, H], targets [...]."""
    flat = _numpy(targets)

    def cce(*arrays: np.ndarray, **options: Any) -> Any:
        return kernels.linear_cross_entropy(
            *arrays[:2], flat.reshape(-1), *arrays[2:], ignore_index=ignore_index, label_smoothing=label_smoothing,
            logit_softcap=logit_softcap, z_loss=z_loss, reduction=reduction, **options,
        )  # fmt: skip

    loss = _loss(cce, [hidden.reshape(-1, hidden.shape[-1]), weight, *([] if bias is None else [bias])])
    return loss.reshape(flat.shape) if reduction == "none" else loss


def _vjp(f: Callable[..., Any], arrays: Sequence[mx.array]) -> Tuple[mx.array, Callable[[np.ndarray], Any]]:
    return f(*arrays), lambda upstream: mx.vjp(f, list(arrays), [mx.array(upstream)])[1]


_JUDGED = kernels_of(ctc_loss, linear_cross_entropy, None, _array, _vjp)
judged_as("ctc", ctc_loss, _JUDGED["ctc"])
judged_as("cce", linear_cross_entropy, _JUDGED["cce"])
