// Sums over a simdgroup, all 32 lanes of which must take part, or over parts of it. Neighbouring lanes are added, then
// neighbouring pairs, and so on. This fixed order gives equal bits on every device, and since a + b = b + a also in
// every lane.
#pragma once

#include "pair.h"

namespace assay {

enum { lane_count = 32 };

/// The sum over each group of `width` neighbouring lanes, a power of two.
template <int width, class T>
T lanes_sum(T x) {
  for (ushort distance = 1; distance < width; distance *= 2) x += simd_shuffle_xor(x, distance);
  return x;
}

template <class T>
T simdgroup_sum(T x) {
  return lanes_sum<lane_count>(x);
}

}  // namespace assay
