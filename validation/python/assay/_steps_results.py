"""The results of the functions of assay.steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, List, Optional, Tuple

import numpy as np


@dataclass(frozen=True)
class CtcSteps:
    """One sequence of CTC. In log space y, alpha, both betas, p and both invariants are logarithms."""

    states: List[int]  # l' [L]
    y: np.ndarray  # [T, C]
    alpha: np.ndarray  # [T, L], eq. 6 and 7; scaled: alphahat
    beta_including: np.ndarray  # [T, L], eq. 10 and 11: y_t is part of it (Graves et al. 2006); scaled: betahat
    beta_excluding: Optional[np.ndarray]  # [T, L], without y_t (Graves 2008); None where scaled
    scale: Optional[np.ndarray]  # C [T], what alpha was divided by; None unless scaled
    p: Any  # p(l|x), eq. 8
    loss: Any  # -ln p; None where exact
    invariant_including: np.ndarray  # [T], eq. 14: p at every t; scaled: Z
    invariant_excluding: Optional[np.ndarray]  # [T]: p at every t; None where scaled
    posterior: Optional[np.ndarray]  # gamma [T, C]; from here on NaN, or None where exact, if p is 0
    output_error: Optional[np.ndarray]  # dL/dy [T, C], eq. 13 and 15: the first of Eesen's steps
    gradient_two_step: Optional[np.ndarray]  # dL/dlogits [T, C], the second
    gradient: Optional[np.ndarray]  # dL/dlogits [T, C], eq. 16: y - gamma


@dataclass(frozen=True)
class Alignments:
    """What the definition gives, by enumeration: eq. 3 and its derivative, term by term."""

    count: int  # by the recursion of alpha over integers
    count_closed_form: int  # binomial(T + S - repeats, 2 S)
    repeats: int  # labels equal to the one before
    alignments: Optional[List[Tuple[int, ...]]]  # [n][T]; None where there are too many to try
    probability: Optional[np.ndarray]  # [n]; None, as p and the gradients, where none are listed or no y is given
    p: Any
    best: Optional[Tuple[int, ...]]  # the most probable alignment, listed or not; None without outputs or logits
    best_probability: Any
    gradient_wrt_outputs: Optional[np.ndarray]  # dL/dy [T, C]
    gradient_wrt_logits: Optional[np.ndarray]  # [T, C]


@dataclass(frozen=True)
class LogSumExpSteps:
    max: np.ndarray  # after each chunk: of what has been seen
    sum: np.ndarray  # of exp(x - max)
    log: np.ndarray  # max + ln sum
    lse: Any
    naive: Any  # ln of the sum of exp(x), no maximum taken off


@dataclass(frozen=True)
class CceSteps:
    loss: np.ndarray  # [N], or [1] after a reduction
    dhidden: np.ndarray  # [N, H]
    dweight: np.ndarray  # [V, H]
    dbias: Optional[np.ndarray]  # [V]


@dataclass(frozen=True)
class Sweep:
    worst_cosine: Any  # the largest |cosine| of two columns met
    rotations: int
    AV: np.ndarray  # [M, N], the columns after the sweep
    V: np.ndarray  # [N, N]


@dataclass(frozen=True)
class JacobiSteps:
    sweeps: List[Sweep]  # the first is A as it was
    U: np.ndarray  # [M, N]
    S: np.ndarray  # [N]
    Vh: np.ndarray  # [N, N]


@dataclass(frozen=True)
class Bounds:
    """The largest error that the gate allows a kernel, element by element: docs/bounds.md."""

    loss: float
    gradient: np.ndarray  # dL/dlogits [T, C]
