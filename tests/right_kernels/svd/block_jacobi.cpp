// Block Jacobi: the columns in blocks, which meet as in a tournament; the Gram matrix of two blocks is made diagonal,
// and its rotations, multiplied together, turn the columns at once.
#include "tests/right_kernels/svd/columns.h"

using namespace right;

namespace {

constexpr std::size_t width = 2;

// The product of the rotations that make the columns whose Gram matrix is G orthogonal, column by column.
template <class Real>
Columns<Real> turn(Columns<Real> G, bool& turned) {
  auto Q = identity<Real>(G.size());
  for (int sweep = 0; sweep < 2; ++sweep)
    for (std::size_t i = 0; i < G.size(); ++i)
      for (std::size_t j = i + 1; j < G.size(); ++j) {
        if (!(std::abs(G[i][j]) > 4 * unit<Real> * std::sqrt(G[i][i]) * std::sqrt(G[j][j]))) continue;
        turned = true;
        const auto [c, s] = rotation(G[i][i], G[j][j], G[i][j]);
        rotate(G[i], G[j], c, s);
        rotate_rows(G, i, j, c, s);
        rotate(Q[i], Q[j], c, s);
      }
  return Q;
}

template <class Real>
void apply(Columns<Real>& to, const std::vector<std::size_t>& at, const Columns<Real>& Q) {
  Columns<Real> result;
  for (const auto& q : Q) {
    Column<Real> sum(to[0].size());
    for (std::size_t j = 0; j < at.size(); ++j) add_multiple(sum, q[j], to[at[j]]);
    result.push_back(sum);
  }
  for (std::size_t j = 0; j < at.size(); ++j) to[at[j]] = result[j];
}

template <class Real>
bool meet(Columns<Real>& W, Columns<Real>& V, std::size_t first, std::size_t second) {
  std::vector<std::size_t> at;
  for (const std::size_t block : {first, second})
    for (std::size_t k = block * width; k < std::min((block + 1) * width, W.size()); ++k) at.push_back(k);
  Columns<Real> G(at.size(), Column<Real>(at.size()));
  for (std::size_t i = 0; i < at.size(); ++i)
    for (std::size_t j = 0; j < at.size(); ++j) G[i][j] = dot(W[at[i]], W[at[j]]);
  bool turned = false;
  const auto Q = turn(G, turned);
  if (turned) apply(W, at, Q);
  if (turned) apply(V, at, Q);
  return turned;
}

template <class Real>
Factors<Real> decompose(Columns<Real> W) {
  auto V = identity<Real>(W.size());
  std::vector<std::size_t> seats((W.size() + width - 1) / width);
  std::iota(seats.begin(), seats.end(), std::size_t{0});
  if (seats.size() % 2 == 1) seats.push_back(seats.size());  // a bye: a block of no columns
  bool turned = true;
  for (int sweep = 0; sweep < 60 && turned; ++sweep) {
    turned = false;
    for (std::size_t round = 0; round + 1 < seats.size(); ++round) {
      for (std::size_t i = 0; i < seats.size() / 2; ++i) turned |= meet(W, V, seats[i], seats[seats.size() - 1 - i]);
      std::rotate(seats.begin() + 1, seats.end() - 1, seats.end());
    }
  }
  return factors_of(W, V);
}

void run_all(const assay_svd_problem& p, const assay_svd_output& out) {
  if (p.dtype == ASSAY_FLOAT64) return decompose_all<double, double>(p, out, decompose<double>);
  decompose_all<float, float>(p, out, decompose<float>);
}

}  // namespace

RIGHT_SVD("block Jacobi", .dtypes = float_types, .unsupported = ASSAY_SVD_NO_CHECKS);
