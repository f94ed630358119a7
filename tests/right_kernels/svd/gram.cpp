// Float32 matrices by the eigenvectors of A^T A, which double holds well enough: V by Jacobi's method for symmetric
// matrices, then A V made orthogonal by Gram and Schmidt, twice. Squares of singular values lose half of double's
// digits.
#include "tests/right_kernels/svd/columns.h"

using namespace right;

namespace {

Columns<double> eigenvectors(Columns<double> G) {
  const std::size_t N = G.size();
  auto V = identity<double>(N);
  double squares = 0;
  for (const auto& column : G) squares += dot(column, column);
  bool turned = true;
  for (int sweep = 0; sweep < 60 && turned; ++sweep) {
    turned = false;
    for (std::size_t i = 0; i < N; ++i)
      for (std::size_t j = i + 1; j < N; ++j) {
        if (!(std::abs(G[i][j]) > unit<double> * std::sqrt(squares) / 8)) continue;
        turned = true;
        const auto [c, s] = rotation(G[i][i], G[j][j], G[i][j]);
        rotate(G[i], G[j], c, s);
        rotate_rows(G, i, j, c, s);
        rotate(V[i], V[j], c, s);
      }
  }
  std::vector<std::size_t> order(N);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto i, auto j) { return G[i][i] > G[j][j]; });
  Columns<double> sorted;
  for (const std::size_t k : order) sorted.push_back(V[k]);
  return sorted;
}

Factors<double> decompose(const Columns<double>& A) {
  const std::size_t N = A.size();
  Columns<double> G(N, Column<double>(N));
  for (std::size_t i = 0; i < N; ++i)
    for (std::size_t j = 0; j < N; ++j) G[i][j] = dot(A[i], A[j]);
  const auto V = eigenvectors(G);
  Columns<double> W;
  for (const auto& v : V) {
    Column<double> w(A[0].size());
    for (std::size_t j = 0; j < N; ++j) add_multiple(w, v[j], A[j]);
    for (int pass = 0; pass < 2; ++pass)
      for (const auto& before : W)
        if (const double square = dot(before, before); square > 0) add_multiple(w, -dot(w, before) / square, before);
    W.push_back(w);
    if (std::sqrt(dot(w, w)) < 1e-9 * std::sqrt(dot(W[0], W[0]))) std::fill(W.back().begin(), W.back().end(), 0.0);
  }
  return factors_of(W, V);
}

void run_all(const assay_svd_problem& p, const assay_svd_output& out) {
  decompose_all<float, double>(p, out, decompose);
}

}  // namespace

RIGHT_SVD("eigenvectors of A^T A", .unsupported = ASSAY_SVD_NO_CHECKS);
