// The decomposition of a matrix of floats by the eigenvalues of its Gram matrix in double:
//
//   G^T G = V diag(lambda) V^T,   sigma = sqrt(lambda),   left = G V diag(sigma)^-1,   right = V
//
// Products of floats are exact in double. Sums and the reduction to tridiagonal form move every eigenvalue by about
// sqrt(m + n) units of roundoff of double times the largest one. Where that is at most one unit of roundoff of float
// times the smallest one, singular values and products of left vectors are as accurate as floats can be. Up to 2^10
// times that, left vectors are made orthonormal, and singular values are as accurate as promised where no column is
// much shorter than another. metal/cpu/svd/README.md derives both limits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "metal/cpu/blas.h"
#include "metal/cpu/svd/kernels.h"

namespace assay::metal::cpu {

/// From so many columns on it is faster than Jacobi's method.
inline constexpr std::int64_t min_gram_columns = 33;

/// Lengths of columns: of any quotient, or of a quotient of at most 8.
enum class Columns { any, even };

/// The largest square of a condition, of a matrix [m, n]: 2^29 / sqrt(m + n), or 2^10 times that.
double max_gram_quotient(std::int64_t m, std::int64_t n, Columns columns);

/// Where the factors go: sigma [n] in falling order, left [m, n] and right [n, n]; left and right are null, or both are
/// not.
struct GramFactors {
  float* sigma = nullptr;
  DenseMatrix<float> left, right;
};

/// Returns false where the square of the condition of G [m, n], m >= n, is above max_gram_quotient, or singular values
/// are so close to each other that the vectors computed for them are not orthogonal; the outputs may then have been
/// overwritten. With and without vectors and for any number of threads it returns the same, and the same bits.
bool decompose_by_gram(const SvdKernels<double>& kernels, const DenseMatrix<float>& G, Columns columns,
                       const GramFactors& factors, std::size_t threads = 1);

}  // namespace assay::metal::cpu
