// The instruction sets that the inner loops are compiled for, and which of them this machine has.
//
//   baseline   what the compiler's target always has: SSE2 on x86-64, NEON on AArch64
//   avx2       x86-64 since 2013
//   avx512     x86-64 servers since 2017
#pragma once

#include <vector>

namespace assay::metal::cpu {

enum class InstructionSet { baseline, avx2, avx512 };

/// The instruction sets that this machine can run, from the slowest to the fastest.
std::vector<InstructionSet> instruction_sets();

/// The last of instruction_sets().
InstructionSet fastest_instruction_set();

/// The inner loops of an operation, compiled for one instruction set: a constant of a type such as CtcKernels<float>.
/// Defined for each set by the operation's simd/*.cpp.
template <class Table, InstructionSet set>
const Table& table_of();

/// The same for a set known when the program runs, which the machine must have.
template <class Table>
const Table& table_for([[maybe_unused]] InstructionSet set) {
#if defined(__x86_64__)
  if (set == InstructionSet::avx512) return table_of<Table, InstructionSet::avx512>();
  if (set == InstructionSet::avx2) return table_of<Table, InstructionSet::avx2>();
#endif
  return table_of<Table, InstructionSet::baseline>();
}

}  // namespace assay::metal::cpu
