"""What lies between a formula and its result: every quantity of a derivation, computed by the references.

Beside `assay.reference`, which says what is true, this shows how it comes about, in a number format of your choice:

    half, bfloat16, float, double   float64 arrays, whose every element is a number of that format
    exact                           object arrays of fractions.Fraction
    digits=50 and the like          object arrays of decimal.Decimal

exp and log are correctly rounded in each, so that all machines show the same digits. Positions count from 0.
Sources: Graves et al. 2006 (CTC), Milakov & Gimelshein 2018 (log-sum-exp), Demmel & Veselic 1992 (Jacobi).
"""

from __future__ import annotations

from typing import Any, Optional, Sequence, Tuple

from . import _core, _numbers
from ._options import CceOptions, Unpack, with_options
from ._steps_calls import Number, ask, number_of
from ._steps_results import Alignments, Bounds, CceSteps, CtcSteps, JacobiSteps, LogSumExpSteps, Sweep

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
        "number": number_of(number),
        "space": space,
        "without": None if without is None else dict(zip(("t", "from", "to"), without)),
    }
    read = ask(_core.ctc_steps, request)
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
    request = {"labels": labels, "T": T, "blank": blank, "logits": logits, "outputs": outputs, "number": number_of(number)}
    read = ask(_core.alignment_steps, request)
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
    return int(ask(_core.alignment_steps, {"labels": labels, "T": T, "blank": blank}).response["count"])


def log_sum_exp(logits: Any, *, chunk: int = 1, number: Number = "double") -> LogSumExpSteps:
    """ln sum exp of logits [V], and what is kept after each chunk of them.

    >>> log_sum_exp([1000.0, 1000.0]).naive, float(log_sum_exp([1000.0, 1000.0], number=17).lse)
    (inf, 1000.6931471805599)
    """
    read = ask(_core.log_sum_exp_steps, {"logits": logits, "chunk": chunk, "number": number_of(number)})
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
    request = {**arrays, **options, "number": number_of(number)}
    read = ask(_core.cce_steps, request)
    return CceSteps(**{name: read.array(name) for name in ("loss", "dhidden", "dweight", "dbias")})


def jacobi(A: Any, *, number: Number = "double", ordering: str = "de_rijk") -> JacobiSteps:
    """One-sided Jacobi on A [M, N], M >= N, in "float", "double" or digits: its columns after each sweep.

    >>> [sweep.rotations for sweep in jacobi([[1.0, 1.0], [0.0, 1.0]]).sweeps]
    [0, 1, 0]
    """
    read = ask(_core.jacobi_steps, {"A": A, "number": number_of(number), "ordering": ordering})
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
        "unit_roundoff": _numbers.real("unit_roundoff", unit_roundoff, 0, 0.0625, positive=True),
        "output_unit_roundoff": _numbers.real("output_unit_roundoff", output_unit_roundoff, 0, 0.0625),
        "two_step": _numbers.flag("two_step", two_step),
    }
    read = ask(_core.ctc_bounds, request)
    return Bounds(read.scalar("loss"), read.array("gradient"))
