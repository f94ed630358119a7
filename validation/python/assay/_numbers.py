"""Checks of the numbers, flags and words that users give: each error names the argument, its value and what was expected.

A wrong type is a TypeError, a value out of range a ValueError. NumPy's scalars are numbers as Python's are; a bool is none.
"""

from __future__ import annotations

import difflib
import math
import operator
import secrets
from typing import Any, Iterable, Optional, Sequence, Type

import numpy as np

LARGEST_SEED = 2**64 - 1
MOST_ROUNDING = 2.0**-8  # of a value that is rounded, what bfloat16 loses: a kernel that loses more does not round


def _refusal(kind: Type[Exception], name: str, value: Any, expected: str) -> Exception:
    return kind(f"{name} = {value!r}: expected {expected}")


def nearest(value: Any, known: Iterable[str]) -> str:
    """"; did you mean 'quick'?" where one of `known` is nearly `value`, a text or a class such as numpy.float16; else nothing."""
    names = {one.lower(): one for one in known}
    said = str(getattr(value, "__name__", value)).rpartition(".")[2].lower()
    found = difflib.get_close_matches(said, names, n=1, cutoff=0.54)  # of "fp16" and "float16"
    return f"; did you mean {names[found[0]]!r}?" if found else ""


def _between(what: str, least: Any, most: Any) -> str:
    return f"{what} from {least}" + ("" if most is None else f" to {most}")


def whole(name: str, value: Any, least: int, most: Optional[int] = None) -> int:
    """`value` as an int in [least, most]."""
    expected = _between("a whole number", least, most)
    try:
        number = operator.index(value)
    except TypeError:
        raise _refusal(TypeError, name, value, expected) from None
    if isinstance(value, (bool, np.bool_)):
        raise _refusal(TypeError, name, value, expected)
    if number < least or (most is not None and number > most):
        raise _refusal(ValueError, name, value, expected)
    return number


def real(
    name: str, value: Any, least: float, most: Optional[float] = None, *, positive: bool = False, where: str = ""
) -> float:
    """`value` as a finite float in [least, most]; `positive` leaves out 0."""
    expected = _between("a number", least, most and f"{most:g}") + (", but not 0" if positive and least == 0 else "") + where
    if not isinstance(value, (int, float, np.integer, np.floating)) or isinstance(value, bool):
        raise _refusal(TypeError, name, value, expected)
    try:
        number = float(value)
    except OverflowError:
        raise _refusal(ValueError, name, value, expected) from None
    if not math.isfinite(number) or number < least or (most is not None and number > most) or (positive and number == 0):
        raise _refusal(ValueError, name, value, expected)
    return number


def roundoffs(name: str, value: Any, usual: float, roundoff: float) -> float:
    """`value` as a number of roundoffs, which are at most MOST_ROUNDING together, or as few as usual."""
    return real(name, value, 0, max(usual, MOST_ROUNDING / roundoff), where=f" where the roundoff is {roundoff:g}")


def flag(name: str, value: Any) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise _refusal(TypeError, name, value, "True or False")
    return bool(value)


def text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise _refusal(TypeError, name, value, "a text")
    return value


def one_of(name: str, value: Any, known: Sequence[str]) -> str:
    if not isinstance(value, str) or value not in known:
        kind = ValueError if isinstance(value, str) else TypeError
        raise _refusal(kind, name, value, f"one of {', '.join(known)}{nearest(value, known)}")
    return value


def seed(value: Any) -> int:
    """Of "fresh" one that nobody can foresee, so that no kernel has the answers beforehand."""
    is_fresh = isinstance(value, str) and value == "fresh"
    return secrets.randbelow(LARGEST_SEED) if is_fresh else whole("seed", value, 0, LARGEST_SEED)
