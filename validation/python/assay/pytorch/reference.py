"""The operation that a function or a module of PyTorch is."""

from __future__ import annotations

import inspect
import math
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import numpy as np
import torch

from .. import _numbers
from .._formula import Namespace, finished
from .._operation import Operation
from .._plugin import Plugin
from .._traced import NotTraceable
from .calls import Calling, TorchKernel, parameters_like
from .trace import DTYPES, _outputs, source_of, trace_of, with_values

_TRIED = (1, 2, 3, 4, 5, 6, 7, 8, 11, 16, 32, 64)  # sizes, of which one is the least that a reference takes


def parameter_inputs(module: torch.nn.Module, taken: Sequence[str]) -> Tuple[Dict[str, str], Dict[str, str]]:
    """Inputs for a module's parameters, "conv_weight": "8, 3, 3, 3", and the parameters' own names by theirs."""
    texts, names = {}, {}
    for of, parameter in module.named_parameters():
        name = of.replace(".", "_")
        while name in texts or name in taken:
            name += "_"
        texts[name], names[name] = ", ".join(str(size) for size in parameter.shape), of
    return texts, names


def _agree(ours: np.ndarray, theirs: np.ndarray, tolerance: float) -> bool:
    scale = max(float(np.max(np.abs(theirs[np.isfinite(theirs)]), initial=0)), 1e-30)
    return ours.shape == theirs.shape and np.allclose(ours, theirs, rtol=tolerance, atol=tolerance * scale, equal_nan=True)


