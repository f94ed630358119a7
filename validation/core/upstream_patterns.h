// Upstream gradients that people have: a loss scale, a mean that the caller takes, a loss that is subtracted.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>

#include "reference/reduction.h"
#include "validation/core/index.h"
#include "validation/core/words.h"

namespace assay::validation {

/// Gives each loss the same upstream gradient. `losses` is the extent of the losses that are not reduced.
template <class Case>
void set_upstream(Case& c, std::int64_t Case::* losses, float value) {
  c.upstream.assign(c.reduction == reference::Reduction::none ? index(c.*losses) : 1, value);
}

/// Calls patterns.add(name, set) for each, where set(c, ...) makes a case one of the pattern.
template <class Patterns, class Case>
void add_upstream_patterns(Patterns& patterns, std::int64_t Case::* losses) {
  for (const float scale : {1024.0F, 65'536.0F, 2.5F, -1.0F, 1e-7F})
    for (const reference::Reduction reduction : {reference::Reduction::none, reference::Reduction::mean})
      patterns.add(fmt::format("an upstream of {} for the reduction {}", scale,
                               reduction_names()[static_cast<std::size_t>(reduction)]),
                   [&](Case& c, auto&&...) {
                     c.reduction = reduction;
                     set_upstream(c, losses, scale);
                   });
}

}  // namespace assay::validation
