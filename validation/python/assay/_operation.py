"""assay.operation: an operation of one's own, which is a formula; its gate, gradient, truth and mutants."""

from __future__ import annotations

import inspect
import json
import os
from dataclasses import replace
from functools import lru_cache
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np

from . import _core
from ._cases import Given, given_case, shortened, words_of_line
from ._formula import NumPy, trace
from ._formula_calls import KernelCall, require_kernel
from ._gate import GateResult, _property_result
from ._plugin import Plugin
from ._road import Road

KINDS = ("real", "flag", "index", "unit", "positive")


def _parsed(name: str, text: str, minus_infinity: Sequence[str]) -> Tuple[str, List[str], str, str, bool]:
    """"B, T" or "B, T of flag" or "B, U of index V"."""
    if not isinstance(text, str):
        raise TypeError(f"{name}={text!r}: expected its extents as a string, such as 'N, D'")
    shape, _, kind = text.partition(" of ")
    words = kind.split() or ["real"]
    if words[0] not in KINDS or len(words) != (2 if words[0] == "index" else 1):
        raise ValueError(f"{name}={text!r}: expected extents and one of: {', '.join(KINDS)} ('B, U of index V')")
    dimensions = [one.strip() for one in shape.split(",") if one.strip()]
    return name, dimensions, words[0], words[1] if len(words) > 1 else "", name in minus_infinity


def _require_limits(limits: Dict[str, int], extents: Sequence[str]) -> None:
    for name, most in limits.items():
        if name not in extents:
            raise ValueError(f"limits has {name!r}: expected extents of the operation: {', '.join(extents)}")
        if not isinstance(most, (int, np.integer)) or most < 1:
            raise ValueError(f"limits[{name!r}] = {most!r}: expected a whole number from 1 on")


def _joined(results: Sequence[GateResult], dtypes: Sequence[str]) -> GateResult:
    """The results of one kernel in several dtypes as one, each property named with its dtype."""
    if not results:
        raise ValueError("dtype is empty: expected at least one of float32, float16, bfloat16, float64")
    properties = [replace(one, name=f"{one.name} {dtype}") for result, dtype in zip(results, dtypes) for one in result.properties]
    table = "\n".join(f"{dtype}: {result.table}" for result, dtype in zip(results, dtypes))
    record = {**results[0].record, "runs": [run for result in results for run in result.record["runs"]]}
    return GateResult(results[0].operation, results[0].kernel, properties, table, record)


def _written(value: Any) -> str:
    """A declared value as one writes it in a call: functions by their names."""
    if isinstance(value, tuple):
        return f"({', '.join(_written(one) for one in value)},)"
    return value.__name__ if inspect.isfunction(value) else repr(value)


