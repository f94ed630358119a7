#include "metal/cpu/ctc/kernels.h"

#include "metal/cpu/half.h"

namespace assay::metal::cpu {

template <class Real>
const Kernels<Real>& baseline_kernels();
template <class Real>
const Kernels<Real>& avx2_kernels();
template <class Real>
const Kernels<Real>& avx512_kernels();

template <class Real>
const Kernels<Real>& kernels([[maybe_unused]] InstructionSet set) {
#if defined(__x86_64__)
  if (set == InstructionSet::avx512) return avx512_kernels<Real>();
  if (set == InstructionSet::avx2) return avx2_kernels<Real>();
#endif
  return baseline_kernels<Real>();
}

template const Kernels<float>& kernels(InstructionSet);
template const Kernels<Half>& kernels(InstructionSet);
template const Kernels<BFloat16>& kernels(InstructionSet);

}  // namespace assay::metal::cpu
