/* A linear cross-entropy plug-in in double precision: float32 arrays, and no checks of arguments. */
#include <math.h>
#include <stdlib.h>

#include "assay_plugin.h"

static double capped(double z, double cap) {
  return cap > 0 && cap < INFINITY ? cap * tanh(z / cap) : z;
}

/* dx/dz = 1 - tanh^2, which near 1 would lose its digits */
static double slope(double z, double cap) {
  return cap > 0 && cap < INFINITY ? 1 / (cosh(z / cap) * cosh(z / cap)) : 1;
}

static int run(const assay_cce_problem* p, const assay_cce_output* out, char* message, size_t message_size) {
  (void)message, (void)message_size;
  const int64_t N = p->N, H = p->H, V = p->V;
  const float *hidden = p->hidden, *weight = p->weight, *bias = p->bias;
  float *dhidden = out->dhidden, *dbias = out->dbias;
  double* x = malloc(sizeof(double) * (size_t)(3 * V + V * H + 1));
  double *z = x + V, *dz_sum = z + V, *dw_sum = dz_sum + V, total = 0, valid = 0;
  for (int64_t i = 0; i < V + V * H; ++i) dz_sum[i] = 0;
  for (int64_t i = 0; i < out->dhidden_size; ++i) dhidden[i] = 0;
  for (int64_t n = 0; n < N; ++n) valid += p->targets[n] != p->ignore_index;
  for (int64_t n = 0; n < N; ++n) {
    const int64_t target = p->targets[n];
    if (p->reduction == ASSAY_NONE) out->loss[n] = 0;
    if (target == p->ignore_index) continue;
    const double factor = p->reduction == ASSAY_MEAN ? 1 / valid : 1;
    const double w = factor * (p->upstream ? p->upstream[p->reduction == ASSAY_NONE ? n : 0] : 1);
    double largest = -INFINITY, sum = 0, all = 0;
    for (int64_t v = 0; v < V; ++v) {
      z[v] = bias ? bias[v] : 0;
      for (int64_t h = 0; h < H; ++h) z[v] += (double)hidden[n * H + h] * weight[v * H + h];
      x[v] = capped(z[v], p->logit_softcap);
      largest = x[v] > largest ? x[v] : largest;
    }
    for (int64_t v = 0; v < V; ++v) {
      sum += exp(x[v] - largest);
      if (p->label_smoothing > 0) all += largest - x[v];
    }
    /* the maximum and the sum stay apart: far logits would round log(sum) away, in double too */
    const double lse = largest + log(sum), smoothing = p->label_smoothing;
    double loss = log(sum) + p->z_loss * lse * lse;
    if (smoothing < 1) loss += (1 - smoothing) * (largest - x[target]);
    if (smoothing > 0) loss += smoothing / (double)V * all;
    total += factor * loss;
    if (p->reduction == ASSAY_NONE) out->loss[n] = (float)loss;
    for (int64_t v = 0; v < V; ++v) {
      const double y = exp(x[v] - largest) / sum;
      const double dx = y * (1 + 2 * p->z_loss * lse) - (v == target) * (1 - smoothing) - smoothing / (double)V;
      const double dz = w * dx * slope(z[v], p->logit_softcap);
      dz_sum[v] += dz;
      for (int64_t h = 0; h < H; ++h) dw_sum[v * H + h] += dz * hidden[n * H + h];
      x[v] = dz;
    }
    for (int64_t h = 0; dhidden && h < H; ++h) {
      double d = 0;
      for (int64_t v = 0; v < V; ++v) d += x[v] * weight[v * H + h];
      dhidden[n * H + h] = (float)d;
    }
  }
  for (int64_t i = 0; i < out->dweight_size; ++i) ((float*)out->dweight)[i] = (float)dw_sum[i];
  for (int64_t v = 0; v < out->dbias_size; ++v) dbias[v] = (float)dz_sum[v];
  if (p->reduction != ASSAY_NONE) out->loss[0] = (float)total;
  free(x);
  return ASSAY_OK;
}

const assay_cce_kernel assay_cce = {ASSAY_HEADER(assay_cce_kernel), .name = "naive CCE in C", .run = run,
                                    .unsupported = ASSAY_CCE_NO_CHECKS};
