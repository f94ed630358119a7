"""Libraries and kernels: compiled shaders, and calls of their functions."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from .. import _numbers
from .._arrays import bfloat16_array, carry
from .._program import run_program
from ._arguments import Argument, BoundArguments, Extents, Unset, extents_of, memory_of, write_back
from ._errors import CompileError
from ._numerics import KernelNumerics, numerics_of
from ._run import run, write_source


class Kernel:
    """A kernel of a library, called with one value for each of its buffers, in the order of their indices, then for its
    textures, then for its samplers."""

    def __init__(self, library: "Library", name: str, arguments: List[Argument]) -> None:
        self.library, self.name, self.arguments = library, name, arguments
        kinds = ("buffer", "texture", "sampler")
        taken = [argument for argument in arguments if argument.kind in kinds]
        self.values = sorted(taken, key=lambda argument: (kinds.index(argument.kind), argument.index))
        self.buffers = [argument for argument in self.values if argument.kind == "buffer"]
        self._arrays = [argument for argument in self.values if argument.kind != "sampler"]

    def __call__(
        self,
        *values: Any,
        grid: Extents,
        group: Optional[Extents] = None,
        constants: Optional[Mapping[Union[int, str], Any]] = None,
        threadgroup_memory: Union[int, Mapping[int, int], Tuple[()]] = (),
        step_limit: Optional[int] = None,
    ) -> Any:
        """Runs the kernel on `grid` threads in groups of `group`, at most 256 of them if it is left out.

        A value is an array of NumPy or of any framework, a number, a tuple of numbers, or unset(...). A texture's array
        has the shape (height, width) or (height, width, channels), with depth or layers in front; a sampler is words,
        "linear,repeat". Arrays that the kernel may write are changed in place; what was unset is returned: nothing, one array, or a tuple of them.
        `constants` has the values of function constants, by index or name, and `threadgroup_memory` the bytes of
        [[threadgroup(n)]], by n, or those of [[threadgroup(0)]] alone. None stands for an argument that is not there, as
        its function constant says. After `step_limit` steps a threadgroup counts as
        endless on the emulator: 4e9 if it is left out, which take a minute or more.

        Raises ValueError for arguments that do not fit, CheckError for what the emulator's checks find, MetalError for a
        kernel that did not run to its end.
        """
        bound = self._bound(values)
        wanted = self._wanted(bound)
        script = self._script(bound, grid, group, constants, threadgroup_memory, step_limit)
        arrays = run(script, bound.inputs, list(wanted), self.library.device, self.library.allows_equal_writes)
        return self._results(bound, wanted, arrays)

    def explain(
        self,
        *values: Any,
        grid: Extents,
        group: Optional[Extents] = None,
        constants: Optional[Mapping[Union[int, str], Any]] = None,
        threadgroup_memory: Union[int, Mapping[int, int], Tuple[()]] = (),
        step_limit: Optional[int] = None,
    ) -> KernelNumerics:
        """Runs the kernel on the emulator as a call does, changes no array, and says which lines lose the digits of its
        outputs and which make NaN and infinities: docs/numerics.md.

        Raises what a call raises; of the checks, numcheck is an answer and no error.
        """
        bound = self._bound(values)
        return numerics_of(self._script(bound, grid, group, constants, threadgroup_memory, step_limit), bound.inputs)

    def _bound(self, values: Sequence[Any]) -> BoundArguments:
        if len(values) != len(self.values):
            takes = ", ".join(f"{argument.type} {argument.name}" for argument in self.values)
            raise ValueError(f"{self.name}: {len(values)} arguments: expected {len(self.values)}: {takes}")
        bound = BoundArguments()
        for argument, value in zip(self.values, values):
            bound.add(argument, value)
        return bound

    def _script(
        self,
        bound: BoundArguments,
        grid: Extents,
        group: Optional[Extents],
        constants: Optional[Mapping[Union[int, str], Any]],
        threadgroup_memory: Union[int, Mapping[int, int], Tuple[()]],
        step_limit: Optional[int],
    ) -> Dict[str, Any]:
        memory = dict(threadgroup_memory) if isinstance(threadgroup_memory, (Mapping, tuple)) else {0: threadgroup_memory}
        memory = {index: _numbers.whole("threadgroup_memory", size, 1, 2**32 - 1) for index, size in memory.items()}
        dispatch = {
            "function": self.name,
            "grid": list(extents_of("grid", grid)),
            **({} if group is None else {"group": list(extents_of("group", group))}),
            "buffers": bound.buffers,
            "textures": bound.textures,
            "samplers": bound.samplers,
            "threadgroup_memory": [{"index": index, "bytes": size} for index, size in memory.items()],
            "constants": self.library._constants(constants or {}),
        }
        limit = {} if step_limit is None else {"step_limit": step_limit}
        return {**self.library._source(), **limit, "arrays": bound.words, "passes": [dispatch]}

    def _wanted(self, bound: BoundArguments) -> Dict[str, Argument]:
        """The arrays to read afterwards: what was unset, and what the kernel may write."""
        wanted: Dict[str, Argument] = {}
        for argument, name in zip(self._arrays, bound.names):
            if not name:
                continue
            if isinstance(bound.given[name], Unset):
                wanted.setdefault(name, argument)
            elif argument.is_written and name in bound.inputs:
                self._expect_writable(argument, bound.given[name])
                wanted.setdefault(name, argument)
        self._refuse_overlap(bound, wanted)
        return wanted

    @staticmethod
    def _expect_writable(argument: Argument, value: Any) -> None:
        if not memory_of(value).flags.writeable:
            raise ValueError(
                f"{argument.name}: the kernel may write {argument.type}: expected an array that can be written"
            )

    def _refuse_overlap(self, bound: BoundArguments, wanted: Mapping[str, Argument]) -> None:
        """Each array is memory of its own on the device, so that a view of what is written would not see it."""
        arrays = {name: carry(bound.given[name]).array for name in bound.inputs}
        for name in set(wanted) & set(arrays):
            for other, array in arrays.items():
                if other != name and np.may_share_memory(arrays[name], array):
                    raise ValueError(
                        f"{wanted[name].name}: the kernel writes it, and buffer({other}) shares its memory: expected the "
                        "same array, or a copy"
                    )

    @staticmethod
    def _results(bound: BoundArguments, wanted: Mapping[str, Argument], arrays: Mapping[str, np.ndarray]) -> Any:
        returned = []
        for name, argument in wanted.items():
            value = bound.given[name]
            if isinstance(value, Unset):
                array = arrays[name].reshape(value.shape)
                returned.append(bfloat16_array(array) if value.dtype == "bfloat16" else array)
            else:
                write_back(argument, value, arrays[name])
        return None if not returned else returned[0] if len(returned) == 1 else tuple(returned)

    def __repr__(self) -> str:
        return f"<kernel {self.name}({', '.join(argument.type for argument in self.values)})>"


class Library:
    """A compiled shader. Its kernels are attributes, library.square, and items, library["square_float"]."""

    allows_equal_writes = False  # whether races in which both threads write the same value only warn

    def __init__(self, source: Union[str, Path], macros: Mapping[str, Any], metal_version: int, device: str,
                 include_folders: Sequence[str] = (), linked_files: Sequence[str] = (), kernel: str = "") -> None:  # fmt: skip
        """`source`: a text, or the absolute path of a file."""
        self.device = device
        self._folders, self._linked = list(include_folders), list(linked_files)
        self._shader, self._macros, self._only = source, dict(macros), kernel
        self._metal_version = _numbers.whole("metal_version", metal_version, 100, 999)
        listing = self._list()
        self._kernels = {kernel["name"]: self._kernel(kernel) for kernel in listing["kernels"]}
        self.function_constants: Dict[str, int] = {one["name"]: one["index"] for one in listing["function_constants"]}

    @property
    def function_names(self) -> List[str]:
        return list(self._kernels)

    def __getitem__(self, name: str) -> Kernel:
        return self._kernels[name]

    def __getattr__(self, name: str) -> Kernel:
        kernels: Dict[str, Kernel] = self.__dict__.get("_kernels", {})
        if name in kernels:
            return kernels[name]
        raise AttributeError(f"the library has no kernel {name!r}: it has {', '.join(kernels)}")

    def __dir__(self) -> List[str]:
        return [*super().__dir__(), *self._kernels]

    def _kernel(self, said: Mapping[str, Any]) -> Kernel:
        return Kernel(self, said["name"], [Argument(**argument) for argument in said["arguments"]])

    def _list(self) -> Any:
        with tempfile.TemporaryDirectory(prefix="assay-") as folder:
            listing = Path(folder) / "listing.json"
            shader = str(self._shader) if isinstance(self._shader, Path) else write_source(Path(folder), self._shader)
            macros = [word for name, value in self._macros.items() for word in ("-D", f"{name}={value}")]
            version = ["--metal-version", str(self._metal_version)]
            folders = [word for one in self._folders for word in ("-I", one)]
            linked = [word for one in self._linked for word in ("--link", one)]
            only = ["--kernel", self._only] if self._only else []
            ended = run_program(
                "metal", "check", shader, *macros, *version, *folders, *linked, *only, "--json", listing.name, folder=folder
            )
            if not listing.is_file():
                raise CompileError((ended.stderr or ended.stdout).strip().replace(shader, Path(shader).name))
            return json.loads(listing.read_text())

    def _source(self) -> Dict[str, Any]:
        macros = {name: str(value) for name, value in self._macros.items()}
        shader = {"source": str(self._shader)} if isinstance(self._shader, Path) else {"text": self._shader}
        folders = {"include_folders": self._folders} if self._folders else {}
        linked = {"linked_files": self._linked} if self._linked else {}
        return {**shader, **folders, **linked, "metal_version": self._metal_version, "macros": macros}

    def _constants(self, given: Mapping[Union[int, str], Any]) -> List[Dict[str, Any]]:
        constants = []
        for key, value in given.items():
            if isinstance(key, str) and key not in self.function_constants:
                known = ", ".join(self.function_constants) or "none"
                raise ValueError(f"function constant {key!r}: the shader has {known}")
            index = self.function_constants[key] if isinstance(key, str) else key
            constants.append({"index": index, "value": value.item() if isinstance(value, np.generic) else value})
        return constants


def compile(
    source: Union[str, "os.PathLike[str]"],
    *,
    macros: Optional[Mapping[str, Any]] = None,
    metal_version: int = 320,
    include_folders: Sequence[Union[str, "os.PathLike[str]"]] = (),
    linked_files: Sequence[Union[str, "os.PathLike[str]"]] = (),
    kernel: str = "",
    device: str = "emulated",
) -> Library:
    """Compiles a .metal text, or the file of a pathlib.Path.

    #include searches `include_folders` too, beside the file's own folder and those that hold it. `linked_files` are
    further .metal files of the library, which define what the source declares. `kernel` is the only one to compile.
    `device` is where kernels run: "emulated", with every access checked, "nvidia" or "apple". Raises CompileError, with
    the compiler's messages.

    >>> library = compile('''#include <metal_stdlib>
    ... kernel void twice(device float* x, uint i [[thread_position_in_grid]]) { x[i] *= 2; }''')
    >>> x = np.array([1, 2, 3], np.float32)
    >>> library.twice(x, grid=3)
    >>> x
    array([2., 4., 6.], dtype=float32)
    """
    if not isinstance(source, (str, os.PathLike)):
        raise TypeError(f"source is {type(source).__name__}: expected the text of a shader, or its pathlib.Path")
    if isinstance(source, str) and source.endswith(".metal") and "\n" not in source:
        raise ValueError(f"source = {source!r}: expected the text of a shader; the file of this name is pathlib.Path({source!r})")
    shader = source if isinstance(source, str) else Path(os.fspath(source)).resolve()
    folders = _paths("include_folders", include_folders, "folder", os.path.isdir)
    linked = _paths("linked_files", linked_files, "file", os.path.isfile)
    return Library(shader, macros or {}, metal_version, device, folders, linked, kernel)


def _paths(name: str, given: Any, kind: str, is_one: Callable[[str], bool]) -> List[str]:
    if isinstance(given, (str, os.PathLike)):
        raise TypeError(f"{name} = {given!r}: expected a list of {kind}s")
    paths = [os.path.abspath(path) for path in given]
    for path in paths:
        if not is_one(path):
            raise ValueError(f"{name}: {path}: expected a {kind}")
    return paths
