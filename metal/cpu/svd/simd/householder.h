// What the reductions to tridiagonal and to bidiagonal form share: pieces of a matrix, sums over lanes, and Householder
// reflections.
#pragma once

#include "metal/cpu/simd/masks.h"
#include "metal/cpu/svd/kernels.h"

namespace assay::metal::cpu::ASSAY_SIMD {

/// Calls work(i) once for each i below `count`.
template <class Work>
inline void in_pieces(std::size_t threads, std::int64_t count, const Work& work) {
  if (count == 1) return work(0);
  run_svd_pieces(
      threads, count, [](const void* context, std::int64_t i) { (*static_cast<const Work*>(context))(i); }, &work);
}

/// Lane r < 4: the sum over the lanes of x[r].
template <class T>
ASSAY_INLINE Wide<T> sums_over_lanes(Wide<T>* x) {
  exchange<0>(x[0], x[1]);
  exchange<0>(x[2], x[3]);
  Wide<T> first = x[0] + x[1], second = x[2] + x[3];
  exchange<1>(first, second);
  Wide<T> sum = first + second;
  sum = sum + with_lanes_swapped<2>(sum);
  if constexpr (width<T> > 8) sum = sum + with_lanes_swapped<3>(sum);
  return sum;
}

template <class T>
ASSAY_INLINE T dot(const T* x, const T* y, std::int64_t first, std::int64_t last) {
  constexpr std::int64_t w = width<T>;
  Wide<T> sum = all(T(0));
  for (std::int64_t i = first / w * w; i < last; i += w) sum = fused(load_wide(x + i), load_wide(y + i), sum);
  T lanes[width<T>], total = 0;
  store_wide(lanes, sum);
  for (const T lane : lanes) total += lane;
  return total;
}

/// Chooses H so that H x = (.., x_first, 0, ..., 0). Overwrites x [stride], of which only elements from `first` are not
/// 0, by v, v_first = 1, and x_first by what it becomes. Returns tau, which is 0 where the squares of the other
/// elements are too small to be accurate.
template <class T>
ASSAY_INLINE T choose_reflection(T* x, std::int64_t first, std::int64_t stride, T& becomes) {
  const T pivot = x[first];
  x[first] = 0;
  const T rest = dot(x, x, first, stride);
  x[first] = 1;
  becomes = pivot;
  if (!(rest > (sizeof(T) == 4 ? T(0x1p-126) : T(0x1p-1022)))) return 0;
  const T norm = static_cast<T>(__builtin_sqrt(static_cast<double>(pivot * pivot + rest)));
  becomes = pivot > 0 ? -norm : norm;
  const T factor = 1 / (pivot - becomes);
  for (std::int64_t i = first + 1; i < stride; ++i) x[i] *= factor;
  return (becomes - pivot) / becomes;
}

}  // namespace assay::metal::cpu::ASSAY_SIMD
