"""Finds and runs the program ``assay``, which judges."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path


def program() -> str:
    """The path of the program: $ASSAY_PROGRAM, or the one that came with the package.

    Raises FileNotFoundError, with advice, where there is none.
    """
    path = Path(os.environ.get("ASSAY_PROGRAM") or Path(__file__).parent / "bin" / "assay")
    if not path.is_file():
        raise FileNotFoundError(f"{path}: the judge is not there: install the package anew, or set ASSAY_PROGRAM")
    return str(path)


def run_program(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs the program to its end; the caller checks the exit status."""
    return subprocess.run([program(), *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
