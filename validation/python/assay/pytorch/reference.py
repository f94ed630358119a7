"""The operation that a function or a module of PyTorch is."""

from __future__ import annotations

import inspect
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import numpy as np
import torch

from .. import _core
from .._operation import Operation
from .._plugin import Plugin
from .._traced import NotTraceable
from .calls import TorchKernel, require_parameters
from .trace import SizesRefused, _outputs, source_of, trace_of, with_values

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
        self._dtype = torch.float32
        self._begin()

    def _begin(self) -> None:
        """Finds the least size of each extent, and holds the trace against PyTorch's own result there."""
        self._refusals: Dict[Tuple[int, ...], str] = {}
        self._shapes: List[List[int]] = []
        self.least = self._least_extents()
        self._require_agreement({name: max(self.least.get(name, 1), min(3, self.limits.get(name, 3))) for name in self.extents})

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
        given = {name: one for name, one in tensors.items() if name not in self.parameters}
        with with_values(module, {of: tensors[name] for name, of in self.parameters.items()}, buffers):
            return reference(**given) if self._takes_names() else reference(*given.values())

    def _takes_names(self) -> bool:
        return self._function is not None and all(
            name in inspect.signature(self._function).parameters for name in self._declared_inputs)

    def graph(self, shapes: Sequence[Tuple[int, ...]], wrt: Sequence[str]) -> Any:
        extents = self.extents_of(shapes)
        kinds = [(name, kind) for name, _, kind, _, _ in self.inputs]
        return trace_of(lambda tensors: self.called(tensors, extents), self._function, kinds, shapes, wrt, self._dtype)

    def _trace_at(self, *sizes: int) -> Any:
        """Sizes that the reference refuses have a graph without elements; no kernel is called there."""
        try:
            traced = super()._trace_at(*sizes)
        except SizesRefused as error:
            if not self._shapes:
                raise
            self._require_refusal(dict(zip(self.extents, sizes)), error)
            self._refusals[sizes] = str(error)
            return self._empty_graph(sizes)
        self._shapes = [list(one) for one in traced.shapes]
        return traced

    def _empty_graph(self, sizes: Tuple[int, ...]) -> Any:
        graph = _core.Traced()
        shapes = self.shapes(dict(zip(self.extents, sizes)))
        nodes = {name: graph.input(name, int(np.prod(shape, dtype=np.int64))) for (name, *_), shape in zip(self.inputs, shapes)}
        outputs = [graph.constant(np.zeros(0)) for _ in self._shapes]
        graph.finish(outputs, [[0] * max(len(one), 1) for one in self._shapes], [nodes[name] for name in self.differentiable])
        return graph

    def refusal_at(self, extents: Dict[str, int]) -> str:
        sizes = tuple(extents[name] for name in self.extents)
        self._traced(*sizes)
        return self._refusals.get(sizes, "")

    def _tensors(self, extents: Dict[str, int]) -> Dict[str, torch.Tensor]:
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

    def _computed(self, tensors: Dict[str, torch.Tensor], extents: Dict[str, int]) -> List[torch.Tensor]:
        with torch.no_grad():
            wide = lambda one: one.double() if one.is_floating_point() else one.clone()  # noqa: E731
            return [torch.as_tensor(one) for one in _outputs(self.called({key: one.clone() for key, one in tensors.items()}, extents, wide))]

    def _require_refusal(self, extents: Dict[str, int], error: SizesRefused) -> None:
        """Raises NotTraceable where PyTorch takes the sizes: then it is the trace that does not."""
        try:
            self._computed(self._tensors(extents), extents)
        except Exception:
            return
        raise NotTraceable(f"PyTorch takes these sizes, but the trace of {self.name} does not: {error}")

    def _least_extents(self) -> Dict[str, int]:
        """For each extent the first size that the reference takes where all others are large enough."""
        sizes = {name: self.limits.get(name, 64) for name in self.extents}
        for size in _TRIED:  # a common size that is enough
            tried = {name: min(size, most) for name, most in sizes.items()}
            if self._takes(tried):
                break
        else:
            self.trace(tried)  # raises what the reference says
        least = {}
        for name in self.extents:
            smaller = [one for one in range(1, tried[name]) if self._takes({**tried, name: one})]
            tried[name] = least[name] = smaller[0] if smaller else tried[name]
        return least

    def _takes(self, extents: Dict[str, int]) -> bool:
        try:
            self.graph(self.shapes(extents), [])
        except SizesRefused:
            return False
        return True

    def _require_agreement(self, extents: Dict[str, int]) -> None:
        """Raises NotTraceable unless the graph's exact results are PyTorch's in float64, to 9 digits: a row of the table that
        says something else must not become a truth."""
        if not self._takes(extents):
            extents = dict(self.least)
        tensors = self._tensors(extents)
        exact = self.truth(*[one.numpy() for one in tensors.values()], digits=20, dtype="float64")["outputs"]
        computed = self._computed(tensors, extents)
        for k, (one, texts) in enumerate(zip(computed, exact)):
            ours, theirs = np.array([float(text) for text in texts]), one.double().numpy().reshape(-1)
            scale = max(float(np.max(np.abs(theirs[np.isfinite(theirs)]), initial=0)), 1e-30)
            if ours.shape != theirs.shape or not np.allclose(ours, theirs, rtol=1e-9, atol=1e-9 * scale, equal_nan=True):
                raise NotTraceable(f"output {k} of {self.name} as traced is not what PyTorch computes in float64 at "
                                   f"{', '.join(f'{name}={size}' for name, size in extents.items())}: expected {theirs[:4]}, traced {ours[:4]}")

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
            require_parameters(kernel, list(self.parameters.values()))
            kernel.eval()
        return TorchKernel(self, kernel, gradient)

    def subject(self, kernel: Any = None, backward: Any = None, *, dtype: str = "float32", subnormals: bool = False,
                **declared: Any) -> Any:
        """As of a formula, but that numbers below the smallest normal one may become 0, as they do on most GPUs."""
        made = super().subject(kernel, backward, dtype=dtype, subnormals=subnormals, **declared)
        if getattr(torch, dtype) != self._dtype:
            self._dtype = getattr(torch, dtype)
            self._traced.cache_clear()
        return made
