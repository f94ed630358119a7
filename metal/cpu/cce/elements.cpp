#include "metal/cpu/cce/elements.h"

namespace assay::metal::cpu {

const CceElements& baseline_cce_elements();
const CceElements& avx2_cce_elements();
const CceElements& avx512_cce_elements();

template <class Real>
const CceStored<Real>& baseline_cce_stored();
template <class Real>
const CceStored<Real>& avx2_cce_stored();
template <class Real>
const CceStored<Real>& avx512_cce_stored();

const CceElements& cce_elements([[maybe_unused]] InstructionSet set) {
#if defined(__x86_64__)
  if (set == InstructionSet::avx512) return avx512_cce_elements();
  if (set == InstructionSet::avx2) return avx2_cce_elements();
#endif
  return baseline_cce_elements();
}

template <class Real>
const CceStored<Real>& cce_stored([[maybe_unused]] InstructionSet set) {
#if defined(__x86_64__)
  if (set == InstructionSet::avx512) return avx512_cce_stored<Real>();
  if (set == InstructionSet::avx2) return avx2_cce_stored<Real>();
#endif
  return baseline_cce_stored<Real>();
}

template const CceStored<float>& cce_stored(InstructionSet);
template const CceStored<Half>& cce_stored(InstructionSet);
template const CceStored<BFloat16>& cce_stored(InstructionSet);

}  // namespace assay::metal::cpu
