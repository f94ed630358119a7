#include "metal/cpu/svd/householder.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <utility>

namespace assay::metal::cpu {

namespace {

template <class T>
class Factorization {
 public:
  Factorization(const SvdKernels<T>& kernels, const DenseMatrix<T>& A, Pivoting pivoting)
      : kernels_(kernels), A_(A), pivoting_(pivoting), squares_(static_cast<std::size_t>(A.stride)) {
    v_.resize(static_cast<std::size_t>(A.rows));
    permutation_.resize(static_cast<std::size_t>(A.columns));
    std::iota(permutation_.begin(), permutation_.end(), std::int64_t{0});
    if (pivoting_ == Pivoting::none) return;
    for (std::int64_t i = 0; i < A.rows; ++i)
      for (std::int64_t j = 0; j < A.stride; ++j) square(j) += A.row(i)[j] * A.row(i)[j];
  }

  std::int64_t run() {
    for (std::int64_t j = 0; j < A_.columns; ++j) {
      if (pivoting_ == Pivoting::columns) bring_largest(j);
      if (!eliminate(j) && pivoting_ == Pivoting::columns) return j;
    }
    return A_.columns;
  }

  std::vector<std::int64_t> permutation() && { return std::move(permutation_); }

 private:
  T& square(std::int64_t j) { return squares_[static_cast<std::size_t>(j)]; }

  /// Exchanges column j with the column that has the largest norm in the rows left.
  void bring_largest(std::int64_t j) {
    std::int64_t largest = j;
    for (std::int64_t k = j + 1; k < A_.columns; ++k)
      if (square(k) > square(largest)) largest = k;
    if (largest == j) return;
    std::swap(permutation_[static_cast<std::size_t>(j)], permutation_[static_cast<std::size_t>(largest)]);
    square(largest) = square(j);
    for (std::int64_t i = 0; i < A_.rows; ++i) std::swap(A_.row(i)[j], A_.row(i)[largest]);
  }

  /// Makes the elements below the diagonal of column j 0. Returns false where all elements left are 0.
  bool eliminate(std::int64_t j) {
    T sum = 0;
    for (std::int64_t first = j; first < A_.rows; first += 64) {  // sums of partial sums lose fewer digits
      T part = 0;
      for (std::int64_t i = first; i < std::min(first + 64, A_.rows); ++i) {
        const T x = A_.row(i)[j];
        v_[static_cast<std::size_t>(i - j)] = x;
        part += x * x;
      }
      sum += part;
    }
    if (!(sum > std::numeric_limits<T>::min())) {
      for (std::int64_t i = j; i < A_.rows; ++i) A_.row(i)[j] = 0;
      return false;
    }
    const T norm = std::sqrt(sum), first = v_[0], diagonal = first > 0 ? -norm : norm;
    v_[0] = first - diagonal;
    kernels_.reflect({A_.data, A_.rows, A_.columns, A_.stride, j}, v_.data(), T(1) / (norm * std::abs(v_[0])),
                     squares_.data());
    A_.row(j)[j] = diagonal;
    return true;
  }

  const SvdKernels<T>& kernels_;
  DenseMatrix<T> A_;
  Pivoting pivoting_;
  std::vector<T> squares_, v_;
  std::vector<std::int64_t> permutation_;
};

}  // namespace

template <class T>
std::int64_t householder(const SvdKernels<T>& kernels, const DenseMatrix<T>& A, Pivoting pivoting,
                         std::vector<std::int64_t>& permutation) {
  Factorization<T> factorization(kernels, A, pivoting);
  const std::int64_t rows = factorization.run();
  permutation = std::move(factorization).permutation();
  return rows;
}

template std::int64_t householder(const SvdKernels<float>&, const DenseMatrix<float>&, Pivoting,
                                  std::vector<std::int64_t>&);
template std::int64_t householder(const SvdKernels<double>&, const DenseMatrix<double>&, Pivoting,
                                  std::vector<std::int64_t>&);

}  // namespace assay::metal::cpu
