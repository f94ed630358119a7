// A lower bound on the time of any CTC kernel with a gradient: it reads each logit, computes its exponential and writes
// one element of the gradient.
#pragma once

#include <cstddef>

#include "metal/cpu/ctc/kernels.h"

namespace assay::bench {

/// gradient[i] = exp(logits[i]) for `count` >= 8 float32 logits, with the exponential that the kernel takes for C
/// classes.
void ctc_floor_baseline(const float* logits, std::size_t count, std::size_t C, float* gradient);
void ctc_floor_avx2(const float* logits, std::size_t count, std::size_t C, float* gradient);
void ctc_floor_avx512(const float* logits, std::size_t count, std::size_t C, float* gradient);

inline void ctc_floor(metal::cpu::InstructionSet set, const float* logits, std::size_t count, std::size_t C,
                      float* gradient) {
#if defined(__x86_64__)
  if (set == metal::cpu::InstructionSet::avx512) return ctc_floor_avx512(logits, count, C, gradient);
  if (set == metal::cpu::InstructionSet::avx2) return ctc_floor_avx2(logits, count, C, gradient);
#endif
  ctc_floor_baseline(logits, count, C, gradient);
}

}  // namespace assay::bench
