#include "validation/report/condition_text.h"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "validation/core/report.h"

namespace assay::validation {
namespace {

constexpr std::int64_t smallest = 8;  ///< below, a rounding more or less decides

/// The slope of a line through the logarithms, by least squares.
double slope_of(const std::map<std::int64_t, double>& errors) {
  double n = 0, x_sum = 0, y_sum = 0, xx = 0, xy = 0;
  for (const auto& [size, error] : errors) {
    if (size < smallest || !(error > 0)) continue;
    const double x = std::log2(static_cast<double>(size)), y = std::log2(error);
    n += 1, x_sum += x, y_sum += y, xx += x * x, xy += x * y;
  }
  return (n * xy - x_sum * y_sum) / (n * xx - x_sum * x_sum);
}

std::string growth_text(const PropertyRecord& property) {
  std::string text;
  for (const auto& [extent, errors] : property.errors) {
    const std::string_view growth = growth_of(errors);
    if (growth != "sqrt" && growth != "linear") continue;
    text += fmt::format("  the error of {} grows like {}: {:.2g} of the result at {} = {}\n", property.property,
                        growth == "sqrt" ? "sqrt(" + extent + ")" : extent, errors.rbegin()->second, extent,
                        errors.rbegin()->first);
  }
  return text;
}

}  // namespace

std::string_view growth_of(const std::map<std::int64_t, double>& errors) {
  std::int64_t count = 0, first = 0, last = 0;
  for (const auto& [size, error] : errors) {
    if (size < smallest || !(error > 0)) continue;
    first = count++ == 0 ? size : first;
    last = size;
  }
  if (count < 3 || last < 16 * first) return "";
  const double slope = slope_of(errors);
  return slope < 0.25 ? "none" : slope < 0.75 ? "sqrt" : "linear";
}

std::string condition_text(const GateRecord& record) {
  std::vector<std::string> items;
  std::string growth;
  for (const auto& property : record.properties) {
    const Evidence& one = property.evidence;
    if (one.ill_conditioned > 0)
      items.push_back(fmt::format("{} {:.3g} % of {}{}", property.property,
                                  100.0 * static_cast<double>(one.ill_conditioned) / static_cast<double>(one.weighed),
                                  one.weighed, one.condition > 0 ? fmt::format(" (up to {:.1g})", one.condition) : ""));
    growth += growth_text(property);
  }
  if (items.empty()) return growth;
  return "  ill-conditioned results, of which fewer than three digits mean something\n" + wrapped(items, 98, "    ") +
         "\n" + growth;
}

}  // namespace assay::validation
