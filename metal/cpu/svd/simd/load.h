// Loads small matrices into lanes, scaled; see SvdBatch in metal/cpu/svd/kernels.h.
#pragma once

#include "metal/cpu/svd/kernels.h"
#include "metal/cpu/svd/simd/sweep.h"

namespace assay::metal::cpu::ASSAY_SIMD {

/// The matrices of a panel.
template <class T>
struct SvdGroup {
  T *p, *q;  ///< its blocks
  std::int64_t first, count;
  SweepProgress<T> progress;
  T up[2][width<T>], down[2][width<T>];  ///< of the matrix of each lane
};

template <class T>
ASSAY_INLINE T* element_of(const SvdBatch<T>& batch, const SvdGroup<T>& group, std::int64_t row, std::int64_t column,
                           std::int64_t matrix) {
  const std::int64_t g = batch.group();
  return (column < g ? group.p : group.q) + row * svd_lanes<T> + matrix * g + (column & (g - 1));
}

template <std::int64_t g, class T>
ASSAY_INLINE void copy_halves(const T* from, std::int64_t rows, T* p, T* q) {
  for (std::int64_t i = 0; i < rows; ++i) {
    __builtin_memcpy(p + i * svd_lanes<T>, from + i * 2 * g, g * sizeof(T));
    __builtin_memcpy(q + i * svd_lanes<T>, from + i * 2 * g + g, g * sizeof(T));
  }
}

template <class T>
inline void copy_matrix(const SvdBatch<T>& batch, const SvdGroup<T>& group, std::int64_t c) {
  const T* from = batch.A + (group.first + c) * batch.m * batch.n;
  const std::int64_t g = batch.group();
  if (!batch.transposed() && batch.n == 2 * g) {
    T *p = group.p + c * g, *q = group.q + c * g;
    if (g == 4) return copy_halves<4>(from, batch.m, p, q);
    if constexpr (svd_lanes<T> > 8)
      if (g == 8) return copy_halves<8>(from, batch.m, p, q);
  }
  const std::int64_t row_step = batch.transposed() ? 1 : batch.n, column_step = batch.transposed() ? batch.m : 1;
  for (std::int64_t j = 0; j < batch.n; ++j) {
    T* to = element_of(batch, group, 0, j, c);
    for (std::int64_t i = 0; i < batch.m; ++i) to[i * svd_lanes<T>] = from[i * row_step + j * column_step];
  }
}

/// Sets the scales of all lanes. Returns the number of a matrix with an element that is not finite, or -1.
template <class T>
inline std::int64_t find_scales(const SvdBatch<T>& batch, SvdGroup<T>& group) {
  Wide<T> largest = all(T(0)), nothing = all(T(0));
  for (std::int64_t i = 0; i < batch.m; ++i) {
    const Wide<T> x = load_wide(group.p + i * svd_lanes<T>), y = load_wide(group.q + i * svd_lanes<T>);
    largest = max(max(absolute(x), absolute(y)), largest);
    nothing = fused(y, all(T(0)), fused(x, all(T(0)), nothing));  // becomes NaN if an element is not finite
  }
  T size[width<T>], none[width<T>];
  store_wide(size, largest_of_group(largest, batch.levels));
  store_wide(none, nothing);
  const std::int64_t g = batch.group();
  for (std::int64_t lane = 0; lane < svd_lanes<T>; ++lane)
    if (!(none[lane] == T(0))) return group.first + lane / g;
  for (std::int64_t begin = 0; begin < svd_lanes<T>; begin += g) {
    const SvdScale<T> scale = svd_scale(size[begin], batch.m, batch.n);
    for (std::int64_t lane = begin; lane < begin + g; ++lane)
      for (int half = 0; half < 2; ++half) {
        group.up[half][lane] = scale.up[half];
        group.down[half][lane] = scale.down[half];
      }
  }
  return -1;
}

/// Returns a matrix with an element that is not finite, or -1.
template <class T>
inline std::int64_t load_group(const SvdBatch<T>& batch, SvdGroup<T>& group) {
  __builtin_memset(group.p, 0, static_cast<std::size_t>(2 * batch.stride) * sizeof(T));
  for (std::int64_t c = 0; c < group.count; ++c) copy_matrix(batch, group, c);
  const std::int64_t bad = find_scales(batch, group);
  if (bad >= 0) return bad;
  const Wide<T> first = load_wide(group.up[0]), second = load_wide(group.up[1]);
  for (T* block : {group.p, group.q})
    for (T* at = block; at != block + batch.m * svd_lanes<T>; at += svd_lanes<T>)
      store_wide(at, load_wide(at) * first * second);
  for (std::int64_t j = 0; j < batch.more_rows; ++j)
    for (std::int64_t c = 0; c < batch.matrices_of_panel(); ++c) *element_of(batch, group, batch.rows + j, j, c) = T(1);
  group.progress.active = all(T(1));
  return -1;
}

}  // namespace assay::metal::cpu::ASSAY_SIMD
