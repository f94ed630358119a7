// The properties of CTC kernels, one function and one file each.
#pragma once

#include "validation/ctc/operation.h"

namespace assay::validation::properties {

// Memory and repeatability.
CtcProperty two_shapes();
CtcProperty layout();
CtcProperty padding();
CtcProperty zero_past_length();

// The contract.
CtcProperty refusals();
CtcProperty impossible();
CtcProperty empty();
CtcProperty far_rows();
CtcProperty one_path();
CtcProperty nonnegative();

// Relations between runs: no reference needed.
CtcProperty row_independence();
CtcProperty batch();
CtcProperty batch_singles();
CtcProperty reductions();
CtcProperty linearity();
CtcProperty frame_sums();
CtcProperty shift();
CtcProperty permutation();
CtcProperty input_kinds();
CtcProperty two_step();

// Against the any-precision reference.
CtcProperty loss();
CtcProperty gradient();
CtcProperty random_rounding();

}  // namespace assay::validation::properties
