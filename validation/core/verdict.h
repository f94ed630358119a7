// What the judge says of one property on one case, and how close it was.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "validation/core/clue.h"
#include "validation/core/evidence.h"
#include "validation/core/judged.h"
#include "validation/core/noticed.h"
#include "validation/core/returned.h"

namespace assay::validation {

/// pass        held
/// fail        did not hold
/// mistrusted  the data proved nothing, or the reference disagreed with itself
/// skipped     not applicable; the reason says why
/// error       a refusal where a number was due, or a number where a refusal was due
enum class Verdict { pass, skipped, mistrusted, error, fail };

std::string_view name_of(Verdict verdict);

/// Why a case was skipped.
///
/// other        the property says nothing of it, or cannot be asked
/// not_claimed  the kernel does not claim to do it
/// wrong_kind   the property is about cases of another kind
/// declined     the kernel's declaration allows it, but the kernel declined it when it was called
/// too_slow     the kernel's calls would take too long
enum class SkipCause { other, not_claimed, wrong_kind, declined, too_slow };

std::string name_of(SkipCause cause);

/// How the reason begins where a kernel does not claim to do a case, or declined it: "the kernel does not do a bias".
inline constexpr std::string_view kernel_does_not = "the kernel does not ";

/// True of the verdicts that make a run fail.
constexpr bool is_failure(Verdict verdict) {
  return verdict == Verdict::fail || verdict == Verdict::error;
}

/// The largest measured error as a share of its bound: 0 is exact, above 1 (or NaN) fails.
struct Margin {
  double share = 0;
  std::string place;  ///< "gradient[t=3, b=0, k=2]"
  double error = 0;   ///< the measured error itself

  /// Keeps the worse of the two; NaN is worst of all.
  void take(double other_share, const std::string& other_place, double other_error = 0);
  void take(const Margin& other) { take(other.share, other.place, other.error); }
};

struct Finding {
  Verdict verdict = Verdict::pass;
  Margin margin = {};
  std::string explanation = {};  ///< for a failure: what was expected, what came, where; for skipped: why
  std::shared_ptr<const Noticed> noticed = {};  ///< what the comparison with expected numbers would miss
  Judged judged = {};
  Evidence evidence = {};
  Clue clue = {};                           ///< of a failure
  SkipCause skip_cause = SkipCause::other;  ///< of a skipped case
  double longest_call = 0;                  ///< of the kernel's calls that the finding took, in seconds
  double relative_error = 0;                ///< the largest of a result, relative to it, where that is measured
  Returned returned = {};                   ///< by the kernel

  static Finding pass(Margin margin = {}) { return {.margin = std::move(margin)}; }
  static Finding fail(std::string why, Margin margin = {}, Clue clue = {}) {
    return {.verdict = Verdict::fail, .margin = std::move(margin), .explanation = std::move(why), .clue = clue};
  }
  static Finding error(std::string why, Clue clue = {}) {
    return {.verdict = Verdict::error, .explanation = std::move(why), .clue = clue};
  }
  static Finding skip(std::string why, SkipCause cause = SkipCause::other) {
    return {.verdict = Verdict::skipped, .explanation = std::move(why), .skip_cause = cause};
  }
  /// `what` completes "the kernel does not": "do a bias".
  static Finding not_claimed(const std::string& what) {
    return skip(std::string(kernel_does_not) + what, SkipCause::not_claimed);
  }
  static Finding mistrust(std::string why) { return {.verdict = Verdict::mistrusted, .explanation = std::move(why)}; }

  /// Adds a further comparison of the same case; the first failure stays.
  void take(const Finding& other);
};

}  // namespace assay::validation
