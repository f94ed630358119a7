#!/usr/bin/env python3
"""Draws the figures of the derivations by the reference: docs/pictures/derivations.py

It writes docs/convergence.svg (the SVD) and docs/confident.svg (cross-entropy). Needs the package assay:
PYTHONPATH=build/release/validation/python.
"""

from __future__ import annotations

from decimal import Decimal
from math import exp, log10, log1p
from pathlib import Path
from typing import Dict, List, Sequence, Tuple

import numpy as np
from assay import steps
from sheet import MARGIN, Sheet

DOCS = Path(__file__).resolve().parents[1]
COLOURS = ("#0072b2", "#d55e00")
Points = List[Tuple[float, float]]


def chart(title: str, x: Tuple[str, Sequence[float]], y: Tuple[str, Sequence[float]], series: Dict[str, Points]) -> Sheet:
    """Lines through points. An axis is its name and its ticks, of which the first and the last are its ends."""
    sheet = Sheet(title, 344)
    names = sheet.paragraph(30, title, "ink", 15)
    (x_name, x_ticks), (y_name, y_ticks) = x, y

    def at(px: float, py: float) -> Tuple[float, float]:
        return (
            50 + 396 * (px - x_ticks[0]) / (x_ticks[-1] - x_ticks[0]),
            286 - 180 * (py - y_ticks[0]) / (y_ticks[-1] - y_ticks[0]),
        )

    for tick in y_ticks:
        _, height = at(x_ticks[0], tick)
        sheet.add(f'<path class="line" d="M50 {height:g}H446" opacity="0.4"/>')
        sheet.text(42, height + 4, f"{tick:g}", "muted", 12, "end")
    for tick in x_ticks:
        sheet.text(at(tick, y_ticks[0])[0], 304, f"{tick:g}", "muted", 12, "middle")
    sheet.text(248, 328, x_name, "muted", 12, "middle")
    sheet.text(MARGIN, 96, y_name, "muted", 12)
    for (name, points), colour in zip(series.items(), COLOURS):
        places = [at(*point) for point in points]
        path = "L".join(f"{px:.1f} {py:.1f}" for px, py in places)
        sheet.add(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        for px, py in places:
            sheet.add(f'<circle cx="{px:.1f}" cy="{py:.1f}" r="3.5" fill="{colour}"/>')
    for i, (name, colour) in enumerate(zip(series, COLOURS)):
        sheet.add(f'<circle cx="{MARGIN + 5 + 190 * i}" cy="{names - 1}" r="5" fill="{colour}"/>')
        sheet.text(MARGIN + 16 + 190 * i, names + 4, name, "ink", 13)
    return sheet


def convergence() -> Sheet:
    """How small the largest cosine of each sweep is, of a Gaussian matrix in both orders."""
    A = np.random.default_rng(1).normal(size=(16, 16))
    series = {}
    for name, ordering in {"cyclic order": "cyclic", "de Rijk's order": "de_rijk"}.items():
        sweeps = steps.jacobi(A, number=100, ordering=ordering).sweeps[1:]
        series[name] = [(i + 1, min(100.0, -float(s.worst_cosine.log10()))) for i, s in enumerate(sweeps) if s.worst_cosine > 0]
    title = "The number of digits of orthogonality doubles from sweep to sweep"
    return chart(title, ("sweep", range(1, 13)), ("-log10 of the largest cosine met", range(0, 101, 20)), series)


def digits(value: float, exact: Decimal) -> float:
    """How many digits of `value` are right, up to the 16 of a double."""
    error = abs(Decimal(value) / exact - 1)
    return 16.0 if error < Decimal(10) ** -16 else max(0.0, -log10(float(error)))


def confident() -> Sheet:
    """The digits of the loss of a token that is ever more certain, by the two ways to keep the sum."""
    series: Dict[str, Points] = {"1 + q in one number": [], "q by itself": []}
    for gap in range(0, 46, 3):
        exact = steps.log_sum_exp([float(gap), 0.0], number=60).lse - gap
        size = -float(exact.log10())
        together = float(steps.log_sum_exp([float(gap), 0.0], number="double").lse) - gap
        series["1 + q in one number"].append((size, digits(together, exact)))
        series["q by itself"].append((size, digits(log1p(exp(-gap)), exact)))
    title = "A confident token: which digits of its loss are right, in double"
    return chart(title, ("loss of 10^-x", range(0, 21, 5)), ("right digits", range(0, 17, 4)), series)


def main() -> None:
    for figure in (convergence, confident):
        (DOCS / f"{figure.__name__}.svg").write_text(str(figure()))


if __name__ == "__main__":
    main()
