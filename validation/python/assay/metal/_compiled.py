"""Libraries that Apple's compiler has compiled: a .metallib, one inside a program for Apple's systems, or in a wheel."""

from __future__ import annotations

import json
import os
import re
import tempfile
from pathlib import Path
from typing import Any, Dict, List, Mapping, Sequence, Union

import numpy as np

from .._program import run_program
from ._arguments import Argument, BoundArguments
from ._errors import CompileError
from ._library import Kernel, Library

_DTYPES = {
    "bool": np.bool_, "char": np.int8, "uchar": np.uint8, "short": np.int16, "ushort": np.uint16, "int": np.int32,
    "uint": np.uint32, "long": np.int64, "ulong": np.uint64, "half": np.float16, "float": np.float32,
}  # fmt: skip


def struct_bytes(argument: str, size: int, fields: Sequence[Mapping[str, Any]], values: Mapping[str, Any]) -> np.ndarray:
    """The memory of a struct whose fields have these values, laid out as the library's metadata says."""
    if set(values) != {field["name"] for field in fields}:
        expected = ", ".join(f"{field['type']} {field['name']}" for field in fields)
        raise ValueError(f"{argument}: fields {', '.join(values)}: expected {expected or 'an array of its bytes'}")
    memory = np.zeros(size, np.uint8)
    for field in fields:
        dtype = _DTYPES.get(re.sub("[234]$", "", field["type"]))
        if dtype is None:
            raise ValueError(f"{argument}.{field['name']}: its type is {field['type']}: expected an array of the struct's bytes")
        given = np.atleast_1d(np.asarray(values[field["name"]], dtype)).view(np.uint8)
        if given.size > field["size"] * max(field["count"], 1):
            raise ValueError(f"{argument}.{field['name']}: {given.size} bytes: expected {field['type']}, {field['size']}")
        memory[field["offset"] : field["offset"] + given.size] = given
    return memory


class CompiledKernel(Kernel):
    """As Kernel. A struct is given by a mapping of its fields, or by an array of its bytes."""

    fields: Dict[str, List[Mapping[str, Any]]]

    def _bound(self, values: Sequence[Any]) -> BoundArguments:
        packed = [
            struct_bytes(argument.name, argument.element_size, self.fields[argument.name], value)
            if isinstance(value, Mapping)
            else value
            for argument, value in zip(self.values, values)
        ]
        return super()._bound([*packed, *values[len(packed) :]])


class _OneKernel(Library):
    """A kernel of a library with its own function constants."""

    def __init__(self, path: Path, name: str, device: str) -> None:
        self._name = name
        super().__init__(path, {}, 320, device)

    def _list(self) -> Any:
        return _listing(Path(str(self._shader)), "--kernel", self._name)

    def _kernel(self, said: Mapping[str, Any]) -> Kernel:
        known = Argument.__dataclass_fields__
        arguments = [Argument(**{key: one[key] for key in known if key in one}) for one in said["arguments"]]
        kernel = CompiledKernel(self, said["name"], arguments)
        kernel.fields = {one["name"]: one["fields"] for one in said["arguments"]}
        return kernel


def _listing(path: Path, *words: str) -> Any:
    with tempfile.TemporaryDirectory(prefix="assay-") as folder:
        listing = Path(folder) / "listing.json"
        ended = run_program("metal", "list", str(path), *words, "--json", listing.name, folder=folder)
        if not listing.is_file():
            raise CompileError(ended.stderr.strip())
        return json.loads(listing.read_text())


class CompiledLibrary:
    """Its kernels are attributes, library.softmax, and items, library["softmax"]; each is read when it is asked for."""

    def __init__(self, path: Path, device: str) -> None:
        self._path, self._device = path, device
        self.function_names: List[str] = [kernel["name"] for kernel in _listing(path)["kernels"]]
        self._known = set(self.function_names)
        self._kernels: Dict[str, Kernel] = {}

    def __getitem__(self, name: str) -> Kernel:
        if name not in self._known:
            raise KeyError(f"{self._path.name} has no kernel {name!r}")
        if name not in self._kernels:
            self._kernels[name] = _OneKernel(self._path, name, self._device)[name]
        return self._kernels[name]

    def __getattr__(self, name: str) -> Kernel:
        if name in self.__dict__.get("_known", ()):
            return self[name]
        raise AttributeError(f"the library has no kernel {name!r}")

    def __len__(self) -> int:
        return len(self.function_names)

    def __repr__(self) -> str:
        return f"<{self._path.name}: {len(self)} kernels>"


def load(path: Union[str, "os.PathLike[str]"], *, device: str = "emulated") -> CompiledLibrary:
    """Reads a library that Apple's compiler has compiled: a .metallib, or all those inside a .dylib, a wheel or another zip
    archive; "x.whl#2" is the second of them. `metal list` says which there are.

    A kernel is called as those of `compile` are, every access checked. Raises CompileError if there is no library in
    the file; so does a kernel that is called, if it needs what the emulator does not have.
    """
    return CompiledLibrary(Path(os.fspath(path)).resolve(), device)
