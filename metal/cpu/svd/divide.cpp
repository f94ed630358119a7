#include "metal/cpu/svd/divide.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "metal/cpu/memory.h"
#include "metal/cpu/svd/merge.h"
#include "metal/cpu/svd/pieces.h"

namespace assay::metal::cpu {

namespace {

template <class T>
class DivideAndConquer {
 public:
  DivideAndConquer(const SvdKernels<T>& kernels, std::vector<T>& diagonal, const std::vector<T>& off_diagonal,
                   const DivideMemory<T>& memory, std::size_t threads)
      : kernels_(kernels), diagonal_(diagonal), off_diagonal_(off_diagonal), memory_(memory), threads_(threads) {
    for (const DenseMatrix<T>& M : {memory.Ut, memory.Vt}) std::fill_n(M.data, M.rows * M.stride, T(0));
    divide({0, memory.Ut.rows, 0}, 0);
  }

  bool run() {
    for (const auto& [shape, parts] : leaves_)
      if (!decompose_leaves(parts, shape.first, shape.second)) return false;
    for (auto level = levels_.rbegin(); level != levels_.rend(); ++level)
      if (!merge_level(*level)) return false;
    return true;
  }

 private:
  static std::size_t size(std::int64_t x) { return static_cast<std::size_t>(x); }

  void divide(const BidiagonalPart& part, std::size_t level) {
    if (part.rows <= svd_lanes<T>) {
      leaves_[{part.rows, part.extra}].push_back(part.first);
      return;
    }
    if (levels_.size() <= level) levels_.emplace_back();
    levels_[level].push_back(part);
    const std::int64_t middle = part.first + part.upper();
    memory_.Ut.row(middle)[middle] = 1;
    divide({part.first, part.upper(), 1}, level + 1);
    divide({middle + 1, part.rows - part.upper() - 1, part.extra}, level + 1);
  }

  /// Decomposes the matrices of one shape that begin in the rows `firsts`.
  bool decompose_leaves(const std::vector<std::int64_t>& firsts, std::int64_t rows, std::int64_t extra) const {
    const std::int64_t columns = rows + extra, count = std::ssize(firsts);
    SvdBatch<T> batch(rows, columns, true, 60);
    std::vector<T> A(size(count * rows * columns)), U(size(count * rows * rows)), S(size(count * rows)), Vh(A.size());
    for (std::int64_t b = 0; b < count; ++b)
      for (std::int64_t i = 0; i < rows; ++i) {
        T* const row = A.data() + (b * rows + i) * columns;
        row[i] = diagonal_[size(firsts[size(b)] + i)];
        if (i + 1 < columns) row[i + 1] = off_diagonal_[size(firsts[size(b)] + i)];
      }
    batch.A = A.data();
    batch.U = U.data();
    batch.S = S.data();
    batch.Vh = Vh.data();
    AlignedMemory<T> blocks(batch.elements_in_turns());
    for (std::int64_t b = 0; b < count; b += batch.matrices_in_turns()) {
      const SvdTrouble trouble =
          kernels_.batch(batch, blocks.data(), b, std::min(count, b + batch.matrices_in_turns()));
      if (trouble.not_finite >= 0 || trouble.not_converged >= 0) return false;
    }
    for (std::int64_t b = 0; b < count; ++b)
      write_leaf({firsts[size(b)], rows, extra}, U.data() + b * rows * rows, S.data() + b * rows,
                 Vh.data() + b * rows * columns);
    return true;
  }

  void write_leaf(const BidiagonalPart& leaf, const T* U, const T* S, const T* Vh) const {
    const std::int64_t n = leaf.rows, columns = n + leaf.extra, first = leaf.first;
    for (std::int64_t r = 0; r < n; ++r) {
      diagonal_[size(first + r)] = S[r];
      for (std::int64_t i = 0; i < n; ++i) memory_.Ut.row(first + r)[first + i] = U[i * n + r];
      std::copy_n(Vh + r * columns, columns, memory_.Vt.row(first + r) + first);
    }
    if (leaf.extra == 1)
      complete_columns<T>({memory_.Vt.row(first) + first, columns, columns, 1, memory_.Vt.stride}, n);
  }

  /// Many merges share the threads; few use all of them for each.
  bool merge_level(const std::vector<BidiagonalPart>& parts) const {
    const bool many = parts.size() >= threads_;
    std::atomic<bool> all_merged = true;
    for_each_piece(parts.size(), many ? threads_ : 1, [&](std::size_t, std::size_t i) {
      const std::size_t middle = size(parts[i].first + parts[i].upper());
      if (!merge_parts(kernels_, parts[i], {diagonal_[middle], off_diagonal_[middle]}, diagonal_.data(), memory_,
                       many ? 1 : threads_))
        all_merged = false;
    });
    return all_merged;
  }

  const SvdKernels<T>& kernels_;
  std::vector<T>& diagonal_;
  const std::vector<T>& off_diagonal_;
  const DivideMemory<T>& memory_;
  std::size_t threads_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<std::int64_t>> leaves_;
  std::vector<std::vector<BidiagonalPart>> levels_;
};

}  // namespace

template <class T>
bool bidiagonal_svd(const SvdKernels<T>& kernels, std::vector<T>& diagonal, const std::vector<T>& off_diagonal,
                    const DivideMemory<T>& memory, std::vector<std::int64_t>& order, std::size_t threads) {
  const std::vector<T>&d = diagonal, &e = off_diagonal;
  const auto finite = [](T x) { return std::isfinite(x); };
  if (!std::ranges::all_of(d, finite) || !std::ranges::all_of(e, finite)) return false;
  T largest = 0;
  for (std::size_t i = 0; i < d.size(); ++i) largest = std::max({largest, std::abs(d[i]), std::abs(e[i])});
  // A matrix of zeros has the smallest exponent, which makes its negligible singular values 0.
  const int exponent = largest == T(0) ? -std::numeric_limits<int>::max() : std::ilogb(largest);
  const auto scaled = [](std::vector<T> x, int by) {
    for (T& element : x) element = std::ldexp(element, by);
    return x;
  };
  diagonal = scaled(diagonal, -exponent);
  if (!DivideAndConquer<T>(kernels, diagonal, scaled(off_diagonal, -exponent), memory, threads).run()) return false;
  diagonal = scaled(diagonal, exponent);
  order.resize(diagonal.size());
  std::iota(order.begin(), order.end(), std::int64_t{0});
  std::ranges::stable_sort(order, std::ranges::greater(),
                           [&](std::int64_t r) { return diagonal[static_cast<std::size_t>(r)]; });
  return true;
}

template bool bidiagonal_svd(const SvdKernels<float>&, std::vector<float>&, const std::vector<float>&,
                             const DivideMemory<float>&, std::vector<std::int64_t>&, std::size_t);
template bool bidiagonal_svd(const SvdKernels<double>&, std::vector<double>&, const std::vector<double>&,
                             const DivideMemory<double>&, std::vector<std::int64_t>&, std::size_t);

}  // namespace assay::metal::cpu
