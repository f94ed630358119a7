#include "validation/cli/reach_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace assay::validation {
namespace {

/// The reach of all properties along one extent.
struct ExtentReach {
  Reached best;
  std::string noticed_by;
  int properties = 0;  ///< that judged a case of the best size

  void take(const PropertyRecord& property, const Reached& reached) {
    const bool is_larger = reached.size > best.size;
    if (is_larger || (reached.size == best.size && reached.noticed > best.noticed)) noticed_by = property.property;
    if (is_larger) properties = 0;
    if (reached.size > 0 && reached.size >= best.size) ++properties;
    best.merge(reached);
  }

  bool misses() const { return best.noticed > 0 && best.noticed < best.size; }

  std::string noticed() const {
    if (best.noticed == 0) return "";
    const std::string count = best.noticed == best.size ? "all" : fmt::format("{}", best.noticed);
    return fmt::format(", {} indices noticed by {}", count, noticed_by);
  }
};

}  // namespace

std::string reach_text(const GateRecord& record) {
  std::map<std::string, ExtentReach> extents;
  for (const auto& property : record.properties)
    for (const auto& [name, reached] : property.reached) extents[name].take(property, reached);
  if (extents.empty()) return "";
  std::string text = "  largest size of each extent (an index is noticed if leaving it out would fail)\n";
  for (const auto& [name, extent] : extents) {
    text += fmt::format("    {} {} by {} of {} properties{}", name, extent.best.size, extent.properties,
                        record.properties.size(), extent.noticed());
    text += extent.best.size < extent.best.due ? fmt::format("; not reached: {}\n", extent.best.due) : "\n";
  }
  if (std::ranges::any_of(extents, [](const auto& extent) { return extent.second.misses(); }))
    text +=
        "    the other indices are not noticed: bounds that declarations would narrow (docs/plugins.md), or a filter\n";
  return text;
}

}  // namespace assay::validation
