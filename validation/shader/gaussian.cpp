#include "validation/shader/gaussian.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>

namespace assay::validation {

namespace {

/// Loops over so many are compiled to vector instructions, which calls of the C library would prevent.
constexpr std::size_t block = 256;
using Block = std::array<double, block>;

/// The sum of coefficients[n] x^n.
template <std::size_t N>
double polynomial(const std::array<double, N>& coefficients, double x) {
  double sum = coefficients[N - 1];
  for (std::size_t n = N - 1; n > 0; --n) sum = sum * x + coefficients[n - 1];
  return sum;
}

/// log x of x in (0, 1]: x = 2^e m with m near 1, and log m = 2 artanh((m - 1) / (m + 1)).
double logarithm(double x) {
  constexpr std::uint64_t least = 0x3FE6A09E00000000U;  // of m: just below sqrt(1/2)
  constexpr std::array artanh = {1.0,      1.0 / 3,  1.0 / 5,  1.0 / 7,  1.0 / 9, 1.0 / 11,
                                 1.0 / 13, 1.0 / 15, 1.0 / 17, 1.0 / 19, 1.0 / 21};
  const std::uint64_t shifted = std::bit_cast<std::uint64_t>(x) + (0x3FF0000000000000U - least);
  const double e = std::bit_cast<double>(shifted >> 52U | 0x4330000000000000U) - (0x1p52 + 1023);
  const double m = std::bit_cast<double>((shifted & 0xFFFFFFFFFFFFFU) + least), s = (m - 1) / (m + 1);
  return e * std::numbers::ln2 + 2 * s * polynomial(artanh, s * s);
}

/// cos(2 pi x) of x in [0, 1), which is sin(2 pi (|x - 1/2| - 1/4)).
double cosine_of_turns(double x) {
  constexpr std::array sine = {1.0,
                               -1.0 / 6,
                               1.0 / 120,
                               -1.0 / 5040,
                               1.0 / 362880,
                               -1.0 / 39916800,
                               1.0 / 6227020800,
                               -1.0 / 1307674368000,
                               1.0 / 355687428096000,
                               -1.0 / 121645100408832000,
                               1.0 / 51090942171709440000.0};
  const double angle = 2 * std::numbers::pi * (std::abs(x - 0.5) - 0.25);
  return angle * polynomial(sine, angle * angle);
}

/// As Random::real(), by operations that every processor has for vectors: the upper 21 bits and the lower 32 become doubles
/// by an exponent in front of them.
double to_real(std::uint64_t bits) {
  const double high = std::bit_cast<double>(bits >> 43U | 0x4530000000000000U) - 0x1p84;
  const double low = std::bit_cast<double>((bits >> 11U & 0xFFFFFFFFU) | 0x4330000000000000U) - 0x1p52;
  return (high + low) * 0x1p-53;
}

// GCC's -O2 leaves these loops as they are, which takes three times as long. AVX2 has no fused operation, so that the
// numbers are the same on every processor.
#if defined(__x86_64__) && defined(__linux__) && !defined(__clang__)
[[gnu::optimize("O3"), gnu::target_clones("avx2", "default")]]
#endif
void fill(Block& numbers, Random random) {
  Block turns{};
  Random of_turns = random;
  of_turns.skip(1);
  for (double& x : numbers) x = to_real(random.bits()), random.skip(1);
  for (double& x : turns) x = to_real(of_turns.bits()), of_turns.skip(1);
  for (double& x : numbers) x = -2 * logarithm(1 - x);
  for (double& x : numbers) x = std::sqrt(x);
  for (std::size_t n = 0; n < block; ++n) numbers[n] *= cosine_of_turns(turns[n]);
}

}  // namespace

template <class Real>
void fill_gaussian(std::span<Real> numbers, Random& random) {
  Block filled{};
  for (std::size_t begin = 0; begin < numbers.size(); begin += block) {
    const std::size_t count = std::min(block, numbers.size() - begin);
    fill(filled, random);
    random.skip(2 * count);
    for (std::size_t n = 0; n < count; ++n) numbers[begin + n] = static_cast<Real>(filled[n]);
  }
}

template void fill_gaussian(std::span<float> numbers, Random& random);
template void fill_gaussian(std::span<double> numbers, Random& random);

}  // namespace assay::validation
