#include "bench/svd_peers.h"

#if defined(ASSAY_HAVE_EIGEN)
#include <Eigen/SVD>
#endif

namespace assay::bench {

#if defined(ASSAY_HAVE_EIGEN)
namespace {

using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

template <class Decomposition>
bool decompose(std::int64_t n, const float* A, float* U, float* S, float* Vh) {
  const Eigen::MatrixXf matrix = Eigen::Map<const RowMajor>(A, n, n);
  const Decomposition svd(matrix, Eigen::ComputeThinU | Eigen::ComputeThinV);
  Eigen::Map<RowMajor>(U, n, n) = svd.matrixU();
  Eigen::Map<Eigen::VectorXf>(S, n) = svd.singularValues();
  Eigen::Map<RowMajor>(Vh, n, n) = svd.matrixV().transpose();
  return svd.info() == Eigen::Success;
}

}  // namespace

std::vector<SvdPeer> eigen_peers() {
  return {{"Eigen Jacobi", decompose<Eigen::JacobiSVD<Eigen::MatrixXf>>, 128},
          {"Eigen BDC", decompose<Eigen::BDCSVD<Eigen::MatrixXf>>, 512}};
}
#else
std::vector<SvdPeer> eigen_peers() {
  return {};
}
#endif

}  // namespace assay::bench
