"""The tables of docs/derivation-ctc.md that are worked by hand are those of the reference over fractions."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path
from typing import Dict, List

import pytest
from assay import steps

ROOT = Path(__file__).resolve().parents[2]
OUTPUTS = "$t$"
ALIGNMENTS = r"$\pi$"
TABLES = {
    r"$\alpha_t(s)$": "alpha",
    r"$\beta^{\mathrm{in}}_t(s)$": "beta_including",
    r"$\beta^{\mathrm{ex}}_t(s)$": "beta_excluding",
    r"$\gamma_t(k)$": "posterior",
    r"$\partial \mathrm{loss} / \partial a_t(k)$": "gradient",
    r"$E_t(k)$": "output_error",
}
SCALED = r"$\hat\alpha_t(s)$"
CLASSES = {"-": 0, "a": 1, "b": 2}


def tables(markdown: str) -> Dict[str, List[List[str]]]:
    """The rows of each table of the worked example, by the first cell of its head."""
    example = markdown[markdown.index("## Three frames by hand") :]
    found: Dict[str, List[List[str]]] = {}
    for head, body in re.findall(r"^(\|.*)\n\|[-|]+\n((?:\|.*\n)+)", example, re.MULTILINE):
        rows = [[cell.strip() for cell in row.strip("|").split(" | ")] for row in body.splitlines()]
        found.setdefault(head.strip("|").split(" | ")[0].strip(), rows)
    return found


def numbers(rows: List[List[str]]) -> List[List[Fraction]]:
    return [[Fraction(cell.strip("| ")) for cell in row[1:]] for row in rows]


def differences(markdown: str) -> List[str]:
    """The names of what the page and the reference have different."""
    shown = tables(markdown)
    y = numbers(shown[OUTPUTS])
    exact = steps.ctc([1, 2], outputs=y, number="exact")
    scaled = steps.ctc([1, 2], outputs=y, number="exact", space="scaled")
    listed = steps.alignments([1, 2], 3, outputs=y)
    wrong = [name for head, name in TABLES.items() if numbers(shown[head]) != getattr(exact, name).tolist()]
    if numbers(shown[SCALED]) != scaled.alpha.tolist():
        wrong.append("alphahat")
    if re.search(r"\$c = (.*?)\$", markdown[markdown.index("**Scaled.**") :])[1].split(r",\ ") != [
        *map(str, scaled.scale)
    ]:
        wrong.append("scale")
    pages = {
        tuple(CLASSES[k] for k in re.findall(r"[-ab]", row[0])): Fraction(row[2].rsplit("=", 1)[1].strip("| "))
        for row in shown[ALIGNMENTS]
    }
    if pages != dict(zip(listed.alignments, listed.probability)):
        wrong.append("alignments")
    if exact.p != listed.p or f"= {exact.p}$." not in markdown:
        wrong.append("p")
    if exact.gradient.tolist() != exact.gradient_two_step.tolist():
        wrong.append("two-step gradient")
    return wrong


@pytest.fixture(scope="module")
def markdown() -> str:
    return (ROOT / "docs" / "derivation-ctc.md").read_text()


def test_page_and_reference_agree(markdown: str) -> None:
    assert differences(markdown) == []


@pytest.mark.parametrize(
    "was, becomes, name",
    [
        ("| $t = 1$ | 0 | 5/24 |", "| $t = 1$ | 0 | 5/23 |", "alpha"),
        ("| $t = 1$ | 0 | 1/8 | 1/8 | 5/12 |", "| $t = 1$ | 0 | 1/8 | 1/8 | 7/12 |", "beta_including"),
        ("| 1/8 | 2/3 |", "| 1/8 | 1/3 |", "beta_excluding"),
        ("9/41 | 32/41", "9/41 | 31/41", "posterior"),
        ("| -19/164 |", "| 19/164 |", "gradient"),
        ("-96/41 | 0 |", "-96/41 | 1 |", "output_error"),
        ("| 3/5 | 2/5 |", "| 2/5 | 3/5 |", "alphahat"),
        (r"11/20,\ 41/66", r"11/21,\ 41/66", "scale"),
        ("1/2 · 1/4 · 1/2 = 1/16", "1/2 · 1/4 · 1/2 = 1/8", "alignments"),
        ("41/144$.", "42/144$.", "p"),
    ],
)
def test_a_wrong_number_is_noticed(was: str, becomes: str, name: str, markdown: str) -> None:
    assert was in markdown
    assert differences(markdown.replace(was, becomes)) == [name]
