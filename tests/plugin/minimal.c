/* The least that a plug-in is: docs/plugins.md quotes it. my_ctc stands for a kernel that was there before. */
#include "assay_plugin.h"
#include "tests/plugin/naive_ctc.h"

/* loss [B], gradient [T, B, C] with respect to the logits [T, B, C]; targets [B, S]; blank is class 0. */
static void my_ctc(int64_t T, int64_t B, int64_t C, int64_t S, const float* logits, const int64_t* targets,
                   const int64_t* input_lengths, const int64_t* target_lengths, float* loss, float* gradient) {
  for (int64_t i = 0; gradient && i < T * B * C; ++i) gradient[i] = 0;
  for (int64_t b = 0; b < B; ++b)
    loss[b] = (float)naive_ctc(logits + b * C, 1, targets + b * S, input_lengths[b], C, target_lengths[b], B * C, 0, 1,
                               1, 0, gradient ? gradient + b * C : NULL);
}

static int run(const assay_ctc_problem* p, const assay_ctc_output* out, char* message, size_t message_size) {
  (void)message, (void)message_size;
  my_ctc(p->T, p->B, p->C, p->S, p->activations, p->targets, p->input_lengths, p->target_lengths, out->loss,
         out->gradient);
  return ASSAY_OK;
}

const assay_ctc_kernel assay_ctc = {ASSAY_HEADER(assay_ctc_kernel), .name = "my CTC", .run = run,
                                    .unsupported = ASSAY_CTC_BASICS_ALONE};
