"""The any-precision references: the exact results that a kernel approximates, to any number of digits.

Inputs are used exactly as they are, float64 included; nothing is rounded to float32. Results are computed at `digits`
and at 20 more, which must agree. Sources: Graves et al. 2006 (CTC); reference/{ctc,cce,svd}/ of the project.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Optional, Sequence, Tuple

import numpy as np

from . import _core, _numbers
from ._arrays import argument, as_int64
from ._called import require_outside
from ._options import CceOptions, CtcOptions, CtcReduction, Unpack, with_options

__all__ = ["CceTruth", "CtcTruth", "SvdTruth", "cce", "ctc", "svd"]


def float64(array: np.ndarray) -> np.ndarray:
    """An array of Decimals, each rounded once to the nearest float64."""
    return np.array([float(x) for x in array.ravel()], np.float64).reshape(array.shape)


@dataclass(frozen=True)
class CtcTruth:
    """Arrays of decimal.Decimal."""

    loss: np.ndarray  # [B], or [] after a reduction
    gradient: np.ndarray  # [T, B, C]; NaN where no gradient exists

    @property
    def loss_float64(self) -> np.ndarray:
        return float64(self.loss)

    @property
    def gradient_float64(self) -> np.ndarray:
        return float64(self.gradient)


@dataclass(frozen=True)
class CceTruth:
    """Arrays of decimal.Decimal."""

    loss: np.ndarray  # [N], or [] after a reduction
    dhidden: np.ndarray  # [N, H]
    dweight: np.ndarray  # [V, H]
    dbias: Optional[np.ndarray]  # [V], where there is a bias

    @property
    def loss_float64(self) -> np.ndarray:
        return float64(self.loss)


@dataclass(frozen=True)
class SvdTruth:
    """Arrays of decimal.Decimal; of each column of U, the first of the largest elements is positive."""

    U: np.ndarray  # [B, M, K]
    S: np.ndarray  # [B, K], descending
    Vh: np.ndarray  # [B, K, N]

    @property
    def S_float64(self) -> np.ndarray:
        return float64(self.S)


def _decimals(texts: Sequence[str], shape: Tuple[int, ...]) -> np.ndarray:
    array = np.empty(len(texts), object)
    array[:] = [Decimal(text) for text in texts]
    return array.reshape(shape)


def _reals(name: str, value: Any, dimensions: int) -> np.ndarray:
    """A row-major float64 array equal to `value`. Raises ValueError for another type or number of dimensions."""
    array = argument(name, value)
    if array.dtype.kind not in "fiu" or array.dtype.itemsize > 8:
        raise ValueError(f"{name}: {array.dtype}: expected float16, float32 or float64")
    if array.ndim != dimensions:
        raise ValueError(f"{name}: {array.dtype} {list(array.shape)}: expected {dimensions} dimensions")
    return np.require(array, np.float64, ["C"])


def _integers(name: str, value: Any, dimensions: Tuple[int, ...]) -> np.ndarray:
    array = argument(name, value)
    if array.size == 0:
        array = array.astype(np.int64)
    if array.dtype.kind not in "iu" or array.ndim not in dimensions:
        raise ValueError(
            f"{name}: {array.dtype} {list(array.shape)}: expected integers of {' or '.join(map(str, dimensions))} dimensions"
        )
    return as_int64(name, array)


def _upstream(value: Any) -> np.ndarray:
    if value is None:
        return np.empty(0)
    array = argument("upstream", value)
    if array.dtype.kind not in "fiu" or array.dtype.itemsize > 8:
        raise ValueError(f"upstream: {array.dtype} {list(array.shape)}: expected numbers")
    return np.require(np.atleast_1d(array), np.float64, ["C"])


def _digits(value: Any) -> int:
    require_outside("assay.reference")
    return _numbers.whole("digits", value, 17, 100_000)


@with_options(CtcOptions, reduction="none")
def ctc(
    *,
    targets: Any,
    input_lengths: Any,
    target_lengths: Any,
    logits: Any = None,
    log_probs: Any = None,
    upstream: Any = None,
    gradient_of: str = "logits",
    digits: int = 50,
    **options: Unpack[CtcReduction],
) -> CtcTruth:
    """Loss and gradient of a batch of CTC, to `digits` decimal digits.

    logits or log_probs [T, B, C], targets [B, S] or concatenated, input_lengths and target_lengths [B]. Raises
    ValueError naming the argument, its value and what was expected.

    >>> truth = ctc(logits=np.zeros((2, 1, 2)), targets=[[1]], input_lengths=[2], target_lengths=[1], digits=30)
    >>> truth.loss[0]  # three of four alignments: ln(4/3)
    Decimal('0.287682072451780927439219005994')
    >>> truth.gradient_float64[:, 0].round(3).tolist()  # 1/2 minus 1/3 and 2/3
    [[0.167, -0.167], [0.167, -0.167]]
    """
    if (logits is None) == (log_probs is None):
        raise ValueError("logits, log_probs: expected one of them")
    if gradient_of not in ("logits", "log_probs"):
        raise ValueError(f"gradient_of = {gradient_of!r}: expected logits or log_probs")
    name = "logits" if log_probs is None else "log_probs"
    activations = _reals(name, logits if log_probs is None else log_probs, 3)
    loss, gradient = _core.ctc(
        activations,
        _integers("targets", targets, (1, 2)),
        _integers("input_lengths", input_lengths, (1,)),
        _integers("target_lengths", target_lengths, (1,)),
        _upstream(upstream),
        log_probs is not None,
        gradient_of == "log_probs",
        options,
        _digits(digits),
    )
    shape = activations.shape[1:2] if options["reduction"] == "none" else ()
    return CtcTruth(_decimals(loss, shape), _decimals(gradient, activations.shape))


@with_options(CceOptions, reduction="none")
def cce(
    hidden: Any,
    weight: Any,
    targets: Any,
    *,
    bias: Any = None,
    upstream: Any = None,
    digits: int = 50,
    **options: Unpack[CceOptions],
) -> CceTruth:
    """Loss and gradients of linear cross-entropy, to `digits` decimal digits.

    hidden [N, H], weight [V, H], targets [N], bias [V]. Raises ValueError naming the argument, its value and what was
    expected.

    >>> truth = cce([[1.0]], [[0.0], [0.0]], [1], digits=30)  # two entries of equal logits
    >>> truth.loss[0]
    Decimal('0.693147180559945309417232121458')
    >>> truth.dweight.astype(float).tolist()
    [[0.5], [-0.5]]
    """
    h, w = _reals("hidden", hidden, 2), _reals("weight", weight, 2)
    b = np.empty(0) if bias is None else _reals("bias", bias, 1)
    loss, dhidden, dweight, dbias = _core.cce(
        h,
        w,
        b,
        _integers("targets", targets, (1,)),
        _upstream(upstream),
        options,
        _digits(digits),
    )
    return CceTruth(
        _decimals(loss, h.shape[:1] if options["reduction"] == "none" else ()),
        _decimals(dhidden, h.shape),
        _decimals(dweight, w.shape),
        None if bias is None else _decimals(dbias, b.shape),
    )


def svd(A: Any, *, digits: int = 50) -> SvdTruth:
    """Thin singular value decompositions of A [B, M, N], or of one matrix [M, N], to `digits` decimal digits.

    Singular values are to that precision relative to the largest of their matrix. Raises ValueError naming the
    argument, its value and what was expected.

    >>> svd([[3.0, 0.0], [4.0, 5.0]], digits=30).S[0]  # the root of 45
    Decimal('6.70820393249936908922752100619')
    """
    array = _reals("A", A, 2 if np.ndim(A) == 2 else 3)
    batch = array.reshape((-1,) + array.shape[-2:]) if array.ndim == 2 else array
    M, N = batch.shape[-2], batch.shape[-1]
    K = min(M, N)
    U, S, Vh = _core.svd(batch, _digits(digits))
    lead = array.shape[:-2]
    return SvdTruth(_decimals(U, (*lead, M, K)), _decimals(S, (*lead, K)), _decimals(Vh, (*lead, K, N)))
