// The inner loops of CTC, compiled once for each instruction set. All give the same bits (metal/cpu/simd/lanes.h), so
// the instruction set changes the time alone.
#pragma once

#include "metal/cpu/ctc/row.h"
#include "metal/cpu/instruction_set.h"

namespace assay::metal::cpu {

/// The result of the recursion in scaled doubles for one row. A result that is not certain must not be used: an
/// underflow may have changed it.
struct ScaledResult {
  double loss = 0.0;
  bool loss_is_certain = false;
  bool gradient_is_certain = false;  ///< true also where no gradient is wanted
};

template <class Real>
struct Kernels {
  /// Whether every activation in these frames of all rows is finite or -inf. For logits, each frame of a row must also
  /// have a finite one.
  bool (*acceptable)(const reference::CtcProblem<Real>& problem, Frames frames);

  /// Computes the normalizers and the emissions of these frames, and sets their gradient to weight * y, or to 0 with
  /// respect to log_probs.
  void (*emissions)(const Row<Real>& row, const RowWorkspace& workspace, const States& states, Frames frames);

  /// Computes the loss, and the gradient of the classes that occur in the labels.
  ScaledResult (*scaled)(const Row<Real>& row, const RowWorkspace& workspace, const States& states);

  /// The same in extended range, in which nothing underflows for any activations: returns -ln p, +inf for p = 0.
  double (*extended)(const Row<Real>& row, const RowWorkspace& workspace, const States& states);
};

}  // namespace assay::metal::cpu
