#include "metal/cpu/svd/gram.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <functional>
#include <vector>

#include "metal/cpu/memory.h"
#include "metal/cpu/svd/orthonormal.h"
#include "metal/cpu/svd/pieces.h"
#include "metal/cpu/svd/reflections.h"

namespace assay::metal::cpu {

namespace {

/// Eigenvectors are multiplied with each other where their eigenvalues differ by at most this share. The products of
/// others are at most the sum of their residuals divided by the gap, which max_residual makes max_product.
constexpr double close = 0x1p-12;
/// The largest residual relative to the eigenvalue, and the largest error of V^T V: an eighth of a unit of float.
constexpr double max_residual = 0x1p-40, max_product = 0x1p-27;
/// Rows that are converted to double at a time, and eigenvectors that are multiplied with those close to them.
constexpr std::int64_t rows_at_once = 256, vectors_at_once = 32;

/// Rows of G^T G begin on 64-byte boundaries, but not a multiple of 4 KiB apart.
std::int64_t gram_stride(std::int64_t n) {
  return (n + 15) / 16 * 16 + 8;
}

class GramDecomposition {
 public:
  GramDecomposition(const SvdKernels<double>& kernels, const DenseMatrix<float>& G, Columns columns,
                    std::size_t threads)
      : kernels_(kernels),
        G_(G),
        columns_(columns),
        threads_(threads),
        n_(G.columns),
        at_once_(std::min(rows_at_once, G.rows)),
        row_workers_(std::min(static_cast<std::int64_t>(threads), (G.rows + at_once_ - 1) / at_once_)),
        stride_(gram_stride(n_)),
        padded_rows_((n_ + 3) / 4 * 4),
        work_size_(4 * n_ * svd_lanes<double> * svd_pieces(n_) + (3 + svd_max_pieces) * stride_),
        memory_(padded_rows_ * stride_ + work_size_ + n_ * (n_ + 2 * row_workers_ * at_once_), AtEnd::keep),
        gram_{memory_.data(), n_, n_, stride_},
        work_{gram_.row(padded_rows_)},
        V_{work_ + work_size_, n_, n_, n_},
        rows_{V_.row(n_)},
        lambda_(static_cast<std::size_t>(n_)) {}

  bool run(const GramFactors& factors) {
    add_up();
    std::vector<double> diagonal(lambda_.size()), off_diagonal(lambda_.size()), reflections(lambda_.size());
    kernels_.tridiagonalize({gram_.data, n_, stride_, threads_}, diagonal.data(), off_diagonal.data(),
                            reflections.data(), work_);
    if (!find_eigenvalues(diagonal, off_diagonal) || !find_eigenvectors()) return false;
    for (std::size_t r = 0; r < lambda_.size(); ++r) factors.sigma[r] = static_cast<float>(std::sqrt(lambda_[r]));
    if (factors.left.data == nullptr) return true;
    apply_reflections<double>({gram_, reflections, 1}, V_, threads_);
    for (std::int64_t j = 0; j < n_; ++j) std::copy_n(V_.row(j), n_, factors.right.row(j));
    write_left(factors.left);
    return well_conditioned(Columns::any) || orthonormalize_in_order(factors.left);
  }

 private:
  double lambda(std::int64_t r) const { return lambda_[static_cast<std::size_t>(r)]; }

  /// A thread's memory for [2 at_once, n].
  double* memory_of(std::size_t worker) const { return rows_ + 2 * static_cast<std::int64_t>(worker) * at_once_ * n_; }

  /// Some rows in double.
  DenseMatrix<double> load_rows(std::int64_t first, std::int64_t count, double* memory) const {
    const DenseMatrix<double> rows = {memory, count, n_, n_};
    for (std::int64_t i = 0; i < count; ++i) std::copy_n(G_.row(first + i), n_, rows.row(i));
    return rows;
  }

  /// G^T G, as SvdSymmetric says.
  void add_up() const {
    std::fill_n(gram_.data, padded_rows_ * stride_, 0.0);
    for (std::int64_t first = 0; first < G_.rows; first += at_once_) {
      const DenseMatrix<double> rows = load_rows(first, std::min(at_once_, G_.rows - first), rows_);
      for_column_pieces(threads_, n_, [&](std::int64_t column, std::int64_t columns) {
        const DenseMatrix<double> some = {rows.data + column, rows.rows, columns, n_},
                                  before = {rows.data, rows.rows, column, n_};
        add_gram(some, {gram_.row(column) + column, columns, columns, stride_});
        if (column > 0)
          multiply(1.0, Transpose::yes, some, Transpose::no, before, 1.0,
                   {gram_.row(column), columns, column, stride_});
      });
    }
    for (std::int64_t i = 0; i < n_; ++i)
      for (std::int64_t j = i / svd_lanes<double> * svd_lanes<double>; j < i; ++j) gram_.row(j)[i] = gram_.row(i)[j];
  }

