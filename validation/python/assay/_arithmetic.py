"""What a kernel of an operation of one's own declares of its arithmetic, checked."""

from __future__ import annotations

import re
from typing import Any, Dict, List, Mapping, NamedTuple, Tuple, Union

from . import _numbers
from ._formats import packing_called
from ._inputs import CODES

DTYPES = ("float32", "float16", "bfloat16", "float64")
INDEX_DTYPES = ("int64", "int32")
ACCUMULATE = (*DTYPES, "int32")  # in which sums of whole numbers are exact; other sums have `compute`
PARTIAL = {"float22": 2.0**-13, "float16": 2.0**-11, "bfloat16": 2.0**-8}  # roundoffs of matrix units; float22 is cut off
ROUNDOFFS = {"float32": 2.0**-24, "float16": 2.0**-11, "bfloat16": 2.0**-8, "float64": 2.0**-53}
FEW = 4  # roundings of a value, which every kernel may have, and by default its exponentials
KEPT = ("float32", "float16", "bfloat16", "tf32")  # to which values in between may be rounded


class Rounds(NamedTuple):
    """What `rounds=` says, by the names of the formula's values: numbers of roundings, and types."""

    counts: Dict[str, float]
    kept: Dict[str, str]


def _rounds(rounds: Any, roundoff: float) -> Rounds:
    if not isinstance(rounds, (dict, type(None))):
        raise TypeError(f"rounds = {rounds!r}: expected numbers of roundings by name, such as {{'d': 1}}, or types, such as "
                        "{'e': 'bfloat16'}")  # fmt: skip
    said = Rounds({}, {})
    for name, value in (rounds or {}).items():
        if isinstance(value, str):
            said.kept[name] = _numbers.one_of(f"rounds[{name!r}]", value, KEPT)
        else:
            said.counts[name] = _numbers.roundoffs(f"rounds[{name!r}]", value, FEW, roundoff)
    _numbers.roundoffs("rounds: all numbers together", sum(said.counts.values()), FEW * len(said.counts), roundoff)
    return said


def arithmetic(dtype: str, compute: str, accumulate: str, exp_error: float, input_roundoff: float,
               rounds: Union[Dict[str, Any], None], subnormals: bool, products: str) -> Tuple[List[Any], bool]:
    """The arithmetic as FormulaSubject takes it, and whether it speaks of the formula's values by name."""
    dtype = _numbers.one_of("dtype", dtype, DTYPES)
    compute = _numbers.one_of("compute", compute or ("float32" if dtype in ("float16", "bfloat16") else dtype), DTYPES)
    accumulate = _numbers.one_of("accumulate", accumulate or compute, ACCUMULATE)
    accumulate = compute if accumulate == "int32" else accumulate
    counts, kept = _rounds(rounds, ROUNDOFFS[compute])
    types = [dtype, compute, accumulate, _numbers.roundoffs("exp_error", exp_error, FEW, ROUNDOFFS[compute]),
             _numbers.real("input_roundoff", input_roundoff, 0, _numbers.MOST_ROUNDING), counts,
             not _numbers.flag("subnormals", subnormals), kept,
             _numbers.one_of("products", products, KEPT) if products else ""]  # fmt: skip
    return types, bool(rounds)


def partial_sums_of(given: Any) -> Tuple[float, int]:
    """Roundoff and number of products of {"float22": 128}: that many are added in this type, and their sums as other sums."""
    if given is None:
        return 0.0, 0
    if not isinstance(given, dict) or len(given) != 1:
        raise TypeError(f"partial_sums = {given!r}: expected a type and a number of products, such as {{'float22': 128}}")
    name, length = next(iter(given.items()))
    return PARTIAL[_numbers.one_of("partial_sums", name, tuple(PARTIAL))], _numbers.whole(f"partial_sums[{name!r}]", length, 1)


class Types(NamedTuple):
    """The type of each array: `dtype`, but for those by name, of which results are "output0", ..."""

    dtype: str
    others: Dict[str, str]

    def of(self, name: str) -> str:
        return self.others.get(name, self.dtype)

    def of_output(self, k: int) -> str:
        dtype = self.of(f"output{k}")
        return dtype if dtype in DTYPES else self.dtype  # of codes, whose upstream gradients are numbers

    def of_index(self, name: str) -> str:
        return self.others.get(name, "int64")

    def numbers(self, kinds: Mapping[str, str]) -> Dict[str, str]:
        """Those of arrays of numbers by name."""
        return {name: dtype for name, dtype in self.others.items() if kinds.get(name) != "index" and dtype in DTYPES}

    def of_codes(self, name: str) -> str:
        """How an array of a small format is held; empty where nothing is said."""
        return self.others.get(name, "")


def types_of(dtype: str, dtypes: Any, kinds: Mapping[str, str]) -> Types:
    """What `dtypes=` says of inputs of these kinds, and of results. Raises TypeError and ValueError."""
    if not isinstance(dtypes, (dict, type(None))):
        raise TypeError(f"dtypes = {dtypes!r}: expected types by the names of arrays, such as {{'weight': 'float32'}}")
    others = {}
    for name, value in (dtypes or {}).items():
        is_output = name not in kinds and re.fullmatch("output([0-9]{0,3})", str(name))
        if not is_output and (name not in kinds or kinds[name] == "flag"):
            known = [one for one, kind in kinds.items() if kind != "flag"]
            raise ValueError(f"dtypes has {name!r}: expected {', '.join(known)}, output, or of several results output0, ...")
        if kinds.get(name) in CODES or (is_output and value not in DTYPES):
            packing_called(f"dtypes[{name!r}]", value)
            others["output0" if name == "output" and is_output else name] = value
            continue
        allowed = INDEX_DTYPES if kinds.get(name) == "index" else DTYPES
        others["output0" if name == "output" and is_output else name] = _numbers.one_of(f"dtypes[{name!r}]", value, allowed)
    return Types(dtype, others)
