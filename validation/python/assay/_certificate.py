"""Writes a certificate of the bounds that a run holds results to: the steps of the formula on small cases, each with an enclosure
of its exact value and a bound on its error, which check_certificate.py derives anew.

Values and errors are those of the checker's own rules; only the bound of a result is the library's. Where the steps need more
than that, a right kernel could be accused, and there is no certificate.
"""

from __future__ import annotations

import json
import os
from fractions import Fraction
from typing import Any, Callable, Dict, List, Sequence, Union

import numpy as np

from . import check_certificate as rules

# What a certificate can follow of a declaration.
_DECLARED = ("dtype", "compute", "accumulate", "exp_error", "empty", "limits", "extents", "algebra", "same_bits",
             "subnormals", "digits")  # fmt: skip
_MOST_ELEMENTS, _MOST_CASES = 40, 20


def _definitions() -> Dict[str, Callable[[np.ndarray], np.ndarray]]:
    def softmax(x: np.ndarray) -> np.ndarray:
        e = np.exp(x - x.max(-1, keepdims=True))
        return np.asarray(e / e.sum(-1, keepdims=True))

    return {"softmax": softmax, "sum": lambda x: x.sum(-1)}


class _Step:
    """A step, by its number in a recorder; arithmetic on it adds steps."""

    def __init__(self, recorder: "_Recorder", number: int) -> None:
        self.recorder, self.number = recorder, number

    def _with(self, rule: str, a: Any, b: Any) -> "_Step":
        if not (isinstance(a, _Step) and isinstance(b, _Step)):
            raise ValueError(f"certificate: the formula has a constant in {rule}: expected results of inputs alone")
        return self.recorder.add(rule, [a, b])

    def __sub__(self, other: Any) -> "_Step":
        return self._with("subtract", self, other)

    def __truediv__(self, other: Any) -> "_Step":
        return self._with("divide", self, other)


class _Recorder:
    """The namespace `xp` of a formula whose arrays hold steps."""

    def __init__(self, compute: str, stored: str, exp_error: float) -> None:
        self.steps: List[Dict[str, Any]] = []
        self.known: List[rules.Known] = []
        self.types, self._exp_error = (compute, stored), Fraction(exp_error)

    def __getattr__(self, name: str) -> Any:
        raise ValueError(f"certificate: the formula uses xp.{name}: expected -, /, exp, max and sum")

    def input(self, row: int, column: int, x: float) -> _Step:
        self.known.append(rules.Known(Fraction(x), Fraction(x), Fraction(0)))
        self.steps.append({"rule": "input", "of": [row, column]})
        return _Step(self, len(self.steps) - 1)

    def exp(self, x: Any) -> Any:
        return np.vectorize(lambda one: self.add("exp", [one]), otypes=[object])(x)

    def max(self, x: Any, *, axis: int = -1, keepdims: bool = False) -> Any:
        return self._reduced("largest", x, axis, keepdims)

    def sum(self, x: Any, *, axis: int = -1, keepdims: bool = False) -> Any:
        return self._reduced("sum", x, axis, keepdims)

    def _reduced(self, rule: str, x: Any, axis: int, keepdims: bool) -> Any:
        lines = np.moveaxis(x, axis, -1)
        result = np.empty(lines.shape[:-1], object)
        for at in np.ndindex(*result.shape):
            result[at] = self.add(rule, list(lines[at]))
        return np.expand_dims(result, axis) if keepdims else result

    def add(self, rule: str, given: Sequence[_Step]) -> _Step:
        a = [self.known[one.number] for one in given]
        low, high = rules.value_of(rule, a)
        if low != high:
            low, high = rules.rounded(low, False), rules.rounded(high, True)
        dtype = self.types[rule == "store"]
        error = rules.error_of(rule, a, max(abs(low), abs(high)), *rules.TYPES[dtype], self._exp_error)
        error = rules.rounded(error, True)
        self.known.append(rules.Known(low, high, error))
        self.steps.append({"rule": rule, "of": [one.number for one in given], "type": dtype, "value": [str(low), str(high)],
                           "error": str(error)})  # fmt: skip
        return _Step(self, len(self.steps) - 1)


