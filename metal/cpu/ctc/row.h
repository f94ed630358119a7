// The loss and the gradient of one row of a batch.
//
//   loss       -ln p
//   gradient   weight * (y(t, c) - posterior(t, c))   with respect to logits   (Graves et al. 2006, eq. 16)
//              weight * (         - posterior(t, c))   with respect to log_probs
//   posterior  N(t, c) / sum of N(t, .)               normalized frame by frame
//
// There are three steps: the emissions of every frame, with the gradient of the classes that occur in no label; the
// recursions in scaled doubles; and, where their result is not certain, the recursions in extended range.
// metal/cpu/ctc/README.md derives what each computes and bounds its error.
#pragma once

#include <cstddef>
#include <span>

#include "metal/cpu/ctc/states.h"
#include "metal/cpu/ctc/workspace.h"
#include "reference/ctc/problem.h"
#include "reference/ctc/targets.h"

namespace assay::metal::cpu {

template <class Real>
struct Kernels;

/// scaled: in scaled doubles, and in extended range where that result is not certain. extended: in extended range.
enum class Path { scaled, extended };

/// Frames first .. last - 1 of a row.
struct Frames {
  std::size_t first;
  std::size_t last;
};

/// One row of a batch. The gradient is that of the whole batch, [T, B, C], or empty.
template <class Real>
struct Row {
  const reference::CtcProblem<Real>& problem;
  std::size_t b;
  reference::Targets labels;
  double weight;  ///< the derivative of the reduced, upstream-weighted loss with respect to this row's loss
  std::span<Real> gradient;

  std::size_t T() const { return static_cast<std::size_t>(problem.input_lengths[b]); }
  Frames frames() const { return {0, T()}; }
  std::size_t C() const { return static_cast<std::size_t>(problem.C); }

  const Real* activations(std::size_t t) const { return problem.activations.data() + offset(t); }
  Real* gradient_frame(std::size_t t) const { return gradient.data() + offset(t); }

 private:
  std::size_t offset(std::size_t t) const { return (t * static_cast<std::size_t>(problem.B) + b) * C(); }
};

struct RowLoss {
  double loss;
  bool extended;  ///< whether extended range was needed
};

/// The step before the emissions: sets the gradient past the row's last frame to 0 and returns the row's states. There
/// are none where its labels have no alignment; emissions are then not computed.
template <class Real>
States begin_row(const Row<Real>& row, const RowWorkspace& workspace);

/// The step after the emissions: writes the rest of the row's gradient and returns its loss before any reduction.
/// Without an alignment of positive probability the loss is +inf and the gradient NaN, or both 0 with zero_infinity.
template <class Real>
RowLoss finish_row(const Row<Real>& row, const RowWorkspace& workspace, const States& states,
                   const Kernels<Real>& kernels, Path path);

}  // namespace assay::metal::cpu
