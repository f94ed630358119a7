// y_t of one frame in extended precision, for properties that relate a kernel's own results.
#pragma once

#include <vector>

#include "validation/ctc/case.h"

namespace assay::validation {

/// ln y_t(k) [C]: the log-softmax of logits, or log-probabilities as given.
std::vector<long double> log_softmax(const CtcCase& c, std::int64_t t, std::int64_t b);

/// y_t(k) [C].
std::vector<long double> softmax(const CtcCase& c, std::int64_t t, std::int64_t b);

}  // namespace assay::validation
