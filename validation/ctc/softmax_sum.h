// The sum of a softmax, for the bounds on what it rounds.
#pragma once

#include <cstdint>

#include "validation/ctc/case.h"

namespace assay::validation {

/// The sum of the exponentials of one frame's logits, relative to the largest logit.
struct SoftmaxSum {
  double terms = 0;      ///< N: the additions that count, in arithmetic of the given unit roundoff
  double rescaling = 0;  ///< R: what an online sum rounds when its maximum changes, in units of roundoff
  double largest = 0;    ///< m, the largest logit
  double logarithm = 0;  ///< ln Z, of the sum
  double distance = 0;   ///< sum_k y(k) (m - a_k)
  bool exact = false;    ///< whether differences of logits are exact
};

/// Takes time C log C and memory C.
SoftmaxSum softmax_sum(const CtcCase& c, std::int64_t t, std::int64_t b, double unit_roundoff);

}  // namespace assay::validation
