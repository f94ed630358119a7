// The inner loops of CTC for baseline.
#define ASSAY_SIMD baseline
#define ASSAY_SIMD_BYTES 16
#include "metal/cpu/ctc/simd/instantiate.h"
