"""assay.explain: which sub-expressions of a formula lose the digits, and which make the first NaN or infinity."""

from __future__ import annotations

import html
import inspect
import math
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np

from ._arrays import to_numpy
from ._called import require_outside
from ._cases import held
from ._formula import trace
from ._operation import Operation
from .metal._library import Kernel
from .metal._numerics import KernelNumerics

DTYPES = ("float32", "float16", "bfloat16", "float64")


@dataclass(frozen=True)
class Computed:
    """An operation of the formula, one time that it was computed."""

    expression: str  # "q - mean * mean"
    line: int  # of the file that has the formula; 0 if it is not known
    event: str  # "1000194 - 1000193.75 = 0.25, exactly 0.579651857"


@dataclass(frozen=True)
class Loss(Computed):
    """An operation that made the error larger, where it did so most."""

    share: float  # of the error of the elements that lost more than half of their digits; of all if there are none
    lost_bits: float  # log2 of the growth of the relative error


@dataclass(frozen=True)
class Origin:
    """An operation that made a NaN or an infinity of numbers, which an output shows."""

    operation: Computed
    underflow: Optional[Computed]  # which made an operand 0 that should not be
    nan: Optional[Computed]  # which made the NaN, if the origin is an infinity
    place: str  # "output[0, 1]", the first that shows it
    became: float


@dataclass(frozen=True)
class OutputLoss:
    """The worst element of an output."""

    place: str  # "output[0, 2]"
    computed: float
    exact: str
    lost_bits: float


@dataclass(frozen=True)
class Explanation:
    """What a formula loses in a number format. `print` shows it; a notebook colours the formula's lines."""

    name: str
    dtype: str
    bits: int  # of the format's significand
    large: int  # output elements that lost more than half of their digits
    broken: int  # output elements that are NaN, or an infinity that is exactly a number
    outputs: List[OutputLoss]
    origins: List[Origin]  # in the order of evaluation
    losses: List[Loss]  # by falling share
    decided: List[Computed]  # comparisons that the exact values would have decided otherwise
    source: List[Tuple[int, str]]  # the formula's lines; empty if Python does not have them

    def __str__(self) -> str:
        parts = [self._summary(), *map(_worst_text, self.outputs)]
        parts += [line for origin in self.origins for line in ("", *_origin_text(origin))]
        if self.losses:
            parts += ["", "   bits  share   line  sub-expression"]
        for loss in self.losses:
            parts += [f"{loss.lost_bits:7.1f} {100 * loss.share:4.0f} % {loss.line:6}  {loss.expression}", f"{'':23}{loss.event}"]
        if self.decided and self.large:
            parts += ["", "rounding decides", *(f"  {one.expression}, line {one.line}: {one.event}" for one in self.decided)]
        return "\n".join(parts)

    __repr__ = __str__

    def _summary(self) -> str:
        broken = f", {_elements(self.broken)} NaN or overflowed" if self.broken else ""
        return f"{self.name} in {self.dtype}: {_elements(self.large)} lost more than half of the digits{broken}"

    def _repr_html_(self) -> str:
        """The formula's lines, coloured by their shares, bits and share in the margin, and below them what was computed."""
        shares: Dict[int, float] = {}
        bits: Dict[int, float] = {}
        notes: Dict[int, List[str]] = {}
        for loss in self.losses:
            shares[loss.line] = shares.get(loss.line, 0) + loss.share
            bits[loss.line] = max(bits.get(loss.line, 0), loss.lost_bits)
            notes.setdefault(loss.line, []).append(f"{loss.expression}: {loss.event}")
        for origin in self.origins:
            notes.setdefault(origin.operation.line, []).insert(0, "✗ " + "; ".join(map(str.strip, _origin_text(origin))))
        rows = [_row(number, text, shares.get(number), bits.get(number, 0), notes.get(number, ())) for number, text in self.source]
        worst = "".join(f"<br>{html.escape(_worst_text(one))}" for one in self.outputs)
        head = "".join(f"<th style='text-align: right'>{word}</th>" for word in ("bits", "share", "line"))
        return (f"<p>{html.escape(self._summary())}{worst}</p><table style='font-family: monospace'>"
                f"<tr>{head}<th style='text-align: left'>formula</th></tr>{''.join(rows)}</table>")


def _elements(count: int) -> str:
    return f"{count or 'no'} element{'' if count == 1 else 's'}"


def _worst_text(one: OutputLoss) -> str:
    return f"  {one.place} is {one.computed:.9g}, exactly {one.exact}: {one.lost_bits:.1f} bits lost"


def _origin_text(origin: Origin) -> List[str]:
    made = origin.operation
    lines = [f"{origin.place} is {'NaN' if math.isnan(origin.became) else origin.became}",
             f"  line {made.line}: {made.expression}: {made.event}"]
    if origin.underflow:
        lines.append(f"  line {origin.underflow.line}: an operand became 0: {origin.underflow.expression}: {origin.underflow.event}")
    if origin.nan:
        lines.append(f"  line {origin.nan.line}: then NaN: {origin.nan.expression}: {origin.nan.event}")
    return lines


def _row(number: int, text: str, share: Optional[float], bits: float, notes: Sequence[str]) -> str:
    heat = f" style='background: rgba(235, 120, 40, {0.7 * share:.2f})'" if share else ""
    margin = ("", "") if share is None else (f"{bits:.1f}", f"{100 * share:.0f} %")
    cells = "".join(f"<td style='text-align: right'>{one}</td>" for one in (*margin, number))
    row = f"<tr{heat}>{cells}<td style='text-align: left; white-space: pre'>{html.escape(text)}</td></tr>"
    below = "<br>".join(map(html.escape, notes))
    return row + (f"<tr><td colspan=3></td><td style='text-align: left; font-family: sans-serif'>{below}</td></tr>" if notes else "")


