// The forward variable alpha_t(s): the total weight of the paths that have emitted l'[0..s] by frame t, y_t included.
//
//   alpha_1(1) = y^1_b,   alpha_1(2) = y^1_{l_1},   alpha_1(s) = 0 for s > 2
//   alpha_t(s) = abar_t(s) y^t_{l'_s}                          if l'_s = b or l'_{s-2} = l'_s     (6)
//              = (abar_t(s) + alpha_{t-1}(s-2)) y^t_{l'_s}     otherwise
//   abar_t(s)  = alpha_{t-1}(s) + alpha_{t-1}(s-1)                                                (7)
//   p(l|x)     = alpha_T(|l'|) + alpha_T(|l'| - 1)                                                (8)
//   L          = -ln p(l|x)                                                                       (12)
//
// Graves et al. 2006. Over another semiring than the probabilities the same lines count paths, find the best one, or
// compute in logarithms: see semiring.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "reference/ctc/labels.h"
#include "reference/ctc/live_table.h"
#include "reference/matrix.h"
#include "reference/number/traits.h"

namespace assay::reference {

/// One frame: alpha_t [L] into `now`, which holds zeros, from alpha_{t-1} [L] in `before` and y_t [C]. At t = 0
/// `before` is not read.
template <class Weight>
void alpha_step(std::int64_t t, std::int64_t T, Expanded labels, std::span<const Weight> y,
                std::span<const Weight> before, std::span<Weight> now) {
  const auto [first, end] = live_states(t, T, std::ssize(labels));
  for (std::int64_t s = first; s < end; ++s) {
    const auto i = static_cast<std::size_t>(s);
    const Weight& output = y[static_cast<std::size_t>(labels[i])];
    if (t == 0) {
      now[i] = output;
      continue;
    }
    now[i] = before[i];
    if (s >= 1) now[i] += before[i - 1];                  // (7)
    if (may_skip_to(labels, s)) now[i] += before[i - 2];  // (6), second case
    now[i] *= output;                                     // (6)
  }
}

/// alpha [T, L] from y [T, C] and l' [L].
template <class Weight>
Matrix<Weight> alpha(const Matrix<Weight>& y, Expanded labels) {
  const std::int64_t T = y.rows();
  Matrix<Weight> alpha(T, std::ssize(labels), Weight(0));
  for (std::int64_t t = 0; t < T; ++t)
    alpha_step<Weight>(t, T, labels, y.row(t), alpha.row(t > 0 ? t - 1 : 0), alpha.row(t));
  return alpha;
}

/// The same, with memory for the live states alone.
template <class Weight>
LiveTable<Weight> live_alpha(const Matrix<Weight>& y, Expanded labels) {
  const std::int64_t T = y.rows();
  LiveTable<Weight> alpha(T, std::ssize(labels));
  // The values in `now` from two frames before are never read: live states begin at most two states later in each
  // frame.
  std::vector<Weight> before(labels.size(), Weight(0)), now = before;
  for (std::int64_t t = 0; t < T; ++t) {
    alpha_step<Weight>(t, T, labels, y.row(t), before, now);
    alpha.push_back(now);
    std::swap(before, now);
  }
  return alpha;
}

/// p(l|x) from alpha [T, L], a Matrix or a LiveTable; without frames only the empty sequence has a path, of weight 1.
template <class Table>
auto alpha_total(const Table& alpha) {
  using Weight = std::remove_cvref_t<decltype(alpha(0, 0))>;
  const std::int64_t T = alpha.rows(), L = alpha.cols();
  if (T == 0) return L == 1 ? Weight(1) : Weight(0);
  Weight total = alpha(T - 1, L - 1);
  if (L > 1) total += alpha(T - 1, L - 2);  // (8)
  return total;
}

/// L of a probability p(l|x), be it a number, a LogNumber or an Extended: +inf where p(l|x) is 0.
template <class Weight>
typename NumberTraits<Weight>::Scalar loss(const Weight& p) {
  return -NumberTraits<Weight>::log(p);
}

}  // namespace assay::reference
