// The floor's loop, compiled once for each instruction set as the kernel's own are: ASSAY_SIMD names the set.
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "metal/cpu/ctc/simd/emissions.h"

#define ASSAY_CONCATENATE(a, b) a##b
#define ASSAY_FLOOR_OF(set) ASSAY_CONCATENATE(ctc_floor_, set)

namespace assay::bench {

namespace simd = metal::cpu::ASSAY_SIMD;

namespace {

template <simd::Accuracy accuracy>
void stream(const float* logits, std::size_t count, float* gradient) {
  using Begun = simd::HalfExponential<accuracy>;
  const std::size_t whole = count / simd::lanes * simd::lanes;
  Begun next(simd::load(logits), {});
  for (std::size_t i = 0; i < whole; i += simd::lanes) {
    const Begun begun = next;
    if (i + simd::lanes < whole) next = Begun(simd::load(logits + i + simd::lanes), {});
    simd::store(gradient + i, begun.rest());
  }
  if (whole < count)
    simd::store_first(gradient + whole, count - whole,
                      simd::exponential<accuracy>(simd::load_first(logits + whole, count - whole, 0.0F), {}));
}

}  // namespace

void ASSAY_FLOOR_OF(ASSAY_SIMD)(const float* logits, std::size_t count, std::size_t C, float* gradient) {
  if (C >= simd::many_classes) {
    stream<simd::Accuracy::coarse>(logits, count, gradient);
  } else {
    stream<simd::Accuracy::fine>(logits, count, gradient);
  }
}

}  // namespace assay::bench
