// What a constant of a program stands for. 1.4426950408889634f is no log2(e), but who writes exp2(x * 1.44269504f) means
// exp(x): a constant within two roundings of one of these numbers is taken to be that number, in this order:
//
//   numbers of at most 12 bits, themselves;  decimals of few digits (1e-5, 0.044715)
//   c 2^k sqrt(n), c 2^k / sqrt(n)   for c = 1, log2 e, ln 2, pi, 1/pi, sqrt(pi), 1/sqrt(pi) and n to 1024
//   n^(1/4), n^(-1/4) for n to 1024;  log n for n to 2^20;  e 2^k;  fractions m / n of small numbers (1/3)
//
// Any other constant is the float next to it, and has the trait `rounded`: two that differ accuse nobody, since a program
// may have computed them. So has a float that is near so many of these numbers that it may be one by chance, as those of a
// table are of which one is near none. Whole numbers are themselves. Data are not constants.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numbers>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "reference/number/residue.h"
#include "reference/number/residue_functions.h"

namespace assay::reference {
namespace detail {

/// A positive constant, as the type that it was rounded to.
struct Constant {
  double x;
  bool is_float;

  bool stands_for(double number) const {
    return std::abs(x - number) <= (is_float ? 0x1p-23 : 0x1p-52) * std::abs(number);
  }
};

/// The number that a constant is near, which may be by chance: one of `count` is.
inline Residue near(const Constant& c, Residue number, double count, double most) {
  if (c.is_float && count > most) number.traits |= Residue::rounded;
  return number;
}

inline std::optional<Residue> decimal(const Constant& c) {
  for (int digits = 1; digits <= 6; ++digits) {
    std::array<char, 40> text = {};
    std::snprintf(text.data(), text.size(), "%.*e", digits - 1, c.x);
    const double read = std::strtod(text.data(), nullptr);
    if (c.is_float ? static_cast<float>(read) != static_cast<float>(c.x) : read != c.x) continue;
    int exponent = static_cast<int>(std::floor(std::log10(read) + 1e-9)) - (digits - 1);
    const auto mantissa = static_cast<std::int64_t>(std::llround(read / std::pow(10.0, exponent)));
    const Residue ten = Residue::of(std::int64_t{10});
    const bool is_of_gelu = mantissa == 44'715;
    return near(c, Residue::of(mantissa) * pow(ten, Residue::of(std::int64_t{exponent})), is_of_gelu ? 0 : digits, 4);
  }
  return std::nullopt;
}

/// x = base 2^k n^(1/2) or base 2^k n^(-1/2).
inline std::optional<Residue> times_root(const Constant& c, double base, const Residue& residue) {
  for (const bool is_reciprocal : {false, true}) {
    const double square = std::pow(is_reciprocal ? base / c.x : c.x / base, 2);
    for (int k = -10; k <= 10; ++k) {
      const double n = std::nearbyint(std::ldexp(square, 2 * k));
      if (n < 1 || n > 1024 || (n > 1 && std::fmod(n, 4) == 0)) continue;
      const double factor = std::ldexp(std::sqrt(n), -k);
      if (!c.stands_for(is_reciprocal ? base / factor : base * factor)) continue;
      const Residue found = sqrt(Residue::of(n)) * Residue::of(std::ldexp(1.0, -k));
      return near(c, is_reciprocal ? residue / found : residue * found, n, 32);
    }
  }
  return std::nullopt;
}

inline std::optional<Residue> named(const Constant& c) {
  constexpr double pi = std::numbers::pi;
  const double root = std::sqrt(pi);
  const Residue one = Residue::of(std::int64_t{1}), root_of_pi = sqrt(symbol_pi());
  const std::array<std::pair<double, Residue>, 7> bases = {{{1, one},
                                                            {std::numbers::log2e, symbol_log2e()},
                                                            {std::numbers::ln2, symbol_ln2()},
                                                            {pi, symbol_pi()},
                                                            {1 / pi, one / symbol_pi()},
                                                            {root, root_of_pi},
                                                            {1 / root, one / root_of_pi}}};
  for (const auto& [base, residue] : bases)
    if (const auto found = times_root(c, base, residue)) return found;
  for (const bool is_reciprocal : {false, true}) {  // d^-1/4, by which both factors of attention's scores are scaled
    const double whole = std::nearbyint(std::pow(c.x, is_reciprocal ? -4 : 4));
    if (whole < 2 || whole > 1024 || !c.stands_for(std::pow(whole, is_reciprocal ? -0.25 : 0.25))) continue;
    const Residue found = sqrt(sqrt(Residue::of(whole)));
    return near(c, is_reciprocal ? one / found : found, whole, 256);
  }
  const double n = c.x < 14 ? std::nearbyint(std::exp(c.x)) : 0;
  if (n >= 3 && n <= 0x1p20 && c.stands_for(std::log(n))) return near(c, log(Residue::of(n)), n, 128);
  for (int k = -10; k <= 10; ++k)
    if (c.stands_for(std::ldexp(std::numbers::e, k))) return exp(one) * Residue::of(std::ldexp(1.0, k));
  return std::nullopt;
}

/// 1 / n with n to 2^22, m / n with m n to 2^17 of a float, 2^30 of a double: convergents of the continued fraction.
inline std::optional<Residue> fraction(const Constant& c) {
  const double limit = c.is_float ? 0x1p17 : 0x1p30;
  double rest = c.x, m = 1, n = 0, m_before = 0, n_before = 1;
  for (int i = 0; i < 20; ++i) {
    const double whole = std::floor(rest);
    m_before = std::exchange(m, whole * m + m_before);
    n_before = std::exchange(n, whole * n + n_before);
    if (!(m * n <= (m == 1 ? 0x1p22 : limit))) return std::nullopt;
    if (m > 0 && c.stands_for(m / n)) {
      Residue found = Residue::of(m) / Residue::of(n);
      if (m * n > (m == 1 ? 0x1p22 : 0x1p10)) found.traits |= Residue::rounded;  // the next float may be another one
      return near(c, found, m * n, 0x1p10);
    }
    rest = 1 / (rest - whole);
  }
  return std::nullopt;
}

/// Whether the constant is itself: a whole number, or one of few bits.
inline bool is_exact_constant(double x) {
  int exponent = 0;
  const double bits = std::ldexp(std::frexp(x, &exponent), 12);
  return !std::isfinite(x) || x == std::floor(x) || bits == std::floor(bits);
}

/// Whether the double has at most 12 decimal digits, as what people type; what was computed has 17.
inline bool is_typed(double x) {
  std::array<char, 40> text = {};
  std::snprintf(text.data(), text.size(), "%.11e", x);
  return std::strtod(text.data(), nullptr) == x;
}

}  // namespace detail

inline Residue residue_of_constant(double x) {
  if (x < 0) return -residue_of_constant(-x);
  if (detail::is_exact_constant(x)) return Residue::of(x);
  const auto nearest = static_cast<double>(static_cast<float>(x));
  for (const bool is_float : {false, true}) {  // 0.7978845608 is no sqrt(2 / pi), but the float next to it is
    if (is_float ? nearest != x && !detail::is_typed(x) : nearest == x) continue;
    for (const auto& known : {detail::decimal, detail::named, detail::fraction})
      if (const auto found = known({is_float ? nearest : x, is_float})) return *found;
  }
  Residue other = Residue::of(std::isfinite(nearest) && nearest != 0 ? nearest : x);
  other.traits |= Residue::rounded;
  return other;
}

/// The constants of an array. Where one stands for no number of note, a program has computed the array.
inline std::vector<Residue> residues_of_constants(std::span<const double> constants) {
  std::vector<Residue> found;
  bool are_computed = false;
  for (const double x : constants) {
    found.push_back(residue_of_constant(x));
    are_computed = are_computed || (found.back().traits & Residue::rounded) != 0;
  }
  for (std::size_t i = 0; are_computed && i < found.size(); ++i)
    if (!detail::is_exact_constant(constants[i])) found[i].traits |= Residue::rounded;
  return found;
}

}  // namespace assay::reference
