"""Tables of numbers in a notebook, and the program's own words."""

from __future__ import annotations

import html
import re
import shlex
import subprocess
import textwrap
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


def _wrapped(line: str, width: int = 100) -> str:
    indent = " " * (len(line) - len(line.lstrip()))
    pieces = textwrap.wrap(line, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
    return "\n".join(pieces) if len(line) > width else line


def _anywhere(words: str) -> str:
    """Without what differs from machine to machine, seconds and the folders of sources; long lines wrapped."""
    words = re.sub(r"(?m), in [\d.]+ s$", "", words)
    words = re.sub(r"(?m)^( +at )/.*/", r"\1", words)
    return "\n".join(_wrapped(line) for line in words.rstrip().split("\n"))


def run(*arguments: str, folder: Optional[str] = None) -> None:
    """Runs the program `assay` with these arguments, in `folder`, and prints what it says.

    Its exit status is said where it is not 0; seconds and the folders of sources are not.
    """
    print(_wrapped("$ ./assay " + shlex.join(arguments)))
    done = subprocess.run(
        [program(), *arguments], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    print(_anywhere(done.stdout + done.stderr))
    if done.returncode != 0:
        print(f"(exit status {done.returncode})")


def report(result: Any) -> None:
    """Prints what `assay gate` prints of a GateResult, but for the seconds that it took."""
    print(_anywhere(str(result)))
