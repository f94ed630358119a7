// An SVD plug-in: Eigen's two-sided Jacobi, in float32 and float64. Matrices of nothing are not for it: its
// constructor reads a null pointer. A sweep of it rotates from both sides, and so is worth two.
#include <Eigen/SVD>
#include <cstdint>

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

int run(const assay_svd_problem* problem, const assay_svd_output* out, char*, std::size_t) {
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
                                    .unsupported = ASSAY_SVD_NO_EMPTY | ASSAY_SVD_NO_CHECKS,
                                    .sweeps = 20};
