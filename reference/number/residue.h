// Residue: a number of the algebraic twin of real arithmetic, in which sums and products commute, associate and
// distribute, and exp(a + b) = exp(a) exp(b), exactly. docs/algebra.md says what is preserved.
//
//   plain       residues modulo the first 1 to 3 primes of the chain: exp takes one, since exp(x) modulo p_i needs x
//               modulo p_(i+1)
//   logarithm   residues of the exponential, modulo the first 1 to 3 primes: log b is kept as b
//   infinite    with its sign: masks are made of -inf, and exp(-inf) = 0
//   unknown     with its reason: not judged
//
// Where a logarithm meets what only plain numbers have (a product with another logarithm, sin), a number made from its
// residues stands for it, a tag. Functions without a homomorphism are tags too. Equal arguments give equal tags;
// `traits` remembers which tags went into a number, and `compare` accuses nobody on the word of a tag.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "reference/number/prime_chain.h"

namespace assay::reference {

struct Residue {
  enum class Kind : std::uint8_t { plain, logarithm, infinite, unknown };
  enum class Reason : std::uint8_t { none, not_a_number, division_by_zero, infinity, left_the_algebra, other_function };
  /// What a number is made of. A difference counts where both sides have the same functions and nothing else.
  enum Trait : std::uint16_t {
    sign_lost = 1,      ///< a root or a fractional power of a number that is not a square: |x| for x
    any_sign_lost = 7,  ///< bit i: modulo prime i, which the exponential makes prime i - 1
    nested = 8,         ///< more exponentials within each other than the chain has primes
    logarithmic = 16,   ///< a logarithm in a product, quotient or function
    close_choice = 32,  ///< a maximum or comparison that rounding may decide otherwise
    rounded = 64,       ///< a constant that is no number of note: it may be what a rounded computation gave
    has_sin = 128,
    has_cos = 256,
    has_erf = 512,
    has_other = 1024,
    assumed = 2048,     ///< it is not known how the number came about, as of one that was made of bits
    odd_root = 4096,    ///< the number or its negative, by the sign that was chosen for a root
    mixed_root = 8192,  ///< the sign that was chosen for a root changes more than the sign, as in 1 + sqrt(a)
  };
  static constexpr int any_root = odd_root | mixed_root;
  static constexpr std::uint16_t several_roots = 0xffff;
  static constexpr std::uint16_t functions = has_sin | has_cos | has_erf | has_other;

  std::array<std::uint64_t, Chain::levels> part = {};
  Kind kind = Kind::plain;
  std::uint8_t levels = Chain::levels;  ///< the parts that are known; of `infinite` 1 for +inf and 0 for -inf
  std::uint16_t traits = 0;
  Reason reason = Reason::none;
  std::uint16_t root = 0;  ///< which root's sign was chosen, with a trait of any_root; or several_roots

  static Residue unknown(Reason why) { return {{}, Kind::unknown, 0, 0, why, 0}; }
  static Residue infinity(bool is_positive) {
    return {{}, Kind::infinite, static_cast<std::uint8_t>(is_positive), 0, Reason::none, 0};
  }
  static Residue of(std::int64_t number) {
    Residue result;
    for (std::size_t i = 0; i < Chain::levels; ++i) {
      const Prime& prime = chain().primes[i];
      const auto size = static_cast<std::uint64_t>(number < 0 ? -(number + 1) : number) + (number < 0 ? 1 : 0);
      result.part[i] = number < 0 ? prime.negative(prime.from_number(size)) : prime.from_number(size);
    }
    return result;
  }
  /// Every finite binary number is exactly m 2^e.
  static Residue of(double x);

  bool is_plain() const { return kind == Kind::plain; }
  bool is_logarithm() const { return kind == Kind::logarithm; }
  bool is_finite() const { return kind == Kind::plain || kind == Kind::logarithm; }
  bool is_zero() const { return is_plain() && part[0] == 0; }

