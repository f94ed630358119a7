// Followed: a double that decides comparisons, and beside it the residue of the number that it stands for. Formulas are
// evaluated with it as with any number type; what kernels compute is followed by the same rules.
//
// Infinities follow the double. A maximum, comparison or floor that rounding may decide otherwise leaves the trait
// close_choice, unless both sides are numbers that nothing has rounded.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <limits>
#include <string>

#include "reference/formula/compare.h"
#include "reference/formula/evaluate.h"
#include "reference/number/functions.h"
#include "reference/number/residue.h"
#include "reference/number/residue_constant.h"
#include "reference/number/residue_functions.h"
#include "reference/number/traits.h"

namespace assay::reference {

struct Followed {
  double value = 0;
  Residue residue = {};

  Followed() = default;
  template <class Arithmetic>
    requires std::is_arithmetic_v<Arithmetic>
  explicit Followed(Arithmetic x) : value(static_cast<double>(x)), residue(Residue::of(value)) {}
  Followed(double x, const Residue& of) : value(x), residue(of) {}

  static Followed constant(double x) { return {x, residue_of_constant(x)}; }

  bool is_infinite() const { return residue.kind == Residue::Kind::infinite; }
  bool is_exact() const { return residue == Residue::of(value); }

  friend Followed operator-(const Followed& a) { return {-a.value, -a.residue}; }
  friend Followed operator+(const Followed& a, const Followed& b) {
    return following(a.value + b.value, a, b, [&] { return a.residue + b.residue; });
  }
  friend Followed operator-(const Followed& a, const Followed& b) { return a + -b; }
  friend Followed operator*(const Followed& a, const Followed& b) {
    return following(a.value * b.value, a, b, [&] { return a.residue * b.residue; });
  }
  friend Followed operator/(const Followed& a, const Followed& b) {
    return following(a.value / b.value, a, b, [&] { return a.residue / b.residue; });
  }
  Followed& operator+=(const Followed& b) { return *this = *this + b; }
  Followed& operator-=(const Followed& b) { return *this = *this - b; }
  Followed& operator*=(const Followed& b) { return *this = *this * b; }
  Followed& operator/=(const Followed& b) { return *this = *this / b; }

  friend bool operator<(const Followed& a, const Followed& b) { return a.value < b.value; }
  friend bool operator>(const Followed& a, const Followed& b) { return a.value > b.value; }
  friend bool operator==(const Followed& a, const Followed& b) { return a.value == b.value; }

 private:
  /// The residue that `finite` gives; where an operand is infinite, that of the double, if it says enough.
  template <class Finite>
  static Followed following(double value, const Followed& a, const Followed& b, const Finite& finite) {
    if (!a.is_infinite() && !b.is_infinite()) return {value, finite()};
    if (const auto none = detail::unknown_of(a.residue, b.residue)) return {value, *none};
    if (std::isfinite(value) && value != 0) return {value, Residue::unknown(Residue::Reason::infinity)};
    return {value, Residue::of(value)};
  }
};

/// Whether two numbers that were computed in two ways are the same. The signs that were chosen for roots say nothing:
/// those of the numbers of the run do.
inline Comparison compare(const Followed& a, const Followed& b) {
  const Comparison found = compare(a.residue, b.residue);
  if (found == Comparison::equal) return found;
  if (!std::isfinite(a.value) || !std::isfinite(b.value)) return Comparison::undecided;
  if (found != Comparison::but_sign) return found;
  return a.value * b.value >= 0 || a.residue.is_logarithm() ? Comparison::equal : Comparison::undecided;
}

/// Whether rounding may decide otherwise which of two numbers is larger.
inline bool is_close(const Followed& a, const Followed& b) {
  const double distance = std::abs(a.value - b.value), size = std::max(std::abs(a.value), std::abs(b.value));
  if (!std::isfinite(distance) || !(distance <= std::max(0x1p-10 * size, 0x1p-20))) return false;
  return a.residue != b.residue && !(a.is_exact() && b.is_exact());
}

inline Followed with_trait(Followed x, Residue::Trait trait, bool is_added) {
  if (is_added) x.residue.traits |= trait;
  return x;
}

template <>
struct NumberTraits<Followed> : PlainNumberTraits<Followed> {
  static Followed exp(const Followed& x) {
    const bool vanishes = x.value < vanishing_exponent;
    return {std::exp(x.value), vanishes ? Residue::of(std::int64_t{0}) : reference::exp(x.residue)};
  }
  static Followed log(const Followed& x) { return {std::log(x.value), reference::log(x.residue)}; }
  static Followed log1p(const Followed& x) { return {std::log1p(x.value), reference::log1p(x.residue)}; }
  static Followed expm1(const Followed& x) { return {std::expm1(x.value), (exp(x) - Followed(1)).residue}; }
  static Followed sqrt(const Followed& x) { return {std::sqrt(x.value), reference::sqrt(x.residue)}; }

