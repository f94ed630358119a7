// alpha scaled to sum to 1 at every frame, so that it does not underflow (Graves et al. 2006, section 4.1):
//
//   C_t = sum_s alpha_t(s),   alphahat_t(s) = alpha_t(s) / C_t,   equations 6 and 7 with alphahat on the right
//   ln p(l|x) = sum_t ln C_t
//
// Scaling keeps the largest states of a frame in range; a state far smaller than they are still underflows, and with it
// any path that would have needed it later.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "reference/ctc/alpha.h"
#include "reference/ctc/labels.h"
#include "reference/matrix.h"

namespace assay::reference {

/// Values [T, L] that sum to 1 in each frame, and what they were divided by there, [T].
template <class Number>
struct Scaled {
  Matrix<Number> values;
  std::vector<Number> scale;
};

namespace detail {

/// Divides frame t by its sum, which becomes its scale.
template <class Number>
void normalize_frame(Scaled<Number>& scaled, std::int64_t t) {
  Number& sum = scaled.scale[static_cast<std::size_t>(t)];
  for (const Number& x : scaled.values.row(t)) sum += x;
  for (Number& x : scaled.values.row(t)) x /= sum;
}

}  // namespace detail

/// alphahat [T, L] and C [T], from y [T, C] and l' [L].
template <class Number>
Scaled<Number> alpha_scaled(const Matrix<Number>& y, Expanded labels) {
  const std::int64_t T = y.rows(), L = std::ssize(labels);
  Scaled<Number> alpha{Matrix<Number>(T, L), std::vector<Number>(static_cast<std::size_t>(T), Number(0))};
  for (std::int64_t t = 0; t < T; ++t) {
    alpha_step<Number>(t, T, labels, y.row(t), alpha.values.row(t > 0 ? t - 1 : 0), alpha.values.row(t));
    detail::normalize_frame(alpha, t);
  }
  return alpha;
}

}  // namespace assay::reference
