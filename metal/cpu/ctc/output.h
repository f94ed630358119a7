// The outputs of a CTC problem: their sizes, and the weight of a row's loss. The same for every kernel.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "metal/cpu/ctc/loss.h"
#include "reference/ctc/problem.h"
#include "reference/ctc/validate.h"

namespace assay::metal::cpu {

/// Throws std::invalid_argument for outputs whose size is not what CtcOutput states. Expects a valid problem.
template <class Real>
void validate_output(const reference::CtcProblem<Real>& problem, const CtcOutput<Real>& output) {
  const bool per_row = problem.reduction == reference::Reduction::none;
  reference::detail::expect_size("loss", output.loss.size(),
                                 per_row ? "B for Reduction::none" : "1 for Reduction::sum or mean",
                                 per_row ? problem.B : 1);
  if (!output.gradient.empty())
    reference::detail::expect_size("gradient", output.gradient.size(), "T * B * C, or empty",
                                   problem.T * problem.B * problem.C);
}

/// The factor of row b's loss in the reduced loss.
template <class Real>
double reduction_weight(const reference::CtcProblem<Real>& problem, std::size_t b) {
  if (problem.reduction != reference::Reduction::mean) return 1.0;
  const std::int64_t labels = std::max<std::int64_t>(problem.target_lengths[b], 1);
  return 1.0 / (static_cast<double>(problem.B) * static_cast<double>(labels));
}

/// The upstream gradient for row b.
template <class Real>
double upstream(const reference::CtcProblem<Real>& problem, std::size_t b) {
  if (problem.upstream.empty()) return 1.0;
  return problem.upstream[problem.reduction == reference::Reduction::none ? b : 0];
}

}  // namespace assay::metal::cpu
