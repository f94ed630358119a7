#include "validation/gradcheck/arguments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <stdexcept>

namespace assay::validation {

void require_matching(std::span<const double> x, std::span<const double> gradient,
                      const std::vector<std::int64_t>& shape) {
  if (x.empty()) throw std::invalid_argument("x: expected at least one element");
  if (gradient.size() != x.size())
    throw std::invalid_argument(
        fmt::format("gradient: {} elements: expected those of x, {}", gradient.size(), x.size()));
  for (std::size_t i = 0; i < x.size(); ++i)
    if (!std::isfinite(x[i])) throw std::invalid_argument(fmt::format("x[{}] = {}: expected a finite number", i, x[i]));
  std::int64_t elements = 1;
  for (const std::int64_t extent : shape) elements *= extent;
  if (!shape.empty() && elements != static_cast<std::int64_t>(x.size()))
    throw std::invalid_argument(
        fmt::format("shape = [{}]: expected {} elements, as x has", fmt::join(shape, ", "), x.size()));
}

}  // namespace assay::validation
