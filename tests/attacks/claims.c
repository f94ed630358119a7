/* Kernels that claim next to nothing and are right there without a computation: -DCTC or -DCCE, -DCLAIM=".largest_C = 1", and
 * -DNOISE=1e-38f for results that are not all one number. */
#include "assay_plugin.h"

#ifndef NOISE
#define NOISE 0
#endif

static void fill(float* values, int64_t size, float number) {
  for (int64_t i = 0; values && i < size; ++i) values[i] = number;
}

#ifdef CTC
static int run(const assay_ctc_problem* p, const assay_ctc_output* out, char* message, size_t message_size) {
  (void)p, (void)message, (void)message_size;
  fill(out->loss, out->loss_size, NOISE);
  fill(out->gradient, out->gradient_size, 0);
  return ASSAY_OK;
}

ASSAY_EXPORT const assay_ctc_kernel assay_ctc = {
    ASSAY_HEADER(assay_ctc_kernel), .run = run,
    .unsupported = ASSAY_CTC_NO_LOG_PROBS | ASSAY_CTC_NO_GRADIENT_OF_LOG_PROBS | ASSAY_CTC_NO_CHECKS, CLAIM};
#else
static int run(const assay_cce_problem* p, const assay_cce_output* out, char* message, size_t message_size) {
  (void)p, (void)message, (void)message_size;
  fill(out->loss, out->loss_size, NOISE);
  fill(out->dhidden, out->dhidden_size, 0);
  fill(out->dweight, out->dweight_size, 0);
  fill(out->dbias, out->dbias_size, 0);
  return ASSAY_OK;
}

ASSAY_EXPORT const assay_cce_kernel assay_cce = {ASSAY_HEADER(assay_cce_kernel), .run = run,
                                                 .unsupported = ASSAY_CCE_NO_Z_LOSS | ASSAY_CCE_NO_CHECKS, CLAIM};
#endif
