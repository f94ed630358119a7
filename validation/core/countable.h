// Extents of cases whose arrays have no elements: nothing else would bound the work of a loop over them.
#pragma once

#include <algorithm>
#include <cstdint>

#include "validation/core/fields.h"
#include "validation/core/refuse.h"

namespace assay::validation {

/// Throws std::invalid_argument, naming the extent, unless some array has so many elements, or it is at most 2^20.
template <HasFields Case>
void require_countable(const Case& c) {
  constexpr std::int64_t most = std::int64_t{1} << 20;
  std::int64_t elements = most;
  for_each_row(Case::Fields::problem(), [&]<class Row>(const Row& row) {
    if constexpr (IsArray<Row>) elements = std::max(elements, static_cast<std::int64_t>((c.*row.in_case).size()));
  });
  for_each_row(Case::Fields::problem(), [&]<class Row>(const Row& row) {
    if constexpr (IsExtent<Row>)
      if (c.*row.in_case > elements)
        refuse("{} = {}: expected at most {} where no array has so many elements", row.name, c.*row.in_case, most);
  });
}

}  // namespace assay::validation
