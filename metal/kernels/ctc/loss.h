// The loss of a row from p~ = sum of the products of emissions, and the reduced loss.
//
//   -ln p = sum_t ln Z_t - ln p~      (Graves et al. 2006, eqs. 8 and 12; Z_t the normalizers)
//
// Sums are pairs of floats: over 2000 frames the rounding errors of a float would be far above the 1e-6 that is wanted.
#pragma once

#include "exponential.h"
#include "row.h"
#include "simdgroup.h"

namespace assay {
namespace ctc {

/// The sum of ln Z_t. All lanes of a simdgroup must call it.
inline Pair log_normalizer(Shape shape, Row row, uint b, device const float* normalizers, uint lane) {
  Pair sum = {0.0f, 0.0f};
  for (ulong t = lane; t < row.frames; t += lane_count)
    sum = add(sum, logarithm(normalized(normalizers[t * ulong(shape.B) + b], 0)));
  return simdgroup_sum(sum);
}

/// The loss of a row, the same bits in all lanes of a simdgroup, which must all call it. From logits p <= 1, so a
/// negative loss is a rounding error and becomes 0.
inline float row_loss(Shape shape, Row row, uint b, Scaled p, device const float* normalizers, uint lane) {
  const Pair normalizer = from_logits ? log_normalizer(shape, row, b, normalizers, lane) : Pair{0.0f, 0.0f};
  if (is_zero(p)) return shape.zero_infinity != 0 ? 0.0f : INFINITY;
  const Pair shifted = negated(logarithm(p));
  if (!from_logits) return shifted.high + 0.0f;
  const Pair loss = add(shifted, normalizer);
  return loss.high > 0.0f ? loss.high : 0.0f;
}

/// share * loss. A share is 1 / n for a whole n, so the rounding error of the share can be corrected.
inline Pair shared_loss(float share, float loss) {
  const float lost = fma(-share, rint(1.0f / share), 1.0f);
  const Pair product = two_product(share, loss);
  return {product.high, product.low + product.high * lost};
}

/// The sum over rows of share * loss, by one simdgroup. With infinities or NaN it is a plain sum, because the
/// arithmetic of pairs would not keep them.
[[host_name("ctc_reduce"), max_total_threads_per_threadgroup(32)]] kernel void reduce(
    constant Shape& shape [[buffer(shape_index)]], device const Row* rows [[buffer(rows_index)]],
    device const float* losses [[buffer(losses_index)]], device float* result [[buffer(result_index)]],
    uint lane [[thread_index_in_simdgroup]]) {
  Pair sum = {0.0f, 0.0f};
  float plain = 0.0f;
  for (ulong b = lane; b < shape.row_count; b += lane_count) {
    const Row row = rows[shape.first_row + b];
    sum = add(sum, shared_loss(row.share, losses[shape.first_row + b]));
    plain += row.share * losses[shape.first_row + b];
  }
  sum = simdgroup_sum(sum);
  plain = simdgroup_sum(plain);
  if (lane == 0) result[0] = isfinite(plain) ? sum.high + 0.0f : plain;
}

}  // namespace ctc
}  // namespace assay
