// alpha and beta, including y_t, scaled to sum to 1 at every frame so that they do not underflow, and the loss and the
// gradient from them (Graves et al. 2006, section 4.1):
//
//   C_t = sum_s alpha_t(s),   alphahat_t(s) = alpha_t(s) / C_t,   equations 6 and 7 with alphahat on the right
//   D_t = sum_s beta_t(s),    betahat_t(s)  = beta_t(s) / D_t,    equations 10 and 11 with betahat on the right
//
//   ln p(l|x)  = sum_t ln C_t                                     no number as small as p(l|x) is ever formed
//   Z_t        = sum_s alphahat_t(s) betahat_t(s) / y^t_{l'_s}
//   dL/da^t_k  = y^t_k - 1/(y^t_k Z_t) sum_{s in lab(l,k)} alphahat_t(s) betahat_t(s)      (16), as it is printed
//
// Z_t takes the place of p(l|x): the scales C_t and D_t cancel between Z_t and the sum.
//
// Scaling keeps the largest states of a frame in range. A state far smaller than they are still underflows, and with it
// any path that would have needed it later.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "reference/ctc/alpha.h"
#include "reference/ctc/beta.h"
#include "reference/ctc/gradient.h"
#include "reference/ctc/labels.h"
#include "reference/matrix.h"
#include "reference/number/traits.h"

namespace assay::reference {

/// Values [T, L] that sum to 1 in each frame, and what they were divided by there, [T].
template <class Number>
struct Scaled {
  Matrix<Number> values;
  std::vector<Number> scale;

  Scaled(std::int64_t T, std::int64_t L) : values(T, L), scale(static_cast<std::size_t>(T), Number(0)) {}

  /// Divides frame t by its sum, which becomes its scale.
  void normalize_frame(std::int64_t t) {
    Number& sum = scale[static_cast<std::size_t>(t)];
    for (const Number& x : values.row(t)) sum += x;
    for (Number& x : values.row(t)) x /= sum;
  }
};

/// alphahat [T, L] and C [T], from y [T, C] and l' [L].
template <class Number>
Scaled<Number> alpha_scaled(const Matrix<Number>& y, Expanded labels) {
  const std::int64_t T = y.rows();
  Scaled<Number> alpha(T, std::ssize(labels));
  for (std::int64_t t = 0; t < T; ++t) {
    alpha_step<Number>(t, T, labels, y.row(t), alpha.values.row(t > 0 ? t - 1 : 0), alpha.values.row(t));
    alpha.normalize_frame(t);
  }
  return alpha;
}

/// betahat [T, L] and D [T], from y [T, C] and l' [L].
template <class Number>
Scaled<Number> beta_scaled(const Matrix<Number>& y, Expanded labels) {
  const std::int64_t T = y.rows(), L = std::ssize(labels);
  Scaled<Number> beta(T, L);
  for (std::int64_t t = T - 1; t >= 0; --t) {
    const std::span<Number> frame = beta.values.row(t);
    if (t < T - 1) {
      const auto next = beta.values.row(t + 1);
      std::copy(next.begin(), next.end(), frame.begin());
    }
    beta_step<Number>(t, T, labels, frame);  // (10), (11)
    const auto [first, end] = live_states(t, T, L);
    for (std::int64_t s = first; s < end; ++s) {
      const auto i = static_cast<std::size_t>(s);
      frame[i] *= y(t, labels[i]);
    }
    std::fill(frame.begin() + end, frame.end(), Number(0));
    beta.normalize_frame(t);
  }
  return beta;
}

/// -ln p(l|x) from C [T].
template <class Number>
Number loss_scaled(std::span<const Number> C) {
  Number loss(0);
  for (const Number& scale : C) loss -= NumberTraits<Number>::log(scale);
  return loss;
}

/// dL/da [T, C] from y [T, C], l' [L], alphahat and betahat [T, L].
template <class Number>
Matrix<Number> gradient_wrt_logits_scaled(const Matrix<Number>& y, Expanded labels, const Matrix<Number>& alphahat,
                                          const Matrix<Number>& betahat) {
  const Matrix<Number> sum = sum_over_states(alphahat, betahat, labels, y.cols());
  Matrix<Number> gradient = y;
  for (std::int64_t t = 0; t < y.rows(); ++t) {
    const Number Z = invariant_including_y(alphahat, betahat, y, labels, t);
    for (std::int64_t k = 0; k < y.cols(); ++k)
      if (!NumberTraits<Number>::is_zero(y(t, k))) gradient(t, k) -= sum(t, k) / (y(t, k) * Z);  // (16)
  }
  return gradient;
}

}  // namespace assay::reference
