// Sums over a simdgroup, of which all 32 lanes take part. Neighbouring lanes add, then neighbouring pairs: a fixed
// order, for equal bits on every device, and a + b is b + a, for equal bits in every lane.
#pragma once

#include "pair.h"

namespace assay {

enum { lane_count = 32 };

template <class T>
T simdgroup_sum(T x) {
  for (ushort distance = 1; distance < lane_count; distance *= 2) x += simd_shuffle_xor(x, distance);
  return x;
}

}  // namespace assay
