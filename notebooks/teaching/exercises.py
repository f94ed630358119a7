"""Exercises: a reader writes a function in place of `...`, and `exercise` holds it against the reference.

The hints and the solution stand below the exercise and open at a click; tests run each solution, and a broken one.
"""

from __future__ import annotations

from typing import Any, Callable, Iterable, Sequence

from .questions import same

Function = Callable[..., Any]


def called(name: str, arguments: Sequence[Any]) -> str:
    """The call as a line, cut where it is long."""
    words = ", ".join(str(argument) for argument in arguments)
    return f"{name}({words if len(words) <= 200 else words[:200] + ' ...'})"


def exercise(
    function: Function,
    reference: Function,
    cases: Iterable[Sequence[Any]],
    *,
    view: Function = lambda result: result,
    within: float = 1e-12,
) -> None:
    """Prints whether `function` gives what `reference` gives for the arguments of each case, or the first that differs.

    Fractions and whole numbers must be equal, other numbers within the relative error `within`. `view` makes of either
    result what is compared.
    """
    for arguments in cases:
        call = called(function.__name__, arguments)
        try:
            got = function(*arguments)
            if got is ...:
                print(f"Your turn: write {function.__name__} in place of the dots, and run this cell again.")
                return
            seen = view(got)
        except Exception as error:
            print(f"Not yet. {call} raised {type(error).__name__}: {error}")
            return
        expected = view(reference(*arguments))
        if not same(seen, expected, within):
            print(f"Not yet. {call}\n  returned {seen}\n  expected {expected}")
            return
    print("Right.")
