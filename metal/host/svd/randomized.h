// The part of the rSVD on the host: converts matrices to floats, and writes the triplets that are wanted.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "metal/cpu/half.h"
#include "metal/cpu/svd/signs.h"
#include "metal/cpu/svd/svd.h"
#include "metal/host/svd/outputs.h"

namespace assay::metal::host {

/// B matrices of one shape, matrix b times 2^powers[b].
struct ScaledMatrices {
  std::vector<float> elements;
  std::vector<int> powers;
};

/// Scales each matrix so that its largest element is in [1/2, 1). Exact, except for elements below 2^-126 of the
/// largest.
template <class Real>
ScaledMatrices scaled_matrices(std::span<const Real> matrices, std::size_t B) {
  ScaledMatrices result;
  result.elements.reserve(matrices.size());
  for (std::size_t b = 0; b < B; ++b) {
    const std::span<const Real> matrix = part_of(matrices, B, b);
    double largest = 0;
    for (const Real x : matrix) largest = std::fmax(largest, std::fabs(static_cast<double>(x)));
    const int power = largest == 0 ? 0 : -1 - std::ilogb(largest);
    for (const Real x : matrix)
      result.elements.push_back(static_cast<float>(std::ldexp(static_cast<double>(x), power)));
    result.powers.push_back(power);
  }
  return result;
}

/// Thin factors of one matrix: U [M, width], S [width], Vh [width, N].
struct MatrixFactors {
  std::span<const float> U, S, Vh;
};

/// Thin factors of matrices of one shape: U [B, M, width], S [B, width], Vh [B, width, N].
struct ThinFactors {
  std::vector<float> U, S, Vh;

  MatrixFactors of(std::size_t B, std::size_t b) const {
    return {part_of(std::span(U), B, b), part_of(std::span(S), B, b), part_of(std::span(Vh), B, b)};
  }
};

/// Writes the first `rank` triplets of one matrix times 2^power, rounded once, with the signs of
/// reference/svd/problem.h. to.U and to.Vh may both be empty.
template <class Real>
void write_triplets(const MatrixFactors& from, int power, std::size_t rank, const SvdOutput<Real>& to) {
  const std::size_t width = from.S.size(), M = from.U.size() / width, N = from.Vh.size() / width;
  for (std::size_t r = 0; r < rank; ++r) {
    to.S[r] = std::ldexp(from.S[r], -power);
    if (to.U.empty()) continue;
    const bool is_turned = cpu::largest_is_negative(static_cast<std::int64_t>(M), [&](std::int64_t i) {
      return static_cast<float>(rounded<Real>(double{from.U[static_cast<std::size_t>(i) * width + r]}));
    });
    const float sign = is_turned ? -1.0F : 1.0F;
    for (std::size_t i = 0; i < M; ++i) to.U[i * rank + r] = rounded<Real>(sign * from.U[i * width + r]);
    for (std::size_t j = 0; j < N; ++j) to.Vh[r * N + j] = rounded<Real>(sign * from.Vh[r * N + j]);
  }
}

}  // namespace assay::metal::host
