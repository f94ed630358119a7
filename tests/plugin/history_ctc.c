/* CTC plug-ins for tests of how failures are shrunk: the loss is wrong in every seventh call, or always and slowly. */
#include <unistd.h>

#include "assay_plugin.h"
#include "tests/plugin/naive_ctc.h"

static int run(const assay_ctc_problem* p, const assay_ctc_output* out, char* message, size_t message_size) {
  static unsigned calls = 0;
  const int is_wrong = SLOW || ++calls % 7 == 0;
  (void)message, (void)message_size;
  if (SLOW) usleep(500000);
  for (int64_t i = 0; i < out->gradient_size; ++i) ((float*)out->gradient)[i] = 0;
  for (int64_t b = 0; b < p->B; ++b)
    ((float*)out->loss)[b] =
        (float)(is_wrong + naive_ctc((const float*)p->activations + b * p->C, 1, p->targets + b * p->S,
                                     p->input_lengths[b], p->C, p->target_lengths[b], p->B * p->C, 0, 1, 1, 0,
                                     out->gradient ? (float*)out->gradient + b * p->C : NULL));
  return ASSAY_OK;
}

const assay_ctc_kernel assay_ctc = {ASSAY_HEADER(assay_ctc_kernel), .name = "history", .run = run,
                                    .unsupported = ASSAY_CTC_BASICS_ALONE};
