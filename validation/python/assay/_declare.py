"""The declaration of a kernel: the bound that it is held to, and the claims that it makes (docs/python.md).

What is not claimed is not asked for: such cases are skipped, and counted with the reason.
"""

from __future__ import annotations

import functools
import json
import re
from typing import Any, Callable, Dict, Iterable, Optional, Sequence, Union

from ._program import run_program

Words = Union[str, Iterable[str]]


def _several(keyword: str, given: Words, known: Sequence[str]) -> Sequence[str]:
    values = (given,) if isinstance(given, str) else tuple(given)
    for value in values:
        if value not in known:
            raise ValueError(f"{keyword} = {value!r}: expected any of {', '.join(known)}")
    if not values:
        raise ValueError(f"{keyword} is empty: expected at least one of {', '.join(known)}")
    return values


def _one(keyword: str, given: str, known: Sequence[str]) -> str:
    return _several(keyword, given if isinstance(given, str) else (repr(given),), known)[0]


@functools.lru_cache(maxsize=None)
def _json(operation: str) -> str:
    """As validation/transport/declaration/keywords.h says. Raises ValueError for another operation."""
    ended = run_program("gate", operation, "--declarations")
    if ended.returncode != 0:
        raise ValueError(ended.stderr.strip())
    return ended.stdout


def keywords(operation: str) -> Dict[str, Dict[str, Any]]:
    """The keywords of assay.gate that declare a kernel of `operation`, each with its default and, where only some are
    allowed, its values. Raises ValueError for another operation.

    >>> keywords("svd")["sweeps"]
    {'default': 10}
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
            support[keyword] = given[keyword]
    return support


def _limits(limits: Optional[Dict[str, int]], known: Sequence[str]) -> Dict[str, int]:
    for name in limits or {}:
        if name not in known:
            raise ValueError(f"limits has {name!r}: expected sizes of {', '.join(known)}")
    return {f"largest_{name}": int(size) for name, size in (limits or {}).items()}


def _declared(declares: Dict[str, Any], given: Dict[str, Any]) -> Dict[str, Any]:
    return {
        name: _one(name, given[name], row["values"]) if "values" in row else given[name]
        for name, row in declares.items()
    }


def declaration_of(operation: str, fn: Callable[..., Any], declared: Dict[str, Any]) -> Dict[str, Any]:
    """The declaration as the judge reads it. Raises ValueError for another operation or a value, TypeError for a keyword."""
    known = keywords(operation)
    declared = {**getattr(fn, "assay_declared", {}), **declared}
    if not callable(fn):
        raise TypeError(f"fn is {type(fn).__name__}: expected a function of one problem")
    for keyword in declared:
        if keyword not in known:
            raise TypeError(f"{keyword!r} is no keyword of {operation!r}: expected one of {', '.join(known)}")
    table = json.loads(_json(operation))
    given = {**{keyword: one["default"] for keyword, one in known.items()}, **declared}
    name = getattr(fn, "__name__", type(fn).__name__)
    return {
        "name": re.sub(r"[^\w.:-]", "", name) or "kernel",
        "dtypes": _several("dtype", given["dtype"], table["dtype"]["values"]),
        "declares": _declared(table["declares"], given),
        "support": {**_support(table["claims"], given), **_limits(given["limits"], table["limits"]["values"])},
    }
