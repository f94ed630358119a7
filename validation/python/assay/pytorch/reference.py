"""The operation that a function or a module of PyTorch is."""

from __future__ import annotations

import copy
import inspect
import math
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import torch

from .. import _numbers
from .._formula import Namespace, finished
from .._operation import Operation
from .._plugin import Plugin
from .._traced import NotTraceable
from .agreement import Agreement
from .calls import Calling, TorchKernel, parameters_like
from .device import device_called
from .trace import source_of, trace_of, with_values


def parameter_inputs(module: torch.nn.Module, taken: Sequence[str]) -> Tuple[Dict[str, str], Dict[str, str]]:
    """Inputs for a module's parameters, "conv_weight": "8, 3, 3, 3", and the parameters' own names by theirs."""
    texts, names = {}, {}
    for of, parameter in module.named_parameters():
        name = of.replace(".", "_")
        while name in texts or name in taken:
            name += "_"
        texts[name], names[name] = ", ".join(str(size) for size in parameter.shape), of
    return texts, names


def _unshared_operation(reference: Any, *declared: Any) -> "TorchOperation":
    """Of a reference that another process has sent."""
    return TorchOperation(copy.deepcopy(reference), *declared)


class TorchOperation(Agreement, Operation):
    """A function f(x, ...) of tensors, or a module, whose parameters are inputs too. Its kernels are called as it is."""

    def __init__(
        self,
        reference: Callable[..., Any],
        inputs: Dict[str, str],
        properties: str,
        minus_infinity: str,
        limits: Optional[Dict[str, int]],
    ) -> None:
        self.reference = reference
        self._function = source_of(reference)
        module = reference if isinstance(reference, torch.nn.Module) else None
        self._require_inputs(inputs)
        if module is not None:
            module.eval()
        of_parameters, self.parameters = parameter_inputs(module, list(inputs)) if module is not None else ({}, {})
        self._declared_inputs = dict(inputs)
        self._declare(
            self._function,
            getattr(reference, "__name__", type(reference).__name__),
            {**inputs, **of_parameters},
            properties,
            minus_infinity,
            limits,
        )
        self._dtype, self.calling = torch.float32, Calling()
        self._begin()

    def _begin(self) -> None:
        """Finds the least size of each extent, and holds the trace against PyTorch's own result there."""
        self._refusals: Dict[Tuple[int, ...], str] = {}
        self.least = self._least_extents()
        self._require_agreement(self.usual_extents())

    def _require_inputs(self, inputs: Dict[str, str]) -> None:
        if not inputs:
            raise ValueError(f'no input is declared: expected the extents of each tensor, such as x="N, D", of {self.reference}')
        try:
            parameters = inspect.signature(
                self.reference.forward if isinstance(self.reference, torch.nn.Module) else self.reference
            ).parameters
        except ValueError:
            return
        takes_any = any(one.kind is one.VAR_POSITIONAL for one in parameters.values())
        for name in inputs:
            if name not in parameters and not takes_any:
                raise ValueError(f"{name}={inputs[name]!r}: the reference takes {', '.join(parameters)}: expected one of them")
        for name, one in parameters.items():
            if name not in inputs and one.default is one.empty and one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD):
                raise ValueError(
                    f'the reference takes {name}, which is not declared: expected its extents, such as {name}="N, D"'
                )

    def __call__(self, *arrays: Any) -> Any:
        return self.reference(*arrays)

    def __reduce__(self) -> Any:
        """Workers get the reference as pickle sends it: a function by its name, a module with its parameters."""
        return _unshared_operation, (self.reference, self._declared_inputs, *self.made_of[1:])

    def unshared(self, kernel: Any) -> Any:
        """PyTorch sends tensors to other processes as shared memory, and a kernel's parameters are written to."""
        return copy.deepcopy(kernel) if isinstance(kernel, torch.nn.Module) else kernel

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
            name in inspect.signature(self._function).parameters for name in self._declared_inputs
        )

    def graph(self, shapes: Sequence[Tuple[int, ...]], wrt: Sequence[str]) -> Any:
        extents = self.extents_of(shapes)
        kinds = [(name, kind) for name, _, kind, _, _ in self.inputs]
        graph, xp = trace_of(
            lambda tensors: self.called(tensors, extents), self._function, kinds, shapes, wrt, self._dtype
        )
        self._rounds, self._detaches = xp.rounds, xp.detaches
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
                raise NotTraceable(
                    f"{self.name} as traced has results of the shapes {traced.shapes}: expected {results}, as PyTorch has"
                )
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
            raise TypeError(
                f"the kernel is {kernel!r}: expected a function that is called as the reference is, or the path of a plug-in"
            )
        if isinstance(kernel, torch.nn.Module):
            parameters_like(
                kernel, {of: tuple(one.shape) for of, one in self.reference.named_parameters()} if self.parameters else {}
            )
            kernel.eval()
        return TorchKernel(self, kernel, gradient, self.calling)

    def subject(
        self,
        kernel: Any = None,
        backward: Any = None,
        *,
        dtype: str = "float32",
        exp_error: float = 8,
        subnormals: bool = False,
        largest: float = math.inf,
        contiguous: bool = False,
        device: Any = "cpu",
        **declared: Any,
    ) -> Any:
        """As of a formula, but that numbers below the smallest normal one may become 0, as they do on most GPUs, and that exp,
        erf and the like may be off by 8 roundoffs, erf by 16, as PyTorch's own gelu is.

        largest     the kernel takes numbers up to this size: others are no cases
        contiguous  it takes contiguous tensors alone
        device      where its tensors are: "cuda", "mps" or another that PyTorch has here
        """
        if backward is not None and self._detaches:
            raise NotTraceable(f"{self.name} calls detach, which the graph's gradient ignores: expected a reference without it")
        self.calling = Calling(
            _numbers.real("largest", largest, 0, positive=True) if math.isfinite(largest) else largest,
            _numbers.flag("contiguous", contiguous),
            device_called(device),
        )
        made = super().subject(kernel, backward, dtype=dtype, exp_error=exp_error, subnormals=subnormals, **declared)
        if getattr(torch, dtype) != self._dtype:
            self._dtype = getattr(torch, dtype)
            self._traced.cache_clear()
        return made
