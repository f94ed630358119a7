// The inner loops, compiled once for each instruction set, and the choice between them.
//
//   baseline   what the compiler's target always has: SSE2 on x86-64, NEON on AArch64
//   avx2       x86-64 since 2013
//   avx512     x86-64 servers since 2017
//
// All give the same bits (metal/cpu/simd/lanes.h), so the choice changes the time alone.
#pragma once

#include <cstddef>
#include <vector>

#include "metal/cpu/half.h"
#include "metal/cpu/row.h"

namespace assay::metal::cpu {

enum class InstructionSet { baseline, avx2, avx512 };

/// Those that this machine can run, from the slowest to the fastest.
std::vector<InstructionSet> instruction_sets();

/// The last of them.
InstructionSet fastest_instruction_set();

/// What the recursion in scaled doubles says of a row. What is not certain is void: what underflowed may matter.
struct ScaledResult {
  double loss = 0.0;
  bool loss_is_certain = false;
  bool gradient_is_certain = false;  ///< true also where none is asked for
};

template <class Real>
struct Kernels {
  /// Whether every activation of these frames, of all rows that have them, is finite or -inf and, of logits, one in
  /// each frame of a row is finite.
  bool (*acceptable)(const reference::CtcProblem<Real>& problem, Frames frames);

  /// The normalizers and the emissions of these frames; in the gradient, weight * y of all classes, or 0.
  void (*emissions)(const Row<Real>& row, const RowWorkspace& workspace, const States& states, Frames frames);

  /// The loss, and the gradient of the classes that occur in the labels.
  ScaledResult (*scaled)(const Row<Real>& row, const RowWorkspace& workspace, const States& states);
};

/// The inner loops for one instruction set, which the machine must have.
template <class Real>
const Kernels<Real>& kernels(InstructionSet set);

}  // namespace assay::metal::cpu
