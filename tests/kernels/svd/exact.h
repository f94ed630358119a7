// How far factors are from a singular value decomposition, in long double.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <vector>

#include "tests/kernels/svd/case.h"

namespace assay::metal::test {

using Exact = long double;

namespace detail {

inline Exact dot(const std::vector<Exact>& a, const std::vector<Exact>& b) {
  Exact sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// Whether it was more than rounding.
inline bool rotate(std::vector<Exact>& a, std::vector<Exact>& b) {
  const Exact a_a = dot(a, a), b_b = dot(b, b), a_b = dot(a, b);
  if (!(std::abs(a_b) > 1e-18L * std::sqrt(a_a) * std::sqrt(b_b))) return false;
  const Exact zeta = (b_b - a_a) / (2 * a_b);
  const Exact t = std::copysign(1 / (std::abs(zeta) + std::hypot(1.0L, zeta)), zeta);
  const Exact cosine = 1 / std::hypot(1.0L, t), sine = cosine * t;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const Exact x = a[i], y = b[i];
    a[i] = cosine * x - sine * y;
    b[i] = sine * x + cosine * y;
  }
  return true;
}

}  // namespace detail

/// Singular values of matrix b, descending: one-sided Jacobi of the columns, row by row. To 1e-17 of each, where the
/// columns are well-conditioned but for their lengths.
inline std::vector<Exact> exact_values(const SvdCase& given, std::int64_t b = 0) {
  const SvdCase c = given.M < given.N ? transposed(given) : given;
  std::vector<std::vector<Exact>> columns(static_cast<std::size_t>(c.N));
  for (std::int64_t j = 0; j < c.N; ++j)
    for (std::int64_t i = 0; i < c.M; ++i) columns[static_cast<std::size_t>(j)].push_back(Exact{c.A[c.at(b, i, j)]});
  bool is_rotated = true;
  for (int sweep = 0; is_rotated && sweep < 40; ++sweep) {
    is_rotated = false;
    for (std::size_t i = 0; i < columns.size(); ++i)
      for (std::size_t j = i + 1; j < columns.size(); ++j)
        if (detail::rotate(columns[i], columns[j])) is_rotated = true;
  }
  std::vector<Exact> values;
  for (const auto& column : columns) values.push_back(std::sqrt(detail::dot(column, column)));
  std::ranges::sort(values, std::greater<>());
  return values;
}

/// Results of matrix b: U, S and Vh as matrices.
template <class Real>
class Factors {
 public:
  Factors(const SvdCase& c, const SvdResults<Real>& results, std::int64_t b) : c_(c), results_(results), b_(b) {}

  Exact U(std::int64_t i, std::int64_t r) const { return element(results_.U, (b_ * c_.M + i) * c_.K() + r); }
  Exact S(std::int64_t r) const { return element(results_.S, b_ * c_.K() + r); }
  Exact Vh(std::int64_t r, std::int64_t j) const { return element(results_.Vh, (b_ * c_.K() + r) * c_.N + j); }

  /// |A - U diag(S) Vh| / |A|, in the Frobenius norm; 0 of 0.
  Exact residual() const {
    Exact wrong = 0, all = 0;
    for (std::int64_t i = 0; i < c_.M; ++i)
      for (std::int64_t j = 0; j < c_.N; ++j) {
        const Exact a = Exact{c_.A[c_.at(b_, i, j)]};
        Exact left = a;
        for (std::int64_t r = 0; r < c_.K(); ++r) left -= U(i, r) * S(r) * Vh(r, j);
        wrong += left * left;
        all += a * a;
      }
    return wrong == 0 ? 0 : std::sqrt(wrong / all);
  }

  /// The largest element of U^T U - I and of Vh Vh^T - I.
  Exact orthogonality() const {
    Exact worst = 0;
    for (std::int64_t r = 0; r < c_.K(); ++r)
      for (std::int64_t q = 0; q <= r; ++q) {
        Exact of_left = r == q ? -1 : 0, of_right = of_left;
        for (std::int64_t i = 0; i < c_.M; ++i) of_left += U(i, r) * U(i, q);
        for (std::int64_t j = 0; j < c_.N; ++j) of_right += Vh(r, j) * Vh(q, j);
        for (const Exact error : {std::abs(of_left), std::abs(of_right)})
          if (!(error <= worst)) worst = error;
      }
    return worst;
  }

  bool is_in_order() const {
    for (std::int64_t r = 0; r < c_.K(); ++r)
      if (!(S(r) >= 0) || (r > 0 && !(S(r) <= S(r - 1)))) return false;
    return true;
  }

  /// Whether the first of the largest elements of each column of U is positive.
  bool has_signs() const {
    for (std::int64_t r = 0; r < c_.K(); ++r) {
      Exact first = 0;
      for (std::int64_t i = 0; i < c_.M; ++i)
        if (std::abs(U(i, r)) > std::abs(first)) first = U(i, r);
      if (!(first > 0)) return false;
    }
    return true;
  }

 private:
  template <class T>
  static Exact element(const std::vector<T>& values, std::int64_t at) {
    return static_cast<Exact>(values[static_cast<std::size_t>(at)]);
  }

  const SvdCase& c_;
  const SvdResults<Real>& results_;
  std::int64_t b_;
};

/// 4 sqrt(n) u of float, n the larger extent; for little ones at least that of 8.
inline Exact float_bound(const SvdCase& c) {
  return 4 * std::sqrt(static_cast<Exact>(std::max<std::int64_t>({c.M, c.N, 8}))) * 0x1p-24L;
}

/// The largest relative error of a singular value, in units of 2^-24.
template <class Real>
Exact relative_error(const SvdResults<Real>& results, const SvdCase& c) {
  const std::vector<Exact> exact = exact_values(c);
  Exact worst = 0;
  for (std::size_t r = 0; r < exact.size(); ++r) {
    const Exact error = std::abs(Exact{results.S[r]} / exact[r] - 1);
    if (!(error <= worst)) worst = error;
  }
  return worst * 0x1p24L;
}

}  // namespace assay::metal::test
