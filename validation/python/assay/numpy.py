"""The production kernels for CPUs on NumPy arrays, and on whatever has DLPack, ``__array__`` or a buffer.

    from assay.numpy import ctc_loss
    loss, gradient = ctc_loss(logits, targets, input_lengths, target_lengths, logits=True)

Arrays are float32, float16 or bfloat16, of the SVD also float64. Row-major arrays are not copied. NumPy has no bfloat16:
such arrays are of ml_dtypes.bfloat16, or their bits as uint16. Computing does not hold the interpreter's lock. `threads`
is the most that a call may use; 0: all processors. A bad argument raises ValueError, which names the argument, its value
and what was expected.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, Optional, Tuple, Union, overload

import numpy as np

from . import _kernel_calls as calls
from ._arrays import Carried, bfloat16_array
from ._options import CceOptions, CtcOptions, Unpack, options_in, with_options
from ._own_kernels import judged_as

__all__ = ["Svd", "ctc_loss", "linear_cross_entropy", "randomized_svd", "svd", "svd_gradient"]


class Svd(NamedTuple):
    """Thin factors: A = U diag(S) Vh."""

    U: Any  # [..., M, K]
    S: Any  # [..., K], descending; float64 where A is, else float32
    Vh: Any  # [..., K, N]


def _returned(array: np.ndarray, dtype: str) -> np.ndarray:
    return bfloat16_array(array) if dtype == "bfloat16" else array


@overload
def ctc_loss(
    log_probs: Any, targets: Any, input_lengths: Any, target_lengths: Any, *,
    with_gradient: Literal[True] = ..., upstream: Any = ..., threads: int = ...,
    **options: Unpack[CtcOptions],
) -> Tuple[np.ndarray, np.ndarray]: ...
@overload
def ctc_loss(
    log_probs: Any, targets: Any, input_lengths: Any, target_lengths: Any, *,
    with_gradient: Literal[False], upstream: Any = ..., threads: int = ...,
    **options: Unpack[CtcOptions],
) -> Tuple[np.ndarray, None]: ...
@overload
def ctc_loss(
    log_probs: Any, targets: Any, input_lengths: Any, target_lengths: Any, *,
    with_gradient: bool, upstream: Any = ..., threads: int = ...,
    **options: Unpack[CtcOptions],
) -> Tuple[np.ndarray, Optional[np.ndarray]]: ...  # fmt: skip
@with_options(CtcOptions)
def ctc_loss(
    log_probs: Any,
    targets: Any,
    input_lengths: Any,
    target_lengths: Any,
    *,
    upstream: Any = None,
    with_gradient: bool = True,
    threads: int = 0,
    **options: Unpack[CtcOptions],
) -> Tuple[np.ndarray, Optional[np.ndarray]]:
    """The CTC loss and its gradient (Graves et al. 2006, equations 5 to 16; metal/cpu/ctc/loss.h).

    log_probs       [T, B, C]: log-probabilities or, with logits=True, logits, from which the loss is both faster and more
                    accurate than from log_softmax(logits)
    targets         integers [B, S], or the rows concatenated
    input_lengths   [B]
    target_lengths  [B]
    {options}
    upstream        dL/dloss, [B] for reduction "none", else a number; None means ones

    Returns (loss, gradient): loss float32, and dL/dlog_probs or dL/dlogits [T, B, C], None unless with_gradient. The
    gradient in log_probs is -posterior: log_probs are free variables. (PyTorch's is exp(log_probs) - posterior; after
    log_softmax both are the same gradient in the logits.)

    >>> x = np.zeros((2, 1, 3), np.float32)
    >>> loss, gradient = ctc_loss(x, [[1]], [2], [1], reduction="sum", logits=True)
    >>> round(float(loss), 6)  # 3 of 9 paths: -ln 1/3
    1.098612
    """
    given = calls.floats("logits" if options["logits"] else "log_probs", log_probs, calls.LOSS_DTYPES, "T, B, C")
    labels = calls.integers("targets", targets)
    lengths = calls.integers("input_lengths", input_lengths), calls.integers("target_lengths", target_lengths)
    loss, gradient = calls.ctc_loss(given, labels, *lengths, calls.upstream_of(upstream), options, with_gradient, threads)
    return loss, _returned(gradient, given.dtype) if with_gradient else None


@overload
def linear_cross_entropy(
    hidden: Any, weight: Any, targets: Any, bias: Any = ..., *,
    with_gradient: Literal[True] = ..., upstream: Any = ..., threads: int = ...,
    **options: Unpack[CceOptions],
) -> Tuple[np.ndarray, ...]: ...
@overload
def linear_cross_entropy(
    hidden: Any, weight: Any, targets: Any, bias: Any = ..., *,
    with_gradient: bool, upstream: Any = ..., threads: int = ...,
    **options: Unpack[CceOptions],
) -> Tuple[Any, ...]: ...  # fmt: skip
@with_options(CceOptions)
def linear_cross_entropy(
    hidden: Any,
    weight: Any,
    targets: Any,
    bias: Any = None,
    *,
    upstream: Any = None,
    with_gradient: bool = True,
    threads: int = 0,
    **options: Unpack[CceOptions],
) -> Tuple[Any, ...]:
    """Cross-entropy of hidden @ weight.T + bias and its gradients; the logits [N, V] are never in memory
    (metal/cpu/cce/loss.h).

    hidden           [N, H]
    weight           [V, H], and bias [V] or None, of the type of hidden
    targets          integers [N] in [0, V), or ignore_index: such a token has loss and gradient 0
    {options}
    upstream         dL/dloss, [N] for reduction "none", else a number; None means ones

    Returns (loss, dhidden, dweight), and dbias where there is a bias: loss float32, gradients of the type of hidden, None
    unless with_gradient.

    >>> hidden, weight = np.zeros((2, 4), np.float32), np.zeros((8, 4), np.float32)
    >>> loss, dhidden, dweight = linear_cross_entropy(hidden, weight, [3, -100])
    >>> round(float(loss), 6)  # ln 8
    2.079442
    """
    arrays = [
        calls.floats(name, value, calls.LOSS_DTYPES, axes)
        for name, value, axes in (("hidden", hidden, "N, H"), ("weight", weight, "V, H"), ("bias", bias, "V"))
        if value is not None
    ]
    problem = calls.LinearCrossEntropy(
        arrays[0], arrays[1], arrays[2] if len(arrays) > 2 else None,
        calls.integers("targets", targets), calls.upstream_of(upstream), options,
    )  # fmt: skip
    loss, gradients = problem.loss([with_gradient] * 2 + [with_gradient and bias is not None], threads)
    due = gradients if bias is not None else gradients[:2]
    return (loss, *(_returned(one, arrays[0].dtype) if with_gradient else None for one in due))


def _matrices(A: Any) -> Tuple[Carried, Tuple[int, ...]]:
    """A as [B, M, N], and its leading extents."""
    given = calls.floats("A", A, calls.SVD_DTYPES, "..., M, N")
    if given.array.ndim < 2:
        raise ValueError(f"A has shape {list(given.array.shape)}: expected [..., M, N]")
    *leading, M, N = given.array.shape
    return given._replace(array=given.array.reshape(int(np.prod(leading)), M, N)), tuple(leading)


def _unflattened(factors: Tuple[np.ndarray, ...], leading: Tuple[int, ...], dtype: str) -> Svd:
    U, S, Vh = (one.reshape(*leading, *one.shape[1:]) for one in factors)
    return Svd(_returned(U, dtype), S, _returned(Vh, dtype))


@overload
def svd(A: Any, *, compute_uv: Literal[True] = ..., threads: int = ...) -> Svd: ...
@overload
def svd(A: Any, *, compute_uv: Literal[False], threads: int = ...) -> np.ndarray: ...
@overload
def svd(A: Any, *, compute_uv: bool, threads: int = ...) -> Union[Svd, np.ndarray]: ...
def svd(A: Any, *, compute_uv: bool = True, threads: int = 0) -> Any:
    """The thin SVD of matrices [..., M, N], K = min(M, N), by one-sided Jacobi rotations (metal/cpu/svd/svd.h).

    Returns (U, S, Vh), or S alone unless compute_uv. The columns of U and the rows of Vh are orthonormal whatever the
    rank; of each column of U, the first of the elements of largest magnitude is positive. Raises RuntimeError for a
    matrix whose rotations do not converge.

    >>> U, S, Vh = svd(np.array([[3.0, 0.0], [4.0, 5.0]]))
    >>> (S * S).round(9)  # the eigenvalues of [[9, 12], [12, 41]]
    array([45.,  5.])
    """
    given, leading = _matrices(A)
    factors = calls.svd(given, compute_uv, threads)
    if not compute_uv:
        return factors[1].reshape(*leading, factors[1].shape[1])
    return _unflattened(factors, leading, given.dtype)


def randomized_svd(
    A: Any, rank: int, *, oversampling: int = 10, power_iterations: int = 2, seed: int = 0, threads: int = 0
) -> Svd:
    """The `rank` largest singular triplets of matrices [..., M, N], nearly (Halko, Martinsson and Tropp 2011, algorithms
    4.4 and 5.1). Equal seeds give equal bits."""
    given, leading = _matrices(A)
    asked = calls.sketch(given.array.shape, rank, oversampling, power_iterations, seed)
    factors = calls.randomized_svd(given, *asked, threads)
    return _unflattened(factors, leading, given.dtype)


def svd_gradient(U: Any, S: Any, Vh: Any, dU: Any = None, dS: Any = None, dVh: Any = None, *, threads: int = 0) -> np.ndarray:
    """dL/dA [..., M, N] of the thin factors and of the derivatives of L in them, None where they are 0
    (metal/cpu/svd/gradient.h).

    It exists where L does not depend on the signs, or on the choice of vectors for equal singular values. Terms that
    would divide by zero are taken as 0.

    >>> U, S, Vh = svd(np.diag([2.0, 1.0]))
    >>> svd_gradient(U, S, Vh, dS=np.ones(2))  # of the nuclear norm: U Vh
    array([[1., 0.],
           [0., 1.]])
    """
    left, leading = _matrices(U)
    right, _ = _matrices(Vh)
    values = calls.floats("S", S, ("float32", "float64"), "...")
    flat = values._replace(array=values.array.reshape(len(left.array), -1))
    cotangents = [
        None if one is None else calls.floats(name, one, (like.dtype,), "...").array
        for name, one, like in (("dU", dU, left), ("dS", dS, flat), ("dVh", dVh, right))
    ]
    dA = calls.svd_gradient((left, flat, right), cotangents, threads)
    return _returned(dA.reshape(*leading, *dA.shape[1:]), left.dtype)


def _ctc_kernel(p: Any) -> Tuple[np.ndarray, Optional[np.ndarray]]:
    return ctc_loss(
        p.activations, p.targets, p.input_lengths, p.target_lengths, **options_in(p, CtcOptions), upstream=p.upstream,
        with_gradient=p.gradient_wanted, threads=p.threads,
    )  # fmt: skip


def _cce_kernel(p: Any) -> Tuple[Any, ...]:
    return linear_cross_entropy(
        p.hidden, p.weight, p.targets, p.bias, **options_in(p, CceOptions), upstream=p.upstream,
        with_gradient=p.gradient_wanted, threads=p.threads,
    )  # fmt: skip


def _svd_kernel(p: Any) -> Tuple[Any, Any, Any]:
    return svd(p.A, threads=p.threads) if p.vectors_wanted else (None, svd(p.A, compute_uv=False, threads=p.threads), None)


judged_as("ctc", ctc_loss, _ctc_kernel)
judged_as("cce", linear_cross_entropy, _cce_kernel)
judged_as("svd", svd, _svd_kernel)
