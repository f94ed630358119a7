"""A kernel in C whose arrays are of several types: bfloat16 activations, a float32 weight, int32 labels."""

import pytest

import assay
from assay import gallery
from test_formula_plugins import compiled, shader

TYPES = {"x": "bfloat16", "label": "int32"}


@assay.operation(x="N, D", weight="D", label="N of index D")
def weighted(xp, x, weight, label):
    return x * weight, x[xp.arange(x.shape[0]), label]


WEIGHTED = """
#include "assay_formula.h"

static float widened(uint16_t bits) {
  union { uint32_t bits; float number; } one = {(uint32_t)bits << 16};
  return one.number;
}

static uint16_t narrowed(float number) {
  union { float number; uint32_t bits; } one = {number};
  if (number != number) return 0x7fc0;
  return (uint16_t)((one.bits + 0x7fff + (one.bits >> 16 & 1)) >> 16);
}

int assay_forward(const char* operation, const assay_array* inputs, size_t input_count, const assay_array* outputs,
                  size_t output_count, char* message, size_t message_size) {
  const assay_array *x = assay_array_called("x", inputs, input_count), *label = assay_array_called("label", inputs, input_count);
  const uint16_t* from = x->data;
  const float* weight = assay_array_called("weight", inputs, input_count)->data;
  const int32_t* at = label->data;
  (void)operation, (void)output_count, (void)message, (void)message_size;
  if (x->dtype != ASSAY_BFLOAT16 || label->dtype != ASSAY_INT32 || outputs[0].dtype != ASSAY_FLOAT32 ||
      outputs[1].dtype != ASSAY_BFLOAT16)
    return ASSAY_FAILED;
  float* product = outputs[0].data;
  uint16_t* taken = outputs[1].data;
  const int64_t N = x->shape[0], D = x->shape[1];
  for (int64_t n = 0; n < N; ++n) {
    for (int64_t d = 0; d < D; ++d) product[n * D + d] = X(from[n * D + d]) * weight[d];
    taken[n] = T(from[n * D + AT(at, n)]);
  }
  return ASSAY_OK;
}

int assay_backward(const char* operation, const assay_array* inputs, size_t input_count, const assay_array* outputs,
                   size_t output_count, char* message, size_t message_size) {
  const assay_array* x = assay_array_called("x", inputs, input_count);
  const uint16_t *from = x->data, *of_taken = assay_array_called("upstream1", inputs, input_count)->data;
  const float* weight = assay_array_called("weight", inputs, input_count)->data;
  const float* of_product = assay_array_called("upstream0", inputs, input_count)->data;
  const int32_t* at = assay_array_called("label", inputs, input_count)->data;
  uint16_t* dx = assay_array_called("gradient_x", outputs, output_count)->data;
  float* dweight = assay_array_called("gradient_weight", outputs, output_count)->data;
  const int64_t N = x->shape[0], D = x->shape[1];
  (void)operation, (void)message, (void)message_size;
  for (int64_t d = 0; d < D; ++d) dweight[d] = 0;
  for (int64_t n = 0; n < N; ++n)
    for (int64_t d = 0; d < D; ++d) {
      dx[n * D + d] = narrowed(of_product[n * D + d] * weight[d] + (at[n] == d ? widened(of_taken[n]) : 0));
      dweight[d] += of_product[n * D + d] * widened(from[n * D + d]);
    }
  return ASSAY_OK;
}
"""


def mixed(folder, x="widened", taken="", at="at[n]"):
    macros = f"#define X(bits) {x}(bits)\n#define T(bits) {taken}(bits)\n#define AT(at, n) {at}\n"
    return compiled(folder, macros + WEIGHTED, "-Wno-unused-function")


def judged(path, **declared):
    return assay.gate(weighted, path, cases=30, dtypes={**TYPES, "output1": "bfloat16"}, **declared)


def test_a_right_kernel_of_several_types_passes(tmp_path):
    judged(mixed(tmp_path), filter="outputs|exact|repeat|history").raise_for_failure()
    assay.gradcheck(weighted, mixed(tmp_path), cases=30, dtypes={**TYPES, "output1": "bfloat16"}).raise_for_failure()


@pytest.mark.parametrize(
    "wrong",
    [
        {"x": "(float)"},
        {"taken": "1 & "},
        {"at": "((const int64_t*)at)[n / 2]"},
        {"at": "((const int16_t*)at)[2 * n + 1]"},
    ],
)
def test_an_array_that_is_read_or_written_as_another_type_fails(tmp_path, wrong):
    result = judged(mixed(tmp_path, **wrong), filter="outputs", reach="none")
    failure = result.failures["outputs"]
    assert not assay.replay(tmp_path / "mine.so", failure.reproducer, operation=weighted, dtypes={**TYPES, "output1": "bfloat16"})


@pytest.mark.parametrize("pointer, dtypes, passes", [("half", {"x": "float16"}, True), ("half", {"output": "float16"}, False)])
def test_a_shader_takes_arrays_of_several_types(tmp_path, pointer, dtypes, passes):
    path = shader(tmp_path, ("device const float* x", f"device const {pointer}* x"))
    text = path.with_suffix(".metal").read_text().replace("x[n * D + d]", "float(x[n * D + d])")
    path.with_suffix(".metal").write_text(text)
    result = assay.gate(gallery.softmax, path, cases=10, reach="none", filter="outputs", dtypes=dtypes)
    assert result.passed == passes, result


def test_other_types_than_the_kernel_takes_fail(tmp_path):
    result = assay.gate(weighted, mixed(tmp_path), cases=5, filter="outputs", reach="none")
    assert "failed" in result.failures["outputs"].explanation
    with pytest.raises(ValueError, match="dtypes has 'y': expected x, weight, label, output"):
        assay.gate(weighted, mixed(tmp_path), cases=5, dtypes={"y": "float32"})
