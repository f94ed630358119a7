// The inner loops of the singular value decomposition for avx2 with fused multiply-add.
#if defined(__x86_64__)
#define ASSAY_SIMD avx2_fma
#define ASSAY_SIMD_BYTES 32
#define ASSAY_SIMD_FMA
#include "metal/cpu/svd/simd/instantiate.h"
#endif
