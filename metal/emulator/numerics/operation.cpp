#include "metal/emulator/numerics/operation.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace assay::metal::emulator {

namespace {

struct Format {
  const char* name;
  int bits;
  std::uint64_t bytes;
  double min_normal;
};
constexpr std::array<Format, 4> formats = {
    {{"half", 11, 2, 0x1p-14}, {"bfloat", 8, 2, 0x1p-126}, {"float", 24, 4, 0x1p-126}, {"double", 53, 8, 0x1p-1022}}};

const Format& format_of(Precision precision) {
  return formats[static_cast<std::size_t>(precision)];
}

/// A function of x, y and z, of which it may use fewer.
struct Definition {
  const char* shown;  ///< x, y, z and the name of the precision are the arguments 0 to 3
  double (*value)(double x, double y, double z);
  double (*slope)(double x, double y, double z, double exact, int n);  ///< `exact`: the value
};
#define ASSAY_DEFINITION(shown, value, slope_x, slope_y, slope_z)                                                      \
  Definition {                                                                                                         \
    shown,                                                                                                             \
        []([[maybe_unused]] double x, [[maybe_unused]] double y, [[maybe_unused]] double z) { return double(value); }, \
        []([[maybe_unused]] double x, [[maybe_unused]] double y, [[maybe_unused]] double z,                            \
           [[maybe_unused]] double exact, int n) {                                                                     \
          return std::array{double(slope_x), double(slope_y), double(slope_z)}.at(static_cast<std::size_t>(n));        \
        }                                                                                                              \
  }
#define MSL_ROUNDED_1(name, in_float, value, ulps, kind, fast, slope, ...) \
  ASSAY_DEFINITION(#name "({0:.9g})", value, slope, 0, 0),
#define MSL_ROUNDED_2(name, in_float, value, ulps, fast, slope_x, slope_y, ...) \
  ASSAY_DEFINITION(#name "({0:.9g}, {1:.9g})", value, slope_x, slope_y, 0),

/// In the order of Operation.
constexpr std::array definitions_of_operations = {
    ASSAY_DEFINITION("{0:.9g} + {1:.9g}", x + y, 1, 1, 0),
    ASSAY_DEFINITION("{0:.9g} - {1:.9g}", x - y, 1, -1, 0),
    ASSAY_DEFINITION("{0:.9g} * {1:.9g}", (x * y), y, x, 0),
    ASSAY_DEFINITION("-({0:.9g})", -x, -1, 0, 0),
    ASSAY_DEFINITION("{3}({0:.9g})", x, 1, 0, 0),
    ASSAY_DEFINITION("fabs({0:.9g})", std::fabs(x), std::signbit(x) ? -1 : 1, 0, 0),
    ASSAY_DEFINITION("fma({0:.9g}, {1:.9g}, {2:.9g})", std::fma(x, y, z), y, x, 1),
    ASSAY_DEFINITION("ldexp({0:.9g}, {1:.9g})", std::ldexp(x, static_cast<int>(y)),
                     std::ldexp(1.0, static_cast<int>(y)), 0, 0),
    ASSAY_DEFINITION("expm1({0:.9g})", std::expm1(x), exact + 1, 0, 0),
    ASSAY_DEFINITION("log1p({0:.9g})", std::log1p(x), 1 / (1 + x), 0, 0),
    ASSAY_DEFINITION("{0:.9g}", x, 1, 0, 0),
    ASSAY_DEFINITION("the bits of {0:.9g}", x, 1, 0, 0),
    ASSAY_DEFINITION("the number {0:.9g} of bits", x, 1, 0, 0),
#include "metal/emulator/include/assay/functions.def"
};
#undef ASSAY_DEFINITION

const Definition& definition_of(Operation operation) {
  return definitions_of_operations.at(static_cast<std::size_t>(operation));
}

}  // namespace

const char* name_of(Precision precision) {
  return format_of(precision).name;
}
int bits_of(Precision precision) {
  return format_of(precision).bits;
}
std::uint64_t bytes_of(Precision precision) {
  return format_of(precision).bytes;
}
double min_normal(Precision precision) {
  return format_of(precision).min_normal;
}

double exactly(Operation operation, const Operands& operands) {
  const auto [x, y, z] = operands.of;
  return definition_of(operation).value(x, y, z);
}

double slope(Operation operation, const Operands& operands, double result, int n) {
  const auto [x, y, z] = operands.of;
  return definition_of(operation).slope(x, y, z, result, n);
}

std::string shown(std::uint32_t code, const Operands& operands) {
  const auto [x, y, z] = operands.of;
  const Operation operation = operation_of(code);
  if (operation == Operation::divide) return fmt::format("{:.9g} / {:.9g}", x, y);
  return fmt::format(fmt::runtime(definition_of(operation).shown), x, y, z, name_of(precision_of(code)));
}

}  // namespace assay::metal::emulator