def _definition(operation: Any) -> str:
    if len(operation.inputs) == 1 and operation.kinds[operation.inputs[0][0]] == "real":
        x = np.random.default_rng(1).standard_normal(operation.shapes(operation.usual_extents())[0])
        for name, defined in _definitions().items() if x.ndim else ():
            results, due = operation(x), defined(x)
            if isinstance(results, np.ndarray) and results.shape == due.shape and np.allclose(results, due, rtol=1e-12):
                return name
    raise ValueError(f"certificate: {operation.name} is neither the softmax nor the sum of the last axis of one input: expected "
                     "one of them, which the checker defines")  # fmt: skip


def _small_cases(operation: Any, seed: int, declared: Dict[str, Any]) -> List[np.ndarray]:
    """Inputs of the small generated cases that have the most different numbers."""
    name, cases = operation.inputs[0][0], []

    def record(p: Any) -> Any:
        given = getattr(p, name)
        x = given.astype(np.float64)
        if 0 < x.size <= _MOST_ELEMENTS and np.all(np.isfinite(x)):
            cases.append(x)
        return operation(x).astype(given.dtype)

    operation.gate(record, seed=seed, filter="^outputs$", reach="none", own_process=False, **declared)
    return sorted(cases, key=lambda x: -len(set(x.flat)))[:_MOST_CASES]


def _case(operation: Any, x: np.ndarray, declared: Dict[str, Any], recorder: _Recorder) -> Dict[str, Any]:
    rows = x.reshape(-1, x.shape[-1])
    steps = np.empty(rows.shape, object)
    for row, column in np.ndindex(*rows.shape):
        steps[row, column] = recorder.input(row, column, float(rows[row, column]))
    results = np.asarray(operation.formula(recorder, steps.reshape(x.shape)), object).reshape(-1)
    if recorder.types[0] != recorder.types[1]:
        results = [recorder.add("store", [one]) for one in results]
    bounds = operation.truth(x, digits=20, **declared)["output_bounds"][0]
    outputs = []
    for k, (step, bound) in enumerate(zip(results, bounds)):
        error = recorder.known[step.number].error
        if np.isfinite(bound) and not error <= Fraction(bound):
            raise ValueError(f"certificate: the steps of result {k} of {x.tolist()} may be {float(error)} off, more than its "
                             f"bound {bound}: a right kernel may be accused")  # fmt: skip
        outputs.append({"step": step.number, "bound": str(Fraction(bound)) if np.isfinite(bound) else None})
    return {"inputs": [[str(Fraction(float(one))) for one in row] for row in rows], "steps": recorder.steps, "outputs": outputs}


def write_certificate(operation: Any, path: Union[str, os.PathLike[str]], seed: int, declared: Dict[str, Any]) -> None:
    """Raises ValueError where the formula or what is declared is beyond the checker's rules."""
    other = [name for name in declared if name not in _DECLARED]
    if other:
        raise ValueError(f"certificate: {', '.join(other)} is declared: expected none but {', '.join(_DECLARED)}")
    stored = declared.get("dtype", "float32")
    compute = declared.get("compute") or ("float32" if stored == "float16" else stored)
    for name, dtype in (("dtype", stored), ("compute", compute)):
        if dtype not in rules.TYPES:
            raise ValueError(f"certificate: {name} = {dtype!r}: expected one of {', '.join(rules.TYPES)}")
    if declared.get("accumulate", "") not in ("", compute):
        raise ValueError(f"certificate: accumulate = {declared['accumulate']!r}: expected {compute!r}, as the other steps")
    exp_error = declared.get("exp_error", 4)
    certificate = {
        "definition": _definition(operation),
        "arithmetic": {"type": compute, "stored": stored, "exp_error": str(Fraction(exp_error))},
        "cases": [
            _case(operation, x, declared, _Recorder(compute, stored, exp_error)) for x in _small_cases(operation, seed, declared)
        ],
    }
    with open(path, "w", encoding="utf-8") as file:
        json.dump(certificate, file, indent=0)
