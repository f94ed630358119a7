// The inner loops of CTC for avx2.
#if defined(__x86_64__)
#include <immintrin.h>

#include "metal/cpu/ctc/kernels.h"

#define ASSAY_SIMD avx2
#define ASSAY_SIMD_BYTES 32
#pragma GCC push_options
#pragma GCC target("avx2")
#include "metal/cpu/ctc/simd/instantiate.h"

namespace assay::metal::cpu {

template <class Real>
const Kernels<Real>& avx2_kernels() {
  return avx2::table<Real>;
}

template const Kernels<float>& avx2_kernels();
template const Kernels<Half>& avx2_kernels();
template const Kernels<BFloat16>& avx2_kernels();

}  // namespace assay::metal::cpu
#pragma GCC pop_options
#endif
