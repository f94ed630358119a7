"""Kernels of one's own operations in C, and as a Metal shader with a binding."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

import assay
from assay import gallery
from assay._program import program

HEADERS = Path(__file__).parents[2] / "validation" / "plugin"
COMPILER = "cc"
CLANG = shutil.which("clang-19") or shutil.which("clang")

SOFTMAX = """
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "assay_formula.h"

int assay_forward(const char* operation, const assay_array* inputs, size_t input_count, const assay_array* outputs,
                  size_t output_count, char* message, size_t message_size) {
  const assay_array* x = assay_array_called("x", inputs, input_count);
  const float* from = x->data;
  float* to = outputs[0].data;
  const int64_t N = x->shape[0], D = x->shape[1];
  (void)operation, (void)output_count, (void)message, (void)message_size;
  EXTRA
  for (int64_t n = 0; n < N; ++n) {
    float m = -INFINITY, sum = 0;
    for (int64_t d = 0; d < D; ++d) m = fmaxf(m, from[n * D + d]);
    for (int64_t d = 0; d < D; ++d) sum += to[n * D + d] = expf(from[n * D + d] - m);
    for (int64_t d = 0; d < D; ++d) to[n * D + d] /= sum;
  }
  return ASSAY_OK;
}

int assay_backward(const char* operation, const assay_array* inputs, size_t input_count, const assay_array* outputs,
                   size_t output_count, char* message, size_t message_size) {
  const assay_array* x = assay_array_called("x", inputs, input_count);
  const float* g = assay_array_called("upstream0", inputs, input_count)->data;
  const assay_array* gradient = assay_array_called("gradient_x", outputs, output_count);
  float* dx = gradient->data;
  const int64_t N = x->shape[0], D = x->shape[1];
  if (assay_forward(operation, inputs, input_count, gradient, 1, message, message_size) != ASSAY_OK) return ASSAY_FAILED;
  for (int64_t n = 0; n < N; ++n) {
    float sum = 0;
    for (int64_t d = 0; d < D; ++d) sum += dx[n * D + d] * g[n * D + d];
    for (int64_t d = 0; d < D; ++d) dx[n * D + d] *= g[n * D + d] - sum;
  }
  return ASSAY_OK;
}
"""

SHADER = """
#include <metal_stdlib>
using namespace metal;

kernel void softmax_rows(device const float* x [[buffer(0)]], device float* y [[buffer(1)]],
                         constant uint& D [[buffer(2)]], uint n [[thread_position_in_grid]]) {
  float largest = -INFINITY, sum = 0;
  for (uint d = 0; d < D; ++d) largest = max(largest, x[n * D + d]);
  for (uint d = 0; d < D; ++d) sum += y[n * D + d] = exp(x[n * D + d] - largest);
  for (uint d = 0; d < D; ++d) y[n * D + d] /= sum;
}
"""

BINDING = """
{"operation": "softmax", "source": "softmax.metal",
 "passes": [{"function": "softmax_rows", "grid": ["N"], "group": [32],
             "buffers": [{"index": 0, "array": "x"}, {"index": 1, "array": "output0"},
                         {"index": 2, "type": "uint", "value": "D"}]}]}
