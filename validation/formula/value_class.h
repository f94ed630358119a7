// The classes of values that cases are drawn from, at which kernels break: magnitudes, ties, special numbers, and the
// fixed values of needle cases, of which each element decides a result.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reference/number/small_format.h"

namespace assay::validation::formula {

/// The distance of the elements of a needle case that are not 0, where few are not.
inline constexpr int needle_stride = 8;

struct Pattern;

struct ValueClass {
  enum class Kind : std::uint8_t {
    normal,
    offset,  ///< normal numbers beside 100, -1000 or 10,000
    wide,
    tiny,
    ties,
    signed_zeros,
    subnormal,
    largest,
    integers,  ///< from -8 to 8
    one_hot,
    sorted,
    scaled,      ///< times a power of two
    far_offset,  ///< beside a power of two of either sign
    opposed,     ///< every input at or beside one power of two, and one of them below 0
    midpoints,   ///< at and beside those of a small format
    late,        ///< -inf but for the last few of a row, where an input takes it
    equal,       ///< fixed: all elements, of needle cases
    indexed,     ///< fixed: each element unlike its neighbours
    signs,       ///< fixed: 1 and -1 in turn at each needle_stride-th element, else 0
    peaked,      ///< fixed: 16 there
    pattern,     ///< one that people's numbers have (patterns.h)
    given        ///< by the user
  };

  Kind kind = Kind::normal;
  std::optional<int> exponent = {};                ///< of scaled and far_offset, drawn if there is none; of opposed
  bool is_negative = false;                        ///< the far or opposed offset, where its exponent is given
  int residue = 0;                                 ///< of signs and peaked: which elements are not 0
  const reference::SmallFormat* format = nullptr;  ///< of midpoints
  const Pattern* pattern = nullptr;                ///< of pattern

  bool is_sparse() const { return kind == Kind::signs || kind == Kind::peaked; }
  /// Nothing is drawn for the elements.
  bool is_fixed() const { return kind == Kind::equal || kind == Kind::indexed || is_sparse(); }
  /// No input is drawn from another class.
  bool is_of_all() const { return is_fixed() || pattern || kind == Kind::integers || kind == Kind::opposed; }
  /// One input has it alone: products of two may leave the range, in one order of factors or in the other.
  bool is_magnitude() const { return kind == Kind::scaled || kind == Kind::far_offset; }
  /// Whether the element of a sparse class is not 0.
  bool has(std::int64_t i) const { return i % needle_stride == residue; }
};

/// "signed zeros", "far offset -2^30", "peaked 7", "descending rows".
std::string to_string(const ValueClass& values);

/// The classes of generated cases, in turn.
const std::vector<ValueClass>& value_classes();

}  // namespace assay::validation::formula
