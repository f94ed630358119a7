"""The production kernels for JAX, on CPUs: under jit, grad and vmap, by jax.pure_callback.

    import assay.jax
    loss, gradient = jax.value_and_grad(lambda x: assay.jax.ctc_loss(x, *batch, logits=True))(logits)

Arguments and results are those of assay.numpy, without the gradients. For reductions "sum" and "mean" in float32 loss and
gradient are computed in one pass; elsewhere the backward pass computes the gradient for its upstream gradient. Second
derivatives are refused by JAX, which cannot differentiate a callback.
"""

from __future__ import annotations

from typing import Any, Callable, Sequence, Tuple

import jax
import jax.numpy as jnp
import numpy as np

from . import _kernel_calls as calls
from . import numpy as kernels
from ._own_kernels import judged_as
from ._own_kernels import kernels as kernels_of
from .numpy import Svd

__all__ = ["ctc_loss", "linear_cross_entropy", "svd"]


def _call(function: Callable[..., Any], like: Sequence[jax.Array], *arguments: Any) -> Any:
    """function(*arguments), on NumPy arrays, whose results have the shapes and types of `like`."""
    results = tuple(jax.ShapeDtypeStruct(one.shape, one.dtype) for one in like)

    def on_arrays(*given: Any) -> Any:
        returned = function(*(np.asarray(one) for one in given))
        return tuple(np.asarray(one).reshape(due.shape) for one, due in zip(returned, results))

    return jax.pure_callback(on_arrays, results, *arguments, vmap_method="sequential")


def _differentiable(function: Callable[..., Tuple[Any, ...]], reduction: str, each: Tuple[int, ...], count: int) -> Any:
    """The loss as a function of `count` arrays and of integers; `function` takes these, upstream and with_gradient."""
    due = jax.ShapeDtypeStruct(calls.loss_shape(reduction, each), np.float32)

    @jax.custom_vjp
    def loss(*arguments: jax.Array) -> jax.Array:
        return _call(lambda *given: function(*given, upstream=None, with_gradient=False)[:1], [due], *arguments)[0]

    def forward(*arguments: jax.Array) -> Tuple[jax.Array, Any]:
        arrays = arguments[:count]
        if reduction == "none" or arrays[0].dtype != np.float32:
            return loss(*arguments), (arguments, None)  # the gradient waits for its upstream gradient
        value, *kept = _call(
            lambda *given: function(*given, upstream=None, with_gradient=True), [due, *arrays], *arguments
        )
        return value, (arguments, tuple(kept))

    def backward(saved: Any, upstream: jax.Array) -> Tuple[Any, ...]:
        arguments, kept = saved
        integers = [None] * (len(arguments) - count)
        if kept is not None:
            return (*(one * upstream for one in kept), *integers)
        gradients = _call(
            lambda up, *given: function(*given, upstream=up, with_gradient=True)[1:], arguments[:count], upstream, *arguments
        )
        return (*gradients, *integers)

    loss.defvjp(forward, backward)
    return loss


def ctc_loss(
    log_probs: jax.Array,
    targets: Any,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
    *,
    logits: bool = False,
) -> jax.Array:
    """As assay.numpy.ctc_loss: log_probs [T, B, C], or logits with logits=True."""

    def ctc(x: Any, *batch: Any, **options: Any) -> Tuple[Any, ...]:
        return kernels.ctc_loss(x, *batch, blank, reduction, zero_infinity, logits=logits, **options)

    integers = (jnp.asarray(one) for one in (targets, input_lengths, target_lengths))
    return _differentiable(ctc, reduction, log_probs.shape[1:2], 1)(log_probs, *integers)


def linear_cross_entropy(
    hidden: jax.Array,
    weight: jax.Array,
    targets: jax.Array,
    bias: Any = None,
    *,
    ignore_index: int = -100,
    label_smoothing: float = 0.0,
    logit_softcap: float = 0.0,
    z_loss: float = 0.0,
    reduction: str = "mean",
) -> jax.Array:
    """As assay.numpy.linear_cross_entropy: hidden [..., H], weight [V, H], targets [...]."""
    keywords = dict(
        ignore_index=ignore_index, label_smoothing=label_smoothing, logit_softcap=logit_softcap, z_loss=z_loss,
        reduction=reduction,
    )  # fmt: skip

    def cce(*given: Any, **options: Any) -> Tuple[Any, ...]:
        arrays, integers = given[:-1], given[-1]
        return kernels.linear_cross_entropy(*arrays[:2], integers, *arrays[2:], **keywords, **options)

    arrays = [hidden.reshape(-1, hidden.shape[-1]), weight, *([] if bias is None else [bias])]
    flat = jnp.asarray(targets).reshape(-1)
    loss = _differentiable(cce, reduction, flat.shape, len(arrays))(*arrays, flat)
    return loss.reshape(jnp.shape(targets)) if reduction == "none" else loss


@jax.custom_vjp
def _svd(A: jax.Array) -> Tuple[jax.Array, jax.Array, jax.Array]:
    *leading, M, N = A.shape
    K = min(M, N)
    values = A.dtype if A.dtype == np.float64 else np.float32
    like = [
        jax.ShapeDtypeStruct((*leading, M, K), A.dtype),
        jax.ShapeDtypeStruct((*leading, K), values),
        jax.ShapeDtypeStruct((*leading, K, N), A.dtype),
    ]
    return tuple(_call(kernels.svd, like, A))


def _svd_forward(A: jax.Array) -> Tuple[Any, Any]:
    factors = _svd(A)
    return factors, factors


def _svd_backward(factors: Any, cotangents: Any) -> Tuple[jax.Array]:
    U, _, Vh = factors
    like = jax.ShapeDtypeStruct((*U.shape[:-1], Vh.shape[-1]), U.dtype)
    return tuple(_call(lambda *given: (kernels.svd_gradient(*given),), [like], *factors, *cotangents))


_svd.defvjp(_svd_forward, _svd_backward)


def svd(A: jax.Array) -> Svd:
    """Thin factors of matrices [..., M, N], as assay.numpy.svd, with the gradient of assay.numpy.svd_gradient."""
    return Svd(*_svd(A))


def _vjp(f: Callable[..., Any], arrays: Sequence[jax.Array]) -> Tuple[jax.Array, Callable[[np.ndarray], Any]]:
    loss, gradients = jax.vjp(f, *arrays)
    return loss, lambda upstream: gradients(jnp.asarray(upstream))


# JAX wraps what a callback raises, so refusals are not those that the gate expects, and it has 32 bits unless told otherwise.
_JUDGED = kernels_of(ctc_loss, linear_cross_entropy, svd, jnp.asarray, _vjp)
_LOSS = {"dtype": ("float32", "bfloat16"), "checks_arguments": False}
judged_as("ctc", ctc_loss, _JUDGED["ctc"], **_LOSS)
judged_as("cce", linear_cross_entropy, _JUDGED["cce"], any_ignore_index=False, **_LOSS)
judged_as("svd", svd, _JUDGED["svd"], dtype="float32", checks_arguments=False)
