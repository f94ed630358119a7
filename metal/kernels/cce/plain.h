// The plain path: this pseudo-code line by line, with the functions of Metal's library.
//
//   for each chunk of the vocabulary:
//     logits_chunk = hidden weight[chunk]^T                    a threadgroup per token, a thread per entry
//     m'   = max(m, max logits_chunk)
//     sum  = sum exp(m - m') + sum of exp(logits_chunk - m')   m = m'
//     if the target is in the chunk: target_logit = logits_chunk[target]
//   lse = m + ln sum,   loss = lse - target_logit
//
//   for each chunk of the vocabulary:
//     logits_chunk = hidden weight[chunk]^T, computed again
//     d_logits = w (exp(logits_chunk - lse) - one_hot(target))
//     grad_hidden += d_logits weight[chunk]
//   grad_weight = d_logits^T hidden                  a threadgroup per entry, which computes its d_logits again
//
// logit_softcap, label_smoothing and z_loss are as in logit.h. m and ln sum are added exactly, into a pair.
#pragma once

#include "../simdgroup.h"
#include "logit.h"

namespace assay {
namespace cce {

constant bool with_dweight [[function_constant(with_dweight_constant)]];
constant bool with_dbias [[function_constant(with_dbias_constant)]];

enum { max_simdgroups = 32 };

struct PlainPlace {
  uint index, count, simdgroup, lane;
};

/// A partial result of each simdgroup.
struct Parts {
  float at[max_simdgroups];
};

/// The largest x of all threads, and the sum. All threads of the group must call them, and a barrier must separate the
/// call from earlier reads of `parts`.
inline float group_max(float x, threadgroup Parts& parts, PlainPlace place) {
  x = simd_max(x);
  if (place.lane == 0) parts.at[place.simdgroup] = x;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (uint n = 0; n * lane_count < place.count; ++n) x = max(x, parts.at[n]);
  return x;
}
inline float group_sum(float x, threadgroup Parts& parts, PlainPlace place) {
  x = simdgroup_sum(x);
  if (place.lane == 0) parts.at[place.simdgroup] = x;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  float sum = 0.0f;
  for (uint n = 0; n * lane_count < place.count; ++n) sum += parts.at[n];
  return sum;
}

template <class D>
float dot_product(device const D* a, device const D* b, ulong H) {
  float sum = 0.0f;
  for (ulong h = 0; h < H; ++h) sum = fma(float(a[h]), float(b[h]), sum);
  return sum;
}

/// x of an entry, and dx/dz, by the library's tanh.
template <class D>
Logit plain_logit(device const D* hidden_row, Tables<D> tables, uint v, Shape shape) {
  float z = dot_product(hidden_row, row_of(tables.weight, v, shape), shape.H);
  if (has_bias) z += float(tables.bias[v]) - shape.offset;
  if (!has_softcap) return {z, 1.0f};
  const float t = precise::tanh(z / shape.cap);
  return {shape.cap * t, 1.0f - t * t};
}

/// dL/dz of entry v for token i.
template <class D>
float plain_d_logit(Tables<D> tables, uint i, uint v, Shape shape) {
  const Token token = tables.tokens[i];
  const LogSum lse = tables.lse[i];
  const Logit logit = plain_logit(row_of(tables.hidden, token.row, shape), tables, v, shape);
  const float p = precise::exp((logit.x - lse.high) - lse.low);
  const float one_hot = v == token.target ? shape.keep : 0.0f;
  return token.weight *
         (p * (1.0f + 2.0f * shape.z_loss * ((lse.high + lse.low) + shape.offset)) - one_hot - shape.share) *
         logit.slope;
}

/// The log-sum-exp of a token over some chunks.
struct PlainState {
  float largest, sum, target, total;  ///< total: the sum of all x
};

/// Adds a chunk of logits, entries begin .. end - 1. All threads of the group must call it.
inline PlainState with_chunk(PlainState state, device const float* logits, uint begin, uint end, uint target,
                             threadgroup Parts& maxima, threadgroup Parts& sums, threadgroup Parts& totals,
                             PlainPlace place) {
  float largest = -INFINITY, sum = 0.0f, total = 0.0f;
  for (uint v = begin + place.index; v < end; v += place.count) largest = max(largest, logits[v - begin]);
  largest = max(state.largest, group_max(largest, maxima, place));
  for (uint v = begin + place.index; v < end; v += place.count) {
    if (largest > -INFINITY) sum += precise::exp(logits[v - begin] - largest);
    total += logits[v - begin];
  }
  sum = group_sum(sum, sums, place);
  if (state.largest > -INFINITY) sum += state.sum * precise::exp(state.largest - largest);
  if (has_smoothing) total = state.total + group_sum(total, totals, place);
  return {largest, sum, target >= begin && target < end ? logits[target - begin] : state.target, total};
}

/// (1 - eps) (lse - x_t) + eps (lse - mean x) + zeta lse^2
inline float plain_loss(PlainState state, float log_sum, Shape shape) {
  float loss = (state.largest - state.target) + log_sum;
  if (loss == INFINITY) return INFINITY;
  const float above_mean = (state.largest - state.total / float(shape.V)) + log_sum;
  if (has_smoothing) loss = shape.keep * loss + shape.smoothing * above_mean;
  const float whole = (state.largest + log_sum) + shape.offset;
  return loss + shape.z_loss * whole * whole;
}

}  // namespace cce
}  // namespace assay
