// Sums over a simdgroup, of which all 32 lanes take part, or over a part of it. Neighbouring lanes add, then
// neighbouring pairs: a fixed order, for equal bits on every device, and a + b is b + a, for equal bits in every lane.
#pragma once

#include "pair.h"

namespace assay {

enum { lane_count = 32 };

/// Over `width` neighbouring lanes, a power of two: each of these sums is that of its own lanes.
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
