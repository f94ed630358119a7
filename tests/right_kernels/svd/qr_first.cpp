// Householder's QR, then one-sided Jacobi of the triangle's transpose (Drmac and Veselic 2008).
#include "tests/right_kernels/svd/columns.h"

using namespace right;

namespace {

// x -= 2 h (h . x), for an h of length 1.
template <class Real>
void reflect(Column<Real>& x, const Column<Real>& h) {
  add_multiple(x, -2 * dot(h, x), h);
}

// The reflections that make A's columns triangular, which they then are.
template <class Real>
Columns<Real> reflections(Columns<Real>& A) {
  Columns<Real> all;
  for (std::size_t k = 0; k < A.size(); ++k) {
    auto h = A[k];
    std::fill_n(h.begin(), k, Real{0});
    h[k] += std::copysign(std::sqrt(dot(h, h)), h[k]);
    const Real length = std::sqrt(dot(h, h));
    for (Real& value : h) value = length > 0 ? value / length : 0;
    for (std::size_t j = k; j < A.size(); ++j) reflect(A[j], h);
    all.push_back(h);
  }
  return all;
}

template <class Real>
Factors<Real> decompose(Columns<Real> A) {
  const std::size_t M = A[0].size(), N = A.size();
  const auto H = reflections(A);
  Columns<Real> W(N, Column<Real>(N));  // the triangle's transpose: W V = (V^T R)^T
  for (std::size_t i = 0; i < N; ++i)
    for (std::size_t j = i; j < N; ++j) W[i][j] = A[j][i];
  auto V = identity<Real>(N);
  bool turned = true;
  for (int sweep = 0; sweep < 60 && turned; ++sweep) {
    turned = false;
    for (std::size_t i = 0; i < N; ++i)
      for (std::size_t j = i + 1; j < N; ++j) turned |= make_orthogonal(W, V, i, j);
  }
  Factors<Real> found = factors_of(W, V);  // R^T = U S V^T, so R = V S U^T
  std::swap(found.U, found.V);
  for (auto& u : found.U) {
    u.resize(M);
    for (std::size_t k = N; k-- > 0;) reflect(u, H[k]);
  }
  return found;
}

void run_all(const assay_svd_problem& p, const assay_svd_output& out) {
  if (p.dtype == ASSAY_FLOAT64) return decompose_all<double, double>(p, out, decompose<double>);
  decompose_all<float, float>(p, out, decompose<float>);
}

}  // namespace

RIGHT_SVD("QR first", .dtypes = float_types, .unsupported = ASSAY_SVD_NO_CHECKS);
