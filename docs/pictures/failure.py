#!/usr/bin/env python3
"""Draws docs/failure.svg, the README's bug, from a run:

docs/pictures/failure.py build/release/validation/assay >docs/failure.svg
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Dict

import numpy as np
from sheet import Sheet

KERNEL = "fault:null-space-left-zero"  # validation/svd/faults/factors.cpp
MET = np.array([[2, 0, 2, 0], [0, 1, 0, 1], [2, 0, 2, 0], [0, 1, 0, 1]], np.float32)  # of rank 2
CLAIMS = {"values": "S", "reconstruction": "U S Vh = A", "orthonormal-u": "U^T U = I"}


def factors(A):
    """U, S, Vh with the bug, as that kernel has it: u = A v / s, and zeros where s is 0."""
    _, S, Vh = np.linalg.svd(A.astype(float), full_matrices=False)
    S[S < 1e-6 * S.max()] = 0
    return A @ Vh.T / np.where(S > 0, S, np.inf), S, Vh


def judged(program: str) -> Dict[str, Any]:
    """What the gate says of the kernel: each property by its name."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.json"
        words = ["gate", "svd", "--kernel", KERNEL, "--filter", f"^({'|'.join(CLAIMS)})$", "--json", str(path)]
        subprocess.run([program, *words], stdout=subprocess.DEVNULL)
        return {one["name"]: one for one in json.loads(path.read_text())["runs"][0]["properties"]}


def matrix(sheet: Sheet, x: float, y: float, values: np.ndarray, wrong: np.ndarray) -> None:
    for (i, j), value in np.ndenumerate(values):
        kind = "bad-cell" if wrong[i, j] else "cell"
        sheet.add(f'<rect class="{kind}" x="{x + 38 * j}" y="{y + 30 * i}" width="38" height="30"/>')
        sheet.text(x + 38 * j + 19, y + 30 * i + 20, f"{abs(value):.2g}", "ink mono", 13, "middle")


def panel(sheet: Sheet, x: float, name: str, values: np.ndarray, wrong: np.ndarray, verdict: str) -> None:
    sheet.text(x, 66, name, "ink mono", 14)
    matrix(sheet, x, 80, values, wrong)
    sheet.text(x, 226, verdict, ("bad" if wrong.any() else "good") + " mono", 12.5)


def main() -> None:
    U, S, Vh = factors(MET)
    product, gram = U * S @ Vh, U.T @ U
    assert np.allclose(product, MET)
    result = judged(sys.argv[1])
    assert [name for name in CLAIMS if result[name]["verdict"] != "pass"] == ["orthonormal-u"]
    failure = result["orthonormal-u"]["failure"]

    sheet = Sheet("A bug that allclose passes and Assay shows", 860, 408)
    sheet.text(24, 34, "An SVD that leaves U at zero where S is zero", "ink", 17)
    right = np.zeros(MET.shape, bool)
    panel(sheet, 24, "A", MET, right, "a matrix of rank 2")
    panel(sheet, 226, "U S Vh", product, right, "allclose(U S Vh, A): True")
    panel(sheet, 448, "U^T U", gram, ~np.isclose(gram, np.eye(len(gram))), "should be the identity")
    sheet.text(650, 66, "assay gate svd", "ink mono", 14)
    for i, (name, claim) in enumerate(CLAIMS.items()):
        verdict = result[name]["verdict"]
        sheet.text(650, 102 + 44 * i, name, "ink", 13.5)
        sheet.text(650, 119 + 44 * i, claim, "muted mono", 12)
        sheet.text(836, 102 + 44 * i, verdict, ("good" if verdict == "pass" else "bad") + " mono", 13.5, "end")
    sheet.add('<path class="line" d="M24 246H836"/>')
    sheet.text(24, 274, "The failure, shrunk to the smallest matrix that shows it, and the line that replays it:", "ink", 14)
    for i, line in enumerate(failure["explanation"].splitlines()[:4]):
        sheet.text(24, 300 + 17 * i, line, "muted mono", 12)
    sheet.text(24, 386, failure["reproducer"], "ink mono", 10.5)
    sys.stdout.write(str(sheet))


if __name__ == "__main__":
    main()
