"""The operation that a function of another framework is: which sizes it takes, its graph at each, and whether the graph says what
the framework computes. Its kernels are called as it is."""

from __future__ import annotations

import inspect
import math
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from . import _numbers
from ._arithmetic import FEW, Types, types_of
from ._arrays import shown
from ._declare import GATE_WORDS
from ._file_kernel import is_path
from ._formula import Namespace, finished
from ._gate_result import GateResult, with_failures_of
from ._misuse import described, keyword_hint
from ._operation import Operation
from ._pipe import Unsupported
from ._taken_sizes import LIMIT_ON_GPUS, USUAL_LIMIT
from ._traced import NotTraceable

_OF_OUTPUTS = 12  # cases of the outputs in gradcheck
_TRIED = (1, 2, 3, 4, 5, 6, 7, 8, 11, 16, 27, 32, 45, 64)  # sizes, of which one is the least that a reference takes


def _agree(ours: np.ndarray, theirs: np.ndarray, tolerance: float) -> bool:
    scale = max(float(np.max(np.abs(theirs[np.isfinite(theirs)]), initial=0)), 1e-30)
    return ours.shape == theirs.shape and np.allclose(ours, theirs, rtol=tolerance, atol=tolerance * scale, equal_nan=True)


def _numbers_of(texts: Sequence[str]) -> np.ndarray:
    return np.array([float(text) for text in texts])


