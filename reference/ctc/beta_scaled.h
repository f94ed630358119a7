// beta, including y_t, scaled to sum to 1 at every frame (Graves et al. 2006, section 4.1):
//
//   D_t = sum_s beta_t(s),   betahat_t(s) = beta_t(s) / D_t,   equations 10 and 11 with betahat on the right
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "reference/ctc/alpha_scaled.h"
#include "reference/ctc/beta.h"
#include "reference/ctc/labels.h"
#include "reference/ctc/lattice.h"
#include "reference/matrix.h"

namespace assay::reference {

/// betahat [T, L] and D [T], from y [T, C] and l' [L].
template <class Number>
Scaled<Number> beta_scaled(const Matrix<Number>& y, Expanded labels) {
  const std::int64_t T = y.rows(), L = std::ssize(labels);
  Scaled<Number> beta{Matrix<Number>(T, L), std::vector<Number>(static_cast<std::size_t>(T), Number(0))};
  for (std::int64_t t = T - 1; t >= 0; --t) {
    const std::span<Number> frame = beta.values.row(t);
    if (t < T - 1) {
      const std::span<const Number> next = beta.values.row(t + 1);
      std::copy(next.begin(), next.end(), frame.begin());
    }
    beta_step<Number>(t, T, labels, frame);  // (10), (11)
    const auto [first, end] = live_states(t, T, L);
    for (std::int64_t s = first; s < end; ++s) {
      const auto i = static_cast<std::size_t>(s);
      frame[i] *= y(t, labels[i]);
    }
    std::fill(frame.begin() + end, frame.end(), Number(0));
    detail::normalize_frame(beta, t);
  }
  return beta;
}

}  // namespace assay::reference
