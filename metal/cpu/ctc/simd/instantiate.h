// The tables of one instruction set's inner loops of CTC: metal/cpu/simd/target.h.
#pragma once

#include "metal/cpu/ctc/exponential.h"
#include "metal/cpu/ctc/kernels.h"
#include "metal/cpu/simd/target.h"

ASSAY_BEGIN_TARGET
#include "metal/cpu/ctc/simd/acceptable.h"
#include "metal/cpu/ctc/simd/emissions.h"
#include "metal/cpu/ctc/simd/extended.h"
#include "metal/cpu/ctc/simd/scaled.h"

namespace assay::metal::cpu::ASSAY_SIMD {

template <class Real>
inline constexpr Kernels<Real> table = {acceptable<Real>, emissions<Real>, scaled<Real>, extended<Real>};

}  // namespace assay::metal::cpu::ASSAY_SIMD

namespace assay::metal::cpu {

// NOLINTBEGIN(misc-definitions-in-headers): a source for each instruction set includes this header, and none else.
ASSAY_DEFINE_TABLE(Kernels<float>, ASSAY_SIMD::table<float>)
ASSAY_DEFINE_TABLE(Kernels<Half>, ASSAY_SIMD::table<Half>)
ASSAY_DEFINE_TABLE(Kernels<BFloat16>, ASSAY_SIMD::table<BFloat16>)
// NOLINTEND(misc-definitions-in-headers)

}  // namespace assay::metal::cpu
ASSAY_END_TARGET
