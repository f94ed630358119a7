"""One run of the program: a script of one dispatch and its arrays, in a folder of their own."""

from __future__ import annotations

import json
import tempfile
import warnings
from pathlib import Path
from typing import Any, Dict, List, Mapping

import numpy as np

from .._program import run_program
from ._errors import CheckError, MetalError, MetalWarning, report_of


def run(
    script: Mapping[str, Any],
    inputs: Mapping[str, np.ndarray],
    outputs: List[str],
    device: str,
    allows_equal_writes: bool = False,
) -> Dict[str, np.ndarray]:
    """Runs a script to which `inputs` are added as .npy files, and returns the arrays named by `outputs`.

    Raises ValueError for what does not fit the kernel, CheckError for what the checks find, MetalError for a kernel
    that did not run to its end. Of races in which both threads write the same value it only warns, if
    `allows_equal_writes`.
    """
    with tempfile.TemporaryDirectory(prefix="assay-") as folder:
        files = {name: f"out-{name}.npy" for name in outputs}
        path, outcome = write_script(Path(folder), {**script, "outputs": files}, inputs), Path(folder) / "outcome.json"
        ended = run_program("metal", "run", path, "--device", device, "--json", outcome.name, folder=folder)
        if ended.returncode not in (0, 1) or not outcome.is_file():
            raise ValueError((ended.stderr or ended.stdout).strip())
        said = json.loads(outcome.read_text())
        _print_messages(said["messages"])
        _raise_findings(said, allows_equal_writes)
        return {name: np.load(Path(folder) / file) for name, file in files.items()}


def write_source(folder: Path, text: str) -> str:
    """Writes the text of a shader to the folder; returns its name. The program runs in this folder, so the name is the
    same in each run, and what was compiled of the text once is found again."""
    (folder / "source.metal").write_text(text)
    return "source.metal"


def write_script(folder: Path, script: Mapping[str, Any], inputs: Mapping[str, np.ndarray]) -> str:
    """Writes a script, its `inputs`, as .npy files, and its "text", if its shader is one, to the folder, where the program
    is to run; returns its name."""
    script = dict(script)
    if "text" in script:
        script["source"] = write_source(folder, script.pop("text"))
    for name, array in inputs.items():
        np.save(folder / f"in-{name}.npy", array)
    arrays = {**script["arrays"], **{name: f"in-{name}.npy" for name in inputs}}
    (folder / "script.json").write_text(json.dumps({**script, "arrays": arrays}))
    return "script.json"


def _print_messages(messages: List[Mapping[str, Any]]) -> None:
    """Prints the messages of the kernel by os_log."""
    for one in messages:
        print(f"line {one['line']}, thread {tuple(one['thread_position_in_grid'])} of the grid: {one['text']}")


def _raise_findings(said: Mapping[str, Any], allows_equal_writes: bool) -> None:
    reports = [report_of(report) for report in said["reports"]]
    allowed = [report for report in reports if allows_equal_writes and report.is_of_equal_values]
    for warning in [*map(report_of, said["warnings"]), *allowed]:
        warnings.warn(str(warning), MetalWarning, stacklevel=4)
    if len(reports) > len(allowed):
        raise CheckError(reports)
    if said["error"]:
        raise MetalError(said["error"])
