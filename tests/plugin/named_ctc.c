/* A CTC plug-in that takes its problem as named arrays, in double; the constant alone declares. FORGETS_BLANK: it takes
 * class 0 for the blank. */
#include "assay_formula.h"
#include "tests/plugin/naive_ctc.h"

static int64_t option(const char* name, const assay_array* inputs, size_t count) {
  return *(const int64_t*)assay_array_called(name, inputs, count)->data;
}

ASSAY_EXPORT int assay_forward(const char* operation, const assay_array* in, size_t in_count, const assay_array* out,
                               size_t out_count, char* message, size_t message_size) {
  const assay_array* activations = assay_array_called("activations", in, in_count);
  const assay_array* targets = assay_array_called("targets", in, in_count);
  const int64_t T = option("T", in, in_count), B = option("B", in, in_count), C = option("C", in, in_count);
  const int64_t of_row = option("S", in, in_count), blank = FORGETS_BLANK ? 0 : option("blank", in, in_count);
  const int is_padded = option("layout", in, in_count) == ASSAY_PADDED;
  const int64_t reduction = option("reduction", in, in_count);
  const int64_t* input_lengths = assay_array_called("input_lengths", in, in_count)->data;
  const int64_t* target_lengths = assay_array_called("target_lengths", in, in_count)->data;
  const float* upstream = assay_array_called("upstream", in, in_count)->data;
  float* loss = assay_array_called("loss", out, out_count)->data;
  float* gradient = assay_array_called("gradient", out, out_count)->data;
  const int64_t* labels = targets->data;
  double total = 0;
  (void)message, (void)message_size;
  if (strcmp(operation, "ctc") != 0 || activations->dtype != ASSAY_FLOAT32 || targets->dtype != ASSAY_INT64 ||
      activations->dimensions != 3 || activations->shape[1] != B)
    return ASSAY_FAILED;
  for (int64_t i = 0; gradient && i < T * B * C; ++i) gradient[i] = 0;
  for (int64_t b = 0; b < B; ++b) {
    const int64_t S = target_lengths[b];
    const double weight = upstream ? upstream[reduction == ASSAY_NONE ? b : 0] : 1;
    const double factor = reduction == ASSAY_MEAN ? 1.0 / ((double)B * (double)(S > 0 ? S : 1)) : 1;
    const double one = naive_ctc((const float*)activations->data + b * C, option("input", in, in_count) == ASSAY_LOGITS,
                                 is_padded ? (const int64_t*)targets->data + b * of_row : labels, input_lengths[b], C,
                                 S, B * C, blank, weight * factor, option("variable", in, in_count) == ASSAY_LOGITS,
                                 (int)option("zero_infinity", in, in_count), gradient ? gradient + b * C : NULL);
    labels += S;
    total += factor * one;
    if (reduction == ASSAY_NONE) loss[b] = (float)one;
  }
  if (reduction != ASSAY_NONE) loss[0] = (float)total;
  return ASSAY_OK;
}

const assay_ctc_kernel assay_ctc = {ASSAY_HEADER(assay_ctc_kernel), .name = "naive CTC of named arrays",
                                    .unit_roundoff = 0x1p-53, .unsupported = ASSAY_CTC_NO_CHECKS};
