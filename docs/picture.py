#!/usr/bin/env python3
"""Draws what a command prints on a terminal as an SVG: docs/picture.py OUT.svg COMMAND...

The picture of docs/map.md: docs/picture.py docs/gate.svg ./assay gate --kernel cpu. Needs Debian's python3-rich.
"""

import os
import pathlib
import pty
import re
import sys

from rich.console import Console
from rich.text import Text


def on_terminal(command: list[str]) -> str:
    """What the command prints to a terminal, progress bars wiped as they wipe themselves."""
    chunks: list[bytes] = []

    def keep(descriptor: int) -> bytes:
        chunks.append(os.read(descriptor, 65536))
        return chunks[-1]

    os.environ.pop("CI", None)
    pty.spawn(command, keep)
    lines = b"".join(chunks).decode().replace("\r\n", "\n").split("\n")
    return "\n".join(line.split("\033[K")[-1] for line in lines)


def main() -> None:
    out, command = sys.argv[1], sys.argv[2:]
    text = on_terminal(command).rstrip()
    console = Console(record=True, width=100, file=open(os.devnull, "w"))
    console.print(Text("$ " + " ".join(command), style="bold"))
    console.print(Text.from_ansi(text))
    # rich names fonts of a far server; a page without a network, and its reader, do without.
    picture = re.sub(r"@font-face\s*{[^}]*}\s*", "", console.export_svg(title="assay"))
    pathlib.Path(out).write_text(picture, encoding="utf-8")


if __name__ == "__main__":
    main()
