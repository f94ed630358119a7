// The operations of floating-point numbers that --numerics follows, and what they are in exact arithmetic.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace assay::metal::emulator {

/// The numbers are part of instrumented shaders. The functions of Metal's standard library that round come last.
enum class Operation : std::uint32_t {
  add,
  subtract,
  multiply,
  negate,
  convert,
  absolute,
  fused,
  scale,
  expm1,
  log1p,
  constant,   ///< a literal that may stand for another number
  to_bits,    ///< a value whose bits are looked at
  from_bits,  ///< a value that was made of bits
#define MSL_ROUNDED_1(name, ...) name,
#define MSL_ROUNDED_2(name, ...) name,
#include "metal/emulator/include/assay/functions.def"
};

/// Types of floating-point numbers. `wide` is a double inside of the emulator's own functions.
enum class Precision : std::uint32_t { half, bfloat, single, wide };

/// The code that an instrumented shader passes: an operation whose result has this precision.
constexpr std::uint32_t code_of(Operation operation, Precision precision) {
  return static_cast<std::uint32_t>(operation) << 2 | static_cast<std::uint32_t>(precision);
}
/// In the code of what a function is stated to compute of the first operand; the second is what it has computed. With
/// `constant`: 0.
inline constexpr std::uint32_t stated_flag = std::uint32_t{1} << 31;

constexpr Operation operation_of(std::uint32_t code) {
  return static_cast<Operation>((code & ~stated_flag) >> 2);
}
constexpr Precision precision_of(std::uint32_t code) {
  return static_cast<Precision>(code & 3);
}

/// "half", "bfloat", "float", "double".
const char* name_of(Precision precision);
/// Bits of the significand: 11, 8, 24, 53.
int bits_of(Precision precision);
/// Half the distance from 1 to the next number.
constexpr double unit_roundoff(Precision precision) {
  return std::array{0x1p-11, 0x1p-8, 0x1p-24, 0x1p-53}[static_cast<std::size_t>(precision)];
}
/// Bytes of a number: 2, 2, 4, 8.
std::uint64_t bytes_of(Precision precision);
/// The least positive number that is not subnormal.
double min_normal(Precision precision);

struct Operands {
  std::array<double, 3> of{};

  bool operator==(const Operands&) const = default;
};

/// In double precision, as good as exact for operands of float.
double exactly(Operation operation, const Operands& operands);

/// The same, inlined for the most frequent operations.
inline double exactly_inline(Operation operation, const Operands& operands) {
  const auto [x, y, z] = operands.of;
  if (operation == Operation::add) return x + y;
  if (operation == Operation::subtract) return x - y;
  if (operation == Operation::multiply) return x * y;
  return exactly(operation, operands);
}

/// d result / d operand `n`, at the operands, where `result` is exactly() of them.
double slope(Operation operation, const Operands& operands, double result, int n);

inline double slope_inline(Operation operation, const Operands& operands, double result, int n) {
  if (operation == Operation::add) return 1;
  if (operation == Operation::multiply) return operands.of[n == 0 ? 1 : 0];
  return slope(operation, operands, result, n);
}

/// Whether the operation is the second of (x + 1.5 2^23) - 1.5 2^23, which rounds a float to a whole number as rint
/// does.
inline bool rounds_to_whole_number(std::uint32_t code, const Operands& operands, const std::uint32_t* entries) {
  constexpr double rounder = 0x1.8p23f;
  return code == code_of(Operation::subtract, Precision::single) && entries[1] == 0 && operands.of[1] == rounder;
}

/// "1.5 - 1.25", "exp(89)", "bfloat(1e39)".
std::string shown(std::uint32_t code, const Operands& operands);

}  // namespace assay::metal::emulator
