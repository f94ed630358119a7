"""Kernels of a reference in PyTorch, called as the reference is: with tensors, whose memory is that of the gate's arrays."""

from __future__ import annotations

import math
from typing import Any, Dict, List, NamedTuple, Sequence

import numpy as np
import torch

from .._arithmetic import Types
from .._file_kernel import name_of
from .._followed import FollowedArray, LeftAlgebra, of_words
from .._pipe import ReturnedWrong, Unsupported
from .device import DeviceMemory
from .own_state import plain_outputs, unchanged
from .trace import source_of, trace_of, with_values
from .ways import (
    EVALUATED,
    IN_PLACE,
    PLAIN,
    REQUIRING,
    SHARED,
    Backward,
    backward_ways,
    change_in_place,
    forward_ways,
    others_like,
    shared,
    upstream_in,
)


def tensor_of(array: np.ndarray) -> torch.Tensor:
    """The array's memory as a tensor; a copy where it runs backwards, which PyTorch has not. NumPy has bfloat16 from
    ml_dtypes, or as its bits."""
    if any(stride < 0 for stride in array.strides):
        array = array.copy()
    if str(array.dtype) in ("bfloat16", "uint16"):
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(array)


def _numbers(array: np.ndarray) -> np.ndarray:
    numbers: np.ndarray = tensor_of(array).double().numpy()
    return numbers


def parameters_like(module: torch.nn.Module, shapes: Dict[str, Sequence[int]]) -> Dict[str, torch.nn.Parameter]:
    """The module's parameters by the reference's names: by name, or where those are others in the order of their shapes.

    Raises ReturnedWrong where they do not go together."""
    own = dict(module.named_parameters())
    if own.keys() != shapes.keys() and [tuple(one.shape) for one in own.values()] == [tuple(one) for one in shapes.values()]:
        own = dict(zip(shapes, own.values()))
    found = {name: tuple(one.shape) for name, one in own.items()}
    if found != {name: tuple(one) for name, one in shapes.items()}:
        raise ReturnedWrong(
            f"the kernel is a module with the parameters {_listed(found)}: expected those of the reference: {_listed(shapes)}"
        )
    return own


def _listed(shapes: Dict[str, Any]) -> str:
    return ", ".join(f"{name} {list(shape)}" for name, shape in shapes.items()) or "none"


def set_parameters(parameters: Dict[str, torch.nn.Parameter], values: Dict[str, torch.Tensor]) -> None:
    """Copies the values; the parameters stay where they are unless their type is another."""
    with torch.no_grad():
        for name, parameter in parameters.items():
            if parameter.dtype == values[name].dtype:
                parameter.copy_(values[name])
            else:
                parameter.data = values[name].clone()


class Calling(NamedTuple):
    """What a kernel in PyTorch declares of its arguments."""

    largest: float = math.inf  # of the numbers that it takes, in size
    contiguous: bool = False  # whether it takes contiguous tensors alone
    device: torch.device = torch.device("cpu")  # of the tensors
    types: Types = Types("float32", {})


_ALIGNED = 16  # bytes: what PyTorch's own allocations have, and vectors and tensor maps of GPUs need


def _declined(error: Exception, tensors: Sequence[torch.Tensor]) -> str:
    """What it says that it does not take of these tensors: views, as view does, or addresses; "" for another error."""
    said = str(error)
    if "CUDA error" in said:
        return ""
    if ("contiguous" in said or "view size is not compatible" in said) and not all(one.is_contiguous() for one in tensors):
        return "tensors that are not contiguous"
    if "align" in said and any(one.data_ptr() % _ALIGNED for one in tensors):
        return f"tensors whose addresses are no multiples of {_ALIGNED}"
    return ""


def _asks_for_gpu(error: Exception) -> bool:
    """Whether it says that tensors on the CPU are not where the kernel wants them: no state tells it, as Triton looks first for a
    driver, then at the pointer."""
    said = str(error).lower()
    words = ("0 active drivers", "cpu tensor", "cuda", "gpu", "xpu", "mps", "on cpu")
    return "cuda error" not in said and any(word in said for word in words)


