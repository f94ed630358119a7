// The gate: every property on a kernel, over generated cases and over given ones, and what came of it.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "validation/core/verdict.h"
#include "validation/ctc/coverage.h"
#include "validation/ctc/property.h"

namespace assay::validation {

/// A case with a name: real input, or a size that generated cases do not reach.
struct CtcNamedCase {
  std::string name;
  CtcCase problem;
  /// Judged by the properties against the reference alone: too large for all the others.
  bool reference_only = false;
};

struct CtcGateOptions {
  int cases = 100;  ///< generated cases for each property
  std::uint64_t seed = 1;
  int shrink_budget = 2000;  ///< further verdicts to spend on shrinking a failure; 0 keeps the first failing case
  std::vector<CtcNamedCase> given;
};

struct CtcFailure {
  CtcCase problem;
  std::string origin;  ///< "generated, shrunk in 12 steps" or the name of the given case
  std::string explanation;
};

struct CtcPropertyReport {
  std::string property;
  std::string claim;
  Verdict verdict = Verdict::pass;
  int cases = 0;
  std::map<std::string, int> skipped;  ///< reason and count
  std::string mistrust;
  Margin worst;
  std::string worst_case;  ///< where the worst margin was met
  double seconds = 0;
  std::optional<CtcFailure> failure;
};

/// Called before each case with the number of cases judged so far.
using CtcProgress = std::function<void(int)>;

/// One property over the given cases, then over the generated ones, up to the first failure.
/// `coverage` counts the generated cases.
CtcPropertyReport run_property(const CtcProperty& property, const CtcContext& context, const CtcGateOptions& options,
                               Coverage& coverage, const CtcProgress& progress = {});

}  // namespace assay::validation
