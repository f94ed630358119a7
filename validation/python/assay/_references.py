"""The door of references: a formula of `xp`, or a function of PyTorch or JAX as it is, becomes an operation."""

from __future__ import annotations

import inspect
import sys
from types import CodeType
from typing import Any, Callable, Dict, Iterator, Optional, Set, Tuple

from . import _numbers
from ._misuse import described, require_extents
from ._operation import Operation

FRAMEWORKS = ("torch", "jax")
_OF_OPERATION = ("properties", "minus_infinity", "nan", "limits", "framework")
_OF_RUN = ("device", "reach", "filter", "seed", "resume", "certificate")  # which may be texts
_NO_TEXTS = ("largest", "contiguous", "sizes", "seconds")  # which only inputs of these names are declared by texts


def operation(_formula: None = None, /, *, properties: str = "", minus_infinity: str = "", nan: str = "",
              limits: Optional[Dict[str, int]] = None, framework: str = "",
              **inputs: str) -> Callable[[Callable[..., Any]], Operation]:
    """Makes an operation of a formula ``f(xp, x, ...)`` that is written in the array API's names.

    inputs          each array's extents, by name or number, and its kind: "B, T", "B, T of flag", "B, U of index V",
                    "N of unit" (in [0, 1]), "N of positive", "N of decay" (in (0, 1]), "N of nonzero"
    properties      what holds along an extent: "rows=N permutation=D shift=D scaling=D causal=T monotone=D sums_to_one=D"
    minus_infinity  names of inputs whose elements may be -inf
    nan             names of inputs whose elements may be NaN
    limits          the largest of an extent; 4097 unless said
    framework       "torch" or "jax", of a function without `xp`; it is found unless said

    A function without `xp`, or a torch.nn.Module, is one of PyTorch or JAX: it is traced as it is, and its kernels are called as
    it is, with tensors or JAX's arrays (docs/your-pytorch-kernel.md).

    Returns a decorator, which makes an Operation: assay.gate and assay.gradcheck judge kernels of it, `.truth(x)` computes its
    results to any number of digits and the bounds on a kernel's errors, and calling it computes the formula with NumPy.

    Raises ValueError or TypeError for a declaration, with the argument, its value and what was expected; NotTraceable for a
    formula that cannot be traced, with its line.

    >>> import assay, numpy as np
    >>> @operation(x="N, D", properties="rows=N")
    ... def norm(xp, x):
    ...     return xp.sqrt(xp.sum(x * x, axis=-1))
    >>> norm.truth(np.array([[1.0, 1.0]]), digits=20)["outputs"][0][0][:12]
    '1.4142135623'
    >>> assay.gate(norm, lambda p: np.sqrt((p.x * p.x).sum(-1)), cases=5, reach="none", limits={"D": 8}, filter="rows").passed
    True
    """
    if _formula is not None:
        raise TypeError(f"operation is given {described(_formula)}: expected the inputs by name, @assay.operation(x=\"N, D\"), "
                        "and then the formula")  # fmt: skip
    if framework not in ("", *FRAMEWORKS):
        raise ValueError(f"framework = {framework!r}: expected 'torch' or 'jax'{_numbers.nearest(framework, FRAMEWORKS)}")

    def made(formula: Callable[..., Any]) -> Operation:
        if not framework and not _has_framework(formula, inputs):
            return Operation(formula, inputs, properties, minus_infinity, limits, nan)
        if (framework or _framework_of(formula)) == "jax":
            from .jaxpr import JaxOperation as FrameworkOperation
        else:
            from .pytorch import TorchOperation as FrameworkOperation  # type: ignore[assignment]
        return FrameworkOperation(formula, inputs, properties, minus_infinity, limits, nan, bool(framework))

    return made


def _is_module(formula: Any) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(formula, torch.nn.Module)


def _is_jitted(formula: Any) -> bool:
    """Whether it is made by jax.jit, or by a function of JAX such as jax.vmap."""
    names = (type(formula).__module__, getattr(getattr(formula, "__code__", None), "co_filename", ""))
    return names[0].startswith(("jaxlib", "jax.")) or "/jax/_src/" in names[1].replace("\\", "/")


def _has_framework(formula: Any, inputs: Dict[str, str]) -> bool:
    """Whether it is a module, or a function whose first argument is an input, not `xp`."""
    if _is_module(formula) or _is_jitted(formula):
        return True
    try:
        first, *others = list(inspect.signature(formula).parameters) if callable(formula) else [""]
        is_misspelt = "torch" in sys.modules and first not in ("", "xp") and others != list(inputs) and bool(inputs)
        return first in inputs or is_misspelt
    except ValueError:  # a function in C, such as torch.relu, which does not say what it takes
        return "torch" in sys.modules


def _used_by(code: CodeType) -> Iterator[str]:
    """The global names in a function and in those that are written in it."""
    yield from code.co_names
    for one in code.co_consts:
        if isinstance(one, CodeType):
            yield from _used_by(one)


def _framework_of(formula: Any) -> str:
    """JAX's are functions that it has made, such as by jax.jit, and those that use a module or function of jax; all others are
    PyTorch's."""
    if _is_module(formula) or not _is_jitted(formula) and not inspect.isfunction(formula):
        return "torch"
    if _is_jitted(formula):
        return "jax"
    code, found = formula.__code__, formula.__globals__
    values = [*(found.get(name) for name in _used_by(code)), *inspect.getclosurevars(formula).nonlocals.values()]
    modules = {getattr(one, "__name__" if inspect.ismodule(one) else "__module__", None) or "" for one in values}
    families = {one.split(".")[0] for one in modules}
    if {"jax", "torch"} <= families:
        raise ValueError(f"{formula.__name__} uses both PyTorch and JAX: expected framework='torch' or framework='jax'")
    has_jax_alone = "jax" in sys.modules and "torch" not in sys.modules
    return "jax" if families & {"jax", "jaxlib"} or has_jax_alone and "torch" not in families else "torch"


def _arguments_of(reference: Any) -> Set[str]:
    try:
        return set(inspect.signature(reference.forward if _is_module(reference) else reference).parameters)
    except (TypeError, ValueError):  # in C
        return set()


def with_operation(reference: Any, options: Dict[str, Any]) -> Tuple[Any, Dict[str, Any]]:
    """An operation of a function or module of PyTorch or JAX and of the inputs that are declared among the options, with the
    other options; what is no such function is left as it is."""
    if isinstance(reference, (str, Operation)) or not callable(reference):
        return reference, options
    known = {*inspect.signature(Operation.subject).parameters, *_OF_OPERATION, *_OF_RUN}
    known |= set(_NO_TEXTS) - _arguments_of(reference)
    inputs = {name: one for name, one in options.items() if isinstance(one, str) and name not in known}
    require_extents(reference, options, known)
    if not options.get("framework") and not _has_framework(reference, inputs):
        return reference, options
    of_operation: Dict[str, Any] = {name: options[name] for name in _OF_OPERATION if name in options}
    rest = {name: one for name, one in options.items() if name not in inputs and name not in of_operation}
    of_operation.update(inputs)
    return operation(**of_operation)(reference), rest
