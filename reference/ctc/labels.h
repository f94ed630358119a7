// The label sequence l [S] of a row and its expansion l' [L], L = 2S + 1 (Graves et al. 2006, section 4.1):
// blanks at both ends and between every two labels. Positions count from 0 here, from 1 in the papers.
//
//   l = a b b   ->   l' = - a - b - b -
//
// and the states l'[s] that a path can be in at frame t of T: those that the start reaches by two states a frame, and
// that reach the end by two states a frame. Elsewhere alpha_t(s) and beta_t(s) are 0 (ibid., after equations 7, 11):
//
//   alpha_t(s) = 0 for s < L - 2 (T - t),   beta_t(s) = 0 for s > 2 t + 1
//
// This halves the work where T = L. At every t the sums of alpha and beta over s are then those of whole alignments.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace assay::reference {

/// l', [L]. Even positions hold the blank, so l'[0] always tells which class that is.
using Expanded = std::span<const std::int64_t>;

/// l' of l.
inline std::vector<std::int64_t> expand(std::span<const std::int64_t> labels, std::int64_t blank) {
  std::vector<std::int64_t> expanded(2 * labels.size() + 1, blank);
  for (std::size_t s = 0; s < labels.size(); ++s) expanded[2 * s + 1] = labels[s];
  return expanded;
}

/// Whether a path may step from l'[s-2] to l'[s], over the blank between them: both are labels, and not the same one.
inline bool may_skip_to(Expanded labels, std::int64_t s) {
  if (s < 2) return false;
  const std::int64_t here = labels[static_cast<std::size_t>(s)];
  return here != labels[0] && here != labels[static_cast<std::size_t>(s - 2)];
}

/// The states s with first <= s < end.
struct LiveStates {
  std::int64_t first = 0;
  std::int64_t end = 0;
};

inline LiveStates live_states(std::int64_t t, std::int64_t T, std::int64_t L) {
  return {std::max<std::int64_t>(0, L - 2 * (T - t)), std::min(L, 2 * t + 2)};
}

}  // namespace assay::reference
