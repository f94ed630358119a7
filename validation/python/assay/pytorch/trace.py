"""A function or module of PyTorch traced at fixed shapes."""

from __future__ import annotations

import inspect
from contextlib import contextmanager
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

import torch
from torch.overrides import TorchFunctionMode

from .._formula import Namespace, finished
from .._traced import NotTraceable
from .conversions import memory_of, tensors_in, traced_of
from .dispatch import call_row, dispatched
from .einops_backend import know_traced_tensors
from .table import RANDOM
from .tensor import TracedTensor

DTYPES = {"flag": torch.bool, "index": torch.int64}


class TorchNamespace(Namespace):
    """`xp`, whose values are in the local variables of a function as traced tensors; numbers are of `real_dtype`."""

    def __init__(self, source: str, real_dtype: torch.dtype) -> None:
        super().__init__(source)
        self.real_dtype = real_dtype
        self.rounds = False  # whether the function converts numbers to another float type
        self.casts = False  # and to one of 8 bits
        self.loses_signs = False  # and there to powers of two, the gradient too
        self.detaches = False  # whether it stops the gradient
        self.has_own_gradient = False  # whether autograd is off at some call, as in a torch.autograd.Function

        self.written: Dict[int, Tuple[torch.Tensor, TracedTensor]] = {}  # by id, with the tensor so that the id stays its own

    def _read(self, value: Any) -> Any:
        return value._read if isinstance(value, TracedTensor) else value

    def current(self, value: Any) -> Any:
        """The value with traced tensors in the place of ordinary ones that were written to."""
        if isinstance(value, torch.Tensor) and id(value) in self.written:
            return self.written[id(value)][1]
        if isinstance(value, (tuple, list)) and type(value) in (tuple, list):
            return type(value)(self.current(one) for one in value)
        return value


class _Followed(TorchFunctionMode):
    """Sees calls on ordinary tensors too: a write of a traced value into one, after which it is traced as well, and random
    numbers."""

    def __init__(self, xp: TorchNamespace) -> None:
        super().__init__()
        self._xp = xp

    def __torch_function__(self, function: Any, types: Any, args: Tuple[Any, ...] = (), kwargs: Any = None) -> Any:
        options = {key: self._xp.current(one) for key, one in (kwargs or {}).items()}
        args = tuple(self._xp.current(one) for one in args)
        name = getattr(function, "__name__", "")
        if not any(isinstance(one, TracedTensor) for one in tensors_in([*args, options])):
            if name in RANDOM or (name == "dropout" and options.get("training", True)):
                raise NotTraceable(f"{name} draws random numbers: expected a function of its inputs alone")
            return function(*args, **options)
        with self:
            if self._writes(name) and type(args[0]) is not TracedTensor:
                tensor = args[0]
                is_part = memory_of(tensor)[1] > tensor.numel() * tensor.element_size()
                if is_part and name.endswith("_") and name[:2] != "__":  # after x[:, 0] += y Python assigns to x[:, 0] itself
                    raise NotTraceable(f"{name} writes into a part of a constant, through a view: expected x[:, 0] += y")
                self._xp.written[id(tensor)] = (tensor, traced_of(self._xp, tensor))
                call_row(name, (self._xp.written[id(tensor)][1], *args[1:]), options)
                return tensor
            return dispatched(function, args, options)

    @staticmethod
    def _writes(name: str) -> bool:
        return (
            name == "__setitem__"
            or (name.endswith("_") and not name.endswith("__"))
            or (name.startswith("__i") and name != "__invert__")
        )


