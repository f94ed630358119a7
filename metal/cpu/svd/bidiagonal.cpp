#include "metal/cpu/svd/bidiagonal.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "metal/cpu/memory.h"
#include "metal/cpu/svd/divide.h"
#include "metal/cpu/svd/lapack.h"
#include "metal/cpu/svd/pieces.h"
#include "metal/cpu/svd/reflections.h"
#include "metal/cpu/svd/transpose.h"

namespace assay::metal::cpu {

namespace {

template <class T>
void transpose(const DenseMatrix<T>& from, const DenseMatrix<T>& to) {
  transpose([&](std::int64_t i) { return from.row(i); }, to);
}

/// G^T = Q B P^T, B lower bidiagonal: Q the product of the left reflections, P that of the right ones.
template <class T>
class BidiagonalDecomposition {
 public:
  BidiagonalDecomposition(const SvdKernels<T>& kernels, std::int64_t m, std::int64_t n, std::size_t threads)
      : kernels_(kernels),
        threads_(threads),
        m_(m),
        n_(n),
        stride_(whole_registers<T>(svd_ahead + m)),
        left_stride_(whole_registers<T>(n + 3)),
        memory_((n + 3 + update_rows) * stride_ + (n + 1) * left_stride_ + 4 * n * n, AtEnd::keep),
        rows_(memory_.data()),
        updates_(rows_ + (n + 3) * stride_),
        left_(updates_ + update_rows * stride_),
        diagonal_(static_cast<std::size_t>(n)),
        off_diagonal_(diagonal_.size()),
        right_factors_(diagonal_.size()),
        left_factors_(diagonal_.size()) {
    for (std::int64_t r = 0; r < n; ++r) {
      std::fill_n(rows_ + r * stride_, svd_ahead, T(0));
      std::fill(rows_ + r * stride_ + svd_ahead + m, rows_ + (r + 1) * stride_, T(0));
    }
    std::fill_n(rows_ + n * stride_, (3 + update_rows) * stride_, T(0));
    std::fill_n(left_ + n * left_stride_, left_stride_, T(0));
  }

  /// Where G^T is to be written.
  DenseMatrix<T> transposed() const { return {rows_ + svd_ahead, n_, m_, stride_}; }

  bool run(const BidiagonalFactors<T>& factors) {
    reduce();
    const auto square = [&](std::int64_t i) {
      return DenseMatrix<T>{left_ + (n_ + 1) * left_stride_ + i * n_ * n_, n_, n_, n_};
    };
    const DivideMemory<T> of = {square(0), square(1), square(2), square(3)};
    std::vector<std::int64_t> order;
    if (!bidiagonal_svd(kernels_, diagonal_, off_diagonal_, of, order, threads_)) return false;  // B^T = U diag(S) V^T
    for (std::size_t r = 0; r < order.size(); ++r) factors.sigma[r] = diagonal_[static_cast<std::size_t>(order[r])];
    if (factors.left.data == nullptr) return true;
    const auto in_order = [&](const DenseMatrix<T>& vectors) {
      return [&](std::int64_t r) { return vectors.row(order[static_cast<std::size_t>(r)]); };
    };
    transpose(in_order(of.Vt), factors.right);
    apply_reflections<T>({{left_, n_, n_, left_stride_}, left_factors_, 1}, factors.right, threads_);
    transpose(in_order(of.Ut), DenseMatrix<T>{factors.left.data, n_, n_, factors.left.stride});
    for (std::int64_t i = n_; i < m_; ++i) std::fill_n(factors.left.row(i), n_, T(0));
    apply_reflections<T>({transposed(), right_factors_, 0}, factors.left, threads_);
    return true;
  }

 private:
  static constexpr std::int64_t update_rows = svd_ahead + svd_max_pieces - 1;

  void reduce() {
    for (std::int64_t first = 0; first < n_; first += svd_panel) {
      const std::int64_t count = std::min(svd_panel, n_ - first), next = first + count;
      kernels_.bidiagonalize(
          {rows_, n_, stride_, first, count, updates_, left_, left_stride_, left_ + n_ * left_stride_, threads_},
          diagonal_.data(), off_diagonal_.data(), right_factors_.data(), left_factors_.data());
      if (next == n_) return;
      const DenseMatrix<T> of_rows = {rows_ + next * stride_, n_ - next, 2 * count, stride_};
      const DenseMatrix<T> of_columns = {updates_ + svd_ahead + next, 2 * count, m_ - next, stride_};
      multiply_in_pieces(threads_, T(-1), Transpose::no, of_rows, of_columns, T(1),
                         {of_rows.data + svd_ahead + next, n_ - next, m_ - next, stride_});
    }
  }

  const SvdKernels<T>& kernels_;
  std::size_t threads_;
  std::int64_t m_, n_, stride_, left_stride_;
  AlignedMemory<T> memory_;
  T *rows_, *updates_, *left_;
  std::vector<T> diagonal_, off_diagonal_, right_factors_, left_factors_;
};

/// Decomposes the triangular factor of a matrix with many rows: G^T = L Q^T.
template <class T>
bool decompose_tall(const SvdKernels<T>& kernels, const DenseMatrix<T>& G, const BidiagonalFactors<T>& factors,
                    std::size_t threads) {
  const std::int64_t m = G.rows, n = G.columns;
  AlignedMemory<T> memory(n * m), of_triangle(n * n);
  const DenseMatrix<T> Qt = {memory.data(), n, m, m}, left = {of_triangle.data(), n, n, n};
  BidiagonalDecomposition<T> decomposition(kernels, n, n, threads);
  transpose(G, Qt);
  orthonormalize_rows(Qt, decomposition.transposed());
  if (factors.left.data == nullptr) return decomposition.run(factors);
  if (!decomposition.run({factors.sigma, left, factors.right})) return false;
  multiply_in_pieces(threads, T(1), Transpose::yes, Qt, left, T(0), factors.left);
  return true;
}

}  // namespace

template <class T>
bool decompose_by_bidiagonal(const SvdKernels<T>& kernels, const DenseMatrix<T>& G, const BidiagonalFactors<T>& factors,
                             std::size_t threads) {
  if (G.rows > std::numeric_limits<int>::max() / (G.columns + 1) / 8) return false;
  if (G.rows > 2 * G.columns) return decompose_tall(kernels, G, factors, threads);
  BidiagonalDecomposition<T> decomposition(kernels, G.rows, G.columns, threads);
  transpose(G, decomposition.transposed());
  return decomposition.run(factors);
}

template bool decompose_by_bidiagonal(const SvdKernels<float>&, const DenseMatrix<float>&,
                                      const BidiagonalFactors<float>&, std::size_t);
template bool decompose_by_bidiagonal(const SvdKernels<double>&, const DenseMatrix<double>&,
                                      const BidiagonalFactors<double>&, std::size_t);

}  // namespace assay::metal::cpu
