"""Primitives that have jaxprs of their own: these are run in turn, loops step by step."""

from __future__ import annotations

from operator import itemgetter
from typing import Any, Callable, Dict, List, Sequence, Tuple

import numpy as np

from .._traced import NotTraceable
from .values import is_known, moved, require_known

Run = Callable[[Any, Sequence[Any], Sequence[Any]], List[Any]]  # (jaxpr, constants, arguments)
_MOST_STEPS = 100_000
_KEYS = ("jaxpr", "call_jaxpr", "fun_jaxpr")


def _parts(one: Any) -> Tuple[Any, Sequence[Any]]:
    """A jaxpr, closed or not, and its constants."""
    return (one.jaxpr, one.consts) if hasattr(one, "consts") else (one, [])


def _call(run: Run, xp: Any, params: Dict[str, Any], values: Sequence[Any]) -> List[Any]:
    inner = next(params[key] for key in _KEYS if key in params)
    return run(*_parts(inner), values)


def _scan(run: Run, xp: Any, params: Dict[str, Any], values: Sequence[Any]) -> List[Any]:
    shared, carried = params["num_consts"], params["num_carry"]
    constants, carry, rows = values[:shared], list(values[shared : shared + carried]), values[shared + carried :]
    steps = range(params["length"])
    results: List[List[Any]] = []
    for t in reversed(steps) if params["reverse"] else steps:
        one = [moved(xp, row, itemgetter(t)) for row in rows]
        out = run(*_parts(params["jaxpr"]), [*constants, *carry, *one])
        carry = out[:carried]
        results.append(out[carried:])
    if params["reverse"]:
        results.reverse()
    return [*carry, *(_stacked(xp, [row[k] for row in results], aval) for k, aval in enumerate(_row_types(params)))]


def _row_types(params: Dict[str, Any]) -> List[Any]:
    return [one.aval for one in _parts(params["jaxpr"])[0].outvars[params["num_carry"] :]]


def _stacked(xp: Any, rows: List[Any], aval: Any) -> Any:
    if not rows:
        return np.zeros((0, *aval.shape))
    return np.stack(rows) if all(is_known(one) for one in rows) else xp.stack(rows)


def _while(run: Run, xp: Any, params: Dict[str, Any], values: Sequence[Any]) -> List[Any]:
    of_condition, of_body = params["cond_nconsts"], params["body_nconsts"]
    condition, body = values[:of_condition], values[of_condition : of_condition + of_body]
    carry = list(values[of_condition + of_body :])
    for _ in range(_MOST_STEPS):
        (goes_on,) = run(*_parts(params["cond_jaxpr"]), [*condition, *carry])
        require_known("while_loop", goes_on)
        if not bool(np.asarray(goes_on)):
            return carry
        carry = run(*_parts(params["body_jaxpr"]), [*body, *carry])
    raise NotTraceable(f"while_loop: more than {_MOST_STEPS} steps")


def _cond(run: Run, xp: Any, params: Dict[str, Any], values: Sequence[Any]) -> List[Any]:
    """The branch that is known; of an index of the formula all of them, of whose results each element is chosen."""
    which, given, branches = values[0], values[1:], params["branches"]
    if is_known(which):
        return run(*_parts(branches[min(max(int(which), 0), len(branches) - 1)]), given)
    results = [run(*_parts(one), given) for one in branches]
    chosen = results[0]
    for k, one in enumerate(results[1:], 1):
        chosen = [xp.where(xp.equal(which, k), xp._array(a), xp._array(b)) for a, b in zip(one, chosen)]
    return chosen


INNER: Dict[str, Callable[..., List[Any]]] = {
    **{name: _call for name in ("pjit", "jit", "closed_call", "core_call", "custom_jvp_call", "custom_vjp_call",
                                "custom_vjp_call_jaxpr", "checkpoint", "remat", "remat2")},
    "scan": _scan, "while": _while, "cond": _cond,
}  # fmt: skip
