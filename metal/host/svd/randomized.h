// What the rSVD does on the host: the matrix as floats, and the triplets that were asked for.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "metal/cpu/half.h"
#include "metal/cpu/svd/svd.h"

namespace assay::metal::host {

/// A matrix times 2^power, exactly but for elements 2^-126 of the largest.
struct ScaledMatrix {
  std::vector<float> elements;
  int power = 0;
};

/// With its largest element in [1/2, 1).
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

/// Whether the first of the largest elements of a column of U [M, width], as they are stored, is negative.
template <class Real>
bool is_to_be_turned(std::span<const float> U, std::size_t width, std::size_t column) {
  float largest = 0, first = 0;
  for (std::size_t at = column; at < U.size(); at += width) {
    const float stored = std::fabs(static_cast<float>(rounded<Real>(double{U[at]})));
    if (stored <= largest) continue;
    largest = stored;
    first = U[at];
  }
  return first < 0;
}

/// The first `rank` triplets, rounded once, with the signs of reference/svd/problem.h. Vectors may be unwanted.
template <class Real>
void write_triplets(const WideFactors& from, std::size_t rank, const SvdOutput<Real>& to) {
  const std::size_t N = from.Vh.size() / from.width;
  for (std::size_t r = 0; r < rank; ++r) {
    to.S[r] = std::ldexp(from.S[r], -from.power);
    if (to.U.empty()) continue;
    const float sign = is_to_be_turned<Real>(from.U, from.width, r) ? -1.0F : 1.0F;
    for (std::size_t i = 0; i * from.width < from.U.size(); ++i)
      to.U[i * rank + r] = rounded<Real>(sign * from.U[i * from.width + r]);
    for (std::size_t j = 0; j < N; ++j) to.Vh[r * N + j] = rounded<Real>(sign * from.Vh[r * N + j]);
  }
}

}  // namespace assay::metal::host
