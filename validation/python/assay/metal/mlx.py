"""metal_kernel with the signature of mx.fast.metal_kernel, on the emulator: tests of such kernels run on Linux, checked.

    mx.fast.metal_kernel = assay.metal.mlx.metal_kernel

The kernel's text is the body of a function whose signature is generated: an array argument for each input (a reference
if it has no axes), for each output, `NAME_shape`, `NAME_strides` and `NAME_ndim` of each input whose body mentions them,
and each of Metal's positions that it mentions. Arrays of fewer than 8 elements are in constant memory.
"""

from __future__ import annotations

import re
import sys
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from .._arrays import bfloat16_array, carry, to_bfloat16
from ._arguments import unset
from ._errors import CheckError
from ._library import Library, compile

_MAX_CONSTANT_SIZE = 8  # arrays of fewer elements are in constant memory

_MATH_MODES = ("safe", "relaxed", "fast")

_METAL_TYPES = {
    "bool": "bool",
    "uint8": "uint8_t",
    "uint16": "uint16_t",
    "uint32": "uint32_t",
    "uint64": "uint64_t",
    "int8": "int8_t",
    "int16": "int16_t",
    "int32": "int32_t",
    "int64": "int64_t",
    "float16": "float16_t",
    "bfloat16": "bfloat16_t",
    "float32": "float",
}

POSITIONS = {
    "dispatch_quadgroups_per_threadgroup": "uint",
    "dispatch_simdgroups_per_threadgroup": "uint",
    "dispatch_threads_per_threadgroup": "uint3",
    "grid_origin": "uint3",
    "grid_size": "uint3",
    "quadgroup_index_in_threadgroup": "uint",
    "quadgroups_per_threadgroup": "uint",
    "simdgroup_index_in_threadgroup": "uint",
    "simdgroups_per_threadgroup": "uint",
    "thread_execution_width": "uint",
    "thread_index_in_quadgroup": "uint",
    "thread_index_in_simdgroup": "uint",
    "thread_index_in_threadgroup": "uint",
    "thread_position_in_grid": "uint3",
    "thread_position_in_threadgroup": "uint3",
    "threadgroup_position_in_grid": "uint3",
    "threadgroups_per_grid": "uint3",
    "threads_per_grid": "uint3",
    "threads_per_simdgroup": "uint",
    "threads_per_threadgroup": "uint3",
}

# The names of MLX's own headers that the bodies of kernels use.
_PRELUDE = """#include <metal_stdlib>
using namespace metal;
typedef half float16_t;
typedef bfloat bfloat16_t;

template <typename Index = uint, typename Shape, typename Strides>
inline Index elem_to_loc(Index element, Shape shape, Strides strides, int ndim) {
  Index location = 0;
  for (int axis = ndim - 1; axis >= 0; --axis) {
    location += (element % shape[axis]) * Index(strides[axis]);
    element /= shape[axis];
  }
  return location;
}
"""


def _dtype_name(dtype: Any) -> str:
    """"float32" of np.float32, mx.float32 and "float32"."""
    if isinstance(dtype, type):
        return "bool" if dtype is bool else dtype.__name__
    return str(dtype).rsplit(".", 1)[-1]


def _metal_type(dtype: Any, what: str) -> str:
    name = _dtype_name(dtype)
    if name not in _METAL_TYPES:
        raise ValueError(f"{what}: dtype {name}: expected one of {', '.join(_METAL_TYPES)}")
    return _METAL_TYPES[name]


def _mentions(body: str, name: str) -> bool:
    return re.search(rf"\b{name}\b", body) is not None


