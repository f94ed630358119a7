// The CTC loss and its gradient on CPUs, fused: softmax, alpha, beta, gradient.
//
//   activations [T, B, C], targets [B, S] or concatenated  ->  loss [B] or [1] float32, gradient [T, B, C]
//
// Activations and gradient are float32 (float), float16 (Half) or bfloat16 (BFloat16).
//
// A. Graves, S. Fernandez, F. Gomez, J. Schmidhuber, "Connectionist temporal classification", ICML 2006, eqs. 5 to 16.
// Inner arithmetic is in double, with a range that no intermediate result leaves; results are rounded once, at the end.
// metal/cpu/ctc/README.md describes the method, bounds its error and gives its speed.
//
// With p the probability of a row's labels, S_b its target length and w_b the weight of its loss in what is returned
// times the upstream gradient:
//
//   loss       Reduction::none  -ln p of each row        sum  their sum        mean  (1/B) sum of -ln p / max(S_b, 1)
//   gradient   w_b (y - posterior) with respect to logits, -w_b posterior with respect to log_probs
//   a row without an alignment of positive probability   loss +inf, gradient NaN at every t < input_lengths[b];
//                                                        both 0 with zero_infinity
//   t >= input_lengths[b]                                gradient 0; the activations are not read
//   B = 0                                                sum 0, mean 0
//
// A loss from logits is never negative. Equal inputs give equal bits, whatever the number of threads.
#pragma once

#include <cstddef>
#include <span>

#include "metal/cpu/half.h"
#include "reference/ctc/problem.h"

namespace assay::metal {

/// Where the results go. No output may overlap an input.
template <class Real>
struct CtcOutput {
  std::span<float> loss;     ///< [B] for Reduction::none, else [1]
  std::span<Real> gradient;  ///< [T, B, C] with respect to problem.variable; empty: only the loss is computed
};

struct CpuOptions {
  int threads = 0;                      ///< at most this many; 0: all that the machine has
  std::span<std::byte> workspace = {};  ///< scratch memory; empty: the call allocates its own
};

/// The alignment in bytes that a caller's workspace must have.
inline constexpr std::size_t ctc_loss_workspace_alignment = 64;

/// The bytes of workspace that ctc_loss needs for this problem. Reads only lengths and shapes. Throws
/// std::invalid_argument for a problem that ctc_loss refuses without looking at its activations.
template <class Real>
std::size_t ctc_loss_workspace_size(const reference::CtcProblem<Real>& problem, bool with_gradient, int threads);

/// Writes every element of the outputs. Throws std::invalid_argument, before anything is written, for whatever
/// reference::validate and validate_activations refuse, for outputs of another size than stated above, and for a
/// workspace that is too small or misaligned.
template <class Real>
void ctc_loss(const reference::CtcProblem<Real>& problem, const CtcOutput<Real>& output,
              const CpuOptions& options = {});

}  // namespace assay::metal
