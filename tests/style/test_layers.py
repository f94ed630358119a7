"""Each rule of layers.py finds an include that breaks it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import layers  # noqa: E402

FILES = {
    "reference/ctc/loss.h": "",
    "reference/svd/values.h": "",
    "reference/number/real.h": "",
    "metal/cpu/ctc/loss.h": '#include "reference/ctc/loss.h"\n',
    "validation/ctc/fields.cpp": '#include "reference/ctc/loss.h"\n',
    "validation/svd/fields.cpp": '#include "reference/svd/values.h"\n',
    "validation/core/gate.cpp": "",
    **{
        f"tests/reference/{name}_test.cpp": ""
        for name in ("ctc/loss", "svd/values", "number/real")
    },
}


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    for folder in layers.CMAKE_FOLDERS:
        (tmp_path / folder).mkdir(exist_ok=True)
    (tmp_path / "tests/CMakeLists.txt").write_text("".join(f"{name.removeprefix('tests/')}\n" for name in FILES))
    monkeypatch.setattr(sys, "argv", ["layers.py", str(tmp_path)])
    return tmp_path


def test_a_tree_that_keeps_the_rules_passes(tree: Path) -> None:
    assert layers.main() == 0


@pytest.mark.parametrize(
    "file, include, message",
    [
        ("reference/ctc/loss.h", "reference/svd/values.h", "that is for svd alone"),
        ("reference/number/real.h", "reference/ctc/loss.h", "that is for ctc alone"),
        ("metal/cpu/ctc/loss.h", "reference/svd/values.h", "that is for svd alone"),
        ("metal/cpu/ctc/loss.h", "validation/core/gate.cpp", "metal must include nothing from validation"),
        ("reference/number/real.h", "metal/cpu/ctc/loss.h", "reference must include nothing from metal"),
    ],
)
def test_an_include_that_breaks_a_rule_is_found(
    tree: Path, capsys: pytest.CaptureFixture[str], file: str, include: str, message: str
) -> None:
    (tree / file).write_text(f'#include "{include}"\n')
    assert layers.main() == 1
    assert f"{file} includes {include}: {message}" in capsys.readouterr().out


def test_folders_that_include_from_each_other_are_found(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tree / "validation/core/gate.cpp").write_text('#include "validation/ctc/fields.cpp"\n')
    (tree / "validation/ctc/fields.cpp").write_text('#include "validation/core/gate.cpp"\n')
    assert layers.main() == 1
    assert "include from each other: validation/core, validation/ctc" in capsys.readouterr().out


def test_a_header_without_a_test_and_a_package_that_nobody_looks_for_are_found(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tree / "tests/reference/ctc/loss_test.cpp").unlink()
    (tree / "bench/CMakeLists.txt").write_text("add_test(COMMAND ${Python_EXECUTABLE})\n")
    assert layers.main() == 1
    said = capsys.readouterr().out
    assert "reference/ctc/loss.h has no test" in said and "bench/CMakeLists.txt uses Python_EXECUTABLE" in said


def test_a_test_that_nobody_compiles_is_found(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tree / "tests/core").mkdir()
    (tree / "tests/core/gate_test.cpp").write_text("")
    assert layers.main() == 1
    assert "tests/core/gate_test.cpp is compiled by no CMakeLists.txt" in capsys.readouterr().out
    (tree / "tests/core/CMakeLists.txt").write_text("file(GLOB tests *_test.cpp)")
    assert layers.main() == 0
