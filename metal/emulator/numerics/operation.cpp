#include "metal/emulator/numerics/operation.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <numbers>

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

constexpr double log_of_2 = std::numbers::ln2, log_of_10 = std::numbers::ln10;

struct Function {
  const char* name;
  double (*value)(double x);
  double (*slope)(double x, double y);  ///< y: the value
};
#define ASSAY_FUNCTION(name, value, slope)                                                                           \
  Function {                                                                                                         \
    name, [](double x) { return double(value); }, [](double x, double y) { return (void)x, (void)y, double(slope); } \
  }

/// In the order of Operation, from `absolute` to `atanh`.
constexpr std::array functions = {
    ASSAY_FUNCTION("fabs", std::fabs(x), std::signbit(x) ? -1 : 1),
    ASSAY_FUNCTION("sqrt", std::sqrt(x), 0.5 / y),
    ASSAY_FUNCTION("rsqrt", 1 / std::sqrt(x), -0.5 * y / x),
    ASSAY_FUNCTION("exp", std::exp(x), y),
    ASSAY_FUNCTION("exp2", std::exp2(x), y* log_of_2),
    ASSAY_FUNCTION("exp10", std::pow(10.0, x), y* log_of_10),
    ASSAY_FUNCTION("expm1", std::expm1(x), y + 1),
    ASSAY_FUNCTION("log", std::log(x), 1 / x),
    ASSAY_FUNCTION("log2", std::log2(x), 1 / (x * log_of_2)),
    ASSAY_FUNCTION("log10", std::log10(x), 1 / (x * log_of_10)),
    ASSAY_FUNCTION("log1p", std::log1p(x), 1 / (1 + x)),
    ASSAY_FUNCTION("sin", std::sin(x), std::cos(x)),
    ASSAY_FUNCTION("cos", std::cos(x), -std::sin(x)),
    ASSAY_FUNCTION("tan", std::tan(x), 1 + y * y),
    ASSAY_FUNCTION("asin", std::asin(x), 1 / std::sqrt(1 - x * x)),
    ASSAY_FUNCTION("acos", std::acos(x), -1 / std::sqrt(1 - x * x)),
    ASSAY_FUNCTION("atan", std::atan(x), 1 / (1 + x * x)),
    ASSAY_FUNCTION("sinh", std::sinh(x), std::cosh(x)),
    ASSAY_FUNCTION("cosh", std::cosh(x), std::sinh(x)),
    ASSAY_FUNCTION("tanh", std::tanh(x), 1 - y * y),
    ASSAY_FUNCTION("asinh", std::asinh(x), 1 / std::sqrt(x * x + 1)),
    ASSAY_FUNCTION("acosh", std::acosh(x), 1 / std::sqrt(x * x - 1)),
    ASSAY_FUNCTION("atanh", std::atanh(x), 1 / (1 - x * x)),
};
#undef ASSAY_FUNCTION

/// Null for the operations of several operands, and those that are not functions.
const Function* function_of(Operation operation) {
  const auto n = static_cast<std::size_t>(operation) - static_cast<std::size_t>(Operation::absolute);
  return operation < Operation::absolute || n >= functions.size() ? nullptr : &functions[n];
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
  if (const Function* const function = function_of(operation)) return function->value(x);
  switch (operation) {
    case Operation::add:
      return x + y;
    case Operation::subtract:
      return x - y;
    case Operation::multiply:
      return x * y;
    case Operation::divide:
      return x / y;
    case Operation::remainder:
      return std::fmod(x, y);
    case Operation::negate:
      return -x;
    case Operation::fused:
      return std::fma(x, y, z);
    case Operation::power:
      return std::pow(x, y);
    case Operation::atan2:
      return std::atan2(x, y);
    case Operation::scale:
      return std::ldexp(x, static_cast<int>(y));
    default:
      return x;
  }
}

double slope(Operation operation, const Operands& operands, double result, int n) {
  const auto [x, y, z] = operands.of;
  if (const Function* const function = function_of(operation)) return function->slope(x, result);
  switch (operation) {
    case Operation::subtract:
      return n == 0 ? 1 : -1;
    case Operation::negate:
      return -1;
    case Operation::multiply:
      return n == 0 ? y : x;
    case Operation::divide:
      return n == 0 ? 1 / y : -result / y;
    case Operation::remainder:
      return n == 0 ? 1 : -std::trunc(x / y);
    case Operation::fused:
      return n == 0 ? y : n == 1 ? x : 1;
    case Operation::power:
      return n == 0 ? y * std::pow(x, y - 1) : result * std::log(x);
    case Operation::atan2:
      return (n == 0 ? y : -x) / (x * x + y * y);
    case Operation::scale:
      return n == 0 ? std::ldexp(1.0, static_cast<int>(y)) : 0;
    default:
      return 1;
  }
}

std::string shown(std::uint32_t code, const Operands& operands) {
  const auto [x, y, z] = operands.of;
  const Operation operation = operation_of(code);
  if (const Function* const function = function_of(operation)) return fmt::format("{}({:.9g})", function->name, x);
  switch (operation) {
    case Operation::add:
      return fmt::format("{:.9g} + {:.9g}", x, y);
    case Operation::subtract:
      return fmt::format("{:.9g} - {:.9g}", x, y);
    case Operation::multiply:
      return fmt::format("{:.9g} * {:.9g}", x, y);
    case Operation::divide:
      return fmt::format("{:.9g} / {:.9g}", x, y);
    case Operation::remainder:
      return fmt::format("fmod({:.9g}, {:.9g})", x, y);
    case Operation::negate:
      return fmt::format("-({:.9g})", x);
    case Operation::fused:
      return fmt::format("fma({:.9g}, {:.9g}, {:.9g})", x, y, z);
    case Operation::power:
      return fmt::format("pow({:.9g}, {:.9g})", x, y);
    case Operation::atan2:
      return fmt::format("atan2({:.9g}, {:.9g})", x, y);
    case Operation::scale:
      return fmt::format("ldexp({:.9g}, {})", x, static_cast<int>(y));
    default:
      return fmt::format("{}({:.9g})", name_of(precision_of(code)), x);
  }
}

}  // namespace assay::metal::emulator
