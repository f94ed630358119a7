// Gradients that pass and prove nothing.
#pragma once

#include <string>

#include "validation/gradcheck/record.h"

namespace assay::validation {

/// Mistrusts the record for this reason, unless it is empty.
inline void mistrust(GradcheckRecord& record, const std::string& why) {
  if (why.empty()) return;
  record.verdict = Verdict::mistrusted;
  record.explanation = why;
}

/// Why a gradient of 0 is mistrusted where f moves nowhere.
inline constexpr const char* constant_function =
    "f has the same value wherever it was evaluated, so that a gradient of 0 proves nothing: take an x at which f "
    "moves, "
    "leave out inputs on which f does not depend, give f in float64, or leave out large constants";

}  // namespace assay::validation
