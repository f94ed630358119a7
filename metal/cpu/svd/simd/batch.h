// One-sided Jacobi on many small matrices side by side in lanes.
#pragma once

#include "metal/cpu/svd/simd/store.h"

namespace assay::metal::cpu::ASSAY_SIMD {

/// The first matrix that is not done.
template <class T>
inline std::int64_t first_active(const SvdBatch<T>& batch, const SvdGroup<T>& group) {
  T active[width<T>];
  store_wide(active, group.progress.active);
  std::int64_t c = 0;
  while (c + 1 < group.count && active[c * batch.group()] == T(0)) ++c;
  return group.first + c;
}

/// Sweeps until all panels are done. Returns how many are not; these then come first in `panels`. A matrix that is done
/// is not changed by later sweeps of those beside it.
template <class T>
inline std::int64_t sweep_panels(const SvdBatch<T>& batch, Panel<T>* panels, std::int64_t count) {
  const AngleLimits<T> limits(svd_tolerance<T>(batch.n));
  for (int sweep = 0; sweep < batch.sweep_limit && count > 0; ++sweep) {
    for (std::int64_t j = 0; j < count; ++j) begin_sweep(*panels[j].progress);
    visit_panels(Visit<T>{panels, count, batch.rows, batch.more_rows, limits}, batch.levels, true);
    for (std::int64_t j = count - 1; j >= 0; --j) {
      if (!end_sweep(*panels[j].progress, batch.levels, batch.n, limits)) continue;
      const Panel<T> done = panels[j];
      panels[j] = panels[--count];
      panels[count] = done;
    }
  }
  return count;
}

template <class T>
inline SvdTrouble run_batch(const SvdBatch<T>& batch, T* blocks, std::int64_t first, std::int64_t last) {
  SvdGroup<T> groups[svd_max_in_turns];
  Panel<T> panels[svd_max_in_turns];
  std::int64_t count = 0;
  for (std::int64_t b = first; b < last; b += batch.matrices_of_panel(), ++count) {
    SvdGroup<T>& group = groups[count];
    group.p = blocks + count * 2 * batch.stride;
    group.q = group.p + batch.stride;
    group.first = b;
    group.count = last - b < batch.matrices_of_panel() ? last - b : batch.matrices_of_panel();
    const std::int64_t bad = load_group(batch, group);
    if (bad >= 0) return {bad, -1};
    panels[count].p = group.p;
    panels[count].q = group.q;
    panels[count].progress = &group.progress;
  }
  const std::int64_t left = sweep_panels(batch, panels, count);
  SvdTrouble trouble;
  for (std::int64_t j = 0; j < count; ++j)
    for (const SvdGroup<T>& group : groups) {
      if (&group.progress != panels[j].progress) continue;
      if (j >= left) {
        store_group(batch, group);
      } else if (trouble.not_converged < 0 || group.first < trouble.not_converged) {
        trouble.not_converged = first_active(batch, group);
      }
    }
  return trouble;
}

}  // namespace assay::metal::cpu::ASSAY_SIMD
