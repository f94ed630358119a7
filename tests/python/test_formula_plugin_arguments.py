"""What the gate asks of a kernel in C alone: any number of threads, and refusals of bad arguments."""

import pytest

import assay
from assay import gallery
from test_formula_plugins import compiled, library

SHARED_OUT = """
  float partial[64] = {0};
  #pragma omp parallel
  {
    const int threads = omp_get_num_threads(), own = omp_get_thread_num();
    for (int64_t i = own; i < N * D; i += threads) partial[own] += from[i];
  }
  to[0] = 0;
  for (int i = 0; i < JOINED; ++i) to[0] += partial[i];
  return ASSAY_OK;
"""


@assay.operation(x="N, D")
def total(xp, x):
    return xp.sum(x)


@pytest.mark.parametrize("joined", [64, 8, 3])
def test_a_sum_that_is_shared_out_is_judged_with_any_number_of_threads(tmp_path, joined):
    path = library(tmp_path, SHARED_OUT.replace("JOINED", str(joined)), "-fopenmp", "-includeomp.h")
    result = assay.gate(total, path, cases=40, reach="none", accumulate="float32")
    assert result["threads"].passed == (joined == 64), result
    if joined == 8:
        assert set(result.failures) == {"threads"}, result  # other properties have one to four
    if joined < 64:
        assert " threads\n" in result.failures["threads"].explanation
        assert not assay.replay(path, result.failures["threads"].reproducer, operation=total)


def test_a_library_without_openmp_has_no_threads(tmp_path):
    assert "threads" not in [one.name for one in assay.gate(gallery.softmax, library(tmp_path), cases=2, reach="none").properties]


@assay.operation(table="V, D", at="N of index V", scale="N")
def rows(xp, table, at, scale):
    return xp.take(table, at, axis=0) * xp.expand_dims(scale, 1)


ROWS = """
#include <stdio.h>
#include "assay_formula.h"

static int refused(const char* name, char* message, size_t size) {
  snprintf(message, size, "%s is not right", name);
  return ASSAY_REFUSED;
}

int assay_forward(const char* operation, const assay_array* inputs, size_t input_count, const assay_array* outputs,
                  size_t output_count, char* message, size_t message_size) {
  const assay_array *table = &inputs[0], *at = &inputs[1], *scale = &inputs[2];
  const int64_t V = table->shape[0], D = table->shape[1], N = at->shape[0];
  (void)operation, (void)input_count, (void)output_count;
  if (table->dtype != ASSAY_FLOAT32) return refused("table", message, message_size);
  if (at->dtype != ASSAY_INT64) return refused("at", message, message_size);
  if (TYPE_OF_SCALE) return refused("scale", message, message_size);
  if (LENGTHS) return refused("scale", message, message_size);
  for (int64_t n = 0; n < N; ++n) {
    const int64_t v = ((const int64_t*)at->data)[n];
    if (RANGE) return refused("NAME", message, message_size);
  }
  for (int64_t n = 0; n < N; ++n)
    for (int64_t d = 0; d < D; ++d)
      ((float*)outputs[0].data)[n * D + d] =
          ((const float*)table->data)[((const int64_t*)at->data)[n] * D + d] * ((const float*)scale->data)[n];
  return ASSAY_OK;
}
"""
RIGHT = {
    "TYPE_OF_SCALE": "scale->dtype != ASSAY_FLOAT32",
    "LENGTHS": "scale->shape[0] != N",
    "RANGE": "v < 0 || v >= V",
    "NAME": "at",
}


def checking(folder, **other):
    source = ROWS
    for name, text in {**RIGHT, **other}.items():
        source = source.replace(name, text)
    return compiled(folder, source)


def test_a_kernel_that_checks_its_arguments_passes(tmp_path):
    assay.gate(rows, checking(tmp_path), cases=20, reach="none", checks_arguments=True).raise_for_failure()


@pytest.mark.parametrize(
    "other, says",
    [
        ({"TYPE_OF_SCALE": "0"}, "scale of float64: got"),
        ({"LENGTHS": "0"}, "scale with N="),
        ({"RANGE": "v >= V"}, "at with an index of -1 where V is"),
        ({"RANGE": "v < 0 || v > V"}, "at with an index of"),
        ({"NAME": "an index"}, "a refusal that says 'an index is not right'; expected ASSAY_REFUSED and a message that names at"),
        ({"LENGTHS": "scale->shape[0] < N && (*(float*)outputs[0].data = 1) > 0"}, "output0 written; expected nothing written"),
    ],
)  # fmt: skip
def test_a_bad_argument_that_is_not_refused_by_name_fails(tmp_path, other, says):
    path = checking(tmp_path, **other)
    result = assay.gate(rows, path, cases=20, reach="none", checks_arguments=True)
    assert set(result.failures) == {"refusals"} and says in result.failures["refusals"].explanation, result
    assert not assay.replay(path, result.failures["refusals"].reproducer, operation=rows, checks_arguments=True)
    assay.gate(rows, path, cases=20, reach="none").raise_for_failure()  # it does not claim to check them


def test_pytest_has_a_test_for_each_property_of_a_library(tmp_path):
    path = library(tmp_path, SHARED_OUT.replace("JOINED", "64"), "-fopenmp", "-includeomp.h")
    for declared in ({}, {"checks_arguments": True}):
        names = assay.property_names(total, path, **declared)
        run = assay.gate(total, path, cases=1, reach="none", accumulate="float32", **declared)
        assert names == [one.name for one in run.properties]
    assert names == ["repeat", "history", "threads", "refusals", "exact", "outputs"]


def test_a_function_in_python_is_not_asked_to_refuse():
    with pytest.raises(TypeError, match="checks_arguments = True of <lambda>: expected a shared library"):
        assay.gate(gallery.softmax, lambda p: p.x, cases=1, checks_arguments=True)
