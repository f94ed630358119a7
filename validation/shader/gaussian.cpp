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

// GCC's -O2 leaves these loops as they are, which takes three times as long. AVX2 has no fused operation, so that the
// numbers are the same on every processor.
#if defined(__x86_64__) && defined(__linux__) && !defined(__clang__)
[[gnu::optimize("O3"), gnu::target_clones("avx2", "default")]]
#endif
void to_gaussian(Block& first, const Block& second) {
  for (double& x : first) x = -2 * logarithm(1 - x);
  for (double& x : first) x = std::sqrt(x);
  for (std::size_t n = 0; n < block; ++n) first[n] *= cosine_of_turns(second[n]);
}

}  // namespace

void fill_gaussian(std::span<double> numbers, Random& random) {
  for (std::size_t begin = 0; begin < numbers.size(); begin += block) {
    const std::size_t count = std::min(block, numbers.size() - begin);
    Block first{}, second{};
    for (std::size_t n = 0; n < count; ++n) {
      first[n] = random.real();
      second[n] = random.real();
    }
    to_gaussian(first, second);
    std::copy_n(first.begin(), count, numbers.begin() + static_cast<std::ptrdiff_t>(begin));
  }
}

}  // namespace assay::validation
