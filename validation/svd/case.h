// One batch of matrices that owns its data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "reference/svd/problem.h"
#include "validation/core/dtype.h"

namespace assay::validation {

using reference::SvdProblem;

struct SvdFields;

/// Shapes as in reference/svd/problem.h. Elements are kept as float64, which holds all other types exactly.
struct SvdCase {
  using Fields = SvdFields;

  std::int64_t B = 0;
  std::int64_t M = 1;
  std::int64_t N = 1;
  Dtype dtype = Dtype::float32;
  std::vector<double> A;

  /// The problem of the float64 images.
  SvdProblem<double> view() const;

  std::int64_t K() const { return view().K(); }

  double& at(std::int64_t b, std::int64_t i, std::int64_t j) { return A[offset(b, i, j)]; }
  double at(std::int64_t b, std::int64_t i, std::int64_t j) const { return A[offset(b, i, j)]; }

  /// Equal in every bit: a NaN equals itself, and 0 differs from -0.
  bool operator==(const SvdCase& other) const;

 private:
  std::size_t offset(std::int64_t b, std::int64_t i, std::int64_t j) const {
    return static_cast<std::size_t>((b * M + i) * N + j);
  }
};

/// The type of the singular values of a case.
inline Dtype value_dtype(Dtype dtype) {
  return dtype == Dtype::float64 ? Dtype::float64 : Dtype::float32;
}

/// Throws std::invalid_argument naming the size or element that keeps `c` from being a problem.
void require_valid(const SvdCase& c);

/// The matrices `which` of `c`, in that order.
SvdCase select_matrices(const SvdCase& c, const std::vector<std::int64_t>& which);
SvdCase select_matrix(const SvdCase& c, std::int64_t b);

/// The rows, or the columns, `which` of every matrix, in that order.
SvdCase select_rows(const SvdCase& c, const std::vector<std::int64_t>& which);
SvdCase select_columns(const SvdCase& c, const std::vector<std::int64_t>& which);

SvdCase transposed(const SvdCase& c);

/// The largest |element| of matrix b; 0 if the matrix is empty.
double largest_element(const SvdCase& c, std::int64_t b);

/// `factor` times the Frobenius norm of matrix b. With a small factor the product is finite even if the norm overflows.
double frobenius_norm(const SvdCase& c, std::int64_t b, double factor = 1);

}  // namespace assay::validation
