// Searches for a case that a property fails, and shrinks that case.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "validation/core/any_case.h"
#include "validation/core/random.h"
#include "validation/core/verdict.h"

namespace assay::validation {

/// Asked before each case and each step of shrinking; true ends the search, which returns what it has found so far. A
/// failure counts as found only if it was known before: the interruption itself may cause others.
using Stop = std::function<bool()>;

struct Counterexample {
  AnyCase problem;
  Finding finding;
  int shrinks = 0;           ///< accepted steps from the case as first met to this one
  bool interrupted = false;  ///< shrinking was stopped before it had tried all steps
  double seconds = 0;        ///< that the verdict took
  AnyCase first = {};        ///< the case as first met
  Finding first_finding = {};
};

/// The functions that a search needs.
struct SearchSteps {
  std::function<AnyCase(Random&, int size)> generate;
  std::function<AnyShrinks(const AnyCase&)> shrinks;
  std::function<Finding(const AnyCase&)> judge;
  Stop stop = {};
  double seconds = 10;  ///< for shrinking, or twice the time of the verdict that failed if that is more
  /// Steps that cut one extent each to `size`: shrinking tries the sizes from 1 to 130 first, for a quarter of its time.
  std::function<AnyShrinks(const AnyCase&, std::int64_t size)> cuts = {};
};

bool is_stopped(const SearchSteps& steps);

/// The failure of `c`, unless `c` passes or the search is stopped meanwhile.
std::optional<Counterexample> failure_of(const SearchSteps& steps, const AnyCase& c);

/// The first of the generated cases that fails; rapidcheck draws them.
std::optional<Counterexample> first_failure(const SearchSteps& steps, int cases, std::uint64_t seed);

/// The same without rapidcheck, which Debian's packages do not have for a Python module.
std::optional<Counterexample> first_failure_in_turn(const SearchSteps& steps, int cases, std::uint64_t seed);

/// Judges `c` and, should it fail, shrinks it.
std::optional<Counterexample> search_from(const SearchSteps& steps, const AnyCase& c, int shrink_budget);

/// What shrinking makes of a failing case with at most `shrink_budget` further verdicts, beside those on cuts.
Counterexample shrunk(const SearchSteps& steps, Counterexample found, int shrink_budget);

}  // namespace assay::validation
