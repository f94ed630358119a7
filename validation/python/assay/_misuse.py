"""What is said of an operation that is none, and of a keyword that is not known: the nearest right call, where there is one."""

from __future__ import annotations

import inspect
import reprlib
from typing import Any, Dict, Iterable

from . import _numbers
from ._file_kernel import attribute_of

OPERATIONS = ("ctc", "cce", "svd")
_TOLERANCES = ("atol", "rtol", "tol", "tolerance", "threshold", "eps", "epsilon")
_OF_FRAMEWORKS = ("device", "largest", "contiguous")
_EXPECTED = (
    "expected 'ctc', 'cce', 'svd', one's own of assay.operation, or a function of PyTorch or JAX with the sizes of its "
    'inputs, x="N, D"; the kernel is the argument after it'
)


def keyword_hint(name: str, known: Iterable[str]) -> str:
    """What follows the list of the keywords that are known."""
    if name in _TOLERANCES:
        return "; there is no tolerance: the bound follows from the arithmetic that a kernel declares, such as its dtype"
    if name in _OF_FRAMEWORKS and name not in known:
        return f"; {name}= is for references of PyTorch or JAX"
    return _numbers.nearest(name, known)


def described(fn: Any) -> str:
    """A function by its name and arguments; anything else in one line."""
    name = attribute_of(fn, "__name__", "")
    if not callable(fn) or not isinstance(name, str) or not name:
        return reprlib.repr(fn)
    try:
        return f"{name}{inspect.signature(fn)}"
    except (TypeError, ValueError):  # in C, or a type
        return name


def _known_name(name: str) -> str:
    """Where a built-in operation, or one of the gallery, has this name or nearly so."""
    from . import gallery

    if hasattr(vars(gallery).get(name), "property_names"):
        return f"; did you mean assay.gallery.{name}?"
    return _numbers.nearest(name, OPERATIONS)


def _of_function(operation: Any) -> str:
    try:
        names = list(inspect.signature(operation).parameters)
    except (TypeError, ValueError):
        names = []
    extents = ", ".join(f'{name}="N, D"' for name in names if name != "xp")
    if names[:1] == ["xp"]:
        return f"a formula: expected an operation of it, assay.operation({extents})({operation.__name__})"
    return f"a function without its inputs: {_EXPECTED}{_known_name(getattr(operation, '__name__', ''))}"


def refused_operation(operation: Any, kernel: Any = None) -> Exception:
    """The error for an `operation` that is neither built in nor one's own nor a function whose inputs are declared."""
    is_operation = isinstance(kernel, str) and kernel in OPERATIONS or hasattr(kernel, "property_names")
    if is_operation and callable(operation):
        name = kernel if isinstance(kernel, str) else kernel.name
        return TypeError(
            f"operation = {described(operation)}, and the kernel is the operation {name!r}: expected the operation "
            "first, then the kernel"
        )
    if isinstance(operation, str):
        return ValueError(
            f"operation = {operation!r}: expected 'ctc', 'cce', 'svd', or one's own of assay.operation"
            f"{_known_name(operation)}"
        )
    if callable(operation):
        return TypeError(f"operation = {described(operation)}, {_of_function(operation)}")
    return TypeError(f"operation = {reprlib.repr(operation)}: {_EXPECTED}")


def require_extents(reference: Any, options: Dict[str, Any], known: Iterable[str]) -> None:
    """Raises TypeError where an input of the reference is declared by something else than a text."""
    try:
        names = inspect.signature(reference).parameters
    except (TypeError, ValueError):
        return
    for name, value in options.items():
        if name in names and name not in known and not isinstance(value, str):
            raise TypeError(
                f"{name} = {reprlib.repr(value)}: expected the extents of the input {name} as a text, such as " f'{name}="N, D"'
            )