"""


def library(folder, extra="", *options):
    """Compiles the plug-in with `extra` statements before its loop."""
    return compiled(folder, SOFTMAX.replace("EXTRA", extra), *options)


def compiled(folder, source, *options):
    (folder / "mine.c").write_text(source)
    words = [COMPILER, "-std=c99", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", f"-I{HEADERS}", *options]
    subprocess.run([*words, "-o", folder / "mine.so", folder / "mine.c", "-lm"], check=True)
    return folder / "mine.so"


def test_a_c_plugin_passes_forwards_and_backwards(tmp_path):
    path = library(tmp_path)
    assay.gate(gallery.softmax, path, cases=40, accumulate="float32").raise_for_failure()
    assay.gradcheck(gallery.softmax, path, cases=40).raise_for_failure()


@pytest.mark.parametrize(
    "extra, says",
    [
        ("if (D == 3) to[N * D] = 1;", "wrote output0[3], past its 3 elements"),
        ("if (D == 3) to[-1] = 1;", "wrote output0[-1], before its beginning"),
        ("if (D == 3) message[0] = (char)((volatile const char*)from)[4 * N * D + 15];", "read x["),
        ("if (D == 3) ((float*)from)[0] = 1;", "changed its input x"),
        ("if (D == 3) *(volatile int*)0 = 1;", "a null pointer, or none at all (SIGSEGV)"),
        ('if (D == 3) return snprintf(message, message_size, "no threes"), ASSAY_REFUSED;', "no threes"),
        ('if (D == 3) return snprintf(message, message_size, "caf\\xe9"), ASSAY_REFUSED;', "the plug-in says: caf?"),
        ("if (D == 3) return ASSAY_OK;", "nan"),
        ("if (D == 3) return 9;", "returned 9, which is none of ASSAY_OK"),
        ("if (D == 3) exit(3);", "called exit(3)"),
        ("if (N * D > 0) from = (const float*)((size_t)from / 16 * 16);", "got"),
        ("if (N * D > 0 && (size_t)from % 8 == 4) return ASSAY_OK;", "nan"),
    ],
)
def test_what_a_c_plugin_does_wrong_is_said(tmp_path, extra, says):
    result = assay.gate(gallery.softmax, library(tmp_path, extra), cases=40, filter="outputs", reach="none")
    assert says in result.failures["outputs"].explanation, result


def test_what_is_no_plugin_is_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match="no file '.*none.so': expected a shared library.*'mine.py:softmax'"):
        assay.gate(gallery.softmax, tmp_path / "none.so")
    (tmp_path / "text.so").write_text("no library")
    with pytest.raises(ValueError, match="text.so: file too short"):
        assay.gate(gallery.softmax, tmp_path / "text.so", cases=2, filter="outputs", reach="none")
    with pytest.raises(ValueError, match="exports no assay_backward: declare the function as assay_formula.h does"):
        only_forward(tmp_path)


def only_forward(folder):
    (folder / "mine.c").write_text(SOFTMAX.replace("EXTRA", "").partition("int assay_backward")[0])
    subprocess.run([COMPILER, "-shared", "-fPIC", f"-I{HEADERS}", "-o", folder / "forward.so", folder / "mine.c", "-lm"], check=True)
    return assay.gradcheck(gallery.softmax, folder / "forward.so", cases=2)


def test_a_c_plugin_may_decline_and_end_no_run(tmp_path):
    extra = 'if (D > 4) return snprintf(message, message_size, "D above 4"), ASSAY_UNSUPPORTED;'
    result = assay.gate(gallery.softmax, library(tmp_path, extra), cases=20, filter="outputs", reach="none")
    assert any("D above 4" in reason for reason in result["outputs"].skipped)


@pytest.mark.skipif(CLANG is None, reason="assay instrument needs clang")
def test_a_failure_of_an_instrumented_plugin_names_the_line(tmp_path):
    (tmp_path / "mine.c").write_text(SOFTMAX.replace("EXTRA", "").replace("fmaxf(m, from[n * D + d])", "0"))
    words = [CLANG, "-O1", "-shared", "-fPIC", f"-I{HEADERS}", "-o", str(tmp_path / "mine.so"), str(tmp_path / "mine.c"), "-lm"]
    subprocess.run([program(), "instrument", *words], check=True)
    result = assay.gate(gallery.softmax, tmp_path / "mine.so", cases=40, filter="outputs", reach="none")
    line = 1 + (tmp_path / "mine.c").read_text().partition("to[n * D + d] /= sum")[0].count("\n")
    assert f"mine.c:{line}" in str(result), result


def test_a_c_plugin_that_hangs_or_crashes_leaves_nobody(tmp_path):
    extra = "if (D == 3) { if (fork() == 0) for (;;) sleep(1); for (;;); }"
    hangs = library(tmp_path, extra, "-D_GNU_SOURCE", "-includeunistd.h")
    result = assay.gate(gallery.softmax, hangs, cases=40, filter="outputs", reach="none", time_limit=0.5)
    assert "did not return within " in result.failures["outputs"].explanation, result
    assert str(hangs) not in subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize(
    "leaves", ["", "setsid();", 'setsid(), execlp("sh", "sh", "-c", "sleep 600; exit " PATH, NULL);']
)
def test_a_c_plugin_that_forks_in_each_call_leaves_nobody(tmp_path, leaves):
    path = tmp_path / "mine.so"
    words = ("-D_GNU_SOURCE", "-includeunistd.h", f'-DPATH="{path}"')
    forks = library(tmp_path, f"if (fork() == 0) {{ {leaves} for (;;) sleep(1); }}", *words)
    assay.gate(gallery.softmax, forks, cases=5, filter="outputs", reach="none", accumulate="float32").raise_for_failure()
    assert str(forks) not in subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize(
    "extra, line",
    [
        ("static int64_t largest; if (N * D > largest) largest = N * D; if (N * D > 0 && N * D < largest) return to[0] = 7, ASSAY_OK;", " then "),
        ("static int calls; if (++calls % 97 == 0) { for (int64_t i = 0; i < N * D; ++i) to[i] = 0; return ASSAY_OK; }", " times="),
    ],
)
def test_a_failure_that_calls_before_lead_to_has_a_line_of_cases_in_turn(tmp_path, capsys, extra, line):
    path = library(tmp_path, extra)
    failure = assay.gate(gallery.softmax, path, cases=40, reach="none", filter="^history$").failures["history"]
    assert line in failure.reproducer and "depends on earlier calls" in failure.explanation
    assert not assay.replay(path, failure.reproducer, operation=gallery.softmax)
    exec(failure.again, {})
    assert capsys.readouterr().out.count("fail history\n") == 2
    assert assay.gate(gallery.softmax, library(tmp_path, ""), cases=40, reach="none", filter="^history$").passed


@assay.operation(a="1", b="1", c="1", d="1", e="1", f="1", g="1", h="1", i="1", j="1", k="1")
def of_many(xp, a, b, c, d, e, f, g, h, i, j, k):
    return a + b + c + d + e + f + g + h + i + j + k


def test_a_c_plugin_takes_as_many_arrays_as_a_formula_has(tmp_path):
    source = SOFTMAX.replace("EXTRA", "to[0] = 0; for (size_t k = 0; k < input_count; ++k) to[0] += *(const float*)inputs[k].data; "
                             "return (void)N, (void)D, ASSAY_OK;").replace('"x"', '"a"').replace("x->shape[1]", "1")  # fmt: skip
    path = compiled(tmp_path, source)
    assay.gate(of_many, path, cases=10, filter="outputs", reach="none", accumulate="float32").raise_for_failure()


@assay.operation(x="N, D", at="N of index D")
def chosen(xp, x, at):
    return x[xp.arange(x.shape[0]), at], xp.argmax(x, axis=1)


CHOSEN = """
  const int64_t* at = inputs[1].data;
  int64_t* first = outputs[1].data;
  if (outputs[1].dtype != ASSAY_INT64) return ASSAY_FAILED;
  for (int64_t n = 0; n < N; ++n) {
    to[n] = from[n * D + at[n]];
    first[n] = 0;
    for (int64_t d = 1; d < D; ++d) if (from[n * D + d] > from[n * D + first[n]]) first[n] = d;
    WRONG
  }
  return ASSAY_OK;
