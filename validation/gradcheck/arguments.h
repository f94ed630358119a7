// What every check of a function asks of its arguments.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace assay::validation {

/// Throws std::invalid_argument unless x is finite and not empty, the gradient has its size, and the shape, where there
/// is one, its number of elements.
void require_matching(std::span<const double> x, std::span<const double> gradient,
                      const std::vector<std::int64_t>& shape);

}  // namespace assay::validation
