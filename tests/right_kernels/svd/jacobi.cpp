// One-sided Jacobi (Hestenes 1958), every pair in turn. DE_RIJK brings the longest column left to the front of each
// row of pairs (de Rijk 1989); FLOAT32_IN is the arithmetic for float32.
#include "tests/right_kernels/svd/columns.h"

using namespace right;

namespace {

template <class Real>
Factors<Real> decompose(Columns<Real> W) {
  auto V = identity<Real>(W.size());
  bool turned = true;
  for (int sweep = 0; sweep < 60 && turned; ++sweep) {
    turned = false;
    for (std::size_t i = 0; i < W.size(); ++i) {
      std::size_t longest = i;
      for (std::size_t j = i + 1; j < W.size() && DE_RIJK; ++j)
        if (dot(W[j], W[j]) > dot(W[longest], W[longest])) longest = j;
      std::swap(W[i], W[longest]);
      std::swap(V[i], V[longest]);
      for (std::size_t j = i + 1; j < W.size(); ++j) turned |= make_orthogonal(W, V, i, j);
    }
  }
  return factors_of(W, V);
}

void run_all(const assay_svd_problem& p, const assay_svd_output& out) {
  if (p.dtype == ASSAY_FLOAT64) return decompose_all<double, double>(p, out, decompose<double>);
  decompose_all<float, FLOAT32_IN>(p, out, decompose<FLOAT32_IN>);
}

}  // namespace

RIGHT_SVD("one-sided Jacobi", .dtypes = float_types, .unsupported = ASSAY_SVD_NO_CHECKS,
          .unit_roundoff = sizeof(FLOAT32_IN) == 8 ? 0x1p-53 : 0);