@contextmanager
def with_values(module: Any, values: Dict[str, Any], buffers: Optional[Callable[[Any], Any]] = None) -> Iterator[None]:
    """The module with other values of its parameters, by name, and with buffers(b) in the place of each buffer; whatever a call
    assigns to attributes is undone."""
    if module is None:
        yield
        return
    kept = [(one, dict(one.__dict__), dict(one._parameters), dict(one._buffers)) for one in module.modules()]
    by_id = {id(one): values[name] for name, one in module.named_parameters() if name in values}
    try:
        for one, *_ in kept:
            for key, value in list(one._parameters.items()):
                if id(value) in by_id:
                    one._parameters[key] = by_id[id(value)]
            if "_flat_weights" in one.__dict__:  # of recurrent networks, which keep them in a list too
                one.__dict__["_flat_weights"] = [by_id.get(id(weight), weight) for weight in one.__dict__["_flat_weights"]]
            for key, value in list(one._buffers.items()):
                one._buffers[key] = value if value is None or buffers is None else buffers(value)
        yield
    finally:
        for one, attributes, parameters, held in kept:
            one.__dict__.clear()
            one.__dict__.update(attributes)
            for store, before in ((one._parameters, parameters), (one._buffers, held)):
                store.clear()
                store.update(before)


def source_of(reference: Any) -> Optional[Any]:
    """The function whose lines a message names; None of a function in C."""
    function = type(reference).forward if isinstance(reference, torch.nn.Module) else inspect.unwrap(reference)
    return function if inspect.isfunction(function) else None


def _line_of(error: BaseException, file: str) -> str:
    """ " (line 12)" of the reference, where it is known."""
    line, at = 0, error.__traceback__
    while at is not None:
        line = at.tb_lineno if at.tb_frame.f_code.co_filename == file else line
        at = at.tb_next
    return f" (line {line} of the reference)" if line else ""


def _outputs(result: Any) -> List[Any]:
    """The tensors of a result, those in tuples, lists and dicts too."""
    if isinstance(result, dict):
        return [one for value in result.values() for one in _outputs(value)]
    if isinstance(result, (tuple, list)):
        return [one for value in result for one in _outputs(value)]
    return [] if result is None else [result]


def trace_of(
    call: Callable[[Dict[str, Any]], Any],
    function: Optional[Any],
    inputs: Sequence[Tuple[str, str]],
    shapes: Sequence[Tuple[int, ...]],
    wrt: Sequence[str],
    dtype: torch.dtype,
    others: Mapping[str, torch.dtype] = {},
) -> Tuple[Any, TorchNamespace]:
    """The graph of call(tensors by name) at these shapes, and the namespace, which saw what the function does.

    `inputs` are names and kinds; `function` has the lines; numbers have the type `dtype`, whose epsilon a reference may take,
    but for the inputs in `others`.
    Raises NotTraceable for what a trace cannot record."""
    file = function.__code__.co_filename if function is not None else ""
    xp = TorchNamespace(file, dtype)
    arrays = {name: xp._input(name, tuple(shape), kind) for (name, kind), shape in zip(inputs, shapes)}
    tensors = {name: TracedTensor.of(arrays[name], others.get(name, DTYPES.get(kind, dtype))) for name, kind in inputs}
    followed = _Followed(xp)
    know_traced_tensors()
    try:
        with torch.no_grad(), followed:
            result = call(tensors)
    except NotTraceable as error:
        raise NotTraceable(f"{error}{_line_of(error, file)}") from error
    except (RuntimeError, TypeError, ValueError, IndexError, ArithmeticError, AssertionError, AttributeError, KeyError) as error:
        given = ", ".join(f"{name} {list(shape)}" for (name, _), shape in zip(inputs, shapes))
        raise NotTraceable(f"with {given}: {type(error).__name__}: {error}{_line_of(error, file)}") from error
    outputs = [xp.current(one) for one in _outputs(result)]
    if not outputs:
        raise NotTraceable("the reference returned nothing: expected a tensor, or a tuple of tensors")
    for one in outputs:
        if not isinstance(one, (TracedTensor, torch.Tensor, int, float)):
            raise NotTraceable(f"the reference returned {type(one).__name__}: expected a tensor, or a tuple of tensors")
    return finished(xp, [traced_of(xp, one).value for one in outputs], [arrays[name]._node for name in wrt]), xp
