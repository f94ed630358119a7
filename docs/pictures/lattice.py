#!/usr/bin/env python3
"""Draws docs/lattice.svg, the README's lattice in motion, by the reference: docs/pictures/lattice.py >docs/lattice.svg

Needs the package assay: PYTHONPATH=build/release/validation/python.
"""

from __future__ import annotations

import sys
from typing import List

import numpy as np
from assay import steps
from sheet import Sheet

T, LABELS, NAMES = 7, [1, 2, 3], "-cat"
HEARD = "cc-aatt"  # the class with the largest logit of each frame
SECONDS, EACH = 15.0, 5.0  # of the whole, and of each of its three parts
PHASES = {  # what a part shows: its colour, and what it says
    "alpha": ("#e69f00", "alpha: forward. How probable are all beginnings that end in this state?"),
    "beta": ("#009e73", "beta: backward. How probable are all ends that begin in this state?"),
    "posterior": ("#0072b2", "alpha times beta, as a share of p: which letter is in which frame?"),
}


def shown(name: str, first: float, last: float) -> str:
    """Keyframes: visible from one second to another."""
    a, b = 100 * first / SECONDS, 100 * last / SECONDS
    return (
        f"\n    @keyframes {name} {{ 0%, {a:.1f}% {{ opacity: 0 }} {min(a + 2.5, b):.1f}%, {b:.1f}% {{ opacity: 1 }} "
        f"{min(b + 1.5, 100):.1f}%, 100% {{ opacity: 0 }} }}"
        f"\n    .{name} {{ opacity: {int(name == 'posterior')}; animation: {name} {SECONDS:g}s infinite; }}"
    )


def style() -> str:
    rules = [shown(f"alpha-{t}", 0.45 * t, EACH) for t in range(T)]
    rules += [shown(f"beta-{t}", EACH + 0.45 * (T - 1 - t), 2 * EACH) for t in range(T)]
    rules += [shown(name, i * EACH, (i + 1) * EACH - 0.3) for i, name in enumerate(PHASES)]
    still = "\n    @media (prefers-reduced-motion: reduce) { circle, text { animation: none !important; } }"
    return "".join(rules) + still


def position(t: int, s: int) -> "tuple[float, float]":
    return 96 + 57 * t, 94 + 42 * s


def edges(sheet: Sheet, states: List[int]) -> None:
    for t in range(1, T):
        for s in range(len(states)):
            for d in (0, 1, 2):
                may_skip = s >= 2 and states[s] != 0 and states[s] != states[s - 2]
                if s - d >= 0 and (d < 2 or may_skip):
                    (x0, y0), (x1, y1) = position(t - 1, s - d), position(t, s)
                    sheet.add(f'<path class="line" d="M{x0:g} {y0}L{x1:g} {y1}" opacity="0.35"/>')


def main() -> None:
    logits = [[2.0 if NAMES[k] == heard else 0.0 for k in range(4)] for heard in HEARD]
    walk = steps.ctc(LABELS, logits=logits)
    weights = {"alpha": walk.alpha, "beta": walk.beta_excluding, "posterior": walk.alpha * walk.beta_excluding}
    sheet = Sheet("The CTC lattice of cat in seven frames", 408, style())
    for name, (_, words) in PHASES.items():
        sheet.paragraph(32, words, f"ink {name}", 15)
    for s, k in enumerate(walk.states):
        sheet.text(40, position(0, s)[1] + 5, "blank" if k == 0 else NAMES[k], "muted" if k == 0 else "ink", 15, "middle")
    edges(sheet, walk.states)
    for t in range(T):
        sheet.text(position(t, 0)[0], 386, f"frame {t}", "muted", 12, "middle")
        for s in range(len(walk.states)):
            x, y = position(t, s)
            sheet.add(f'<circle class="cell" cx="{x:g}" cy="{y}" r="15"/>')
            for name, (colour, _) in PHASES.items():
                share = float(weights[name][t, s] / np.sum(weights[name][t]))
                moment = name if name == "posterior" else f"{name}-{t}"
                if share > 0:
                    look = f'fill="{colour}" fill-opacity="{share**0.6:.3f}"'
                    sheet.add(f'<circle class="{moment}" cx="{x:g}" cy="{y}" r="14" {look}/>')
    sys.stdout.write(str(sheet))


if __name__ == "__main__":
    main()
