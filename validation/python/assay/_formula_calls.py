"""A Python kernel of an operation that is a formula, as the gate calls it; what the kernel returns is checked first."""

from __future__ import annotations

import inspect
from types import SimpleNamespace
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np

from ._arithmetic import DTYPES, Types
from ._arrays import Carried, bfloat16_array, carry_result, from_bfloat16, to_bfloat16
from ._called import KernelEnded, called
from ._file_kernel import name_of
from ._formats import HELD_TYPES, Format, formats, held, held_shape, held_types, numbers_of, require_held
from ._inputs import CODES
from ._layouts import declines_layout, laid_out
from ._misuse import described
from ._own_memory import Memory, SharedMemory
from ._own_process import OwnProcess
from ._pipe import ReturnedWrong, Unsupported, _own_frames, text_of
from ._plugin import Plugin
from ._refusals import missing_refusals

Shape = Tuple[int, ...]


class Due(NamedTuple):
    """A result: what messages call it, whether it is positions, and otherwise its type."""

    name: str
    shape: Shape
    is_position: bool
    dtype: str
    format: Optional[Format] = None  # of codes, of which `dtype` says how they are held
    numbers: Shape = ()  # the shape of the numbers


class Raised(ReturnedWrong):
    """The kernel raised its cause."""


class Problem(SimpleNamespace):
    """The arrays of a case by name, `extents`, `upstream` (that of the first result) and `upstreams`."""

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"the problem has no {name!r}: expected one of {', '.join(vars(self))}")


def _as_dtype(values: np.ndarray, dtype: str) -> np.ndarray:
    if dtype != "bfloat16":
        return values.astype(dtype)
    return bfloat16_array(to_bfloat16(values))


def _held_hint(name: str, word: str, dtype: str) -> str:
    """What to declare for codes of this type, where a word is there for it."""
    if word:
        return f", or declare another type than dtypes={{{name!r}: {word!r}}}"
    return f", or declare how they are held: dtypes={{{name!r}: {dtype!r}}}" if dtype in HELD_TYPES else ""


def require_kernel(fn: Any, inputs: Sequence[str]) -> None:
    """Raises TypeError unless `fn` can be called with a problem."""
    if not callable(fn):
        raise TypeError(f"the kernel is {described(fn)}: expected a function of the problem p, or the path of a plug-in "
                        "(.so, .json)")
    try:
        signature = inspect.signature(fn)
    except Exception:
        return  # a function in C, which does not say what it takes, or an object whose attributes raise
    try:
        signature.bind(None)
    except TypeError:
        name, arrays = name_of(fn), ", ".join(f"p.{one}" for one in inputs)
        raise TypeError(f"the kernel {name}{signature} does not take one argument: expected a function of the "
                        f"problem p; write lambda p: {name}({arrays})") from None


def require_results(types: Types, inputs: Sequence[str], traced: Any) -> None:
    """Raises ValueError where `dtypes` says of a result what does not fit the formula's results."""
    known = [f"output{k}" for k in range(len(traced.shapes))]
    for name, declared in types.others.items():
        if name in inputs:
            continue
        if name not in known:
            raise ValueError(f"dtypes has {name!r}, but the operation has {len(known)} results: expected {', '.join(known)}")
        k = known.index(name)
        code = traced.formats[k]
        if bool(code) == (declared in DTYPES):
            what = f"numbers of {code}: expected how they are held, such as 'uint8'"
            what = what if code else f"no codes: expected {', '.join(DTYPES)}"
            raise ValueError(f"dtypes[{name!r}] = {declared!r}, but output {k} has {what}")
        if code:
            require_held(f"dtypes[{name!r}]", declared, formats()[code], len(traced.shapes[k]))


