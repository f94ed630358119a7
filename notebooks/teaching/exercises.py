"""Exercises: a reader writes a function in place of `...`, and `exercise` holds it against the reference.

The hints and the solution stand below the exercise and open at a click; tests run each solution, and a broken one.
"""

from __future__ import annotations

import re
from copy import deepcopy
from typing import Any, Callable, Iterable, Optional, Sequence

from .questions import same

Function = Callable[..., Any]


def written(value: Any) -> str:
    """A value as text, fractions in it as 5/81."""
    words = re.sub(r"Fraction\((-?\d+), 1\)", r"\1", str(value))
    return re.sub(r"Fraction\((-?\d+), (\d+)\)", r"\1/\2", words)


def called(name: str, arguments: Sequence[Any]) -> str:
    """The call as a line, cut where it is long."""
    words = ", ".join(map(written, arguments))
    return f"{name}({words if len(words) <= 200 else words[:200] + ' ...'})"


def exercise(
    function: Function,
    reference: Function,
    cases: Iterable[Sequence[Any]],
    *,
    view: Function = lambda result: result,
    within: float = 0.0,
    show: Optional[Function] = None,
) -> None:
    """Prints whether `function` gives what `reference` gives for the arguments of each case, or the first that differs.

    Fractions and whole numbers must be equal, other numbers too but for rounding, or within the relative error `within`.
    `view` makes of either result what is compared. `show`, which takes both results and the arguments, says and draws where
    they differ, in place of printing them. The function has arguments of its own, so that it may change them.
    """
    for arguments in cases:
        call = called(function.__name__, arguments)
        try:
            got = function(*deepcopy(arguments))
        except Exception as error:
            print(f"Not yet. {call} raised {type(error).__name__}: {error}")
            return
        if got is ...:
            print(f"Your turn: write {function.__name__} in place of the dots, and run this cell again.")
            return
        expected = reference(*arguments)
        if not _agree(got, expected, view, within):
            print(f"Not yet. {call}")
            _explain(got, expected, arguments, view, show)
            return
    print("Right.")


def _agree(got: Any, expected: Any, view: Function, within: float) -> bool:
    """Whether the views are the same; what cannot be viewed, such as None in place of a list, is wrong."""
    seen = view(expected)
    try:
        return same(view(got), seen, within)
    except Exception:
        return False


def _explain(got: Any, expected: Any, arguments: Sequence[Any], view: Function, show: Optional[Function]) -> None:
    try:
        if show is not None:
            show(got, expected, *arguments)
            return
        seen = view(got)
    except Exception:  # not of the shape that is asked for
        seen = got
    print(f"  returned {written(seen)}\n  expected {written(view(expected))}")
