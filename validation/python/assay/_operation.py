"""assay.operation: an operation of one's own, which is a formula; its gate, gradient, truth and mutants."""

from __future__ import annotations

import inspect
import json
import math
import os
import pickle
import re
import sys
from contextlib import ExitStack, closing
from dataclasses import replace
from functools import lru_cache, partial
from hashlib import sha256
from importlib import import_module
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np

from . import _core, _numbers
from ._again import replay_call, run_call
from ._called import TIME_LIMIT, kernel_calls
from ._cases import Given, given_case, shortened, words_of_line
from ._formula import trace
from ._formula_calls import KernelCall, require_kernel
from ._gate import MOST_CASES, MOST_DIGITS, REACHES, GateResult, _property_result
from ._numpy_names import NumPy
from ._pipe import Ended
from ._plugin import Plugin
from ._road import Road
from ._shards import Shard, judge_in_shards
from ._taken_sizes import limits_with, taken_sizes

KINDS = ("real", "flag", "index", "unit", "positive")
DTYPES = ("float32", "float16", "bfloat16", "float64")


LARGEST_FIXED = 65_536  # elements of an array at extents of 1: every case has them, and many more
LARGEST_EXTENT = 2**31 - 1
_WORDS = ("operation", "property", "seed", "layout", "file")  # of a replay line
_ATTRIBUTES = ("extents", "upstream", "upstreams")  # of a problem
_AXES = 32  # as NumPy has them at the most


def _is_fixed(extent: str) -> bool:
    return extent[:1].isdigit()


def _require_extent(name: str, text: str, extent: str, inputs: Sequence[str]) -> None:
    """Raises ValueError unless `extent` is a name or a number from 1 on, as decimal digits."""
    if re.fullmatch(r"[1-9][0-9]{0,9}", extent) and int(extent) <= LARGEST_EXTENT:
        return
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", extent):
        raise ValueError(f"{name}={text!r}: the extent {extent!r}: expected a name such as N, or a whole number from 1 to "
                         f"{LARGEST_EXTENT}; one extent that is computed of another is a name of its own")
    if extent in inputs or extent in _WORDS or re.fullmatch(r"upstream[0-9]*", extent):
        raise ValueError(f"{name}={text!r}: the extent {extent!r} is the name of an input or of another word of a replay line: "
                         "expected another name")


def _parsed(name: str, text: str, inputs: Sequence[str], largest_fixed: int) -> Tuple[List[str], str, str]:
    """Extents, kind and the extent of an index, of "B, T" or "B, T of flag" or "B, U of index V"."""
    if not isinstance(text, str):
        raise TypeError(f"{name}={text!r}: expected its extents as a string, such as 'N, D'")
    if name in (*_WORDS, *_ATTRIBUTES) or re.fullmatch(r"upstream[0-9]+", name):
        raise ValueError(f"the input {name!r} has the name of something else that a problem or a replay line has: expected another name")
    shape, of, kind = text.partition(" of ")
    words = kind.split() if of else ["real"]
    if not words or words[0] not in KINDS or len(words) != (2 if words[0] == "index" else 1):
        raise ValueError(f"{name}={text!r}: expected extents and one of: {', '.join(KINDS)} ('B, U of index V')")
    dimensions = [one.strip() for one in shape.split(",")] if shape.strip() else []
    for extent in [*dimensions, *words[1:]]:
        _require_extent(name, text, extent, inputs)
    if len(dimensions) > _AXES:
        raise ValueError(f"{name}={text!r}: {len(dimensions)} axes: expected at most {_AXES}")
    fixed = math.prod(int(extent) for extent in dimensions if _is_fixed(extent))
    if fixed > largest_fixed:
        raise ValueError(f"{name}={text!r}: {fixed} elements where every named extent is 1: expected at most {largest_fixed}; "
                         "give an extent a name and a limit: limits={'N': 4096}")
    return dimensions, words[0], words[1] if len(words) > 1 else ""


def _require_limits(limits: Any, extents: Sequence[str]) -> Dict[str, int]:
    if not isinstance(limits, (dict, type(None))):
        raise TypeError(f"limits = {limits!r}: expected the largest size of extents by name, such as {{'N': 100}}")
    for name in limits or {}:
        if name not in extents:
            raise ValueError(f"limits has {name!r}: expected extents of the operation: {', '.join(extents)}")
    return {name: _numbers.whole(f"limits[{name!r}]", most, 1, LARGEST_EXTENT) for name, most in (limits or {}).items()}