"""


@pytest.mark.parametrize(
    "wrong, says", [("", ""), ("if (n == 2) first[n] = 0;", "expected rank"), ("if (n == 2) first[n] = D;", "whole number")])  # fmt: skip
def test_a_c_plugin_reads_indices_and_returns_positions(tmp_path, wrong, says):
    path = library(tmp_path, CHOSEN.replace("WRONG", wrong))
    result = assay.gate(chosen, path, cases=40, accumulate="float32", empty=False)
    assert bool(result.failures) == bool(wrong), str(result)
    if wrong:
        assert says in result.failures["outputs"].explanation


def test_a_c_plugin_is_called_with_several_numbers_of_threads(tmp_path):
    extra = "#pragma omp parallel\n  if (N * D > 0 && omp_get_thread_num() == 2) to[0] = 2;\n  if (N * D > 0 && to[0] == 2) return ASSAY_FAILED;"
    wrong = library(tmp_path, extra, "-fopenmp", "-includeomp.h")
    failure = assay.gate(gallery.softmax, wrong, cases=20, filter="outputs", reach="none").failures["outputs"]
    assert not assay.replay(wrong, failure.reproducer, operation=gallery.softmax)
    one_thread = 'if (omp_get_max_threads() > 1) return snprintf(message, message_size, "threads"), ASSAY_UNSUPPORTED;'
    result = assay.gate(gallery.softmax, library(tmp_path, one_thread, "-fopenmp", "-includeomp.h"), cases=20, filter="outputs", reach="none")
    assert 0 < sum(count for reason, count in result["outputs"].skipped.items() if "threads" in reason) < 20


def test_a_failure_of_a_c_plugin_is_replayed(tmp_path):
    wrong = library(tmp_path, "if (D == 3) return ASSAY_OK;")
    failure = assay.gate(gallery.softmax, wrong, cases=40, filter="outputs", reach="none").failures["outputs"]
    assert not assay.replay(wrong, failure.reproducer, operation=gallery.softmax)
    assert assay.replay(library(tmp_path), failure.reproducer, operation=gallery.softmax)


def shader(folder, change=("", "")):
    (folder / "softmax.metal").write_text(SHADER.replace(*change) if change[0] else SHADER)
    (folder / "softmax.json").write_text(BINDING)
    return folder / "softmax.json"


def test_a_shader_with_a_binding_passes(tmp_path):
    assay.gate(gallery.softmax, shader(tmp_path), cases=15, reach="none").raise_for_failure()


@pytest.mark.parametrize(
    "change, says",
    [
        (("exp(x[n * D + d] - largest)", "exp2(x[n * D + d] - largest)"), "exact"),
        (("d < D; ++d) y", "d <= D; ++d) y"), "memcheck"),
        (("kernel void softmax_rows", "kernel void other"), "softmax_rows"),
    ],
)
def test_what_a_shader_does_wrong_is_said(tmp_path, change, says):
    result = assay.gate(gallery.softmax, shader(tmp_path, change), cases=15, filter="outputs", reach="none")
    assert says in result.failures["outputs"].explanation, result


def workers():
    """How many processes of plug-ins this process has."""
    count = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            name, _, rest = stat.read_text().partition(" (")[2].rpartition(") ")
        except OSError:  # it has ended
            continue
        count += name.startswith("assay_plugin") and rest.split()[1] == str(os.getpid())
    return count


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="the system does not list processes there")
@pytest.mark.parametrize("extra", ["", "if (N == 3) exit(0);"])
def test_a_run_leaves_no_process_behind(tmp_path, extra):
    before = workers()
    assay.gate(gallery.softmax, library(tmp_path, extra), cases=20)
    assert workers() == before
