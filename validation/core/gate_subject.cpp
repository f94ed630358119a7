#include "validation/core/gate_subject.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ranges>
#include <stdexcept>

#include "validation/core/explanation.h"
#include "validation/core/kernel_unavailable.h"

namespace assay::validation {

std::size_t GateSubject::index_of(const std::string& property) const {
  const auto& all = properties();
  const auto found = std::ranges::find(all, property, &PropertyInfo::name);
  if (found == all.end())
    throw std::invalid_argument(fmt::format("property={}: expected one of {}", property,
                                            fmt::join(all | std::views::transform(&PropertyInfo::name), ", ")));
  return static_cast<std::size_t>(found - all.begin());
}

Why GateSubject::why_of(std::size_t property, const AnyCase& c) const {
  Explanation explanation;
  const auto other = fresh();
  if (!other) return {};
  try {
    other->judge(property, c);
  } catch (const KernelUnavailable&) {
    return {};
  }
  return explanation.why();
}

}  // namespace assay::validation
