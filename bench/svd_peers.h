// Who else decomposes matrices of float: LAPACK's four ways, Eigen's two where it is found, and PyTorch.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace assay::bench {

/// One matrix [n, n], row-major, into U [n, n], S [n] and Vh [n, n]; false where it does not succeed.
struct SvdPeer {
  const char* name;
  bool (*decompose)(std::int64_t n, const float* A, float* U, float* S, float* Vh);
  std::int64_t max_columns;  ///< beyond that it takes too long to wait for
};

/// LAPACK as OpenBLAS has it, and Eigen where it is found.
std::vector<SvdPeer> svd_peers();

/// Empty where Eigen was not found.
std::vector<SvdPeer> eigen_peers();

/// The median of the seconds that PyTorch takes for a batch, in a process of its own; nothing where there is none.
std::optional<double> torch_svd_seconds(std::int64_t batch, std::int64_t n, int threads, int repetitions);

}  // namespace assay::bench
