// An SVD plug-in: Eigen's two-sided Jacobi, in float32 and float64. Matrices of nothing are not for it: its
// constructor reads a null pointer. A sweep of it rotates from both sides, and so is worth two. Bad arguments are
// refused by name, as docs/plugins.md asks.
#include <Eigen/SVD>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>

#include "validation/plugin/assay_plugin.h"

namespace {

template <class Real>
using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

template <class Real>
void svd(const assay_svd_problem& problem, const assay_svd_output& out) {
  const std::int64_t M = problem.M, N = problem.N, K = M < N ? M : N;
  const auto* A = static_cast<const Real*>(problem.A);
  auto *U = static_cast<Real*>(out.U), *S = static_cast<Real*>(out.S), *Vh = static_cast<Real*>(out.Vh);
  const unsigned vectors = U != nullptr ? Eigen::ComputeThinU | Eigen::ComputeThinV : 0U;
  for (std::int64_t b = 0; b < problem.B; ++b) {
    // Eigen's own matrices are by columns, which is what its QR preconditioner is tested with.
    const Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic> given =
        Eigen::Map<const Matrix<Real>>(A + b * M * N, M, N);
    const Eigen::JacobiSVD<Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>> found(given, vectors);
    for (std::int64_t k = 0; k < K; ++k) S[b * K + k] = found.singularValues()(k);
    if (U == nullptr) continue;
    Eigen::Map<Matrix<Real>>(U + b * M * K, M, K) = found.matrixU();
    Eigen::Map<Matrix<Real>>(Vh + b * K * N, K, N) = found.matrixV().transpose();
  }
}

/// Why the extents or the sizes of arrays are refused; empty if they are not.
std::string wrong_size(const assay_svd_problem& p, const assay_svd_output& out) {
  if (p.B < 0) return "B is negative";
  if (p.M < 0) return "M is negative";
  if (p.N < 0) return "N is negative";
  std::int64_t elements = 0;
  if (__builtin_mul_overflow(p.M, p.N, &elements) || __builtin_mul_overflow(p.B, elements, &elements))
    return "A: B * M * N is past 64 bits";
  if (p.A_size != elements) return "A: expected B * M * N elements";
  const std::int64_t K = p.M < p.N ? p.M : p.N;
  if (out.S_size != p.B * K) return "S: expected B * K elements";
  if (out.U_size == 0 && out.Vh_size == 0) return "";
  if (out.U_size != p.B * p.M * K) return "U: expected B * M * K elements";
  return out.Vh_size != p.B * K * p.N ? "Vh: expected B * K * N elements" : "";
}

/// Why the elements of A are refused; empty if all are finite.
template <class Real>
std::string not_finite(const assay_svd_problem& p) {
  for (std::int64_t i = 0; i < p.A_size; ++i)
    if (!std::isfinite(static_cast<const Real*>(p.A)[i]))
      return "A[b=" + std::to_string(i / (p.M * p.N)) + ", i=" + std::to_string(i / p.N % p.M) +
             ", j=" + std::to_string(i % p.N) + "] is not finite";
  return "";
}

int run(const assay_svd_problem* problem, const assay_svd_output* out, char* message, std::size_t message_size) {
  std::string refusal = wrong_size(*problem, *out);
  if (refusal.empty())
    refusal = problem->dtype == ASSAY_FLOAT64 ? not_finite<double>(*problem) : not_finite<float>(*problem);
  if (!refusal.empty()) {
    std::snprintf(message, message_size, "%s", refusal.c_str());
    return ASSAY_REFUSED;
  }
  if (problem->dtype == ASSAY_FLOAT64) {
    svd<double>(*problem, *out);
  } else {
    svd<float>(*problem, *out);
  }
  return ASSAY_OK;
}

}  // namespace

const assay_svd_kernel assay_svd = {ASSAY_HEADER(assay_svd_kernel),
                                    .name = "Eigen JacobiSVD",
                                    .run = run,
                                    .dtypes = ASSAY_DTYPE_BIT(ASSAY_FLOAT32) | ASSAY_DTYPE_BIT(ASSAY_FLOAT64),
                                    .unsupported = ASSAY_SVD_NO_EMPTY,
                                    .sweeps = 20};
