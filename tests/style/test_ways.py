"""CONTRIBUTING.md says what the files say, and each row of the emulator's table of functions has its test."""

from __future__ import annotations

import re
from pathlib import Path
from typing import List

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("bench", "docs", "metal", "notebooks", "reference", "tests", "validation")
ROW = re.compile(r"^MSL_(?:PLAIN_\d\(\w+, |\w+_\d\()(\w+)", re.MULTILINE)


def missing(page: str, root: Path) -> List[str]:
    """The paths in backticks that are there for no operation NAME."""
    paths = re.findall(rf"`((?:{'|'.join(FOLDERS)})/[\w./]+)`", page)

    def exists(path: str) -> bool:
        return any((root / path.replace("NAME", name).removesuffix("/...")).exists() for name in ("svd", "cce", "ctc"))

    return [path for path in paths if not exists(path)]


def changed(page: str, root: Path) -> List[str]:
    """The examples, each after the path of its file, whose parts are not in that file as they stand."""
    examples = re.findall(r"`([\w/]+\.cpp)`[^`]*```cpp\n(.*?)```", page, re.DOTALL)
    assert examples
    return [
        part for path, text in examples for part in text.strip().split("\n\n") if part not in (root / path).read_text()
    ]


def files_of_an_operation(page: str) -> List[str]:
    """The files of the product that the tables for a further operation list."""
    section = page.partition("## Add an operation")[2].partition("### Registration")[0]
    cells = re.findall(r"^\| (`[^|]*`) \|", section, re.MULTILINE)
    listed = [one.strip("`") for cell in cells for one in cell.split(", ")]
    in_a_sentence = re.findall(r"`(validation/NAME/\w+\.h)` declares", section)
    return listed + in_a_sentence


def files_of_a_function(page: str) -> List[str]:
    """The files in which a function of one argument, of formulas, has to be known."""
    way = page.partition("A function of one argument:")[2].partition("Nothing else")[0]
    return re.findall(r"`([\w/]+\.(?:h|cpp|py))`", way)


def uncalled(table: str, shaders: str) -> List[str]:
    rows = ROW.findall(table)
    assert rows
    return [name for name in rows if not re.search(rf"\b{name}\(", shaders)]


def test_the_page_is_as_the_files() -> None:
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert missing(page, ROOT) == []
    assert changed(page, ROOT) == []


def test_an_operation_and_a_function_take_few_files() -> None:
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert 10 < len(files_of_an_operation(page)) <= 15, files_of_an_operation(page)
    assert 4 < len(files_of_a_function(page)) <= 6, files_of_a_function(page)


def test_files_of_an_operation_are_counted() -> None:
    rows = "| `validation/NAME/case.h`, `.cpp` | x |\n| `reference/NAME/...` | y |\n"
    page = f"## Add an operation\n|---|---|\n{rows}`validation/NAME/operation.h` declares it.\n### Registration\n"
    assert files_of_an_operation(page) == ["validation/NAME/case.h", ".cpp", "reference/NAME/...", "validation/NAME/operation.h"]
    assert files_of_a_function("A function of one argument: `a/b.h`, and `c.py`. Nothing else: `d.h`") == ["a/b.h", "c.py"]


def test_each_function_of_the_emulator_is_called_by_a_shader() -> None:
    table = (ROOT / "metal/emulator/include/assay/functions.def").read_text(encoding="utf-8")
    shaders = [path.read_text(encoding="utf-8") for path in (ROOT / "tests/emulator/shaders").glob("*.metal")]
    assert uncalled(table, "".join(shaders)) == []


def test_what_has_moved_or_changed_is_found(tmp_path: Path) -> None:
    (tmp_path / "a.cpp").write_text("int f() {}\n\n// g\nint g() {}\n")
    page = "`metal/gone.h` and `a.cpp`:\n\n```cpp\nint f() {}\n\nint g(int) {}\n```"
    assert missing(page, tmp_path) == ["metal/gone.h"]
    assert changed(page, tmp_path) == ["int g(int) {}"]


@pytest.mark.parametrize("row", ["MSL_LIBM_1(cbrt, 1)", "MSL_PLAIN_2(FLOAT, cbrt, x)", "MSL_FUNCTION_1(cbrt)"])
def test_a_function_that_no_shader_calls_is_found(row: str) -> None:
    assert uncalled(row, "out = cbrtf(x) + exp(x);") == ["cbrt"]
    assert uncalled(row, "out = cbrt(x);") == []
