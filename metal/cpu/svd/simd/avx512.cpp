// The inner loops of the singular value decomposition for avx512.
#if defined(__x86_64__)
#include <immintrin.h>

#include <utility>

#include "metal/cpu/svd/kernels.h"

#define ASSAY_SIMD avx512
#define ASSAY_SIMD_BYTES 64
#pragma GCC push_options
#pragma GCC target("fma,avx512f,avx512bw,avx512dq,avx512vl,prefer-vector-width=512")
#include "metal/cpu/svd/simd/instantiate.h"

namespace assay::metal::cpu {

template <class T>
const SvdKernels<T>& avx512_svd_kernels() {
  return avx512::svd_table<T>;
}

template const SvdKernels<float>& avx512_svd_kernels();
template const SvdKernels<double>& avx512_svd_kernels();

}  // namespace assay::metal::cpu
#pragma GCC pop_options
#endif
