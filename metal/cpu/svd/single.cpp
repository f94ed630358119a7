#include "metal/cpu/svd/single.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "metal/cpu/blas.h"
#include "metal/cpu/memory.h"
#include "metal/cpu/svd/bidiagonal.h"
#include "metal/cpu/svd/gram.h"
#include "metal/cpu/svd/householder.h"
#include "metal/cpu/svd/orthonormal.h"
#include "metal/cpu/svd/signs.h"

namespace assay::metal::cpu {

namespace {

std::size_t index(std::int64_t i) {
  return static_cast<std::size_t>(i);
}

/// The largest quotient of diagonal elements of R for which left vectors are computed from right ones.
template <class T>
constexpr T max_condition = sizeof(T) == 4 ? T(0x1p12) : T(0x1p26);

template <class T>
class Decomposition {
 public:
  Decomposition(const SvdMatrix<T>& matrix, const SvdTuning& tuning, std::size_t threads)
      : matrix_(matrix),
        tuning_(tuning),
        threads_(threads),
        kernels_(svd_kernels<T>(tuning.set)),
        transposed_(matrix.M < matrix.N),
        m_(std::max(matrix.M, matrix.N)),
        n_(std::min(matrix.M, matrix.N)),
        stride_(whole_registers<T>(n_)),
        G_memory_(m_ * stride_),
        G_{G_memory_.data(), m_, n_, stride_},
        order_(index(n_)),
        sigma_(index(n_)) {}

  SvdEnd run() {
    if (!load()) return SvdEnd::not_finite;
    if (gram_will_do() && by_gram()) return SvdEnd::done;
    if (bidiagonal_will_do() && by_bidiagonal()) return SvdEnd::done;
    if (tuning_.method != SvdMethod::direct) {
      const SvdEnd end = preconditioned();
      if (end == SvdEnd::not_converged || done_) return end;
    }
    return direct();
  }

 private:
  /// Loads G, scaled by a power of two. Returns false where an element is not finite.
  bool load() {
    if (!find_svd_scale(matrix_.A, m_, n_, scale_)) return false;
    const T up[2] = {scale_.up[0], scale_.up[1]};
    for (std::int64_t i = 0; i < m_; ++i) {
      T* const to = G_.row(i);
      if (transposed_) {
        for (std::int64_t j = 0; j < n_; ++j) to[j] = matrix_.A[j * m_ + i] * up[0] * up[1];
      } else {
        for (std::int64_t j = 0; j < n_; ++j) to[j] = matrix_.A[i * n_ + j] * up[0] * up[1];
      }
      std::fill(to + n_, to + stride_, T(0));
    }
    return true;
  }

  /// Whether the lengths of columns, of which the condition is at least the quotient, permit it.
  bool gram_will_do() const {
    if (sizeof(T) != sizeof(float)) return false;
    if (tuning_.method == SvdMethod::gram) return true;
    return tuning_.method == SvdMethod::automatic && n_ >= min_gram_columns &&
           static_cast<double>(unevenness()) <= max_gram_quotient(m_, n_, Columns::any);
  }

  bool by_gram() {
    if constexpr (sizeof(T) == sizeof(float)) {
      AlignedMemory<T> left(matrix_.U == nullptr ? 0 : m_ * n_), right(matrix_.U == nullptr ? 0 : n_ * n_);
      GramFactors factors = {sigma_.data(), {}, {}};
      if (matrix_.U != nullptr) {
        factors.left = {left.data(), m_, n_, n_};
        factors.right = {right.data(), n_, n_, n_};
      }
      const Columns columns = columns_are_even() ? Columns::even : Columns::any;
      if (!decompose_by_gram(svd_kernels<double>(tuning_.set), G_, columns, factors, threads_)) return false;
      write_values();
      if (matrix_.U != nullptr) write(factors.left, factors.right);
      return true;
    }
    return false;
  }

  bool bidiagonal_will_do() const {
    if (tuning_.method == SvdMethod::bidiagonal) return true;
    return tuning_.method == SvdMethod::automatic && n_ >= min_bidiagonal_columns<T> && columns_are_even();
  }

  bool columns_are_even() const { return unevenness() <= T(64); }

  /// The quotient of the largest and the smallest squared norm of a column.
  T unevenness() const {
    if (unevenness_) return *unevenness_;
    std::vector<T> squares(index(n_));
    for (std::int64_t i = 0; i < m_; ++i) {
      const T* const row = G_.row(i);
      for (std::size_t j = 0; j < squares.size(); ++j) squares[j] += row[j] * row[j];
    }
    const auto [least, most] = std::ranges::minmax(squares);
    return *(unevenness_ = most / least);
  }

