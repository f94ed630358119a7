// The magnitudes that determine a kernel's bounds: those of its softmax, and those of the logarithms of log space.
#pragma once

#include <vector>

#include "validation/ctc/case.h"

namespace assay::validation {

/// The magnitudes of one row: maxima for each frame t over the states s on alignments of non-zero probability.
struct LogMagnitudes {
  double loss = 0;               ///< -ln p, +inf where no alignment is possible
  std::vector<double> emission;  ///< max |ln y_t(l'_s)|
  std::vector<double> alpha;     ///< max |ln alpha_t(s)|
  std::vector<double> beta;      ///< max |ln beta_t(s)|, beta including y_t
};

/// Computes in log space in double, because two digits are enough.
LogMagnitudes log_magnitudes(const CtcCase& c, std::int64_t b);

/// The sum of the exponentials of one frame's logits, relative to the largest logit.
struct SoftmaxSum {
  double terms = 0;      ///< N: the additions that count, in arithmetic of the given unit roundoff
  double rescaling = 0;  ///< R: what an online sum rounds when its maximum changes, in units of roundoff
  double logarithm = 0;  ///< of the sum
  double distance = 0;   ///< sum_k y(k) (m - a_k), m the largest logit
  bool exact = false;    ///< whether differences of logits are exact
};

/// Takes time C log C and memory C.
SoftmaxSum softmax_sum(const CtcCase& c, std::int64_t t, std::int64_t b, double unit_roundoff);

}  // namespace assay::validation
