"""Plans of metal/host by kernels that are functions of arrays: mx.fast.metal_kernel, and the emulator's that stands in.

The hosts say what is to be launched, as data: buffers, and dispatches. A dispatch becomes a call of a kernel with the body
that metal/kernels has; arrays are never written again, so that each dispatch makes anew the buffers that it writes.
_carried_over.py says how what lay in one before gets there. A plan that needs more, such as one with very long rows, is
refused by Unsupported.
"""

from __future__ import annotations

import functools
import re
import zlib
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Sequence, Set, Tuple

import numpy as np

from . import _shader_text
from ._arrays import bits_of_bfloat16
from ._carried_over import ADDED, COPIED, WRITTEN_ANEW
from ._shader_text import METAL_TYPES, Parameter

_ALIGNMENT = 16  # kernels load four elements at once

_LEAST_ELEMENTS = 8  # of an array in device memory; one of fewer is in constant memory

_ARRAY_TYPES = {"float": "float32", "uint": "uint32", "int": "int32"}  # others are kept as uint32


class Unsupported(Exception):
    """The plan needs more than functions of arrays."""


class Framework(NamedTuple):
    """The module that makes arrays: mlx.core, or numpy for tests of the plans alone."""

    arrays: Any  # the module
    metal_kernel: Callable[..., Any]
    memory: int  # bytes that the GPU's driver recommends to use at most; 0: not known

    def dtype(self, name: str) -> Any:
        return getattr(self.arrays, name)

    def flat(self, array: Any) -> Any:
        """A row of elements that kernels can load from device memory."""
        row = array.reshape(-1)
        if row.shape[0] >= _LEAST_ELEMENTS and _address(row) % _ALIGNMENT == 0:
            return row
        return self.arrays.concatenate([row, self.arrays.zeros(_LEAST_ELEMENTS, row.dtype)])

    def bytes(self, contents: bytes) -> Any:
        padded = contents + bytes(max(0, _LEAST_ELEMENTS - len(contents)))
        return self.arrays.array(np.frombuffer(padded, np.uint8))


def dtype_name(array: Any) -> str:
    return str(array.dtype).rsplit(".", 1)[-1]


def _address(row: Any) -> int:
    """Where the elements lie, by the buffer protocol, which does not copy arrays of a GPU."""
    return np.asarray(memoryview(bits_of_bfloat16(row) if dtype_name(row) == "bfloat16" else row)).ctypes.data


@functools.lru_cache(maxsize=256)
def _text(shader: str, name: str, dtype: str, constants: Tuple[Tuple[int, bytes], ...]) -> _shader_text.Kernel:
    return _shader_text.kernel(shader, name, dtype, constants)


@functools.lru_cache(maxsize=256)
def _compiled(
    make: Callable[..., Any], name: str, inputs: Tuple[str, ...], outputs: Tuple[str, ...], body: str, header: str
) -> Any:
    own = f"{name}_{zlib.crc32((header + body).encode()):08x}"  # MLX keeps libraries by name
    return make(name=own, input_names=list(inputs), output_names=list(outputs), source=body, header=header)


