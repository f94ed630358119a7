#include "validation/core/gate_subject.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ranges>
#include <stdexcept>

namespace assay::validation {

std::size_t GateSubject::index_of(const std::string& property) const {
  const auto& all = properties();
  const auto found = std::ranges::find(all, property, &PropertyInfo::name);
  if (found == all.end())
    throw std::invalid_argument(fmt::format("property={}: expected one of {}", property,
                                            fmt::join(all | std::views::transform(&PropertyInfo::name), ", ")));
  return static_cast<std::size_t>(found - all.begin());
}

}  // namespace assay::validation
