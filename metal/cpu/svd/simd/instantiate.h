// The tables of one instruction set's inner loops of the singular value decomposition: metal/cpu/simd/target.h.
#pragma once

#include "metal/cpu/simd/target.h"
#include "metal/cpu/svd/kernels.h"

ASSAY_BEGIN_TARGET
#include "metal/cpu/svd/simd/batch.h"
#include "metal/cpu/svd/simd/bidiagonal.h"
#include "metal/cpu/svd/simd/eigenvalues.h"
#include "metal/cpu/svd/simd/reflect.h"
#include "metal/cpu/svd/simd/secular.h"
#include "metal/cpu/svd/simd/tridiagonal.h"
#include "metal/cpu/svd/simd/twisted.h"

namespace assay::metal::cpu::ASSAY_SIMD {

template <class T>
inline constexpr SvdKernels<T> svd_table = {run_batch<T>,      orthogonalize<T>,   squared_norms<T>, reflect<T>,
                                            tridiagonalize<T>, bidiagonalize<T>,   eigenvalues<T>,   eigenvectors<T>,
                                            secular_roots<T>,  secular_weights<T>, secular_vector<T>};

}  // namespace assay::metal::cpu::ASSAY_SIMD

namespace assay::metal::cpu {

// NOLINTBEGIN(misc-definitions-in-headers): a source for each instruction set includes this header, and none else.
ASSAY_DEFINE_TABLE(SvdKernels<float>, ASSAY_SIMD::svd_table<float>)
ASSAY_DEFINE_TABLE(SvdKernels<double>, ASSAY_SIMD::svd_table<double>)
// NOLINTEND(misc-definitions-in-headers)

}  // namespace assay::metal::cpu
ASSAY_END_TARGET
