// What the right SVD kernels share. A kernel turns the columns of a tall matrix into orthogonal ones, W = A V, by an
// orthogonal V; wide matrices come transposed. Real is the arithmetic inside.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "validation/plugin/assay_plugin.h"

namespace right {

template <class Real>
using Column = std::vector<Real>;
template <class Real>
using Columns = std::vector<Column<Real>>;

template <class Real>
Columns<Real> identity(std::size_t size) {
  Columns<Real> columns(size, Column<Real>(size));
  for (std::size_t i = 0; i < size; ++i) columns[i][i] = 1;
  return columns;
}

template <class Real>
Real dot(const Column<Real>& x, const Column<Real>& y) {
  return std::inner_product(x.begin(), x.end(), y.begin(), Real{0});
}

template <class Real>
void add_multiple(Column<Real>& to, Real factor, const Column<Real>& of) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += factor * of[i];
}

// x = c x - s y, y = s x + c y.
template <class Real>
void rotate(Column<Real>& x, Column<Real>& y, Real c, Real s) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Real first = x[i], second = y[i];
    x[i] = c * first - s * second;
    y[i] = s * first + c * second;
  }
}

template <class Real>
void rotate_rows(Columns<Real>& A, std::size_t i, std::size_t j, Real c, Real s) {
  for (auto& column : A) {
    const Real first = column[i], second = column[j];
    column[i] = c * first - s * second;
    column[j] = s * first + c * second;
  }
}

// The rotation that makes columns of squared lengths a and b and product d orthogonal.
template <class Real>
std::pair<Real, Real> rotation(Real a, Real b, Real d) {
  const Real zeta = (b - a) / (2 * d);
  const Real t = (zeta >= 0 ? 1 : -1) / (std::abs(zeta) + std::sqrt(1 + zeta * zeta));
  const Real c = 1 / std::sqrt(1 + t * t);  // the textbook's, which lengthens columns
  return {c, c * t};
}

template <class Real>
constexpr Real unit = std::numeric_limits<Real>::epsilon() / 2;

// Makes columns i and j of W orthogonal unless they are, to `tolerance` of their lengths. Rows of V turn with them.
template <class Real>
bool make_orthogonal(Columns<Real>& W, Columns<Real>& V, std::size_t i, std::size_t j) {
  const Real a = dot(W[i], W[i]), b = dot(W[j], W[j]), d = dot(W[i], W[j]);
  if (!(std::abs(d) > 2 * unit<Real> * std::sqrt(a) * std::sqrt(b))) return false;
  const auto [c, s] = rotation(a, b, d);
  rotate(W[i], W[j], c, s);
  rotate(V[i], V[j], c, s);
  return true;
}

// Gives the columns from `rank` on directions that are orthogonal to all before: unit vectors, twice cleaned.
template <class Real>
void complete(Columns<Real>& U, std::size_t rank) {
  const std::size_t M = U.empty() ? 0 : U[0].size();
  for (std::size_t k = rank, candidate = 0; k < U.size(); ++candidate) {
    Column<double> e(M);
    e.at(candidate) = 1;
    for (int pass = 0; pass < 2; ++pass)
      for (std::size_t l = 0; l < k; ++l) {
        const Column<double> u(U[l].begin(), U[l].end());
        add_multiple(e, -dot(e, u), u);
      }
    const double length = std::sqrt(dot(e, e));
    if (length < 0.5 / std::sqrt(static_cast<double>(M))) continue;
    for (std::size_t i = 0; i < M; ++i) U[k][i] = static_cast<Real>(e[i] / length);
    ++k;
  }
}

template <class Real>
struct Factors {
  Columns<Real> U;
  std::vector<Real> S;
  Columns<Real> V;
};

