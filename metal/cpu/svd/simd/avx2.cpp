// The inner loops of the singular value decomposition for avx2 with fused multiply-add.
#if defined(__x86_64__)
#include <immintrin.h>

#include <utility>

#include "metal/cpu/svd/kernels.h"

#define ASSAY_SIMD avx2_fma
#define ASSAY_SIMD_BYTES 32
#define ASSAY_SIMD_FMA
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#include "metal/cpu/svd/simd/instantiate.h"

namespace assay::metal::cpu {

template <class T>
const SvdKernels<T>& avx2_svd_kernels() {
  return avx2_fma::svd_table<T>;
}

template const SvdKernels<float>& avx2_svd_kernels();
template const SvdKernels<double>& avx2_svd_kernels();

}  // namespace assay::metal::cpu
#pragma GCC pop_options
#endif
