"""The operation that a function or a module of PyTorch is."""

from __future__ import annotations

import copy
from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy as np
import torch

from .. import _numbers
from .._arithmetic import Types
from .._file_kernel import loaded
from .._formula_calls import KernelCall
from .._framework import FrameworkOperation
from .._many_rows import rows_extent
from .._plugin import Plugin
from .._traced import NotTraceable
from .calls import Calling, TorchKernel, parameters_like
from .conversions import memory_of
from .device import device_called
from .far_rows import FarRows
from .statistics import can_be_drawn, drawn_for_both, why_unproven
from .trace import DTYPES, _outputs, source_of, trace_of, with_values
from .ways import EQUAL_UPSTREAM, SHARED


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
    trains_kernels = False  # whether kernels are called in training mode and while gradients are on
    also_evaluates = False  # and then in eval mode too
    _drawn: Optional[torch.nn.Module] = None  # the reference with drawn statistics, for a kernel that has got them too

    def _open(self) -> Tuple[Any, Any]:
        self._function = source_of(self.reference)
        if not isinstance(self.reference, torch.nn.Module):
            return self.reference, self._function
        return self.reference.forward, self._function

    def _own_inputs(self) -> Dict[str, str]:
        if not isinstance(self.reference, torch.nn.Module):
            self.parameters: Dict[str, str] = {}
            return {}
        self.reference.eval()
        of_parameters, self.parameters = parameter_inputs(self.reference, list(self._declared_inputs))
        return of_parameters

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
        if self._drawn is not None:
            return self._drawn
        return self.reference if isinstance(self.reference, torch.nn.Module) else None

    def why_here(self) -> str:
        device = self.calling.device
        return "" if device.type == "cpu" else f"its tensors are on {device}"

    def kernel_at(self, kernel: Any, extents: Dict[str, int]) -> Any:
        return loaded(kernel)

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
        self._rounds, self.may_cast = xp.rounds, xp.casts
        if xp.loses_signs:
            self.gradient_differs = (
                f"{self.name} casts to float8_e8m0fnu, through which autograd's gradients lose their signs: expected a "
                "reference without it"
            )
        if xp.detaches:
            self.gradient_differs = (
                f"{self.name} calls detach, which the graph's gradient ignores: expected a reference without it"
            )
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

    def subject(self, kernel: Any = None, backward: Any = None, *, contiguous: bool = False, **declared: Any) -> Any:
        """As of any framework, and

        contiguous  the kernel takes contiguous tensors alone
        """
        self._contiguous = _numbers.flag("contiguous", contiguous)
        before, kernels = self._drawn, [one for one in (kernel, backward) if one is not None]
        is_drawn = len(kernels) == 1 and isinstance(self.reference, torch.nn.Module) and can_be_drawn(self.reference, kernels[0])
        self._drawn = drawn_for_both(self.reference, kernels[0]) if is_drawn else None
        if self._drawn is not before:
            self._traced.cache_clear()
        made = super().subject(kernel, backward, **declared)
        made.set_ways(*([(way, way == EQUAL_UPSTREAM, way == SHARED) for way in self._kernel(one, is_gradient).ways()]
                        if one is not None and not isinstance(one, Plugin) else []
                        for one, is_gradient in ((kernel, False), (backward, True))))  # fmt: skip
        if self.calling.device.type == "cuda":
            self._set_far(made, kernel, backward, declared)
        return made

    def unproven(self, kernels: Sequence[Any]) -> str:
        return why_unproven(self.reference, kernels) if isinstance(self.reference, torch.nn.Module) else ""

    def left_out(self) -> str:
        """Also that a module is random in training mode, as one with dropout is."""
        is_evaluated = isinstance(self.reference, torch.nn.Module) and not self.reference.training
        random = "  not judged in training mode, where the reference is random" if is_evaluated and self._draws_in_training() else ""
        return "\n".join(one for one in (super().left_out(), random) if one)

    def _draws_in_training(self) -> bool:
        """Whether a call in training mode draws random numbers. Of a reference that refuses such a call it is not said."""
        extents = self.usual_extents()
        tensors = {name: one.float() if one.is_floating_point() else one for name, one in self.usual_tensors(extents).items()}
        module = copy.deepcopy(self.module_at(extents)).train()
        with torch.no_grad(), torch.random.fork_rng(devices=[]):
            before = torch.get_rng_state()
            try:
                module(*self.arguments(tensors))
            except Exception:
                return False
            return not torch.equal(torch.get_rng_state(), before)

    def _set_calling(self, largest: float, device: Any, types: Types) -> bool:
        self.calling = Calling(largest, self._contiguous, device_called("cpu" if device is None else device), types)
        return self.calling.device.type == "cpu"

    def _trace_in(self, dtype: str) -> bool:
        before = self._dtype, self._dtypes
        self._dtype = getattr(torch, dtype)
        self._dtypes = {name: getattr(torch, one) for name, one in self.calling.types.others.items() if name in self.kinds}
        return before != (self._dtype, self._dtypes)

    def _set_far(self, made: Any, kernel: Any, backward: Any, declared: Dict[str, Any]) -> None:
        """Adds the property of rows in tensors of more than 2^31 elements, unless sizes of the rows' extent are declared."""
        extent = rows_extent(self)
        if extent and extent not in {**(declared.get("limits") or {}), **(declared.get("extents") or {})}:
            calls = [KernelCall(self, FarRows(self._kernel(one, is_gradient), extent), self.calling.types, is_gradient)
                     if one is not None and not isinstance(one, Plugin) else None
                     for one, is_gradient in ((kernel, False), (backward, True))]  # fmt: skip
            made.set_far(extent, *calls, 31)
