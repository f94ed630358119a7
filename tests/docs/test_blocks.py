"""Every block of code and every command that a page prints runs as pasted, or says why not.

The blocks of a page run in order, in one folder that looks like a checkout with a finished build. A ```sh block prints what the
```text block after it shows; so do ```python blocks, which share one interpreter. What may stand before a block:

    save it as `NAME`:                   the block is that file
    <!-- not run: REASON -->             it needs what a test has not: a GPU, a network, hours, a file of the reader's
    <!-- needs: MODULE VERSION -->       it runs where Python has this module, of this version or later
    <!-- excerpt: PATH -->               each of its lines is a line of that file
"""

from __future__ import annotations

import importlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Iterator, List, NamedTuple, Tuple

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
# Folders whose README.md is a page that lies with what it is about.
BESIDE = ("bench", "metal/emulator", "metal/nvidia", "notebooks", "notebooks/browser", "notebooks/course", "tests/field",
          *(f"metal/{kind}/{operation}" for kind in ("cpu", "kernels") for operation in ("cce", "ctc", "svd")))  # fmt: skip
PAGES = [
    *sorted((ROOT / "docs").glob("*.md")),
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", *(f"{folder}/README.md" for folder in BESIDE))),
]
BLOCK = re.compile(
    r"(?:<!-- (?P<mark>not run|needs|excerpt): (?P<word>[^>]*?) -->\n|ave\s+it\s+as\s+`(?P<file>[\w.]+)`:\s+)?"
    r"^```(?P<kind>\w*)\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
PARSED = {"json": json.loads, "yaml": yaml.safe_load}
BETWEEN = "\x1e"  # printed between blocks of Python


class Block(NamedTuple):
    kind: str
    text: str
    mark: str
    word: str
    file: str


def blocks(markdown: str) -> List[Block]:
    return [Block(*(found[name] or "" for name in Block._fields)) for found in BLOCK.finditer(markdown)]


def pattern(shown: str) -> "re.Pattern[str]":
    """`shown` as a regular expression: ... alone on a line is any lines, within a line any text."""
    parts = []
    for line in shown.rstrip("\n").split("\n"):
        parts.append(r"(?:.*\n)*?" if line == "..." else ".*".join(map(re.escape, line.rstrip().split("..."))) + r" *\n")
    return re.compile("".join(parts) + r"\s*")


def is_here(needed: str) -> bool:
    """Whether Python has a module, of a version or later: "torch 2.4"."""
    name, _, version = needed.partition(" ")
    try:
        found = importlib.import_module(name).__version__
    except ImportError:
        return False
    return [int(part) for part in re.findall(r"\d+", found)[:2]] >= [int(part) for part in re.findall(r"\d+", version)]


def unlike_its_file(block: Block) -> str:
    """The first line of an excerpt that the file does not have, however either is indented."""
    lines = {line.strip() for line in (ROOT / block.word).read_text().splitlines()}
    return next((line for line in block.text.splitlines() if line.strip() not in lines | {"", "..."}), "")


def untold(markdown: str) -> Iterator[str]:
    """What neither runs nor says why not."""
    for block in blocks(markdown):
        first = block.text.split("\n")[0]
        if block.mark == "excerpt":
            wrong = unlike_its_file(block)
            if wrong:
                yield f"{wrong!r} is not in {block.word}"
        elif block.kind in PARSED:
            PARSED[block.kind](block.text)
        elif block.kind not in ("", "text", "sh", "python") and not block.mark and not block.file:
            yield f"a block of {block.kind}: {first}"
    for command in re.findall(r"^    (?:\$ )?(?:\./assay|assay|cmake|build/|\.ci/) .*$", BLOCK.sub("", markdown), re.MULTILINE):
        yield f"a command outside of a block: {command}"


def checkout(folder: Path, build: Path) -> Path:
    """What a page sees of a checkout, with a program that is built already for the launcher."""
    (folder / "build").mkdir(parents=True)
    (folder / "build" / "release").symlink_to(build)
    for name in ("notebooks", "tests", "validation", "docs"):
        (folder / name).symlink_to(ROOT / name)
    (folder / "assay").symlink_to(build / "validation" / "assay")
    return folder


def run(commands: str, folder: Path, state: Path) -> str:
    """What the commands print to both outputs. Exported variables last from one call to the next."""
    script = f"cd '{folder}'; [ ! -f '{state}' ] || . '{state}'; set -e\n{commands}\nexport -p >'{state}'\n"
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, env=environment, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def python(texts: List[str], folder: Path) -> List[str]:
    """What each block prints, all of them in one interpreter. Each is a file of its own, which has its lines."""
    calls = []
    for i, text in enumerate(texts):
        (folder / f"block{i}.py").write_text(text)
        calls.append(f"with suppress(SystemExit): exec(compile(open('block{i}.py').read(), 'block{i}.py', 'exec'))\n")
    script = "from contextlib import suppress\n" + f"print({BETWEEN!r})\n".join(calls)
    done = subprocess.run([sys.executable, "-c", script], cwd=folder, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.split(BETWEEN + "\n")


def runnable(markdown: str) -> List[Tuple[Block, str]]:
    """The blocks that run, each with what it shows, "..." where nothing is shown."""
    found = [block for block in blocks(markdown) if block.mark != "not run" and block.mark != "excerpt"]
    after = [*found[1:], Block("", "", "", "", "")]
    pairs = [(block, next.text if next.kind == "text" else "...") for block, next in zip(found, after)]
    return [(block, shown) for block, shown in pairs if block.file or block.kind in ("sh", "python")]


def difference(what: str, printed: str, shown: str) -> str:
    return "" if pattern(shown).fullmatch(printed.rstrip() + "\n") else f"{what}\nprinted\n{printed}\nand not\n{shown}"


def first_difference(markdown: str, folder: Path, build: Path) -> str:
    """What the first block prints that does not print what is shown; empty where all do."""
    there = checkout(folder / "checkout", build)
    scripts = []
    for block, shown in runnable(markdown):
        if block.file:
            (there / block.file).write_text(block.text)
        elif block.kind == "sh":
            wrong = difference(block.text, run(block.text, there, folder / "state"), shown)
            if wrong:
                return wrong
        elif ">>> " not in block.text and (block.mark != "needs" or is_here(block.word)):  # test_doctests.py has the others
            scripts.append((block.text, shown))
    printed = python([text for text, _ in scripts], there) if scripts else []
    return next(filter(None, (difference(text, out, shown) for (text, shown), out in zip(scripts, printed))), "")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_each_block_runs_or_says_why_not(page: Path) -> None:
    assert list(untold(page.read_text())) == []


@pytest.mark.parametrize("page", [page for page in PAGES if runnable(page.read_text())], ids=lambda page: page.name)
def test_blocks_print_what_the_page_shows(page: Path, build: Path, tmp_path: Path) -> None:
    wrong = first_difference(page.read_text(), tmp_path, build)
    if wrong:
        pytest.fail(wrong, pytrace=False)


def test_most_pages_have_blocks_that_run() -> None:
    assert len([page for page in PAGES if runnable(page.read_text())]) >= 10


def ragged(markdown: str) -> Iterator[str]:
    """Rows of tables that have other cells than their head, as a | in code makes them."""
    width = 0
    for line in BLOCK.sub("", markdown).splitlines():
        cells = len(re.findall(r"(?<!\\)\|", line)) if line.lstrip().startswith("|") else 0
        if width and cells and cells != width:
            yield line
        width = cells and (width or cells)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_rows_of_tables_are_whole(page: Path) -> None:
    assert list(ragged(page.read_text())) == []


def test_a_row_that_a_bar_divides_is_noticed() -> None:
    assert len(list(ragged("| a | b |\n|---|---|\n| c | `|d|` |\n| e | `\\|f\\|` |\n"))) == 1


def test_paths_that_pages_name_are_there() -> None:
    gone = []
    for page in PAGES:
        for path in re.findall(r"`((?:reference|metal|validation|tests|notebooks|bench|docs)/[\w./-]+\.\w+)`", page.read_text()):
            gone += [] if "/NAME/" in path or (ROOT / path).exists() else [f"{page.name}: {path}"]
        for reason in [block.word for block in blocks(page.read_text()) if block.mark == "not run"]:
            paths = re.findall(r"\b(?:tests|validation)/[\w./-]*\w", reason)
            gone += [f"{page.name}: {path}" for path in paths if not (ROOT / path).exists()]
    assert gone == []


@pytest.mark.parametrize("wrong", ["one\ntwo", "one\n...\nfour", "... two", "one\n...\ntwo\n...\nfour", ""])
@pytest.mark.parametrize("block", ["sh\nprintf 'one\\ntwo\\nthree\\n'", "python\nprint('one\\ntwo\\nthree')"])
def test_a_wrong_output_is_noticed(block: str, wrong: str, build: Path, tmp_path: Path) -> None:
    markdown = f"```{block}\n```\n\n```text\n{wrong}\n```\n"
    assert "and not" in first_difference(markdown, tmp_path, build)


@pytest.mark.parametrize("block", ["sh\nfalse", "python\n1 / 0", "python\nx = 1\n```\n\n```python\ny"])
def test_a_block_that_fails_is_noticed(block: str, build: Path, tmp_path: Path) -> None:
    with pytest.raises(AssertionError):
        first_difference(f"```{block}\n```\n", tmp_path, build)


@pytest.mark.parametrize(
    "markdown",
    ["```cpp\nint x;\n```\n", "    ./assay gate\n", "<!-- excerpt: validation/ctc/kernel.h -->\n```cpp\nno such line;\n```\n"],
)
def test_a_block_that_says_nothing_is_noticed(markdown: str) -> None:
    assert len(list(untold(markdown))) == 1
