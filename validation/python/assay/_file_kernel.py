"""A kernel by file and name, "mine.py:softmax": the file is run where the kernel is called, in a process of its own."""

from __future__ import annotations

import os
import re
import sys
from functools import lru_cache
from typing import Any

from ._module_of_file import run_file


@lru_cache(8)
def _loaded(path: str, name: str, pid: int) -> Any:
    folder = os.path.dirname(os.path.realpath(path))
    if folder not in sys.path:  # as `python mine.py` has it: a kernel may import what is beside it
        sys.path.insert(0, folder)
    found = getattr(run_file(path), name, None)
    if found is None:
        raise ValueError(f"{path} has no {name}: expected the kernel under this name")
    return found


class FileKernel:
    def __init__(self, path: str, name: str) -> None:
        self.file, self.__name__ = path, name
        self.path = f"{path}:{name}"  # as in a call that judges it again

    def loaded(self) -> Any:
        return _loaded(self.file, self.__name__, os.getpid())

    def __call__(self, *arrays: Any, **named: Any) -> Any:
        return self.loaded()(*arrays, **named)


def is_path(kernel: Any) -> bool:
    """Whether it is the path of a plug-in. What can be called is a kernel itself, such as a mock, which has any attribute."""
    return isinstance(kernel, (str, os.PathLike)) and not callable(kernel)


def attribute_of(kernel: Any, name: str, otherwise: Any = None) -> Any:
    """An attribute; `otherwise` where there is none, or where to ask for it raises."""
    try:
        return getattr(kernel, name, otherwise)
    except Exception:
        return otherwise


def name_of(kernel: Any) -> str:
    """The name of a function, or of another kernel's class."""
    name = attribute_of(kernel, "__name__")
    return name if isinstance(name, str) and name else type(kernel).__name__


def kernel_in(fn: Any) -> Any:
    """The kernel that a text names; else `fn` itself, a function or the path of a plug-in. Raises FileNotFoundError."""
    found = re.fullmatch(r"(.+\.py):([A-Za-z_]\w*)", fn) if isinstance(fn, str) else None
    if found is None:
        return fn
    if not os.path.isfile(found[1]):
        raise FileNotFoundError(f"no file {found[1]!r}: expected the file of a kernel, as in 'mine.py:softmax'")
    return FileKernel(found[1], found[2])


def loaded(kernel: Any) -> Any:
    return kernel.loaded() if isinstance(kernel, FileKernel) else kernel
