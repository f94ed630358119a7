"""Where the arrays of a library lie: with strides, where it declares to take them, and past 2^32 elements."""

import pytest

import assay
from assay import gallery
from test_formula_plugins import compiled

HEAD = """
#include <math.h>
#include <stdlib.h>
#include "assay_formula.h"

static inline void softmax(const float* from, int64_t row, int64_t step, float* to, int64_t N, int64_t D) {
  for (int64_t n = 0; n < N; ++n, from += row, to += D) {
    float m = -INFINITY, sum = 0;
    for (int64_t d = 0; d < D; ++d) m = from[d * step] > m ? from[d * step] : m;
    for (int64_t d = 0; d < D; ++d) sum += to[d] = expf(from[d * step] - m);
    for (int64_t d = 0; d < D; ++d) to[d] /= sum;
  }
}

int assay_forward(const char* operation, const assay_array* inputs, size_t input_count, const assay_array* outputs,
                  size_t output_count, char* message, size_t message_size) {
  const assay_array* x = assay_array_called("x", inputs, input_count);
  const int64_t N = x->shape[0], D = x->shape[1], row = assay_stride(x, 0), step = assay_stride(x, 1);
  const float* from = x->data;
  float* to = outputs[0].data;
  (void)operation, (void)output_count, (void)message, (void)message_size, (void)row, (void)step;
"""
IN_PLACE = "softmax(from, row, step, to, N, D);"
BY_A_COPY = """
  float* copy = malloc((size_t)(N * D + 1) * sizeof(float));
  for (int64_t n = 0; n < N; ++n)
    for (int64_t d = 0; d < D; ++d) copy[n * D + d] = from[n * row + d * step];
  softmax(copy, D, 1, to, N, D);
  free(copy);
"""
FAULTS = {
    "contiguous": "softmax(from, D, 1, to, N, D);",
    "only columns": "softmax(from, row, 1, to, N, D);",
    "upwards alone": "softmax(from, row < 0 ? -row : row, step, to, N, D);",
}


def plugin(folder, body):
    return compiled(folder, f"{HEAD}{body}\n  return ASSAY_OK;\n}}\n", "-O2")


@pytest.mark.parametrize("body", [IN_PLACE, BY_A_COPY])
def test_right_libraries_take_strides(tmp_path, body):
    result = assay.gate(gallery.softmax, plugin(tmp_path, body), cases=40, reach="none", strides=True)
    result.raise_for_failure()
    assert all(f"layout {k} " in result.table for k in range(13)), str(result)


@pytest.mark.parametrize("fault", FAULTS)
def test_strides_that_are_not_looked_at_are_caught(tmp_path, capsys, fault):
    path = plugin(tmp_path, FAULTS[fault])
    failure = assay.gate(gallery.softmax, path, cases=40, reach="none", filter="^outputs$", strides=True).failures["outputs"]
    exec(failure.again, {})
    assert capsys.readouterr().out.startswith(("fail outputs", "error outputs"))
    assert assay.gate(gallery.softmax, path, cases=40, reach="none", filter="^outputs$").passed


def test_strides_are_a_librarys():
    with pytest.raises(TypeError, match="strides = True of <lambda>: expected a shared library"):
        assay.gate(gallery.softmax, lambda p: p.x, strides=True)


@assay.operation(x="N, D")
def doubled(xp, x):
    return x + x


DOUBLED = "for (int64_t i = 0; i < N * D; ++i) { const int64_t at = i & MASK; to[at] = from[at] + from[at]; }"


def far_rows(path, **asked):
    return assay.gate(doubled, path, cases=1, reach="full", filter="^far-rows$", **asked)["far-rows"]


@pytest.mark.parametrize("mask, verdict", [("-1", "pass"), ("0x1FFFFFF", "fail")])
def test_rows_past_the_bits_of_an_offset_are_judged_in_a_full_run(tmp_path, capsys, monkeypatch, mask, verdict):
    monkeypatch.setattr("assay._plugin._FAR", 2**25)  # in the place of 2^32, which takes half a minute
    path = plugin(tmp_path, DOUBLED.replace("MASK", mask))
    result = far_rows(path)
    assert (result.verdict, result.cases) == (verdict, 1), result.skipped
    if verdict == "fail":
        assert "output[" in result.failure.explanation and "got      nan" in result.failure.explanation
        exec(result.failure.again, {"doubled": doubled})
        assert "fail far-rows" in capsys.readouterr().out