class _Input:
    """One input as the kernel sees it: memory, and the shape and strides in which it is to be read."""

    def __init__(self, name: str, value: Any, row_contiguous: bool) -> None:
        if isinstance(value, (bool, int, float)):
            value = np.asarray(value, {bool: np.bool_, int: np.int32, float: np.float32}[type(value)])
        carried = carry(value)
        array = carried.array
        self.name, self.shape = name, array.shape
        self.type = _metal_type(carried.dtype, name)
        if row_contiguous:
            array = np.ascontiguousarray(array)
        order = sorted(range(array.ndim), key=lambda axis: -array.strides[axis])
        self.memory = array.transpose(order) if array.ndim == len(self.shape) else array
        if not self.memory.flags.c_contiguous:
            raise ValueError(f"{name}: expected an array without gaps, its axes in any order")
        self.strides = tuple(stride // array.itemsize for stride in array.strides[: len(self.shape)])

    def parameters(self, body: str) -> List[Tuple[str, Any]]:
        """The parameters in the kernel's signature, each with its value."""
        space = "constant" if self.memory.size < _MAX_CONSTANT_SIZE else "device"
        own = f"const {space} {self.type}{'*' if self.shape else '&'} {self.name}"
        all_of_it: List[Tuple[str, Any]] = [(own, self.memory)]
        if self.shape and _mentions(body, f"{self.name}_shape"):
            all_of_it.append((f"const constant int* {self.name}_shape", np.array(self.shape, np.int32)))
        if self.shape and _mentions(body, f"{self.name}_strides"):
            all_of_it.append((f"const constant int64_t* {self.name}_strides", np.array(self.strides, np.int64)))
        if _mentions(body, f"{self.name}_ndim"):
            all_of_it.append((f"const constant int& {self.name}_ndim", len(self.shape)))
        return all_of_it


def _template(parameters: Sequence[Tuple[str, Any]]) -> Tuple[str, str]:
    """The template's parameters, and the arguments that instantiate it."""
    declared, values = [], []
    for name, value in parameters:
        if isinstance(value, (bool, int)):
            declared.append(f"{'bool' if isinstance(value, bool) else 'int'} {name}")
            values.append(str(value).lower())
        else:
            declared.append(f"typename {name}")
            values.append(_metal_type(value, f"template {name}"))
    return ", ".join(declared), ", ".join(values)


def _shader(name: str, header: str, body: str, parameters: Sequence[str], template: Sequence[Tuple[str, Any]]) -> str:
    positions = [f"{kind} {one} [[{one}]]" for one, kind in POSITIONS.items() if _mentions(body, one)]
    buffers = [f"{parameter} [[buffer({index})]]" for index, parameter in enumerate(parameters)]
    signature = f"void {name}(\n    " + ",\n    ".join([*buffers, *positions]) + ")"
    declared, values = _template(template)
    if not template:
        return f"{_PRELUDE}{header}\n[[kernel]] {signature} {{\n{body}\n}}\n"
    instance = f'template [[host_name("{name}")]] [[kernel]] decltype({name}<{values}>) {name}<{values}>;'
    return f"{_PRELUDE}{header}\ntemplate <{declared}>\n[[kernel]] {signature} {{\n{body}\n}}\n{instance}\n"


class MetalKernel:
    """The kernel that metal_kernel returns."""

    def __init__(self, name: str, inputs: Sequence[str], outputs: Sequence[str], source: str, header: str,
                 ensure_row_contiguous: bool, atomic_outputs: bool, macros: Mapping[str, Any], device: str) -> None:
        self._name, self._inputs, self._outputs = f"custom_kernel_{name}", list(inputs), list(outputs)
        self._source, self._header, self._device = source, header, device
        self._row_contiguous, self._atomic, self._macros = ensure_row_contiguous, atomic_outputs, macros
        self._libraries: Dict[str, Library] = {}

    def __call__(
        self,
        *,
        inputs: Sequence[Any],
        output_shapes: Sequence[Sequence[int]],
        output_dtypes: Sequence[Any],
        grid: Tuple[int, int, int],
        threadgroup: Tuple[int, int, int],
        template: Optional[Sequence[Tuple[str, Any]]] = None,
        init_value: Optional[float] = None,
        verbose: bool = False,
        stream: Any = None,
    ) -> List[Any]:
        """Runs the kernel; returns its outputs, as arrays of MLX if an input is one, else of NumPy.

        Raises ValueError for arguments that do not fit, and what assay.metal's kernels raise.
        """
        del stream  # the emulator has one
        for what, given, names in (("inputs", inputs, self._inputs), ("output_shapes", output_shapes, self._outputs),
                                   ("output_dtypes", output_dtypes, self._outputs)):
            if len(given) != len(names):
                raise ValueError(f"{what}: {len(given)}: expected {len(names)}, for {', '.join(names)}")
        bound: List[Tuple[str, Any]] = []
        for name, value in zip(self._inputs, inputs):
            bound += _Input(name, value, self._row_contiguous).parameters(self._source)
        for name, shape, dtype in zip(self._outputs, output_shapes, output_dtypes):
            bound.append((self._output_parameter(name, dtype), self._output(shape, dtype, init_value)))
        text = _shader(self._name, self._header, self._source, [parameter for parameter, _ in bound], template or ())
        if verbose:
            print(text)
        arrays = self._run(text, [value for _, value in bound], grid, threadgroup)
        return [_like(inputs, array, dtype) for array, dtype in zip(arrays, output_dtypes)]

    def _output_parameter(self, name: str, dtype: Any) -> str:
        kind = _metal_type(dtype, name)
        return f"device {f'atomic<{kind}>' if self._atomic else kind}* {name}"

    @staticmethod
    def _output(shape: Sequence[int], dtype: Any, init_value: Optional[float]) -> Any:
        name = _dtype_name(dtype)
        if init_value is None:
            return unset(tuple(shape), name)
        if name != "bfloat16":
            return np.full(tuple(shape), init_value, name)
        return np.full(tuple(shape), to_bfloat16(init_value), np.uint16)

    def _run(self, text: str, values: Sequence[Any], grid: Sequence[int], threadgroup: Sequence[int]) -> List[np.ndarray]:
        if text not in self._libraries:
            self._libraries[text] = compile(text, macros=self._macros, device=self._device)
            self._libraries[text].allows_equal_writes = True  # as kernels of MLX's own tests do
        group = [min(extent, limit) for extent, limit in zip(threadgroup, grid)]
        try:
            returned = self._libraries[text][self._name](*values, grid=grid, group=group)
        except CheckError as error:
            raise CheckError(error.reports, text) from None
        made = iter(returned if isinstance(returned, tuple) else (returned,))
        outputs = values[len(values) - len(self._outputs) :]
        return [value if isinstance(value, np.ndarray) else next(made) for value in outputs]


def _like(inputs: Sequence[Any], array: np.ndarray, dtype: Any) -> Any:
    """An array of MLX if an input is one."""
    is_mlx = any(type(value).__module__.startswith("mlx.") for value in inputs)
    is_bfloat16 = _dtype_name(dtype) == "bfloat16"
    if not is_mlx:
        return bfloat16_array(array) if is_bfloat16 else array
    mx = sys.modules["mlx.core"]
    return mx.array(array.view(np.uint16)).view(mx.bfloat16) if is_bfloat16 else mx.array(array)


def metal_kernel(
    name: str,
    input_names: Sequence[str],
    output_names: Sequence[str],
    source: str,
    header: str = "",
    ensure_row_contiguous: bool = True,
    atomic_outputs: bool = False,
    compile_options: Optional[Mapping[str, Any]] = None,
    *,
    device: str = "emulated",
) -> MetalKernel:
    """A kernel whose body is `source`, as mx.fast.metal_kernel makes it; it is compiled when it is called.

    The only compile option is {"math_mode": "safe", "relaxed" or "fast"}; the emulator computes as "safe" says.

    >>> double = metal_kernel("double", ["x"], ["y"], "uint i = thread_position_in_grid.x; y[i] = x[i] + x[i];")
    >>> shape = {"output_shapes": [(9,)], "output_dtypes": [np.float32]}
    >>> double(inputs=[np.arange(9, dtype=np.float32)], grid=(9, 1, 1), threadgroup=(9, 1, 1), **shape)[0]
    array([ 0.,  2.,  4.,  6.,  8., 10., 12., 14., 16.], dtype=float32)
    """
    if set(compile_options or {}) - {"math_mode"} or (compile_options or {}).get("math_mode", "safe") not in _MATH_MODES:
        raise ValueError(f"compile_options {compile_options}: expected math_mode alone, one of {', '.join(_MATH_MODES)}")
    macros = {"__FAST_MATH__": 1} if (compile_options or {}).get("math_mode") == "fast" else {}
    return MetalKernel(
        name, input_names, output_names, source, header, ensure_row_contiguous, atomic_outputs, macros, device
    )
