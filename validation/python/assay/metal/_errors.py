"""The exceptions that running a kernel raises, and the reports in them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Tuple


class MetalError(RuntimeError):
    """A kernel did not run to its end."""


class CompileError(MetalError):
    """A shader does not compile; the text has file, line and column."""


class MetalWarning(UserWarning):
    """A simdgroup operation in which not all lanes take part: Metal defines its result, but it may not be meant."""


@dataclass(frozen=True)
class Event:
    """An action of one thread."""

    action: str  # "read of 4 bytes"
    file: str
    line: int
    column: int
    thread_position_in_grid: Tuple[int, int, int]
    thread_position_in_threadgroup: Tuple[int, int, int]
    threadgroup_position_in_grid: Tuple[int, int, int]


@dataclass(frozen=True)
class Report:
    """A finding of one of the emulator's checks."""

    check: str  # "memcheck", "initcheck", "racecheck", "synccheck", "simdcheck", "intcheck", "numcheck" or "schedcheck"
    kernel: str
    message: str
    address: str  # "buffer(0) `in` + 1000"; empty where no memory is meant
    advice: str  # what to do
    count: int  # how often it was found at the same places
    event: Event
    other: Optional[Event]  # the earlier access, or the thread that is elsewhere

    @property
    def is_of_equal_values(self) -> bool:
        """Whether it is a race of two writes of the same value."""
        return self.check == "racecheck" and "both write the same value" in self.message

    def __str__(self) -> str:
        places = [f"{one.action} at {one.file}:{one.line}:{one.column}" for one in (self.event, self.other) if one]
        at = f" ({self.address})" if self.address else ""
        return f"{self.check}: {self.kernel}: {self.message}{at}: {', '.join(places)}; to mend it, {self.advice}"


class CheckError(MetalError):
    """The emulator's checks have found something; `reports` has all of it."""

    def __init__(self, reports: List[Report], generated: str = "") -> None:
        """`generated`: the text of a shader that nobody wrote, of which the lines of the reports are shown."""
        text = "\n".join(map(str, reports))
        super().__init__(f"{text}\nin the generated text:\n{_lines_of(reports, generated)}" if generated else text)
        self.reports = reports


def _lines_of(reports: List[Report], generated: str) -> str:
    """The lines at which something was found, and those around them, with their numbers."""
    found = {one.line for report in reports for one in (report.event, report.other) if one}
    lines = generated.splitlines()
    shown = sorted({near for line in found for near in (line - 1, line, line + 1) if 0 < near <= len(lines)})
    return "\n".join(f"{'>' if line in found else ' '} {line:4}: {lines[line - 1]}" for line in shown)


def _event(said: Dict[str, Any]) -> Event:
    fields: Any = {name: tuple(value) if isinstance(value, list) else value for name, value in said.items()}
    return Event(**fields)


def report_of(said: Dict[str, Any]) -> Report:
    """A report from the program's JSON."""
    other = said["other"] and _event(said["other"])
    return Report(**{**said, "event": _event(said["event"]), "other": other})
