// How far factors are from a singular value decomposition, in long double.
#pragma once

#include <cmath>
#include <vector>

#include "reference/svd/jacobi.h"
#include "reference/svd/outcome.h"
#include "tests/kernels/svd/case.h"

namespace assay::metal::test {

using Exact = long double;

/// Singular values of matrix b, descending; each to 1e-17, where the columns are well-conditioned but for their
/// lengths.
inline std::vector<Exact> exact_values(const SvdCase& c, std::int64_t b = 0) {
  return reference::jacobi_svd(reference::matrix_of<Exact>(SvdProblem<float>{c.B, c.M, c.N, c.A}, b)).S;
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
