// The inner loops of CTC for avx2.
#if defined(__x86_64__)
#define ASSAY_SIMD avx2
#define ASSAY_SIMD_BYTES 32
#include "metal/cpu/ctc/simd/instantiate.h"
#endif
