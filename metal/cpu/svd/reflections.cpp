#include "metal/cpu/svd/reflections.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "metal/cpu/memory.h"
#include "metal/cpu/svd/pieces.h"

namespace assay::metal::cpu {

namespace {

constexpr std::int64_t reflections_at_once = 48;

/// H_first ... H_(first + count - 1) = I - V^T T V, the rows of V the vectors; T^-1 is the upper triangle of V V^T with
/// 1 / factors on its diagonal (Puglisi 1992).
template <class T>
class ReflectionBlock {
 public:
  ReflectionBlock(const Reflections<T>& of, const DenseMatrix<T>& Z, std::size_t threads)
      : of_(of),
        Z_(Z),
        threads_(threads),
        memory_(reflections_at_once * (Z.rows + Z.columns + reflections_at_once)),
        V_{memory_.data(), 0, 0, Z.rows},
        X_{V_.row(reflections_at_once), 0, Z.columns, Z.columns},
        inverse_{X_.row(reflections_at_once), 0, 0, reflections_at_once} {}

  void apply(std::int64_t first, std::int64_t count) {
    const std::int64_t row = first + of_.offset;
    V_.rows = X_.rows = inverse_.rows = inverse_.columns = count;
    V_.columns = Z_.rows - row;
    for (std::int64_t r = 0; r < count; ++r) load(first, r);
    multiply(T(1), Transpose::no, V_, Transpose::yes, V_, T(0), inverse_);
    for (std::int64_t r = 0; r < count; ++r)
      inverse_.row(r)[r] = factor(first + r) == T(0) ? T(1) : 1 / factor(first + r);
    for_column_pieces(threads_, Z_.columns, [&](std::int64_t column, std::int64_t columns) {
      const DenseMatrix<T> part = {Z_.row(row) + column, V_.columns, columns, Z_.stride};
      const DenseMatrix<T> X = {X_.data + column, count, columns, X_.stride};
      multiply(T(1), Transpose::no, V_, Transpose::no, part, T(0), X);
      solve_triangular(inverse_, X);
      multiply(T(-1), Transpose::yes, V_, Transpose::no, X, T(1), part);
    });
  }

 private:
  T factor(std::int64_t j) const { return of_.factors[static_cast<std::size_t>(j)]; }

  /// Row r of V: v_(first + r) from row first + offset on, or 0 where its factor is.
  void load(std::int64_t first, std::int64_t r) const {
    const std::int64_t j = first + r;
    std::fill_n(V_.row(r), V_.columns, T(0));
    if (factor(j) == T(0)) return;
    V_.row(r)[r] = 1;
    const T* const vector = of_.vectors.row(j);
    std::copy(vector + j + of_.offset + 1, vector + Z_.rows, V_.row(r) + r + 1);
  }

  const Reflections<T>& of_;
  const DenseMatrix<T>& Z_;
  std::size_t threads_;
  AlignedMemory<T> memory_;
  DenseMatrix<T> V_, X_, inverse_;
};

}  // namespace

template <class T>
void apply_reflections(const Reflections<T>& reflections, const DenseMatrix<T>& Z, std::size_t threads) {
  ReflectionBlock<T> block(reflections, Z, threads);
  const auto count = static_cast<std::int64_t>(reflections.factors.size());
  for (std::int64_t last = std::min(count, Z.rows - reflections.offset); last > 0;) {  // the last block first
    const std::int64_t first = (last - 1) / reflections_at_once * reflections_at_once;
    block.apply(first, last - first);
    last = first;
  }
}

template void apply_reflections(const Reflections<float>&, const DenseMatrix<float>&, std::size_t);
template void apply_reflections(const Reflections<double>&, const DenseMatrix<double>&, std::size_t);

}  // namespace assay::metal::cpu
