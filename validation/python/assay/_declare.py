"""The declaration of a kernel: the bound that it is held to, and the claims that it makes (docs/python.md).

What is not claimed is not asked for: such cases are skipped, and counted with the reason.
"""

from __future__ import annotations

import functools
import json
import re
from typing import Any, Callable, Dict, Iterable, Sequence, Union

from . import _numbers
from ._file_kernel import attribute_of, name_of
from ._misuse import OPERATIONS, described, keyword_hint, refused_operation
from ._program import run_program

Words = Union[str, Iterable[str]]
GATE_WORDS = ("cases", "seed", "digits", "filter", "real_input", "reach", "input", "executor", "shards", "resume", "time_limit",
              "own_process", "certificate")


def _several(keyword: str, given: Words, known: Sequence[str]) -> Sequence[str]:
    if not isinstance(given, (str, tuple, list, set, frozenset)):
        raise TypeError(f"{keyword} = {given!r}: expected any of {', '.join(known)}{_numbers.nearest(given, known)}")
    values = (given,) if isinstance(given, str) else tuple(given)
    for value in values:
        if value not in known:
            raise ValueError(f"{keyword} = {value!r}: expected any of {', '.join(known)}{_numbers.nearest(value, known)}")
    if not values:
        raise ValueError(f"{keyword} is empty: expected at least one of {', '.join(known)}")
    return values


@functools.lru_cache(maxsize=None)
def _json(operation: str) -> str:
    """As validation/transport/declaration/keywords.h says. Raises ValueError for another operation."""
    if operation not in OPERATIONS:
        raise refused_operation(operation)
    return run_program("gate", operation, "--declarations").stdout


def keywords(operation: str) -> Dict[str, Dict[str, Any]]:
    """The keywords of assay.gate that declare a kernel of `operation`, each with its default and, where only some are
    allowed, its values, and the largest number; of a number of roundoffs, which these are. Raises ValueError for another
    operation.

    >>> keywords("svd")["sweeps"]
    {'default': 10, 'max': 1000, 'of': 'unit_roundoff'}
    >>> keywords("ctc")["arithmetic"]
    {'default': 'log_space', 'values': ['log_space', 'probability']}
    """
    table = json.loads(_json(operation))
    return {"dtype": table["dtype"], **table["declares"], **table["claims"], "limits": table["limits"]}


def _support(claims: Dict[str, Any], given: Dict[str, Any]) -> Dict[str, Any]:
    """Whether each claim is made."""
    support = {}
    for keyword, claim in claims.items():
        if "keys" in claim:
            claimed = _several(keyword, given[keyword], claim["values"])
            support.update({key: value in claimed for key, value in zip(claim["keys"], claim["values"])})
        else:
            support[keyword] = _numbers.flag(keyword, given[keyword])
    return support


def _limits(limits: Any, known: Sequence[str]) -> Dict[str, int]:
    if not isinstance(limits, (dict, type(None))):
        raise TypeError(f"limits = {limits!r}: expected the largest sizes by name, such as {{{known[0]!r}: 100}}")
    for name in limits or {}:
        if name not in known:
            raise ValueError(f"limits has {name!r}: expected sizes of {', '.join(known)}{_numbers.nearest(name, known)}")
    return {f"largest_{name}": _numbers.whole(f"limits[{name!r}]", size, 0, 2**62) for name, size in (limits or {}).items()}


def _checked(name: str, row: Dict[str, Any], value: Any) -> Any:
    """The value of one declaration, of the type of its default."""
    if "values" in row:
        return _numbers.one_of(name, value, row["values"])
    if isinstance(row["default"], bool):
        return _numbers.flag(name, value)
    if isinstance(row["default"], int):
        return _numbers.whole(name, value, 0, row["max"])
    return _numbers.real(name, value, 0, row["max"], positive=name == "unit_roundoff")


def _declared(declares: Dict[str, Any], given: Dict[str, Any]) -> Dict[str, Any]:
    declared = {name: _checked(name, row, given[name]) for name, row in declares.items()}
    for name, row in declares.items():
        if "of" in row:
            _numbers.roundoffs(name, declared[name], row["default"], declared[row["of"]])
    return declared


def declaration_of(operation: str, fn: Callable[..., Any], declared: Dict[str, Any]) -> Dict[str, Any]:
    """The declaration as the judge reads it. Raises ValueError for another operation or a value, TypeError for a keyword."""
    known = keywords(operation)
    declared = {**attribute_of(fn, "__dict__", {}).get("assay_declared", {}), **declared}
    if not callable(fn):
        raise TypeError(f"the kernel is {described(fn)}: expected a function of one problem, or the path of a plug-in "
                        "(.so, .json)")  # fmt: skip
    for keyword in declared:
        if keyword not in known:
            raise TypeError(f"{keyword!r} is no keyword of {operation!r}: expected one of {', '.join(known)}"
                            f"{keyword_hint(keyword, [*known, *GATE_WORDS])}")  # fmt: skip
    table = json.loads(_json(operation))
    given = {**{keyword: one["default"] for keyword, one in known.items()}, **declared}
    name = name_of(fn)
    return {
        "name": re.sub(r"[^\w.:-]", "", name) or "kernel",
        "dtypes": _several("dtype", given["dtype"], table["dtype"]["values"]),
        "declares": _declared(table["declares"], given),
        "support": {**_support(table["claims"], given), **_limits(given["limits"], table["limits"]["values"])},
    }
