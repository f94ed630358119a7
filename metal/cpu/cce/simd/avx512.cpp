// The inner loops of linear cross-entropy for avx512.
#if defined(__x86_64__)
#include <immintrin.h>

#include "metal/cpu/cce/elements.h"

#define ASSAY_SIMD avx512
#define ASSAY_SIMD_BYTES 64
#pragma GCC push_options
#pragma GCC target("fma,avx512f,avx512bw,avx512dq,avx512vl,prefer-vector-width=512")
#include "metal/cpu/cce/simd/elements.h"

namespace assay::metal::cpu {

const CceElements& avx512_cce_elements() {
  return avx512::cce_table;
}

template <class Real>
const CceStored<Real>& avx512_cce_stored() {
  return avx512::cce_stored_table<Real>;
}

template const CceStored<float>& avx512_cce_stored();
template const CceStored<Half>& avx512_cce_stored();
template const CceStored<BFloat16>& avx512_cce_stored();

}  // namespace assay::metal::cpu
#pragma GCC pop_options
#endif
