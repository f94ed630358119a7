"""The pictures are those that their scripts draw from a run, and readable."""

from __future__ import annotations

import html
import re
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
sys.path.insert(0, str(DOCS / "pictures"))


def drawn(name: str, *arguments: str) -> str:
    script = DOCS / "pictures" / f"{name}.py"
    done = subprocess.run([sys.executable, script, *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_bug_is_that_of_a_run(build: Path) -> None:
    assert drawn("failure", str(build / "validation" / "assay")) == (DOCS / "failure.svg").read_text()


@pytest.mark.parametrize("path", sorted(DOCS.glob("*.svg")), ids=lambda path: path.stem)
def test_texts_are_readable_on_a_telephone(path: Path) -> None:
    """Within a column of 358 pixels no letters have fewer than 9."""
    picture = path.read_text()
    width = float(re.findall(r'<svg[^>]* width="([\d.]+)"', picture)[0])
    sizes = [float(size) for size in re.findall(r'font-size[=:] ?"?([\d.]+)', picture)]
    assert sizes and min(sizes) * min(1, 358 / width) >= 9


def test_the_lattice_is_the_references() -> None:
    assert drawn("lattice") == (DOCS / "lattice.svg").read_text()


@pytest.mark.parametrize("name", ["convergence", "confident"])
def test_the_figures_of_the_derivations_are_the_references(name: str) -> None:
    import derivations

    assert str(getattr(derivations, name)()) == (DOCS / f"{name}.svg").read_text()


def test_the_compiled_kernel_is_that_of_a_run() -> None:
    """The wheel is not part of the repository: without it, what the picture shows is held against an enumeration."""
    stored = (DOCS / "compiled.svg").read_text()
    wheel = next((Path.home() / ".cache/assay-wheels").glob("torch-2.15.0-*.whl"), None)
    if wheel is not None:
        assert drawn("compiled", str(wheel)) == stored
    paths = [(first, last) for first in range(3) for last in range(first, 3)]  # the frames of the one label, of three
    seen = [path for path in paths if path != (0, 0)]  # without the path that stays in the second block for two frames
    exact, got = (1 - sum(first == 0 for first, _ in some) / len(paths) for some in (paths, seen))
    lines = [line.strip() for line in re.findall(r"<text[^>]*>([^<]*)</text>", html.unescape(stored))]
    assert f"exact    {exact}" in lines and any(line.startswith(f"got      {got:.7f} ") for line in lines)


def test_the_picture_of_the_corpus_is_its_table() -> None:
    table = re.findall(r"(\d+) % .*? (\d+) %", re.sub(r"(?s).*?```text\n(.*?)```.*", r"\1", (DOCS / "corpus.md").read_text()))
    shown = re.findall(r">(\d+) %<", (DOCS / "corpus.svg").read_text())
    assert table and shown == [share for row in table for share in row]
