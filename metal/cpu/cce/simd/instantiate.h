// The tables of one instruction set's inner loops of linear cross-entropy: metal/cpu/simd/target.h.
#pragma once

#include "metal/cpu/cce/elements.h"
#include "metal/cpu/simd/target.h"

ASSAY_BEGIN_TARGET
#include "metal/cpu/cce/simd/few_tokens.h"

namespace assay::metal::cpu {

// NOLINTBEGIN(misc-definitions-in-headers): a source for each instruction set includes this header, and none else.
ASSAY_DEFINE_TABLE(CceElements, ASSAY_SIMD::cce_table)
ASSAY_DEFINE_TABLE(CceStored<float>, ASSAY_SIMD::cce_stored_table<float>)
ASSAY_DEFINE_TABLE(CceStored<Half>, ASSAY_SIMD::cce_stored_table<Half>)
ASSAY_DEFINE_TABLE(CceStored<BFloat16>, ASSAY_SIMD::cce_stored_table<BFloat16>)
// NOLINTEND(misc-definitions-in-headers)

}  // namespace assay::metal::cpu
ASSAY_END_TARGET
