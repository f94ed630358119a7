"""What lies between a formula and its result: every quantity of a derivation, computed by the references.

Beside `assay.reference`, which says what is true, this shows how it comes about, in a number format of your choice:

    half, bfloat16, float, double   float64 arrays, whose every element is a number of that format
    exact                           object arrays of fractions.Fraction
    digits=50 and the like          object arrays of decimal.Decimal

exp and log are correctly rounded in each, so that all machines show the same digits. Positions count from 0.
Sources: Graves et al. 2006 (CTC), Milakov & Gimelshein 2018 (log-sum-exp), Demmel & Veselic 1992 (Jacobi).
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np

from . import _core
from ._options import CceOptions, Unpack, with_options

__all__ = [
    "Alignments",
    "Bounds",
    "CceSteps",
    "CtcSteps",
    "JacobiSteps",
    "LogSumExpSteps",
    "Sweep",
    "alignments",
    "bounds",
    "cce",
    "count_alignments",
    "ctc",
    "jacobi",
    "log_sum_exp",
]

Number = Union[str, int]


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


class _Reader:
    """Turns the texts of a response into arrays of one type."""

    def __init__(self, response: Dict[str, Any], element: Callable[[str], Any], dtype: Any) -> None:
        self.response, self.element, self.dtype = response, element, dtype

    def array(self, name: str) -> Any:
        return self.array_of(self.response[name])

    def array_of(self, texts: Any) -> Any:
        if texts is None:
            return None
        shape: List[int] = []
        level = texts
        while isinstance(level, list):
            shape.append(len(level))
            level = level[0] if level else None
        flat = texts
        for _ in shape[1:]:
            flat = [x for row in flat for x in row]
        result = np.empty(len(flat), self.dtype)
        result[:] = [self.element(x) for x in flat]
        return result.reshape(shape)

    def scalar(self, name: str) -> Any:
        text = self.response[name]
        return None if text is None else self.element(text)


def _plain(value: Any) -> Any:
    """Nested lists of what JSON has: numbers, and fractions and decimals as texts. Floats keep every digit."""
    if isinstance(value, (Fraction, Decimal)):
        return str(value)
    if isinstance(value, dict):
        return {key: _plain(x) for key, x in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(x) for x in value]
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    if isinstance(value, float) and not np.isfinite(value):
        return str(value)
    return value


def _number(number: Number) -> Any:
    return {"digits": number} if isinstance(number, int) else number


def _ask(function: Callable[[str], str], request: Dict[str, Any]) -> _Reader:
    response = json.loads(function(json.dumps({k: _plain(v) for k, v in request.items() if v is not None})))
    if "error" in response:
        raise ValueError(response["error"])
    number = request.get("number")
    if number == "exact":
        return _Reader(response, Fraction, object)
    return _Reader(response, Decimal, object) if isinstance(number, dict) else _Reader(response, float, np.float64)


def ctc(
    labels: Sequence[int],
    *,
    logits: Any = None,
    outputs: Any = None,
    blank: int = 0,
    number: Number = "double",
    space: str = "probability",
    without: Optional[Tuple[int, int, int]] = None,
) -> CtcSteps:
    """The derivation of CTC's loss and gradient for one sequence: labels [S], logits or outputs y [T, C].

    `number` as above, or how many decimal digits; `space` is "probability", "log" or "scaled". `without` = (t, from,
    to) leaves one transition out of alpha, to see what notices. Raises ValueError naming the argument.

    >>> steps = ctc([1], outputs=[["1/2", "1/2"], ["1/4", "3/4"]], number="exact")
    >>> steps.p  # of - 1, 1 - and 1 1
    Fraction(7, 8)
    """
    request = {
        "labels": labels,
        "logits": logits,
        "outputs": outputs,
        "blank": blank,
        "number": _number(number),
        "space": space,
        "without": None if without is None else dict(zip(("t", "from", "to"), without)),
    }
    read = _ask(_core.ctc_steps, request)
    matrices = ("y", "alpha", "beta_including", "beta_excluding", "scale", "invariant_including", "invariant_excluding")
    gradients = ("posterior", "output_error", "gradient_two_step", "gradient")
    return CtcSteps(
        states=read.response["states"],
        p=read.scalar("p"),
        loss=read.scalar("loss"),
        **{name: read.array(name) for name in matrices + gradients},
    )


def alignments(
    labels: Sequence[int],
    T: int,
    *,
    logits: Any = None,
    outputs: Any = None,
    blank: int = 0,
    number: Number = "exact",
) -> Alignments:
    """All alignments of labels [S] in T frames, tried one by one; with logits or outputs y [T, C] their probabilities.

    >>> [pi for pi in alignments([1, 2], 3).alignments if 0 in pi]
    [(0, 1, 2), (1, 0, 2), (1, 2, 0)]
    """
    request = {"labels": labels, "T": T, "blank": blank, "logits": logits, "outputs": outputs, "number": _number(number)}
    read = _ask(_core.alignment_steps, request)
    found, best = read.response["alignments"], read.response["best"]
    return Alignments(
        count=int(read.response["count"]),
        count_closed_form=int(read.response["count_closed_form"]),
        repeats=read.response["repeats"],
        alignments=None if found is None else [tuple(pi) for pi in found],
        probability=read.array("probability"),
        p=read.scalar("p"),
        best=None if best is None else tuple(best),
        best_probability=read.scalar("best_probability"),
        gradient_wrt_outputs=read.array("gradient_wrt_outputs"),
        gradient_wrt_logits=read.array("gradient_wrt_logits"),
    )


def count_alignments(labels: Sequence[int], T: int, *, blank: int = 0) -> int:
    """How many alignments labels [S] have in T frames: alpha over the integers.

    >>> count_alignments([1, 2, 2], 5)  # binomial(5 + 3 - 1, 6)
    7
    """
    return int(_ask(_core.alignment_steps, {"labels": labels, "T": T, "blank": blank}).response["count"])


def log_sum_exp(logits: Any, *, chunk: int = 1, number: Number = "double") -> LogSumExpSteps:
    """ln sum exp of logits [V], and what is kept after each chunk of them.

    >>> log_sum_exp([1000.0, 1000.0]).naive, float(log_sum_exp([1000.0, 1000.0], number=17).lse)
    (inf, 1000.6931471805599)
    """
    read = _ask(_core.log_sum_exp_steps, {"logits": logits, "chunk": chunk, "number": _number(number)})
    names = ("max", "sum", "log")
    return LogSumExpSteps(**{n: read.array(n) for n in names}, lse=read.scalar("lse"), naive=read.scalar("naive"))


@with_options(CceOptions, reduction="none")
def cce(
    hidden: Any,
    weight: Any,
    targets: Sequence[int],
    *,
    bias: Any = None,
    number: Number = "double",
    **options: Unpack[CceOptions],
) -> CceSteps:
    """Linear cross-entropy and its gradients with every operation in one format: hidden [N, H], weight [V, H].

    `assay.reference.cce` says what they should be.
    """
    arrays = {"hidden": hidden, "weight": weight, "targets": targets, "bias": bias}
    request = {**arrays, **options, "number": _number(number)}
    read = _ask(_core.cce_steps, request)
    return CceSteps(**{name: read.array(name) for name in ("loss", "dhidden", "dweight", "dbias")})


def jacobi(A: Any, *, number: Number = "double", ordering: str = "de_rijk") -> JacobiSteps:
    """One-sided Jacobi on A [M, N], M >= N, in "float", "double" or digits: its columns after each sweep.

    >>> [sweep.rotations for sweep in jacobi([[1.0, 1.0], [0.0, 1.0]]).sweeps]
    [0, 1, 0]
    """
    read = _ask(_core.jacobi_steps, {"A": A, "number": _number(number), "ordering": ordering})
    sweeps = [
        Sweep(
            read.element(sweep["worst_cosine"]), sweep["rotations"], read.array_of(sweep["AV"]), read.array_of(sweep["V"])
        )
        for sweep in read.response["sweeps"]
    ]
    return JacobiSteps(sweeps, read.array("U"), read.array("S"), read.array("Vh"))


def bounds(
    labels: Sequence[int],
    logits: Any,
    *,
    blank: int = 0,
    arithmetic: str = "log_space",
    unit_roundoff: float = 2.0**-24,
    output_unit_roundoff: float = 2.0**-24,
    two_step: bool = False,
) -> Bounds:
    """How far a correct kernel's loss and dL/dlogits may be from the truth, for logits [T, C] of float32.

    The keywords declare the kernel, as in `assay.gate`.
    """
    request = {
        "labels": labels,
        "logits": logits,
        "blank": blank,
        "arithmetic": arithmetic,
        "unit_roundoff": unit_roundoff,
        "output_unit_roundoff": output_unit_roundoff,
        "two_step": two_step,
    }
    read = _ask(_core.ctc_bounds, request)
    return Bounds(read.scalar("loss"), read.array("gradient"))
