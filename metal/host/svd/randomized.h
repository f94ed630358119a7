// The part of the rSVD on the host: converts the matrix to floats, and writes the triplets that are wanted.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "metal/cpu/half.h"
#include "metal/cpu/svd/signs.h"
#include "metal/cpu/svd/svd.h"

namespace assay::metal::host {

/// A matrix times 2^power. Exact, except for elements below 2^-126 of the largest.
struct ScaledMatrix {
  std::vector<float> elements;
  int power = 0;
};

/// Scales the matrix so that its largest element is in [1/2, 1).
template <class Real>
ScaledMatrix scaled_matrix(std::span<const Real> matrix) {
  double largest = 0;
  for (const Real x : matrix) largest = std::fmax(largest, std::fabs(static_cast<double>(x)));
  ScaledMatrix result;
  result.power = largest == 0 ? 0 : -1 - std::ilogb(largest);
  result.elements.reserve(matrix.size());
  for (const Real x : matrix)
    result.elements.push_back(static_cast<float>(std::ldexp(static_cast<double>(x), result.power)));
  return result;
}

/// Thin factors of one matrix times 2^power: U [M, width], S [width], Vh [width, N].
struct WideFactors {
  std::size_t width;
  int power;
  std::span<const float> U, S, Vh;
};

/// The first `rank` triplets, rounded once, with the signs of reference/svd/problem.h. U and Vh may be empty.
template <class Real>
void write_triplets(const WideFactors& from, std::size_t rank, const SvdOutput<Real>& to) {
  const std::size_t N = from.Vh.size() / from.width;
  for (std::size_t r = 0; r < rank; ++r) {
    to.S[r] = std::ldexp(from.S[r], -from.power);
    if (to.U.empty()) continue;
    const std::size_t M = from.U.size() / from.width;
    const bool is_turned = cpu::largest_is_negative(static_cast<std::int64_t>(M), [&](std::int64_t i) {
      return static_cast<float>(rounded<Real>(double{from.U[static_cast<std::size_t>(i) * from.width + r]}));
    });
    const float sign = is_turned ? -1.0F : 1.0F;
    for (std::size_t i = 0; i < M; ++i) to.U[i * rank + r] = rounded<Real>(sign * from.U[i * from.width + r]);
    for (std::size_t j = 0; j < N; ++j) to.Vh[r * N + j] = rounded<Real>(sign * from.Vh[r * N + j]);
  }
}

}  // namespace assay::metal::host
