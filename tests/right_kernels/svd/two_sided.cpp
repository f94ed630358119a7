// Kogbetliantz 1955: a rotation from either side makes the 2 x 2 of each pair diagonal. Square matrices alone.
#include "tests/right_kernels/svd/columns.h"

using namespace right;

namespace {

// Makes [i, j] and [j, i] of A zero: first symmetric by a rotation of rows, then by Jacobi's from both sides.
template <class Real>
bool make_diagonal(Columns<Real>& A, Columns<Real>& U, Columns<Real>& V, std::size_t i, std::size_t j, Real tiny) {
  if (!(std::abs(A[i][j]) > tiny) && !(std::abs(A[j][i]) > tiny)) return false;
  const Real sum = A[i][i] + A[j][j], difference = A[j][i] - A[i][j];
  const Real length = std::hypot(sum, difference);
  const Real c = length > 0 ? sum / length : 1, s = length > 0 ? difference / length : 0;
  rotate_rows(A, i, j, c, s);
  rotate(U[i], U[j], c, s);
  const Real d = (A[i][j] + A[j][i]) / 2;
  if (d == 0) return true;
  const auto [c2, s2] = rotation(A[i][i], A[j][j], d);
  rotate(A[i], A[j], c2, s2);
  rotate(V[i], V[j], c2, s2);
  rotate_rows(A, i, j, c2, s2);
  rotate(U[i], U[j], c2, s2);
  return true;
}

template <class Real>
Factors<Real> decompose(Columns<Real> A) {
  const std::size_t N = A.size();
  auto U = identity<Real>(N), V = U;
  Real squares = 0;
  for (const auto& column : A) squares += dot(column, column);
  const Real tiny = unit<Real> * std::sqrt(squares) / 4;
  bool turned = true;
  for (int sweep = 0; sweep < 60 && turned; ++sweep) {
    turned = false;
    for (std::size_t i = 0; i < N; ++i)
      for (std::size_t j = i + 1; j < N; ++j) turned |= make_diagonal(A, U, V, i, j, tiny);
  }
  std::vector<std::size_t> order(N);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto i, auto j) { return std::abs(A[i][i]) > std::abs(A[j][j]); });
  Factors<Real> found;
  for (const std::size_t k : order) {
    found.S.push_back(std::abs(A[k][k]));
    found.U.push_back(U[k]);
    found.V.push_back(V[k]);
    if (A[k][k] < 0)
      for (Real& value : found.U.back()) value = -value;
  }
  return found;
}

void run_all(const assay_svd_problem& p, const assay_svd_output& out) {
  if (p.dtype == ASSAY_FLOAT64) return decompose_all<double, double>(p, out, decompose<double>);
  decompose_all<float, float>(p, out, decompose<float>);
}

}  // namespace

RIGHT_SVD("two-sided Jacobi", .dtypes = float_types,
          .unsupported = ASSAY_SVD_NO_CHECKS | ASSAY_SVD_NO_WIDE | ASSAY_SVD_NO_TALL, .sweeps = 20);
