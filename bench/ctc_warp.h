// The batch of ctc_batch.h through warp-ctc's CPU path, where the environment variable ASSAY_WARP_CTC names a built
// libwarpctc.
#pragma once

#include <functional>
#include <optional>

#include "bench/ctc_batch.h"

namespace assay::bench {

/// Its compute_ctc_loss on this batch, with workspace made beforehand, into `result`; every call of it is one run.
/// Empty where the library is missing or refuses the batch; standard error says why. `batch` and `result` must
/// outlive it.
std::optional<std::function<void()>> warp_ctc(const CtcBatch<float>& batch, int threads, CtcResult<float>& result);

}  // namespace assay::bench
