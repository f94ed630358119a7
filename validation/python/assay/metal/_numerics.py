"""The lines of a kernel that lose digits: `assay metal check --numerics` from Python."""

from __future__ import annotations

import html
import json
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, List, Mapping

import numpy as np

from .._program import run_program
from ._errors import CheckError, MetalError, Report, report_of
from ._run import write_script


@dataclass(frozen=True)
class LineLoss:
    """The digits that a line of the shader loses."""

    file: str
    line: int
    share: float  # of the error of the elements that lost more than half of their digits; of all if there are none
    lost_bits: float  # by its worst operation: log2 of the growth of the relative error


@dataclass(frozen=True)
class OutputError:
    """The worst element of a buffer."""

    place: str  # "buffer(1) `y` + 20"
    stored: float
    exact: float
    lost_bits: float


@dataclass(frozen=True)
class KernelNumerics:
    """What a kernel loses. `print` shows the source with a margin of lost bits; a notebook shows it as a heat map."""

    kernel: str
    large: int  # elements that lost more than half of their digits
    worst: List[OutputError]
    lines: List[LineLoss]  # by falling share
    reports: List[Report]  # of numcheck: errors first, then warnings
    text: str  # what the program prints
    page: str  # what it writes by --html

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__

    def _repr_html_(self) -> str:
        height = min(40 + 20 * self.page.count("<tr") + 300, 1600)
        style = f"width: 100%; height: {height}px; border: 0"
        return f'<iframe srcdoc="{html.escape(self.page)}" title="numerics of {html.escape(self.kernel)}" style="{style}"></iframe>'


def numerics_of(script: Mapping[str, Any], inputs: Mapping[str, np.ndarray]) -> KernelNumerics:
    """Runs a script of one dispatch. Raises as a call of a kernel does, but not for what numcheck finds."""
    with tempfile.TemporaryDirectory(prefix="assay-") as name:
        folder = Path(name)
        path, outcome, page = write_script(folder, script, inputs), folder / "outcome.json", folder / "page.html"
        results = ("--json", outcome.name, "--html", page.name)
        ended = run_program("metal", "check", path, "--numerics", *results, folder=name)
        if ended.returncode not in (0, 1) or not outcome.is_file():
            raise ValueError((ended.stderr or ended.stdout).strip())
        texts = [outcome.read_text(), ended.stdout, page.read_text()]
        if "source" in script:
            texts = [one.replace(f"{Path(script['source']).parent}/", "") for one in texts]
        return _numerics(json.loads(texts[0]), *texts[1:])


def _numerics(said: Dict[str, Any], text: str, page: str) -> KernelNumerics:
    found = [report_of(report) for report in said["reports"] + said["warnings"]]
    others = [report_of(report) for report in said["reports"] if report["check"] != "numcheck"]
    if others:
        raise CheckError(others)
    if said["error"]:
        raise MetalError(said["error"])
    dispatch = said["numerics"][0]
    numbers: Dict[Any, Any] = {None: float("nan"), "nan": float("nan"), "inf": float("inf"), "-inf": float("-inf")}
    worst = [OutputError(**{key: numbers.get(value, value) for key, value in one.items()}) for one in dispatch["worst"]]
    lines = [LineLoss(**one) for one in dispatch["lines"]]
    reports = [report for report in found if report.check == "numcheck"]
    return KernelNumerics(dispatch["kernel"], dispatch["elements_with_large_errors"], worst, lines, reports, text.strip(), page)
