// How large the logarithms grow that a log-space kernel works with: the magnitudes that its bound is made of.
#pragma once

#include <vector>

#include "validation/ctc/case.h"

namespace assay::validation {

/// Of one row; per frame t over the states s that lie on some alignment of non-zero probability.
struct LogMagnitudes {
  double loss = 0;               ///< -ln p, +inf where no alignment is possible
  std::vector<double> emission;  ///< max |ln y_t(l'_s)|
  std::vector<double> alpha;     ///< max |ln alpha_t(s)|
  std::vector<double> beta;      ///< max |ln beta_t(s)|, beta including y_t
};

/// Computed in log space in double: magnitudes need two digits, not fifty.
LogMagnitudes log_magnitudes(const CtcCase& c, std::int64_t b);

}  // namespace assay::validation
