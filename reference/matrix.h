// A dense row-major matrix: the one container of the reference, with its elementwise operations.
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

namespace assay::reference {

template <class Number>
class Matrix {
 public:
  Matrix() = default;

  /// A matrix [rows, cols] with every element equal to `fill`.
  Matrix(std::int64_t rows, std::int64_t cols, const Number& fill = Number(0))
      : rows_(rows), cols_(cols), elements_(static_cast<std::size_t>(rows * cols), fill) {}

  std::int64_t rows() const { return rows_; }
  std::int64_t cols() const { return cols_; }

  Number& operator()(std::int64_t i, std::int64_t j) { return elements_[offset(i, j)]; }
  const Number& operator()(std::int64_t i, std::int64_t j) const { return elements_[offset(i, j)]; }

  std::span<Number> row(std::int64_t i) { return {elements_.data() + offset(i, 0), width()}; }
  std::span<const Number> row(std::int64_t i) const { return {elements_.data() + offset(i, 0), width()}; }

  bool operator==(const Matrix&) const = default;

 private:
  std::size_t offset(std::int64_t i, std::int64_t j) const { return static_cast<std::size_t>(i * cols_ + j); }
  std::size_t width() const { return static_cast<std::size_t>(cols_); }

  std::int64_t rows_ = 0;
  std::int64_t cols_ = 0;
  std::vector<Number> elements_;
};

/// The matrix of f(A_ij).
template <class Number, class Function>
auto map(const Matrix<Number>& A, Function f) {
  Matrix<std::remove_cvref_t<decltype(f(A(0, 0)))>> result(A.rows(), A.cols());
  for (std::int64_t i = 0; i < A.rows(); ++i)
    for (std::int64_t j = 0; j < A.cols(); ++j) result(i, j) = f(A(i, j));
  return result;
}

/// A - B.
template <class Number>
Matrix<Number> difference(Matrix<Number> A, const Matrix<Number>& B) {
  for (std::int64_t i = 0; i < A.rows(); ++i)
    for (std::int64_t j = 0; j < A.cols(); ++j) A(i, j) -= B(i, j);
  return A;
}

}  // namespace assay::reference
