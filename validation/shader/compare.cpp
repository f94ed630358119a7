#include "validation/shader/compare.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>

#include "metal/cpu/half.h"
#include "validation/core/number.h"

namespace assay::validation {

namespace {

/// The bits of a scalar type: for floating point, the bits of infinity, and a mask of all bits but the sign.
struct Format {
  std::size_t bytes = 4;
  bool is_floating = false, is_signed = false;
  std::uint64_t infinity = 0, magnitude = 0;
};

Format format_of(const std::string& scalar) {
  if (scalar == "float") return {4, true, true, 0x7F800000U, 0x7FFFFFFFU};
  if (scalar == "half") return {2, true, true, metal::Half::infinity_bits, 0x7FFFU};
  if (scalar == "bfloat") return {2, true, true, metal::BFloat16::infinity_bits, 0x7FFFU};
  return {scalar_size(scalar), false, numpy_name(scalar).starts_with("int")};
}

std::uint64_t load(const std::byte* from, std::size_t bytes) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, from, bytes);
  return bits;
}

bool is_nan(const Format& format, std::uint64_t bits) {
  return format.is_floating && (bits & format.magnitude) > format.infinity;
}

/// A number for each bit pattern, in the order of the values: the distance is the difference of two such numbers.
std::int64_t ordered(const Format& format, std::uint64_t bits) {
  if (format.is_floating) {
    const auto magnitude = static_cast<std::int64_t>(bits & format.magnitude);
    return (bits & ~format.magnitude) != 0 ? -1 - magnitude : magnitude;
  }
  const auto unused = static_cast<int>(64 - 8 * format.bytes);
  return static_cast<std::int64_t>(bits << unused) >> unused;
}

std::uint64_t distance(const Format& format, std::uint64_t a, std::uint64_t b) {
  if (a == b || (is_nan(format, a) && is_nan(format, b))) return 0;
  const auto is_special = [&](std::uint64_t bits) {
    return format.is_floating && (bits & format.magnitude) >= format.infinity;
  };
  if (is_special(a) || is_special(b)) return infinite_ulps;
  if (!format.is_signed) return std::max(a, b) - std::min(a, b);
  const std::int64_t x = ordered(format, a), y = ordered(format, b);
  return static_cast<std::uint64_t>(std::max(x, y)) - static_cast<std::uint64_t>(std::min(x, y));
}

std::string shown(const std::string& scalar, const Format& format, std::uint64_t bits) {
  const auto half = static_cast<std::uint16_t>(bits);
  if (scalar == "float") return show(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  if (scalar == "half") return show(float{metal::Half::from_bits(half)});
  if (scalar == "bfloat") return show(float{metal::BFloat16::from_bits(half)});
  return format.is_signed ? std::to_string(ordered(format, bits)) : std::to_string(bits);
}

std::string place(std::uint64_t index, const std::vector<std::int64_t>& shape) {
  std::vector<std::uint64_t> indices(shape.size());
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    indices[axis] = index % static_cast<std::uint64_t>(shape[axis]);
    index /= static_cast<std::uint64_t>(shape[axis]);
  }
  return fmt::format("[{}]", fmt::join(indices, ", "));
}

std::string in_ulps(std::uint64_t ulps) {
  return ulps == infinite_ulps ? "no number of ULP" : fmt::format("{} ULP", ulps);
}

}  // namespace

ArrayComparison compare_arrays(const std::string& name, const ShaderArray& left, const ShaderArray& right,
                               std::uint64_t allowed_ulps) {
  if (left.scalar != right.scalar || left.shape != right.shape)
    throw std::invalid_argument(fmt::format("{} is {}: expected {}", name, right.summary(), left.summary()));
  const Format format = format_of(left.scalar);
  ArrayComparison result;
  result.array = fmt::format("{} ({})", name, left.summary());
  result.elements = left.length() / format.bytes;
  result.allowed = allowed_ulps;
  result.shape = left.shape;
  for (std::uint64_t n = 0; n < result.elements; ++n) {
    const std::uint64_t a = load(left.bytes->data() + n * format.bytes, format.bytes),
                        b = load(right.bytes->data() + n * format.bytes, format.bytes);
    if (is_nan(format, a) && is_nan(format, b)) ++result.both_nan;
    const std::uint64_t ulps = distance(format, a, b);
    if (ulps == 0) continue;
    ++result.different;
    if (ulps == infinite_ulps || ulps > allowed_ulps) ++result.outside;
    if (result.worst && ulps <= result.worst->ulps) continue;
    result.worst = {n, ulps, shown(left.scalar, format, a), shown(left.scalar, format, b)};
    if (!result.first) result.first = result.worst;
  }
  return result;
}

std::string to_string(const ArrayComparison& comparison, const std::string& left, const std::string& right) {
  std::string text = comparison.array + ": ";
  if (comparison.different == 0)
    text += fmt::format("all of {} elements are equal", comparison.elements);
  else
    text += fmt::format("{} of {} elements differ, {} by more than {} ULP", comparison.different, comparison.elements,
                        comparison.outside, comparison.allowed);
  if (comparison.both_nan > 0) text += fmt::format("; {} are NaN in both", comparison.both_nan);
  const auto add = [&](const char* which, const ElementDifference& one) {
    text += fmt::format("\n  {} at {}: {} apart\n    {}  {}\n    {}  {}", which, place(one.index, comparison.shape),
                        in_ulps(one.ulps), one.left, left, one.right, right);
  };
  if (comparison.first) add("first", *comparison.first);
  if (comparison.worst && comparison.worst->index != comparison.first->index) add("worst", *comparison.worst);
  return text + "\n";
}

}  // namespace assay::validation
