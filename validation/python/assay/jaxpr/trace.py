"""A function of JAX traced at fixed shapes: its jaxpr is run on arrays of the graph."""

from __future__ import annotations

import sys
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

import jax
import numpy as np
from jax.core import Tracer

from .._formula import Namespace, finished
from .._traced import NotTraceable, Traced
from .control import INNER
from .table import RANDOM, ROWS
from .values import is_known, is_real, known_of, x64

DTYPES = {"flag": "bool", "index": "int32"}


class JaxNamespace(Namespace):
    """`xp`, whose line is that of the equation that is run."""

    def __init__(self, file: str) -> None:
        super().__init__(file)
        self.rounds = False  # whether the function converts numbers to a narrower type
        self.casts = False  # and to one of 8 bits or fewer
        self.line = 0
        self.sums: Dict[int, Tuple[Traced, Tuple[int, ...], float]] = {}  # by node: of what, along which axes, of how many
        self.columns: Dict[int, List[Any]] = {}  # by node: what was joined along its last axis

    def _line(self) -> int:
        return self.line


def _line_of(eqn: Any, file: str) -> int:
    """The line of the function, where JAX says it."""
    try:
        return next((one.line_num for one in eqn.source_info.traceback.frames if one.file_name == file), 0)
    except AttributeError:
        return 0


def _is_folded(eqn: Any, values: Sequence[Any]) -> bool:
    """Whether JAX itself computes it: whole numbers and booleans of what is known. Real numbers are computed by the graph."""
    return all(is_known(one) for one in values) and not any(is_real(one.aval.dtype) for one in eqn.outvars)


def _folded(eqn: Any, values: Sequence[Any]) -> List[Any]:
    given = [np.asarray(one).astype(of.aval.dtype) for one, of in zip(values, eqn.invars)]
    results = eqn.primitive.bind(*given, **eqn.params)
    return [np.asarray(one) for one in (results if eqn.primitive.multiple_results else [results])]


def _results_of(xp: Any, eqn: Any, values: Sequence[Any]) -> List[Any]:
    name = eqn.primitive.name
    if name in INNER:
        return INNER[name](lambda *inner: run(xp, *inner), xp, eqn.params, values)
    if name.startswith(RANDOM):
        raise NotTraceable(f"{name} draws random numbers: expected a function of its inputs alone")
    if _is_folded(eqn, values):
        return _folded(eqn, values)
    if name not in ROWS:
        raise NotTraceable(f"{name} is not among JAX's primitives that can be traced; write it with others, such as arithmetic, "
                           "jnp.where, sums and products of matrices")  # fmt: skip
    result = ROWS[name](xp, eqn, *values)
    return result if isinstance(result, list) else [result]


def run(xp: Any, jaxpr: Any, constants: Sequence[Any], arguments: Sequence[Any]) -> List[Any]:
    """The results of a jaxpr, equation by equation."""
    known: Dict[Any, Any] = dict(zip(jaxpr.constvars, map(known_of, constants)))
    known.update(zip(jaxpr.invars, arguments))

    def value_of(one: Any) -> Any:
        return known_of(one.val) if hasattr(one, "val") else known[one]

    for eqn in jaxpr.eqns:
        line = _line_of(eqn, xp._source)
        xp.line = line or xp.line
        try:
            results = _results_of(xp, eqn, [value_of(one) for one in eqn.invars])
        except NotTraceable as error:
            if line and "(line" not in str(error):
                raise NotTraceable(f"{error} (line {line} of the reference)") from error
            raise
        known.update(zip(eqn.outvars, results))
    return [value_of(one) for one in jaxpr.outvars]


def _with_locals(call: Callable[..., Any], function: Any) -> Callable[..., Tuple[Any, Dict[str, Any]]]:
    """call(...) and, by their names, the arrays in the local variables of `function` where it returns."""

    def both(*arguments: Any) -> Tuple[Any, Dict[str, Any]]:
        found: Dict[str, Any] = {}

        def profile(frame: Any, event: str, _: Any) -> None:
            if event == "return" and frame.f_code is function.__code__:
                found.update({key: one for key, one in frame.f_locals.items() if isinstance(one, Tracer)})

        before = sys.getprofile()
        sys.setprofile(profile)
        try:
            result = call(*arguments)
        finally:
            sys.setprofile(before)
        return result, found

    return both


class Jaxpr(NamedTuple):
    """A function's jaxpr. Its last results are local variables, which have these names."""

    closed: Any
    names: List[str]

    def results(self) -> List[Any]:
        """The types and shapes of the function's own results."""
        avals: List[Any] = self.closed.out_avals
        return avals[: len(avals) - len(self.names)]


def jaxpr_of(call: Callable[..., Any], function: Optional[Any], given: Sequence[Any]) -> Jaxpr:
    """Of call(...) at arrays of these types and shapes. Those of a transformed function, such as under vmap, have no names."""
    with x64():
        if function is not None:
            try:
                names: List[str] = []

                def flat(*arguments: Any) -> Any:
                    result, found = _with_locals(call, function)(*arguments)
                    names[:] = list(found)
                    return [*jax.tree_util.tree_leaves(result), *found.values()]

                closed = jax.make_jaxpr(flat)(*given)
                values = [*closed.consts, *(getattr(one, "val", None) for one in closed.jaxpr.outvars)]
                if not any(isinstance(one, Tracer) for one in values):  # of another trace
                    return Jaxpr(closed, names)
            except jax.errors.UnexpectedTracerError:
                pass
        return Jaxpr(jax.make_jaxpr(lambda *arguments: jax.tree_util.tree_leaves(call(*arguments)))(*given), [])


def graph_of(traced: Jaxpr, file: str, inputs: Sequence[Tuple[str, str]], shapes: Sequence[Tuple[int, ...]],
             wrt: Sequence[str]) -> Tuple[Any, JaxNamespace]:
    """The graph of a jaxpr, and the namespace, which saw what the function does.

    `inputs` are names and kinds; `file` has the lines. Raises NotTraceable for what a trace cannot record."""
    xp = JaxNamespace(file)
    arrays = {name: xp._input(name, tuple(shape), kind) for (name, kind), shape in zip(inputs, shapes)}
    try:
        with x64():
            results = run(xp, traced.closed.jaxpr, traced.closed.consts, list(arrays.values()))
    except NotTraceable:
        raise
    except (RuntimeError, TypeError, ValueError, IndexError, ArithmeticError, AssertionError, AttributeError, KeyError) as error:
        at = ", ".join(f"{name} {list(shape)}" for (name, _), shape in zip(inputs, shapes))
        raise NotTraceable(f"with {at}: {type(error).__name__}: {error}") from error
    outputs = results[: len(traced.results())]
    if not outputs:
        raise NotTraceable("the reference returned nothing: expected an array, or a tuple of arrays")
    for name, one in zip(traced.names, results[len(outputs) :]):
        if isinstance(one, Traced):
            xp._graph.name(one._node, name)
    return finished(xp, outputs, [arrays[name]._node for name in wrt]), xp
