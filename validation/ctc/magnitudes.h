// The magnitudes of the logarithms in a log-space kernel, which determine the kernel's bounds.
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

}  // namespace assay::validation
