// Whether a case fails by itself, or only after the calls that came before it.
#pragma once

#include <cstddef>

#include "validation/core/gate_subject.h"

namespace assay::validation {

/// The end of the explanation of a failure that no case alone shows.
inline constexpr const char* history_text =
    "\n  this case alone passes: the kernel's result depends on earlier calls, or changes from call to call";

/// Judges the shrunk case alone, and if it passes, the case as first met. If that fails alone, it takes the place of
/// the shrunk case. Returns false if both pass: the failure depends on the calls before, and only these lead to it
/// again.
bool fails_alone(const GateSubject& subject, std::size_t property, Counterexample& found);

}  // namespace assay::validation
