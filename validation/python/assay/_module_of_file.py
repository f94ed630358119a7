"""The module that a file is, run anew each time."""

from __future__ import annotations

import itertools
import linecache
import sys
import types
from typing import Any

_count = itertools.count()


def run_file(path: str, code: Any = None) -> types.ModuleType:
    """The module that a file is."""
    module = types.ModuleType(f"assay_kernel_{next(_count)}")
    module.__file__ = path
    sys.modules[module.__name__] = module  # as dataclasses and Triton look it up
    if code is None:
        with open(path, encoding="utf-8") as file:
            code = compile(file.read(), path, "exec")
    linecache.checkcache(path)
    exec(code, module.__dict__)
    return module
