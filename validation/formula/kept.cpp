#include "validation/formula/kept.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "validation/core/infinity.h"

namespace assay::validation::formula {
namespace {

constexpr int tf32_bits = 11;

/// The roundoff of tf32 is that of bits that are left out, twice that of rounding.
NumberFormat format_of(Kept type) {
  if (type != Kept::tf32) return validation::format_of(static_cast<Dtype>(type));
  NumberFormat format = validation::format_of(Dtype::float32);
  format.roundoff = 0x1p-10;
  format.smallest = std::ldexp(format.smallest_normal, 1 - tf32_bits);
  return format;
}

double rounded_to_tf32(double value) {
  if (!std::isfinite(value) || value == 0) return value;
  const int last = std::max(std::ilogb(value), std::ilogb(format_of(Kept::tf32).smallest_normal)) + 1 - tf32_bits;
  return std::ldexp(std::nearbyint(std::ldexp(value, -last)), last);
}

}  // namespace

const std::vector<std::string>& kept_names() {
  static const std::vector<std::string> names = {"float32", "float16", "bfloat16", "tf32"};
  return names;
}

Kept kept_called(const std::string& name) {
  const auto found = std::ranges::find(kept_names(), name);
  if (found == kept_names().end())
    throw std::invalid_argument(fmt::format("type '{}': expected one of {}", name, fmt::join(kept_names(), ", ")));
  return static_cast<Kept>(found - kept_names().begin());
}

double kept(Kept type, double value) {
  return type == Kept::tf32 ? rounded_to_tf32(value) : rounded_to<double>(static_cast<Dtype>(type), value);
}

double kept_error(Kept type, double value, double error, bool flushes_subnormals) {
  if (!std::isfinite(value)) return 0;
  const NumberFormat format = format_of(type);
  const double size = std::abs(value) + error;
  if (size > format.largest) return infinity;
  const bool is_flushed = flushes_subnormals && value != 0 && std::abs(value) < format.smallest_normal;
  const bool is_number = !is_flushed && kept(type, value) == value;
  if (is_number && error == 0) return 0;
  const double rounding = format.roundoff * size + (flushes_subnormals ? format.smallest_normal : format.smallest);
  // A number of the type is no nearer to another number than to what is rounded.
  return is_number && type != Kept::tf32 && !flushes_subnormals ? std::min(error, rounding) : rounding;
}

}  // namespace assay::validation::formula
