// The table of one instruction set's inner loops of the singular value decomposition; avx2.cpp, avx512.cpp and
// baseline.cpp include this last.
#pragma once

#include "metal/cpu/svd/simd/batch.h"
#include "metal/cpu/svd/simd/reflect.h"

namespace assay::metal::cpu::ASSAY_SIMD {

template <class T>
inline constexpr SvdKernels<T> svd_table = {run_batch<T>, orthogonalize<T>, squared_norms<T>, reflect<T>};

}  // namespace assay::metal::cpu::ASSAY_SIMD
