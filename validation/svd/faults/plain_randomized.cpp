// The rSVD of the plain kernel: Y = (A A^T)^q A Omega, orthonormalised after each product; B = Q^T A; A ~ Q (B's
// factors).
#include <algorithm>
#include <cmath>

#include "validation/svd/faults/plain_kernel.h"

namespace assay::validation {
namespace {

using Column = std::vector<double>;
using Columns = std::vector<Column>;

/// A x, from the columns of A.
Column times(const Columns& A, std::size_t rows, const Column& x) {
  Column y(rows, 0.0);
  for (std::size_t j = 0; j < A.size(); ++j)
    for (std::size_t i = 0; i < rows; ++i) y[i] += A[j][i] * x[j];
  return y;
}

/// A^T y.
Column transposed_times(const Columns& A, const Column& y) {
  Column x(A.size(), 0.0);
  for (std::size_t j = 0; j < A.size(); ++j)
    for (std::size_t i = 0; i < y.size(); ++i) x[j] += A[j][i] * y[i];
  return x;
}

}  // namespace

PlainSvdKernel::Columns PlainSvdKernel::sketch(const Work&, const Tall& A, std::int64_t count,
                                               std::uint64_t seed) const {
  Random random(seed);
  Columns Y;
  for (std::int64_t r = 0; r < count; ++r) {
    Column omega;
    for (std::size_t j = 0; j < A.columns.size(); ++j) omega.push_back(random.gaussian());
    Y.push_back(times(A.columns, static_cast<std::size_t>(A.rows), omega));
  }
  return Y;
}

std::int64_t PlainSvdKernel::power_iterations(const reference::RandomizedSvd& randomized) const {
  return randomized.power_iterations;
}

std::int64_t PlainSvdKernel::samples(const Work& work, const reference::RandomizedSvd& randomized) const {
  return std::min({work.M, work.N, randomized.rank + randomized.oversampling});
}

/// Modified Gram-Schmidt, twice. A column that vanishes is replaced by one that is orthogonal to the columns before.
void PlainSvdKernel::orthonormalise(Columns& columns) const {
  for (std::size_t k = 0; k < columns.size(); ++k) {
    Column& column = columns[k];
    const double before = std::sqrt(dot(column, column));
    for (int pass = 0; pass < 2; ++pass) {
      for (std::size_t l = 0; l < k; ++l) {
        const double share = dot(columns[l], column);
        for (std::size_t i = 0; i < column.size(); ++i) column[i] -= share * columns[l][i];
      }
    }
    const double norm = std::sqrt(dot(column, column));
    if (norm > 1e-13 * before) {
      for (double& element : column) element /= norm;
    } else {
      PlainSvdKernel::complete(columns, static_cast<std::int64_t>(k));
    }
  }
}

PlainSvdKernel::Factors PlainSvdKernel::random_factors(const Work& work, std::span<const double> matrix,
                                                       const reference::RandomizedSvd& randomized) const {
  Tall A{work.M, Columns(static_cast<std::size_t>(work.N), Column(static_cast<std::size_t>(work.M)))};
  for (std::size_t i = 0; i < matrix.size(); ++i) A.columns[i % A.columns.size()][i / A.columns.size()] = matrix[i];
  const int scale = exponent(work, A);
  for (Column& column : A.columns)
    for (double& element : column) element = std::ldexp(element, -scale);

  Columns Q = sketch(work, A, samples(work, randomized), randomized.seed);
  orthonormalise(Q);
  for (std::int64_t iteration = power_iterations(randomized); iteration > 0; --iteration) {
    Columns Z;
    for (const Column& q : Q) Z.push_back(transposed_times(A.columns, q));
    orthonormalise(Z);
    for (std::size_t r = 0; r < Q.size(); ++r) Q[r] = times(A.columns, static_cast<std::size_t>(work.M), Z[r]);
    orthonormalise(Q);
  }
  Tall B{work.N, {}};  // the columns of B^T = A^T Q
  for (const Column& q : Q) B.columns.push_back(transposed_times(A.columns, q));
  Factors factors = factors_of_tall(work, std::move(B));
  std::swap(factors.U, factors.V);
  const auto rank = static_cast<std::size_t>(randomized.rank);
  factors.U.resize(rank);
  factors.S.resize(rank);
  factors.V.resize(rank);
  for (Column& u : factors.U) u = times(Q, static_cast<std::size_t>(work.M), u);
  for (double& value : factors.S) value = std::ldexp(value, scale);
  make_signs_canonical(factors);
  return factors;
}

}  // namespace assay::validation
