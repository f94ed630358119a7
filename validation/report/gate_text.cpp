#include "validation/report/gate_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "validation/core/gate_subject.h"
#include "validation/core/printable.h"
#include "validation/core/report.h"
#include "validation/core/side_by_side.h"
#include "validation/report/condition_text.h"
#include "validation/report/failure_text.h"
#include "validation/report/judged_text.h"
#include "validation/report/reach_text.h"

namespace assay::validation {
namespace {

std::string reservations(const PropertyRecord& property) {
  std::string text;
  if (property.verdict == Verdict::mistrusted)
    text = fmt::format("mistrusted {}:\n{}\n\n", property.property, property.why_mistrusted());
  for (const auto& [reason, count] : property.skipped)
    if (count == property.cases) text += fmt::format("skipped {}: {} ({} cases)\n", property.property, reason, count);
  return text;
}

/// "do a bias": the heading has the words before it.
std::string without_opening(const std::string& reason) {
  return reason.substr(reason.starts_with(kernel_does_not) ? kernel_does_not.size() : 0);
}

/// How many cases were judged, and skipped because the kernel does not claim to do them, or declined them.
std::string unclaimed(const GateRecord& record) {
  std::map<std::string, std::int64_t> counts;
  std::int64_t drawn = 0, judged = 0;
  for (const auto& property : record.properties) drawn += property.cases, judged += property.cases;
  for (const auto& property : record.properties)
    for (const auto& [reason, count] : property.skipped) {
      judged -= count;
      const SkipCause cause = property.cause_of(reason);
      if (cause == SkipCause::not_claimed || cause == SkipCause::declined) counts[without_opening(reason)] += count;
    }
  if (counts.empty()) return "";
  std::vector<std::string> items;
  for (const auto& [what, count] : counts) items.push_back(fmt::format("{} {}", what, count));
  const double share = 100 * static_cast<double>(judged) / static_cast<double>(drawn);
  return fmt::format("  judged {:.2g} % of the cases; skipped, for the kernel does not\n", share) +
         wrapped(items, 98, "    ") + "\n";
}

std::string worst(const GateRecord& record) {
  const PropertyRecord* worst = nullptr;
  for (const auto& property : record.properties)
    if (worst == nullptr || !(property.worst.share <= worst->worst.share)) worst = &property;
  if (worst == nullptr || worst->worst.share == 0) return "";
  return fmt::format("  worst margin: {:.4g} of the bound, {} at {} ({})\n", worst->worst.share, worst->property,
                     worst->worst.place, worst->worst_case);
}

/// The extents that are small in each judged case, and their largest sizes: by the kernel's declaration, or since larger
/// sizes were declined or not reached.
std::map<std::string, std::int64_t> narrow(const GateRecord& record) {
  std::map<std::string, std::int64_t> largest, narrow = record.narrow;
  if (record.question.reach == Reach::none || failures_of(record) > 0) return narrow;
  for (const auto& property : record.properties)
    for (const auto& [extent, sizes] : property.sizes)
      if (!sizes.empty()) largest[extent] = std::max(largest[extent], *sizes.rbegin());
  for (const auto& [extent, most] : largest)
    if (most < narrow_below) narrow.try_emplace(extent, most);
  return narrow;
}

/// What the verdict is about, where some extents are small: ", for D <= 1 alone".
std::string scope(const GateRecord& record) {
  std::string text;
  for (const auto& [extent, most] : narrow(record))
    text += fmt::format("{} {} <= {}", text.empty() ? ", for" : " and", extent, most);
  return text.empty() ? "" : text + " alone";
}

/// The verdict of the algebra beside that of the bounds, where both have passed.
std::string beside_bounds(const GateRecord& record) {
  double share = 0;
  bool is_equal = false;
  for (const auto& property : record.properties) {
    if (property.verdict == Verdict::fail) return "";
    is_equal = is_equal || (property.property == algebra_name && property.verdict == Verdict::pass);
    share = std::max(share, property.worst.share);
  }
  return is_equal && share > 0 ? fmt::format("  {}\n", equal_within(share)) : "";
}

std::string evidence_text(const GateRecord& record) {
  Evidence all;
  for (const auto& property : record.properties) all.merge(property.evidence);
  std::string text;
  if (all.certified + all.compared > 0)
    text = fmt::format("  {} truths proven by enclosures, {} equal at two precisions\n", all.certified, all.compared);
  if (all.codes > 0)
    text += fmt::format("  {} codes compared, {} of them near a tie, where either neighbour is right\n", all.codes,
                        all.tied);
  for (const auto& [result, share] : all.undeclared)
    text += fmt::format("  {}: of the bound without what is declared, errors would use {}\n", result,
                        std::isinf(share) ? "more than all" : fmt::format("{:.1f} %", 100 * share));
  for (const auto& property : record.properties)
    for (const auto& line : property.hidden)
      text += fmt::format("    {} notices {}; the others hide in its bound\n", property.property, line);
  return text;
}

/// The sizes that were not judged because the kernel is too slow. It may be slow on purpose, and wrong there.
std::string spared(const GateRecord& record) {
  std::set<std::string> sizes;
  for (const auto& property : record.properties)
    for (const auto& [reason, count] : property.skipped)
      if (property.cause_of(reason) == SkipCause::too_slow) sizes.insert(reason.substr(reason.rfind("where ") + 6));
  if (sizes.empty()) return "";
  const std::string more = sizes.size() > 1 ? fmt::format(" and {} more", sizes.size() - 1) : "";
  return fmt::format(", not judged at {}{}, for which it is too slow", *sizes.begin(), more);
}

/// The sentence on the whole. A run that was interrupted must not read like one that passed.
std::string closing(const GateRecord& record, double seconds) {
  const int failed = failures_of(record);
  if (!record.is_complete())
    return fmt::format("\n{}: interrupted: no verdict; {} of {} properties had failed after {} of {} units\n",
                       record.question.kernel, failed, record.properties.size(), record.units_done, record.units);
  return fmt::format("\n{}: {} of {} properties failed, {} mistrusted{}, in {:.1f} s{}\n", record.question.kernel,
                     failed, record.properties.size(), mistrusted_of(record), failed == 0 ? spared(record) : "",
                     seconds, scope(record));
}

}  // namespace

std::string heading_text(const GateRecord& record) {
  const GateQuestion& asked = record.question;
  std::string text =
      fmt::format("assay gate {}: kernel {}, {} generated cases a property (seed {}), reference at {} digits\n",
                  asked.operation, asked.kernel, asked.cases, asked.seed, asked.digits);
  if (!asked.given.empty()) text += fmt::format("given: {}\n", fmt::join(asked.given, ", "));
  if (record.shard.total > 1)
    text += fmt::format("shard {} of {}: {} units of the work\n", record.shard.index, record.shard.total, record.units);
  return text + fmt::format("\n{}\n", table_heading());
}

std::string conclusion_text(const GateRecord& record, double seconds, bool colour) {
  std::string text = "\n";
  for (const auto& property : record.properties) text += reservations(property);
  text += judged_text(record);
  if (record.coverage.cases() > 0) text += coverage_text(record.coverage) + "\n";
  text += reach_text(record) + evidence_text(record) + beside_bounds(record) + condition_text(record) +
          unclaimed(record) + worst(record);
  for (const auto& property : record.properties) text += failure_text(property, colour);
  text += closing(record, seconds);
  if (const std::string why = why_mistrusted(record); !why.empty()) text += fmt::format("mistrusted: {}\n", why);
  return judged_nothing(record) ? fmt::format("{}{}\n", text, advice_on_nothing) : text;
}

double seconds_of(const GateRecord& record) {
  double seconds = 0;
  for (const auto& property : record.properties) seconds += property.seconds;
  return seconds;
}

std::string table_text(const GateRecord& record) {
  std::string text = heading_text(record);
  for (const auto& property : record.properties) text += table_row(property, false) + "\n";
  return printable(text + conclusion_text(record, seconds_of(record), false));
}

}  // namespace assay::validation
