// The floor's loop, compiled once for each instruction set as the kernel's own are: ASSAY_SIMD names the set.
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "metal/cpu/simd/exponential.h"
#include "metal/cpu/simd/float16.h"

#define ASSAY_CONCATENATE(a, b) a##b
#define ASSAY_FLOOR_OF(set) ASSAY_CONCATENATE(ctc_floor_, set)

namespace assay::bench {

namespace simd = metal::cpu::ASSAY_SIMD;

void ASSAY_FLOOR_OF(ASSAY_SIMD)(const float* logits, std::size_t count, float* gradient) {
  const std::size_t whole = count / simd::lanes * simd::lanes;
  for (std::size_t i = 0; i < whole; i += simd::lanes)
    simd::store(gradient + i, simd::HalfExponential(simd::load(logits + i)).rest());
  if (whole < count)
    simd::store_first(gradient + whole, count - whole,
                      simd::HalfExponential(simd::load_first(logits + whole, count - whole, 0.0F)).rest());
}

}  // namespace assay::bench