class Run:
    """The arrays of a plan, whose dispatches are called one after the other. `given`: arrays of the caller, by labels. Raises
    Unsupported."""

    def __init__(
        self, framework: Framework, operation: str, dtype: str, plan: Mapping[str, Any], given: Mapping[str, Any]
    ) -> None:
        self._framework, self._operation, self._dtype = framework, operation, dtype
        self._labels = [label for label, _, _ in plan["buffers"]]
        self._lengths = [length for _, length, _ in plan["buffers"]]
        self._arrays: Dict[int, Any] = {}
        for place, (label, _, contents) in enumerate(plan["buffers"]):
            if contents is not None:
                self._arrays[place] = framework.bytes(contents)
            elif given.get(label) is not None:
                self._arrays[place] = framework.flat(given[label])
        self._dispatches = [one for commands in plan["commands"] for one in commands]
        self._added = [place for one in self._dispatches for place in self._places_added(one)]
        self._expect_supported(set(self._arrays))
        for dispatch in self._dispatches:
            self._call(dispatch)

    def result(self, label: str, count: int) -> Any:
        """The contents, after the dispatches, of the buffer of this label: a row of elements."""
        return self._arrays[self._labels.index(label)][:count]

    def _kernel(self, dispatch: Mapping[str, Any]) -> _shader_text.Kernel:
        constants = tuple(sorted(dispatch["constants"].items()))
        return _text(f"{self._operation}/{self._operation}.metal", dispatch["kernel"], self._dtype, constants)

    def _base(self, dispatch: Mapping[str, Any]) -> str:
        """The name of the kernel without its variant."""
        return re.sub(f"_{METAL_TYPES[self._dtype]}$|(?<=svd_sweeps)_.*", "", dispatch["kernel"])

    def _written(self, dispatch: Mapping[str, Any]) -> List[Tuple[int, Parameter]]:
        """The places of the buffers that the dispatch writes."""
        bound = dispatch["buffers"]
        return [(bound[i][0], one) for i, one in self._kernel(dispatch).buffers() if one.is_written and i in bound]

    def _places_added(self, dispatch: Mapping[str, Any]) -> List[int]:
        return [place for place, _ in self._written(dispatch)] if self._base(dispatch) in ADDED else []

    def _expect_supported(self, written: Set[int]) -> None:
        """`written`: the places of buffers that have contents before the dispatches."""
        for dispatch in self._dispatches:
            base = self._base(dispatch)
            carried = (*COPIED.get(base, ((), ""))[0], *WRITTEN_ANEW.get(base, ()))
            for place, parameter in self._written(dispatch):
                if place in written and base not in ADDED and parameter.name not in carried:
                    raise Unsupported(f"{base} writes {parameter.name} once more")
                written.add(place)

    def _call(self, dispatch: Mapping[str, Any]) -> None:
        base, written = self._base(dispatch), self._written(dispatch)
        copied, copy = COPIED.get(base, ((), ""))
        lines, inputs = self._inputs(dispatch, copied)
        lines += [f"{one.type} {one.name} = ({one.type})out_{one.name};" for _, one in written]
        kernel = self._kernel(dispatch)
        names = ["using namespace assay;", f"using namespace assay::{self._operation};"]
        lines = [*names, *kernel.aliases(), *lines, *kernel.places(dispatch["threadgroup_lengths"]), copy, kernel.body]
        outputs = tuple(f"out_{one.name}" for _, one in written)
        make = self._framework.metal_kernel
        compiled = _compiled(make, base, tuple(inputs), outputs, "\n".join(lines), kernel.header)
        is_added = base in ADDED and any(self._added.count(place) > 1 for place, _ in written)
        types = [self._dtype if one.element == "D" else _ARRAY_TYPES.get(one.element, "uint32") for _, one in written]
        results = compiled(
            inputs=list(inputs.values()),
            output_shapes=[(self._count(place, name),) for (place, _), name in zip(written, types)],
            output_dtypes=[self._framework.dtype(name) for name in types],
            grid=tuple(dispatch["threads"]),
            threadgroup=tuple(dispatch["group"]),
            **({"init_value": 0} if is_added else {}),
        )
        for (place, _), result in zip(written, results):
            is_more = is_added and place in self._arrays
            self._arrays[place] = self._arrays[place] + result if is_more else result

    def _count(self, place: int, dtype: str) -> int:
        return max(_LEAST_ELEMENTS, int(self._lengths[place]) // (2 if dtype in ("float16", "bfloat16") else 4))

    def _inputs(self, dispatch: Mapping[str, Any], copied: Sequence[str]) -> Tuple[List[str], Dict[str, Any]]:
        """Declarations of the arguments that the kernel reads, and the arrays that they are in."""
        lines, inputs = [], {}
        for index, one in self._kernel(dispatch).buffers():
            place, array = dispatch["buffers"].get(index, (None, 0))[0], f"in_{one.name}"
            const = f"device const {one.element}"
            if index in dispatch["bytes"]:
                inputs[array] = self._framework.bytes(dispatch["bytes"][index])
                lines.append(f"{const}& {one.name} = *({const}*){array};")
            elif place is None:
                lines.append(f"{one.type} {one.name} = nullptr;")
            elif not one.is_written or one.name in copied:
                inputs[array] = self._arrays[place]
                lines.append(f"{const}* {'before_' if one.is_written else ''}{one.name} = ({const}*){array};")
        return lines, inputs
