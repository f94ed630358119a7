"""The operation that a function or a module of PyTorch is."""

from __future__ import annotations

import copy
import math
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import numpy as np
import torch

from .. import _numbers
from .._arithmetic import types_of
from .._formula_calls import KernelCall
from .._framework import FrameworkOperation
from .._plugin import Plugin
from .._taken_sizes import LIMIT_ON_GPUS, USUAL_LIMIT
from .._traced import NotTraceable
from .calls import Calling, TorchKernel, parameters_like
from .conversions import memory_of
from .device import device_called
from .far_rows import FarRows, rows_extent
from .trace import DTYPES, _outputs, source_of, trace_of, with_values


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


class TorchOperation(FrameworkOperation):
    """A function f(x, ...) of tensors, or a module, whose parameters are inputs too. Its kernels are called as it is."""

    framework, word = "PyTorch", "torch"
    result_types: Sequence[torch.dtype] = ()  # of the outputs where the reference was run last
    result_is_view: Sequence[bool] = ()  # of an input: then a kernel's may be one too

    def __init__(
        self,
        reference: Callable[..., Any],
        inputs: Dict[str, str],
        properties: str,
        minus_infinity: str,
        limits: Optional[Dict[str, int]],
        is_said: bool = False,
    ) -> None:
        self._is_said = is_said
        self.reference = reference
        self._function = source_of(reference)
        module = reference if isinstance(reference, torch.nn.Module) else None
        self._require_inputs(inputs, reference if module is None else module.forward)
        inputs = self._in_order(inputs, reference if module is None else module.forward)
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
        self._begin()

    def _begin(self) -> None:
        self._dtype, self.calling = torch.float32, Calling()
        self._dtypes: Dict[str, torch.dtype] = {}
        super()._begin()

    def __reduce__(self) -> Any:
        """Workers get the reference as pickle sends it: a function by its name, a module with its parameters."""
        return _unshared_operation, (self.reference, self._declared_inputs, *self.made_of[1:])

    def unshared(self, kernel: Any) -> Any:
        """PyTorch sends tensors to other processes as shared memory, and a kernel's parameters are written to."""
        return copy.deepcopy(kernel) if isinstance(kernel, torch.nn.Module) else kernel

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

    def graph(self, shapes: Sequence[Tuple[int, ...]], wrt: Sequence[str]) -> Any:
        extents = self.extents_of(shapes)
        kinds = [(name, kind) for name, _, kind, _, _ in self.inputs]
        graph, xp = trace_of(
            lambda tensors: self.called(tensors, extents), self._function, kinds, shapes, wrt, self._dtype, self._dtypes
        )
        self._rounds, self._detaches = xp.rounds, xp.detaches
        return graph

    def _run_at(self, extents: Dict[str, int]) -> None:
        tensors = {name: torch.zeros(shape, dtype=DTYPES.get(kind, torch.float32))
                   for (name, _, kind, _, _), shape in zip(self.inputs, self.shapes(extents))}  # fmt: skip
        with torch.no_grad():
            results = [torch.as_tensor(one) for one in _outputs(self.called(tensors, extents))]
        self.results, self.result_types = [tuple(one.shape) for one in results], [one.dtype for one in results]
        given = [memory_of(one)[0] for one in tensors.values()]
        self.result_is_view = [one.numel() > 0 and memory_of(one)[0] in given for one in results]

    def usual_tensors(self, extents: Dict[str, int]) -> Dict[str, torch.Tensor]:
        return {name: torch.from_numpy(one) for name, one in self.usual_arrays(extents).items()}

    def _computed(self, arrays: Dict[str, np.ndarray], extents: Dict[str, int]) -> Tuple[List[np.ndarray], str]:
        tensors = {name: torch.from_numpy(one) for name, one in arrays.items()}
        try:
            computed, dtype = self._computed_in(tensors, extents, torch.float64), "float64"
        except RuntimeError:
            computed, dtype = self._computed_in(tensors, extents, torch.float32), "float32"
        return [one.double().numpy() for one in computed], dtype

    def _computed_in(self, tensors: Dict[str, torch.Tensor], extents: Dict[str, int], dtype: torch.dtype) -> List[torch.Tensor]:
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

    def _kernel(self, kernel: Any, gradient: bool) -> Any:
        if isinstance(kernel, Plugin):
            return kernel
        self._require_callable(kernel)
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
        dtypes: Optional[Dict[str, str]] = None,
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
            largest if largest == math.inf else _numbers.real("largest", largest, 0, positive=True),
            _numbers.flag("contiguous", contiguous),
            device_called(device),
            types_of(dtype, dtypes, self.kinds),
        )
        self.usual_limit = USUAL_LIMIT if self.calling.device.type == "cpu" else LIMIT_ON_GPUS
        declared.update(dtype=dtype, dtypes=dtypes, exp_error=exp_error, subnormals=subnormals)
        made = super().subject(kernel, backward, **declared)
        types = {name: getattr(torch, one) for name, one in self.calling.types.others.items() if name in self.kinds}
        if (getattr(torch, dtype), types) != (self._dtype, self._dtypes):
            self._dtype, self._dtypes = getattr(torch, dtype), types
            self._traced.cache_clear()
        if self.calling.device.type == "cuda":
            self._set_far(made, kernel, backward, declared)
        return made

    def _set_far(self, made: Any, kernel: Any, backward: Any, declared: Dict[str, Any]) -> None:
        """Adds the property of rows in tensors of more than 2^31 elements, unless sizes of the rows' extent are declared."""
        extent = rows_extent(self)
        if extent and extent not in {**(declared.get("limits") or {}), **(declared.get("extents") or {})}:
            calls = [KernelCall(self, FarRows(self._kernel(one, is_gradient), extent), self.calling.types, is_gradient)
                     if one is not None and not isinstance(one, Plugin) else None
                     for one, is_gradient in ((kernel, False), (backward, True))]  # fmt: skip
            made.set_far(extent, *calls)
