"""The property `algebra` of libraries that `assay instrument` compiled, of one's own operations and of cross-entropy."""

import shutil
import subprocess
from pathlib import Path

import metal_hidden_faults as shaders
import pytest

import assay
from assay._program import program

CLANG = shutil.which("clang++-19") or shutil.which("clang++")
HEADERS = Path(__file__).parents[2] / "validation" / "plugin"
pytestmark = pytest.mark.skipif(not CLANG, reason="there is no clang")


TAIL = """
#include <cmath>
#include <cstring>
#include <vector>
#include "assay_formula.h"

using Real = REAL;

namespace {

struct Sum {
  Real whole = 0, lost = 0;
  void add(Real term) {
    const Real due = term - lost, next = whole + due;
    lost = (next - whole) - due;
    whole = next;
  }
};

Real weight_of(Real c) { return std::exp(Real(-20)) / std::exp(c * c); }

}  // namespace

extern "C" int assay_forward(const char*, const assay_array* inputs, size_t input_count, const assay_array* outputs,
                             size_t, char*, size_t) {
  const assay_array* const shape = assay_array_called("a", inputs, input_count);
  const auto of = [&](const char* name) {
    return static_cast<const float*>(assay_array_called(name, inputs, input_count)->data);
  };
  const float *a = of("a"), *b = of("b"), *c = of("c");
  const int64_t N = shape->shape[0], D = shape->shape[1];
  std::vector<Sum> sums(static_cast<size_t>(2 * N));
  for (int64_t d = D; d-- > 0;)
    for (int64_t n = 0; n < N; ++n) {
      sums[2 * n].add(Real(a[n * D + d]) * b[n * D + d]);
      sums[2 * n + 1].add(a[n * D + d]);
    }
  std::vector<float> results;
  for (int64_t n = 0; n < N; ++n)
    results.push_back(float(sums[2 * n].whole + weight_of(c[n]) * sums[2 * n + 1].whole));
  if (N > 0) std::memcpy(outputs[0].data, results.data(), sizeof(float) * N);
  return ASSAY_OK;
}
"""

FAULTS = {
    "a sign": ("whole + weight_of", "whole - weight_of"),
    "the small part of another row": ("weight_of(c[n])", "weight_of(c[0])"),
    "a term is left out": ("sums[2 * n + 1].add(", "if (d != 1) sums[2 * n + 1].add("),
    "b for a": ("add(a[n * D + d]);", "add(b[n * D + d]);"),
    "a square is forgotten": ("std::exp(c * c)", "std::exp(std::abs(c))"),
    "lost digits are lost twice": ("lost = (next - whole) - due;", "lost = 2 * ((next - whole) - due) + Real(1e-12) * due;"),
    "a small part": ("weight_of(c[n]) * sums", "0 * weight_of(c[n]) * sums"),
}


def compiled(folder, source, real="float", instrumented=True):
    (folder / "mine.cpp").write_text(source)
    words = [CLANG, "-std=c++20", "-O1", "-shared", "-fPIC", f"-I{HEADERS}", f"-I{HEADERS.parents[1]}", f"-DREAL={real}"]
    words = [program(), "instrument"] * instrumented + words
    subprocess.run([*words, "-o", folder / "mine.so", folder / "mine.cpp"], check=True)
    return folder / "mine.so"


def changed(*changes):
    source = TAIL
    for before, after in changes:
        assert source.count(before) == 1, before
        source = source.replace(before, after)
    return source


def judged(path, **options):
    return shaders.tail.gate(path, **{"cases": 20, "reach": "none", "filter": "^algebra$", "algebra": True, **options})


@pytest.mark.parametrize("real", ["float", "double", "long double"])
def test_right_libraries_are_equal(tmp_path, real):
    found = judged(compiled(tmp_path, TAIL, real))["algebra"]
    assert found.verdict == "pass" and found.judged == found.elements > 0, found


@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_differs(tmp_path, name):
    assert judged(compiled(tmp_path, changed(FAULTS[name])))["algebra"].verdict == "fail"


OTHERS = {  # code that is not followed: what it computes is counted, and not accused
    "a vector": "typedef float four __attribute__((vector_size(16)));\n"
                "float doubled(float x) { four y = {x, x, x, x}; y = y + y; return y[0]; }",
    "an unknown function": "float doubled(float x) { return float(std::tgamma(3.0f)) * x; }",
    "bits": "float doubled(float x) { int i; std::memcpy(&i, &x, 4); if (i << 1) i += 1 << 23;\n"
            "std::memcpy(&x, &i, 4); return x; }",
}  # fmt: skip


@pytest.mark.parametrize("name", OTHERS)
def test_what_is_not_followed_is_not_accused(tmp_path, name):
    function = ("using Real = REAL;", "using Real = REAL;\n" + OTHERS[name])
    source = changed(function, ("add(a[n * D + d]);", "add(doubled(a[n * D + d]) - a[n * D + d]);"))
    found = judged(compiled(tmp_path, source))["algebra"]
    assert found.verdict in ("pass", "skipped"), found


def test_a_library_that_is_not_instrumented_is_refused(tmp_path):
    with pytest.raises(TypeError, match="algebra = True of .*: expected a library that `assay instrument` compiled, or a shader"):
        judged(compiled(tmp_path, TAIL, instrumented=False))


ONLINE = Path(__file__).parents[1] / "right_kernels" / "cce" / "online.cpp"
SMALL = "(tokens.logit(n, {0}) > -1e30f ? 1e-9f * tokens.logit(n, {0}) : 0)"  # a bias may be -inf
IN_CCE = {  # each beside one of its lines
    "a small part of a logit": ("running.value();", f"running.value() + {SMALL.format(0)};"),
    "a gradient by another sum": ("tokens.z(n, v), lse)", f"tokens.z(n, v), v == 1 ? lse - {SMALL.format(1)} : lse)"),
}


def cce(folder, change=("", "")):
    source = ONLINE.read_text()
    assert not change[0] or source.count(change[0]) == 1
    library = compiled(folder, source.replace(*change) if change[0] else source)
    return assay.gate("cce", library, cases=20, reach="none", filter="^(loss|dhidden|dweight|algebra)$", algebra=True)


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
