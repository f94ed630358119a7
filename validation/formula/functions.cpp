#include "validation/formula/functions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "validation/core/judged.h"

namespace assay::validation::formula {
namespace {

double error_of(Operand x, double) {
  return x.error;
}

double of_sign(Operand x, double) {
  if (std::isinf(x.error)) return infinity;
  return std::abs(x.value) > x.error || x.error == 0 ? 0 : 2;
}

double of_logarithm(double x, double error) {
  return error == 0 ? 0 : x > error ? -std::log1p(-error / x) : infinity;
}

double of_expm1(Operand x, double y) {
  return std::isinf(x.value) || x.error == 0 ? x.error : std::abs(y + 1) * std::expm1(x.error);
}

double of_root(Operand x, double y) {
  const double carried = x.error == 0 ? 0 : x.error / (y + std::sqrt(std::max(0.0, x.value - x.error)));
  return std::isfinite(carried) ? carried : std::sqrt(x.value + x.error);
}

/// Where the slope is largest where |x| is least.
double of_tanh(Operand x, double) {
  const double least = std::tanh(std::max(0.0, std::abs(x.value) - x.error));
  return x.error * (1 - least * least);
}

double slope_of_sigmoid(double, double y) {
  return y * (1 - y);
}

/// The slope where it is largest within the error: where |x| is least.
double largest_slope_of_sigmoid(Operand x) {
  const double y = 1 / (1 + std::exp(std::max(0.0, std::abs(x.value) - x.error)));
  return slope_of_sigmoid(0, y);
}

double of_sigmoid(Operand x, double) {
  return x.error == 0 ? 0 : std::min(1.0, x.error * largest_slope_of_sigmoid(x));
}

/// f'' = f' (1 - 2 f).
double change_of_sigmoid(Operand x, double) {
  return x.error * x.error / 2 * largest_slope_of_sigmoid(x);
}

double slope_of_erf(double x, double) {
  return 2 * std::numbers::inv_sqrtpi * std::exp(-x * x);
}

double of_erf(Operand x, double y) {
  return x.error == 0 ? 0 : x.error * slope_of_erf(std::max(0.0, std::abs(x.value) - x.error), y);
}

/// The slope changes by the error at most, and by what rounding x to double changes it.
double of_wave(Operand x, double slope) {
  constexpr double work = 0x1p-52;
  return x.error == 0 ? 0 : x.error * std::min(1.0, std::abs(slope) + x.error + work * std::abs(x.value));
}

/// The steps that an error may cross. `whole` never falls.
double of_steps(Operand x, double y, double (*whole)(double)) {
  if (x.error == 0) return 0;
  const double above = std::nextafter(x.value + x.error, infinity),
               below = std::nextafter(x.value - x.error, -infinity);
  return std::max(whole(above) - y, y - whole(below));
}

double change_of_tanh(Operand x, double y) {
  const double most = std::tanh(std::abs(x.value) + x.error);  // the slope falls off on the other side
  return x.error * (most * most - y * y);
}

/// |f''| is at most 1.
double half_square(Operand x, double) {
  return x.error * x.error / 2;
}

constexpr auto functions = std::to_array<Function>({
    {Op::negative, no_range, [](double, double) { return -1.0; }, error_of},
    {Op::abs, no_range, [](double x, double) { return x < 0 ? -1.0 : 1.0; }, error_of},
    {Op::sign, 1, [](double, double) { return 0.0; }, of_sign},
    {Op::exp, no_range, [](double, double y) { return y; }, nullptr},  // NodeErrors knows how its argument came about
    {Op::expm1, no_range, [](double, double y) { return y + 1; }, of_expm1, 0, 1},
    {Op::log, no_range, [](double x, double) { return 1 / x; },
     [](Operand x, double) { return of_logarithm(x.value, x.error); }, 0, 1},
    {Op::log1p, no_range, [](double x, double) { return 1 / (1 + x); },
     [](Operand x, double) { return of_logarithm(1 + x.value, x.error); }, 0, 1},
    {Op::sqrt, no_range, [](double, double y) { return 1 / (2 * y); }, of_root, roads},
    {Op::sin, 1, [](double x, double) { return std::cos(x); },
     [](Operand x, double) { return of_wave(x, std::cos(x.value)); }, 0, 2, half_square},
    {Op::cos, 1, [](double x, double) { return -std::sin(x); },
     [](Operand x, double) { return of_wave(x, std::sin(x.value)); }, 0, 2, half_square},
    {Op::erf, 1, slope_of_erf, of_erf, 0, 2, half_square},
    {Op::floor, no_range, [](double, double) { return 0.0; },
     [](Operand x, double y) { return of_steps(x, y, std::floor); }},
    {Op::round, no_range, [](double, double) { return 0.0; },
     [](Operand x, double y) { return of_steps(x, y, std::nearbyint); }},
    {Op::sigmoid, 1, slope_of_sigmoid, of_sigmoid, roads, 1, change_of_sigmoid, 2},
    {Op::tanh, 1, [](double, double y) { return 1 - y * y; }, of_tanh, 0, 1, change_of_tanh},
});

constexpr bool are_in_order() {
  for (std::size_t i = 0; i < functions.size(); ++i)
    if (functions[i].op != static_cast<Op>(static_cast<std::size_t>(Op::negative) + i)) return false;
  return functions.back().op == Op::tanh;
}
static_assert(are_in_order(), "a row for each elementwise function of formula/graph.h, in its order");

}  // namespace

const Function& function_of(Op op) {
  return functions.at(static_cast<std::size_t>(op) - static_cast<std::size_t>(Op::negative));
}

}  // namespace assay::validation::formula