  bool by_bidiagonal() {
    AlignedMemory<T> right(matrix_.U == nullptr ? 0 : n_ * n_);
    BidiagonalFactors<T> factors = {sigma_.data(), {}, {}};
    if (matrix_.U != nullptr) {
      factors.left = G_;
      factors.right = {right.data(), n_, n_, n_};
    }
    if (!decompose_by_bidiagonal(kernels_, G_, factors, threads_)) return false;
    write_values();
    if (matrix_.U != nullptr) write(factors.left, factors.right);
    return true;
  }

  SvdEnd preconditioned() {
    std::vector<std::int64_t> permutation;
    AlignedMemory<T> memory;
    const DenseMatrix<T> R = triangular_factor(memory, permutation);
    if (R.rows < n_ || badly_conditioned(R)) return SvdEnd::done;
    const SvdBlocks<T> X = blocks(n_, 0);
    for (std::int64_t j = 0; j < n_; ++j)
      for (std::int64_t k = j; k < n_; ++k) *element(X, permutation[index(k)], j) = R.row(j)[k];
    if (!orthogonalize(X)) return SvdEnd::not_converged;
    if (matrix_.U != nullptr) {
      const DenseMatrix<T> V = {memory.data(), n_, n_, stride_};
      gather(X, 0, true, V);
      AlignedMemory<T> product(m_ * stride_);
      const DenseMatrix<T> Y = {product.data(), m_, n_, stride_};
      multiply(T(1), Transpose::no, G_, Transpose::no, V, T(0), Y);
      for (std::int64_t i = 0; i < m_; ++i)
        for (std::int64_t r = 0; r < n_; ++r) Y.row(i)[r] /= sigma_[index(r)];
      if (!orthonormalize_in_order(Y)) return SvdEnd::done;
      write(Y, V);
    }
    write_values();
    done_ = true;
    return SvdEnd::done;
  }

  /// R, in the first rows of a copy of G. With many rows, copies some at a time, below the R of those before.
  DenseMatrix<T> triangular_factor(AlignedMemory<T>& memory, std::vector<std::int64_t>& permutation) {
    const std::int64_t some = std::max<std::int64_t>(2 * n_, 1024), at_once = m_ <= 2 * some ? m_ : some + n_;
    memory = AlignedMemory<T>(std::max(at_once, n_) * stride_);
    DenseMatrix<T> R = {memory.data(), at_once, n_, stride_};
    std::int64_t taken = at_once;
    std::memcpy(R.data, G_.data, index(taken * stride_) * sizeof(T));
    while (taken < m_) {
      householder(kernels_, R, Pivoting::none, permutation);
      for (std::int64_t i = 0; i < n_; ++i) std::fill_n(R.row(i), i, T(0));
      const std::int64_t next = std::min(some, m_ - taken);
      std::memcpy(R.row(n_), G_.row(taken), index(next * stride_) * sizeof(T));
      R.rows = n_ + next;
      taken += next;
    }
    R.rows = householder(kernels_, R, Pivoting::columns, permutation);
    return R;
  }

  bool badly_conditioned(const DenseMatrix<T>& R) const {
    T least = std::abs(R.row(0)[0]);
    for (std::int64_t j = 1; j < n_; ++j) least = std::min(least, std::abs(R.row(j)[j]));
    return !(std::abs(R.row(0)[0]) <= max_condition<T> * least);
  }

  SvdEnd direct() {
    const std::int64_t more = matrix_.U == nullptr ? 0 : n_;
    const SvdBlocks<T> X = blocks(m_, more);
    for (std::int64_t i = 0; i < m_; ++i)
      for (std::int64_t j = 0; j < n_; ++j) *element(X, i, j) = G_.row(i)[j];
    for (std::int64_t j = 0; j < more; ++j) *element(X, X.rows + j, j) = T(1);
    if (!orthogonalize(X)) return SvdEnd::not_converged;
    write_values();
    if (matrix_.U == nullptr) return SvdEnd::done;
    AlignedMemory<T> memory(n_ * stride_);
    const DenseMatrix<T> V = {memory.data(), n_, n_, stride_};
    gather(X, X.rows, false, V);
    polish(V);
    gather(X, 0, true, G_);
    const std::int64_t rank = n_ - std::ranges::count(sigma_, T(0));
    if (rank < n_) complete_columns<T>({G_.data, m_, n_, stride_, 1}, rank);
    write(G_, V);
    return SvdEnd::done;
  }

