// Whether a case fails by itself, or only after the calls that came before it.
#pragma once

#include <utility>

#include "validation/core/property.h"
#include "validation/core/search.h"

namespace assay::validation {

/// The end of the explanation of a failure that no case alone shows.
inline constexpr const char* history_text =
    "\n  this case alone passes: the kernel's result depends on earlier calls, or changes from call to call";

/// Judges the shrunk case alone, and if it passes, the case as first met. If that fails alone, it takes the place of
/// the shrunk case. Returns false if both pass: the failure depends on the calls before, and only these lead to it
/// again.
template <class Operation>
bool fails_alone(const Property<Operation>& property, const Context<Operation>& context,
                 Counterexample<Operation>& found) {
  const auto fails = [&](const typename Operation::Case& c) {
    const auto kernel = context.fresh();
    return is_failure(judge(property, kernel ? context.with(*kernel) : context, c).verdict);
  };
  // Twice, for a kernel that cannot be made afresh may fail at every so many calls.
  if (fails(found.problem) && fails(found.problem)) return true;
  const int shrinks = std::exchange(found.shrinks, 0);
  found.problem = *found.first;
  found.finding = found.first_finding;
  return shrinks > 0 && fails(found.problem) && fails(found.problem);
}

}  // namespace assay::validation
