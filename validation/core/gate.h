// The gate: judges a property of a kernel on given and on generated cases, and reports the result.
//
// The work on a property is a sequence of units: the given cases, if there are any, then blocks of generated cases,
// each with its own seed, then needle cases (validation/core/reach.h), one extent a unit, then planned cases, of several
// large extents or unusual magnitudes. So a long run can be sharded, interrupted and resumed
// (validation/report/run_gate.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "validation/core/coverage.h"
#include "validation/core/gate_subject.h"
#include "validation/core/sequence.h"
#include "validation/core/summary.h"
#include "validation/core/support.h"

namespace assay::validation {

struct GateOptions {
  int cases = 100;  ///< generated cases for each property
  std::uint64_t seed = 1;
  int shrink_budget = 2000;  ///< further verdicts to spend on shrinking a failure; 0 keeps the first failing case
  std::vector<GivenCase> given;
  Reach reach = Reach::none;   ///< of the needle and planned cases
  double shrink_seconds = 10;  ///< for shrinking, or twice the time of the verdict that failed if that is more
};

struct Failure {
  AnyCase problem;
  std::string origin;  ///< "generated, shrunk in 12 steps" or the name of the given case
  std::string explanation;
  Margin margin = {};         ///< of `problem`
  Margin first_margin = {};   ///< of the case as first met, before shrinking
  bool passes_alone = false;  ///< the failure depends on the calls before
  Sequence sequence = {};     ///< the cases that lead to such a failure on a fresh kernel; empty if not found
  /// Lines about a case that fails alone, each with a newline before it: which sizes fail, and whether contiguous arrays
  /// pass.
  std::string remarks = {};
  std::string usual_cause = {};  ///< empty where none is known
};

struct PropertyReport : PropertySummary {
  std::optional<Failure> failure;
};

/// Called before each case with the number of cases judged so far.
using Progress = std::function<void(std::int64_t)>;

/// The number of generated cases in a unit.
inline constexpr int cases_of_unit = 200;

/// The number of units of a property.
std::int64_t units_of(const GateSubject& subject, const GateOptions& options);

/// A part of the work on a property.
struct GatePart {
  std::int64_t first = 0;  ///< the first unit
  std::int64_t count = no_limit;
  Stop stop = {};
};

/// Judges one property on the given cases, then on the others, up to the first failure, or on the units of `part` alone.
/// `coverage` counts the generated cases.
PropertyReport run_property(const GateSubject& subject, std::size_t property, const GateOptions& options,
                            Coverage& coverage, const Progress& progress = {}, const GatePart& part = {});

}  // namespace assay::validation
