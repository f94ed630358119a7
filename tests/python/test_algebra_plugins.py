"""The property `algebra` of libraries that `assay instrument` compiled."""

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


@assay.operation(x="N, D")
def norm(xp, x):
    return x / xp.sqrt(xp.mean(x * x, axis=-1, keepdims=True) + 1e-5)


NORM = """
#include <cmath>
#include "assay_formula.h"
extern "C" int assay_forward(const char*, const assay_array* in, size_t, const assay_array* out, size_t, char*, size_t) {
  const size_t N = in[0].shape[0], D = in[0].shape[1];
  for (size_t n = 0; n < N; ++n) {
    const float* x = (const float*)in[0].data + n * D;
    float* y = (float*)out[0].data + n * D;
    double sum = 0;
    for (size_t d = 0; d < D; ++d) sum += (double)x[d] * x[d];
    const double scale = 1 / std::sqrt(sum / (double)D + EPSILON);
    for (size_t d = 0; d < D; ++d) y[d] = (float)(x[d] * scale);
  }
  return 0;
}
"""


@pytest.mark.parametrize("epsilon, verdict", [("1e-5", "pass"), ("0.00001", "pass"), ("(double)1e-5f", "pass"), ("1.0001e-5", "fail")])
def test_a_constant_in_double_is_the_formulas(tmp_path, epsilon, verdict):
    library = compiled(tmp_path, NORM.replace("EPSILON", epsilon))
    found = assay.gate(norm, library, cases=5, filter="^algebra$", algebra=True, empty=False)["algebra"]
    assert found.verdict == verdict and (found.judged > 0) == (verdict == "pass"), found