class FrameworkOperation(Operation):
    """A function f(x, ...) of a framework's arrays."""

    may_cast = False  # until a trace has casts to small formats
    may_have_many_rows = False  # a kernel's results are held against the trace at its sizes
    framework, word = "", ""  # its name, and that of framework=
    _is_said = False  # whether framework= was given
    results: Sequence[Tuple[int, ...]] = ()  # shapes of the outputs where the reference was run last
    _rounds = False  # whether the reference converts numbers to a narrower type
    gradient_differs = ""  # why the graph's gradient is not that of the reference, and what was expected
    calling: Any  # what the kernel declares of its arguments

    _defaults: Mapping[str, Any] = {}  # of arguments that are not declared

    reference: Any
    _function: Any  # whose lines messages name; None of a function in C
    _declared_inputs: Dict[str, str]

    def __init__(
        self,
        reference: Callable[..., Any],
        inputs: Dict[str, str],
        properties: str,
        minus_infinity: str,
        limits: Optional[Dict[str, int]],
        nan: str = "",
        is_said: bool = False,
    ) -> None:
        self._is_said, self.reference = is_said, reference
        called, stated = self._open()
        self._require_inputs(inputs, called)
        self._declared_inputs = self._in_order(dict(inputs), called)
        name = getattr(reference, "__name__", type(reference).__name__)
        all_inputs = {**self._declared_inputs, **self._own_inputs()}
        self._declare(stated, name, all_inputs, properties, minus_infinity, limits, nan)
        self._begin()

    def _open(self) -> Tuple[Any, Any]:
        """Sets what follows from the reference alone. Returns the function whose arguments are declared, and the one that
        states the formula."""
        raise NotImplementedError

    def _own_inputs(self) -> Dict[str, str]:
        """Inputs that are not declared, as a module's parameters."""
        return {}

    def _run_at(self, extents: Dict[str, int]) -> None:
        """Takes the shapes of the results at these sizes. Raises what the reference raises where it refuses them."""
        raise NotImplementedError

    def _computed(self, arrays: Dict[str, np.ndarray], extents: Dict[str, int]) -> Tuple[List[np.ndarray], str]:
        """The framework's own results, and the type in which they were computed, float64 if possible."""
        raise NotImplementedError

    def _set_calling(self, largest: float, device: Any, types: Types) -> bool:
        """Sets `calling`. Returns whether the device is a CPU."""
        raise NotImplementedError

    def _trace_in(self, dtype: str) -> bool:
        """Sets the types of the trace. Returns whether they have changed."""
        raise NotImplementedError

    def _begin(self) -> None:
        """Finds the least size of each extent, and holds the trace against the framework's own result there."""
        self._refusals: Dict[Tuple[int, ...], str] = {}
        self.least = self._least_extents()
        self._require_agreement(self.usual_extents())

    def _require_inputs(self, inputs: Dict[str, str], function: Callable[..., Any]) -> None:
        """Raises ValueError unless each argument without a default, and no other, is declared."""
        if not inputs:
            raise ValueError(
                f'no input is declared: expected the extents of each array, such as x="N, D", of {described(self.reference)}'
            )
        try:
            parameters = inspect.signature(function).parameters
        except ValueError:
            return
        self._defaults = {name: one.default for name, one in parameters.items()
                          if name not in inputs and one.default is not one.empty}  # fmt: skip
        takes_any = any(one.kind is one.VAR_POSITIONAL for one in parameters.values())
        for name in inputs:
            if name not in parameters and not takes_any:
                known = [*parameters, *self.declares(), *GATE_WORDS]
                raise ValueError(
                    f"{name}={inputs[name]!r}: the reference takes {', '.join(parameters)}: expected one of them"
                    f"{keyword_hint(name, known)}"
                )
        for name, one in parameters.items():
            if name not in inputs and one.default is one.empty and one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD):
                raise ValueError(
                    f'the reference takes {name}, which is not declared: expected its extents, such as {name}="N, D"'
                )

    @staticmethod
    def _in_order(inputs: Dict[str, str], function: Callable[..., Any]) -> Dict[str, str]:
        """The inputs as the reference takes them, which is how kernels are called, in whatever order they are declared."""
        try:
            parameters = inspect.signature(function).parameters
        except ValueError:
            return inputs
        return {**{name: inputs[name] for name in parameters if name in inputs}, **inputs}

    def __call__(self, *arrays: Any) -> Any:
        return self.reference(*arrays)

    def left_out(self) -> str:
        given = ", ".join(f"{name}={shown(value)}" for name, value in self._defaults.items())
        return f"  arguments that had their defaults in every call, so that no other value was tried: {given}" if given else ""

    def gradcheck(self, kernel: Any, **asked: Any) -> GateResult:
        """The kernel is a function of the outputs too: a few cases show whether it computes them."""
        few = {"cases": _OF_OUTPUTS, "reach": "none", "filter": "^outputs$", "executor": None, "shards": None, "input": None}
        gradients = super().gradcheck(kernel, **asked)
        if is_path(kernel) or asked.get("seconds") is not None or asked.get("filter"):
            return gradients
        outputs = self.gate(kernel, None, **{**asked, **few, "cases": min(asked.get("cases", _OF_OUTPUTS), _OF_OUTPUTS)})
        return with_failures_of(outputs, gradients)

    def written(self, written: Any) -> str:
        function = written.name(self.reference, "reference", "the function that states the truth")
        given = ", ".join(f"{key}={text!r}" for key, text in self._declared_inputs.items())
        given += f", framework={self.word!r}" * self._is_said
        return f"assay.operation({given})({function})"

    @property
    def by_name(self) -> List[str]:
        """The inputs that the reference takes by name alone."""
        named = self._parameters() if self._takes_names() else {}
        return [name for name in self._declared_inputs if name in named and named[name].kind is named[name].KEYWORD_ONLY]

    def _parameters(self) -> Mapping[str, Any]:
        return inspect.signature(self._function).parameters

    def _takes_names(self) -> bool:
        return self._function is not None and all(name in self._parameters() for name in self._declared_inputs)

    def _trace_at(self, *sizes: int) -> Any:
        """Sizes that the reference itself refuses have a graph without elements; no kernel is called there."""
        why = self._refused(dict(zip(self.extents, sizes)))
        if why:
            self._refusals[sizes] = why
            return self._empty_graph(sizes)
        results = self.results
        traced = super()._trace_at(*sizes)
        if [tuple(one) for one in traced.shapes] != results:
            if 0 not in sizes:
                raise NotTraceable(
                    f"{self.name} as traced has results of the shapes {traced.shapes}: expected {results}, as {self.framework} "
                    "has"
                )
            self._refusals[sizes] = f"{self.framework}'s result of no elements has another shape than its rule says"
            return self._empty_graph(sizes)
        return traced

    def _empty_graph(self, sizes: Tuple[int, ...]) -> Any:
        xp = Namespace("")
        shapes = self.shapes(dict(zip(self.extents, sizes)))
        nodes = {name: xp._input(name, shape, kind)._node for (name, _, kind, _, _), shape in zip(self.inputs, shapes)}
        outputs = tuple(xp.zeros((0,) * max(len(one), 1)) for one in self.results)
        return finished(xp, outputs, [nodes[name] for name in self.differentiable])

    def refusal_at(self, extents: Dict[str, int]) -> str:
        sizes = tuple(extents[name] for name in self.extents)
        self._traced(*sizes)
        return self._refusals.get(sizes, "")

    def require_taken(self, extents: Dict[str, int]) -> None:
        why = self.refusal_at(extents)
        if why:
            raise Unsupported(f"sizes that the reference refuses: {why}")

    def _require_callable(self, kernel: Any) -> None:
        if not callable(kernel):
            raise TypeError(
                f"the kernel is {described(kernel)}: expected a function that is called as the reference is, or the path of a "
                "plug-in"
            )
        if not inspect.isfunction(kernel):
            return
        given = self.arguments_by_position()
        try:
            inspect.signature(kernel).bind(*given, **{name: None for name in self.by_name})
        except TypeError:
            raise TypeError(
                f"the kernel {described(kernel)} does not take {', '.join([*given, *self.by_name])}: expected a function that is "
                "called as the reference is"
            ) from None

    def arguments_by_position(self) -> List[str]:
        """The inputs that the reference and its kernels are given in their order."""
        return [one[0] for one in self.inputs if one[0] not in self.by_name]

    def results_at(self, arrays: Dict[str, np.ndarray], extents: Dict[str, int]) -> List[np.ndarray]:
        return self._computed(arrays, extents)[0]

    def takes(self, extents: Dict[str, int]) -> bool:
        return not self.refusal_at(extents)

    def subject(
        self,
        kernel: Any = None,
        backward: Any = None,
        *,
        dtype: str = "float32",
        dtypes: Optional[Dict[str, str]] = None,
        exp_error: Optional[float] = None,
        subnormals: bool = False,
        largest: float = math.inf,
        device: Any = None,
        **declared: Any,
    ) -> Any:
        """As of a formula, but that numbers below the smallest normal one may become 0, as they do in XLA and on most GPUs, and
        that exp, erf and the like may be off by 8 roundoffs, erf by 16, as PyTorch's own gelu is; in bfloat16 by half of that.

        largest  the kernel takes numbers up to this size: others are no cases
        device   where its arrays are: "cuda", "mps", "gpu" or another that the framework has here, by default its usual one
        """
        if backward is not None and self.gradient_differs:
            raise NotTraceable(self.gradient_differs)
        largest = largest if largest == math.inf else _numbers.real("largest", largest, 0, positive=True)
        is_cpu = self._set_calling(largest, device, types_of(dtype, dtypes, self.kinds))
        self.usual_limit = USUAL_LIMIT if is_cpu else LIMIT_ON_GPUS
        if exp_error is None:
            exp_error = FEW if declared.get("compute") == "bfloat16" else 8
        declared.update(dtype=dtype, dtypes=dtypes, exp_error=exp_error, subnormals=subnormals)
        made = super().subject(kernel, backward, **declared)
        if self._trace_in(dtype):
            self._traced.cache_clear()
        return made

    def _refused(self, extents: Dict[str, int]) -> str:
        """What the framework says where it does not take these sizes."""
        try:
            self._run_at(extents)
            return ""
        except NotTraceable:
            raise
        except Exception as error:
            return f"{type(error).__name__}: {error}"

    def _least_extents(self) -> Dict[str, int]:
        """For each extent the first size that the reference takes where all others are large enough."""
        size, tried, why = 0, dict(self.limits), ""
        for size in _TRIED:  # a common size that is enough
            tried = {name: min(size, self.limits.get(name, size)) for name in self.extents}
            why = self._refused(tried)
            if not why:
                break
        else:
            raise ValueError(
                f"the reference refuses all sizes from 1 to {size}, such as "
                f"{', '.join(f'{name}={one}' for name, one in tried.items())}: {why}"
            )
        for name in self.extents:
            tried[name] = next(one for one in range(1, tried[name] + 1) if not self._refused({**tried, name: one}))
        return tried

    def usual_extents(self) -> Dict[str, int]:
        """Small sizes, no two of them equal where the reference takes that."""
        sizes = {name: min(max(self.least[name], 3 + k), self.limits.get(name, 3 + k)) for k, name in enumerate(self.extents)}
        return sizes if not self._refused(sizes) else dict(self.least)

    def _require_agreement(self, extents: Dict[str, int]) -> None:
        """Raises NotTraceable unless the graph's exact results are the framework's: a row of the table that says something else
        must not become a truth. In float64 to 9 digits, unless the reference itself asks for another type."""
        arrays = self.usual_arrays(extents)
        computed, dtype = self._computed(arrays, extents)
        exact = self.truth(*arrays.values(), digits=20, dtype=dtype)["outputs"]
        self._require_same("output", [_numbers_of(one) for one in exact], computed, dtype, extents)

    def _require_same(
        self,
        what: str,
        ours: Sequence[np.ndarray],
        theirs: Sequence[np.ndarray],
        dtype: str,
        extents: Dict[str, int],
        bounds: Sequence[Any] = (),
    ) -> None:
        """`bounds` of results that a cast may round on their way; XLA rounded to float16 first before JAX 0.10."""
        tolerance = 1e-4 if self._rounds or dtype != "float64" else 1e-9
        for k, (one, due) in enumerate(zip(ours, theirs)):
            due = np.asarray(due, np.float64).reshape(-1)
            if len(bounds):
                due = np.where(np.abs(due - one) <= (1 + 2.0**-6) * np.asarray(bounds[k]), one, due)
            if not _agree(one, due, tolerance):
                at = ", ".join(f"{name}={size}" for name, size in extents.items())
                raise NotTraceable(
                    f"{what} {k} of {self.name} as traced is not what {self.framework} computes in {dtype}, where {at}: expected "
                    f"{due[:4]}, traced {one[:4]}"
                )