  bool operator==(const Residue&) const = default;  ///< the same representation; of numbers: compare
};

inline std::string_view text_of(Residue::Reason reason) {
  constexpr std::array<std::string_view, 6> texts = {
      "",
      "a NaN",
      "a division by 0",
      "an infinity",
      "numbers that no followed operation made",
      "a function that the algebra does not know",
  };
  return texts[static_cast<std::size_t>(reason)];
}

namespace detail {

/// The traits of a number, and above them which root's sign was chosen.
constexpr int traits_of(const Residue& a) {
  return a.traits | a.root << 16;
}

/// As above where an operation keeps all other traits of both, but makes `roots` of those of roots.
constexpr int traits_of(const Residue& a, const Residue& b, int roots) {
  const bool are_one = a.root == 0 || b.root == 0 || a.root == b.root;
  const int root = roots == 0 ? 0 : are_one ? a.root | b.root : Residue::several_roots;
  return ((a.traits | b.traits) & ~Residue::any_root) | roots | root << 16;
}

/// A sum keeps the choice of a sign as its own where both terms have it.
constexpr int traits_of_sum(const Residue& a, const Residue& b) {
  const bool is_odd = (a.traits & b.traits & Residue::odd_root) != 0 && a.root == b.root;
  const int roots = (a.traits | b.traits) & Residue::any_root;
  return traits_of(a, b, is_odd && a.root != Residue::several_roots ? roots : roots != 0 ? Residue::mixed_root : 0);
}

/// In a product the signs multiply: that of a root with itself is known.
constexpr int traits_of_product(const Residue& a, const Residue& b) {
  const int roots = (a.traits | b.traits) & Residue::any_root;
  if ((roots & Residue::mixed_root) != 0) return traits_of(a, b, Residue::mixed_root);
  const bool is_square = a.root == b.root && (a.root != Residue::several_roots || a.part == b.part);
  return traits_of(a, b, is_square ? 0 : roots);
}

/// The traits of a function of a number: a sign that was chosen changes more than the sign.
constexpr int traits_of_function(int traits) {
  return (traits & Residue::any_root) == 0 ? traits : (traits & ~Residue::odd_root) | Residue::mixed_root;
}

/// A plain number or logarithm, part by part.
template <class Part>
Residue by_parts(Residue::Kind kind, int levels, int traits, const Part& part) {
  Residue result{{}, kind, static_cast<std::uint8_t>(levels), static_cast<std::uint16_t>(traits), {}, 0};
  result.root = static_cast<std::uint16_t>(traits >> 16);
  for (std::size_t i = 0; i < result.levels; ++i) result.part[i] = part(chain().primes[i], i);
  return result;
}

/// A number that depends on `x` and `salt` alone, without structure (Steele and others 2014, SplitMix).
inline std::uint64_t mixed(std::uint64_t x, std::uint64_t salt) {
  x += 0x9e3779b97f4a7c15 * (salt + 1);
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/// What every operation does first: an operand that is unknown makes the result so.
inline std::optional<Residue> unknown_of(const Residue& a, const Residue& b) {
  if (a.kind == Residue::Kind::unknown) return a;
  if (b.kind == Residue::Kind::unknown) return b;
  return std::nullopt;
}

/// The traits of what is made modulo prime i from residues modulo prime i + 1, where another sign was chosen for a root.
constexpr int traits_of_exponent(int traits) {
  if ((traits & Residue::any_root) != 0) {
    const int root = traits >> 16;
    const int next = root == Residue::several_roots || root == 1 ? root : root ^ 1;
    traits = traits_of_function((traits & 0xffff) | next << 16);
  }
  return (traits & ~Residue::any_sign_lost) | ((traits & Residue::any_sign_lost) >> 1);
}

/// 1 / a modulo prime i. The last one is kept, since kernels subtract one maximum from many numbers.
inline std::uint64_t inverse(const Prime& prime, std::size_t i, std::uint64_t a) {
  struct Last {
    std::uint64_t p, a, inverse;
  };
  thread_local constinit std::array<Last, Chain::levels> last = {};
  if (last[i].p != prime.p || last[i].a != a) last[i] = {prime.p, a, prime.inverse(a)};
  return last[i].inverse;
}

/// The exponential of a plain number with two residues or more, as the logarithm that it is.
inline Residue as_logarithm(const Residue& a) {
  if (a.is_logarithm()) return a;
  return by_parts(Residue::Kind::logarithm, a.levels - 1, traits_of_exponent(traits_of(a)),
                  [&](const Prime& prime, std::size_t i) {
                    return chain().generators[i].at(prime, chain().primes[i + 1].number(a.part[i + 1]));
                  });
}

/// The plain number that stands for a logarithm where none is known.
inline Residue as_plain(const Residue& a) {
  if (!a.is_logarithm()) return a;
  return by_parts(Residue::Kind::plain, a.levels, traits_of_function(traits_of(a)) | Residue::logarithmic,
                  [&](const Prime& prime, std::size_t i) { return mixed(prime.magnitude(a.part[i]), 7) % prime.p; });
}

}  // namespace detail

/// The whole number of at most 2^20 in size that `a` is, or none.
inline std::optional<std::int64_t> whole_number(const Residue& a) {
  constexpr std::uint64_t limit = std::uint64_t{1} << 20;
  if (!a.is_plain()) return std::nullopt;
  const Prime& prime = chain().primes[0];
  const std::uint64_t number = prime.number(a.part[0]);
  if (number > limit && number < prime.p - limit) return std::nullopt;
  const auto found = number <= limit ? static_cast<std::int64_t>(number) : -static_cast<std::int64_t>(prime.p - number);
  return a.levels < 2 || Residue::of(found).part[1] == a.part[1] ? std::optional(found) : std::nullopt;
}

inline Residue operator-(const Residue& a) {
  if (a.kind == Residue::Kind::infinite) return Residue::infinity(a.levels == 0);
  if (!a.is_finite()) return a;
  return detail::by_parts(a.kind, a.levels, detail::traits_of(a), [&](const Prime& prime, std::size_t i) {
    return a.is_plain() ? prime.negative(a.part[i]) : detail::inverse(prime, i, a.part[i]);
  });
}

inline Residue operator+(const Residue& a, const Residue& b) {
  using Kind = Residue::Kind;
  if (const auto none = detail::unknown_of(a, b)) return *none;
  if (a.kind == Kind::infinite && b.kind == Kind::infinite && a.levels != b.levels)
    return Residue::unknown(Residue::Reason::not_a_number);
  if (!a.is_finite() || !b.is_finite()) return a.is_finite() ? b : a;
  if (a.is_zero() || b.is_zero()) {
    Residue other = a.is_zero() ? b : a, zero = a.is_zero() ? a : b;
    if ((zero.traits & Residue::odd_root) != 0)
      zero.root = 0, zero.traits &= static_cast<std::uint16_t>(~Residue::odd_root);
    const int traits = zero.root == 0 ? detail::traits_of(other) | zero.traits : detail::traits_of_sum(other, zero);
    other.traits = static_cast<std::uint16_t>(traits);
    other.root = static_cast<std::uint16_t>(traits >> 16);
    return other;
  }
  const bool adds = (a.is_plain() && b.is_plain()) || a.levels < 1 + a.is_plain() || b.levels < 1 + b.is_plain();
  if (!adds) {
    const Residue x = detail::as_logarithm(a), y = detail::as_logarithm(b);
    return detail::by_parts(Kind::logarithm, std::min(x.levels, y.levels), detail::traits_of_product(x, y),
                            [&](const Prime& prime, auto i) { return prime.product(x.part[i], y.part[i]); });
  }
  const Residue x = detail::as_plain(a), y = detail::as_plain(b);
  return detail::by_parts(Kind::plain, std::min(x.levels, y.levels), detail::traits_of_sum(x, y),
                          [&](const Prime& prime, auto i) { return prime.sum(x.part[i], y.part[i]); });
}

inline Residue operator-(const Residue& a, const Residue& b) {
  return a + -b;
}

/// The magnitude of each part, with `sign_lost` where that changes it.
inline Residue magnitudes(const Residue& a) {
  Residue result = detail::by_parts(a.kind, a.levels, detail::traits_of(a),
                                    [&](const Prime& prime, auto i) { return prime.magnitude(a.part[i]); });
  for (std::size_t i = 0; i < a.levels; ++i)
    if (result.part[i] != a.part[i]) result.traits |= static_cast<std::uint16_t>(Residue::sign_lost << i);
  return result;
}

/// Whether roots have the other sign from now on: a result that this changes depends on a choice.
inline bool roots_are_turned = false;

namespace detail {

/// A root or fractional power of `base`, whose sign is a choice: the square of a number that is none modulo the prime has
/// the negative of that number as its root. Of whole numbers the choice is the same everywhere.
inline Residue with_chosen_sign(Residue root, const Residue& base) {
  if (base.part[0] == 0) return root;
  const bool depends = (base.traits & Residue::mixed_root) != 0;
  root.traits = static_cast<std::uint16_t>((root.traits & ~Residue::any_root) |
                                           (depends ? Residue::mixed_root : Residue::odd_root));
  const auto name = static_cast<std::uint16_t>(mixed(chain().primes[0].magnitude(base.part[0]), 5) | 2);
  root.root = depends ? Residue::several_roots : name;
  if (!roots_are_turned) return root;
  for (std::size_t i = 0; i < root.levels; ++i) root.part[i] = chain().primes[i].negative(root.part[i]);
  return root;
}

/// The power that one number in a logarithm has as a product: traits of both.
inline int traits_of_power(const Residue& c, const Residue& log) {
  Residue exponent = c;
  const int traits = traits_of_exponent(traits_of(c));
  exponent.traits = static_cast<std::uint16_t>(traits);
  exponent.root = static_cast<std::uint16_t>(traits >> 16);
  return traits_of_product(exponent, log);
}

/// c log b = log(b^c): exact for whole numbers c, else of the magnitude of b.
inline Residue times_logarithm(const Residue& c, const Residue& log) {
  const int traits = traits_of_power(c, log);
  if (const auto whole = whole_number(c)) {
    if (*whole == 0) return c;
    return by_parts(Residue::Kind::logarithm, log.levels, traits, [&](const Prime& prime, auto i) {
      const std::uint64_t power = prime.power(log.part[i], static_cast<std::uint64_t>(std::abs(*whole)));
      return *whole < 0 ? prime.inverse(power) : power;
    });
  }
  Residue base = magnitudes(log);
  const Residue power = by_parts(Residue::Kind::logarithm, std::min<int>(log.levels, c.levels - 1),
                                 traits | base.traits, [&](const Prime& prime, auto i) {
                                   return prime.power(base.part[i], chain().primes[i + 1].number(c.part[i + 1]));
                                 });
  if ((c.traits & Residue::any_root) != 0) base.traits |= Residue::mixed_root;
  return with_chosen_sign(power, base);
}

}  // namespace detail

inline Residue operator*(const Residue& a, const Residue& b) {
  if (const auto none = detail::unknown_of(a, b)) return *none;
  if (!a.is_finite() || !b.is_finite()) return Residue::unknown(Residue::Reason::infinity);
  if (a.is_plain() && b.is_logarithm() && (a.levels > 1 || whole_number(a))) return detail::times_logarithm(a, b);
  if (b.is_plain() && a.is_logarithm() && (b.levels > 1 || whole_number(b))) return detail::times_logarithm(b, a);
  const Residue x = detail::as_plain(a), y = detail::as_plain(b);
  return detail::by_parts(Residue::Kind::plain, std::min(x.levels, y.levels), detail::traits_of_product(x, y),
                          [&](const Prime& prime, auto i) { return prime.product(x.part[i], y.part[i]); });
}

inline Residue reciprocal(const Residue& a) {
  if (a.kind == Residue::Kind::infinite) return Residue::of(std::int64_t{0});
  if (!a.is_finite()) return a;
  if (a.is_zero()) return Residue::unknown(Residue::Reason::division_by_zero);
  const Residue x = detail::as_plain(a);
  return detail::by_parts(Residue::Kind::plain, x.levels, detail::traits_of(x),
                          [&](const Prime& prime, auto i) { return detail::inverse(prime, i, x.part[i]); });
}

inline Residue operator/(const Residue& a, const Residue& b) {
  return a * reciprocal(b);
}

inline Residue& operator+=(Residue& a, const Residue& b) {
  return a = a + b;
}
inline Residue& operator-=(Residue& a, const Residue& b) {
  return a = a - b;
}
inline Residue& operator*=(Residue& a, const Residue& b) {
  return a = a * b;
}
inline Residue& operator/=(Residue& a, const Residue& b) {
  return a = a / b;
}

inline Residue Residue::of(double x) {
  if (std::isnan(x)) return unknown(Reason::not_a_number);
  if (std::isinf(x)) return infinity(x > 0);
  int exponent = 0;
  const Residue mantissa = of(static_cast<std::int64_t>(std::ldexp(std::frexp(x, &exponent), 53)));
  const int shift = exponent - 53;
  return detail::by_parts(Kind::plain, Chain::levels, 0, [&](const Prime& prime, std::size_t i) {
    const auto& powers = shift < 0 ? chain().half[i] : chain().two[i];
    return prime.product(mantissa.part[i], powers.at(prime, static_cast<std::uint64_t>(std::abs(shift))));
  });
}

enum class Comparison : std::uint8_t {
  equal,
  different,
  undecided,   ///< they differ where tags went in, or one is unknown
  but_sign,    ///< they are equal but perhaps for the sign, which was chosen for a root
  root_signs,  ///< they differ, perhaps only by what was chosen for roots
};

/// Whether two numbers that were computed in two ways are the same.
inline Comparison compare(const Residue& a, const Residue& b) {
  if (a.kind == Residue::Kind::unknown || b.kind == Residue::Kind::unknown) return Comparison::undecided;
  Residue x = a, y = b;
  bool are_tags = false;
  if (a.is_finite() && b.is_finite() && a.kind != b.kind) {
    const bool have_exponentials = std::min(a.levels - a.is_plain(), b.levels - b.is_plain()) > 0;
    x = have_exponentials ? detail::as_logarithm(a) : detail::as_plain(a);
    y = have_exponentials ? detail::as_logarithm(b) : detail::as_plain(b);
    are_tags = !have_exponentials;
  }
  const bool same = x.kind == y.kind && (x.is_finite() ? x.part[0] == y.part[0] : x.levels == y.levels);
  constexpr int doubts = Residue::sign_lost | Residue::nested | Residue::logarithmic | Residue::close_choice |
                         Residue::rounded | Residue::assumed;
  are_tags = are_tags || ((x.traits | y.traits) & doubts) != 0 || ((x.traits ^ y.traits) & Residue::functions) != 0;
  const int roots = (x.traits | y.traits) & Residue::any_root;
  if (roots == Residue::odd_root && x.is_finite() && y.is_finite() && x.kind == y.kind &&
      (same || chain().primes[0].negative(x.part[0]) == y.part[0]))
    return Comparison::but_sign;
  if (same) return Comparison::equal;
  if (are_tags) return Comparison::undecided;
  return (roots & Residue::mixed_root) != 0 ? Comparison::root_signs : Comparison::different;
}

}  // namespace assay::reference
