// How the losses of a batch become what is returned.
#pragma once

namespace assay::reference {

/// none: each loss by itself. sum: their sum. mean: of CTC, the mean over the batch of loss / max(S_b, 1); of
/// cross-entropy, the mean over the tokens that are not ignored, 0 where there are none.
enum class Reduction { none, sum, mean };

}  // namespace assay::reference
