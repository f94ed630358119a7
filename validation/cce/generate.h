// Generates problems on which linear cross-entropy kernels are known to break.
//
// Extents first: one token, one entry, sizes below, at and above 8, 16, 32, 64, 256 and 1024, all tokens ignored. Then
// values: constant, few bits, Gaussian, confident, near ties, large logits, a huge common offset, entries masked out by
// a bias of -inf, also at the start. The hidden rows of ignored tokens hold NaN and infinity on purpose.
#pragma once

#include "validation/cce/case.h"
#include "validation/core/random.h"

namespace assay::validation {

/// What a property needs of its cases: shares of the cases unless stated otherwise.
struct CceProfile {
  std::int64_t min_tokens = 1;
  double ignored = 0.35;         ///< with tokens that are ignored
  double bias = 0.5;             ///< with a bias
  double minus_infinity = 0.25;  ///< of the cases with a bias, with some elements -inf
  double offset = 0.15;          ///< of the cases with a bias, with a huge offset common to all elements
  double softcap = 0.25;
  double smoothing = 0.2;
  double z_loss = 0.2;
  double half_types = 0.4;     ///< in float16 or bfloat16
  double many_entries = 0.12;  ///< of 200 entries or more
  double many_tokens = 0.1;    ///< of more than six tokens
};

}  // namespace assay::validation
