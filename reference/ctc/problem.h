// The statement of a CTC problem: plain data, no computation. Reference, kernels and gate all take it.
//
//   T frames, B rows of a batch, C classes with blank, S the longest target.
//   activations      [T, B, C]  logits or log-probabilities, row-major
//   targets          [B, S]     padded, row b holding target_lengths[b] labels, or the rows concatenated
//   input_lengths    [B]        frames of each row, 0 <= input_lengths[b] <= T
//   target_lengths   [B]        labels of each row, 0 <= target_lengths[b] <= S
//   upstream         [B] for Reduction::none, else [1]; empty means ones
#pragma once

#include <cstdint>
#include <span>

#include "reference/reduction.h"

namespace assay::reference {

/// The kind of the activations: a (before the softmax) or ln y (after it).
enum class CtcInput { logits, log_probs };

/// The variable of the gradient, whatever the input was.
///   logits:     dL/da      = y - posterior   (Graves et al. 2006, eq. 16)
///   log_probs:  dL/d ln y  =   - posterior   (ln y taken as free variables)
/// From log_probs input, `logits` means y = exp(ln y) as given: PyTorch's convention.
enum class CtcVariable { logits, log_probs };

/// How the rows of the targets are laid out.
enum class CtcTargets { padded, concatenated };

/// A view of one batch; the caller owns what the spans point at.
template <class Real>
struct CtcProblem {
  std::int64_t T = 0;
  std::int64_t B = 0;
  std::int64_t C = 0;
  std::int64_t S = 0;  ///< width of a padded row; not read when concatenated
  std::span<const Real> activations;
  std::span<const std::int64_t> targets;
  std::span<const std::int64_t> input_lengths;
  std::span<const std::int64_t> target_lengths;
  std::span<const Real> upstream;
  std::int64_t blank = 0;
  CtcInput input = CtcInput::logits;
  CtcVariable variable = CtcVariable::logits;
  CtcTargets layout = CtcTargets::padded;
  Reduction reduction = Reduction::none;
  /// A row without any alignment has loss +inf and gradient NaN; with zero_infinity both are 0.
  bool zero_infinity = false;
};

}  // namespace assay::reference
