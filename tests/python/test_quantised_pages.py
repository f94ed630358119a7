"""What the page and help() say of the arrays of assay.quantised's formulas is what the formulas declare."""

import re
from pathlib import Path

import numpy as np
import pytest

from assay import quantised
from assay._operation import Operation

PAGE = Path(__file__).resolve().parents[2] / "docs" / "quantised.md"
FORMULAS = {name: one for name, one in vars(quantised).items() if isinstance(one, Operation)}
ROWS = {name: (arrays, results) for name, arrays, results in
        re.findall(r"^\| `(\w+)` \| (`.*?) \| (.*?) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)}  # fmt: skip


def test_the_page_has_all_formulas():
    assert list(ROWS) == list(FORMULAS)


@pytest.mark.parametrize("name", FORMULAS)
def test_the_arrays_are_those_declared(name):
    declared = FORMULAS[name].made_of[0]
    said = re.findall(r"`(\w+)` \[(.*?)\]((?: of [a-z0-9 ]+)?)", ROWS[name][0])
    assert {of: shape + kind for of, shape, kind in said} == declared
    assert all(f"{of} [{shape}]{kind}" in FORMULAS[name].__doc__ for of, shape, kind in said)
    assert FORMULAS[name].__doc__ in quantised.__doc__ and len(FORMULAS[name].__doc__.splitlines()) > 2


@pytest.mark.parametrize("name", FORMULAS)
def test_the_results_are_those_of_the_formula(name):
    one = FORMULAS[name]
    extents = {extent: 37 + k for k, extent in enumerate(one.extents)}
    traced = one.trace({**extents, **({"G": 3} if "G" in extents else {})})
    said = re.findall(r"(\w*) ?\[(.*?)\]", ROWS[name][1])
    known = {**extents, **({"G": 3} if "G" in extents else {})}
    shapes = [[int(eval(of, {"ceil": np.ceil}, known)) for of in shape.split(", ")] for _, shape in said]
    assert shapes == [list(shape) for shape in traced.shapes]
    formats = [{"scale": "", "e4m3": "e4m3fn"}.get(of, of) for of, _ in said]
    assert formats == list(traced.formats)