class TorchOperation(Operation):
    """A function f(x, ...) of tensors, or a module, whose parameters are inputs too. Its kernels are called as it is."""

    def __init__(self, reference: Callable[..., Any], inputs: Dict[str, str], properties: str, minus_infinity: str,
                 limits: Optional[Dict[str, int]]) -> None:
        self.reference = reference
        self._function = source_of(reference)
        module = reference if isinstance(reference, torch.nn.Module) else None
        self._require_inputs(inputs)
        if module is not None:
            module.eval()
        of_parameters, self.parameters = parameter_inputs(module, list(inputs)) if module is not None else ({}, {})
        self._declared_inputs = dict(inputs)
        self._declare(self._function, getattr(reference, "__name__", type(reference).__name__), {**inputs, **of_parameters}, properties,
                      minus_infinity, limits)
        self._dtype, self._calling = torch.float32, Calling()
        self._begin()

    def _begin(self) -> None:
        """Finds the least size of each extent, and holds the trace against PyTorch's own result there."""
        self._refusals: Dict[Tuple[int, ...], str] = {}
        self.results: List[Tuple[int, ...]] = []  # shapes of the outputs where the reference was run last, and their types
        self.result_types: List[torch.dtype] = []
        self.least = self._least_extents()
        self._require_agreement(self.usual_extents())

    def _require_inputs(self, inputs: Dict[str, str]) -> None:
        if not inputs:
            raise ValueError(f"no input is declared: expected the extents of each tensor, such as x=\"N, D\", of {self.reference}")
        try:
            parameters = inspect.signature(self.reference.forward if isinstance(self.reference, torch.nn.Module) else self.reference).parameters
        except ValueError:
            return
        takes_any = any(one.kind is one.VAR_POSITIONAL for one in parameters.values())
        for name in inputs:
            if name not in parameters and not takes_any:
                raise ValueError(f"{name}={inputs[name]!r}: the reference takes {', '.join(parameters)}: expected one of them")
        for name, one in parameters.items():
            if name not in inputs and one.default is one.empty and one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD):
                raise ValueError(f"the reference takes {name}, which is not declared: expected its extents, such as {name}=\"N, D\"")

    def __call__(self, *arrays: Any) -> Any:
        return self.reference(*arrays)

    def written(self, written: Any) -> str:
        function = written.name(self.reference, "reference", "the function that states the truth")
        given = ", ".join(f"{key}={text!r}" for key, text in self._declared_inputs.items())
        return f"assay.operation({given})({function})"

    def module_at(self, sizes: Dict[str, int]) -> Any:
        """The module whose parameters are inputs; None for a function."""
        return self.reference if isinstance(self.reference, torch.nn.Module) else None

    def kernel_at(self, kernel: Any, extents: Dict[str, int]) -> Any:
        return kernel

    def called(self, tensors: Dict[str, Any], extents: Dict[str, int], buffers: Any = None) -> Any:
        """The reference's result on tensors by name."""
        module = self.module_at(extents)
        reference = self.reference if module is None else module
        with with_values(module, {of: tensors[name] for name, of in self.parameters.items()}, buffers):
            if not self._takes_names():
                return reference(*self.arguments(tensors))
            return reference(**{name: one for name, one in tensors.items() if name not in self.parameters})

    def arguments(self, tensors: Dict[str, Any]) -> List[Any]:
        """What the reference and its kernels are called with, the parameters of a module left out."""
        return [one for name, one in tensors.items() if name not in self.parameters]

    def _takes_names(self) -> bool:
        return self._function is not None and all(
            name in inspect.signature(self._function).parameters for name in self._declared_inputs)

    def graph(self, shapes: Sequence[Tuple[int, ...]], wrt: Sequence[str]) -> Any:
        extents = self.extents_of(shapes)
        kinds = [(name, kind) for name, _, kind, _, _ in self.inputs]
        graph, self._rounds = trace_of(lambda tensors: self.called(tensors, extents), self._function, kinds, shapes, wrt, self._dtype)
        return graph

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
                raise NotTraceable(f"{self.name} as traced has results of the shapes {traced.shapes}: expected {results}, as PyTorch has")
            self._refusals[sizes] = "PyTorch's result of no elements has another shape than its rule says"
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

    def usual_tensors(self, extents: Dict[str, int]) -> Dict[str, torch.Tensor]:
        """Inputs in float64 whose values a float32 has too."""
        random, tensors = np.random.default_rng(1), {}
        for (name, _, kind, of, _), shape in zip(self.inputs, self.shapes(extents)):
            values = random.normal(size=shape).astype(np.float32).astype(np.float64)
            if kind == "flag":
                values = values > -0.5
            elif kind == "index":
                values = random.integers(0, max(extents.get(of) or (int(of) if of.isdigit() else 1), 1), size=shape)
            elif kind in ("unit", "positive"):
                values = np.exp(-np.abs(values)).astype(np.float32).astype(np.float64)
            tensors[name] = torch.from_numpy(np.asarray(values))
        return tensors

    def _computed(self, tensors: Dict[str, torch.Tensor], extents: Dict[str, int], dtype: torch.dtype) -> List[torch.Tensor]:
        """PyTorch's own results, with everything in this type."""

        def converted(one: torch.Tensor) -> torch.Tensor:
            return one.to(dtype) if one.is_floating_point() else one.clone()

        usual = torch.get_default_dtype()
        torch.set_default_dtype(dtype)
        try:
            with torch.no_grad():
                given = {key: converted(one).clone() for key, one in tensors.items()}
                return [torch.as_tensor(one) for one in _outputs(self.called(given, extents, converted))]
        finally:
            torch.set_default_dtype(usual)

    def _refused(self, extents: Dict[str, int]) -> str:
        """What PyTorch says where it does not take these sizes."""
        try:
            tensors = {name: torch.zeros(shape, dtype=DTYPES.get(kind, torch.float32))
                       for (name, _, kind, _, _), shape in zip(self.inputs, self.shapes(extents))}  # fmt: skip
            with torch.no_grad():
                results = [torch.as_tensor(one) for one in _outputs(self.called(tensors, extents))]
            self.results, self.result_types = [tuple(one.shape) for one in results], [one.dtype for one in results]
            return ""
        except Exception as error:
            return f"{type(error).__name__}: {error}"

    def _least_extents(self) -> Dict[str, int]:
        """For each extent the first size that the reference takes where all others are large enough."""
        for size in _TRIED:  # a common size that is enough
            tried = {name: min(size, self.limits.get(name, size)) for name in self.extents}
            why = self._refused(tried)
            if not why:
                break
        else:
            raise ValueError(f"the reference refuses all sizes from 1 to {size}, such as "
                             f"{', '.join(f'{name}={one}' for name, one in tried.items())}: {why}")
        for name in self.extents:
            tried[name] = next(one for one in range(1, tried[name] + 1) if not self._refused({**tried, name: one}))
        return tried

    def usual_extents(self) -> Dict[str, int]:
        """Small sizes, no two of them equal where the reference takes that."""
        sizes = {name: min(max(self.least[name], 3 + k), self.limits.get(name, 3 + k)) for k, name in enumerate(self.extents)}
        return sizes if not self._refused(sizes) else dict(self.least)

    def _require_agreement(self, extents: Dict[str, int]) -> None:
        """Raises NotTraceable unless the graph's exact results are PyTorch's: a row of the table that says something else must
        not become a truth. In float64 to 9 digits, unless the reference itself asks for another type."""
        tensors = self.usual_tensors(extents)
        try:
            computed, dtype, tolerance = self._computed(tensors, extents, torch.float64), "float64", 1e-9
        except RuntimeError:
            computed, dtype, tolerance = self._computed(tensors, extents, torch.float32), "float32", 1e-4
        exact = self.truth(*[one.numpy() for one in tensors.values()], digits=20, dtype=dtype)["outputs"]
        for k, (one, texts) in enumerate(zip(computed, exact)):
            ours, theirs = np.array([float(text) for text in texts]), one.double().numpy().reshape(-1)
            if not _agree(ours, theirs, 1e-4 if self._rounds else tolerance):
                at = ", ".join(f"{name}={size}" for name, size in extents.items())
                raise NotTraceable(f"output {k} of {self.name} as traced is not what PyTorch computes in {dtype}, where {at}: expected "
                                   f"{theirs[:4]}, traced {ours[:4]}")

    def dtype_of(self, p: Any) -> str:
        """That of the first input of numbers."""
        for name, _, kind, _, _ in self.inputs:
            if kind not in ("flag", "index"):
                dtype = getattr(p, name).dtype
                return "bfloat16" if str(dtype) in ("bfloat16", "uint16") else dtype.name
        return "float32"

    def _kernel(self, kernel: Any, gradient: bool) -> Any:
        if isinstance(kernel, Plugin):
            return kernel
        if not callable(kernel):
            raise TypeError(f"the kernel is {kernel!r}: expected a function that is called as the reference is, or the path of a plug-in")
        if isinstance(kernel, torch.nn.Module):
            parameters_like(kernel, {of: tuple(one.shape) for of, one in self.reference.named_parameters()} if self.parameters else {})
            kernel.eval()
        return TorchKernel(self, kernel, gradient, self._calling)

    def subject(self, kernel: Any = None, backward: Any = None, *, dtype: str = "float32", exp_error: float = 16,
                subnormals: bool = False, largest: float = math.inf, contiguous: bool = False, **declared: Any) -> Any:
        """As of a formula, but that numbers below the smallest normal one may become 0, as they do on most GPUs, and that exp, erf
        and the like may be off by 16 roundoffs, as PyTorch's own gelu is.

        largest     the kernel takes numbers up to this size: others are no cases
        contiguous  it takes contiguous tensors alone
        """
        self._calling = Calling(_numbers.real("largest", largest, 0, positive=True) if math.isfinite(largest) else largest,
                                _numbers.flag("contiguous", contiguous))
        made = super().subject(kernel, backward, dtype=dtype, exp_error=exp_error, subnormals=subnormals, **declared)
        if getattr(torch, dtype) != self._dtype:
            self._dtype = getattr(torch, dtype)
            self._traced.cache_clear()
        return made
