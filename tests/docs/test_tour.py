"""docs/metal-run.md, docs/SKILL.md and the example that docs/gradcheck.md begins with print what they show.

In the first two each ```sh block is run, in order, in one shell, and prints what the ```text block after it shows.

A block after "save it as `NAME`:" is that file.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import List, Tuple

import pytest

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"(?:ave\s+it\s+as\s+`([\w.]+)`:\s+)?^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def steps(markdown: str) -> List[Tuple[str, str]]:
    """Commands with the output shown after them, "..." where none is."""
    result: List[Tuple[str, str]] = []
    for name, kind, text in BLOCK.findall(markdown):
        if name:
            result.append((f"cat >{name} <<'END OF FILE'\n{text}END OF FILE\n", "..."))
        elif kind == "sh":
            result.append((text, "..."))
        elif kind == "text":
            result[-1] = (result[-1][0], text)
    return result


def pattern(shown: str) -> "re.Pattern[str]":
    """`shown` as a regular expression: ... alone on a line is any lines, within a line any text."""
    parts = []
    for line in shown.rstrip("\n").split("\n"):
        parts.append(
            r"(?:.*\n)*?" if line == "..." else ".*".join(map(re.escape, line.rstrip().split("..."))) + r" *\n"
        )
    return re.compile("".join(parts) + r"\s*")


def run(commands: str, folder: Path, state: Path) -> str:
    """What the commands print to both outputs. Exported variables last from one call to the next."""
    script = f"cd '{folder}'; [ ! -f '{state}' ] || . '{state}'; set -e\n{commands}\nexport -p >'{state}'\n"
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, env=environment, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def checkout(folder: Path, build: Path) -> Path:
    """What the tour sees of a checkout, with a program that is built already for the launcher."""
    (folder / "build").mkdir(parents=True)
    (folder / "build" / "release").symlink_to(build)
    (folder / "notebooks").symlink_to(ROOT / "notebooks")
    (folder / "assay").symlink_to(build / "validation" / "assay")
    return folder


def first_difference(markdown: str, folder: Path, build: Path) -> str:
    """What the first command prints that does not print what is shown; empty where all do."""
    checkout(folder / "checkout", build)
    for commands, shown in steps(markdown):
        printed = run(commands, folder / "checkout", folder / "state")
        if not pattern(shown).fullmatch(printed.rstrip() + "\n"):
            return f"{commands}\nprinted\n{printed}\nand not\n{shown}"
    return ""


@pytest.mark.parametrize("page", ["metal-run.md", "SKILL.md"])
def test_tour(page: str, build: Path, tmp_path: Path) -> None:
    difference = first_difference((ROOT / "docs" / page).read_text(), tmp_path, build)
    if difference:
        pytest.fail(difference, pytrace=False)


def test_gradcheck_prints_what_its_page_shows() -> None:
    page = (ROOT / "docs" / "gradcheck.md").read_text()
    code, shown = re.search(r"```python\n(.*?)```.*?```text\n(.*?)```", page, re.DOTALL).groups()  # type: ignore
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert pattern(shown).fullmatch(done.stdout.rstrip() + "\n"), done.stdout + done.stderr


@pytest.mark.parametrize("wrong", ["one\ntwo", "one\n...\nfour", "... two", "one\n...\ntwo\n...\nfour", ""])
def test_a_wrong_output_is_noticed(wrong: str, build: Path, tmp_path: Path) -> None:
    markdown = f"```sh\nprintf 'one\\ntwo\\nthree\\n'\n```\n\n```text\n{wrong}\n```\n"
    assert "and not" in first_difference(markdown, tmp_path, build)


def test_a_command_that_fails_is_noticed(build: Path, tmp_path: Path) -> None:
    with pytest.raises(AssertionError):
        first_difference("```sh\nfalse\n```\n", tmp_path, build)
