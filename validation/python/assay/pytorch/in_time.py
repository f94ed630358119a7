"""A run of the gate that ends in time: rounds of more and more cases, the last finished one of which counts."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
from typing import Any, Callable, Iterator, List, NamedTuple, Optional, Tuple

import _thread

_GROWTH = 4
_FAST = 100  # a first round that takes less than this part of the time is followed by the whole run


class InTime(NamedTuple):
    result: Optional[Any]  # None where no round ended in time
    cases: int  # of each property
    is_whole: bool  # all that was asked for


class _Ended(Exception):
    """The time is up."""


@contextmanager
def _ending_in(seconds: float) -> Iterator[None]:
    """Raises _Ended in this thread, the main one, when the time is up, as an interrupt at the keyboard would."""
    came: List[bool] = []

    def end() -> None:
        came.append(True)
        _thread.interrupt_main()

    timer = threading.Timer(max(seconds, 0.0), end)
    timer.daemon = True
    timer.start()
    try:
        yield
    except KeyboardInterrupt:
        if not came:
            raise
        raise _Ended from None
    finally:
        timer.cancel()


def judged_in_time(
    judge: Callable[[int, str], Any], cases: int, reach: str, seconds: float, tell: Callable[[str], None]
) -> InTime:
    """judge(cases, reach) as often as there is time for, up to the `cases` and the `reach` that are asked for, or a failure."""
    began, rounds = time.monotonic(), _rounds(cases, reach)
    done = InTime(None, 0, False)
    k = 0
    while k < len(rounds):
        count, far = rounds[k]
        start = time.monotonic()
        try:
            with _ending_in(began + seconds - start):
                result = judge(count, far)
        except _Ended:
            tell(f"the time of {seconds:g} s ended after {done.cases} cases of each property")
            return done
        took, is_last = time.monotonic() - start, k == len(rounds) - 1
        done = InTime(result, count, is_last)
        if is_last or not result.passed and _has_failed(result):
            return done
        k = len(rounds) - 1 if took < seconds / _FAST else k + 1
        if k < len(rounds):
            tell(f"{count} cases of each property pass in {took:.0f} s; next are {rounds[k][0]}")
    return done


def _has_failed(result: Any) -> bool:
    """A run of few cases may prove too little, which more cases mend."""
    return any(one.failure is not None for one in result.properties)


def _rounds(cases: int, reach: str) -> List[Tuple[int, str]]:
    counts, count = [], 2
    while count < cases:
        counts.append((count, "none"))
        count *= _GROWTH
    return [*counts, (cases, reach)]
