// Sums over a simdgroup, in the order of metal/kernels/simdgroup.h, of what CTC sums; and neighbouring lanes' states.
// Where states are summed the tree is the same whether a lane holds one of them or eight, or a simdgroup a part of
// them, for equal bits in every kernel.
#pragma once

#include "../simdgroup.h"
#include "scaled.h"

namespace assay {
namespace ctc {

using assay::simdgroup_sum;

/// The largest product alpha * beta of a frame is brought to 2^100 before sums: they do not overflow, and a quotient
/// that is a subnormal float32 has all its digits until then.
enum { product_exponent = 100 };

inline Scaled simdgroup_sum(Scaled x) {
  const int exponent = simd_max(x.exponent);
  return normalized(simdgroup_sum(aligned(x, exponent)), exponent);
}

inline Pair simdgroup_sum(Pair x) {
  for (ushort distance = 1; distance < lane_count; distance *= 2) {
    const float high = simd_shuffle_xor(x.high, distance), low = simd_shuffle_xor(x.low, distance);
    x = add(x, {high, low});
  }
  return x;
}

/// x of the lane `distance` below; zero where there is none.
inline Scaled from_below(Scaled x, ushort distance, uint lane) {
  const Scaled other = {simd_shuffle_up(x.mantissa, distance), simd_shuffle_up(x.exponent, distance)};
  return lane >= distance ? other : zero();
}

/// x of the lane `distance` above; zero where there is none.
inline Scaled from_above(Scaled x, ushort distance, uint lane) {
  const Scaled other = {simd_shuffle_down(x.mantissa, distance), simd_shuffle_down(x.exponent, distance)};
  return lane + distance < lane_count ? other : zero();
}

}  // namespace ctc
}  // namespace assay
