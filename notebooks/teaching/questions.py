"""Questions: a reader puts an answer in place of `...`, and `check` says whether it is right.

What is right is computed by the reference in the same cell; nobody wrote it down. So it helps to answer first.
"""

from __future__ import annotations

import re
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from typing import Any, Callable, Optional

import numpy as np

ROUNDING = 1e-12  # the relative error that an inexact answer may have in any case


def plain(value: Any) -> Any:
    """NumPy's scalars as Python's, text such as "5/81" or "9 / 4" as a fraction; anything else as it is."""
    if isinstance(value, np.generic) or (isinstance(value, np.ndarray) and value.ndim == 0):
        return value.item()
    if isinstance(value, str):
        try:
            return Fraction(re.sub(r"\s*/\s*", "/", value))  # Python before 3.12 takes no spaces there
        except (ValueError, ZeroDivisionError):
            return value
    return value


def _is_inexact(value: Any) -> bool:
    return isinstance(value, (float, Decimal, np.floating))


def _is_whole(value: Any) -> bool:
    """Whether it is a whole number without rounding: a float is one up to 2^53."""
    return isinstance(value, int) or (isinstance(value, float) and value.is_integer() and abs(value) <= 2**53)


def same(answer: Any, expected: Any, within: float = 0.0) -> bool:
    """Whether numbers, fractions, words, or lists of them are equal.

    Inexact numbers may differ by a relative error of 1e-12; with `within`, all numbers by that one.
    """
    answer, expected = plain(answer), plain(expected)
    if isinstance(expected, (list, tuple, np.ndarray)):
        return (
            isinstance(answer, (list, tuple, np.ndarray))
            and len(answer) == len(expected)
            and all(same(a, e, within) for a, e in zip(answer, expected))
        )
    if isinstance(answer, str) or isinstance(expected, str):
        return str(answer).strip().lower() == str(expected).strip().lower()
    if isinstance(expected, bool) or isinstance(answer, bool):
        return answer is expected
    try:
        exact = not (_is_inexact(answer) or _is_inexact(expected))
        if not within and (exact or (isinstance(expected, int) and _is_whole(answer))):
            return bool(answer == expected)
        a, e = float(answer), float(expected)
    except (TypeError, ValueError, OverflowError):
        return False
    if np.isfinite(e):
        return bool(abs(a - e) <= max(within, ROUNDING) * abs(e))  # a NaN fails
    return a == e or (np.isnan(a) and np.isnan(e))


def check(
    answer: Any,
    expected: Any,
    hint: str = "",
    *,
    within: float = 0.0,
    show: Optional[Callable[[Any], None]] = None,
) -> None:
    """Prints whether `answer` is `expected`: numbers, fractions ("5/81"), words, or lists of them.

    `within` is the relative error that a rough answer may have, such as 0.05. `show` draws an answer that is not right.
    """
    if answer is ...:
        print("Your turn: put your answer in place of the dots, and run this cell again.")
    elif same(answer, expected, within):
        print("Right.")
    else:
        print("Not yet." + (f" {hint}" if hint else ""))
        if show is not None:
            with suppress(Exception):  # an answer of another kind, such as words for a number, cannot be drawn
                show(answer)
