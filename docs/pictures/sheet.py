"""What the pictures share: a card that is readable on light and on dark pages, and on a telephone, texts, and shades."""

from __future__ import annotations

import textwrap
from html import escape
from typing import List

WIDTH = 470  # texts of 12 pixels have 9 on a telephone, whose columns are 358 pixels wide
MARGIN = 18
STYLE = """
    .card { fill: #fff; stroke: #d0d7de; } .ink { fill: #1f2328; } .muted { fill: #57606a; }
    .line { fill: none; stroke: #8c959f; } .cell { fill: #f3f6fa; stroke: #d0d7de; }
    .good { fill: #1a7f37; } .bad { fill: #cf222e; } .bad-cell { fill: #ffd8d3; stroke: #cf222e; }
    .mono { font-family: ui-monospace, "DejaVu Sans Mono", monospace; }
    @media (prefers-color-scheme: dark) {
      .card { fill: #161b22; stroke: #30363d; } .ink { fill: #e6edf3; } .muted { fill: #a9b2bc; }
      .line { stroke: #6e7781; } .cell { fill: #21262d; stroke: #444c56; }
      .good { fill: #57d174; } .bad { fill: #ff7b72; } .bad-cell { fill: #67211f; stroke: #ff7b72; }
    }"""


class Sheet:
    """An SVG under construction. Positions are in pixels of a page at its natural size."""

    def __init__(self, title: str, height: int, style: str = "") -> None:
        self.parts: List[str] = []
        self.head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" '
            f"font-family=\"system-ui, 'DejaVu Sans', sans-serif\">\n  <title>{escape(title)}</title>\n"
            f"  <style>{STYLE}{style}\n  </style>\n"
            f'  <rect class="card" x="0.5" y="0.5" width="{WIDTH - 1}" height="{height - 1}" rx="8"/>'
        )

    def add(self, element: str) -> None:
        self.parts.append("  " + element)

    def text(self, x: float, y: float, words: str, classes: str = "ink", size: float = 14, anchor: str = "start") -> None:
        self.add(
            f'<text class="{classes}" x="{x:g}" y="{y:g}" font-size="{size:g}" text-anchor="{anchor}" '
            f'xml:space="preserve">{escape(words, quote=False)}</text>'
        )

    def paragraph(self, y: float, words: str, classes: str = "ink", size: float = 14) -> float:
        """Words from margin to margin, in as many lines as they need; returns where the next line would be."""
        share, indent = (0.61, "  ") if "mono" in classes else (0.53, "")  # a letter's width, of the size
        for line in textwrap.wrap(words, int((WIDTH - 2 * MARGIN) / (share * size)), subsequent_indent=indent):
            self.text(MARGIN, y, line, classes, size)
            y += round(1.35 * size)
        return y

    def __str__(self) -> str:
        return "\n".join([self.head, *self.parts, "</svg>\n"])
