// The batch of ctc_batch.h through PyTorch on the CPU, where Python has it: log_softmax, ctc_loss, backward, in
// float32.
#pragma once

#include <optional>

#include "bench/ctc_batch.h"

namespace assay::bench {

struct TorchRun {
  double ms;  ///< the median
  CtcResult<float> result;
};

/// Runs bench/ctc_torch.py in a process of its own: processor time on one thread, else time on the clock. With `tuned`,
/// in an environment in which malloc keeps the memory that it once had. Nothing where that cannot be run.
std::optional<TorchRun> run_torch(const CtcBatch<float>& batch, int threads, int repetitions, bool tuned);

}  // namespace assay::bench
