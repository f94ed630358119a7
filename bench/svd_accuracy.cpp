#include "bench/svd_accuracy.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <random>

#include "metal/cpu/svd/svd.h"
#include "reference/svd/jacobi.h"

namespace assay::bench {

namespace {

using Doubles = reference::Matrix<double>;

constexpr double eps = 0x1p-24;

struct Factors {
  std::vector<float> U, S, Vh;
  bool succeeded;
};

Factors decompose(const SvdPeer<float>& peer, std::int64_t n, const std::vector<float>& A) {
  Factors factors{std::vector<float>(A.size()), std::vector<float>(static_cast<std::size_t>(n)),
                  std::vector<float>(A.size()), false};
  factors.succeeded = peer.decompose(n, A.data(), factors.U.data(), factors.S.data(), factors.Vh.data());
  return factors;
}

std::vector<float> gaussian(std::int64_t n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> A(static_cast<std::size_t>(n * n));
  for (float& element : A) element = normal(random);
  return A;
}

Doubles widened(std::int64_t n, const std::vector<float>& A) {
  Doubles matrix(n, n);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j) matrix(i, j) = A[static_cast<std::size_t>(i * n + j)];
  return matrix;
}

double largest_value(const Doubles& A) {
  return reference::jacobi_svd(A).S[0];
}

/// ||A - U S Vh|| / ||A|| and max(||U^T U - I||, ||Vh Vh^T - I||), in the spectral norm.
struct Departures {
  double residual, orthogonality;
};

Departures departures(std::int64_t n, const std::vector<float>& A, const Factors& factors) {
  const Doubles U = widened(n, factors.U), Vh = widened(n, factors.Vh);
  Doubles rest = widened(n, A), of_u(n, n), of_v(n, n);
  const double norm = largest_value(rest);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      of_u(i, j) = of_v(i, j) = i == j ? -1 : 0;
      for (std::int64_t k = 0; k < n; ++k) {
        rest(i, j) -= U(i, k) * double{factors.S[static_cast<std::size_t>(k)]} * Vh(k, j);
        of_u(i, j) += U(k, i) * U(k, j);
        of_v(i, j) += Vh(i, k) * Vh(j, k);
      }
    }
  return {largest_value(rest) / norm, std::max(largest_value(of_u), largest_value(of_v))};
}

/// An orthogonal matrix times powers of ten down to 1e-12, their order as they come or mixed; `scale` on top.
std::vector<float> graded(std::int64_t n, bool mixed, double scale) {
  std::vector<double> d;
  for (std::int64_t j = 0; j < n; ++j)
    d.push_back(std::pow(10, -12.0 * static_cast<double>(j) / static_cast<double>(n - 1)));
  std::mt19937_64 random(3);
  if (mixed) std::shuffle(d.begin(), d.end(), random);
  const Doubles Q = reference::jacobi_svd(widened(n, gaussian(n, 4))).U;
  std::vector<float> A;
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j)
      A.push_back(static_cast<float>(scale * Q(i, j) * d[static_cast<std::size_t>(j)]));
  return A;
}

/// The largest relative error of a singular value, in units of eps.
double worst_value(const SvdPeer<float>& peer, std::int64_t n, const std::vector<float>& A) {
  const Factors factors = decompose(peer, n, A);
  const std::vector<double> truth = reference::jacobi_svd(widened(n, A)).S;  // relative accuracy, of double
  double worst = 0;
  for (std::size_t k = 0; k < truth.size(); ++k) {
    const double error = std::abs(double{factors.S[k]} - truth[k]) / truth[k] / eps;
    if (!(error <= worst)) worst = error;
  }
  return factors.succeeded ? worst : std::nan("");
}

void print_row(const SvdPeer<float>& peer) {
  std::printf("| %s ", peer.name);
  for (const std::int64_t n : {8, 64, 256}) {
    if (n > peer.max_columns) {
      std::printf("| - | - ");
      continue;
    }
    const std::vector<float> A = gaussian(n, 1);
    const Departures of = departures(n, A, decompose(peer, n, A));
    const double unit = 4 * std::sqrt(static_cast<double>(n)) * eps;
    std::printf("| %.2f | %.2f ", of.residual / unit, of.orthogonality / unit);
  }
  for (const auto& [mixed, scale] :
       {std::pair(false, 1.0), std::pair(true, 1.0), std::pair(true, 1e-20), std::pair(true, 1e20)})
    std::printf("| %.3g ", worst_value(peer, 64, graded(64, mixed, scale)));
  std::printf("|\n");
  std::fflush(stdout);
}

}  // namespace

bool our_svd(std::int64_t n, const float* A, float* U, float* S, float* Vh) {
  const auto size = static_cast<std::size_t>(n);
  metal::svd<float>({1, n, n, {A, size * size}}, {{U, size * size}, {S, size}, {Vh, size * size}}, {.threads = 1});
  return true;
}

void print_accuracy(const std::vector<SvdPeer<float>>& peers) {
  std::printf(
      "\n| float32 | n=8: residual | orthogonality | 64: residual | orthogonality | 256: residual | orthogonality "
      "| graded | mixed | at 1e-20 | at 1e20 |\n|---|---|---|---|---|---|---|---|---|---|---|\n");
  print_row({"ours", our_svd, 1024});
  for (const SvdPeer<float>& peer : peers) print_row(peer);
}

}  // namespace assay::bench
