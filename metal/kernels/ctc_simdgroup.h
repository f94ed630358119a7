// Sums over a simdgroup, of which all 32 lanes take part. Neighbouring lanes add, then neighbouring pairs: a fixed
// order, for equal bits on every device, and a + b is b + a, for equal bits in every lane. Where states are summed the
// tree is the same whether a lane holds one of them or eight, or a simdgroup a part of them, for equal bits in every
// kernel.
#pragma once

#include "ctc_pair.h"
#include "ctc_scaled.h"

namespace assay {
namespace ctc {

enum { lane_count = 32 };

/// The largest product alpha * beta of a frame is brought to 2^100 before sums: they do not overflow, and a quotient
/// that is a subnormal float32 has all its digits until then.
enum { product_exponent = 100 };

template <class T>
T simdgroup_sum(T x) {
  for (ushort distance = 1; distance < lane_count; distance *= 2) x += simd_shuffle_xor(x, distance);
  return x;
}

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
