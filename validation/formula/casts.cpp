#include "validation/formula/casts.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "validation/core/infinity.h"
#include "validation/formula/computed.h"
#include "validation/formula/shares.h"

namespace assay::validation::formula {

using reference::Cast;
using reference::Rounding;

namespace {

/// The error of a number that may be rounded or be left as it is.
double optional_error(const Cast& cast, const Interval& from, Operand x) {
  const auto [lower, upper] = reference::rounded_ends(cast, from.lower, from.upper);
  const double error = std::max({x.error, upper - x.value, x.value - lower});
  return std::isfinite(lower) && std::isfinite(upper) && std::isfinite(error) ? error : infinity;
}

}  // namespace

double cast_error(const Cast& cast, Operand x, double value) {
  if (!(x.error < infinity)) return infinity;
  if (std::isnan(x.value)) return cast.format->specials == reference::Specials::none ? infinity : x.error;
  const Interval from = interval_of(x.value, x.error);
  if (cast.is_optional) return optional_error(cast, from, x);
  if (x.error == 0 && cast.rounding != Rounding::stochastic) return 0;
  const auto [lower, upper] = reference::rounded_ends(cast, from.lower, from.upper);
  const bool is_beyond = std::isnan(lower) && std::isnan(upper) && from.lower * from.upper > 0;
  if (lower == upper || is_beyond) return 0;
  const double error = std::max(upper - value, value - lower);
  return std::isfinite(error) ? error : infinity;
}

const Cast* cast_of(const Graph& graph, std::int32_t number) {
  const Node& node = graph.nodes[static_cast<std::size_t>(number)];
  if (node.op == Op::cast) return &node.cast;
  if (node.op != Op::gather || node.arguments.empty()) return nullptr;
  const Cast* const first = cast_of(graph, node.arguments[0]);
  const bool are_alike = std::ranges::all_of(node.arguments, [&](std::int32_t one) {
    const Cast* const cast = cast_of(graph, one);
    return first != nullptr && cast != nullptr && cast->format == first->format;
  });
  return are_alike ? first : nullptr;
}

namespace {

Interval merged(const Interval& a, double value, double error) {
  const bool is_apart = a.upper - value >= error || value - a.lower >= error;
  return is_apart ? a : Interval{value - error, value + error};
}

bool is_whole(double x) {
  return std::abs(x) < 0x1p53 && x == std::trunc(x);
}

/// What a function that never falls makes of what its arguments may be.
template <class Function>
Interval mapped(const Interval& a, const Interval& b, Function function) {
  return {function(a.lower, b.lower), function(a.upper, b.upper)};
}

}  // namespace

Interval possible(const Graph& graph, const Doubles& values, const Doubles& errors, std::int32_t number,
                  std::size_t element) {
  const auto [node_number, i] = original_of(graph, number, element);
  const auto n = static_cast<std::size_t>(node_number);
  const Node& node = graph.nodes[n];
  const double value = values[n][i], error = errors[n][i];
  if (error == 0) return {value, value};
  const auto of = [&](std::size_t k) { return possible(graph, values, errors, node.arguments[k], i); };
  const auto is_exact = [&](std::size_t k) { return errors[static_cast<std::size_t>(node.arguments[k])][i] == 0; };
  switch (node.op) {
    case Op::cast: {
      const Interval x = of(0);
      const auto [lower, upper] = reference::rounded_ends(node.cast, x.lower, x.upper);
      return merged({lower, upper}, value, error);  // a factor may have been rounded before, which x does not tell
    }
    case Op::round:
      return mapped(of(0), of(0), [](double x, double) { return std::nearbyint(x); });
    case Op::floor:
      return mapped(of(0), of(0), [](double x, double) { return std::floor(x); });
    case Op::add:  // of whole numbers, such as a zero point
      for (const std::size_t k : {std::size_t{0}, std::size_t{1}}) {
        const double other = values[static_cast<std::size_t>(node.arguments[1 - k])][i];
        const Interval x = of(k);
        const bool are_whole = std::ranges::all_of(std::array{x.lower, x.upper, other}, is_whole);
        if (is_exact(1 - k) && are_whole) return {x.lower + other, x.upper + other};
      }
      break;
    case Op::maximum:
      return mapped(of(0), of(1), [](double a, double b) { return std::max(a, b); });
    case Op::minimum:
      return mapped(of(0), of(1), [](double a, double b) { return std::min(a, b); });
    case Op::where:
      if (is_exact(0)) return of(values[static_cast<std::size_t>(node.arguments[0])][i] > 0 ? 1 : 2);
      break;
    default:
      break;
  }
  return interval_of(value, error);
}

}  // namespace assay::validation::formula
