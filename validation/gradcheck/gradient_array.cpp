#include "validation/gradcheck/gradient_array.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

namespace assay::validation {

std::size_t GradientArray::stride(std::size_t axis) const {
  std::size_t stride = 1;
  for (std::size_t a = axis + 1; a < extents.size(); ++a) stride *= static_cast<std::size_t>(extents[a]);
  return stride;
}

std::int64_t GradientArray::index(std::size_t i, std::size_t axis) const {
  return static_cast<std::int64_t>(i / stride(axis)) % extents[axis];
}

std::string GradientArray::place(std::size_t i) const {
  if (axes.size() == 1) return fmt::format("{}[{}]", name, i);
  std::vector<std::string> indices;
  for (std::size_t axis = 0; axis < axes.size(); ++axis)
    indices.push_back(fmt::format("{}={}", axes[axis], index(i, axis)));
  return fmt::format("{}[{}]", name, fmt::join(indices, ", "));
}

bool GradientArray::tells(std::size_t i) const {
  return std::abs(expected[i]) > 4 * bound[i] && std::isfinite(expected[i]);
}

bool GradientArray::is_lost(std::size_t i) const {
  return std::isfinite(expected[i]) && !std::isfinite(got[i]);
}

bool is_near(double got, double expected, double bound) {
  if (!std::isfinite(expected)) return std::isnan(expected) ? std::isnan(got) : got == expected;
  return std::abs(got - expected) <= bound + 0x1p-50 * std::abs(expected);
}

GradientArray gradient_array(const std::vector<std::int64_t>& shape, std::size_t n) {
  GradientArray gradient;
  gradient.name = "gradient";
  gradient.extents = shape.empty() ? std::vector{static_cast<std::int64_t>(n)} : shape;
  for (std::size_t axis = 0; axis < gradient.extents.size(); ++axis) {
    gradient.axes.push_back(axis < 4 ? std::string(1, "ijkl"[axis]) : fmt::format("i{}", axis));
    gradient.nouns.push_back(gradient.extents.size() == 1 ? "element" : fmt::format("index {}", gradient.axes[axis]));
    gradient.sizes.push_back(std::to_string(gradient.extents[axis]));
  }
  return gradient;
}

}  // namespace assay::validation