  static bool is_zero(const Followed& x) { return x.value == 0; }
  static bool is_positive(const Followed& x) { return x.value > 0; }
  static bool is_finite(const Followed& x) { return std::isfinite(x.value); }
  static bool is_nan(const Followed& x) { return std::isnan(x.value); }
  static Followed infinity() { return Followed(std::numeric_limits<double>::infinity()); }
  static Followed nan() { return Followed(std::numeric_limits<double>::quiet_NaN()); }

  static double to_double(const Followed& x) { return x.value; }
  static std::string to_string(const Followed& x, int digits) {
    return NumberTraits<double>::to_string(x.value, digits);
  }
};

template <>
struct Functions<Followed> {
  static Followed sin(const Followed& x) { return {std::sin(x.value), reference::sin(x.residue)}; }
  static Followed cos(const Followed& x) { return {std::cos(x.value), reference::cos(x.residue)}; }
  static Followed erf(const Followed& x) { return {std::erf(x.value), reference::erf(x.residue)}; }
  static Followed floor(const Followed& x) { return step(x, std::floor(x.value), std::nearbyint(x.value)); }
  static Followed round(const Followed& x) { return step(x, std::nearbyint(x.value), std::floor(x.value) + 0.5); }
  static Followed pow(const Followed& x, const Followed& p) {
    const double value = std::pow(x.value, p.value);
    if (x.value == 0 && p.value != 0) return Followed(value);
    return {value, reference::pow(x.residue, p.residue)};
  }
  static Followed pi() { return {std::numbers::pi, symbol_pi()}; }

 private:
  /// The whole number that x is taken to; rounding may take it across the step at `edge`.
  static Followed step(const Followed& x, double whole, double edge) {
    if (x.residue.kind == Residue::Kind::unknown) return {whole, x.residue};
    return with_trait(Followed(whole), Residue::close_choice, is_close(x, Followed(edge)));
  }
};

namespace formula::detail {

template <>
inline Followed larger<Followed>(const Followed& a, const Followed& b) {
  const bool takes_b = !std::isnan(a.value) && (a.value < b.value || std::isnan(b.value));
  return with_trait(takes_b ? b : a, Residue::close_choice, is_close(a, b));
}

template <>
inline Followed comparison<Followed>(Op op, const Followed& a, const Followed& b) {
  const bool holds = op == Op::less ? a.value < b.value : op == Op::less_equal ? !(b.value < a.value) : a == b;
  return with_trait(Followed(holds ? 1 : 0), Residue::close_choice, is_close(a, b));
}

template <>
inline Followed chosen<Followed>(const Followed& condition, const Followed& a, const Followed& b) {
  const bool is_close = (condition.residue.traits & Residue::close_choice) != 0;
  return with_trait(condition.value > 0 ? a : b, Residue::close_choice, is_close);
}

}  // namespace formula::detail

namespace formula {

/// The values of all nodes of a graph, those of constants as what they stand for.
template <class Input>
Values<Followed> followed_values(const Graph& graph, const Input& input) {
  return evaluate<Followed>(graph, input, [](const Node& node, std::vector<Followed>& values) {
    if (node.op != Op::constant) return;
    const auto residues = residues_of_constants(node.values);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = {node.values[i], residues[i]};
  });
}

}  // namespace formula
}  // namespace assay::reference
