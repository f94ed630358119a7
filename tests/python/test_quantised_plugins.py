"""Kernels in C and Metal that take packed codes and give codes."""

import json

import pytest
from test_formula_plugins import compiled

import assay
from assay.quantised import dequantise_groups, quantise_rows

DEQUANTISE = """
#include "assay_formula.h"

int assay_forward(const char* operation, const assay_array* inputs, size_t input_count, const assay_array* outputs,
                  size_t output_count, char* message, size_t message_size) {
  const assay_array *q = assay_array_called("q", inputs, input_count), *zero = assay_array_called("zero", inputs, input_count);
  const float* scale = assay_array_called("scale", inputs, input_count)->data;
  (void)operation, (void)output_count, (void)message, (void)message_size;
  if (q->dtype != ASSAY_UINT8 || zero->dtype != ASSAY_UINT8 || q->shape[2] != 16) return ASSAY_FAILED;
  const uint8_t *bytes = q->data, *zeros = zero->data;
  float* out = outputs[0].data;
  for (int64_t group = 0; group < q->shape[0] * q->shape[1]; ++group)
    for (int k = 0; k < 32; ++k) {
      const int code = bytes[group * 16 + k / 2] >> 4 * (SECOND) & 15;
      out[group * 32 + k] = (float)(code - zeros[group]) * scale[group];
    }
  return ASSAY_OK;
}
"""

QUANTISE = """
#include <math.h>
#include "assay_formula.h"

int assay_forward(const char* operation, const assay_array* inputs, size_t input_count, const assay_array* outputs,
                  size_t output_count, char* message, size_t message_size) {
  const float* x = inputs[0].data;
  int8_t* q = outputs[0].data;
  float* scale = outputs[1].data;
  const int64_t N = inputs[0].shape[0], K = inputs[0].shape[1];
  (void)operation, (void)input_count, (void)output_count, (void)message, (void)message_size;
  if (outputs[0].dtype != ASSAY_INT8) return ASSAY_FAILED;
  for (int64_t n = 0; n < N; ++n) {
    float most = 0;
    for (int64_t k = 0; k < K; ++k) most = fmaxf(most, fabsf(x[n * K + k]));
    scale[n] = most / 127;
    for (int64_t k = 0; k < K; ++k) q[n * K + k] = (int8_t)(scale[n] == 0 ? 0 : ROUND(x[n * K + k] / scale[n]));
  }
  return ASSAY_OK;
}
"""

SHADER = """
#include <metal_stdlib>
using namespace metal;

kernel void dequantise(device const uchar* q [[buffer(0)]], device const float* scale [[buffer(1)]],
                       device const uchar* zero [[buffer(2)]], device float* out [[buffer(3)]], constant uint& N [[buffer(4)]],
                       constant uint& G [[buffer(5)]], uint at [[thread_position_in_grid]]) {
  if (at >= N * G * 32) return;
  const uint code = q[at / 2] >> 4 * (SECOND) & 15;
  out[at] = (float(code) - float(zero[at / 32])) * scale[at / 32];
}
"""


@pytest.mark.parametrize("second, passes", [("k % 2", True), ("1 - k % 2", False)])
def test_a_library_reads_packed_codes(tmp_path, second, passes):
    path = compiled(tmp_path, f"#define SECOND {second}\n" + DEQUANTISE)
    result = assay.gate(dequantise_groups, path, cases=20, filter="outputs", reach="none", dtypes={"q": "uint8 low-first"})
    assert result.passed == passes, result.table


@pytest.mark.parametrize("rounds, passes", [("rintf", True), ("roundf", False)])
def test_a_library_gives_codes(tmp_path, rounds, passes):
    path = compiled(tmp_path, f"#define ROUND {rounds}\n" + QUANTISE)
    result = assay.gate(quantise_rows, path, cases=40, filter="outputs|quantisation", reach="none")
    assert result.passed == passes, result.table


@pytest.mark.parametrize("second, passes", [("at % 2", True), ("1 - at % 2", False)])
def test_a_shader_reads_packed_codes(tmp_path, second, passes):
    (tmp_path / "mine.metal").write_text(f"#define SECOND ({second})\n" + SHADER)
    binding = {"operation": "dequantise_groups", "source": "mine.metal",
               "passes": [{"function": "dequantise", "grid": ["N * G * 32"], "group": [32], "buffers": [
                   *({"index": k, "array": name} for k, name in enumerate(["q", "scale", "zero", "output0"])),
                   *({"index": 4 + k, "type": "uint", "value": name} for k, name in enumerate("NG"))]}]}  # fmt: skip
    (tmp_path / "mine.json").write_text(json.dumps(binding))
    result = assay.gate(dequantise_groups, tmp_path / "mine.json", cases=10, filter="outputs", reach="none",
                        dtypes={"q": "uint8 low-first"}, empty=False)  # fmt: skip
    assert result.passed == passes, result.table
