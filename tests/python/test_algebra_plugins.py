"""The property `algebra` of libraries that `assay instrument` compiled, of built-in operations."""

import shutil
import subprocess
from pathlib import Path

import pytest

import assay
from assay._program import program

CLANG = shutil.which("clang++-19") or shutil.which("clang++")
HEADERS = Path(__file__).parents[2] / "validation" / "plugin"
pytestmark = pytest.mark.skipif(not CLANG, reason="there is no clang")


def compiled(folder, source):
    (folder / "mine.cpp").write_text(source)
    words = [CLANG, "-std=c++20", "-O1", "-shared", "-fPIC", f"-I{HEADERS}", f"-I{HEADERS.parents[1]}"]
    subprocess.run([program(), "instrument", *words, "-o", folder / "mine.so", folder / "mine.cpp"], check=True)
    return folder / "mine.so"


ONLINE = Path(__file__).parents[1] / "right_kernels" / "cce" / "online.cpp"
IN_CCE = {  # each beside one of its lines
    "a small part of a logit": ("running.value();", "running.value() + 1e-9f * tokens.logit(n, 0);"),
    "a gradient by another sum": ("tokens.z(n, v), lse)", "tokens.z(n, v), v == 1 ? lse - 1e-9f * tokens.logit(n, 1) : lse)"),
}


def cce(folder, change=("", "")):
    source = ONLINE.read_text()
    assert not change[0] or source.count(change[0]) == 1
    library = compiled(folder, source.replace(*change) if change[0] else source)
    return assay.gate("cce", library, cases=20, filter="^(loss|dhidden|dweight|algebra)$", algebra=True)


def test_a_right_library_of_a_built_in_operation_is_equal(tmp_path):
    result = cce(tmp_path)
    assert result.passed and result["algebra"].judged == result["algebra"].elements > 0, str(result)
    assert "algebra equal, error " in str(result) and "% of the bound" in str(result)


@pytest.mark.parametrize("name", IN_CCE)
def test_a_hidden_fault_of_a_built_in_operation_is_found(tmp_path, name):
    result = cce(tmp_path, IN_CCE[name])
    assert set(result.failures) == {"algebra"}, str(result)
    assert "algebra differs, within the bound: a hidden fault" in str(result), str(result)
