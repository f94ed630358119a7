// Bounds on the rounding errors of a correct kernel, element by element. Derivations: docs/bounds.md.
//
// With u the unit roundoff inside, v that of the stored results, gamma(n) = n u / (1 - n u)   (Higham 2002, lemma 3.1)
//
//                    probability arithmetic       log-space arithmetic
//   y         eta    gamma(M + D + 10)            gamma(M + D + |ln y| + 2 ln Z + 2 |m + ln Z| + 10)
//   ln p      pi     row_errors.h                 the same
//   posterior rho    row_errors.h                 the same
//   loss             pi + gamma(4) + (u + v) l    pi + gamma(4) + (3 u + v) l,   l = |loss|
//   gradient         |w| (eta y + rho) + 4 u |g| + v |g|,  g = w (y - posterior) or -w posterior; in two steps y
//                    carries besides the sum of rho over the frame + gamma(min(C, S + 1) + 2)
//
// Z: the sum of the exponentials of the frame relative to its largest logit m; M = N + R: the roundings of the
// additions and rescalings in Z (sums.h); D = d (|ln y| - ln Z + sum_k y_k (m - a_k)): those of the differences from m
// and of their products in exp2, d = 1 where the differences are exact, else 2. w: the row's weight, upstream times the
// factor of the reduction. From log_probs the softmax falls away: eta is gamma(8), and gamma(2 |ln y| + 8) in log
// space.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "validation/ctc/case.h"
#include "validation/ctc/kernel.h"
#include "validation/ctc/row_errors.h"
#include "validation/ctc/softmax_sum.h"

namespace assay::validation {

/// How the errors of the frames add up: all one way, or as a random walk, which exceeds its bound in at most one case
/// of 10^10 if the errors are of mean 0 (docs/bounds.md, "Random walks").
enum class Rounding { worst_case, random };

struct CtcBoundsOptions {
  Rounding rounding = Rounding::worst_case;
  double input_roundoff = 0;  ///< the log-probabilities are themselves rounded: by this share of their size
};

class CtcBounds {
 public:
  CtcBounds(const CtcCase& c, const CtcKernelInfo& kernel, const CtcBoundsOptions& options = {});

  /// Whether row b has an alignment with a probability above 0.
  bool possible(std::int64_t b) const;

  /// -ln p of row b to a few digits, for the sizes in bounds.
  double rough_loss(std::int64_t b) const;

  /// Bound on |loss[i] - truth|; i counts rows for Reduction::none, else 0.
  double loss(std::size_t i) const { return loss_[i]; }

  /// Bound on |gradient[t, b, k] - truth| for a possible row and t < input_lengths[b].
  double gradient(std::int64_t t, std::int64_t b, std::int64_t k) const;

 private:
  struct Row {
    std::vector<SoftmaxSum> sums;     ///< [T_b], from logits
    std::vector<std::int64_t> slots;  ///< [C]: the slot of each class among the states, or -1
    RowErrors errors;
  };

  Row row_of(std::int64_t b) const;
  void bound_losses();
  double log_emission(const Row& row, std::int64_t t, std::int64_t b, std::int64_t k) const;
  double emission(const Row& row, std::int64_t t, double log_y) const;  ///< eta of one y, relative
  double smallest_store(Dtype dtype) const;
  double underflow(double weight, std::int64_t b) const;  ///< of a gradient element, absolute
  double gamma(double operations) const;

  const CtcCase& case_;
  const CtcKernelInfo& kernel_;
  double input_roundoff_;
  double deviations_;                             ///< lambda of a random walk; 0: the worst case
  std::vector<std::shared_ptr<const Row>> rows_;  ///< equal rows share one
  std::vector<double> loss_;
};

}  // namespace assay::validation
