// Sums of Scaled numbers and of pairs over a simdgroup, in the order of metal/kernels/simdgroup.h.
#pragma once

#include "../simdgroup.h"
#include "scaled.h"

namespace assay {
namespace ctc {

using assay::simdgroup_sum;

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

}  // namespace ctc
}  // namespace assay
