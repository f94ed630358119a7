// The inner loops of linear cross-entropy for avx2.
#if defined(__x86_64__)
#include <immintrin.h>

#include "metal/cpu/cce/elements.h"

#define ASSAY_SIMD avx2
#define ASSAY_SIMD_BYTES 32
#pragma GCC push_options
#pragma GCC target("avx2")
#include "metal/cpu/cce/simd/elements.h"

namespace assay::metal::cpu {

const CceElements& avx2_cce_elements() {
  return avx2::cce_table;
}

template <class Real>
const CceStored<Real>& avx2_cce_stored() {
  return avx2::cce_stored_table<Real>;
}

template const CceStored<float>& avx2_cce_stored();
template const CceStored<Half>& avx2_cce_stored();
template const CceStored<BFloat16>& avx2_cce_stored();

}  // namespace assay::metal::cpu
#pragma GCC pop_options
#endif
