/* Kernels that claim next to nothing and are right there without a computation: -DCTC, -DCCE or -DSVD, -DCLAIM=".largest_C = 1",
 * and -DNOISE=1e-45f for results that are not all one number. */
#include <math.h>

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
#elif defined(SVD)
static int run(const assay_svd_problem* p, const assay_svd_output* out, char* message, size_t message_size) {
  (void)message, (void)message_size;
  const float *A = p->A, *const end = A + p->A_size;
  fill(out->U, out->U_size, 1);
  fill(out->Vh, out->Vh_size, 1);
  for (float *s = out->S, *vh = out->Vh; A < end; ++A) { /* of matrices of one element */
    *s++ = fabsf(*A);
    if (vh) *vh++ = copysignf(1, *A);
  }
  return ASSAY_OK;
}

ASSAY_EXPORT const assay_svd_kernel assay_svd = {ASSAY_HEADER(assay_svd_kernel), .run = run,
                                                 .unsupported = ASSAY_SVD_NO_EMPTY | ASSAY_SVD_NO_CHECKS, CLAIM};
#else
static int run(const assay_cce_problem* p, const assay_cce_output* out, char* message, size_t message_size) {
  (void)message, (void)message_size;
  const int64_t* target = p->targets;
  for (int64_t n = 0; n < out->loss_size; ++n)
    ((float*)out->loss)[n] = out->loss_size > 1 && target[n] == p->ignore_index ? 0 : NOISE;
  fill(out->dhidden, out->dhidden_size, 0);
  fill(out->dweight, out->dweight_size, 0);
  fill(out->dbias, out->dbias_size, 0);
  return ASSAY_OK;
}

ASSAY_EXPORT const assay_cce_kernel assay_cce = {
    ASSAY_HEADER(assay_cce_kernel), .run = run,
    .unsupported = ASSAY_CCE_NO_Z_LOSS | ASSAY_CCE_NO_EMPTY | ASSAY_CCE_NO_CHECKS, CLAIM};
#endif
