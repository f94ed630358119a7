#!/usr/bin/env python3
"""Draws docs/failure.svg, the README's bug, from a run: docs/pictures/failure.py >docs/failure.svg

Needs the package assay: PYTHONPATH=build/release/validation/python.
"""

from __future__ import annotations

import re
import sys
import textwrap

import assay
import numpy as np
from sheet import Sheet

MET = np.array([[2, 0, 2, 0], [0, 1, 0, 1], [2, 0, 2, 0], [0, 1, 0, 1]], np.float32)  # of rank 2
CLAIMS = {"values": "S", "reconstruction": "U S Vh = A", "orthonormal-u": "U^T U = I"}


def factors(A):
    """U, S, Vh with the bug: u = A v / s, and zeros where s is 0."""
    _, S, Vh = np.linalg.svd(A.astype(float), full_matrices=False)
    S[S < 1e-6 * S.max(initial=0)] = 0
    U = A @ Vh.T / np.where(S > 0, S, np.inf)
    return U.astype(np.float32), S.astype(np.float32), Vh.astype(np.float32)


def buggy_svd(p):
    K = min(p.A.shape[1:])
    made = [factors(A) for A in p.A]
    shapes = (p.A.shape[1], K), (K,), (K, p.A.shape[2])
    return tuple(np.array([m[i] for m in made], np.float32).reshape(-1, *shape) for i, shape in enumerate(shapes))


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
    result = assay.gate("svd", buggy_svd, cases=40, filter=f"^({'|'.join(CLAIMS)})$", checks_arguments=False)
    failure = result.failures["orthonormal-u"]
    assert [name for name in CLAIMS if result[name].verdict != "pass"] == ["orthonormal-u"]

    sheet = Sheet("A bug that allclose passes and Assay shows", 860, 452)
    sheet.text(24, 34, "An SVD that leaves U at zero where S is zero", "ink", 17)
    right = np.zeros((4, 4), bool)
    panel(sheet, 24, "A", MET, right, "the input, of rank 2")
    panel(sheet, 226, "U S Vh", product, right, "allclose(U S Vh, A): True")
    panel(sheet, 448, "U^T U", gram, ~np.isclose(gram, np.eye(4), atol=1e-5), "should be the identity")
    sheet.text(650, 66, "assay gate svd", "ink mono", 14)
    for i, (name, claim) in enumerate(CLAIMS.items()):
        verdict = result[name].verdict
        sheet.text(650, 102 + 44 * i, name, "ink", 13.5)
        sheet.text(650, 119 + 44 * i, claim, "muted mono", 12)
        sheet.text(836, 102 + 44 * i, verdict, ("good" if verdict == "pass" else "bad") + " mono", 13.5, "end")
    sheet.add('<path class="line" d="M24 246H836"/>')
    shrunk = re.search(r"shrunk in \d+ steps?", str(result))[0]
    sheet.text(24, 274, f"The failure, {shrunk}:", "ink", 14)
    lines = [line for line in failure.explanation.strip().splitlines() if line.strip()]
    lines += ["replay with", *textwrap.wrap(f"assay.replay(buggy_svd, '{failure.reproducer}')", 104)]
    for i, line in enumerate(lines[:9]):
        sheet.text(24, 298 + 17 * i, line, "muted mono", 12)
    sys.stdout.write(str(sheet))


if __name__ == "__main__":
    main()
