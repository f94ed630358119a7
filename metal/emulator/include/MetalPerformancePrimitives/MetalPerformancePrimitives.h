// Metal Performance Primitives: the products of matrices.
#pragma once

#if ASSAY_NVPTX
#error "MetalPerformancePrimitives: tensor operations run on the emulator, not on NVIDIA GPUs"
#endif
#include <assay/matmul2d.h>
