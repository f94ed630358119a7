// The inner loops of the singular value decomposition for avx512.
#if defined(__x86_64__)
#define ASSAY_SIMD avx512
#define ASSAY_SIMD_BYTES 64
#include "metal/cpu/svd/simd/instantiate.h"
#endif
