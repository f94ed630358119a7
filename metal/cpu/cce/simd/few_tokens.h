// The three products of linear cross-entropy (metal/cpu/cce/gemm.h) over a few tokens, at the speed of memory: each row
// of weight is read as it is stored, and each row of dweight is rounded in registers and written once. Sums over H are
// in sixteen floats, sums over entries and tokens in one.
#pragma once

#include "metal/cpu/cce/simd/elements.h"

namespace assay::metal::cpu::ASSAY_SIMD {

/// The logits of `entries` rows of weight and `tokens` rows of hidden, from the first of each on.
template <std::size_t entries, std::size_t tokens, class Real>
ASSAY_INLINE void logits_of_block(float* logits, const FewSizes& s, const float* hidden, const Real* weight) {
  FloatLanes sums[entries][tokens];
#pragma GCC unroll 4
  for (std::size_t v = 0; v < entries; ++v)
#pragma GCC unroll 4
    for (std::size_t r = 0; r < tokens; ++r) sums[v][r] = all(0.0F);
  for_columns(0, s.H, [&](std::size_t h, std::size_t count) __attribute__((always_inline)) {
    FloatLanes x[tokens];
#pragma GCC unroll 4
    for (std::size_t r = 0; r < tokens; ++r) x[r] = load_wide(hidden + r * s.H + h, count);
#pragma GCC unroll 4
    for (std::size_t v = 0; v < entries; ++v) {
      const FloatLanes w = load_wide(weight + v * s.H + h, count);
#pragma GCC unroll 4
      for (std::size_t r = 0; r < tokens; ++r) sums[v][r] = fused(w, x[r], sums[v][r]);
    }
  });
  for (std::size_t v = 0; v < entries; ++v)
    for (std::size_t r = 0; r < tokens; ++r) logits[r * s.C + v] = static_cast<float>(sum(halves_added(sums[v][r])));
}

template <std::size_t entries, class Real>
ASSAY_INLINE void logits_of_entries(float* logits, const FewSizes& s, const float* hidden, const Real* weight) {
  std::size_t r = 0;
  for (; r + 4 <= s.R; r += 4) logits_of_block<entries, 4>(logits + r * s.C, s, hidden + r * s.H, weight);
  for (; r < s.R; ++r) logits_of_block<entries, 1>(logits + r * s.C, s, hidden + r * s.H, weight);
}

template <class Real>
inline void few_logits(float* logits, const FewSizes& s, const float* hidden, const Real* weight) {
  std::size_t v = 0;
  for (; v + 4 <= s.C; v += 4) logits_of_entries<4>(logits + v, s, hidden, weight + v * s.H);
  for (; v < s.C; ++v) logits_of_entries<1>(logits + v, s, hidden, weight + v * s.H);
}

/// Adds the contribution of `entries` entries to the dhidden of `tokens` tokens.
template <std::size_t entries, std::size_t tokens, class Real>
ASSAY_INLINE void add_block(float* dhidden, const FewSizes& s, const float* G, const Real* weight) {
  FloatLanes g[entries][tokens];
#pragma GCC unroll 4
  for (std::size_t v = 0; v < entries; ++v)
#pragma GCC unroll 4
    for (std::size_t r = 0; r < tokens; ++r) g[v][r] = all(G[r * s.C + v]);
  for_columns(0, s.H, [&](std::size_t h, std::size_t count) __attribute__((always_inline)) {
    FloatLanes w[entries];
#pragma GCC unroll 4
    for (std::size_t v = 0; v < entries; ++v) w[v] = load_wide(weight + v * s.H + h, count);
#pragma GCC unroll 4
    for (std::size_t r = 0; r < tokens; ++r) {
      FloatLanes x = load_wide(dhidden + r * s.H + h, count);
#pragma GCC unroll 4
      for (std::size_t v = 0; v < entries; ++v) x = fused(w[v], g[v][r], x);
      store_wide(dhidden + r * s.H + h, count, x);
    }
  });
}

template <std::size_t entries, class Real>
ASSAY_INLINE void add_entries(float* dhidden, const FewSizes& s, const float* G, const Real* weight) {
  std::size_t r = 0;
  for (; r + 4 <= s.R; r += 4) add_block<entries, 4>(dhidden + r * s.H, s, G + r * s.C, weight);
  for (; r < s.R; ++r) add_block<entries, 1>(dhidden + r * s.H, s, G + r * s.C, weight);
}

template <class Real>
inline void few_dhidden(float* dhidden, const FewSizes& s, const float* G, const Real* weight) {
  std::size_t v = 0;
  for (; v + 4 <= s.C; v += 4) add_entries<4>(dhidden, s, G + v, weight + v * s.H);
  for (; v < s.C; ++v) add_entries<1>(dhidden, s, G + v, weight + v * s.H);
}

/// The row of dweight of one entry.
template <bool stream, class Real>
ASSAY_INLINE void dweight_of_entry(Real* dweight, const FewSizes& s, const float* G, const float* hidden) {
  const auto step = [&](std::size_t h, std::size_t count) __attribute__((always_inline)) {
    FloatLanes x = all(G[0]) * load_wide(hidden + h, count);
    for (std::size_t r = 1; r < s.R; ++r) x = fused(all(G[r * s.C]), load_wide(hidden + r * s.H + h, count), x);
    if (stream && count == float_lanes) return stream_rounded(dweight + h, x);
    store_rounded(dweight + h, x, count);
  };
  const std::size_t lead = stream ? elements_before_alignment(dweight, s.H) : 0;
  if (lead > 0) step(0, lead);
  for_columns(lead, s.H, step);
}

template <class Real>
inline void few_dweight(Real* dweight, const FewSizes& s, const float* G, const float* hidden, bool stream) {
  for (std::size_t v = 0; v < s.C; ++v) {
    if (stream) {
      dweight_of_entry<true>(dweight + v * s.H, s, G + v, hidden);
    } else {
      dweight_of_entry<false>(dweight + v * s.H, s, G + v, hidden);
    }
  }
#if ASSAY_SIMD_BYTES > 16
  __builtin_ia32_sfence();
#endif
}

template <class Real>
inline constexpr CceStored<Real> cce_stored_table = {
    cce_dot<Real>,    cce_to_float<Real>, cce_round<Real>,  cce_round_past_caches<Real>,
    few_logits<Real>, few_dhidden<Real>,  few_dweight<Real>};

}  // namespace assay::metal::cpu::ASSAY_SIMD
