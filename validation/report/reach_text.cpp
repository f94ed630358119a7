#include "validation/report/reach_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

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
  int properties = 0;  ///< that judged a case of the best size

  void take(const PropertyRecord& property, const Reached& reached) {
    if (reached.size > best.size) {
      elements = terms = {};
      properties = 0;
    }
    if (reached.size > 0 && reached.size >= best.size) {
      ++properties;
      elements.take(reached.noticed, property.property);
      terms.take(reached.terms, property.property);
    }
    best.merge(reached);
  }

  bool misses() const { return elements.misses(best.size) || terms.misses(best.size); }
  std::string noticed() const { return elements.text("indices noticed", best.size) + terms.text("terms", best.size); }
};

}  // namespace

std::string reach_text(const GateRecord& record) {
  std::map<std::string, ExtentReach> extents;
  for (const auto& property : record.properties)
    for (const auto& [name, reached] : property.reached) extents[name].take(property, reached);
  if (extents.empty()) return "";
  std::string text = "  largest size of each extent (noticed: its result, or its term of a sum, cannot be left out)\n";
  for (const auto& [name, extent] : extents) {
    text += fmt::format("    {} {} by {} of {} properties{}", name, extent.best.size, extent.properties,
                        record.properties.size(), extent.noticed());
    text += extent.best.size < extent.best.due ? fmt::format("; not reached: {}\n", extent.best.due) : "\n";
  }
  if (std::ranges::any_of(extents, [](const auto& extent) { return extent.second.misses(); }))
    text +=
        "    the other indices hide in bounds that are wider than they are: declare how the kernel computes\n"
        "    (docs/plugins.md: unit_roundoff, arithmetic, longest_chain, random_rounding), or lift the filter\n";
  return text;
}

}  // namespace assay::validation
