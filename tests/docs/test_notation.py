"""One notation: the pages on CTC write each quantity one way, and no letter has two meanings on one page.

docs/derivation-ctc.md, "Names", is the notation; this holds the derivation, the notebooks and the lattice's page to it.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import List

import pytest

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = [*(f"{i:02}" for i in range(1, 8)), "10"]  # those on CTC
PAGES = [
    "docs/derivation-ctc.md",
    *(path.relative_to(ROOT).as_posix() for n in NOTEBOOKS for path in (ROOT / "notebooks").glob(f"{n}-*.ipynb")),
    *(f"notebooks/lattice/script/{name}.js" for name in ("walk", "recursion", "bands", "collapse")),
]

# What may not be written, and what is written in its place.
RULES = {
    r"y\^[tT{1]": "y_t(k)",
    r"[auE]\^\{?t\}?_": "a_t(k), E_t(k)",
    r"(\\gamma|γ)\^t": "gamma_t(k)",
    r"\\(sum|prod)_\{[a-z]'? ?= ?1\}": "frames, states and labels count from 0",
    r"(\\alpha|α|\\beta|β)_T\b": "frames count from 0: the last is T - 1",
    r"(?<!_0 )(\\pi|π)_1 ": "frames count from 0",
    r"\\mathcal\{? ?L|∂L|\\partial\s+L\b": "loss",
    r"\\mathbf|p\(l\|x\)|lab\(l": r"labels are \ell",
    r"(?<!bar)(?<!hat)\\beta(_|'|\^\{?t)|(?<![\u0300-\u036f])β(_|̃)": "beta says whether it includes y_t: in or ex",
}

# Two meanings of one letter: a page has at most one of the two.
MEANINGS = {
    "gamma": (r"\\gamma_t|γ_t|γ", r"\\gamma\(\d|\\gamma\(n"),
    "pi": (r"\\pi_|\\sum_\{?\\pi|π_", r"\\pi ?=(?! ?\\pi_)|(?<!\\)\bpi ="),
    "L": (r"L = 2 ?S", r"\bL = -|loss L\b|\$L\$ has"),
    "C": (r"classes|T B C|\bC classes", r"\bC_(t|0|\{t)|\bC_t"),
    "r": (r"\\binom\{T \+ S - r\}|S \+ r\b", r"\br_[t0]\b"),
}


def text_of(path: Path) -> str:
    """What a reader sees: of a notebook its Markdown, of a script the texts between quotation marks."""
    text = path.read_text().replace("the papers write $y^t_k$", "")
    if path.suffix == ".ipynb":
        cells = json.loads(text)["cells"]
        return "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    if path.suffix == ".js":
        return "\n".join(re.findall(r'"[^"]*"', text))
    return text


def complaints(text: str) -> List[str]:
    found = [f"{m[0]!r}: {right}" for wrong, right in RULES.items() for m in re.finditer(wrong, text)]
    return found + [f"two meanings of {letter}" for letter, both in MEANINGS.items() if all(re.search(one, text) for one in both)]


@pytest.mark.parametrize("page", PAGES)
def test_a_page_keeps_to_the_notation(page: str) -> None:
    assert complaints(text_of(ROOT / page)) == []


def test_all_pages_are_there() -> None:
    assert len(PAGES) == 13


@pytest.mark.parametrize(
    "wrong",
    [
        "$y^t_k$", r"$y^{t'}_k$", "$a^t_k$", "$γ^t_k$", r"\prod_{t=1}^{T}", r"\sum_{s=1}^{L}", r"\alpha_T(L)",
        r"\pi_1 \dots", r"\mathcal L", r"\frac{\partial L}{\partial a}", r"\mathbf l", r"\beta_t(s)", r"\beta'_t(s)", "β̃_t(s)",
        r"$\gamma_t(k)$ and $\gamma(4)$", r"alignments $\pi_t$, and $\pi = 3$", "$L = 2S + 1$ and $L = -\\ln p$",
        "classes, and $C_t$", r"$S + r$ and $r_t$",
    ],
)  # fmt: skip
def test_a_break_is_noticed(wrong: str) -> None:
    assert len(complaints(wrong)) == 1


def test_the_notation_itself_is_left_alone() -> None:
    names = r"$y_t(k)$, $\beta^{\mathrm{in}}_t(s)$, β^{ex}_t(s), $\bar\beta_t$, $\hat\beta_t$, β̂_t, $\gamma_t(k)$, $g(n)$"
    assert complaints(names + r"$\sum_{s=0}^{L-1}$, $L = 2S + 1$, $\partial\,\mathrm{loss}$, $\ell$, classes, $c_t$") == []
