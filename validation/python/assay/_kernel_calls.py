"""Calls of the kernels in assay._kernels on NumPy arrays: arguments are checked, results allocated, threads counted; and
problems for the kernels of GPUs.

What assay.numpy, assay.torch and assay.mlx have in common. An array of bfloat16 is its bits, uint16; so are results.
"""

from __future__ import annotations

import importlib
import os
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from . import _kernels, _numbers
from ._arrays import Carried, argument, as_int64, carry

LOSS_DTYPES = ("float32", "float16", "bfloat16")
SVD_DTYPES = ("float32", "float64", "float16", "bfloat16")
REDUCTIONS = ("none", "mean", "sum")
MOST_COUNT = 2**31 - 1
MOST_SEED = 2**63 - 1  # of an operator of PyTorch

_is_forked = False


def _forked() -> None:
    global _is_forked
    _is_forked = True


os.register_at_fork(after_in_child=_forked)


def thread_count(threads: int) -> int:
    """A forked child has none of the threads that the kernels keep: it uses one."""
    return 1 if _is_forked else _numbers.whole("threads", threads, 0, MOST_COUNT)


def either(words: Sequence[str]) -> str:
    return f"{', '.join(words[:-1])} or {words[-1]}"


def floats(name: str, value: Any, dtypes: Sequence[str], axes: str) -> Carried:
    """`value` in row-major order, copied only where it is in another one. `axes` is such as "T, B, C"."""
    array = np.asarray(value, np.float32) if isinstance(value, (list, tuple)) else value
    carried = carry(array)
    dtype = "bfloat16" if carried.dtype == "uint16" else carried.dtype
    check_floats(name, dtype, carried.array.shape, dtypes, axes)
    return Carried(dtype, row_major(carried.array))


def check_floats(name: str, dtype: str, shape: Sequence[int], dtypes: Sequence[str], axes: str) -> None:
    if dtype not in dtypes:
        raise ValueError(f"{name} is {dtype}: expected {either(dtypes)}")
    if axes[:3] != "..." and len(shape) != axes.count(",") + 1:
        raise ValueError(f"{name} has shape {list(shape)}: expected [{axes}]")


def row_major(array: np.ndarray) -> np.ndarray:
    return array if array.flags.c_contiguous else np.ascontiguousarray(array)


def integers(name: str, value: Any) -> np.ndarray:
    array = argument(name, value)
    if array.dtype.kind not in "iu" and array.size > 0:
        raise ValueError(f"{name} is {array.dtype}: expected integers")
    return as_int64(name, array)


def upstream_of(value: Any) -> np.ndarray:
    """dL/dloss in a row, float32; none where it is None, which means ones."""
    if value is None:
        return np.empty(0, np.float32)
    array = argument("upstream", value)
    return row_major(array.astype(np.float32, copy=False)).reshape(-1)


def empty(shape: Sequence[int], dtype: str) -> np.ndarray:
    return np.empty(shape, np.uint16 if dtype == "bfloat16" else dtype)


def loss_shape(reduction: str, each: Tuple[int, ...]) -> Tuple[int, ...]:
    if reduction not in REDUCTIONS:
        raise ValueError(f"reduction = {reduction!r}: expected {either([repr(one) for one in REDUCTIONS])}")
    return each if reduction == "none" else ()


def batch_targets(targets: Any, B: int) -> Any:
    """Raises ValueError unless targets may be those of B rows."""
    if targets.ndim not in (1, 2):
        raise ValueError(f"targets has shape {list(targets.shape)}: expected [B, S] or [sum of target_lengths]")
    if targets.ndim == 2 and len(targets) != B:
        raise ValueError(f"targets has shape {list(targets.shape)}: expected [B={B}, S]")
    return targets


class NamedActivations:
    """A context in which the kernels' refusals name the activations as the caller does. (contextlib's takes 4 us.)"""

    def __init__(self, logits: bool) -> None:
        self._name = "logits" if logits else "log_probs"

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: Any, _: Any) -> None:
        if isinstance(error, ValueError):
            raise ValueError(str(error).replace("activations", self._name)) from None


def ctc_loss(
    activations: Carried,
    targets: np.ndarray,
    input_lengths: np.ndarray,
    target_lengths: np.ndarray,
    upstream: np.ndarray,
    options: Mapping[str, Any],
    with_gradient: bool,
    threads: int,
) -> Tuple[np.ndarray, np.ndarray]:
    """Loss, and gradient, of size 0 where it is not wanted. `options` are those of assay.numpy.ctc_loss."""
    array = activations.array
    targets = batch_targets(targets, array.shape[1])
    loss = np.empty(loss_shape(options["reduction"], (array.shape[1],)), np.float32)
    gradient = empty(array.shape if with_gradient else (0,), activations.dtype)
    with NamedActivations(options["logits"]):
        _kernels.ctc_loss(
            array, activations.dtype, targets, input_lengths, target_lengths, upstream, options, loss, gradient,
            thread_count(threads),
        )  # fmt: skip
    return loss, gradient


def check_linear_cross_entropy(hidden: Carried, weight: Carried, bias: Optional[Carried] = None) -> None:
    """Raises ValueError unless types and shapes go together."""
    for name, one in (("weight", weight), ("bias", bias)):
        if one is not None and one.dtype != hidden.dtype:
            raise ValueError(f"{name} is {one.dtype}: expected {hidden.dtype}, as hidden is")
    if weight.array.shape[1] != hidden.array.shape[1]:
        raise ValueError(f"weight has shape {list(weight.array.shape)}: expected [V, H={hidden.array.shape[1]}]")
    if bias is not None and bias.array.shape != weight.array.shape[:1]:
        raise ValueError(f"bias has shape {list(bias.array.shape)}: expected [V={weight.array.shape[0]}]")