  /// The eigenvalues of T = L D L^T, those below 2^-10 of the largest one approximately.
  bool find_eigenvalues(const std::vector<double>& diagonal, const std::vector<double>& off_diagonal) {
    d_ = diagonal;
    l_ = off_diagonal;
    for (std::size_t i = 0; i < d_.size(); ++i) {
      if (!(d_[i] > 0)) return false;
      if (i + 1 == d_.size()) break;
      l_[i] = off_diagonal[i] / d_[i];
      d_[i + 1] -= off_diagonal[i] * l_[i];
    }
    kernels_.eigenvalues({n_, diagonal.data(), off_diagonal.data(), threads_}, lambda_.data(), work_);
    return well_conditioned(columns_);
  }

  bool well_conditioned(Columns columns) const {
    return lambda_.front() <= max_gram_quotient(G_.rows, n_, columns) * lambda_.back();
  }

  /// Computes the eigenvectors of T in the columns of V. Returns false where some are not orthogonal or not accurate.
  bool find_eigenvectors() {
    std::vector<double> residuals(lambda_.size());
    kernels_.eigenvectors({n_, d_.data(), l_.data(), threads_}, lambda_.data(), V_.data, residuals.data(), work_);
    for (std::size_t r = 0; r < lambda_.size(); ++r)
      if (!(residuals[r] <= max_residual * lambda_[r])) return false;
    if (!std::ranges::is_sorted(lambda_, std::greater<>())) return false;
    std::atomic<bool> all_orthogonal = true;
    for_ranges(static_cast<std::size_t>(row_workers_), n_, vectors_at_once,
               [&](std::size_t worker, std::int64_t first, std::int64_t count) {
                 if (all_orthogonal && !orthogonal(first, count, memory_of(worker))) all_orthogonal = false;
               });
    return all_orthogonal;
  }

  /// Whether `count` vectors from `first` on are, to each other and to those close to the last. Products are written to
  /// `memory`.
  bool orthogonal(std::int64_t first, std::int64_t count, double* memory) const {
    const std::int64_t last = first + count;
    std::int64_t end = last;
    while (end < n_ && lambda(last - 1) - lambda(end) <= close * lambda(last - 1)) ++end;
    const DenseMatrix<double> some = {V_.data + first, n_, count, n_}, all = {some.data, n_, end - first, n_};
    const DenseMatrix<double> products = {memory, some.columns, all.columns, n_};
    multiply(1.0, Transpose::yes, some, Transpose::no, all, 0.0, products);
    for (std::int64_t r = 0; r < products.rows; ++r)
      for (std::int64_t s = 0; s < products.columns; ++s)
        if (!(std::abs(products.row(r)[s] - (r == s ? 1 : 0)) <= max_product)) return false;
    return true;
  }

  void write_left(const DenseMatrix<float>& left) const {
    std::vector<double> inverse(lambda_.size());
    for (std::size_t r = 0; r < lambda_.size(); ++r) inverse[r] = 1 / std::sqrt(lambda_[r]);
    for_ranges(static_cast<std::size_t>(row_workers_), G_.rows, at_once_,
               [&](std::size_t worker, std::int64_t first, std::int64_t count) {
                 const DenseMatrix<double> rows = load_rows(first, count, memory_of(worker));
                 const DenseMatrix<double> to = {rows.row(at_once_), count, n_, n_};
                 multiply(1.0, Transpose::no, rows, Transpose::no, V_, 0.0, to);
                 for (std::int64_t i = 0; i < count; ++i)
                   for (std::size_t r = 0; r < inverse.size(); ++r)
                     left.row(first + i)[r] = static_cast<float>(to.row(i)[r] * inverse[r]);
               });
  }

  const SvdKernels<double>& kernels_;
  const DenseMatrix<float>& G_;
  Columns columns_;
  std::size_t threads_;
  std::int64_t n_, at_once_, row_workers_, stride_, padded_rows_, work_size_;
  AlignedMemory<double> memory_;
  DenseMatrix<double> gram_;
  double* work_;
  DenseMatrix<double> V_;
  double* rows_;
  std::vector<double> d_, l_, lambda_;
};

}  // namespace

double max_gram_quotient(std::int64_t m, std::int64_t n, Columns columns) {
  return (columns == Columns::even ? 0x1p39 : 0x1p29) / std::sqrt(static_cast<double>(m + n));
}

bool decompose_by_gram(const SvdKernels<double>& kernels, const DenseMatrix<float>& G, Columns columns,
                       const GramFactors& factors, std::size_t threads) {
  return GramDecomposition(kernels, G, columns, threads).run(factors);
}

}  // namespace assay::metal::cpu
