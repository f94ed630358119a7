#!/usr/bin/env python3
"""Draws docs/compiled.svg, the README's opening picture, from the gate's runs on PyTorch's wheel for macOS:

docs/pictures/compiled.py torch-2.15.0-cp311-cp311-macosx_14_0_arm64.whl >docs/compiled.svg

Needs the package assay: PYTHONPATH=build/release/validation/python.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any, Dict

from assay.conformance import compiled, judge_entry
from sheet import MARGIN, WIDTH, Sheet

FIRST, SECOND = "#0072b2", "#d55e00"
STATES = ("blank", "label", "blank")
ROWS = {"511 labels": 1023, "512 labels": 1025}  # and their states


def runs(wheel: str) -> Dict[str, Dict[str, Any]]:
    """What the gate says of each kernel of CTC with a batch: each property by its name."""
    said = {}
    with tempfile.TemporaryDirectory() as folder:
        for entry in compiled([wheel], Path(folder)):
            name, _, title = entry.title.partition(", ")
            if name == "ctc_loss" and title:
                report = judge_entry(entry, 0, 1).record
                said[title] = {one["name"]: one for one in report["runs"][0]["properties"]}
                for one in said[title].values():
                    if one["failure"]:
                        one["failure"]["reproducer"] = one["failure"]["reproducer"].replace(folder, "kernels")
    return said


def lengths(sheet: Sheet, said: Dict[str, Dict[str, Any]]) -> None:
    """The table of the two lengths, of which one is right."""
    for x, word in zip((130, 206, 288, 366), ("states", "threads", "loss", "gradient")):
        sheet.text(x, 88, word, "muted", 13)
    for i, (title, states) in enumerate(ROWS.items()):
        y = 114 + 26 * i
        sheet.text(MARGIN, y, title, "ink", 14)
        sheet.text(130, y, f"{states:,}", "ink mono", 13)
        sheet.text(206, y, f"{min(states, 1024):,}", "ink mono", 13)
        for x, name in ((288, "loss"), (366, "gradient")):
            verdict = said[title][name]["verdict"]
            sheet.text(x, y, verdict, ("good" if verdict == "pass" else "bad") + " mono", 13.5)


def lattice(sheet: Sheet, x: float, y: float) -> None:
    """Three frames and three states in a group of two threads: what beta reads."""
    sheet.add('<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
              'orient="auto-start-reverse"><path d="M0 0L8 4L0 8z" class="bad"/></marker></defs>')  # fmt: skip
    for first, rows, colour, words in ((0, 2, FIRST, "first block"), (2, 1, SECOND, "second block")):
        sheet.add(f'<rect x="{x - 26:g}" y="{y - 24 + 46 * first:g}" width="258" height="{46 * rows + 2}" rx="10" '
                  f'fill="{colour}" fill-opacity="0.12" stroke="{colour}"/>')  # fmt: skip
        sheet.text(x + 242, y + 46 * first + (28 if rows == 2 else 6), words, "muted", 13)
    for s, name in enumerate(STATES):
        sheet.text(x - 38, y + 46 * s + 5, name, "ink", 13, "end")
        for t in range(3):
            sheet.add(f'<circle class="cell" cx="{x + 100 * t:g}" cy="{y + 46 * s:g}" r="15"/>')
    sheet.add(f'<path d="M{x + 14:g} {y + 54:g}L{x + 86:g} {y + 84:g}" stroke="#cf222e" stroke-width="2.5" '
              'marker-end="url(#arrow)"/>')  # fmt: skip
    for t in range(3):
        sheet.text(x + 100 * t, y + 138, f"frame {t}", "muted", 13, "middle")


def main() -> None:
    said = runs(sys.argv[1])
    assert [said[title][name]["verdict"] for title in ROWS for name in ("loss", "gradient")] == ["pass", "pass", "pass", "fail"]
    failure = said["one label, two threads"]["gradient"]["failure"]
    sheet = Sheet("A wrong gradient in a released library, found on Linux", 724)
    sheet.paragraph(32, "PyTorch 2.15, CTC for Apple GPUs, as Apple's compiler made it: right loss, wrong gradient", "ink", 16)
    lengths(sheet, said)
    exact, got = (line.split()[1] for line in said["512 labels"]["gradient"]["failure"]["explanation"].splitlines()[1:4:2])
    y = sheet.paragraph(172, f"An element is {float(got):.3f} in place of {float(exact):.3f}.")
    y = sheet.paragraph(y + 4, "A group has at most 1,024 threads. More states are computed in blocks.", "muted", 13)
    sheet.add(f'<path class="line" d="M{MARGIN} {y}H{WIDTH - MARGIN}"/>')
    sheet.paragraph(y + 28, "The smallest case: one label, a group of two threads")
    lattice(sheet, 112, y + 66)
    y = sheet.paragraph(y + 236, "beta needs a state that the second block has yet to compute (red). The failure, shrunk:")
    for line in failure["explanation"].splitlines()[:5]:
        y = sheet.paragraph(y + 2, line, "muted mono", 12)
    words = failure["usual_cause"].partition(": a ")
    y = sheet.paragraph(y + 10, f"Usual cause: {words[0]}: a {words[2]}", "ink", 13)
    sheet.paragraph(y + 8, failure["reproducer"].partition(" input=")[0] + " ...'", "ink mono", 12)
    sys.stdout.write(str(sheet))


if __name__ == "__main__":
    main()
