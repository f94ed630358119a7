// A gradient that is a result of an operation, as the table of the operation's fields states it.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "validation/core/fields.h"
#include "validation/gradcheck/judge.h"

namespace assay::validation {

/// The result `name` of a case without values: its axes, their sizes and its type. `nouns`: what each axis counts.
template <HasFields Case>
JudgedGradient result_gradient(const Case& c, std::string_view name, std::vector<std::string> nouns) {
  JudgedGradient gradient;
  gradient.name = name;
  gradient.nouns = std::move(nouns);
  gradient.dtype = c.dtype;
  const auto statement = statement_of(c);
  for_each_row(Case::Fields::results(), [&](const auto& row) {
    if (name != row.name) return;
    gradient.extents = dimensions<typename Case::Fields>(row.shape.of(statement), statement);
    for (const std::string_view size : names_in(row.shape.of(statement))) {
      gradient.axes.emplace_back(1, row.indices[gradient.sizes.size()]);
      gradient.sizes.emplace_back(size);
    }
  });
  return gradient;
}

}  // namespace assay::validation
