// The table of one instruction set's inner loops; each simd_*.cpp includes this last.
#pragma once

#include "metal/cpu/simd/acceptable.h"
#include "metal/cpu/simd/cce_elements.h"
#include "metal/cpu/simd/emissions.h"
#include "metal/cpu/simd/scaled.h"

namespace assay::metal::cpu::ASSAY_SIMD {

template <class Real>
inline constexpr Kernels<Real> table = {acceptable<Real>, emissions<Real>, scaled<Real>};

}  // namespace assay::metal::cpu::ASSAY_SIMD
