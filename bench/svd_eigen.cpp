#include "bench/svd_peers.h"

#if defined(ASSAY_HAVE_EIGEN)
#include <Eigen/SVD>
#endif

namespace assay::bench {

#if defined(ASSAY_HAVE_EIGEN)
namespace {

template <class Decomposition, class Real = typename Decomposition::Scalar>
bool decompose(std::int64_t n, const Real* A, Real* U, Real* S, Real* Vh) {
  using RowMajor = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const typename Decomposition::MatrixType matrix = Eigen::Map<const RowMajor>(A, n, n);
  const Decomposition svd(matrix, Eigen::ComputeThinU | Eigen::ComputeThinV);
  Eigen::Map<RowMajor>(U, n, n) = svd.matrixU();
  Eigen::Map<Eigen::Matrix<Real, Eigen::Dynamic, 1>>(S, n) = svd.singularValues();
  Eigen::Map<RowMajor>(Vh, n, n) = svd.matrixV().transpose();
  return svd.info() == Eigen::Success;
}

}  // namespace

template <class Real>
std::vector<SvdPeer<Real>> eigen_peers() {
  using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
  return {{"Eigen Jacobi", decompose<Eigen::JacobiSVD<Matrix>>, 128},
          {"Eigen BDC", decompose<Eigen::BDCSVD<Matrix>>, 512}};
}
#else
template <class Real>
std::vector<SvdPeer<Real>> eigen_peers() {
  return {};
}
#endif

template std::vector<SvdPeer<float>> eigen_peers();
template std::vector<SvdPeer<double>> eigen_peers();

}  // namespace assay::bench
