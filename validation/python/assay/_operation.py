"""An operation of one's own, which is a formula: its graph, truth, bounds and mutants. _judging.py has its gate."""

from __future__ import annotations

import inspect
import os
import pickle
from contextlib import closing, suppress
from functools import lru_cache
from importlib import import_module
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np

from . import _core, _numbers
from ._again import replay_call, run_call
from ._algebra import FollowedCall, require_followed
from ._arithmetic import Types, arithmetic, partial_sums_of, types_of
from ._called import require_outside
from ._declare import GATE_WORDS
from ._file_kernel import is_path, name_of
from ._formula import trace
from ._formula_calls import KernelCall, require_kernel, require_results
from ._gate import MOST_CASES, MOST_DIGITS
from ._inputs import CODES, LARGEST_FIXED, declared_properties, is_fixed, named_inputs, parsed, require_limits
from ._judging import Judging
from ._many_rows import ManyRows, rows_extent
from ._misuse import keyword_hint
from ._numpy_names import NumPy
from ._plugin import Plugin
from ._road import Road
from ._taken_sizes import USUAL_LIMIT, limits_with, sizes_up_to, taken_sizes
from ._tiles import TILED, sizes_with_tiles


class Operation(Judging):
    """A formula, and what is drawn for its inputs. Calling it computes the formula with NumPy."""

    largest_fixed = LARGEST_FIXED
    usual_limit = USUAL_LIMIT
    may_cast = True  # whether the formula may round to small formats
    may_have_many_rows = True  # whether its kernels are called with more rows than the graph has

    def __init__(self, formula: Callable[..., Any], inputs: Dict[str, str], properties: str, minus_infinity: str,
                 limits: Optional[Dict[str, int]], nan: str = "") -> None:
        if not inspect.isfunction(formula):
            raise TypeError(f"{formula!r} is no formula: expected a function f(xp, x, ...)")
        named = list(inspect.signature(formula).parameters)[1:]
        if named != list(inputs):
            raise ValueError(f"the formula takes {named} after xp, but {list(inputs)} are declared: expected the same names")
        if not inputs:
            raise ValueError(f"the formula {formula.__name__} takes no array: expected at least one after xp")
        self._declare(formula, formula.__name__, inputs, properties, minus_infinity, limits, nan)

    def _declare(self, formula: Callable[..., Any], name: str, inputs: Dict[str, str], properties: str, minus_infinity: str,
                 limits: Optional[Dict[str, int]], nan: str = "") -> None:
        self.formula, self.name = formula, name
        self.made_of = (inputs, properties, minus_infinity, limits, nan)
        infinite, undefined = named_inputs("minus_infinity", minus_infinity, inputs), named_inputs("nan", nan, inputs)
        self.inputs = [(name, *parsed(name, text, list(inputs), self.largest_fixed), (name in infinite, name in undefined))
                       for name, text in inputs.items()]  # fmt: skip
        for name, _, kind, _, _ in self.inputs:
            if name in undefined and kind in ("flag", "index", *CODES):
                raise ValueError(f"nan={nan!r}: {name}={inputs[name]!r} has no NaN: expected inputs of numbers")
        self.extents = list(dict.fromkeys(
            one for _, dims, kind, of, _ in self.inputs for one in [*dims, *([of] if kind == "index" else [])]
            if not is_fixed(one)))  # fmt: skip
        self.properties = declared_properties(properties, self.extents)
        self.limits = require_limits(limits, self.extents)
        self.least: Dict[str, int] = {}  # of an extent but for 0, where that is not 1
        self.differentiable = [name for name, _, kind, _, _ in self.inputs if kind not in ("flag", "index", *CODES)]
        self.kinds = {name: kind for name, _, kind, _, _ in self.inputs}
        self._traced = lru_cache(300)(self._trace_at)
        self._rows_extent = lru_cache(1)(lambda: rows_extent(self))

    def __call__(self, *arrays: Any) -> Any:
        return self.formula(NumPy(), *arrays)

    def written(self, written: Any) -> str:
        """The operation as one writes it in a call (_again.py)."""
        return str(written.name(self, "operation", "the operation", self.formula))

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
                if int(d) != size if is_fixed(d) else extents.setdefault(d, size) != size:
                    raise ValueError(f"{name} has {d}={size}: expected {d if is_fixed(d) else extents[d]}, as before")
        missing = [name for name in self.extents if name not in extents]
        if missing:
            raise ValueError(f"no input has the extent {', '.join(missing)}: expected one that has")
        return extents

    def usual_extents(self) -> Dict[str, int]:
        """Small sizes, at which the graph has all of the formula's values."""
        return {name: 5 for name in self.extents}

    def usual_arrays(self, extents: Dict[str, int]) -> Dict[str, np.ndarray]:
        """Inputs in float64 whose values a float32 has too."""
        random, arrays = np.random.default_rng(1), {}
        for (name, _, kind, of, _), shape in zip(self.inputs, self.shapes(extents)):
            values: Any = random.normal(size=shape).astype(np.float32).astype(np.float64)
            if kind == "flag":
                values = values > -0.5
            elif kind == "index":
                values = random.integers(0, max(extents.get(of) or (int(of) if of.isdigit() else 1), 1), size=shape)
            elif kind in CODES:
                values = np.sign(values)
            elif kind in ("unit", "positive", "decay"):
                values = np.exp(-np.abs(values)).astype(np.float32).astype(np.float64)
            arrays[name] = np.asarray(values)
        return arrays

    def results_at(self, arrays: Dict[str, np.ndarray], extents: Dict[str, int]) -> List[np.ndarray]:
        """The outputs, where results are arrays of numbers; `extents` are those of the arrays."""
        results = self(*arrays.values())
        return [np.asarray(one) for one in (results if isinstance(results, tuple) else [results])]

    def takes(self, extents: Dict[str, int]) -> bool:
        """Whether the formula has these sizes."""
        return True

    def trace(self, extents: Dict[str, int]) -> Any:
        """The formula's graph at these extents; the last few hundred are remembered."""
        return self._traced(*(extents[name] for name in self.extents))

    def why_here(self) -> str:
        """Why its kernels have to run in this process, if they have to (_own_process.py)."""
        return ""

    def require_taken(self, extents: Dict[str, int]) -> None:
        """Raises Unsupported at sizes that the reference itself refuses."""

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

    def _require_results(self, types: Types) -> None:
        """Raises ValueError where `dtypes` speaks of results that the formula does not have."""
        if set(types.others) <= set(self.kinds):
            return
        try:
            traced = self.trace(self.usual_extents())
        except Exception:  # whatever the formula raises, the run says it
            return
        require_results(types, list(self.kinds), traced)

    def _kernel(self, kernel: Any, gradient: bool) -> Any:
        """The kernel as a function of a problem."""
        return kernel

    @classmethod
    def declares(cls) -> List[str]:
        """The keywords by which a kernel is declared."""
        functions = [one.__dict__["subject"] for one in reversed(cls.__mro__) if "subject" in one.__dict__]
        named = {name: one for of in functions for name, one in inspect.signature(of).parameters.items()}
        return [name for name, one in named.items() if one.kind is one.KEYWORD_ONLY]

    def subject(self, kernel: Any = None, backward: Any = None, *, dtype: str = "float32",
                dtypes: Optional[Dict[str, str]] = None, compute: str = "", accumulate: str = "", exp_error: float = 4,
                input_roundoff: float = 0, rounds: Optional[Dict[str, Union[float, str]]] = None, products: str = "",
                partial_sums: Optional[Dict[str, int]] = None, road: Any = None,
                subnormals: bool = True, empty: bool = True, limits: Optional[Dict[str, int]] = None,
                extents: Optional[Dict[str, Any]] = None, same_bits: bool = True, checks_arguments: bool = False,
                strides: bool = False, algebra: bool = False, digits: int = 40, **unknown: Any) -> Any:
        if unknown:
            known = self.declares()
            raise TypeError(f"{', '.join(unknown)}= is not known: expected what a kernel declares: {', '.join(known)}"
                            f"{keyword_hint(next(iter(unknown)), [*known, *GATE_WORDS, 'sizes', 'seconds'])}")  # fmt: skip
        taken = taken_sizes(extents, self.extents, self.least)
        usual = dict.fromkeys(self.extents, self.usual_limit) if self.usual_limit != USUAL_LIMIT else {}
        own_limits = limits_with({**self.limits, **require_limits(limits, self.extents)}, taken, self.usual_limit)
        own_limits = {**usual, **own_limits}
        name = name_of(backward if kernel is None else kernel)
        kernel, backward = (one if one is None else self._kernel(one, is_gradient)
                            for one, is_gradient in ((kernel, False), (backward, True)))  # fmt: skip
        for one in (kernel, backward):
            if one is not None:
                require_kernel(one, [name for name, *_ in self.inputs])
        arrays = types_of(dtype, dtypes, self.kinds)
        self._require_results(arrays)
        types, has_names = arithmetic(dtype, compute, accumulate, exp_error, input_roundoff, rounds, subnormals, products)
        digits = _numbers.whole("digits", digits, 17, MOST_DIGITS)
        roads = self._roads(road)

        def calls(forward: Any, backward: Any) -> Tuple[Any, Any]:
            return forward and KernelCall(self, forward, arrays, False), backward and KernelCall(self, backward, arrays, True)

        def afresh() -> Tuple[Any, Any]:
            return calls(kernel and kernel.afresh(), backward and backward.afresh())

        given = [one for one in (kernel, backward) if one is not None]
        are_plugins = all(isinstance(one, Plugin) for one in given)  # whose attributes are not the kernel's own
        starts_afresh = are_plugins and all(one.starts_afresh for one in given)
        subject = _core.FormulaSubject(
            self.name, self.inputs, self.extents, own_limits, self.properties, _numbers.flag("empty", empty), self.trace,
            name, *calls(kernel, backward), afresh if starts_afresh else None, tuple(types), digits,
            *(one and one.trace for one in roads))
        subject.same_bits = _numbers.flag("same_bits", same_bits)
        if _numbers.flag("algebra", algebra):
            require_followed(given)
            subject.set_followed(FollowedCall([one for one in calls(kernel, backward) if one]))
        subject.takes_threads = bool(given) and are_plugins and all(one.takes_threads for one in given)
        subject.takes_layouts = not (given and are_plugins) or all(one.takes_strides for one in given)
        if _numbers.flag("strides", strides) and not starts_afresh:
            raise TypeError(f"strides = True of {name}: expected a shared library, of which alone it has to be said")
        if _numbers.flag("checks_arguments", checks_arguments):
            if not starts_afresh:
                raise TypeError(f"checks_arguments = True of {name}: expected a shared library, which can be given bad arguments")
            subject.set_refusals(KernelCall(self, kernel or backward, arrays, kernel is None).missing_refusals)
        asked = {name: self.limits.get(name, self.usual_limit) for name in self.extents}
        subject.set_sizes({name: most for name, most in asked.items() if own_limits.get(name, most) < most}, *taken)
        subject.set_types(arrays.numbers(self.kinds))
        subject.set_sums(accumulate == "int32", *partial_sums_of(partial_sums))
        extent = self._far_extent(given, {"limits": limits, "extents": extents}) if given else ""
        if extent and starts_afresh:
            subject.set_far(extent, *calls(*(one and one.with_far_rows(extent) for one in (kernel, backward))), 32)
        elif extent:
            subject.set_far(extent, *calls(*(one and ManyRows(self, one, extent, is_gradient)
                                             for one, is_gradient in ((kernel, False), (backward, True)))), 17)  # fmt: skip
        if self.may_cast:
            with suppress(TypeError, ValueError):  # a formula that cannot be traced: the run says so
                subject.find_casts()
        with suppress(TypeError, ValueError):
            subject.set_layouts(self._sizes_with_tiles(arrays, {
                name: sizes_up_to(name, taken, own_limits.get(name, self.usual_limit)) for name in self.extents}))  # fmt: skip
        if has_names:
            subject.require_names(self.usual_extents())
        return subject

    def _sizes_with_tiles(self, types: Types, taken: Dict[str, Sequence[int]]) -> List[Dict[str, int]]:
        """Sizes at which the tiles of arrays that are held in tiles have an order."""
        names, found = [one[0] for one in self.inputs], []
        for array in (name for name, word in types.others.items() if word == TILED):

            def shape_at(extents: Dict[str, int], array: str = array) -> Sequence[int]:
                if array in names:
                    return self.shapes(extents)[names.index(array)]
                return list(self.trace(extents).shapes[int(array[len("output") :])])

            found += sizes_with_tiles(shape_at, taken)
        return found

    def _far_extent(self, kernels: Sequence[Any], declared: Dict[str, Any]) -> str:
        """The extent of which functions get rows past 2^17 others, and libraries past 2^32 elements, unless its sizes are
        declared; "" where there is none."""
        plugins = [one for one in kernels if isinstance(one, Plugin)]
        if not self.may_have_many_rows or any(not one.starts_afresh for one in plugins):
            return ""
        extent = self._rows_extent()
        summed = any(one.gradient for one in plugins) and any(
            extent not in dims for name, dims, *_ in self.inputs if name in self.differentiable
        )
        return "" if summed or extent in {**(declared.get("limits") or {}), **(declared.get("extents") or {})} else extent

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

    def property_names(self, kernel: Any = None, **declared: Any) -> List[str]:
        """The properties of a kernel of the outputs, in the order of a report; a plug-in has more than a function."""
        own: List[str] = []
        far = "many-rows"
        if is_path(kernel):
            with closing(self.plugin(kernel, False, declared)) as one:
                asked = {"history": one.starts_afresh, "threads": one.takes_threads,
                         "refusals": declared.get("checks_arguments")}  # fmt: skip
            own, far = [name for name, is_asked in asked.items() if is_asked], "far-rows"
        return ["repeat", *own, *(name for name, _ in self.properties), "exact", "outputs",
                *[far] * bool(self._far_extent([kernel], declared)),
                *["algebra"] * bool(declared.get("algebra"))]  # fmt: skip

    def truth(self, *arrays: Any, digits: int = 50, upstream: Any = None, **declared: Any) -> Dict[str, Any]:
        """Outputs, and with an upstream gradients, as decimals of `digits` digits, and the bounds on a kernel's errors."""
        require_outside("truth")
        extents = self.extents_of([np.shape(one) for one in arrays])
        flat = [np.asarray(one, np.float64).reshape(-1).tolist() for one in arrays]
        subject = self.subject(None, None if upstream is None else self.__call__, digits=digits, **declared)
        up = [] if upstream is None else [np.asarray(upstream, np.float64).reshape(-1).tolist()]
        return dict(subject.truth(extents, flat, up, digits))

    def enclosures(self, *arrays: Any, digits: int = 50, upstream: Any = None) -> List[List[str]]:
        """"[0.25 +/- 3.1e-50]" for each element of each output, and with an upstream of each gradient: proven intervals.

        Raises RuntimeError where assay was built without FLINT or Arb.
        """
        require_outside("enclosures")
        extents = self.extents_of([np.shape(one) for one in arrays])
        flat = [np.asarray(one, np.float64).reshape(-1).tolist() for one in arrays]
        subject = self.subject(None, None if upstream is None else self.__call__, digits=digits)
        up = [] if upstream is None else [np.asarray(upstream, np.float64).reshape(-1).tolist()]
        return list(subject.enclosures(extents, flat, up))

    def mutants(self, *, cases: int = 60, seed: int = 1, **declared: Any) -> List[Tuple[str, bool, str]]:
        """(fault, noticed, by which property) for every fault that can be planted into the formula."""
        cases, seed = _numbers.whole("cases", cases, 1, MOST_CASES), _numbers.seed(seed)
        return list(self.subject(**declared).mutants(cases, seed, self.usual_extents()))


def _called(module: str, name: str) -> Any:
    found: Any = import_module(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    return found
