#include "metal/cpu/kernels.h"

namespace assay::metal::cpu {

template <class Real>
const Kernels<Real>& baseline_kernels();
template <class Real>
const Kernels<Real>& avx2_kernels();
template <class Real>
const Kernels<Real>& avx512_kernels();

std::vector<InstructionSet> instruction_sets() {
  std::vector<InstructionSet> sets = {InstructionSet::baseline};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) sets.push_back(InstructionSet::avx2);
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl"))
    sets.push_back(InstructionSet::avx512);
#endif
  return sets;
}

InstructionSet fastest_instruction_set() {
  static const InstructionSet fastest = instruction_sets().back();
  return fastest;
}

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
