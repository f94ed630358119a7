/* A CTC plug-in whose activations, loss and gradient are bfloat16. TRUNCATES: it cuts digits off, and does not round.
 */
#include <string.h>

#include "assay_plugin.h"
#include "tests/plugin/naive_ctc.h"

static float widened(uint16_t bits) {
  const uint32_t wide = (uint32_t)bits << 16;
  float value;
  memcpy(&value, &wide, sizeof value);
  return value;
}

static uint16_t narrowed(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  if (value != value) return 0x7FC0;
  return (uint16_t)((bits + (TRUNCATES ? 0 : 0x7FFF + (bits >> 16 & 1))) >> 16);
}

static int run(const assay_ctc_problem* p, const assay_ctc_output* out, char* message, size_t message_size) {
  (void)message, (void)message_size;
  const uint16_t* given = p->activations;
  uint16_t *loss = out->loss, *gradient = out->gradient;
  const int64_t count = p->T * p->B * p->C;
  float *logits = malloc(sizeof(float) * (size_t)(2 * count + 1)), *wide = logits + count;
  for (int64_t i = 0; i < count; ++i) logits[i] = widened(given[i]), wide[i] = 0;
  for (int64_t b = 0; b < p->B; ++b)
    loss[b] = narrowed((float)naive_ctc(logits + b * p->C, 1, p->targets + b * p->S, p->input_lengths[b], p->C,
                                        p->target_lengths[b], p->B * p->C, 0, 1, 1, 0, wide + b * p->C));
  for (int64_t i = 0; i < out->gradient_size; ++i) gradient[i] = narrowed(wide[i]);
  free(logits);
  return ASSAY_OK;
}

const assay_ctc_kernel assay_ctc = {ASSAY_HEADER(assay_ctc_kernel), .run = run, .dtype = ASSAY_BFLOAT16,
                                    .unit_roundoff = 0x1p-24, .unsupported = ASSAY_CTC_BASICS_ALONE};
