"""The production kernels for JAX, on CPUs: under jit, grad and vmap, by XLA's foreign function interface (jax.ffi).

    import assay.jax
    loss, gradient = jax.value_and_grad(lambda x: assay.jax.ctc_loss(x, *batch, logits=True))(logits)

Arguments and results are those of assay.numpy, without the gradients. XLA calls the kernels in its own buffers: nothing is
copied but targets and lengths, and no thread of Python is involved. For reductions "sum" and "mean" in float32 loss and
gradient are computed in one pass; elsewhere the backward pass computes the gradient for its upstream gradient. Second
derivatives are refused by JAX, which names the kernel. Wrong types and shapes raise ValueError when the function is traced;
wrong values are found when it is computed, and raise ValueError or jax.errors.JaxRuntimeError: INVALID_ARGUMENT.
"""

from __future__ import annotations

import ctypes
import math
from pathlib import Path
from typing import Any, Callable, Dict, List, Mapping, Sequence, Tuple

import jax
import jax.numpy as jnp
import numpy as np

from . import _kernel_calls as calls
from ._arrays import Carried
from ._own_kernels import judged_as
from ._own_kernels import kernels as kernels_of
from ._options import DEFAULTS, CceOptions, CtcOptions, Unpack, with_options
from .numpy import Svd

__all__ = ["ctc_loss", "linear_cross_entropy", "svd"]


def _register() -> None:
    library = Path(__file__).parent / "lib/_xla.so"
    if not library.exists():
        raise ImportError(
            f"assay.jax needs {library}, which is built where JAX's headers are found. Before the package is built: "
            'export CMAKE_INCLUDE_PATH=$(python -c "import jax; print(jax.ffi.include_dir())")'
        )
    handlers = ctypes.CDLL(str(library))
    for name in ("assay_ctc", "assay_cce", "assay_svd", "assay_svd_gradient"):
        jax.ffi.register_ffi_target(name, jax.ffi.pycapsule(getattr(handlers, name)), platform="cpu")


_register()


def _floats(name: str, value: Any, dtypes: Sequence[str], axes: str) -> jax.Array:
    array = jnp.asarray(value)
    calls.check_floats(name, array.dtype.name, array.shape, dtypes, axes)
    return array


def _integers(name: str, value: Any) -> jax.Array:
    given = value if isinstance(value, jax.Array) else np.asarray(value)
    if given.dtype.kind not in "iu" and given.size > 0:
        raise ValueError(f"{name} is {given.dtype}: expected integers")
    if not isinstance(given, jax.Array):  # JAX would cut off the upper bits; what is out of range must stay so
        held = np.iinfo(jax.dtypes.canonicalize_dtype(given.dtype if given.size > 0 else np.int32))
        given = np.clip(given, held.min, held.max).astype(held.dtype)
    return jnp.asarray(given)


def _shape(shape: Sequence[int], dtype: Any) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(tuple(shape), dtype)


def _attributes(options: Any, given: Mapping[str, Any]) -> Dict[str, Any]:
    """The options in the types that the handlers of C++ read."""
    types = {bool: bool, int: np.int64, float: np.float64, str: str}
    return {name: types[type(default)](given[name]) for name, default in DEFAULTS[options].items()}


def _differentiable(
    target: str, arrays: Sequence[jax.Array], integers: Sequence[jax.Array], loss_shape: Tuple[int, ...], options: Dict[str, Any]
) -> jax.Array:
    """The loss by the handler `target`, which takes arrays, integers and upstream, and returns loss and the arrays' gradients."""
    shapes = [_shape(one.shape, one.dtype) for one in arrays]
    none = np.zeros(0, np.float32)  # no array of JAX, which would be one of the trace around it: backward may have another
    in_one_pass = options["reduction"] != "none" and arrays[0].dtype == np.float32

    def call(given: Sequence[jax.Array], upstream: Any, with_gradient: bool) -> Sequence[jax.Array]:
        gradients = shapes if with_gradient else [_shape((0,), one.dtype) for one in shapes]
        call = jax.ffi.ffi_call(target, (_shape(loss_shape, np.float32), *gradients), vmap_method="sequential")
        results: Sequence[jax.Array] = call(*given, upstream, **options)
        return results

    def value_of(*given: jax.Array) -> jax.Array:
        return call(given, none, False)[0]

    loss = jax.custom_vjp(value_of)

    def forward(*given: jax.Array) -> Tuple[jax.Array, Any]:
        if not in_one_pass:
            return loss(*given), given  # the gradient waits for its upstream gradient
        value, *gradients = call(given, none, True)
        return value, gradients

    def backward(saved: Any, upstream: jax.Array) -> Tuple[Any, ...]:
        gradients = [one * upstream for one in saved] if in_one_pass else call(saved, upstream, True)[1:]
        return (*gradients, *[None] * len(integers))

    loss.defvjp(forward, backward)
    return loss(*arrays, *integers)


