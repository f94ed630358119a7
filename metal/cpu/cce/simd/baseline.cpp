// The inner loops of linear cross-entropy for baseline.
#include "metal/cpu/cce/elements.h"

#define ASSAY_SIMD baseline
#define ASSAY_SIMD_BYTES 16
#include "metal/cpu/cce/simd/elements.h"

namespace assay::metal::cpu {

const CceElements& baseline_cce_elements() {
  return baseline::cce_table;
}

template <class Real>
const CceStored<Real>& baseline_cce_stored() {
  return baseline::cce_stored_table<Real>;
}

template const CceStored<float>& baseline_cce_stored();
template const CceStored<Half>& baseline_cce_stored();
template const CceStored<BFloat16>& baseline_cce_stored();

}  // namespace assay::metal::cpu