def _declared_properties(properties: str, extents: Sequence[str]) -> List[Tuple[str, str]]:
    """(property, extent) of "rows=N permutation=D"."""
    pairs = [tuple(word.partition("=")[::2]) for word in _numbers.text("properties", properties).split()]
    for name, extent in pairs:
        if name not in _core.formula_relations():
            raise ValueError(f"properties={properties!r}: {name!r}: expected one of {', '.join(_core.formula_relations())}")
        if extent not in extents:
            raise ValueError(f"properties={properties!r}: {name}={extent}: expected {name}=EXTENT with one of {', '.join(extents)}")
    return pairs  # type: ignore[return-value]


def _joined(results: Sequence[GateResult], dtypes: Sequence[str]) -> GateResult:
    """The results of one kernel in several dtypes as one, each property named with its dtype."""
    if not results:
        raise ValueError("dtype is empty: expected at least one of float32, float16, bfloat16, float64")
    properties = [replace(one, name=f"{one.name} {dtype}") for result, dtype in zip(results, dtypes) for one in result.properties]
    table = "\n".join(f"{dtype}: {result.table}" for result, dtype in zip(results, dtypes))
    record = {**results[0].record, "runs": [run for result in results for run in result.record["runs"]]}
    return GateResult(results[0].operation, results[0].kernel, properties, table, record)


def _arithmetic(dtype: str, compute: str, accumulate: str, exp_error: float, input_roundoff: float, rounds: Any,
                subnormals: bool) -> Tuple[Tuple[Any, ...], Dict[str, float]]:
    """What a kernel declares of its arithmetic, as FormulaSubject takes it, and its further roundings."""
    dtype = _numbers.one_of("dtype", dtype, DTYPES)
    compute = _numbers.one_of("compute", compute or ("float32" if dtype in ("float16", "bfloat16") else dtype), DTYPES)
    accumulate = _numbers.one_of("accumulate", accumulate or compute, DTYPES)
    if not isinstance(rounds, (dict, type(None))):
        raise TypeError(f"rounds = {rounds!r}: expected numbers of roundings by name, such as {{'d': 1}}")
    declared = {key: _numbers.real(f"rounds[{key!r}]", count, 0, 1e6) for key, count in (rounds or {}).items()}
    return (dtype, compute, accumulate, _numbers.real("exp_error", exp_error, 0, 1e6),
            _numbers.real("input_roundoff", input_roundoff, 0, 1), declared, not _numbers.flag("subnormals", subnormals)), declared