class TorchKernel:
    """A kernel as a function of a problem. Its arguments are the reference's inputs, in their order; the parameters of a module
    follow, unless the kernel is a module, which has its own."""

    def __init__(self, operation: Any, kernel: Any, is_gradient: bool, calling: Calling = Calling()) -> None:
        self.operation, self.is_gradient = operation, is_gradient
        self._kernel, self._calling = kernel, calling
        self._memory = None if calling.device.type == "cpu" else DeviceMemory(calling.device)
        self.__name__ = name_of(kernel)

    def __call__(self, p: Any) -> List[Any]:
        operation = self.operation
        kernel = operation.kernel_at(self._kernel, p.extents)
        tensors = {one[0]: self._taken(tensor_of(getattr(p, one[0]))) for one in operation.inputs}
        if self.is_gradient:
            way = self._way(p)
            upstreams = [upstream_in(way, self._laid_out(tensor_of(one))) for one in p.upstreams]
            tensors.update({f"upstreams[{k}]": one for k, one in enumerate(upstreams)})
        try:
            if self._memory is None:
                return self._results(kernel, tensors, p)
            return self._results_on_device(self._memory, kernel, tensors, p)
        except (RuntimeError, AssertionError, ValueError) as error:
            declined = _declined(error, list(tensors.values()))
            if declined:
                raise Unsupported(declined) from error
            if self._memory is None and _asks_for_gpu(error):
                raise RuntimeError(
                    f"{error}\n(usual cause: the kernel takes tensors of a GPU, and the gate gave it some of the CPU; "
                    'declare device="cuda")') from error  # fmt: skip
            raise

    def _results(self, kernel: Any, tensors: Dict[str, torch.Tensor], p: Any) -> List[Any]:
        given = {one[0]: tensors[one[0]] for one in self.operation.inputs}
        if self._way(p) == SHARED:
            given = shared(given, self._alike())
        with unchanged(kernel, self.operation.module_at(p.extents), lambda: self._own(kernel, given), given):
            if not self.is_gradient:
                return self._as_numbers(self._outputs(kernel, given, self._way(p)), p)
            return self._gradients(kernel, given, tensors, p)

    def _gradients(self, kernel: Any, given: Dict[str, torch.Tensor], tensors: Dict[str, torch.Tensor], p: Any) -> List[Any]:
        upstreams = [tensors[f"upstreams[{k}]"] for k in range(len(p.upstreams))]
        own = self._own(kernel, given)
        backward = Backward(lambda leaves: self._applied(kernel, leaves), own, lambda values: set_parameters(own, values),
                            self.operation.differentiable)  # fmt: skip
        return plain_outputs(backward.gradients(given, upstreams, self._way(p)))

    def ways(self) -> List[str]:
        """In which it may be called, beside the plain one."""
        operation, may_be_shared = self.operation, len(self._alike()) > 1
        if self.is_gradient:
            return backward_ways(operation.differentiable, may_be_shared)
        return forward_ways(operation.also_evaluates, may_be_shared)

    def _alike(self) -> List[str]:
        """The inputs, no parameters of a module, that are declared as another is."""
        declared = [one[1:] for one in self.operation.inputs if one[0] not in self.operation.parameters]
        return [one[0] for one in self.operation.inputs if one[0] not in self.operation.parameters and declared.count(one[1:]) > 1]

    def _way(self, p: Any) -> str:
        return self.ways()[p.way - 1] if getattr(p, "way", 0) else PLAIN

    def followed(self, p: Any) -> List[FollowedArray]:
        """What the results stand for in the algebra: those of the kernel's graph, traced as a reference is. The gradients are
        those of the graph, which are autograd's unless the kernel turns that off."""
        kernel, inputs = self.operation.kernel_at(self._kernel, p.extents), self.operation.inputs
        arrays = {name: _numbers(getattr(p, name)) for name, *_ in inputs}
        kinds = [(name, kind) for name, _, kind, *_ in inputs]
        wanted = self.operation.differentiable if self.is_gradient else []

        def call(tensors: Dict[str, Any]) -> Any:
            with torch.enable_grad():
                return self._traced(kernel, tensors)

        graph, xp = trace_of(call, source_of(kernel), kinds, [one.shape for one in arrays.values()], wanted,
                             getattr(torch, self._calling.types.dtype))  # fmt: skip
        if self.is_gradient and (xp.detaches or xp.has_own_gradient):
            raise LeftAlgebra("gradients by detach, no_grad or a torch.autograd.Function are not followed")
        shapes = [arrays[name].shape for name in wanted] if self.is_gradient else graph.shapes
        arrays.update({f"upstream{k}": _numbers(one) for k, one in enumerate(p.upstreams)})
        found = graph.followed({name: one.reshape(-1).tolist() for name, one in arrays.items()}, self.is_gradient)
        return [FollowedArray(values.reshape(shape), of_words(words, tuple(shape)))
                for (values, words), shape in zip(found, shapes)]  # fmt: skip

    def _traced(self, kernel: Any, tensors: Dict[str, Any]) -> Any:
        parameters, by_name = self.operation.parameters, self.operation.by_name
        named = {name: tensors[name] for name in by_name}
        given = self.operation.arguments({name: one for name, one in tensors.items() if name not in named})
        if not isinstance(kernel, torch.nn.Module):
            return kernel(*given, *(tensors[name] for name in parameters), **named)
        own = parameters_like(kernel, {of: tuple(tensors[name].shape) for name, of in parameters.items()})
        values = {name: tensors[one] for name, one in zip(own, parameters)}
        with with_values(kernel, values):
            return kernel(*given, **named)

    def _type_of(self, k: int) -> torch.dtype:
        """Of result k: of an output, or of the gradient in an input."""
        types = self._calling.types
        dtype: torch.dtype = getattr(
            torch, types.of(self.operation.differentiable[k]) if self.is_gradient else types.of_output(k)
        )
        return dtype

    def result_size(self, k: int) -> int:
        """Bytes of an element of result k."""
        return torch.finfo(self._type_of(k)).bits // 8

    def on_device(self, array: np.ndarray) -> torch.Tensor:
        return tensor_of(array).contiguous().to(self._calling.device)

    def results_of(self, extents: Dict[str, int], tensors: Dict[str, torch.Tensor], p: Any) -> List[Any]:
        """The results on tensors that are on the device, of other sizes than the problem's."""
        kernel = self.operation.kernel_at(self._kernel, extents)
        if isinstance(kernel, torch.nn.Module):
            kernel.to(self._calling.device)
        results = self._results(kernel, tensors, p)
        DeviceMemory(self._calling.device).wait()
        return results

    def _results_on_device(self, memory: DeviceMemory, kernel: Any, tensors: Dict[str, torch.Tensor], p: Any) -> List[Any]:
        if isinstance(kernel, torch.nn.Module):
            kernel.to(memory.device)
        operation = self.operation
        due = (
            [tensors[name].shape for name in operation.differentiable] if self.is_gradient else operation.trace(p.extents).shapes
        )
        given = memory.give(tensors)
        memory.poison([(tuple(one), self._type_of(k)) for k, one in enumerate(due)])
        results = self._results(kernel, given, p)
        memory.wait()
        memory.require_inputs()
        return memory.take(results, "gradient" if self.is_gradient else "output")

    def _taken(self, tensor: torch.Tensor) -> torch.Tensor:
        """The tensor as the kernel takes it. Raises Unsupported for numbers that it does not."""
        if tensor.is_floating_point() and not bool((tensor[torch.isfinite(tensor)].abs() <= self._calling.largest).all()):
            raise Unsupported(f"numbers above {self._calling.largest:g}")
        return self._laid_out(tensor)

    def _laid_out(self, tensor: torch.Tensor) -> torch.Tensor:
        return tensor.contiguous() if self._calling.contiguous else tensor

    def _as_numbers(self, results: List[Any], p: Any) -> List[Any]:
        """Masks and whole numbers, where the reference returns such, as numbers of the kernel's type; positions stay. A view of
        an input is copied where the reference returns one too."""
        operation = self.operation
        if len(operation.result_types) != len(results):
            return results
        taken = []
        for k, (one, of, is_view) in enumerate(zip(results, operation.result_types, operation.result_is_view)):
            if isinstance(one, torch.Tensor):
                one = one.clone() if is_view else one
                is_whole = one.dtype == of and not of.is_floating_point
                one = one.to(self._type_of(k)) if is_whole and not operation.trace(p.extents).positions[k] else one
            taken.append(one)
        return taken

    def _own(self, kernel: Any, tensors: Dict[str, torch.Tensor]) -> Dict[str, torch.nn.Parameter]:
        """The parameters of a kernel that is a module, by the names of the inputs that they are."""
        if not isinstance(kernel, torch.nn.Module):
            return {}
        parameters = self.operation.parameters
        own = parameters_like(kernel, {of: tensors[name].shape for name, of in parameters.items()})
        return {name: own[of] for name, of in parameters.items()}

    def _called(self, kernel: Any, tensors: Dict[str, torch.Tensor]) -> Any:
        set_parameters(self._own(kernel, tensors), tensors)
        return self._applied(kernel, tensors)

    def _applied(self, kernel: Any, tensors: Dict[str, torch.Tensor]) -> Any:
        parameters = () if isinstance(kernel, torch.nn.Module) else self.operation.parameters
        named = {name: tensors[name].to(self._calling.device) for name in self.operation.by_name}
        unnamed = self.operation.arguments({name: one for name, one in tensors.items() if name not in named})
        given = [one.to(self._calling.device) if isinstance(one, torch.Tensor) else one for one in unnamed]
        return kernel(*given, *(tensors[name] for name in parameters), **named)

    def _outputs(self, kernel: Any, tensors: Dict[str, torch.Tensor], way: str) -> List[Any]:
        trains = self.operation.trains_kernels and way != EVALUATED
        if isinstance(kernel, torch.nn.Module):
            kernel.train(trains)
        if way == REQUIRING or (trains and way == PLAIN):
            try:
                leaves = {name: one.detach().requires_grad_(way == REQUIRING and one.is_floating_point())
                          for name, one in tensors.items()}  # fmt: skip
                results = plain_outputs(self._called(kernel, leaves))
                return [one.detach() if isinstance(one, torch.Tensor) else one for one in results]
            except RuntimeError:
                pass  # a kernel for inference alone, such as one that writes into an out=, is called without
        with torch.no_grad():
            if way != IN_PLACE:
                return plain_outputs(self._called(kernel, tensors))
            changed = others_like(tensors)
            self._called(kernel, changed)
            change_in_place(changed, tensors)
            return plain_outputs(self._called(kernel, changed))
