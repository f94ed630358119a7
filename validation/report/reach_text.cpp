#include "validation/report/reach_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "validation/core/report.h"

namespace assay::validation {
namespace {

/// The most indices of one size that a property notices.
struct MostNoticed {
  std::int64_t count = 0;
  std::string by;

  void take(std::int64_t other, const std::string& property) {
    if (other > count) *this = {other, property};
  }

  bool misses(std::int64_t size) const { return count > 0 && count < size; }

  std::string text(const char* what, std::int64_t size) const {
    if (count == 0) return "";
    return fmt::format(", {} {} by {}", count == size ? "all" : fmt::format("{}", count), what, by);
  }
};

/// The reach of all properties along one extent.
struct ExtentReach {
  Reached best;
  MostNoticed elements, terms;
  /// The names of properties by the largest size that they judged.
  std::map<std::int64_t, std::vector<std::string>, std::greater<>> properties;

  void take(const PropertyRecord& property, const Reached& reached) {
    if (reached.size > best.size) elements = terms = {};
    properties[reached.size].push_back(property.property);
    if (reached.size > 0 && reached.size >= best.size) {
      elements.take(reached.noticed, property.property);
      terms.take(reached.terms, property.property);
    }
    best.merge(reached);
  }

  /// " 4097 by 5 of 12 properties, all terms by loss".
  std::string text(std::size_t all) const {
    if (best.size == 0) return ": no large size was judged";
    return fmt::format(" {} by {} of {} properties{}{}", best.size, properties.at(best.size).size(), all,
                       elements.text("indices noticed", best.size), terms.text("terms", best.size));
  }

  /// The properties that judged no case of the best size.
  std::string others() const {
    std::vector<std::string> items;
    for (const auto& [size, names] : properties) {
      std::string prefix = size > 0 ? fmt::format("{} by ", size) : "none by ";
      for (const auto& name : names)
        if (size < best.size) items.push_back(std::exchange(prefix, "") + name);
    }
    return items.empty() ? "" : wrapped(items, 98, "      ") + "\n";
  }

  bool misses() const { return elements.misses(best.size) || terms.misses(best.size); }
};

/// For each extent the widest interval of sizes that no property judged against the reference.
std::string interval_text(const GateRecord& record) {
  SizesOfExtents judged;
  std::map<std::string, std::int64_t> due;
  for (const auto& property : record.properties) {
    for (const auto& [name, sizes] : property.sizes) judged[name].insert(sizes.begin(), sizes.end());
    for (const auto& [name, reached] : property.reached) due[name] = std::max(due[name], reached.due);
  }
  std::vector<std::string> items;
  for (const auto& [name, sizes] : judged)
    if (const auto widest = widest_interval_without(sizes, due[name]))
      items.push_back(fmt::format("{} {} to {}", name, widest->first, widest->last));
  if (items.empty()) return "";
  return "    widest interval of sizes that no property compared with the reference\n" + wrapped(items, 98, "      ") +
         "\n";
}

/// The sizes that were large together in a case that was compared with the reference, of each pair of extents and of all.
std::string together_text(const GateRecord& record) {
  SizesTogether all;
  for (const auto& property : record.properties) all.merge(property.together);
  std::vector<std::string> items;
  for (const auto& [names, sizes] : all.all()) {
    std::string item;
    for (const auto& [extent, size] : sizes) item += fmt::format("{}{}={}", item.empty() ? "" : " ", extent, size);
    items.push_back(item);
  }
  return items.empty() ? "" : "    large together in one case\n" + wrapped(items, 98, "      ") + "\n";
}

/// The reason why a property judged no case, other than that a case was of the wrong kind or too slow.
std::string reason_of(const PropertyRecord& property) {
  for (const auto& [reason, count] : property.skipped) {
    const SkipCause cause = property.cause_of(reason);
    if (cause != SkipCause::wrong_kind && cause != SkipCause::too_slow) return reason;
  }
  return "no case was large enough";
}

/// A line for each property of arrays past 2^32 elements: whether it judged a case, and if not, why.
std::string far_text(const GateRecord& record) {
  std::string text;
  for (const auto& property : record.properties) {
    if (!property.is_far) continue;
    const bool is_skipped = property.verdict == Verdict::skipped;
    text += fmt::format("    {}{} by {}{}\n", is_skipped ? "not reached: " : "", property.claim, property.property,
                        is_skipped ? ": " + reason_of(property) : "");
  }
  return text.empty() ? "    arrays past 2^32 elements: not reached\n" : text;
}

/// The sizes for which the kernel was too slow, each with the number of properties that skipped it.
std::string slow_text(const GateRecord& record) {
  std::map<std::string, std::int64_t> counts;
  for (const auto& property : record.properties)
    for (const auto& [reason, count] : property.skipped)
      if (property.cause_of(reason) == SkipCause::too_slow) counts[reason] += count;
  std::vector<std::string> items;
  for (const auto& [what, properties] : counts) items.push_back(fmt::format("{} ({} properties)", what, properties));
  return items.empty() ? "" : fmt::format("    not reached\n{}\n", wrapped(items, 98, "      "));
}

}  // namespace

std::string reach_text(const GateRecord& record) {
  std::map<std::string, ExtentReach> extents;
  for (const auto& property : record.properties)
    for (const auto& [name, reached] : property.reached) extents[name].take(property, reached);
  if (extents.empty()) return "";
  std::string text = "  largest size of each extent (noticed: its result, or its term of a sum, cannot be left out)\n";
  for (const auto& [name, extent] : extents) {
    text += fmt::format("    {}{}", name, extent.text(record.properties.size()));
    text += extent.best.size < extent.best.due ? fmt::format("; not reached: {}\n", extent.best.due) : "\n";
    text += extent.others();
  }
  text += together_text(record) + interval_text(record) + slow_text(record) + far_text(record);
  if (std::ranges::any_of(extents, [](const auto& extent) { return extent.second.misses(); }))
    text +=
        "    the other indices hide in bounds that are wider than they are: declare how the kernel computes,\n"
        "    its unit roundoff and the like (docs/plugins.md; formulas: docs/formula.md), or lift the filter\n";
  return text;
}

}  // namespace assay::validation
