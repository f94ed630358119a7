// Which states l'[s] a path can be in at frame t of T: those that two states a frame reach from the start, and from
// which two states a frame reach the end. Elsewhere alpha_t(s) and beta_t(s) are 0 (Graves et al. 2006, after
// equations 7 and 11; positions and frames from 0 here):
//
//   alpha_t(s) = 0 for s < L - 2 (T - t),   beta_t(s) = 0 for s > 2 t + 1
//
// This halves the work where T = L, and makes the sums over s of alpha and beta at every t those of whole alignments.
#pragma once

#include <algorithm>
#include <cstdint>

namespace assay::reference {

/// The states s with first <= s < end.
struct LiveStates {
  std::int64_t first = 0;
  std::int64_t end = 0;
};

inline LiveStates live_states(std::int64_t t, std::int64_t T, std::int64_t L) {
  return {std::max<std::int64_t>(0, L - 2 * (T - t)), std::min(L, 2 * t + 2)};
}

}  // namespace assay::reference