  /// Blocks of zeros for the columns: an even number, at least two.
  SvdBlocks<T> blocks(std::int64_t rows, std::int64_t more_rows) {
    SvdBlocks<T> X;
    X.rows = (rows + 3) / 4 * 4;
    X.more_rows = (more_rows + 3) / 4 * 4;
    X.stride = svd_block_stride<T>(X.rows + X.more_rows);
    X.count = (n_ + 2 * svd_lanes<T> - 1) / (2 * svd_lanes<T>)*2;
    X_memory_ = AlignedMemory<T>(X.count * X.stride);
    X.data = X_memory_.data();
    std::memset(X.data, 0, index(X.count * X.stride) * sizeof(T));
    return X;
  }

  static T* element(const SvdBlocks<T>& X, std::int64_t row, std::int64_t column) {
    return X.data + column / svd_lanes<T> * X.stride + row * svd_lanes<T> + column % svd_lanes<T>;
  }

  /// Rotates, and sets the order of the columns and their norms.
  bool orthogonalize(const SvdBlocks<T>& X) {
    if (kernels_.orthogonalize(X, n_, tuning_.sweep_limit) == 0) return false;
    std::vector<T> squares(index(X.count * svd_lanes<T>)), of_rotations(squares.size());
    kernels_.squared_norms(X, squares.data());
    kernels_.squared_norms({X.data + X.rows * svd_lanes<T>, X.count, X.stride, X.more_rows, 0}, of_rotations.data());
    for (T& square : squares)
      if (!(square > svd_smallest_square<T>)) square = 0;
    // Columns that are 0 come before those that fill the last block, whose rotations are 0 too.
    const auto key = [&](std::int64_t j) { return std::pair(squares[index(j)], std::round(of_rotations[index(j)])); };
    std::vector<std::int64_t> all(squares.size());
    std::iota(all.begin(), all.end(), std::int64_t{0});
    std::ranges::stable_sort(all, std::greater<>(), key);
    std::copy_n(all.begin(), n_, order_.begin());
    for (std::int64_t r = 0; r < n_; ++r) sigma_[index(r)] = std::sqrt(squares[index(order_[index(r)])]);
    return true;
  }

  /// Copies the rows of X from `first` on, with columns in order; divides by sigma where `normalized`.
  void gather(const SvdBlocks<T>& X, std::int64_t first, bool normalized, const DenseMatrix<T>& to) const {
    std::vector<const T*> column(index(n_));
    std::vector<T> factor(index(n_), T(1));
    for (std::int64_t r = 0; r < n_; ++r) {
      column[index(r)] = element(X, first, order_[index(r)]);
      if (normalized) factor[index(r)] = sigma_[index(r)] > 0 ? T(1) / sigma_[index(r)] : T(0);
    }
    for (std::int64_t i = 0; i < to.rows; ++i)
      for (std::int64_t r = 0; r < n_; ++r) to.row(i)[r] = column[index(r)][i * svd_lanes<T>] * factor[index(r)];
  }

  void write_values() const {
    for (std::int64_t r = 0; r < n_; ++r) matrix_.S[r] = sigma_[index(r)] * scale_.down[0] * scale_.down[1] + T(0);
  }

  /// Writes left [m, n] and right [n, n] to the outputs.
  void write(const DenseMatrix<T>& left, const DenseMatrix<T>& right) const {
    const DenseMatrix<T>&U = transposed_ ? right : left, &V = transposed_ ? left : right;
    write_canonical<T>({U.data, U.rows, n_, U.stride, 1}, {V.data, V.rows, n_, V.stride, 1},
                       {matrix_.U, matrix_.M, n_, n_, 1}, {matrix_.Vh, matrix_.N, n_, 1, matrix_.N});
  }

  const SvdMatrix<T>& matrix_;
  const SvdTuning& tuning_;
  std::size_t threads_;
  const SvdKernels<T>& kernels_;
  bool transposed_;
  std::int64_t m_, n_, stride_;
  AlignedMemory<T> G_memory_, X_memory_;
  DenseMatrix<T> G_;
  SvdScale<T> scale_ = {};
  std::vector<std::int64_t> order_;
  std::vector<T> sigma_;
  mutable std::optional<T> unevenness_;  ///< once it is known
  bool done_ = false;
};

}  // namespace

template <class T>
SvdEnd decompose(const SvdMatrix<T>& matrix, const SvdTuning& tuning, std::size_t threads) {
  return Decomposition<T>(matrix, tuning, threads).run();
}

template SvdEnd decompose(const SvdMatrix<float>&, const SvdTuning&, std::size_t);
template SvdEnd decompose(const SvdMatrix<double>&, const SvdTuning&, std::size_t);

}  // namespace assay::metal::cpu