class Operation:
    """A formula, and what is drawn for its inputs. Calling it computes the formula with NumPy."""

    def __init__(self, formula: Callable[..., Any], inputs: Dict[str, str], properties: str, minus_infinity: str,
                 limits: Optional[Dict[str, int]]) -> None:
        if not inspect.isfunction(formula):
            raise TypeError(f"{formula!r} is no formula: expected a function f(xp, x, ...)")
        named = list(inspect.signature(formula).parameters)[1:]
        if named != list(inputs):
            raise ValueError(f"the formula takes {named} after xp, but {list(inputs)} are declared: expected the same names")
        self.formula, self.name, self.limits = formula, formula.__name__, dict(limits or {})
        self.inputs = [_parsed(name, text, minus_infinity.split()) for name, text in inputs.items()]
        unknown = [name for name in minus_infinity.split() if name not in inputs]
        if unknown:
            raise ValueError(f"minus_infinity={minus_infinity!r}: expected names of inputs: {', '.join(inputs)}")
        words = (word.partition("=") for word in properties.split())
        self.properties = [(name, extent) for name, _, extent in words]
        self.extents = list(dict.fromkeys(
            one for _, dims, _, of, _ in self.inputs for one in [*dims, *([of] if of else [])] if not one.isdigit()))
        _require_limits(self.limits, self.extents)
        self.differentiable = [name for name, _, kind, _, _ in self.inputs if kind not in ("flag", "index")]
        self._traced = lru_cache(300)(self._trace_at)

    def __call__(self, *arrays: Any) -> Any:
        return self.formula(NumPy(), *arrays)

    def shapes(self, extents: Dict[str, int]) -> List[Tuple[int, ...]]:
        return [tuple(extents[d] if d in extents else int(d) for d in dims) for _, dims, _, _, _ in self.inputs]

    def extents_of(self, shapes: Sequence[Tuple[int, ...]]) -> Dict[str, int]:
        """The extents of inputs of these shapes. Raises ValueError where they do not fit together."""
        if len(shapes) != len(self.inputs):
            raise TypeError(f"{len(shapes)} arrays: expected {', '.join(one[0] for one in self.inputs)}")
        extents: Dict[str, int] = {}
        for (name, dims, _, _, _), shape in zip(self.inputs, shapes):
            if len(shape) != len(dims):
                raise ValueError(f"{name} has the shape {list(shape)}: expected [{', '.join(dims)}]")
            for d, size in zip(dims, shape):
                if int(d) != size if d.isdigit() else extents.setdefault(d, size) != size:
                    raise ValueError(f"{name} has {d}={size}: expected {d if d.isdigit() else extents[d]}, as before")
        missing = [name for name in self.extents if name not in extents]
        if missing:
            raise ValueError(f"no input has the extent {', '.join(missing)}: expected one that has")
        return extents

    def trace(self, extents: Dict[str, int]) -> Any:
        """The formula's graph at these extents; the last few hundred are remembered."""
        return self._traced(*(extents[name] for name in self.extents))

    def _trace_at(self, *sizes: int) -> Any:
        shapes = self.shapes(dict(zip(self.extents, sizes)))
        return trace(self.formula, [one[0] for one in self.inputs], shapes, self.differentiable)

    def _roads(self, road: Any) -> Tuple[Optional[Road], Optional[Road]]:
        """The kernel's roads to the outputs and to the gradients."""
        roads = [Road(self, one) for one in ([] if road is None else road if isinstance(road, (tuple, list)) else [road])]
        found = [[one for one in roads if one.is_of_gradient == of_gradient] for of_gradient in (False, True)]
        for some in found:
            if len(some) > 1:
                raise ValueError(f"road has {some[0].name} and {some[1].name}, which take the same arrays: expected one of them")
        return next(iter(found[0]), None), next(iter(found[1]), None)

    def subject(self, kernel: Any = None, backward: Any = None, *, dtype: str = "float32", compute: str = "",
                accumulate: str = "", exp_error: float = 4, input_roundoff: float = 0,
                rounds: Optional[Dict[str, float]] = None, road: Any = None, subnormals: bool = True, empty: bool = True,
                limits: Optional[Dict[str, int]] = None, digits: int = 40, **unknown: Any) -> Any:
        if unknown:
            known = [name for name in inspect.signature(self.subject).parameters if name not in ("kernel", "backward", "unknown")]
            raise TypeError(f"{', '.join(unknown)}= is not known: expected what a kernel declares: {', '.join(known)}")
        _require_limits(limits or {}, self.extents)
        for one in (kernel, backward):
            if one is not None:
                require_kernel(one, [name for name, *_ in self.inputs])
        compute = compute or ("float32" if dtype in ("float16", "bfloat16") else dtype)
        declared = {key: float(count) for key, count in (rounds or {}).items()}
        types = (dtype, compute, accumulate or compute, float(exp_error), float(input_roundoff), declared, not subnormals)
        roads = self._roads(road)
        calls = [fn and KernelCall(self, fn, dtype, gradient) for fn, gradient in ((kernel, False), (backward, True))]
        name = getattr(kernel or backward, "__name__", "kernel")
        subject = _core.FormulaSubject(
            self.name, self.inputs, self.extents, {**self.limits, **(limits or {})}, self.properties, empty, self.trace,
            name, *calls, types, digits, *(one and one.trace for one in roads))
        if declared:
            subject.require_names({name: 5 for name in self.extents})
        return subject

    def gate(self, kernel: Any = None, backward: Any = None, *, cases: int = 100, seed: int = 1, filter: str = "",
             reach: str = "quick", input: Optional[Given] = None, dtype: Union[str, Sequence[str]] = "float32",
             **declared: Any) -> GateResult:
        """Judges a kernel, its backward pass, or both, in each dtype; see assay.operation for what may be declared."""
        if not isinstance(dtype, str):
            return _joined([self.gate(kernel, backward, cases=cases, seed=seed, filter=filter, reach=reach, input=input,
                                      dtype=one, **declared) for one in dtype], dtype)
        declared["dtype"] = dtype
        if kernel is None and backward is None:
            raise TypeError("no kernel: expected a function of p, or the path of a plug-in (.so, .json)")
        if isinstance(kernel, (str, os.PathLike)) or isinstance(backward, (str, os.PathLike)):
            return self._gate_plugin(kernel, backward, cases=cases, seed=seed, filter=filter, reach=reach, input=input, **declared)
        fn = kernel or backward
        given = [] if input is None else [given_case(self, input, dtype)]
        said, table = self.subject(kernel, backward, **declared).run(cases, seed, filter, reach, given, shortened)
        report = json.loads(said)
        for failure in (one["failure"] for one in report["runs"][0]["properties"] if one.get("failure")):
            words, keywords = failure["reproducer"], "".join(f", {key}={_written(value)}" for key, value in declared.items())
            name = getattr(fn, "__name__", "kernel")
            failure["again"] = f"import assay; assay.replay({name}, {words!r}, operation={self.name}{keywords})"
            table = table.replace(words, failure["again"])
        results = [_property_result(one) for one in report["runs"][0]["properties"]]
        return GateResult(self.name, report["runs"][0]["kernel"], results, table, report)

    def _gate_plugin(self, kernel: Any, backward: Any, **options: Any) -> GateResult:
        dtype = options.get("dtype", "float32")
        kernels = [one and Plugin(one, self, dtype, is_gradient) for one, is_gradient in ((kernel, False), (backward, True))]
        try:
            return self.gate(*kernels, **options)
        finally:
            for one in kernels:
                if one is not None:
                    one.close()

    def property_names(self) -> List[str]:
        """The properties of a kernel of the outputs, in the order of a report."""
        return ["repeat", *(name for name, _ in self.properties), "exact", "outputs"]

    def replay(self, fn: Any, reproducer: str, **declared: Any) -> bool:
        """Judges the case of a failure once more, prints the verdict, and returns whether it passes now."""
        words = words_of_line(reproducer)
        of_gradient = words["property"] == "gradient"
        if isinstance(fn, (str, os.PathLike)):
            fn = Plugin(fn, self, declared.get("dtype", "float32"), of_gradient)
        verdict, why = self.subject(None if of_gradient else fn, fn if of_gradient else None, **declared).replay(words)
        print(f"{verdict} {words['property']}\n{why}")
        return verdict == "pass"

    def truth(self, *arrays: Any, digits: int = 50, upstream: Any = None, **declared: Any) -> Dict[str, Any]:
        """Outputs, and with an upstream gradients, as decimals of `digits` digits, and the bounds on a kernel's errors."""
        extents = self.extents_of([np.shape(one) for one in arrays])
        flat = [np.asarray(one, np.float64).reshape(-1).tolist() for one in arrays]
        subject = self.subject(None, None if upstream is None else (lambda p: []), digits=digits, **declared)
        up = [] if upstream is None else [np.asarray(upstream, np.float64).reshape(-1).tolist()]
        return subject.truth(extents, flat, up, digits)

    def enclosures(self, *arrays: Any, digits: int = 50, upstream: Any = None) -> List[List[str]]:
        """"[0.25 +/- 3.1e-50]" for each element of each output, and with an upstream of each gradient: proven intervals.

        Raises RuntimeError where assay was built without FLINT or Arb.
        """
        extents = self.extents_of([np.shape(one) for one in arrays])
        flat = [np.asarray(one, np.float64).reshape(-1).tolist() for one in arrays]
        subject = self.subject(None, None if upstream is None else (lambda p: []), digits=digits)
        up = [] if upstream is None else [np.asarray(upstream, np.float64).reshape(-1).tolist()]
        return subject.enclosures(extents, flat, up)

    def mutants(self, *, cases: int = 60, seed: int = 1, **declared: Any) -> List[Tuple[str, bool, str]]:
        """(fault, noticed, by which property) for every fault that can be planted into the formula."""
        return self.subject(**declared).mutants(cases, seed, {name: 5 for name in self.extents})


def operation(*, properties: str = "", minus_infinity: str = "", limits: Optional[Dict[str, int]] = None,
              **inputs: str) -> Callable[[Callable[..., Any]], Operation]:
    """Makes an operation of a formula ``f(xp, x, ...)`` that is written in the array API's names.

    inputs          each array's extents, by name or number, and its kind: "B, T", "B, T of flag", "B, U of index V",
                    "N of unit" (in [0, 1]), "N of positive"
    properties      what holds along an extent: "rows=N permutation=D shift=D scaling=D causal=T monotone=D sums_to_one=D"
    minus_infinity  names of inputs whose elements may be -inf
    limits          the largest of an extent; 257 unless said
    """
    return lambda formula: Operation(formula, inputs, properties, minus_infinity, limits)
