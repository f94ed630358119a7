#include "validation/core/summary.h"

#include <fmt/format.h>

namespace assay::validation {
namespace {

constexpr const char* no_case = "there was no case to judge it on";
constexpr const char* mostly_declined = "  when called, the kernel declined ";
constexpr const char* mostly_unjudged = "  too little was judged in ";

/// Whether settle() found the reason, which may not hold any more once there are further cases.
bool is_found(const std::string& mistrust) {
  return mistrust.starts_with(mostly_declined) || mistrust.starts_with(mostly_unjudged);
}

}  // namespace

std::string shrunk_origin(const std::string& origin, int steps) {
  if (steps == 0) return origin;
  return fmt::format("{}, shrunk in {} step{}", origin, steps, steps == 1 ? "" : "s");
}

void PropertySummary::record(const Finding& finding, const std::string& origin) {
  ++cases;
  if (finding.verdict == Verdict::skipped) ++skipped[finding.explanation];
  if (finding.verdict == Verdict::mistrusted) mistrust = finding.explanation;
  if (finding.verdict == Verdict::pass || finding.verdict == Verdict::fail) histogram.count(finding.margin.share);
  judged.merge(finding.judged);
  measured += finding.judged.elements > 0 ? 1 : 0;
  thin += finding.judged.suffices() ? 0 : 1;
  if (is_failure(finding.verdict)) return;
  if (finding.margin.share > worst.share) worst_case = origin;
  worst.take(finding.margin);
}

void PropertySummary::merge(const PropertySummary& other) {
  cases += other.cases;
  for (const auto& [reason, count] : other.skipped) skipped[reason] += count;
  if (!other.mistrust.empty() && !is_found(other.mistrust)) mistrust = other.mistrust;
  if (worst.share == worst.share && !(other.worst.share <= worst.share)) worst_case = other.worst_case;
  worst.take(other.worst);
  histogram.merge(other.histogram);
  judged.merge(other.judged);
  measured += other.measured;
  thin += other.thin;
  for (const auto& [extent, one] : other.reached) reached[extent].merge(one);
  for (const auto& [extent, some] : other.sizes) sizes[extent].insert(some.begin(), some.end());
  seconds += other.seconds;
}

void PropertySummary::settle() {
  skipped.erase(no_case);
  if (is_failure(verdict)) return;
  if (cases == 0) skipped[no_case] = 0;
  std::int64_t total = 0, by_kernel = 0;
  for (const auto& [reason, count] : skipped) {
    total += count;
    if (reason.starts_with(declined)) by_kernel += count;
  }
  verdict = Verdict::pass;
  if (is_found(mistrust)) mistrust.clear();
  // Where no case was judged, the property may ask for something that the kernel does not claim.
  const std::int64_t done = cases - total, not_claimed = total - by_kernel;
  const bool mostly = by_kernel > (done > 0 ? done : not_claimed);
  if (mostly && mistrust.empty())
    mistrust = fmt::format("{}{} of the {} cases that its declaration allows: declare the limit", mostly_declined,
                           by_kernel, done + by_kernel);
  if (2 * thin > measured && mistrust.empty())
    mistrust = fmt::format(
        "{}{} of {} cases: the bounds of the other elements are no smaller than what the values can be,\n"
        "  so that any number would pass. Declare more exactly how the kernel computes (docs/acceptance.md)",
        mostly_unjudged, thin, measured);
  if (!mistrust.empty()) {
    verdict = Verdict::mistrusted;
  } else if (total == cases) {
    verdict = Verdict::skipped;
  }
}

}  // namespace assay::validation
