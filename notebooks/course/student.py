"""Student versions: the notebooks without their solutions, in a folder that holds all that they import."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any, Iterable

import nbformat
from lessons import NOTEBOOKS

GIVEN_AWAY = re.compile(r"<details>\s*<summary>(?:Solution|What follows)</summary>.*?</details>\s*", re.DOTALL)


def without_solutions(notebook: Any) -> Any:
    """The notebook without the folds that hold a solution; hints and typical wrong answers stay."""
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = GIVEN_AWAY.sub("", cell.source).rstrip("\n")
    notebook.cells = [cell for cell in notebook.cells if cell.source.strip()]
    return notebook


def write(paths: Iterable[Path], out: Path) -> int:
    """Writes them into `out`, beside the modules, the data and, where there is one, the wheel; returns how many."""
    out.mkdir(parents=True, exist_ok=True)
    count = 0
    for path in paths:
        nbformat.write(without_solutions(nbformat.read(path, as_version=4)), out / path.name)
        count += 1
    for folder in ("teaching", "data"):
        shutil.copytree(NOTEBOOKS / folder, out / folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    for wheel in NOTEBOOKS.glob("assay-*.whl"):
        shutil.copy(wheel, out)
    return count