class Operation:
    """A formula, and what is drawn for its inputs. Calling it computes the formula with NumPy."""

    largest_fixed = LARGEST_FIXED

    def __init__(self, formula: Callable[..., Any], inputs: Dict[str, str], properties: str, minus_infinity: str,
                 limits: Optional[Dict[str, int]]) -> None:
        if not inspect.isfunction(formula):
            raise TypeError(f"{formula!r} is no formula: expected a function f(xp, x, ...)")
        named = list(inspect.signature(formula).parameters)[1:]
        if named != list(inputs):
            raise ValueError(f"the formula takes {named} after xp, but {list(inputs)} are declared: expected the same names")
        if not inputs:
            raise ValueError(f"the formula {formula.__name__} takes no array: expected at least one after xp")
        self._declare(formula, formula.__name__, inputs, properties, minus_infinity, limits)

    def _declare(self, formula: Callable[..., Any], name: str, inputs: Dict[str, str], properties: str, minus_infinity: str,
                 limits: Optional[Dict[str, int]]) -> None:
        self.formula, self.name = formula, name
        self.made_of = (inputs, properties, minus_infinity, limits)
        infinite = _numbers.text("minus_infinity", minus_infinity).split()
        self.inputs = [(name, *_parsed(name, text, list(inputs), self.largest_fixed), name in infinite)
                       for name, text in inputs.items()]  # fmt: skip
        unknown = [name for name in infinite if name not in inputs]
        if unknown:
            raise ValueError(f"minus_infinity={minus_infinity!r}: expected names of inputs: {', '.join(inputs)}")
        self.extents = list(dict.fromkeys(
            one for _, dims, _, of, _ in self.inputs for one in [*dims, *([of] if of else [])] if not _is_fixed(one)))
        self.properties = _declared_properties(properties, self.extents)
        self.limits = _require_limits(limits, self.extents)
        self.least: Dict[str, int] = {}  # of an extent but for 0, where that is not 1
        self.differentiable = [name for name, _, kind, _, _ in self.inputs if kind not in ("flag", "index")]
        self.kinds = {name: kind for name, _, kind, _, _ in self.inputs}
        self._traced = lru_cache(300)(self._trace_at)

    def __call__(self, *arrays: Any) -> Any:
        return self.formula(NumPy(), *arrays)

    def written(self, written: Any) -> str:
        """The operation as one writes it in a call (_again.py)."""
        return written.name(self, "operation", "the operation", self.formula)

    def replay_line(self, words: str, fn: Any, declared: Dict[str, Any]) -> str:
        """The line that judges a case again."""
        return replay_call(words, fn, declared, self)

    def run_line(self, words: str, kernel: Any, backward: Any, declared: Dict[str, Any], given: Any) -> str:
        """The line for a run, where only its calls in turn lead to a failure."""
        return run_call(words, kernel, backward, self, declared, given)

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
                if int(d) != size if _is_fixed(d) else extents.setdefault(d, size) != size:
                    raise ValueError(f"{name} has {d}={size}: expected {d if _is_fixed(d) else extents[d]}, as before")
        missing = [name for name in self.extents if name not in extents]
        if missing:
            raise ValueError(f"no input has the extent {', '.join(missing)}: expected one that has")
        return extents

    def trace(self, extents: Dict[str, int]) -> Any:
        """The formula's graph at these extents; the last few hundred are remembered."""
        return self._traced(*(extents[name] for name in self.extents))

    def _trace_at(self, *sizes: int) -> Any:
        return self.graph(self.shapes(dict(zip(self.extents, sizes))), self.differentiable)

    def graph(self, shapes: Sequence[Tuple[int, ...]], wrt: Sequence[str]) -> Any:
        """The formula's graph at these shapes, with the gradients in the inputs `wrt`."""
        return trace(self.formula, [one[0] for one in self.inputs], shapes, wrt, self.kinds)

    def _roads(self, road: Any) -> Tuple[Optional[Road], Optional[Road]]:
        """The kernel's roads to the outputs and to the gradients."""
        roads = [Road(self, one) for one in ([] if road is None else road if isinstance(road, (tuple, list)) else [road])]
        found = [[one for one in roads if one.is_of_gradient == of_gradient] for of_gradient in (False, True)]
        for some in found:
            if len(some) > 1:
                raise ValueError(f"road has {some[0].name} and {some[1].name}, which take the same arrays: expected one of them")
        return next(iter(found[0]), None), next(iter(found[1]), None)

    def _kernel(self, kernel: Any, gradient: bool) -> Any:
        """The kernel as a function of a problem."""
        return kernel

    def subject(self, kernel: Any = None, backward: Any = None, *, dtype: str = "float32", compute: str = "",
                accumulate: str = "", exp_error: float = 4, input_roundoff: float = 0,
                rounds: Optional[Dict[str, float]] = None, road: Any = None, subnormals: bool = True, empty: bool = True,
                limits: Optional[Dict[str, int]] = None, extents: Optional[Dict[str, Any]] = None, same_bits: bool = True,
                digits: int = 40, **unknown: Any) -> Any:
        if unknown:
            known = [name for name in inspect.signature(self.subject).parameters if name not in ("kernel", "backward", "unknown")]
            raise TypeError(f"{', '.join(unknown)}= is not known: expected what a kernel declares: {', '.join(known)}")
        taken = taken_sizes(extents, self.extents, self.least)
        own_limits = limits_with({**self.limits, **_require_limits(limits, self.extents)}, taken)
        name = getattr(kernel or backward, "__name__", "kernel")
        kernel, backward = kernel and self._kernel(kernel, False), backward and self._kernel(backward, True)
        for one in (kernel, backward):
            if one is not None:
                require_kernel(one, [name for name, *_ in self.inputs])
        types, declared = _arithmetic(dtype, compute, accumulate, exp_error, input_roundoff, rounds, subnormals)
        digits = _numbers.whole("digits", digits, 17, MOST_DIGITS)
        roads = self._roads(road)

        def calls(forward: Any, backward: Any) -> Tuple[Any, Any]:
            return forward and KernelCall(self, forward, dtype, False), backward and KernelCall(self, backward, dtype, True)

        def afresh() -> Tuple[Any, Any]:
            return calls(kernel and kernel.afresh(), backward and backward.afresh())

        starts_afresh = all(getattr(one, "starts_afresh", False) for one in (kernel, backward) if one is not None)
        subject = _core.FormulaSubject(
            self.name, self.inputs, self.extents, own_limits, self.properties, _numbers.flag("empty", empty), self.trace,
            name, *calls(kernel, backward), afresh if starts_afresh else None, types, digits, *(one and one.trace for one in roads))
        subject.same_bits = _numbers.flag("same_bits", same_bits)
        subject.set_sizes(*taken)
        if declared:
            subject.require_names({name: 5 for name in self.extents})
        return subject

    def gate(self, kernel: Any = None, backward: Any = None, *, cases: int = 100, seed: int = 1, filter: str = "",
             reach: str = "quick", input: Optional[Given] = None, time_limit: float = TIME_LIMIT,
             dtype: Union[str, Sequence[str]] = "float32", executor: Any = None, shards: Optional[int] = None,
             resume: Union[str, os.PathLike[str], None] = None, **declared: Any) -> GateResult:
        """Judges a kernel, its backward pass, or both, in each dtype; see assay.operation for what may be declared, and
        assay.gate for the other arguments."""
        if not isinstance(dtype, (str, tuple, list)):
            raise TypeError(f"dtype = {dtype!r}: expected one of {', '.join(DTYPES)}, or several in a tuple")
        asked: Dict[str, Any] = dict(cases=cases, seed=seed, filter=filter, reach=reach, input=input, time_limit=time_limit)
        if not isinstance(dtype, str):
            return _joined([self.gate(kernel, backward, **asked, dtype=one, executor=executor, shards=shards, resume=resume,
                                      **declared) for one in dtype], dtype)  # fmt: skip
        if kernel is None and backward is None:
            raise TypeError("no kernel: expected a function of p, or the path of a plug-in (.so, .json)")
        declared["dtype"] = dtype
        if executor is None:
            said, table = self._judged(kernel, backward, declared=declared, **asked)
        else:
            run = partial(_judge_shard, self, kernel, backward, {**asked, "declared": declared})
            kernels = repr([getattr(one, "__qualname__", one) for one in (kernel, backward)])
            digest = sha256(pickle.dumps(input)).hexdigest()
            words = ["gate", self.name, *(repr(one) for one in ({**asked, "input": digest}.items(), declared.items()))]
            ended = judge_in_shards(run, words, kernels, 32 if shards is None else shards, executor, resume)
            said, table = ended.output, ended.errors
        return self._result(said, table, kernel, backward, declared, input)

    def _judged(self, kernel: Any, backward: Any, *, cases: int, seed: int, filter: str, reach: str, input: Optional[Given],
                time_limit: float, declared: Dict[str, Any], shard: Optional[Shard] = None) -> Tuple[str, str]:
        """The report of the run, or of a shard of it, as JSON, and the table."""
        cases, seed = _numbers.whole("cases", cases, 0, MOST_CASES), _numbers.seed(seed)
        reach = _numbers.one_of("reach", reach, REACHES)
        given = [] if input is None else [given_case(self, input, declared["dtype"])]
        with ExitStack() as opened:
            kernels = [self._opened(opened, one, time_limit, declared["dtype"], is_gradient)
                       for one, is_gradient in ((kernel, False), (backward, True))]  # fmt: skip
            subject = self.subject(*kernels, **declared)
            opened.enter_context(kernel_calls(time_limit))
            return subject.run(cases, seed, _numbers.text("filter", filter), reach, given, shortened, shard)

    def _opened(self, opened: ExitStack, kernel: Any, time_limit: float, dtype: str, is_gradient: bool) -> Any:
        """The kernel itself, or a plug-in by its path, which `opened` closes."""
        if not isinstance(kernel, (str, os.PathLike)):
            return kernel
        seconds = _numbers.real("time_limit", time_limit, 0, positive=True)
        limit = {} if seconds == TIME_LIMIT else {"seconds": seconds}  # what is compiled takes less than Python, unless said
        return opened.enter_context(closing(Plugin(kernel, self, dtype, is_gradient, **limit)))

    def _result(self, said: str, table: str, kernel: Any, backward: Any, declared: Dict[str, Any],
                input: Optional[Given]) -> GateResult:
        report = json.loads(said)
        for failure in (one["failure"] for one in report["runs"][0]["properties"] if one.get("failure")):
            words = failure["reproducer"]
            is_run = words.startswith("./assay gate ")
            failure["again"] = (self.run_line(words, kernel, backward, declared, input) if is_run else
                                self.replay_line(words, kernel or backward, declared))  # fmt: skip
            table = table.replace(words, failure["again"])
        results = [_property_result(one) for one in report["runs"][0]["properties"]]
        return GateResult(self.name, report["runs"][0]["kernel"], results, table, report)

    def unshared(self, kernel: Any) -> Any:
        """The kernel as a worker may change it, while others judge the same."""
        return kernel

    def __reduce__(self) -> Any:
        """Workers find the operation by its name, as they find functions, or make it of the formula that they find."""
        name = self.formula.__module__, self.formula.__qualname__
        found = _called(*name)
        if found is self:
            return _called, name
        if found is not self.formula:
            raise pickle.PicklingError(f"a module has no {'.'.join(name)}: expected a formula that a worker can import")
        return Operation, (self.formula, *self.made_of)

    def property_names(self) -> List[str]:
        """The properties of a kernel of the outputs, in the order of a report."""
        return ["repeat", *(name for name, _ in self.properties), "exact", "outputs"]

    def replay(self, fn: Any, reproducer: str, **declared: Any) -> bool:
        """Judges the case of a failure once more, prints the verdict, and returns whether it passes now."""
        cases = [words_of_line(one) for one in _numbers.text("reproducer", reproducer).split(" then ")]
        of_gradient = cases[0].get("property") == "gradient"
        if isinstance(fn, (str, os.PathLike)):
            fn = Plugin(fn, self, declared.get("dtype", "float32"), of_gradient)
        with kernel_calls():
            verdict, why = self.subject(None if of_gradient else fn, fn if of_gradient else None, **declared).replay(cases)
        print(f"{verdict} {cases[0]['property']}\n{why}")
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
        cases, seed = _numbers.whole("cases", cases, 1, MOST_CASES), _numbers.seed(seed)
        return self.subject(**declared).mutants(cases, seed, {name: 5 for name in self.extents})


