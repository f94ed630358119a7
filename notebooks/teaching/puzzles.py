"""Puzzles: a reader writes a Metal kernel in place of `...`; `puzzle` runs it on the emulator, with every access checked,
and compares its output with the reference's.

Hints, a typical wrong attempt and the solution stand below and open at a click; tests run each solution and each attempt.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, Callable, Sequence, Tuple

import numpy as np

from .exercises import called

if TYPE_CHECKING:
    from assay import metal

PRELUDE = "#include <metal_stdlib>\nusing namespace metal;\n"
Threads = Callable[..., Tuple[Any, Any]]


def _place(event: metal.Event, lines: Sequence[str], is_flat: bool) -> str:
    """The thread, what it did, and the line of the reader's text where it did it."""
    line = event.line - PRELUDE.count("\n")
    x, y, _ = event.thread_position_in_grid
    thread = str(x) if is_flat else f"({x}, {y})"
    text = lines[line - 1].strip() if 0 < line <= len(lines) else ""
    return f"  thread {thread}: {event.action}, line {line}: {text}"


def found(report: metal.Report, lines: Sequence[str]) -> str:
    """A finding, with the lines of the text that it speaks of."""
    where = f" ({report.address})" if report.address else ""
    events = [event for event in (report.event, report.other) if event is not None]
    is_flat = all(event.thread_position_in_grid[1] == 0 for event in events)
    places = [_place(event, lines, is_flat) for event in events]
    return "\n".join([f"{report.check}: {report.message}{where}", *places])


def _differences(got: np.ndarray, expected: np.ndarray, within: float) -> str:
    """The first wrong element and how many there are; nothing if all are right."""
    error = np.abs(got.astype(np.float64) - expected)
    wrong = ~(error <= within * np.maximum(1, np.abs(expected)))  # a NaN is wrong
    if not wrong.any():
        return ""
    index = tuple(int(i) for i in np.argwhere(wrong)[0])
    place = ", ".join(map(str, index))
    return f"  output[{place}] is {got[index]:.7g}, expected {expected[index]:.7g}; {wrong.sum()} of {wrong.size} are wrong"


def complaint(shader: str, reference: Callable[..., Any], cases: Sequence[Sequence[Any]], threads: Threads,
              within: float = 1e-5) -> str:
    """What is wrong with the kernel in `shader`; nothing if it is right in all cases."""
    lines = shader.strip("\n").split("\n")
    from assay import metal  # not above: in a browser assay has no emulator

    try:
        library = metal.compile(PRELUDE + "\n".join(lines))
        for inputs in cases:
            expected = np.asarray(reference(*inputs), np.float64)
            grid, group = threads(*inputs)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", metal.MetalWarning)
                kernel = library[library.function_names[0]]
                got = kernel(*inputs, metal.unset(expected.shape, np.float32), grid=grid, group=group)
            if wrong := _differences(got, expected, within):
                return f"{called(kernel.name, [_shape(x) for x in inputs])}\n{wrong}"
    except metal.CheckError as error:
        rest = len(error.reports) - 1
        more = f"\n(and {rest} more finding{'s' * (rest > 1)})" if rest else ""
        first = min(error.reports, key=lambda report: report.check != "racecheck")  # a race explains the others
        return f"The emulator found:\n{found(first, lines)}{more}"
    except (metal.MetalError, ValueError) as error:
        return str(error)
    return ""


def _shape(value: Any) -> str:
    return f"{list(value.shape)}" if isinstance(value, np.ndarray) else str(value)


def puzzle(shader: str, reference: Callable[..., Any], cases: Sequence[Sequence[Any]], *, threads: Threads) -> None:
    """Prints whether the kernel in `shader` gives what `reference` gives, with no finding of the emulator's checks.

    A case holds the values of the kernel's buffers in their order; the kernel's last buffer is its output, of the shape of
    the reference's result. `threads` returns the grid and the threadgroup of a case, in threads.
    """
    if "..." in shader:
        print("Your turn: write the kernel in place of the dots, and run this cell again.")
    elif wrong := complaint(shader, reference, cases, threads):
        print(f"Not yet. {wrong}")
    else:
        print(f"Right. {len(cases)} inputs, no race, no access out of bounds.")
