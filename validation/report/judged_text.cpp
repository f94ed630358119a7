#include "validation/report/judged_text.h"

#include <fmt/format.h>

#include <vector>

#include "validation/core/report.h"

namespace assay::validation {
namespace {

/// "loss all 4120 (3.1e-05)", "gradient 900 of 1000 (0.97; too few in 12 of 105 cases, and wherever D > 128)"
std::string item_of(const PropertySummary& property) {
  const Judged& all = property.judged;
  const std::string count = all.judged == all.elements ? "all" : fmt::format("{} of", all.judged);
  std::string few =
      property.thin > 0 ? fmt::format("; too few in {} of {} cases", property.thin, property.measured) : "";
  for (const auto& [extent, sizes] : property.judged_sizes)
    if (sizes.beyond() > 0) few += fmt::format(", and wherever {} > {}", extent, sizes.largest());
  return fmt::format("{} {} {} ({:.2g}{})", property.property, count, all.elements, all.bound, few);
}

}  // namespace

std::string judged_text(const GateRecord& record) {
  std::vector<std::string> items;
  for (const PropertyRecord& property : record.properties)
    if (property.measured > 0) items.push_back(item_of(property));
  if (items.empty()) return "";
  return "  elements judged, whose bounds lie below what the values can be, and the largest bound\n" +
         wrapped(items, 98, "    ") + "\n";
}

}  // namespace assay::validation
