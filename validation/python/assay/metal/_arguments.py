"""The arguments of a call of a kernel: from Python's values to the arrays of a script, and back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Sequence, Tuple, Union

import numpy as np

from .. import _numbers
from .._arrays import bits_of_bfloat16, carry

Extents = Union[int, Sequence[int]]


@dataclass(frozen=True)
class Unset:
    """An output: memory that nobody has written before the kernel runs. The call returns it as an array."""

    shape: Tuple[int, ...]
    dtype: str  # NumPy's name, or "bfloat16"


def unset(shape: Extents, dtype: Any) -> Unset:
    """Stands for an output in a call of a kernel.

    >>> unset(256, np.float16)
    Unset(shape=(256,), dtype='float16')
    """
    name = dtype if dtype == "bfloat16" else getattr(dtype, "__name__", None) or str(dtype)
    return Unset(extents_of("shape", shape, 0), "bfloat16" if name == "bfloat16" else np.dtype(dtype).name)


@dataclass(frozen=True)
class Argument:
    """One argument of a kernel, as the compiler sees it."""

    name: str
    type: str  # as written: "device const float*"
    kind: str  # "buffer", "texture", "sampler", "threadgroup" or "position"
    index: int  # of [[buffer(index)]], [[texture(index)]], ...
    element_type: str  # Metal's name of a scalar or vector: "float4"
    element_size: int
    is_written: bool
    is_reference: bool  # T& and not T*
    attribute: str  # "thread_position_in_grid", "texture2d"; empty for memory
    is_conditional: bool = False  # there only if its function constant says so


def extents_of(name: str, value: Extents, least: int = 1) -> Tuple[int, ...]:
    """A number or several as a tuple. Raises TypeError, ValueError for what are no whole numbers of at least `least`."""
    several = isinstance(value, (tuple, list))
    return tuple(_numbers.whole(name, extent, least, 2**32 - 1) for extent in (value if several else (value,)))  # type: ignore[union-attr]


class BoundArguments:
    """The arguments of a call as arrays of a script; an array that is given twice is one array."""

    def __init__(self) -> None:
        self.words: Dict[str, str] = {}
        self.inputs: Dict[str, np.ndarray] = {}
        self.given: Dict[str, Any] = {}  # what is to be written back, or returned
        self.buffers: List[Dict[str, Any]] = []
        self.textures: List[Dict[str, Any]] = []
        self.samplers: List[Dict[str, Any]] = []
        self.names: List[str] = []  # the array of each argument that is no sampler; "" if it is absent

    def add(self, argument: Argument, value: Any) -> None:
        if value is None and argument.is_conditional:  # not there, as its function constant says
            self.names += [""] if argument.kind != "sampler" else []
            return
        if argument.kind == "sampler":
            self.samplers.append({"index": argument.index, "sampler": value})
            return
        is_memory = not isinstance(value, (bool, int, float, np.generic, tuple, list))
        if value is None or isinstance(value, str):
            raise TypeError(f"{argument.name} = {value!r}: expected an array or a number for {argument.type}")
        if argument.is_written and not is_memory:
            raise TypeError(f"{argument.name}: the kernel may write {argument.type}: expected an array, or unset(...), and "
                            f"not {type(value).__name__}")
        name = next((name for name, other in self.given.items() if is_memory and other is value), None)
        if name is None:
            name = ("texture" if argument.kind == "texture" else "") + str(argument.index)
            self.given[name] = value
            self._describe(name, argument, value)
        to = self.textures if argument.kind == "texture" else self.buffers
        to.append({"index": argument.index, "array": name})
        self.names.append(name)

    def _describe(self, name: str, argument: Argument, value: Any) -> None:
        if isinstance(value, Unset):
            if argument.is_reference and argument.type.startswith("constant"):
                raise ValueError(f"{argument.name}: expected a value for {argument.type}, which a kernel only reads")
            self.words[name] = f"unset:{'x'.join(map(str, value.shape or (1,)))}:{value.dtype}"
        elif isinstance(value, (bool, np.bool_)):
            self.words[name] = str(int(value))
        elif isinstance(value, (int, float, np.integer, np.floating)):
            self.words[name] = repr(value.item() if isinstance(value, np.generic) else value)
        elif isinstance(value, (tuple, list)):
            self.words[name] = ",".join(repr(number) for number in value)
        else:
            self.inputs[name] = np.ascontiguousarray(carry(value).array)


def memory_of(value: Any) -> np.ndarray:
    """A NumPy array on the memory of `value`; of bfloat16, its bits."""
    if hasattr(value, "detach"):  # PyTorch: NumPy cannot read a tensor that requires a gradient
        value = value.detach()
    return np.asarray(bits_of_bfloat16(value) if str(value.dtype).endswith("bfloat16") else value)


def write_back(argument: Argument, value: Any, result: np.ndarray) -> None:
    """Copies what the kernel has written into the caller's array."""
    memory = memory_of(value)
    result = result.reshape(memory.shape)
    memory[...] = result.view(memory.dtype) if result.dtype.itemsize == memory.dtype.itemsize == 2 else result
