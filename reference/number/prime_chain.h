// Arithmetic modulo the primes of a chain p0 = 2 p1 + 1, p1 = 2 p2 + 1 (a Cunningham chain of the first kind), p0 near
// 2^61, by Montgomery's products (Montgomery 1985, "Modular multiplication without trial division").
//
// The squares modulo p_i are a group of the prime order p_(i+1), which 2 generates. So for generators g_i
//
//   exp: residues modulo p_(i+1) -> squares modulo p_i,   exp(x) = g_i^x,   exp(a + b) = exp(a) exp(b)
//
// and every number but 0 is a square or the negative of one, as real numbers are positive or negative: p_i = 3 mod 4.
// The residue L of log2(e) is chosen at will, and g_i = 2^L: then exp(x / L) = 2^x, and ln 2 = 1 / L.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace assay::reference {

__extension__ using TwoWords = unsigned __int128;

/// Residues are kept as x 2^64 modulo p.
struct Prime {
  std::uint64_t p = 0;
  std::uint64_t negative_inverse = 0;  ///< -1 / p modulo 2^64
  std::uint64_t one = 0;               ///< 2^64 modulo p
  std::uint64_t square = 0;            ///< 2^128 modulo p

  static constexpr Prime of(std::uint64_t p) {
    std::uint64_t inverse = 1;
    for (int i = 0; i < 6; ++i) inverse *= 2 - p * inverse;
    const auto one = static_cast<std::uint64_t>((TwoWords{1} << 64) % p);
    return {p, ~inverse + 1, one, static_cast<std::uint64_t>(TwoWords{one} * one % p)};
  }

  constexpr std::uint64_t product(std::uint64_t a, std::uint64_t b) const {
    const TwoWords whole = TwoWords{a} * b;
    const std::uint64_t factor = static_cast<std::uint64_t>(whole) * negative_inverse;
    const auto reduced = static_cast<std::uint64_t>((whole + TwoWords{factor} * p) >> 64);
    return reduced >= p ? reduced - p : reduced;
  }
  constexpr std::uint64_t sum(std::uint64_t a, std::uint64_t b) const { return a + b >= p ? a + b - p : a + b; }
  constexpr std::uint64_t negative(std::uint64_t a) const { return a == 0 ? 0 : p - a; }

  constexpr std::uint64_t power(std::uint64_t a, std::uint64_t exponent) const {
    std::uint64_t result = one;
    for (; exponent != 0; exponent >>= 1) {
      if ((exponent & 1) != 0) result = product(result, a);
      a = product(a, a);
    }
    return result;
  }
  constexpr std::uint64_t inverse(std::uint64_t a) const { return power(a, p - 2); }
  /// The root of a or of -a that is itself a square.
  constexpr std::uint64_t root(std::uint64_t a) const { return power(a, (p + 1) / 4); }
  /// a or -a, whichever is a square.
  constexpr std::uint64_t magnitude(std::uint64_t a) const {
    return a == 0 || power(a, (p - 1) / 2) == one ? a : p - a;
  }

  constexpr std::uint64_t from_number(std::uint64_t x) const { return product(x, square); }
  /// The number in [0, p).
  constexpr std::uint64_t number(std::uint64_t a) const { return product(a, 1); }
};

/// The powers of a base by a product for each hexadecimal digit of the exponent, from base^(d 16^n).
template <std::size_t digits>
struct PowersOf {
  std::array<std::array<std::uint64_t, 16>, digits> power = {};

  static constexpr PowersOf base(const Prime& prime, std::uint64_t base) {
    PowersOf result;
    for (auto& of_digit : result.power) {
      of_digit[0] = prime.one;
      for (std::size_t d = 1; d < 16; ++d) of_digit[d] = prime.product(of_digit[d - 1], base);
      base = prime.product(of_digit[15], base);
    }
    return result;
  }
  constexpr std::uint64_t at(const Prime& prime, std::uint64_t exponent) const {
    std::uint64_t result = prime.one;
    for (const auto& of_digit : power) {
      result = prime.product(result, of_digit[exponent & 15]);
      exponent >>= 4;
    }
    return result;
  }
};

struct Chain {
  static constexpr std::size_t levels = 3;

  std::array<Prime, levels> primes = {};
  std::array<std::uint64_t, levels> log2e = {}, pi = {};
  std::array<PowersOf<16>, levels - 1> generators = {};
  std::array<PowersOf<3>, levels> two = {}, half = {};

  static constexpr Chain of(std::uint64_t p2) {
    Chain chain;
    chain.primes = {Prime::of(4 * p2 + 3), Prime::of(2 * p2 + 1), Prime::of(p2)};
    for (std::size_t i = 0; i < levels; ++i) {
      const Prime& prime = chain.primes[i];
      chain.log2e[i] = prime.from_number(0x71547652b82fe178 + i);
      const std::uint64_t root = prime.magnitude(prime.from_number(0x1c5bf891b4ef6aa8 + i));
      chain.pi[i] = prime.product(root, root);  // so that the root of pi has this square
      chain.two[i] = PowersOf<3>::base(prime, prime.from_number(2));
      chain.half[i] = PowersOf<3>::base(prime, prime.from_number((prime.p + 1) / 2));
    }
    for (std::size_t i = 0; i + 1 < levels; ++i)
      chain.generators[i] = PowersOf<16>::base(
          chain.primes[i],
          chain.primes[i].power(chain.primes[i].from_number(2), chain.primes[i + 1].number(chain.log2e[i + 1])));
    return chain;
  }
};

/// Equality that holds in one chain by accident does not hold in the next.
inline constexpr std::array<Chain, 8> chains = {Chain::of(0x7ffffffffff6c8b), Chain::of(0x7ffffffffff40ff),
                                                Chain::of(0x7fffffffffe8807), Chain::of(0x7fffffffffe63bf),
                                                Chain::of(0x7fffffffffc5bab), Chain::of(0x7fffffffffc0feb),
                                                Chain::of(0x7fffffffffa49bf), Chain::of(0x7fffffffff95c8f)};

/// The chain of all residues from now on. Residues of two chains must not meet.
inline std::size_t chain_in_use = 0;

inline const Chain& chain() {
  return chains[chain_in_use];
}

}  // namespace assay::reference
