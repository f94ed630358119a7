// What a CTC kernel claims to do.
#pragma once

#include <cstdint>
#include <string>

#include "validation/core/dtype.h"
#include "validation/core/support.h"
#include "validation/ctc/case.h"

namespace assay::validation {

struct CtcSupport {
  Dtype dtype =
      Dtype::float32;  ///< of activations, loss and gradient, not float64; other activations are rounded to it
  std::int64_t largest_T = no_limit, largest_B = no_limit, largest_C = no_limit, largest_S = no_limit;
  bool logits = true, log_probs = true;                          ///< what it takes
  bool gradient_of_logits = true, gradient_of_log_probs = true;  ///< what its gradient is with respect to
  bool padded = true, concatenated = true;                       ///< layouts of the targets
  bool reduction_none = true, reduction_sum = true, reduction_mean = true;
  bool upstream = true;          ///< a gradient of the loss other than ones
  bool zero_infinity = true;     ///< rows that cannot be aligned count nothing on request
  bool any_blank = true;         ///< a blank other than class 0
  bool empty = true;             ///< T, B or S of 0, rows of no frames and of no labels
  bool checks_arguments = true;  ///< refuses bad arguments by name
};

/// Why a kernel of such support need not do the case; empty where it must.
std::string why_not(const CtcSupport& support, const CtcCase& c);

/// Rounds the activations to the type of the kernel.
void adapt(const CtcSupport& support, CtcCase& c);

}  // namespace assay::validation