class LinearCrossEntropy:
    """A problem of linear cross-entropy. `options` are those of assay.numpy.linear_cross_entropy."""

    def __init__(
        self,
        hidden: Carried,
        weight: Carried,
        bias: Optional[Carried],
        targets: np.ndarray,
        upstream: np.ndarray,
        options: Mapping[str, Any],
    ) -> None:
        self._dtype = hidden.dtype
        self._shapes = (hidden.array.shape, weight.array.shape, (weight.array.shape[0] if bias else 0,))
        check_linear_cross_entropy(hidden, weight, bias)
        self._loss_shape = loss_shape(options["reduction"], (len(targets),))
        self._call = _kernels.CceCall(
            hidden.array, weight.array, bias.array if bias else empty((0,), self._dtype), targets, upstream,
            self._dtype, options,
        )  # fmt: skip

    def _gradients(self, wanted: Sequence[bool]) -> List[np.ndarray]:
        return [empty(shape if want else (0,), self._dtype) for shape, want in zip(self._shapes, wanted)]

    def loss(self, wanted: Sequence[bool], threads: int) -> Tuple[np.ndarray, List[np.ndarray]]:
        """Loss and the gradients in hidden, weight and bias, in one pass; size 0 where one is not wanted."""
        loss, gradients = np.empty(self._loss_shape, np.float32), self._gradients(wanted)
        self._call.loss(loss, *gradients, thread_count(threads))
        return loss, gradients

    def forward(self, threads: int) -> Tuple[np.ndarray, np.ndarray]:
        """Loss, and the log-sum-exp of each token for `backward`."""
        loss, log_sum_exp = np.empty(self._loss_shape, np.float32), np.empty(self._shapes[0][:1], np.float64)
        self._call.forward(loss, log_sum_exp, thread_count(threads))
        return loss, log_sum_exp

    def backward(self, log_sum_exp: np.ndarray, wanted: Sequence[bool], threads: int) -> List[np.ndarray]:
        gradients = self._gradients(wanted)
        self._call.backward(log_sum_exp, *gradients, thread_count(threads))
        return gradients


def _values_dtype(dtype: str) -> str:
    return "float64" if dtype == "float64" else "float32"


def svd(A: Carried, with_vectors: bool, threads: int) -> Tuple[np.ndarray, np.ndarray, np.ndarray]:
    """U [B, M, K], S [B, K], Vh [B, K, N] of A [B, M, N]; U and Vh of size 0 where they are not wanted."""
    B, M, N = A.array.shape
    U, S, Vh = _factors(A, min(M, N), with_vectors)
    _kernels.svd(A.array, A.dtype, U, S, Vh, thread_count(threads))
    return U, S, Vh


def _factors(A: Carried, K: int, with_vectors: bool) -> Tuple[np.ndarray, np.ndarray, np.ndarray]:
    B, M, N = A.array.shape
    U, Vh = (empty(shape if with_vectors else (0,), A.dtype) for shape in ((B, M, K), (B, K, N)))
    return U, np.empty((B, K), _values_dtype(A.dtype)), Vh


class Sketch(NamedTuple):
    """What a randomized SVD is asked for."""

    rank: int
    oversampling: int
    power_iterations: int
    seed: int


def sketch(shape: Sequence[int], rank: Any, oversampling: Any, power_iterations: Any, seed: Any) -> Sketch:
    """Of matrices [..., M, N]. Raises TypeError, ValueError for what is no whole number in range."""
    return Sketch(
        _numbers.whole("rank", rank, 1, min(shape[-2:])), _numbers.whole("oversampling", oversampling, 0, MOST_COUNT),
        _numbers.whole("power_iterations", power_iterations, 0, MOST_COUNT), _numbers.whole("seed", seed, 0, MOST_SEED),
    )  # fmt: skip


def randomized_svd(
    A: Carried, rank: int, oversampling: int, power_iterations: int, seed: int, threads: int
) -> Tuple[np.ndarray, np.ndarray, np.ndarray]:
    U, S, Vh = _factors(A, rank, True)
    _kernels.randomized_svd(
        A.array, A.dtype, rank, oversampling, power_iterations, seed, U, S, Vh, thread_count(threads)
    )
    return U, S, Vh


def svd_gradient(
    factors: Sequence[Carried], cotangents: Sequence[Optional[np.ndarray]], threads: int
) -> np.ndarray:
    """dA [B, M, N] of (U, S, Vh) and of (dU, dS, dVh), each None where it is 0."""
    U, S, Vh = factors
    none = (empty((0,), U.dtype), np.empty(0, S.dtype), empty((0,), U.dtype))
    given = [one if one is not None else other for one, other in zip(cotangents, none)]
    dA = empty((*U.array.shape[:2], Vh.array.shape[2]), U.dtype)
    _kernels.svd_gradient(U.dtype, [U.array, S.array, Vh.array, *given], dA, thread_count(threads))
    return dA


def gpu_module() -> Any:
    """assay.lib._gpu. Raises ImportError where the package was built without it."""
    return importlib.import_module("assay.lib._gpu")


def counted_tokens(targets: np.ndarray, options: Mapping[str, Any]) -> int:
    """The number by which the sum of losses is divided."""
    counted = int(np.count_nonzero(targets != options["ignore_index"])) if options["reduction"] == "mean" else 1
    return max(counted, 1)
