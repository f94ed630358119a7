"""Bad arguments for a plug-in in C, made of a case: each must be refused by name."""

from __future__ import annotations

import re
from typing import Any, Iterator, List, NamedTuple, Optional, Tuple

import numpy as np

from ._inputs import is_fixed
from ._plugin import Named, Plugin, unwritten

_SAYS = {"ok": "ASSAY_OK", "unsupported": "ASSAY_UNSUPPORTED"}


class Spoilt(NamedTuple):
    """A bad argument: what it is, the names of which the message must have one, and the inputs with it."""

    what: str
    names: Tuple[str, ...]
    inputs: List[Named]


def missing_refusals(plugin: Plugin, p: Any) -> Optional[List[str]]:
    """The bad arguments that the library does not refuse; None where nothing of the problem can be spoilt."""
    all_spoilt = list(_spoilt(plugin.operation, p.extents, plugin.given(p)))
    return [text for one in all_spoilt for text in _missing(plugin, p, one)] if all_spoilt else None


def _missing(plugin: Plugin, p: Any, spoilt: Spoilt) -> Iterator[str]:
    due = plugin.due(p.extents)
    status, says, results = plugin.answer(spoilt.inputs, due)
    if status == "refused" and any(re.search(rf"\b{re.escape(name)}\b", says) for name in spoilt.names):
        before = [unwritten(one, spoilt.inputs) for one in due]
        written = [one.name for one, of in zip(results, before) if one.array.tobytes() != of.array.tobytes()]
        if written:
            yield f"{spoilt.what}: refused, with {', '.join(written)} written; expected nothing written"
        return
    got = f"a refusal that says {says!r}" if status == "refused" else _SAYS.get(status, says)
    yield f"{spoilt.what}: got {got}; expected ASSAY_REFUSED and a message that names {' or '.join(spoilt.names)}"


def _spoilt(operation: Any, extents: Any, given: List[Named]) -> Iterator[Spoilt]:
    for k, (name, dims, kind, extent, _) in enumerate(operation.inputs):
        before, one, behind = given[:k], given[k], given[k + 1 :]
        if one.array.size == 0:
            continue
        if kind == "index":
            size = int(extent) if is_fixed(extent) else extents[extent]
            for wrong in (-1, size, np.iinfo(one.array.dtype).max):
                array = one.array.copy()
                array.flat[-1] = wrong
                what = f"{name} with an index of {wrong} where {extent} is {size}"
                yield Spoilt(what, (name,), [*before, one._replace(array=array), *behind])
        if kind != "flag":
            other = {"int64": "int32", "int32": "int64", "float32": "float64"}.get(one.dtype, "float32")
            array = np.zeros(one.array.shape, other)
            yield Spoilt(f"{name} of {other}", (name,), [*before, Named(name, array, other), *behind])
        also = [of for of, its, *_ in operation.inputs if dims and dims[0] in its]
        if len(also) > 1 and not is_fixed(dims[0]):
            what = f"{name} with {dims[0]}={len(one.array) - 1}, others with {len(one.array)}"
            shorter = one._replace(array=np.ascontiguousarray(one.array[:-1]))
            yield Spoilt(what, (*also, dims[0]), [*before, shorter, *behind])
