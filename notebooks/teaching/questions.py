"""Questions: a reader puts an answer in place of `...`, and `check` says whether it is right.

What is right is computed by the reference in the same cell; nobody wrote it down. So it helps to answer first.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np


def _number(value: Any) -> Any:
    """Text such as "5/81" as a fraction; anything else as it is."""
    if isinstance(value, str):
        try:
            return Fraction(value)
        except ValueError:
            return value
    return value


def _is_inexact(value: Any) -> bool:
    return isinstance(value, (float, Decimal, np.floating))


def same(answer: Any, expected: Any, within: float) -> bool:
    """Whether numbers, fractions, words, or lists of them are equal; inexact ones within a relative error."""
    if isinstance(expected, (list, tuple, np.ndarray)):
        return (
            isinstance(answer, (list, tuple, np.ndarray))
            and len(answer) == len(expected)
            and all(same(a, e, within) for a, e in zip(answer, expected))
        )
    answer, expected = _number(answer), _number(expected)
    if isinstance(answer, str) or isinstance(expected, str):
        return str(answer).strip().lower() == str(expected).strip().lower()
    if isinstance(expected, bool) or isinstance(answer, bool):
        return answer is expected
    try:
        if not (within or _is_inexact(answer) or _is_inexact(expected)):
            return bool(answer == expected)
        a, e = float(answer), float(expected)
    except (TypeError, ValueError, OverflowError):
        return False
    if np.isfinite(e):
        return bool(abs(a - e) <= max(within, 1e-12) * abs(e))  # a NaN fails
    return a == e or (np.isnan(a) and np.isnan(e))


def check(answer: Any, expected: Any, hint: str = "", *, within: float = 0.0) -> None:
    """Prints whether `answer` is `expected`: numbers, fractions ("5/81"), words, or lists of them.

    `within` is the relative error that a rough answer may have, such as 0.05.
    """
    if answer is ...:
        print("Your turn: put your answer in place of the dots, and run this cell again.")
    elif same(answer, expected, within):
        print("Right.")
    else:
        print("Not yet." + (f" {hint}" if hint else ""))
