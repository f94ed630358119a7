// The types that arrays of a problem are stored in.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <string>
#include <vector>

#include "metal/cpu/half.h"

namespace assay::validation {

enum class Dtype { float32, float16, bfloat16, float64 };

/// The names of the types in NumPy and PyTorch, in the order of Dtype.
inline const std::vector<std::string>& dtype_names() {
  static const std::vector<std::string> names = {"float32", "float16", "bfloat16", "float64"};
  return names;
}

inline const std::string& name_of(Dtype dtype) {
  return dtype_names()[static_cast<std::size_t>(dtype)];
}

/// `value` rounded to the type. Real must hold every number of the type.
template <std::floating_point Real = float>
Real rounded_to(Dtype dtype, double value) {
  switch (dtype) {
    case Dtype::float16:
      return Real{float{metal::Half(value)}};
    case Dtype::bfloat16:
      return Real{float{metal::BFloat16(value)}};
    case Dtype::float64:
      return static_cast<Real>(value);
    default:
      return Real{static_cast<float>(value)};
  }
}

/// The first element that the type cannot hold exactly; the type can hold NaN.
template <class Element>
auto not_of(Dtype dtype, const std::vector<Element>& values) {
  if (sizeof(Element) == 4 && dtype == Dtype::float32) return values.end();
  return std::ranges::find_if(values, [dtype](Element value) {
    return !std::isnan(value) && rounded_to<Element>(dtype, static_cast<double>(value)) != value;
  });
}

/// A binary floating-point format.
struct NumberFormat {
  double roundoff;         ///< half the distance between 1 and the next number
  double smallest;         ///< positive number
  double smallest_normal;  ///< positive number with all of its digits
  double largest;          ///< finite number
};

/// Below it are the numbers that become 0 in a kernel that flushes subnormal ones: those of float32 and bfloat16. GPUs
/// keep float16's.
inline constexpr double smallest_unflushed = 0x1p-126;

inline bool is_flushed(double x) {
  return x != 0 && std::abs(x) < smallest_unflushed;
}

inline NumberFormat format_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::float16:
      return {0x1p-11, 0x1p-24, 0x1p-14, 65504};
    case Dtype::bfloat16:
      return {0x1p-8, 0x1p-133, 0x1p-126, 0x1.fep127};
    case Dtype::float64:
      return {0x1p-53, 0x1p-1074, 0x1p-1022, 0x1.fffffffffffffp1023};
    default:
      return {0x1p-24, 0x1p-149, 0x1p-126, 0x1.fffffep127};
  }
}

}  // namespace assay::validation