// U, S and V of orthogonal columns W = A V. Columns below a few roundings of the longest count as 0.
template <class Real>
Factors<Real> factors_of(const Columns<Real>& W, const Columns<Real>& V) {
  std::vector<Real> lengths;
  for (const auto& column : W) lengths.push_back(std::sqrt(dot(column, column)));
  const Real longest = lengths.empty() ? 0 : *std::max_element(lengths.begin(), lengths.end());
  for (Real& length : lengths) length = length <= 8 * unit<Real> * longest ? 0 : length;
  std::vector<std::size_t> order(W.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto i, auto j) { return lengths[i] > lengths[j]; });
  Factors<Real> found;
  std::size_t rank = 0;
  for (const std::size_t k : order) {
    found.S.push_back(lengths[k]);
    found.V.push_back(V[k]);
    found.U.push_back(W[k]);
    if (lengths[k] > 0) ++rank;
    for (Real& value : found.U.back()) value = lengths[k] > 0 ? value / lengths[k] : 0;
  }
  complete(found.U, rank);
  return found;
}

// Matrix b as columns, transposed if it is wide, and its largest element's exponent, which is taken out.
template <class Stored, class Real>
Columns<Real> columns_of(const assay_svd_problem& p, std::int64_t b, int& exponent) {
  const Stored* const A = static_cast<const Stored*>(p.A) + b * p.M * p.N;
  const Stored largest =
      std::abs(*std::max_element(A, A + p.M * p.N, [](Stored x, Stored y) { return std::abs(x) < std::abs(y); }));
  exponent = largest > 0 ? std::ilogb(largest) : 0;
  const bool wide = p.M < p.N;
  Columns<Real> W(static_cast<std::size_t>(wide ? p.M : p.N), Column<Real>(static_cast<std::size_t>(wide ? p.N : p.M)));
  for (std::int64_t i = 0; i < p.M; ++i)
    for (std::int64_t j = 0; j < p.N; ++j)
      (wide ? W[i][j] : W[j][i]) = static_cast<Real>(std::ldexp(A[i * p.N + j], -exponent));
  return W;
}

template <class Stored, class Real>
void store(const assay_svd_problem& p, const assay_svd_output& out, std::int64_t b, Factors<Real> found, int exponent) {
  const std::int64_t K = std::min(p.M, p.N);
  if (p.M < p.N) std::swap(found.U, found.V);
  for (std::int64_t k = 0; k < K; ++k) {
    static_cast<Stored*>(out.S)[b * K + k] = static_cast<Stored>(std::ldexp(static_cast<Stored>(found.S[k]), exponent));
    for (std::int64_t i = 0; i < p.M && out.U != nullptr; ++i)
      static_cast<Stored*>(out.U)[(b * p.M + i) * K + k] = static_cast<Stored>(found.U[k][i]);
    for (std::int64_t j = 0; j < p.N && out.U != nullptr; ++j)
      static_cast<Stored*>(out.Vh)[(b * K + k) * p.N + j] = static_cast<Stored>(found.V[k][j]);
  }
}

// decompose(columns) gives the factors of each matrix, in Real where it is not Stored.
template <class Stored, class Real, class Decompose>
void decompose_all(const assay_svd_problem& p, const assay_svd_output& out, const Decompose& decompose) {
  for (std::int64_t b = 0; b < p.B && p.M > 0 && p.N > 0; ++b) {
    int exponent = 0;
    auto W = columns_of<Stored, Real>(p, b, exponent);
    store<Stored, Real>(p, out, b, decompose(std::move(W)), exponent);
  }
}

}  // namespace right

constexpr std::uint32_t float_types = ASSAY_DTYPE_BIT(ASSAY_FLOAT32) | ASSAY_DTYPE_BIT(ASSAY_FLOAT64);

// The declaration of a kernel whose function is run_all(problem, output).
#define RIGHT_SVD(title, ...)                                                              \
  static int run(const assay_svd_problem* p, const assay_svd_output* out, char*, size_t) { \
    run_all(*p, *out);                                                                     \
    return ASSAY_OK;                                                                       \
  }                                                                                        \
  const assay_svd_kernel assay_svd = {ASSAY_HEADER(assay_svd_kernel), .name = title, .run = run, __VA_ARGS__}
