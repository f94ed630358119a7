"""The page of the command line: what the launcher and every command of the program say to --help, as of this build."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Iterator, List, Tuple


def help_of(*command: str) -> str:
    return subprocess.run([*command, "--help"], capture_output=True, text=True, check=True).stdout.rstrip()


def commands_in(text: str) -> List[str]:
    """The names that a --help lists under Subcommands."""
    listed = re.search(r"^Subcommands:\n((?:  .*\n?)+)", text, re.MULTILINE)
    return re.findall(r"^  (\w+)", listed.group(1), re.MULTILINE) if listed else []


def walk(program: Path, *words: str) -> Iterator[Tuple[str, str]]:
    """Each command, by its words, with its help; a command before those below it."""
    text = help_of(str(program), *words)
    if words:
        yield " ".join(words), text
    for name in commands_in(text):
        yield from walk(program, *words, name)


def page(root: Path, program: Path) -> str:
    launcher = help_of(str(root / "assay")).split("\n\n" + help_of(str(program)))[0]
    parts = [
        "# The command line",
        "What each command says to `--help`.",
        "## The launcher",
        f"```text\n{launcher}\n```",
    ]
    for name, text in walk(program):
        parts += [f"## assay {name}", f"```text\n{text}\n```"]
    return "\n\n".join(parts) + "\n"
