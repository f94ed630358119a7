#include "metal/cpu/svd/orthonormal.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "metal/cpu/memory.h"

namespace assay::metal::cpu {

namespace {

/// A matrix with its own memory.
template <class T>
class OwnMatrix {
 public:
  OwnMatrix(std::int64_t rows, std::int64_t columns)
      : memory_(rows * columns), matrix_{memory_.data(), rows, columns, columns} {}
  const DenseMatrix<T>& operator*() const { return matrix_; }

 private:
  AlignedMemory<T> memory_;
  DenseMatrix<T> matrix_;
};

/// |y|^2 - 1 of each column y: sums of 32 rows, added to -1 with what each addition rounds off (Kahan 1965).
template <class T>
std::vector<T> errors_of_norms(const DenseMatrix<T>& Y) {
  std::vector<T> total(static_cast<std::size_t>(Y.columns), T(-1)), lost(total.size()), part(total.size());
  for (std::int64_t first = 0; first < Y.rows; first += 32) {
    std::ranges::fill(part, T(0));
    for (std::int64_t i = first; i < std::min(first + 32, Y.rows); ++i)
      for (std::size_t j = 0; j < part.size(); ++j) part[j] += Y.row(i)[j] * Y.row(i)[j];
    for (std::size_t j = 0; j < part.size(); ++j) {
      const T added = part[j] - lost[j], sum = total[j] + added;
      lost[j] = (sum - total[j]) - added;
      total[j] = sum;
    }
  }
  return total;
}

template <class T>
void find_errors(const DenseMatrix<T>& Y, const DenseMatrix<T>& E) {
  multiply(T(1), Transpose::yes, Y, Transpose::no, Y, T(0), E);
  const std::vector<T> of_norms = errors_of_norms(Y);
  for (std::int64_t i = 0; i < E.rows; ++i) E.row(i)[i] = of_norms[static_cast<std::size_t>(i)];
}

/// Y -= factor Y E.
template <class T>
void correct(const DenseMatrix<T>& Y, const DenseMatrix<T>& E, T factor, const DenseMatrix<T>& copy) {
  for (std::int64_t i = 0; i < Y.rows; ++i)
    std::memcpy(copy.row(i), Y.row(i), static_cast<std::size_t>(Y.columns) * sizeof(T));
  multiply(-factor, Transpose::no, copy, Transpose::no, E, T(1), Y);
}

/// Replaces E by T and returns the largest error.
template <class T>
T make_triangular(const DenseMatrix<T>& E) {
  T largest = 0;
  for (std::int64_t i = 0; i < E.rows; ++i) {
    for (std::int64_t j = 0; j < i; ++j) E.row(i)[j] = 0;
    for (std::int64_t j = i; j < E.columns; ++j) {
      const T error = std::abs(E.row(i)[j]);
      if (!(error <= largest)) largest = error;
    }
    E.row(i)[i] /= 2;
  }
  return largest;
}

}  // namespace

template <class T>
void polish(const DenseMatrix<T>& Y) {
  const OwnMatrix<T> E(Y.columns, Y.columns), copy(Y.rows, Y.columns);
  find_errors(Y, *E);
  correct(Y, *E, T(0.5), *copy);
}

template <class T>
bool orthonormalize_in_order(const DenseMatrix<T>& Y) {
  const OwnMatrix<T> E(Y.columns, Y.columns), copy(Y.rows, Y.columns);
  // A correction leaves an error of E^2, a sum of as many terms as there are columns. It does not count once E is below
  // the square root of the unit roundoff.
  const T enough = std::sqrt(std::numeric_limits<T>::epsilon() / static_cast<T>(std::max<std::int64_t>(Y.columns, 4)));
  for (int corrections = 0; corrections < 4; ++corrections) {
    find_errors(Y, *E);
    const T error = make_triangular(*E);
    if (!(error < T(0.02))) return false;
    correct(Y, *E, T(1), *copy);
    if (error < enough) return true;
  }
  return false;
}

template void polish(const DenseMatrix<float>&);
template void polish(const DenseMatrix<double>&);
template bool orthonormalize_in_order(const DenseMatrix<float>&);
template bool orthonormalize_in_order(const DenseMatrix<double>&);

}  // namespace assay::metal::cpu
