// The inner loops of CTC for avx512.
#if defined(__x86_64__)
#include <immintrin.h>

#include "metal/cpu/ctc/kernels.h"

#define ASSAY_SIMD avx512
#define ASSAY_SIMD_BYTES 64
#pragma GCC push_options
#pragma GCC target("fma,avx512f,avx512bw,avx512dq,avx512vl,prefer-vector-width=512")
#include "metal/cpu/ctc/simd/instantiate.h"

namespace assay::metal::cpu {

template <class Real>
const Kernels<Real>& avx512_kernels() {
  return avx512::table<Real>;
}

template const Kernels<float>& avx512_kernels();
template const Kernels<Half>& avx512_kernels();
template const Kernels<BFloat16>& avx512_kernels();

}  // namespace assay::metal::cpu
#pragma GCC pop_options
#endif
