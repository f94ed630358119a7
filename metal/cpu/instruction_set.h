// The instruction sets that the inner loops are compiled for, and which of them this machine has.
//
//   baseline   what the compiler's target always has: SSE2 on x86-64, NEON on AArch64
//   avx2       x86-64 since 2013
//   avx512     x86-64 servers since 2017
#pragma once

#include <vector>

namespace assay::metal::cpu {

enum class InstructionSet { baseline, avx2, avx512 };

/// Those that this machine can run, from the slowest to the fastest.
std::vector<InstructionSet> instruction_sets();

/// The last of them.
InstructionSet fastest_instruction_set();

}  // namespace assay::metal::cpu