def _source_of(formula: Callable[..., Any]) -> List[Tuple[int, str]]:
    try:
        lines, first = inspect.getsourcelines(formula)
    except (OSError, TypeError):
        return []
    return [(first + n, line.rstrip("\n")) for n, line in enumerate(lines)]


def _inputs(names: Sequence[str], arrays: Sequence[Any], dtype: str) -> Dict[str, np.ndarray]:
    """The arrays by name, as float64. Raises TypeError, ValueError for what is no array of numbers that dtype holds."""
    if len(arrays) != len(names):
        raise TypeError(f"{len(arrays)} arrays: the formula takes {len(names)}: {', '.join(names)}")
    inputs = {}
    for name, array in zip(names, arrays):
        given = np.asarray(array if isinstance(array, (bool, int, float, list, tuple)) else to_numpy(array))
        if given.dtype.kind not in "bif":
            raise TypeError(f"{name} has the type {given.dtype}: expected numbers")
        wide = given.astype(np.float64)
        flat = wide.reshape(-1)
        narrow = np.array(held([wide], dtype)[0])
        beyond = np.flatnonzero(np.isfinite(flat) & ~np.isfinite(narrow))
        if beyond.size:
            raise ValueError(f"{name} has {flat[beyond[0]]:g}: expected numbers that {dtype} can hold")
        inputs[name] = narrow.reshape(given.shape)
    return inputs


def _kind(array: Any) -> str:
    """Of a formula's argument that is not declared: whole numbers may be indices."""
    given = array if isinstance(array, (bool, int, float, list, tuple)) else to_numpy(array)
    return {"i": "index", "b": "flag"}.get(np.asarray(given).dtype.kind, "real")


def _require_indices(formula: Operation, inputs: Sequence[Any], arrays: Sequence[np.ndarray], dtype: str) -> None:
    """Raises ValueError for an index that `dtype` would make another one."""
    for (name, _, kind, _, _), given, held_ in zip(formula.inputs, inputs, arrays):
        flat = np.asarray(given).reshape(-1)
        changed = flat[flat != held_.reshape(-1)] if kind == "index" else flat[:0]
        if changed.size:
            raise ValueError(f"{name} has the index {changed[0]}: expected indices that {dtype} holds; explain in float32")


def _place(output: int, element: int, shapes: Sequence[Sequence[int]]) -> str:
    index = ", ".join(str(one) for one in np.unravel_index(element, tuple(shapes[output]))) if shapes[output] else ""
    return f"output{output if len(shapes) > 1 else ''}" + (f"[{index}]" if index else "")


def explain(formula: Union[Operation, Callable[..., Any], Kernel], *inputs: Any, dtype: str = "float32",
            **launch: Any) -> Union[Explanation, KernelNumerics]:
    """Which sub-expressions of a formula lose the digits in `dtype`, and which make the first NaN or infinity.

    `formula` is an operation, or any function f(xp, x, ...) in the array API's names. `inputs` are its arrays, which are
    rounded to `dtype` first. Every operation is rounded to `dtype`, a sum from the first term to the last. `dtype` is
    "float32", "float16", "bfloat16" or "float64". The shares are those of docs/numerics.md.

    A kernel of assay.metal is run on the emulator with its numerics followed: its types are the shader's, and `launch` is
    what a call takes, grid= and the like.

    Raises TypeError, ValueError for inputs that do not fit, naming the input; NotTraceable as assay.operation.

    >>> def variance(xp, x):
    ...     return xp.mean(x * x) - xp.mean(x) ** 2
    >>> explain(variance, [1000.0, 1000.5, 1001.25]).losses[0].expression
    'sum(x * x) / 3 - (sum(x) / 3) * (sum(x) / 3)'
    """
    require_outside("assay.explain")
    if isinstance(formula, Kernel):
        return formula.explain(*inputs, **launch)
    if launch:
        raise TypeError(f"{', '.join(launch)}= is not known: expected dtype= alone, where a formula is explained")
    if dtype not in DTYPES:
        raise ValueError(f"dtype={dtype!r}: expected one of {', '.join(DTYPES)}")
    function = formula.formula if isinstance(formula, Operation) else formula
    if not inspect.isfunction(function):
        raise TypeError(f"{formula!r} is no formula: expected an operation, a function f(xp, x, ...) or a kernel of assay.metal")
    names = [one[0] for one in formula.inputs] if isinstance(formula, Operation) else list(inspect.signature(function).parameters)[1:]
    arrays = _inputs(names, inputs, dtype)
    shapes = [one.shape for one in arrays.values()]
    if isinstance(formula, Operation):
        formula.extents_of(shapes)
        _require_indices(formula, inputs, list(arrays.values()), dtype)
        traced = formula.graph(shapes, [])
    else:
        traced = trace(function, names, shapes, [], {name: _kind(x) for name, x in zip(names, inputs)})
    said = traced.explain({name: one.reshape(-1).tolist() for name, one in arrays.items()}, dtype)

    def computed(one: Optional[Dict[str, Any]]) -> Any:
        return one and Computed(**one)

    origins = [Origin(computed(made), computed(underflow), computed(nan), _place(output, element, traced.shapes), became)
               for made, underflow, nan, output, element, became in said["origins"]]
    outputs = [OutputLoss(_place(output, element, traced.shapes), *rest) for output, element, *rest in said["outputs"]]
    return Explanation(function.__name__, dtype, said["bits"], said["large"], said["broken"], outputs, origins,
                       [Loss(**one) for one in said["losses"]], [Computed(**one) for one in said["decided"]],
                       _source_of(function))
