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
from sheet import MARGIN, WIDTH, Sheet

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
        sheet.add(f'<rect class="{kind}" x="{x + 32 * j}" y="{y + 28 * i}" width="32" height="28"/>')
        sheet.text(x + 32 * j + 16, y + 28 * i + 19, f"{abs(value):.2g}", "ink mono", 13, "middle")


def panel(sheet: Sheet, x: float, name: str, values: np.ndarray, wrong: np.ndarray, verdict: str) -> None:
    sheet.text(x, 64, name, "ink mono", 14)
    matrix(sheet, x, 76, values, wrong)
    sheet.text(x, 208, verdict, "bad" if wrong.any() else "good", 13)


def verdicts(sheet: Sheet, result: Dict[str, Any]) -> None:
    sheet.text(MARGIN, 246, "assay gate svd", "ink mono", 14)
    for i, (name, claim) in enumerate(CLAIMS.items()):
        y, verdict = 272 + 24 * i, result[name]["verdict"]
        sheet.text(MARGIN, y, name, "ink", 14)
        sheet.text(173, y, claim, "muted mono", 13)
        sheet.text(328, y, verdict, ("good" if verdict == "pass" else "bad") + " mono", 14)
    sheet.add(f'<path class="line" d="M{MARGIN} 340H{WIDTH - MARGIN}"/>')


def main() -> None:
    U, S, Vh = factors(MET)
    product, gram = U * S @ Vh, U.T @ U
    assert np.allclose(product, MET)
    result = judged(sys.argv[1])
    assert [name for name in CLAIMS if result[name]["verdict"] != "pass"] == ["orthonormal-u"]
    failure = result["orthonormal-u"]["failure"]

    sheet = Sheet("A bug that allclose passes and Assay shows", 530)
    sheet.text(MARGIN, 34, "An SVD that leaves U at zero where S is zero", "ink", 17)
    right = np.zeros(MET.shape, bool)
    panel(sheet, MARGIN, "A", MET, right, "a matrix of rank 2")
    panel(sheet, 173, "U S Vh", product, right, "allclose(..., A): True")
    panel(sheet, 328, "U^T U", gram, ~np.isclose(gram, np.eye(len(gram))), "not the identity")
    verdicts(sheet, result)
    y = sheet.paragraph(368, "The failure, shrunk to the smallest matrix that shows it, and the line that replays it:")
    for line in failure["explanation"].splitlines()[:4]:
        y = sheet.paragraph(y + 2, line, "muted mono", 12)
    sheet.paragraph(y + 8, failure["reproducer"], "ink mono", 12)
    sys.stdout.write(str(sheet))


if __name__ == "__main__":
    main()
