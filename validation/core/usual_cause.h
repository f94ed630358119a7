// What usually causes a failure, in a sentence: a catalogue by property, operation and clue.
#pragma once

#include <span>
#include <string_view>

#include "validation/core/clue.h"

namespace assay::validation {

/// An entry of the catalogue. An empty `operation` matches any, and no test any wrong result.
struct UsualCause {
  std::string_view property;
  std::string_view operation;
  bool (*test)(const Clue&);
  std::string_view cause;
};

std::span<const UsualCause> usual_causes();

/// The cause in the first entry that matches, or nothing.
std::string_view usual_cause(std::string_view property, std::string_view operation, const Clue& clue);

}  // namespace assay::validation
