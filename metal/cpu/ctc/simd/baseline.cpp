// The inner loops of CTC for baseline.
#include "metal/cpu/ctc/kernels.h"

#define ASSAY_SIMD baseline
#define ASSAY_SIMD_BYTES 16
#include "metal/cpu/ctc/simd/instantiate.h"

namespace assay::metal::cpu {

template <class Real>
const Kernels<Real>& baseline_kernels() {
  return baseline::table<Real>;
}

template const Kernels<float>& baseline_kernels();
template const Kernels<Half>& baseline_kernels();
template const Kernels<BFloat16>& baseline_kernels();

}  // namespace assay::metal::cpu