def _called(module: str, name: str) -> Any:
    found: Any = import_module(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    return found


def _judge_shard(operation: Operation, kernel: Any, backward: Any, asked: Dict[str, Any], words: List[str],
                 shard: Optional[Shard] = None) -> Ended:
    kernel, backward = operation.unshared(kernel), operation.unshared(backward)
    report, table = operation._judged(kernel, backward, shard=shard, **asked)
    return Ended(0, report, table)


def operation(*, properties: str = "", minus_infinity: str = "", limits: Optional[Dict[str, int]] = None,
              **inputs: str) -> Callable[[Callable[..., Any]], Operation]:
    """Makes an operation of a formula ``f(xp, x, ...)`` that is written in the array API's names.

    inputs          each array's extents, by name or number, and its kind: "B, T", "B, T of flag", "B, U of index V",
                    "N of unit" (in [0, 1]), "N of positive"
    properties      what holds along an extent: "rows=N permutation=D shift=D scaling=D causal=T monotone=D sums_to_one=D"
    minus_infinity  names of inputs whose elements may be -inf
    limits          the largest of an extent; 4097 unless said

    A function without `xp`, or a torch.nn.Module, is one of PyTorch: it is traced as it is, and its kernels are called as
    it is, with tensors (docs/your-pytorch-kernel.md).
    """

    def made(formula: Callable[..., Any]) -> Operation:
        if _is_of_torch(formula, inputs):
            from .pytorch import TorchOperation

            return TorchOperation(formula, inputs, properties, minus_infinity, limits)
        return Operation(formula, inputs, properties, minus_infinity, limits)

    return made


def _is_of_torch(formula: Any, inputs: Dict[str, str]) -> bool:
    """Whether it is a function or a module of PyTorch, whose first argument is an input, not `xp`."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(formula, torch.nn.Module):
        return True
    try:
        first, *others = list(inspect.signature(formula).parameters) if callable(formula) else [""]
        is_misspelt = torch is not None and first not in ("", "xp") and others != list(inputs) and bool(inputs)
        return first in inputs or is_misspelt
    except ValueError:  # a function in C, such as torch.relu, which does not say what it takes
        return torch is not None


_OF_OPERATION = ("properties", "minus_infinity", "limits")


def with_operation(reference: Any, options: Dict[str, Any]) -> Tuple[Any, Dict[str, Any]]:
    """An operation of a function or module of PyTorch and of the inputs that are declared among the options, with the other
    options; what is no such function is left as it is."""
    if isinstance(reference, (str, Operation)) or not callable(reference):
        return reference, options
    known = {*inspect.signature(Operation.subject).parameters, "device"}
    inputs = {name: one for name, one in options.items() if isinstance(one, str) and name not in known and name not in _OF_OPERATION}
    if not _is_of_torch(reference, inputs):
        return reference, options
    of_operation = {name: options[name] for name in _OF_OPERATION if name in options}
    rest = {name: one for name, one in options.items() if name not in inputs and name not in of_operation}
    return operation(**of_operation, **inputs)(reference), rest
