// The inner loops for baseline.
#include "metal/cpu/cce/elements.h"
#include "metal/cpu/kernels.h"

#define ASSAY_SIMD baseline
#define ASSAY_SIMD_BYTES 16
#include "metal/cpu/simd/instantiate.h"

namespace assay::metal::cpu {

template <class Real>
const Kernels<Real>& baseline_kernels() {
  return baseline::table<Real>;
}

template const Kernels<float>& baseline_kernels();
template const Kernels<Half>& baseline_kernels();
template const Kernels<BFloat16>& baseline_kernels();

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
