// The functions of Residues. exp takes sums to products, so all that is written with exp follows the rules of real
// numbers: expm1, exp2, sigmoid, tanh, softplus, logaddexp; log inverts it; roots and powers are exp(p log x).
// sin, cos, erf and others have no homomorphism here: tags that know f(-x) = -f(x) or f(-x) = f(x).
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <utility>

#include "reference/number/residue.h"

namespace assay::reference {

/// A real argument of exp below which the result is 0 in every format: masks of -1e9 or -3e38 stand for -inf. A
/// caller that knows the real argument takes Residue::of(0) there.
inline constexpr double vanishing_exponent = -5000;

inline Residue exp(const Residue& a) {
  if (a.kind == Residue::Kind::infinite) return a.levels == 1 ? a : Residue::of(std::int64_t{0});
  if (!a.is_finite()) return a;
  if (a.is_plain() && a.levels == 1)
    return detail::by_parts(Residue::Kind::plain, 1, detail::traits_of_function(detail::traits_of(a)) | Residue::nested,
                            [&](const Prime& prime, auto i) { return detail::mixed(a.part[i], 1) % prime.p; });
  Residue result = detail::as_logarithm(a);
  result.kind = Residue::Kind::plain;
  return result;
}

inline Residue symbol_log2e() {
  return detail::by_parts(Residue::Kind::plain, Chain::levels, 0,
                          [](const Prime&, std::size_t i) { return chain().log2e[i]; });
}

inline Residue symbol_ln2() {
  return reciprocal(symbol_log2e());
}

inline Residue symbol_pi() {
  return detail::by_parts(Residue::Kind::plain, Chain::levels, 0,
                          [](const Prime&, std::size_t i) { return chain().pi[i]; });
}

inline Residue log(const Residue& a) {
  if (a.kind == Residue::Kind::infinite) return a.levels == 1 ? a : Residue::unknown(Residue::Reason::not_a_number);
  if (!a.is_finite()) return a;
  if (a.is_zero()) return Residue::infinity(false);
  if (const auto whole = whole_number(a);
      whole && *whole > 0 && std::has_single_bit(static_cast<std::uint64_t>(*whole)))
    return Residue::of(static_cast<std::int64_t>(std::countr_zero(static_cast<std::uint64_t>(*whole)))) * symbol_ln2();
  Residue result = detail::as_plain(a);
  result.kind = Residue::Kind::logarithm;
  return result;
}

namespace detail {

inline Residue plain_root(const Residue& a) {
  const Residue x = magnitudes(a);
  return by_parts(Residue::Kind::plain, x.levels, x.traits,
                  [&](const Prime& prime, auto i) { return prime.root(x.part[i]); });
}

/// n = root^2 rest: roots of whole numbers are made of the same roots everywhere, so that sqrt(80) = 4 sqrt(5).
inline std::pair<std::int64_t, std::int64_t> square_in(std::int64_t n) {
  std::int64_t root = 1;
  for (std::int64_t i = 2; i * i <= n; ++i)
    for (; n % (i * i) == 0; n /= i * i) root *= i;
  return {root, n};
}

/// The root of a whole number, times or over pi.
inline std::optional<Residue> root_of_multiple_of_pi(const Residue& a) {
  const Residue one = Residue::of(std::int64_t{1}), pi = symbol_pi();
  for (const Residue& factor : {one, pi, reciprocal(pi)}) {
    const auto whole = whole_number(a * factor);
    if (!whole || *whole <= 0) continue;
    const auto [root, rest] = square_in(*whole);
    const Residue whole_root = Residue::of(root) * (rest == 1 ? one : plain_root(Residue::of(rest)));
    return factor == one ? whole_root : whole_root / plain_root(factor);
  }
  return std::nullopt;
}

}  // namespace detail

inline Residue sqrt(const Residue& a) {
  if (!a.is_finite()) return a;
  const Residue x = detail::as_plain(a);
  if (const auto root = detail::root_of_multiple_of_pi(x)) return *root;
  if (a.is_zero()) return a;
  if (const auto root = detail::root_of_multiple_of_pi(reciprocal(x))) return reciprocal(*root);
  return detail::with_chosen_sign(detail::plain_root(x), x);
}

inline Residue rsqrt(const Residue& a) {
  return reciprocal(sqrt(a));
}

inline Residue expm1(const Residue& a) {
  return exp(a) - Residue::of(std::int64_t{1});
}

inline Residue exp2(const Residue& a) {
  return exp(a.is_finite() ? a * symbol_ln2() : a);
}

inline Residue log1p(const Residue& a) {
  return log(a + Residue::of(std::int64_t{1}));
}

inline Residue log2(const Residue& a) {
  const Residue result = log(a);
  return result.is_finite() ? result * symbol_log2e() : result;
}

inline Residue sigmoid(const Residue& a) {
  return reciprocal(exp(-a) + Residue::of(std::int64_t{1}));
}

inline Residue softplus(const Residue& a) {
  return log1p(exp(a));
}

inline Residue logaddexp(const Residue& a, const Residue& b) {
  return log(exp(a) + exp(b));
}

inline Residue tanh(const Residue& a) {
  if (a.kind == Residue::Kind::infinite) return Residue::of(std::int64_t{a.levels == 1 ? 1 : -1});
  const Residue e = exp(a + a), one = Residue::of(std::int64_t{1});
  return (e - one) / (e + one);
}

inline Residue pow(const Residue& a, const Residue& exponent) {
  if (const auto whole = whole_number(exponent); whole && a.is_finite()) {
    const Residue x = detail::as_plain(a);
    const int roots = *whole % 2 == 0 ? detail::traits_of_product(x, x) : detail::traits_of(x);
    const Residue power =
        detail::by_parts(Residue::Kind::plain, x.levels, roots | exponent.traits, [&](const Prime& prime, auto i) {
          return prime.power(x.part[i], static_cast<std::uint64_t>(std::abs(*whole)));
        });
    return *whole < 0 ? reciprocal(power) : power;
  }
  if (const auto twice = whole_number(exponent + exponent)) return pow(sqrt(a), Residue::of(*twice));
  return exp(exponent * log(a));
}

enum class Parity : std::uint8_t { none, even, odd };

/// A function without a homomorphism. `salt` tells functions of one trait apart.
inline Residue tagged(const Residue& a, Residue::Trait trait, Parity parity, std::uint64_t salt) {
  if (!a.is_finite()) return a.kind == Residue::Kind::unknown ? a : Residue::unknown(Residue::Reason::infinity);
  const Residue x = detail::as_plain(a);
  return detail::by_parts(Residue::Kind::plain, x.levels, detail::traits_of_function(detail::traits_of(x)) | trait,
                          [&](const Prime& prime, auto i) {
                            const std::uint64_t size = parity == Parity::none ? x.part[i] : prime.magnitude(x.part[i]);
                            const std::uint64_t tag = detail::mixed(size, salt + 16) % prime.p;
                            if (parity != Parity::odd) return tag;
                            return size == 0 ? 0 : size == x.part[i] ? tag : prime.negative(tag);
                          });
}

inline Residue sin(const Residue& a) {
  return tagged(a, Residue::has_sin, Parity::odd, 0);
}

inline Residue cos(const Residue& a) {
  if (a.is_zero()) return Residue::of(std::int64_t{1});
  return tagged(a, Residue::has_cos, Parity::even, 1);
}

inline Residue erf(const Residue& a) {
  if (a.kind == Residue::Kind::infinite) return Residue::of(std::int64_t{a.levels == 1 ? 1 : -1});
  return tagged(a, Residue::has_erf, Parity::odd, 2);
}

}  // namespace assay::reference
