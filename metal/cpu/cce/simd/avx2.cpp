// The inner loops of linear cross-entropy for avx2.
#if defined(__x86_64__)
#define ASSAY_SIMD avx2
#define ASSAY_SIMD_BYTES 32
#include "metal/cpu/cce/simd/instantiate.h"
#endif
