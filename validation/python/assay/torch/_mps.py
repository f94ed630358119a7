"""Launches on Apple GPUs, by torch.mps.compile_shader: the same kernels, from the same .metal text.

The hosts of metal/host say what is to be launched, as data: buffers, and dispatches with their function constants,
offsets and threadgroup memory. compile_shader has none of the last three. So constants and the lengths of threadgroup
memory go into the text, from which a library is compiled for each set of them, and offsets into views of tensors.
"""

from __future__ import annotations

import contextlib
import functools
import math
import re
from typing import Any, Callable, Dict, Iterator, List, Mapping, NamedTuple, Optional, Tuple

import torch

from .._kernel_calls import gpu_module
from .._shader_text import with_constants, with_threadgroup_memory, with_type
from ._define import aligned, dtype_name

_ALIGNMENT = 256  # of structures in constant memory, on all GPUs that Metal has

_MAX_ARGUMENTS = 31  # of a kernel

# Pairs of an index and a value: the bytes of a function constant, or of threadgroup memory.
_Values = Tuple[Tuple[int, Any], ...]

_stand_in: Optional[Callable[[str], Any]] = None


@contextlib.contextmanager
def standing_in(compile_shader: Callable[[str], Any]) -> Iterator[None]:
    """For tests, where there is no Apple GPU: tensors of the CPU are computed here, with this compile_shader."""
    global _stand_in
    before, _stand_in = _stand_in, compile_shader
    _library.cache_clear()
    try:
        yield
    finally:
        _stand_in = before
        _library.cache_clear()


def computes(tensor: torch.Tensor) -> bool:
    return tensor.is_mps if _stand_in is None else tensor.is_cpu


@functools.lru_cache(maxsize=64)
def _library(shader: str, dtype: torch.dtype, constants: _Values, lengths: _Values) -> Any:
    text = with_constants(with_type(gpu_module().shader_text(shader), dtype_name(dtype)), dict(constants))
    text = with_threadgroup_memory(text, dict(lengths))
    if _stand_in is None and not hasattr(torch.mps, "compile_shader"):
        raise RuntimeError(f"PyTorch {torch.__version__} has no torch.mps.compile_shader: expected a newer one, or .cpu()")
    return (_stand_in or torch.mps.compile_shader)(text)


@functools.lru_cache(maxsize=None)
def _argument_count(shader: str) -> int:
    return 1 + max(int(index) for index in re.findall(r"\w+_index = (\d+)", gpu_module().shader_text(shader)))


class _Shader(NamedTuple):
    """A file of metal/kernels, for tensors of one type."""

    name: str
    dtype: torch.dtype

    def argument_count(self) -> int:
        """Places in the arguments of its kernels, each of which uses some."""
        return _argument_count(self.name)

    def kernel(self, dispatch: Mapping[str, Any]) -> Any:
        constants, lengths = (tuple(sorted(dispatch[one].items())) for one in ("constants", "threadgroup_lengths"))
        return getattr(_library(self.name, self.dtype, constants, lengths), dispatch["kernel"])


def _plan(shader: _Shader, record: Callable[[int, Dict[str, int]], Dict[str, Any]]) -> Dict[str, Any]:
    """What `record` gives for the GPU's memory, and for the threads that a group of each kernel has at most: known only
    when the kernel is compiled, and asked for again if one has fewer than were planned."""
    memory = int(torch.mps.recommended_max_memory()) if _stand_in is None else 0
    most: Dict[str, int] = {}
    while True:
        plan = record(memory, most)
        fewer = {}
        for dispatch in (one for commands in plan["commands"] for one in commands):
            supported = shader.kernel(dispatch).max_threads_per_threadgroup
            if math.prod(dispatch["group"]) > supported:
                fewer[dispatch["kernel"]] = supported
        if not fewer:
            return plan
        most.update(fewer)


class _Memory:
    """The buffers of a plan: tensors of the caller, workspace, and one tensor of all that the host has written."""

    def __init__(self, plan: Mapping[str, Any], given: Mapping[str, torch.Tensor], device: torch.device) -> None:
        self._host: List[bytes] = []
        self._host_length = 0
        self._spare = torch.empty(_MAX_ARGUMENTS, 16, dtype=torch.uint8, device=device).unbind()
        places: List[Any] = []
        for label, length, contents in plan["buffers"]:
            if label in given:
                places.append(given[label])
            elif contents is None:
                places.append(torch.empty(length, dtype=torch.uint8, device=device))
            else:
                places.append(self._keep(contents))
        commands = [[(one, self._bytes_of(one)) for one in dispatches] for dispatches in plan["commands"]]
        host = torch.frombuffer(bytearray(b"".join(self._host)), dtype=torch.uint8).to(device)
        self._places = [host[one] if isinstance(one, slice) else one for one in places]
        self.commands = [
            [(one, {index: host[at] for index, at in bound.items()}) for one, bound in dispatches] for dispatches in commands
        ]

    def _keep(self, contents: bytes) -> slice:
        begin = self._host_length
        self._host.append(contents + bytes(-len(contents) % _ALIGNMENT))
        self._host_length += len(self._host[-1])
        return slice(begin, begin + len(contents))

    def _bytes_of(self, dispatch: Mapping[str, Any]) -> Dict[int, slice]:
        return {index: self._keep(contents) for index, contents in dispatch["bytes"].items()}

    def arguments(self, dispatch: Mapping[str, Any], bound: Mapping[int, torch.Tensor], count: int) -> List[torch.Tensor]:
        """By [[buffer(index)]]. An index that nothing is bound to has a tensor that the kernel does not use."""
        tensors = dict(bound)
        for index, (place, offset) in dispatch["buffers"].items():
            tensors[index] = _from(self._places[place], offset)
        return [tensors.get(index, self._spare[index]) for index in range(count)]


def _from(tensor: torch.Tensor, offset: int) -> torch.Tensor:
    """The tensor's elements from this byte on."""
    return tensor if offset == 0 else tensor.view(-1)[offset // tensor.element_size() :]


def launch(operation: str, problem: Any, tensors: Mapping[str, torch.Tensor]) -> None:
    """As _cuda.launch."""
    first, device = next(iter(tensors)), next(iter(tensors.values())).device
    shader, record = _Shader(f"{operation}/{operation}.metal", tensors[first].dtype), getattr(gpu_module(), f"{operation}_plan")
    plan = _plan(shader, lambda memory, most: record(problem, set(tensors), memory, most))
    if not plan["commands"]:
        return
    given = {**tensors, first: aligned(tensors[first])}
    if operation == "svd":
        given["S"] = given["S"].view(torch.uint8)  # the kernels write them as bits, in uint
        given["status"] = torch.empty(4 * len(given["A"]), dtype=torch.uint8, device=device)  # PyTorch had no uint32 for long
    memory = _Memory(plan, given, device)
    for number, dispatches in enumerate(memory.commands):
        if number > 0 and _stand_in is None:
            torch.mps.synchronize()  # macOS ends a command buffer that takes seconds
        for dispatch, bound in dispatches:
            arguments = memory.arguments(dispatch, bound, shader.argument_count())
            shader.kernel(dispatch)(*arguments, threads=dispatch["threads"], group_size=dispatch["group"])
    if "check" in plan:
        plan["check"](given["status"].cpu().numpy().view("uint32"))
