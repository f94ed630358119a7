"""What tells one kernel from another of the same name: a finished shard must not answer for a kernel that it never saw."""

from __future__ import annotations

import os
import pickle
import sys
from hashlib import sha256
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, Dict, Iterator, List

from ._core import fingerprint_of
from ._file_kernel import FileKernel, attribute_of, is_path

_PLAIN = (type(None), bool, int, float, complex, str, bytes)


class _Parts:
    """The digests of all that a value consists of, each object once, in the order in which they are met."""

    def __init__(self) -> None:
        self._met: Dict[int, Any] = {}  # the objects are kept, so that no other one gets the number of one that has gone
        self.found: List[bytes] = []

    def add(self, value: Any) -> None:
        if isinstance(value, _PLAIN):
            return self._note(f"{type(value).__name__} {value!r}")
        if id(value) in self._met:
            return self._note("met before")
        self._met[id(value)] = value
        if isinstance(value, FileKernel):
            self._note(f"{fingerprint_of(value.file)} {value.__name__}")
        elif isinstance(value, os.PathLike):
            self._note(f"{os.fspath(value)} {fingerprint_of(os.fspath(value))}")
        elif isinstance(value, CodeType):
            self._add_code(value)
        elif isinstance(value, FunctionType):
            self._add_function(value)
        elif isinstance(value, ModuleType):
            self._add_file(value.__name__)
        elif isinstance(value, type):
            self._add_class(value)
        elif isinstance(value, (list, tuple, dict, set, frozenset)):
            self._add_many(value)
        else:
            self._add_object(value)

    def _note(self, text: str) -> None:
        self.found.append(sha256(text.encode(errors="surrogateescape")).digest())

    def _add_many(self, value: Any) -> None:
        self._note(f"{type(value).__name__} of {len(value)}")
        items = value.items() if isinstance(value, dict) else value
        for one in sorted(items, key=repr) if isinstance(value, (set, frozenset)) else items:
            self.add(one)

    def _add_file(self, module: str) -> None:
        file = attribute_of(sys.modules.get(module), "__file__")
        self._note(f"{module} {fingerprint_of(file) if isinstance(file, str) else ''}")

    def _add_code(self, code: CodeType) -> None:
        self.add((code.co_name, code.co_code, code.co_names, code.co_varnames, code.co_consts))

    def _add_function(self, function: FunctionType) -> None:
        self._add_file(function.__module__)
        cells = [attribute_of(cell, "cell_contents") for cell in function.__closure__ or ()]
        self.add([function.__qualname__, function.__code__, function.__defaults__, function.__kwdefaults__, cells])
        if _is_installed(function.__module__):
            return
        for name in dict.fromkeys(_names_in(function.__code__)):
            if name in function.__globals__:
                self.add([name, function.__globals__[name]])

    def _add_class(self, kind: type) -> None:
        self._add_file(kind.__module__)
        self._note(kind.__qualname__)
        if not _is_installed(kind.__module__):
            self.add([kind.__bases__, [(name, one) for name, one in vars(kind).items() if not _is_made(name)]])

    def _add_object(self, value: Any) -> None:
        """By what it holds, which a bound method, functools.partial and the like have too; else by its bytes."""
        self.add(type(value))
        if callable(attribute_of(value, "detach")):  # a tensor, whose pickle has an address
            return self.add(value.detach().cpu().numpy())
        held = [attribute_of(value, name) for name in ("__func__", "__self__", "func", "args", "keywords", "fget", "__wrapped__")]
        state = attribute_of(value, "__dict__")
        if any(one is not None for one in held) or isinstance(state, dict) and state:
            self.add([held, state if isinstance(state, dict) else None])
        else:
            self._note(sha256(pickle.dumps(value)).hexdigest())


def _is_made(name: str) -> bool:
    """Whether Python makes a class's attribute of this name, whose value is of this process."""
    return name in ("__dict__", "__weakref__", "__module__", "__doc__", "__annotations__", "__firstlineno__", "__static_attributes__")


def _is_installed(module: str) -> bool:
    """Whether a module is Python's, Assay's or a package's, whose file stands for all that is in it."""
    file = attribute_of(sys.modules.get(module), "__file__") or ""
    is_python = module in sys.builtin_module_names or file.startswith(os.path.dirname(os.__file__))
    return is_python or module.split(".")[0] == "assay" or "site-packages" in file or "dist-packages" in file


def _names_in(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for one in code.co_consts:
        if isinstance(one, CodeType):
            yield from _names_in(one)


def fingerprint(kernel: Any, *others: Any) -> str:
    """A digest of a kernel, and of what else the verdict depends on: of functions, of the bytes of their files, their bytecode
    and what they use by name. Raises TypeError where the kernel has something that nothing can be told of."""
    parts = _Parts()
    try:
        for one in (Path(kernel) if is_path(kernel) else kernel, *others):
            parts.add(one)
    except (pickle.PicklingError, AttributeError, TypeError, RuntimeError) as error:
        raise TypeError(f"resume: {kernel!r} cannot be told from another kernel of its name ({error}): expected no resume") from error
    return sha256(b"".join(parts.found)).hexdigest()
