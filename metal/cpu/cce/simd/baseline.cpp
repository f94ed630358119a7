// The inner loops of linear cross-entropy for baseline.
#define ASSAY_SIMD baseline
#define ASSAY_SIMD_BYTES 16
#include "metal/cpu/cce/simd/instantiate.h"
