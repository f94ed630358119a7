"""compile_shader as torch.mps.compile_shader, on the emulator: tests of such kernels run on Linux, checked.

    torch.mps.compile_shader = assay.metal.torch.compile_shader

Tensors are those of the CPU, or arrays of NumPy. PyTorch itself is not imported.
"""

from __future__ import annotations

import math
import re
from typing import Any, List, Optional, Sequence, Union

import numpy as np

from ._library import Kernel, Library, compile

_MAX_THREADS = 1024
_SCALARS = {
    "half": np.float16, "bfloat": np.uint16, "float": np.float32, "short": np.int16, "ushort": np.uint16, "int": np.int32, "uint": np.uint32,
    "long": np.int64, "ulong": np.uint64,
}  # fmt: skip


def _extents(value: Any) -> List[int]:
    return [int(extent) for extent in (value if isinstance(value, (tuple, list)) else (value,))]


def _of_type(element: str, value: Any) -> Any:
    """PyTorch binds memory, whatever its type. So bytes may hold elements of any type: here as an array of that type."""
    scalar = re.sub(r"[234]$", "", element)
    if scalar not in _SCALARS or str(getattr(value, "dtype", "")) not in ("uint8", "torch.uint8"):
        return value
    return np.asarray(value).view(_SCALARS[scalar])


class ShaderKernel:
    """A kernel as PyTorch calls it: the argument of place i, a tensor, a number or a list of numbers, is [[buffer(i)]]."""

    max_threads_per_threadgroup = _MAX_THREADS
    thread_execution_width = 32

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel

    def __call__(
        self,
        *values: Any,
        threads: Union[int, Sequence[int], None] = None,
        group_size: Union[int, Sequence[int], None] = None,
        arg_casts: Any = None,
    ) -> None:
        """Runs the kernel on `threads` threads, by default one for each element of the first tensor.

        Tensors that the kernel may write are changed in place. A number has the type that the kernel declares, so that
        `arg_casts`, which PyTorch needs to give it one, changes nothing. Raises what assay.metal's kernels raise.
        """
        del arg_casts
        if threads is None:
            tensors = [value for value in values if hasattr(value, "shape")]
            if not tensors:
                raise ValueError(f"{self._kernel.name}: expected threads=..., or a tensor whose elements say how many")
            threads = math.prod(tensors[0].shape)
        grid = _extents(threads)
        group = [min(grid[0], _MAX_THREADS)] if group_size is None else _extents(group_size)
        self._kernel(*self._bound(values), grid=grid, group=group)

    def _bound(self, values: Sequence[Any]) -> Sequence[Any]:
        """The values of the kernel's buffers: an index that the kernel does not take may have one too."""
        buffers = self._kernel.buffers
        if len(buffers) < len(self._kernel.values) or not buffers or len(values) <= buffers[-1].index:
            return values  # for the kernel to say what it takes
        return [_of_type(argument.element_type, values[argument.index]) for argument in buffers]


class ShaderLibrary:
    """The library that compile_shader returns: its kernels are attributes."""

    def __init__(self, library: Library) -> None:
        self._library = library

    def __getattr__(self, name: str) -> ShaderKernel:
        return ShaderKernel(getattr(self._library, name))

    def __getitem__(self, name: str) -> ShaderKernel:
        return ShaderKernel(self._library[name])

    def __dir__(self) -> List[str]:
        return self._library.function_names


def compile_shader(source: str, *, device: Optional[str] = None) -> ShaderLibrary:
    """Compiles a .metal text, as torch.mps.compile_shader does. Raises assay.metal.CompileError.

    >>> import numpy as np
    >>> library = compile_shader('''#include <metal_stdlib>
    ... kernel void fill(device float* x, constant float& by, uint i [[thread_position_in_grid]]) { x[i] = by; }''')
    >>> x = np.zeros(4, np.float32)
    >>> library.fill(x, 3.14)
    >>> x
    array([3.14, 3.14, 3.14, 3.14], dtype=float32)
    """
    return ShaderLibrary(compile(source, device=device or "emulated"))
