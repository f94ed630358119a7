/* A CTC plug-in that does all options, in double or in NAIVE_REAL, and says that it does not check its arguments. */
#include "assay_plugin.h"
#include "tests/plugin/naive_ctc.h"

#ifndef ZERO_PAST_32_BITS
#define ZERO_PAST_32_BITS 0
#endif

static int run(const assay_ctc_problem* p, const assay_ctc_output* out, char* message, size_t message_size) {
  (void)message, (void)message_size;
  const float* activations = p->activations;
  float *loss = out->loss, *gradient = out->gradient;
  const int64_t* labels = p->targets;
  double total = 0;
  for (int64_t i = 0; i < out->gradient_size; ++i) gradient[i] = 0;
  for (int64_t b = 0; b < p->B; ++b) {
    const int64_t S = p->target_lengths[b];
    double weight = p->upstream ? p->upstream[p->reduction == ASSAY_NONE ? b : 0] : 1;
    double factor = p->reduction == ASSAY_MEAN ? 1.0 / ((double)p->B * (double)(S > 0 ? S : 1)) : 1;
    const double of_row = naive_ctc(activations + b * p->C, p->input == ASSAY_LOGITS,
                                    p->layout == ASSAY_PADDED ? p->targets + b * p->S : labels, p->input_lengths[b],
                                    p->C, S, p->B * p->C, p->blank, weight * factor, p->variable == ASSAY_LOGITS,
                                    p->zero_infinity, gradient ? gradient + b * p->C : NULL);
    labels += S;
    total += factor * of_row;
    if (p->reduction == ASSAY_NONE) loss[b] = (float)of_row;
  }
  for (int64_t i = INT64_C(1) << 32; ZERO_PAST_32_BITS && i < out->gradient_size; ++i) gradient[i] = 0;
  if (p->reduction != ASSAY_NONE) loss[0] = (float)total;
  return ASSAY_OK;
}

const assay_ctc_kernel assay_ctc = {ASSAY_HEADER(assay_ctc_kernel),
                                    .name = "naive CTC in C",
                                    .run = run,
                                    .arithmetic = ASSAY_LOG_SPACE,
                                    .unit_roundoff = sizeof(naive_real) == 8 ? 0x1p-53 : 0,
                                    .unsupported = ASSAY_CTC_NO_CHECKS};
