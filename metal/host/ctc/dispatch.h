// The dispatches of a CTC loss in order. Each may read what those before it wrote.
#pragma once

#include <span>
#include <vector>

#include "metal/device/limits.h"
#include "metal/host/ctc/chunks.h"
#include "metal/host/ctc/kernels.h"
#include "metal/kernels/ctc/interface.h"

namespace assay::metal::host {

using CtcDispatch = Dispatch<ctc::Shape>;

/// Empty if there is nothing to compute. Errors: those of CtcKernels.
Result<std::vector<CtcDispatch>> ctc_dispatches(CtcKernels& kernels, const CtcStatement& statement,
                                                std::span<const CtcChunk> chunks);

}  // namespace assay::metal::host
