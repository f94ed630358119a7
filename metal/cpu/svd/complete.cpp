// Completes orthonormal columns by more of them. Each new column is a unit vector minus its projection on the columns,
// subtracted twice (Giraud, Langou and Rozloznik 2005: twice is enough). The unit vector is the one with the smallest
// projection.
#include <cmath>
#include <cstddef>
#include <vector>

#include "metal/cpu/svd/signs.h"

namespace assay::metal::cpu {

namespace {

template <class T>
class Completion {
 public:
  Completion(const SvdView<T>& matrix, std::int64_t rank)
      : matrix_(matrix), covered_(static_cast<std::size_t>(matrix.rows), 0.0), column_(covered_.size()) {
    for (std::int64_t j = 0; j < rank; ++j) cover(j);
  }

  void add(std::int64_t j) {
    begin_with_unit_vector();
    for (int twice = 0; twice < 2; ++twice) {
      for (std::int64_t k = 0; k < j; ++k) take_off(k);
      normalize();
    }
    const double sign = canonical_sign();
    for (std::int64_t i = 0; i < matrix_.rows; ++i) matrix_(i, j) = static_cast<T>(sign * column(i) + 0.0);
    cover(j);
  }

 private:
  double& column(std::int64_t i) { return column_[static_cast<std::size_t>(i)]; }

  /// covered_[i]: the squared norm of the projection of unit vector i on the columns.
  void cover(std::int64_t j) {
    for (std::int64_t i = 0; i < matrix_.rows; ++i) {
      const auto x = static_cast<double>(matrix_(i, j));
      covered_[static_cast<std::size_t>(i)] += x * x;
    }
  }

  void begin_with_unit_vector() {
    std::size_t least = 0;
    for (std::size_t i = 1; i < covered_.size(); ++i)
      if (covered_[i] < covered_[least]) least = i;
    for (double& x : column_) x = 0.0;
    column_[least] = 1.0;
  }

  void take_off(std::int64_t k) {
    double dot = 0.0;
    for (std::int64_t i = 0; i < matrix_.rows; ++i) dot += column(i) * static_cast<double>(matrix_(i, k));
    for (std::int64_t i = 0; i < matrix_.rows; ++i) column(i) -= dot * static_cast<double>(matrix_(i, k));
  }

  void normalize() {
    double square = 0.0;
    for (const double x : column_) square += x * x;
    for (double& x : column_) x /= std::sqrt(square);
  }

  double canonical_sign() {
    const auto element = [this](std::int64_t i) { return static_cast<T>(column(i)); };
    return largest_is_negative(matrix_.rows, element) ? -1.0 : 1.0;
  }

  SvdView<T> matrix_;
  std::vector<double> covered_, column_;
};

}  // namespace

template <class T>
void complete_columns(const SvdView<T>& matrix, std::int64_t rank) {
  Completion<T> completion(matrix, rank);
  for (std::int64_t j = rank; j < matrix.columns; ++j) completion.add(j);
}

template void complete_columns(const SvdView<float>&, std::int64_t);
template void complete_columns(const SvdView<double>&, std::int64_t);

}  // namespace assay::metal::cpu
