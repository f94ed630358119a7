// Problems that reach the places where linear cross-entropy kernels break.
//
// Extents first: one token, one word, sizes below, at and above 8, 16, 32, 64, 256 and 1024, all tokens ignored. Then
// values: constant, few bits, Gaussian, confident, near ties, large logits, a huge common offset, words taken out by a
// bias of -inf, the first ones among them. The hidden rows of ignored tokens hold NaN and infinity on purpose.
#pragma once

#include "validation/cce/case.h"
#include "validation/core/random.h"

namespace assay::validation {

/// What a property needs of its cases: shares of them, unless it says otherwise.
struct CceProfile {
  std::int64_t min_tokens = 1;
  double ignored = 0.35;         ///< with tokens that are ignored
  double bias = 0.5;             ///< with a bias
  double minus_infinity = 0.25;  ///< of those with a bias, with some of it -inf
  double offset = 0.15;          ///< of those with a bias, with a huge common offset in it
  double softcap = 0.25;
  double smoothing = 0.2;
  double z_loss = 0.2;
  double half_types = 0.4;     ///< in float16 or bfloat16
  double many_entries = 0.12;  ///< of a vocabulary beyond 200 words
  double many_tokens = 0.1;    ///< of more than six tokens
};

}  // namespace assay::validation
