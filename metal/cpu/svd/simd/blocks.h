// One-sided Jacobi on one matrix whose columns fill several blocks.
#pragma once

#include "metal/cpu/svd/kernels.h"
#include "metal/cpu/svd/simd/sweep.h"

namespace assay::metal::cpu::ASSAY_SIMD {

template <class T>
inline constexpr int levels_of_block = __builtin_ctz(width<T>);

/// Block i of `round` of a tournament of `count` blocks, an even number: it is paired with block `count` - 1 - i.
inline std::int64_t in_round(std::int64_t i, std::int64_t round, std::int64_t count) {
  return i == 0 ? 0 : 1 + (i - 1 + round) % (count - 1);
}

template <class T>
inline void visit_round(const SvdBlocks<T>& blocks, std::int64_t round, SweepProgress<T>& progress,
                        const AngleLimits<T>& limits) {
  Panel<T> panels[svd_max_in_turns];
  const std::int64_t pairs = blocks.count / 2, at_once = svd_in_turns(blocks.rows + blocks.more_rows);
  for (std::int64_t pair = 0; pair < pairs;) {
    std::int64_t count = 0;
    for (; count < at_once && pair < pairs; ++count, ++pair) {
      const std::int64_t x = in_round(pair, round, blocks.count),
                         y = in_round(blocks.count - 1 - pair, round, blocks.count);
      panels[count].p = blocks.data + (x < y ? x : y) * blocks.stride;
      panels[count].q = blocks.data + (x < y ? y : x) * blocks.stride;
      panels[count].progress = &progress;
    }
    visit_panels(Visit<T>{panels, count, blocks.rows, blocks.more_rows, limits}, levels_of_block<T>, round == 0);
  }
}

template <class T>
inline int orthogonalize(const SvdBlocks<T>& blocks, std::int64_t columns, int sweep_limit) {
  const AngleLimits<T> limits(svd_tolerance<T>(columns));
  SweepProgress<T> progress;
  progress.active = all(T(1));
  for (int sweep = 1; sweep <= sweep_limit; ++sweep) {
    begin_sweep(progress);
    for (std::int64_t round = 0; round < blocks.count - 1; ++round) visit_round(blocks, round, progress, limits);
    if (end_sweep(progress, levels_of_block<T>, columns, limits)) return sweep;
  }
  return 0;
}

/// Adds partial sums of up to 64 rows, so that rounding errors stay small.
template <class T>
inline Wide<T> squared_norms_of_block(const T* x, std::int64_t rows) {
  constexpr std::int64_t n = width<T>, some = 64;
  Wide<T> total = all(T(0));
  for (std::int64_t first = 0; first < rows; first += some) {
    Wide<T> sum[4] = {all(T(0)), all(T(0)), all(T(0)), all(T(0))};
    for (std::int64_t row = first; row < rows && row < first + some; row += 4)
      for (std::int64_t i = 0; i < 4; ++i) {
        const Wide<T> element = load_wide(x + (row + i) * n);
        sum[i] = fused(element, element, sum[i]);
      }
    total = total + ((sum[0] + sum[1]) + (sum[2] + sum[3]));
  }
  return total;
}

template <class T>
inline void squared_norms(const SvdBlocks<T>& blocks, T* squares) {
  for (std::int64_t block = 0; block < blocks.count; ++block)
    store_wide(squares + block * svd_lanes<T>,
               squared_norms_of_block(blocks.data + block * blocks.stride, blocks.rows));
}

}  // namespace assay::metal::cpu::ASSAY_SIMD
