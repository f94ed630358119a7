"""What the programs of this folder that judge products of small formats share: a kernel under judgement, and the verdicts."""

from __future__ import annotations

import argparse
from typing import Any, Iterable, NamedTuple

import assay


class Entry(NamedTuple):
    title: str
    operation: Any
    kernel: Any  # a function of a problem, or the path of a binding
    declared: dict


def judged(entry: Entry, cases: int) -> str:
    """passed, or which properties did not; after the run's table."""
    try:
        result = assay.gate(entry.operation, entry.kernel, cases=cases, **entry.declared)
    except (ImportError, NotImplementedError) as error:
        return f"not here: {error}"
    print(f"\n== {entry.title}\n{result.table}", flush=True)
    lacks = [one.explanation for one in result.failures.values() if "No module named" in one.explanation]
    if lacks:
        return "not here: " + lacks[0].strip().splitlines()[0]
    return ", ".join(f"{one.name} {one.verdict}" for one in result.properties if not one.passed) or "passed"


def arguments(description: str) -> argparse.ArgumentParser:
    asked = argparse.ArgumentParser(description=description)
    asked.add_argument("--cases", type=int, default=40)
    asked.add_argument("--only", default="", help="of the kernels whose titles have this word")
    return asked


def print_verdicts(entries: Iterable[Entry], given: argparse.Namespace) -> int:
    """Judges the entries that are asked for. The exit status: 0 if all passed, 1 if something failed."""
    lines = {one.title: judged(one, given.cases) for one in entries if given.only in one.title}
    print("\n" + "\n".join(f"{title}: {said}" for title, said in lines.items()))
    return 0 if all(said == "passed" or said.startswith("not here") for said in lines.values()) else 1
