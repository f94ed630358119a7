// The table of one instruction set's inner loops of CTC; avx2.cpp, avx512.cpp and baseline.cpp include this last.
#pragma once

#include "metal/cpu/ctc/simd/acceptable.h"
#include "metal/cpu/ctc/simd/emissions.h"
#include "metal/cpu/ctc/simd/scaled.h"

namespace assay::metal::cpu::ASSAY_SIMD {

template <class Real>
inline constexpr Kernels<Real> table = {acceptable<Real>, emissions<Real>, scaled<Real>};

}  // namespace assay::metal::cpu::ASSAY_SIMD
