// Looks for a case that a property does not survive, and shrinks it. rapidcheck drives; cases and shrinks are ours.
#pragma once

#include <functional>
#include <optional>

#include "validation/core/verdict.h"
#include "validation/ctc/case.h"
#include "validation/ctc/generate.h"

namespace assay::validation {

struct CtcCounterexample {
  CtcCase problem;
  Finding finding;
  int shrinks = 0;  ///< accepted steps from the first failing case to this one
};

/// Judges `cases` generated problems, or fewer up to the first failure, which it then shrinks with at most
/// `shrink_budget` further verdicts and for about ten seconds.
std::optional<CtcCounterexample> search(const CtcProfile& profile, int cases, std::uint64_t seed, int shrink_budget,
                                        const std::function<Finding(const CtcCase&)>& judge);

/// Judges `c` and, should it fail, shrinks it within the same limits.
std::optional<CtcCounterexample> search_from(const CtcCase& c, int shrink_budget,
                                             const std::function<Finding(const CtcCase&)>& judge);

}  // namespace assay::validation
