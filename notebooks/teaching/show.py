"""Tables of numbers in a notebook, and the program's own words."""

from __future__ import annotations

import html
import subprocess
from decimal import Decimal
from fractions import Fraction
from typing import Any, Optional, Sequence

import numpy as np
from IPython.display import HTML

from assay._program import program


def number(x: Any) -> str:
    """A fraction as it is, other numbers to four digits."""
    if isinstance(x, Fraction):
        return str(x)
    if isinstance(x, (float, np.floating, Decimal)):
        x = float(x)
        return "0" if x == 0 else f"{x:.4g}"
    return str(x)


def table(rows: Sequence[Sequence[Any]], header: Sequence[Any], side: Optional[Sequence[Any]] = None) -> HTML:
    """Rows under a header, with the names of the rows at their side."""
    head = "".join(f"<th>{html.escape(str(x))}</th>" for x in ([""] if side is not None else []) + list(header))
    body = []
    for i, row in enumerate(rows):
        name = "" if side is None else f"<th>{html.escape(str(side[i]))}</th>"
        body.append("<tr>" + name + "".join(f"<td>{html.escape(number(x))}</td>" for x in row) + "</tr>")
    return HTML(f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table>")


def run(*arguments: str) -> None:
    """Runs the program `assay` with these arguments and prints what it says, and its exit status where that is not 0."""
    print("$ ./assay " + " ".join(arguments))
    done = subprocess.run([program(), *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    print((done.stdout + done.stderr).rstrip())
    if done.returncode != 0:
        print(f"(exit status {done.returncode})")
