// The sizes of cce.cpp through PyTorch on the CPU, where Python has it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace assay::bench {

struct CceSize {
  std::int64_t N, H, V;
  double gflop(int products) const {
    return 2e-9 * products * static_cast<double>(N) * static_cast<double>(H) * static_cast<double>(V);
  }
};

struct CceTorchRun {
  double seconds;  ///< the median
  double MiB;      ///< beyond inputs and gradients
};

/// Runs bench/cce_torch.py in a process of its own. With `tuned`, in an environment in which malloc keeps the memory
/// that it once had. Nothing where that cannot be run.
std::optional<CceTorchRun> run_cce_torch(CceSize size, const std::string& dtype, int threads, int repetitions,
                                         bool tuned);

}  // namespace assay::bench
