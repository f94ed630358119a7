#include "validation/core/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace assay::validation {
namespace {

constexpr const char* no_case = "there was no case to judge it on";

/// Where the sizes that were judged, whatever their values, are next to nothing, since the kernel declined the others: of 1
/// many operations have nothing to compute, of 2 little. Else empty.
std::string next_to_nothing(const std::string& extent, const JudgedSizes& sizes, const std::set<std::int64_t>& judged) {
  if (judged.empty() || *judged.rbegin() > 2 || !sizes.declined_above(2)) return "";
  return fmt::format("  when called, the kernel declined all sizes of {} above {}", extent, *judged.rbegin());
}

/// Empty where enough is judged.
std::string too_little_judged(const std::string& extent, const JudgedSizes& sizes) {
  if (!sizes.is_cut_short()) return "";
  return fmt::format(
      "  too little was judged wherever {0} is above {1}, in {2} cases: the bounds there are no smaller than what the\n"
      "  values can be, so that any number would pass. Declare a limit of {1} for {0}, or more exactly how the kernel\n"
      "  computes (docs/acceptance.md)",
      extent, sizes.largest(), sizes.beyond());
}

}  // namespace

std::string shrunk_origin(const std::string& origin, int steps) {
  if (steps == 0) return origin;
  return fmt::format("{}, shrunk in {} step{}", origin, steps, steps == 1 ? "" : "s");
}

void PropertySummary::record(const Finding& finding, const std::string& origin) {
  ++cases;
  if (finding.verdict == Verdict::skipped) ++skipped[finding.explanation];
  if (finding.skip_cause != SkipCause::other) skip_causes[finding.explanation] = finding.skip_cause;
  if (finding.verdict == Verdict::mistrusted) mistrust = finding.explanation;
  if (finding.verdict == Verdict::pass || finding.verdict == Verdict::fail) histogram.count(finding.margin.share);
  judged.merge(finding.judged);
  evidence.merge(finding.evidence);
  returned.merge(finding.returned);
  measured += finding.judged.elements > 0 ? 1 : 0;
  thin += finding.judged.suffices() ? 0 : 1;
  if (is_failure(finding.verdict)) return;
  if (finding.margin.share > worst.share) worst_case = origin;
  worst.take(finding.margin);
}

void PropertySummary::merge(const PropertySummary& other) {
  cases += other.cases;
  for (const auto& [reason, count] : other.skipped) skipped[reason] += count;
  skip_causes.insert(other.skip_causes.begin(), other.skip_causes.end());
  if (!other.mistrust.empty()) mistrust = other.mistrust;
  if (worst.share == worst.share && !(other.worst.share <= worst.share)) worst_case = other.worst_case;
  worst.take(other.worst);
  histogram.merge(other.histogram);
  judged.merge(other.judged);
  evidence.merge(other.evidence);
  returned.merge(other.returned);
  hidden.insert(hidden.end(), other.hidden.begin(), other.hidden.end());
  ordinary.judged += other.ordinary.judged;
  ordinary.declined += other.ordinary.declined;
  measured += other.measured;
  thin += other.thin;
  for (const auto& [extent, one] : other.judged_sizes) judged_sizes[extent].merge(one);
  for (const auto& [extent, one] : other.reached) reached[extent].merge(one);
  for (const auto& [extent, some] : other.sizes) sizes[extent].insert(some.begin(), some.end());
  together.merge(other.together);
  for (const auto& [extent, of_sizes] : other.errors)
    for (const auto& [size, error] : of_sizes) errors[extent][size] = std::max(errors[extent][size], error);
  seconds += other.seconds;
}

void PropertySummary::settle() {
  skipped.erase(no_case);
  if (is_failure(verdict)) return;
  if (cases == 0) skipped[no_case] = 0;
  if (!why_mistrusted().empty()) {
    verdict = Verdict::mistrusted;
  } else {
    verdict = skipped_cases() == cases ? Verdict::skipped : Verdict::pass;
  }
}

std::int64_t PropertySummary::skipped_cases() const {
  std::int64_t total = 0;
  for (const auto& [reason, count] : skipped) total += count;
  return total;
}

std::string PropertySummary::why_mistrusted() const {
  if (!mistrust.empty()) return mistrust;
  std::int64_t by_kernel = 0;
  for (const auto& [reason, count] : skipped)
    if (cause_of(reason) == SkipCause::declined) by_kernel += count;
  // Where no case was judged, the property may ask for something that the kernel does not claim.
  const std::int64_t total = skipped_cases(), done = cases - total, not_claimed = total - by_kernel;
  if (by_kernel > (done > 0 ? done : not_claimed))
    return fmt::format(
        "  when called, the kernel declined {} of the {} cases that its declaration allows: declare the limit",
        by_kernel, done + by_kernel);
  if (ordinary.declined > ordinary.judged)
    return fmt::format("  when called, the kernel declined {} of {} generated cases with ordinary values",
                       ordinary.declined, ordinary.declined + ordinary.judged);
  if (2 * thin > measured)
    return fmt::format(
        "  too little was judged in {} of {} cases: {}", thin, measured,
        property == "algebra"
            ? "the algebra cannot decide the other elements, so that any formula would pass (docs/algebra.md)"
            : "the bounds of the other elements are no smaller than what the values can be,\n"
              "  so that any number would pass, or what is declared alone (a road, rounds, exp_error, accumulate, ...) "
              "makes "
              "them right.\n"
              "  Declare more exactly how the kernel computes (docs/acceptance.md)");
  for (const auto& [extent, one] : judged_sizes) {
    const auto found = sizes.find(extent);
    std::string why = found == sizes.end() ? "" : next_to_nothing(extent, one, found->second);
    if (why.empty()) why = too_little_judged(extent, one);
    if (!why.empty()) return why;
  }
  return "";
}

SkipCause PropertySummary::cause_of(const std::string& reason) const {
  const auto found = skip_causes.find(reason);
  return found == skip_causes.end() ? SkipCause::other : found->second;
}

}  // namespace assay::validation
