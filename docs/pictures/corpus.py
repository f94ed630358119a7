#!/usr/bin/env python3
"""Draws docs/corpus.svg, how many published faults each rule kills and how many right kernels it accuses, from a run:

./assay corpus --json corpus.json; docs/pictures/corpus.py corpus.json >docs/corpus.svg
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, Dict, List

from sheet import MARGIN, Sheet

KILLED, ACCUSED = 130, 298  # where the bars begin
LENGTH = 110  # of a bar of 100 %
INPUTS = {"random": "random inputs", "our cases": "our cases"}
STYLE = """
    .killed { fill: #1a7f37; } .accused { fill: #cf222e; }
    @media (prefers-color-scheme: dark) { .killed { fill: #2ea043; } }"""


def bar(sheet: Sheet, x: float, y: float, count: int, total: int, kind: str) -> None:
    length = LENGTH * count / total
    sheet.add(f'<rect class="cell" x="{x}" y="{y - 11}" width="{LENGTH}" height="14"/>')
    sheet.add(f'<rect class="{kind}" x="{x}" y="{y - 11}" width="{length:.1f}" height="14"/>')
    sheet.text(x + LENGTH + 8, y, f"{100 * count / total:.0f} %", "ink", 13)


def row(sheet: Sheet, y: float, verdicts: List[Dict[str, Any]]) -> None:
    sheet.text(MARGIN, y, INPUTS[verdicts[0]["inputs"]], "muted", 13)
    bar(sheet, KILLED, y, sum(one["kills"] for one in verdicts), len(verdicts), "killed")
    bar(sheet, ACCUSED, y, sum(one["accuses"] for one in verdicts), len(verdicts), "accused")


def main() -> None:
    entries = json.loads(Path(sys.argv[1]).read_text())["entries"]
    ways = [(one["rule"], one["inputs"]) for one in entries[0]["verdicts"]]
    height = 100 + 22 * len(ways) + 34 * len({rule for rule, _ in ways})
    sheet = Sheet("Published kernel faults by everybody's rules", height, STYLE)
    title = f"{len(entries)} published kernel faults, and as many right kernels, by everybody's rules"
    sheet.paragraph(32, title, "ink", 16)
    sheet.text(KILLED, 84, "faults killed", "ink", 14)
    sheet.text(ACCUSED, 84, "right kernels accused", "ink", 14)
    y, before = 102, None
    for way in ways:
        if way[0] != before:
            before = way[0]
            sheet.text(MARGIN, y + 8, before, "ink", 14)
            y += 34
        row(sheet, y, [one for entry in entries for one in entry["verdicts"] if (one["rule"], one["inputs"]) == way])
        y += 22
    sys.stdout.write(str(sheet))


if __name__ == "__main__":
    main()
