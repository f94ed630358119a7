#include "metal/cpu/svd/reflections.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "metal/cpu/memory.h"

namespace assay::metal::cpu {

namespace {

constexpr std::int64_t reflections_at_once = 32;

/// H_first ... H_(first + count - 1) = I - V^T T V, the rows of V the vectors; T^-1 is the upper triangle of V V^T with
/// 1 / factors on its diagonal (Puglisi 1992).
class ReflectionBlock {
 public:
  ReflectionBlock(const DenseMatrix<double>& A, const std::vector<double>& factors, const DenseMatrix<double>& Z)
      : A_(A),
        factors_(factors),
        Z_(Z),
        memory_(reflections_at_once * (2 * Z.columns + reflections_at_once)),
        V_{memory_.data(), 0, 0, Z.columns},
        X_{V_.row(reflections_at_once), 0, Z.columns, Z.columns},
        inverse_{X_.row(reflections_at_once), 0, 0, reflections_at_once} {}

  void apply(std::int64_t first, std::int64_t count) {
    V_.rows = X_.rows = inverse_.rows = inverse_.columns = count;
    V_.columns = Z_.rows - first - 1;
    for (std::int64_t r = 0; r < count; ++r) load(first, r);
    multiply(1.0, Transpose::no, V_, Transpose::yes, V_, 0.0, inverse_);
    for (std::int64_t r = 0; r < count; ++r) inverse_.row(r)[r] = factor(first + r) == 0 ? 1.0 : 1 / factor(first + r);
    const DenseMatrix<double> part = {Z_.row(first + 1), V_.columns, Z_.columns, Z_.stride};
    multiply(1.0, Transpose::no, V_, Transpose::no, part, 0.0, X_);
    solve_triangular(inverse_, X_);
    multiply(-1.0, Transpose::yes, V_, Transpose::no, X_, 1.0, part);
  }

 private:
  double factor(std::int64_t j) const { return factors_[static_cast<std::size_t>(j)]; }

  /// Row r of V: v_(first + r) from row first + 1 on, or 0 where its factor is.
  void load(std::int64_t first, std::int64_t r) const {
    const std::int64_t j = first + r;
    std::fill_n(V_.row(r), V_.columns, 0.0);
    if (factor(j) == 0) return;
    V_.row(r)[r] = 1;
    std::copy(A_.row(j) + j + 2, A_.row(j) + Z_.rows, V_.row(r) + r + 1);
  }

  const DenseMatrix<double>& A_;
  const std::vector<double>& factors_;
  const DenseMatrix<double>& Z_;
  AlignedMemory<double> memory_;
  DenseMatrix<double> V_, X_, inverse_;
};

}  // namespace

void apply_reflections(const DenseMatrix<double>& A, const std::vector<double>& factors, const DenseMatrix<double>& Z) {
  ReflectionBlock block(A, factors, Z);
  for (std::int64_t last = Z.rows - 1; last > 0;) {  // the last block first
    const std::int64_t first = (last - 1) / reflections_at_once * reflections_at_once;
    block.apply(first, last - first);
    last = first;
  }
}

}  // namespace assay::metal::cpu
