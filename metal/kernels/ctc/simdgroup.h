// Sums of Scaled numbers over a simdgroup, in the order of metal/kernels/simdgroup.h, and the states of neighbouring
// lanes. The order in which states are summed is the same if a lane holds one state or eight, or a simdgroup a part of
// the states, so that all kernels give equal bits.
#pragma once

#include "../simdgroup.h"
#include "scaled.h"

namespace assay {
namespace ctc {

using assay::simdgroup_sum;

/// The products alpha * beta of a frame are scaled before they are summed, so that the largest is near 2^100: sums do
/// not overflow, and a quotient that becomes a subnormal float32 keeps all its digits until it is rounded.
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

/// x of the lane `distance` below; zero if there is none.
inline Scaled from_below(Scaled x, ushort distance, uint lane) {
  const Scaled other = {simd_shuffle_up(x.mantissa, distance), simd_shuffle_up(x.exponent, distance)};
  return lane >= distance ? other : zero();
}

/// x of the lane `distance` above; zero if there is none.
inline Scaled from_above(Scaled x, ushort distance, uint lane) {
  const Scaled other = {simd_shuffle_down(x.mantissa, distance), simd_shuffle_down(x.exponent, distance)};
  return lane + distance < lane_count ? other : zero();
}

}  // namespace ctc
}  // namespace assay
