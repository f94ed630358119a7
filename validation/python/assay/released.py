"""Faults in released software, found by the gate: ./assay conformance --device cuda prints this table of docs/conformance.md.

A row is a function of a library that is installed, under the inputs that showed a fault of it. A release that mended the fault
passes.
"""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import time
from dataclasses import asdict, dataclass
from typing import Any, Callable, Dict, Iterable, Iterator, Optional, Sequence

from . import _gate
from ._gate_result import GateResult
from ._operation import Operation
from ._references import operation
from ._released_checkouts import CHECKOUT_FAULTS
from ._released_faults import FAULTS, LAST_FAULTS, Fault

ALL = (*FAULTS, *CHECKOUT_FAULTS, *LAST_FAULTS)


@dataclass(frozen=True)
class Found:
    """What the gate says of one function."""

    library: str  # with its version, where it is installed
    title: str
    what: str
    missing: str = ""  # why it was not judged
    verdict: str = ""
    case: str = ""  # the smallest that fails
    said: str = ""  # what was due there, and what came
    seconds: float = 0.0


def judge_fault(
    fault: Fault, device: str, cases: int, seed: int, kernel: Optional[Callable[..., Any]] = None
) -> GateResult:
    """The gate on the function, or on another kernel in its place."""
    fn = kernel or fault.kernel
    declared = {**fault.declared}
    if isinstance(fault.operation, str):
        options: Any = {"cases": cases, "seed": seed, "filter": fault.filter, "reach": fault.reach, **declared}
        judged: GateResult = _gate.gate(fault.operation, fn, **options)  # type: ignore[call-overload]
        return judged
    made = fault.operation
    if not isinstance(made, Operation):
        inputs: Any = fault.inputs
        made = operation(**inputs)(made)
        declared["device"] = device
    kernels = (None, fn) if fault.is_gradient else (fn, None)
    given = fault.given() if fault.given else None
    return made.gate(*kernels, cases=cases, seed=seed, filter=fault.filter, reach=fault.reach, input=given, **declared)


def _lines(result: GateResult) -> Dict[str, str]:
    failed = [one for one in result.properties if not one.passed]
    if not failed:
        return {"verdict": "pass"}
    worst = failed[0]
    if worst.failure is None:
        return {"verdict": worst.verdict, "said": " ".join(worst.mistrust.split())}
    lines = [" ".join(line.split()) for line in worst.failure.explanation.splitlines() if line.strip()]
    wanted = [line for line in lines if line.split()[0] in ("exact", "got", "error")] or lines[:2]
    case = worst.failure.reproducer.split("seed=")[-1].partition(" ")[2]
    return {
        "verdict": worst.verdict,
        "case": case[:200],
        "said": "; ".join([lines[0], *wanted] if wanted[0] != lines[0] else wanted)[:300],
    }


def _version(name: str) -> str:
    library = importlib.import_module(name)
    version = getattr(library, "__version__", "")
    if not version:
        from importlib.metadata import PackageNotFoundError, version as version_of

        try:
            version = version_of(name)
        except PackageNotFoundError:
            pass
    return f"{name} {version}".strip()


def found_by(fault: Fault, device: str, cases: int, seed: int) -> Found:
    """The row of one function; why there is none where its library is missing or says no."""
    began = time.monotonic()
    if device.partition(":")[0] not in fault.devices:
        return Found(fault.library, fault.title, fault.what, f"it is judged on {', '.join(fault.devices)}")
    try:
        library = fault.version() if fault.version else _version(fault.library)
        said = _lines(judge_fault(fault, device, cases, seed))
    except Exception as error:  # as an import of a library raises that this machine does not suit
        return Found(fault.library, fault.title, fault.what, f"{type(error).__name__}: {str(error)[:200]}")
    return Found(library, fault.title, fault.what, seconds=round(time.monotonic() - began, 1), **said)


def found(device: str, cases: int, seed: int, faults: Sequence[Fault] = ALL) -> Iterator[Found]:
    for fault in faults:
        yield found_by(fault, device, cases, seed)


def found_in(python: str, device: str, cases: int, seed: int) -> Iterator[Found]:
    """The rows by another interpreter, which has an assay of its own. Raises RuntimeError where that fails."""
    command = [python, "-m", "assay.conformance", "--rows", "--device", device, "--cases", str(cases), "--seed", str(seed)]
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        for line in other.stdout:
            if line.startswith('{"library"'):  # a library may print as it is imported
                yield Found(**json.loads(line))
    if other.returncode != 0:
        raise RuntimeError(f"{python} ended with {other.returncode}: expected an environment with assay (pip install .)")


def report(rows: Iterable[Found], json_file: Optional[str] = None) -> Iterator[str]:
    """The table, and the functions that were not judged, line by line; all rows go into the file of JSON."""
    rows_seen, missing = [], []
    yield "| library | function | fault | verdict | smallest case | there | seconds |"
    yield "|---|---|---|---|---|---|---|"
    for row in rows:
        rows_seen.append(asdict(row))
        if row.missing:
            missing.append(row)
            continue
        texts = (row.library, row.title, row.what, row.verdict, row.case, row.said, f"{row.seconds:g}")
        yield "| " + " | ".join(text.replace("|", "\\|") for text in texts) + " |"
    for row in missing:
        yield f"\n`{row.library}` {row.title}: not judged ({row.missing})"
    if json_file:
        with open(json_file, "w", encoding="utf-8") as file:
            json.dump(rows_seen, file, indent=1)
