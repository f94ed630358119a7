// Two arrays that should hold the same numbers, element by element.
//
// NaN equals NaN, whatever its bits. A NaN and a number, or an infinity and anything else, are infinitely far apart.
// The distance of two numbers is the number of steps from one to the next number of their type (units in the last
// place) between them, where -0 and +0 are neighbours: the distance is 0 if and only if the bits are the same.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "validation/shader/array.h"

namespace assay::validation {

inline constexpr std::uint64_t infinite_ulps = ~std::uint64_t{0};

struct ElementDifference {
  std::uint64_t index = 0;  ///< in C order
  std::uint64_t ulps = 0;   ///< infinite_ulps: no number of steps
  std::string left, right;  ///< decimal; floating-point numbers hexadecimal too
};

struct ArrayComparison {
  std::string array;                                       ///< "out (float32 [2, 4])"
  std::uint64_t elements = 0, different = 0, outside = 0;  ///< outside: different by more than `allowed`
  std::uint64_t both_nan = 0;
  std::uint64_t allowed = 0;                      ///< in ULP
  std::optional<ElementDifference> first, worst;  ///< of the elements that differ
  std::vector<std::int64_t> shape;

  bool passed() const { return outside == 0; }
};

/// Throws std::invalid_argument if type or shape differ.
ArrayComparison compare_arrays(const std::string& name, const ShaderArray& left, const ShaderArray& right,
                               std::uint64_t allowed_ulps);

/// The comparison as lines that begin with the array's name; `left` and `right` name the origins of the two arrays.
std::string to_string(const ArrayComparison& comparison, const std::string& left, const std::string& right);

}  // namespace assay::validation
