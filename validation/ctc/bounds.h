// Bounds on the rounding errors of a correct kernel, element by element. Derivations: docs/bounds.md.
//
// With u the unit roundoff inside, v that of the stored results, gamma(n) = n u / (1 - n u)   (Higham 2002, lemma 3.1)
//
//                         probability arithmetic          log-space arithmetic
//   y            eta      gamma(M_t + D_t + 10)           gamma(M_t + D_t + 2 ln Z_t + Y_t + 10)
//   one frame    step     eta + gamma(4)                  eta + gamma(3 (A_t + A_t-1) + 8)
//   ln p         pi       T (eta + gamma(4)) + gamma(4)   sum of steps + gamma(2 |ln p| + 4)
//   posterior    rho      2 pi + gamma(L + 4)             expm1(2 pi + gamma(3 (A_t + B_t + Y_t + |ln p|) + L + 8))
//   loss                  pi + (u + v) |loss|             the same
//   gradient              |w| (eta y + rho posterior) + 4 u |g| + v |g|,  g = w (y - posterior) or -w posterior,
//                         where eta has |ln y| of the element itself for Y_t; in two steps, y carries
//                         rho + gamma(min(C, S + 1) + 2) besides
//
// Z_t: the sum of the exponentials of frame t; M_t = N_t + R_t: the roundings of the additions and rescalings in Z_t
// (sums.h); D_t = d (Y_t - ln Z_t + sum_k y_k (m - a_k)): those of the differences from the maximum m and of their
// products in exp2, d = 1 where the differences are exact, else 2.
// A_t, B_t, Y_t: the largest |ln alpha|, |ln beta|, |ln y| of frame t on any alignment (magnitudes.h); w: the row's
// weight, upstream times the factor of the reduction. From log_probs the softmax falls away: eta is gamma(8), and
// gamma(2 Y_t + 8) in log space.
#pragma once

#include <memory>
#include <vector>

#include "validation/ctc/case.h"
#include "validation/ctc/kernel.h"
#include "validation/ctc/magnitudes.h"

namespace assay::validation {

/// The sizes that determine the bound on one gradient element. The default gives the largest bound.
struct GradientSizes {
  double y = 1;
  double posterior = 1;
  double exact = 1;  ///< |y - posterior| or |posterior|: the element before weighting
};

/// How the errors of the frames add up: all one way, or as a random walk, which exceeds its bound in at most one case
/// of 10^10 if the errors are of mean 0 (docs/bounds.md, "Random walks").
enum class Rounding { worst_case, random };

class CtcBounds {
 public:
  CtcBounds(const CtcCase& c, const CtcKernelInfo& kernel, Rounding rounding = Rounding::worst_case);

  /// Whether row b has an alignment with a probability above 0.
  bool possible(std::int64_t b) const;

  /// -ln p of row b to a few digits, for the sizes in bounds.
  double rough_loss(std::int64_t b) const;

  /// Bound on |loss[i] - truth|; i counts rows for Reduction::none, else 0.
  double loss(std::size_t i) const { return loss_[i]; }

  /// Bound on |gradient[t, b, k] - truth| for a possible row and t < input_lengths[b].
  double gradient(std::int64_t t, std::int64_t b, const GradientSizes& sizes = {}) const;

 private:
  struct Row {
    LogMagnitudes sizes;
    std::vector<SoftmaxSum> sums;   ///< [T_b], from logits
    double log_probability = 0;     ///< pi
    double log_posterior = 0;       ///< of ln alpha + ln beta - ln p
    std::vector<double> posterior;  ///< rho [T_b]
  };

  void add_frames(Row& row, const std::vector<double>& steps, double own) const;
  void bound_probability(Row& row, std::int64_t b) const;
  void bound_log_space(Row& row, std::int64_t b) const;
  void bound_losses();
  double emission(const Row& row, std::size_t t, double log_y) const;  ///< eta of one y, relative
  double smallest_store(Dtype dtype) const;
  double underflow(double weight, std::int64_t b) const;  ///< of a gradient element, absolute
  double gamma(double operations) const;

  const CtcCase& case_;
  const CtcKernelInfo& kernel_;
  double deviations_ = 0;                         ///< lambda of a random walk; 0: the worst case
  std::vector<std::shared_ptr<const Row>> rows_;  ///< equal rows share one
  std::vector<double> loss_;
};

}  // namespace assay::validation
