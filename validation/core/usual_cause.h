// What usually causes a failure, in a sentence: a catalogue by property, operation and what the explanation says.
#pragma once

#include <span>
#include <string_view>

#include "validation/core/verdict.h"

namespace assay::validation {

/// An entry of the catalogue. Empty `operation` and `pattern` match any.
struct UsualCause {
  std::string_view property;
  std::string_view operation;
  std::string_view pattern;  ///< a part of the explanation: "expected inf"
  std::string_view cause;
};

std::span<const UsualCause> usual_causes();

/// The cause in the first entry that matches, or nothing. An error, such as an exception or an array of another shape,
/// says its own cause: a property has entries for errors only where errors are what it looks for. `reproducer` names
/// the operation: "operation=ctc ..." or "./assay gate ctc ...".
std::string_view usual_cause(std::string_view property, Verdict verdict, std::string_view explanation,
                             std::string_view reproducer);

}  // namespace assay::validation
