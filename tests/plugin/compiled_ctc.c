/* A CTC plug-in as it was compiled with assay_plugin.h of 29 November 2026: its structs are spelled out here, so that a
 * change of their layout is noticed, which breaks plug-ins that exist. */
#include <stddef.h>

#include "tests/plugin/naive_ctc.h"

typedef struct {
  uint32_t struct_size, version;
} header;

typedef struct {
  header header;
  int64_t T, B, C, S;
  const void* activations;
  const int64_t *targets, *input_lengths, *target_lengths;
  const float* upstream;
  int64_t blank;
  int32_t dtype, input, variable, layout, reduction, zero_infinity, threads, reserved;
  int64_t activations_size, targets_size, input_lengths_size, target_lengths_size, upstream_size;
} problem;

typedef struct {
  header header;
  void *loss, *gradient;
  int64_t loss_size, gradient_size;
} output;

typedef struct {
  header header;
  const char* name;
  int (*run)(const problem* problem, const output* output, char* message, size_t message_size);
  uint32_t dtype, arithmetic;
  double unit_roundoff;
  uint32_t two_step, unsupported;
  int64_t largest_T, largest_B, largest_C, largest_S, alignment;
  double largest_activation, largest_spread;
  uint32_t random_rounding, batch_invariant;
} kernel;

static int run(const problem* p, const output* out, char* message, size_t message_size) {
  const float* activations = p->activations;
  float *loss = out->loss, *gradient = out->gradient;
  const int64_t* labels = p->targets;
  double total = 0;
  (void)message, (void)message_size;
  if (p->header.struct_size < sizeof *p || p->activations_size != p->T * p->B * p->C || p->dtype != 0) return 2;
  for (int64_t i = 0; i < out->gradient_size; ++i) gradient[i] = 0;
  for (int64_t b = 0; b < p->B; ++b) {
    const int64_t S = p->target_lengths[b];
    const double weight = p->upstream ? p->upstream[p->reduction == 0 ? b : 0] : 1;
    const double factor = p->reduction == 2 ? 1.0 / ((double)p->B * (double)(S > 0 ? S : 1)) : 1;
    const double one = naive_ctc(activations + b * p->C, p->input == 0, p->layout == 0 ? p->targets + b * p->S : labels,
                                 p->input_lengths[b], p->C, S, p->B * p->C, p->blank, weight * factor, p->variable == 0,
                                 p->zero_infinity, gradient ? gradient + b * p->C : NULL);
    labels += S;
    total += factor * one;
    if (p->reduction == 0) loss[b] = (float)one;
  }
  if (p->reduction != 0) loss[0] = (float)total;
  return 0;
}

extern __attribute__((visibility("default"))) const kernel assay_ctc;
const kernel assay_ctc = {
    .header = {sizeof(kernel), 1}, .name = "compiled", .run = run, .unit_roundoff = 0x1p-53, .unsupported = 1 << 13};
