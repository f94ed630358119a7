// The inner loops of the singular value decomposition for baseline.
#include <utility>

#include "metal/cpu/svd/kernels.h"

#define ASSAY_SIMD baseline
#define ASSAY_SIMD_BYTES 16
#include "metal/cpu/svd/simd/instantiate.h"

namespace assay::metal::cpu {

template <class T>
const SvdKernels<T>& baseline_svd_kernels() {
  return baseline::svd_table<T>;
}

template const SvdKernels<float>& baseline_svd_kernels();
template const SvdKernels<double>& baseline_svd_kernels();

}  // namespace assay::metal::cpu
