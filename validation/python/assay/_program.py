"""Finds and runs the program ``assay``, which judges."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Dict, Optional, Tuple


def program() -> str:
    """The path of the program: $ASSAY_PROGRAM, or the one that came with the package.

    Raises FileNotFoundError, with advice, where there is none.
    """
    path = Path(os.environ.get("ASSAY_PROGRAM") or Path(__file__).parent / "bin" / "assay")
    if not path.is_file():
        raise FileNotFoundError(f"{path}: the judge is not there: install the package anew, or set ASSAY_PROGRAM")
    return str(path.absolute())


def environment(shard: Optional[Tuple[int, int]] = None) -> Dict[str, str]:
    """This process's variables, with those of `shard`, an index and how many there are, in place of a test runner's."""
    variables = {name: value for name, value in os.environ.items() if not name.startswith("GTEST_")}
    if shard is not None:
        variables.update(GTEST_SHARD_INDEX=str(shard[0]), GTEST_TOTAL_SHARDS=str(shard[1]))
    return variables


def run_program(
    *arguments: str, shard: Optional[Tuple[int, int]] = None, folder: Optional[str] = None
) -> subprocess.CompletedProcess[str]:
    """Runs the program to its end, in `folder` or where this process is; the caller checks the exit status."""
    return subprocess.run([program(), *arguments], env=environment(shard), stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, check=False, cwd=folder)
