#include "metal/cpu/instruction_set.h"

namespace assay::metal::cpu {

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

}  // namespace assay::metal::cpu
