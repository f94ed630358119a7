// Generates problems on which CTC kernels are known to break.
//
// Structure first: no frames, no labels, exactly enough frames, one too few, repeats, lengths around 32 and 64,
// lengths that differ in a batch, any blank. Then values: constant, few bits, Gaussian, confident, log-uniform
// magnitudes, near ties, -inf. Frames past input_length and targets past target_length hold garbage on purpose.
#pragma once

#include "validation/core/random.h"
#include "validation/ctc/case.h"

namespace assay::validation {

/// What a property needs of its cases.
struct CtcProfile {
  std::int64_t min_rows = 1;
  double impossible_rows = 0.12;  ///< share of rows with fewer frames than their labels need
  double empty_rows = 0.12;       ///< share of rows without labels or without frames
  double minus_infinity = 0.1;    ///< share of cases with -inf activations
  double log_probs = 0.3;         ///< share of cases given as log-probabilities
  double long_rows = 0.08;        ///< share of cases with a long row (up to 70 labels), slow to judge
  double half_types = 0.25;       ///< share of cases in float16 or bfloat16
};

/// ln softmax of every frame of `c` within its row's length, rounded to float32; frames past it stay as they are.
CtcCase to_log_probs(CtcCase c);

}  // namespace assay::validation
