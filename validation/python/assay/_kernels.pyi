"""The kernels for CPUs, which are compiled (validation/python/kernels/*.cpp); _kernel_calls.py checks what they are given."""

from typing import Any

def __getattr__(name: str) -> Any: ...
