// The checks of arguments that all gradient checks of functions share.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace assay::validation {

/// Throws std::invalid_argument unless x is finite and not empty, the gradient has as many elements as x, and so has
/// the shape if one is given.
void require_matching(std::span<const double> x, std::span<const double> gradient,
                      const std::vector<std::int64_t>& shape);

}  // namespace assay::validation
