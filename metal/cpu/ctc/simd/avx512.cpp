// The inner loops of CTC for avx512.
#if defined(__x86_64__)
#define ASSAY_SIMD avx512
#define ASSAY_SIMD_BYTES 64
#include "metal/cpu/ctc/simd/instantiate.h"
#endif