@with_options(CtcOptions)
def ctc_loss(
    log_probs: jax.Array,
    targets: Any,
    input_lengths: Any,
    target_lengths: Any,
    **options: Unpack[CtcOptions],
) -> jax.Array:
    """As assay.numpy.ctc_loss: log_probs [T, B, C], or logits with logits=True."""
    activations = _floats("logits" if options["logits"] else "log_probs", log_probs, calls.LOSS_DTYPES, "T, B, C")
    named = (("targets", targets), ("input_lengths", input_lengths), ("target_lengths", target_lengths))
    integers = [_integers(name, value) for name, value in named]
    B = activations.shape[1]
    calls.batch_targets(integers[0], B)
    each = calls.loss_shape(options["reduction"], (B,))
    return _differentiable("assay_ctc", [activations], integers, each, _attributes(CtcOptions, options))


@with_options(CceOptions)
def linear_cross_entropy(
    hidden: jax.Array,
    weight: jax.Array,
    targets: Any,
    bias: Any = None,
    **options: Unpack[CceOptions],
) -> jax.Array:
    """As assay.numpy.linear_cross_entropy: hidden [..., H], weight [V, H], targets [...]."""
    hidden = _floats("hidden", hidden, calls.LOSS_DTYPES, "..., H")
    if hidden.ndim < 1:
        raise ValueError("hidden has shape []: expected [..., H]")
    arrays: List[Any] = [
        hidden.reshape(math.prod(hidden.shape[:-1]), hidden.shape[-1]),
        _floats("weight", weight, calls.LOSS_DTYPES, "V, H"),
    ]
    arrays.append(jnp.zeros(0, hidden.dtype) if bias is None else _floats("bias", bias, calls.LOSS_DTYPES, "V"))
    carried = [Carried(one.dtype.name, one) for one in arrays]
    calls.check_linear_cross_entropy(carried[0], carried[1], None if bias is None else carried[2])
    classes = _integers("targets", targets)
    each = calls.loss_shape(options["reduction"], (classes.size,))
    attributes = _attributes(CceOptions, options)
    loss = _differentiable("assay_cce", arrays, [classes.reshape(-1)], each, attributes)
    return loss.reshape(classes.shape) if options["reduction"] == "none" else loss


def _factors(A: jax.Array) -> Tuple[jax.Array, ...]:
    *leading, M, N = A.shape
    K = min(M, N)
    values = A.dtype if A.dtype == np.float64 else np.float32
    like = (_shape((*leading, M, K), A.dtype), _shape((*leading, K), values), _shape((*leading, K, N), A.dtype))
    return tuple(jax.ffi.ffi_call("assay_svd", like, vmap_method="broadcast_all")(A))


_svd = jax.custom_vjp(_factors)


def _svd_forward(A: jax.Array) -> Tuple[Any, Any]:
    factors = _svd(A)
    return factors, factors


def _svd_backward(factors: Any, cotangents: Any) -> Tuple[jax.Array]:
    U, _, Vh = factors
    like = _shape((*U.shape[:-1], Vh.shape[-1]), U.dtype)
    return (jax.ffi.ffi_call("assay_svd_gradient", like, vmap_method="broadcast_all")(*factors, *cotangents),)


_svd.defvjp(_svd_forward, _svd_backward)


def svd(A: jax.Array) -> Svd:
    """Thin factors of matrices [..., M, N], as assay.numpy.svd, with the gradient of assay.numpy.svd_gradient."""
    A = _floats("A", A, calls.SVD_DTYPES, "..., M, N")
    if A.ndim < 2:
        raise ValueError(f"A has shape {list(A.shape)}: expected [..., M, N]")
    return Svd(*_svd(A))


def _vjp(f: Callable[..., Any], arrays: Sequence[jax.Array]) -> Tuple[jax.Array, Callable[[np.ndarray], Any]]:
    loss, gradients = jax.vjp(f, *arrays)
    return loss, lambda upstream: gradients(jnp.asarray(upstream))


def _with_refusals(kernel: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The kernel's refusals as the gate expects them."""

    def refusing(p: Any) -> Any:
        try:
            return jax.block_until_ready(kernel(p))
        except (ValueError, jax.errors.JaxRuntimeError) as error:
            message = str(error)
            kind = "INVALID_ARGUMENT: "
            if isinstance(error, ValueError) or message.startswith(kind):
                raise ValueError(message.removeprefix(kind)) from error
            raise

    return refusing


def _array(one: np.ndarray) -> Any:
    return one if one.dtype == np.int64 else jnp.asarray(one)  # JAX would cut integers to 32 bits


_JUDGED = kernels_of(ctc_loss, linear_cross_entropy, svd, _array, _vjp)
judged_as("ctc", ctc_loss, _with_refusals(_JUDGED["ctc"]))
judged_as("cce", linear_cross_entropy, _with_refusals(_JUDGED["cce"]), rounded_lse=True)  # which the forward pass stores
judged_as("svd", svd, _with_refusals(_JUDGED["svd"]), dtype=("float32", "float16", "bfloat16"))
