// The inner loops of the singular value decomposition for baseline.
#define ASSAY_SIMD baseline
#define ASSAY_SIMD_BYTES 16
#include "metal/cpu/svd/simd/instantiate.h"