class KernelCall:
    """A kernel that maps the numbers of a case to those of its results, and the kernel's mistakes to ReturnedWrong."""

    def __init__(self, operation: Any, fn: Callable[[Any], Any], types: Types, gradient: bool) -> None:
        self._operation, self._fn, self._types, self._gradient = operation, fn, types, gradient
        self._memory = Memory()
        # A plug-in has a process of its own already, which ends with it: no cycle of references may keep it.
        self._process = None if isinstance(fn, Plugin) else OwnProcess(self._answer, operation.why_here())
        for name, dims, kind, of, _ in operation.inputs:
            if kind in CODES and types.of_codes(name):
                require_held(f"dtypes[{name!r}]", types.of_codes(name), formats()[of], len(dims))

    def __call__(
        self, extents: Dict[str, int], arrays: Any, upstream: Any, layout: int, threads: int = 0, way: int = 0
    ) -> Tuple[str, Any]:
        if isinstance(self._fn, Plugin):
            self._fn.threads = threads
        p = self._problem(extents, arrays, upstream)
        if way:  # of a kernel of a framework, which says what its ways are
            p.way = way
        try:
            return "done", self._results(extents, p, layout)
        except Unsupported as error:
            return "unsupported", text_of(error)
        except (ReturnedWrong, KernelEnded) as error:
            return "failed", text_of(error)

    def missing_refusals(self, extents: Dict[str, int], arrays: Any, upstream: Any) -> Optional[List[str]]:
        return missing_refusals(self._fn, self._problem(extents, arrays, upstream))  # type: ignore[arg-type]

    def _problem(self, extents: Dict[str, int], arrays: Any, upstream: Any) -> Problem:
        operation, p = self._operation, Problem(extents=dict(extents))
        for (name, _, kind, of, _), shape, values in zip(operation.inputs, operation.shapes(extents), arrays):
            array = np.array(values, np.float64).reshape(shape)
            if kind in CODES:
                setattr(p, name, held(array, formats()[of], self._types.of_codes(name)))
                continue
            plain = {"flag": "bool", "index": self._types.of_index(name)}.get(kind)
            setattr(p, name, array.astype(plain) if plain else _as_dtype(array, self._types.of(name)))
        shapes = operation.trace(extents).shapes
        p.upstreams = [_as_dtype(np.array(one, np.float64).reshape(shape), self._types.of_output(k))
                       for k, (one, shape) in enumerate(zip(upstream, shapes))]  # fmt: skip
        return p

    def _due(self, extents: Dict[str, int]) -> List[Due]:
        operation = self._operation
        traced = operation.trace(extents)
        try:
            require_results(self._types, [one[0] for one in operation.inputs], traced)
        except ValueError as error:  # of a formula that could not be traced before the run
            raise ReturnedWrong(str(error)) from None
        if not self._gradient:
            return [self._due_output(k, tuple(shape), traced.positions[k], traced.formats[k])
                    for k, shape in enumerate(traced.shapes)]  # fmt: skip
        shapes = zip(operation.inputs, operation.shapes(extents))
        return [Due(f"the gradient of {one[0]}", shape, False, self._types.of(one[0])) for one, shape in shapes
                if one[0] in operation.differentiable]  # fmt: skip

    def _due_output(self, k: int, shape: Shape, is_position: bool, code: str) -> Due:
        if not code:
            return Due(f"output {k}", shape, is_position, self._types.of_output(k))
        declared = self._types.of_codes(f"output{k}")
        return Due(f"output {k}", held_shape(shape, formats()[code], declared), False, declared, formats()[code], shape)

    def _results(self, extents: Dict[str, int], p: Problem, layout: int) -> List[np.ndarray]:
        self._operation.require_taken(extents)
        said, arrays = (self._process or self._answer)(vars(p), layout)
        if said.get("outcome") != "done":
            raise (Unsupported if said.get("outcome") == "unsupported" else ReturnedWrong)(str(said.get("text")))
        due, given = self._due(extents), iter(arrays)
        got = [one and (next(given, "missing") if one == "array" else str(one)) for one in said.get("got", ())]
        at = " where " + ", ".join(f"{name}={size}" for name, size in extents.items()) if extents else ""
        taken = [self._taken(one, of, at) for one, of in zip(self._counted(got, due), due)]
        if said.get("text"):
            raise ReturnedWrong(str(said["text"]))
        return [self._doubles(one, of) for one, of in zip(taken, due)]

    def _answer(self, named: Dict[str, Any], layout: int) -> Tuple[Dict[str, Any], List[Carried]]:
        """What the kernel makes of a problem. `got` says of each result that it is an array, why it is none, or nothing of
        None; `text` of results why they may not be used."""
        p = Problem(**named)
        for name, *_ in self._operation.inputs:
            setattr(p, name, laid_out(getattr(p, name), layout))
        p.upstreams = [laid_out(one, layout) for one in p.upstreams]
        p.upstream = p.upstreams[0]
        given = [(one[0], getattr(p, one[0])) for one in self._operation.inputs]
        given += [(f"upstreams[{k}]", one) for k, one in enumerate(p.upstreams)]
        self._memory.give(given)
        try:
            got, arrays = self._returned(p)
            self._memory.require_inputs()
        except Unsupported as error:
            return {"outcome": "unsupported", "text": text_of(error)}, []
        except Raised as error:
            if declines_layout(error.__cause__, layout):
                return {"outcome": "unsupported", "text": "arrays with negative strides"}, []
            return {"outcome": "failed", "text": text_of(error)}, []
        except (ReturnedWrong, KernelEnded, SharedMemory) as error:
            return {"outcome": "failed", "text": text_of(error)}, []
        said = {"outcome": "done", "text": "", "got": got}
        try:
            self._memory.take([(name, one.array) for name, one in arrays.items()])
        except SharedMemory as error:
            said["text"] = text_of(error)
        return said, list(arrays.values())

    def _carried(self, p: Problem) -> Tuple[List[Optional[str]], Dict[str, Carried]]:
        """Calls the kernel. Arrays may be computed as late as they are taken."""
        returned = self._fn(p)
        names = [f"the gradient of {name}" for name in self._operation.differentiable] if self._gradient else []
        got: List[Optional[str]] = []
        arrays: Dict[str, Carried] = {}
        for k, value in enumerate(returned if isinstance(returned, (tuple, list)) else [returned]):
            try:
                if value is not None:
                    arrays[names[k] if k < len(names) else f"output {k}"] = carry_result(value)
                got.append(None if value is None else "array")
            except TypeError as error:
                got.append(str(error))
        return got, arrays

    def _returned(self, p: Problem) -> Tuple[List[Optional[str]], Dict[str, Carried]]:
        try:
            with np.errstate(all="ignore"):
                return called(self._carried, p)
        except (Unsupported, ReturnedWrong, KernelEnded, SharedMemory):
            raise
        except Exception as error:
            said = f"the kernel raised {type(error).__name__}: {text_of(error)}\n{_own_frames(error)}"
            raise Raised(said.replace("\n", "\n  ")) from error

    def _counted(self, results: List[Any], due: Sequence[Due]) -> List[Any]:
        if len(results) == len(due) and not any(one is None for one in results):
            return results
        expected = ", ".join(f"{one.name} {list(one.shape)}" for one in due)
        is_other = len(results) != len(due)
        what = "None" if results == [None] else f"{len(results)} results" if is_other else "None among its results"
        raise ReturnedWrong(f"the kernel returned {what}: expected {expected}" + (", as a tuple in this order" if len(due) > 1 else ""))

    def _taken(self, value: Union[Carried, str], due: Due, at: str) -> np.ndarray:
        """A result as an array. Raises ReturnedWrong for another type or shape, and for what says why it is no array."""
        name, shape, is_position, expected, code, _ = due
        types = held_types(code, expected) if code else (expected,)
        if isinstance(value, str):
            what = "integers" if is_position else types[0]
            raise ReturnedWrong(f"{name} is no array ({value}): expected an array of {what} {list(shape)}")
        dtype, array = value
        if array.shape != shape:
            hint = "; transpose it" if array.T.shape == shape else "; reshape it" if array.size == np.prod(shape) else ""
            raise ReturnedWrong(f"{name} has the shape {list(array.shape)}: expected {list(shape)}{at}{hint}")
        if is_position and array.dtype.kind not in "iu":
            raise ReturnedWrong(f"{name} is {dtype}: expected integers, the positions of elements")
        if code:
            if dtype not in types:
                raise ReturnedWrong(f"{name} is {dtype}: expected {' or '.join(types)}, codes of {code.name}; convert it"
                                    + _held_hint(name.replace(" ", ""), expected, dtype))  # fmt: skip
        elif not is_position and dtype != expected and (expected, dtype) != ("bfloat16", "uint16"):
            why = "as declared" if self._types.others else "the type of the inputs"
            or_declare = f", or declare {self._declaration(due, dtype)}" if dtype in DTYPES else ""
            raise ReturnedWrong(f"{name} is {dtype}: expected {expected}, {why}; convert it{or_declare}")
        return array

    def _declaration(self, due: Due, dtype: str) -> str:
        own = due.name.rpartition(" ")[2] if self._gradient else due.name.replace(" ", "")
        of_one = f"dtypes={{{own!r}: {dtype!r}}}"
        return of_one if self._types.others else f"dtype={dtype!r}, or of this array alone {of_one}"

    def _doubles(self, array: np.ndarray, due: Due) -> np.ndarray:
        if due.format:
            try:
                return numbers_of(array, due.format, due.dtype, due.numbers).reshape(-1)
            except ValueError as error:
                raise ReturnedWrong(f"{due.name}: {error}") from None
        if due.dtype == "bfloat16" and not due.is_position:
            array = from_bfloat16(array)
        return array.astype(np.float64).reshape(-1)
