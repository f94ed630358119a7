// Peers that decompose matrices of float and double: LAPACK's four ways, Eigen's two where it is found, and PyTorch.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace assay::bench {

/// One matrix [n, n], row-major, into U [n, n], S [n] and Vh [n, n]; false where it does not succeed.
template <class Real>
struct SvdPeer {
  const char* name;
  bool (*decompose)(std::int64_t n, const Real* A, Real* U, Real* S, Real* Vh);
  std::int64_t max_columns;  ///< beyond that it takes too long to wait for
};

/// LAPACK as OpenBLAS has it, and Eigen where it is found.
template <class Real>
std::vector<SvdPeer<Real>> svd_peers();

/// Empty where Eigen was not found.
template <class Real>
std::vector<SvdPeer<Real>> eigen_peers();

/// The median of the seconds that PyTorch takes for a batch of `type` (float32, float64), in a process of its own;
/// nothing where there is none.
std::optional<double> torch_svd_seconds(const std::string& type, std::int64_t batch, std::int64_t n, int threads,
                                        int repetitions);

}  // namespace assay::bench
