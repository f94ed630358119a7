"""What is declared of an operation's inputs: extents, kinds, limits and properties, parsed and checked."""

from __future__ import annotations

import math
import re
from typing import Any, Dict, List, Optional, Sequence, Tuple

from . import _core, _numbers
from ._formats import formats

KINDS = ("real", "flag", "index", "unit", "positive", "decay", "nonzero")  # and the names of formats

CODES = ("code", "any", "positive_code")  # kinds of numbers of a small format

LARGEST_FIXED = 65_536  # elements of an array at extents of 1: every case has them, and many more
LARGEST_EXTENT = 2**31 - 1
_WORDS = ("operation", "property", "seed", "layout", "way", "file")  # of a replay line
_ATTRIBUTES = ("extents", "upstream", "upstreams")  # of a problem
_AXES = 32  # as NumPy has them at the most


def is_fixed(extent: str) -> bool:
    return extent[:1].isdigit()


def _require_extent(name: str, text: str, extent: str, inputs: Sequence[str]) -> None:
    """Raises ValueError unless `extent` is a name or a number from 1 on, as decimal digits."""
    if re.fullmatch(r"[1-9][0-9]{0,9}", extent) and int(extent) <= LARGEST_EXTENT:
        return
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", extent):
        words = re.findall(r"\w+", text)
        is_other_list = len(words) > 1 and re.fullmatch(r"[\w\s,]+|\[[\w\s,]+\]|\([\w\s,]+\)", text)
        written = f"; between extents stand commas alone: {', '.join(words)!r}" if is_other_list else ""
        raise ValueError(f"{name}={text!r}: the extent {extent!r}: expected a name such as N, or a whole number from 1 to "
                         f"{LARGEST_EXTENT}; one extent that is computed of another is a name of its own{written}")
    if extent in inputs or extent in _WORDS or re.fullmatch(r"upstream[0-9]*", extent):
        raise ValueError(f"{name}={text!r}: the extent {extent!r} is the name of an input or of another word of a replay line: "
                         "expected another name")


def codes(words: Sequence[str]) -> Optional[Tuple[str, str]]:
    """The kind and the format of "int4", "any e5m2" or "positive e4m3"; None for other words."""
    name = words[-1] if words else ""
    name = "e4m3fn" if name == "e4m3" else name
    if name not in formats() or list(words[:-1]) not in ([], ["any"], ["positive"]):
        return None
    return {"any": "any", "positive": "positive_code"}.get(words[0], "code"), name


def parsed(name: str, text: str, inputs: Sequence[str], largest_fixed: int) -> Tuple[List[str], str, str]:
    """Extents, kind, and the extent of an index or the format of codes: "B, T", "B, U of index V", "N, K of int4"."""
    if not isinstance(text, str):
        raise TypeError(f"{name}={text!r}: expected its extents as a string, such as 'N, D'")
    if name in (*_WORDS, *_ATTRIBUTES) or re.fullmatch(r"upstream[0-9]+", name):
        raise ValueError(f"the input {name!r} has the name of something else that a problem or a replay line has: expected another name")
    shape, of, kind = text.partition(" of ")
    words = kind.split() if of else ["real"]
    code = codes(words)
    if code is not None:
        words = [code[0]]
    elif not words or words[0] not in KINDS or len(words) != (2 if words[0] == "index" else 1):
        raise ValueError(f"{name}={text!r}: expected extents and one of: {', '.join(KINDS)} ('B, U of index V'), or a format "
                         f"({', '.join(formats())}; 'any e5m2' has NaN and infinities too, 'positive e4m3' numbers above 0)"
                         f"{'' if kind in KINDS else _numbers.nearest(kind, KINDS)}")  # fmt: skip
    dimensions = [one.strip() for one in shape.split(",")] if shape.strip() else []
    for extent in [*dimensions, *words[1:]]:
        _require_extent(name, text, extent, inputs)
    if len(dimensions) > _AXES:
        raise ValueError(f"{name}={text!r}: {len(dimensions)} axes: expected at most {_AXES}")
    fixed = math.prod(int(extent) for extent in dimensions if is_fixed(extent))
    if fixed > largest_fixed:
        raise ValueError(f"{name}={text!r}: {fixed} elements where every named extent is 1: expected at most {largest_fixed}; "
                         "give an extent a name and a limit: limits={'N': 4096}")
    return dimensions, words[0], code[1] if code else words[1] if len(words) > 1 else ""


def named_inputs(word: str, text: str, inputs: Dict[str, str]) -> List[str]:
    """The inputs whose elements may be what `word` says."""
    named = _numbers.text(word, text).split()
    if any(name not in inputs for name in named):
        raise ValueError(f"{word}={text!r}: expected names of inputs: {', '.join(inputs)}")
    return named


def require_limits(limits: Any, extents: Sequence[str]) -> Dict[str, int]:
    if not isinstance(limits, (dict, type(None))):
        raise TypeError(f"limits = {limits!r}: expected the largest size of extents by name, such as {{'N': 100}}")
    for name in limits or {}:
        if name not in extents:
            raise ValueError(f"limits has {name!r}: expected extents of the operation: {', '.join(extents)}"
                             f"{_numbers.nearest(name, extents)}")  # fmt: skip
    return {name: _numbers.whole(f"limits[{name!r}]", most, 1, LARGEST_EXTENT) for name, most in (limits or {}).items()}


def declared_properties(properties: str, extents: Sequence[str]) -> List[Tuple[str, str]]:
    """(property, extent) of "rows=N permutation=D"."""
    pairs = [tuple(word.partition("=")[::2]) for word in _numbers.text("properties", properties).split()]
    for name, extent in pairs:
        if name not in _core.formula_relations():
            raise ValueError(f"properties={properties!r}: {name!r}: expected one of {', '.join(_core.formula_relations())}"
                             f"{_numbers.nearest(name, _core.formula_relations())}")  # fmt: skip
        if extent not in extents:
            raise ValueError(f"properties={properties!r}: {name}={extent}: expected {name}=EXTENT with one of {', '.join(extents)}")
    return pairs  # type: ignore[return-value]
