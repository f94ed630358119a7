// Standard normal numbers, the same everywhere: what the rSVD draws its subspace from, in the reference and in kernels.
//
//   bits(seed, n)        = mix(seed + (n + 1) 0x9e3779b97f4a7c15)
//   u                    = (top 53 bits of bits(seed, 2p) + 1) 2^-53        in (0, 1]
//   v                    = (top 53 bits of bits(seed, 2p + 1)) 2^-53        in [0, 1)
//   normal(seed, 2p)     = sqrt(-2 ln u) cos(2 pi v)
//   normal(seed, 2p + 1) = sqrt(-2 ln u) sin(2 pi v)
//
// The bits are SplitMix64 (Steele, Lea and Flood 2014, "Fast splittable pseudorandom number generators", figure 17),
// the normal numbers those of Box and Muller 1958, "A note on the generation of random normal deviates". They are
// rounded to float: mathematical libraries that differ in the last bit of a double then agree, and float kernels have
// the numbers exactly.
//
// Every element is a function of its place: they can be made in any order, by any number of threads.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

#include "reference/matrix.h"

namespace assay::reference {

/// Output n = 0, 1, ... of SplitMix64.
constexpr std::uint64_t random_bits(std::uint64_t seed, std::uint64_t n) {
  std::uint64_t z = seed + (n + 1) * 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

/// Standard normal number n = 0, 1, ... of a seed: one that float holds, of size at most 8.6.
inline double standard_normal(std::uint64_t seed, std::uint64_t n) {
  const std::uint64_t pair = n - n % 2;
  const double u = static_cast<double>((random_bits(seed, pair) >> 11U) + 1) * 0x1p-53;
  const double v = static_cast<double>(random_bits(seed, pair + 1) >> 11U) * 0x1p-53;
  const double radius = std::sqrt(-2 * std::log(u)), angle = 2 * std::numbers::pi * v;
  return static_cast<double>(static_cast<float>(radius * (n % 2 == 0 ? std::cos(angle) : std::sin(angle))));
}

/// [rows, cols], element (i, j) is number i cols + j of the seed.
inline Matrix<double> gaussian_matrix(std::uint64_t seed, std::int64_t rows, std::int64_t cols) {
  Matrix<double> result(rows, cols);
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < cols; ++j)
      result(i, j) = standard_normal(seed, static_cast<std::uint64_t>(i * cols + j));
  return result;
}

}  // namespace assay::reference
