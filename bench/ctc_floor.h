// A lower bound on the time of any CTC kernel with a gradient: it reads each logit, computes its exponential and writes
// one element of the gradient.
#pragma once

#include <cstddef>

#include "metal/cpu/ctc/kernels.h"

namespace assay::bench {

/// gradient[i] = exp(logits[i]) for `count` float32 logits, with the kernel's exponential.
void ctc_floor_baseline(const float* logits, std::size_t count, float* gradient);
void ctc_floor_avx2(const float* logits, std::size_t count, float* gradient);
void ctc_floor_avx512(const float* logits, std::size_t count, float* gradient);

inline void ctc_floor(metal::cpu::InstructionSet set, const float* logits, std::size_t count, float* gradient) {
#if defined(__x86_64__)
  if (set == metal::cpu::InstructionSet::avx512) return ctc_floor_avx512(logits, count, gradient);
  if (set == metal::cpu::InstructionSet::avx2) return ctc_floor_avx2(logits, count, gradient);
#endif
  ctc_floor_baseline(logits, count, gradient);
}

}  // namespace assay::bench
