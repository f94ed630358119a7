// The sizes of the outputs of linear cross-entropy. The same for every kernel.
#pragma once

#include <span>

#include "metal/cpu/cce/loss.h"
#include "reference/cce/validate.h"

namespace assay::metal::cpu {

/// Throws std::invalid_argument for losses whose size is not what CceOutput states. Expects a valid problem.
template <class Real>
void validate_loss(const reference::CceProblem<Real>& problem, std::span<const float> loss) {
  const bool per_token = problem.reduction == reference::Reduction::none;
  reference::detail::expect_size("loss", loss.size(),
                                 per_token ? "N for Reduction::none" : "1 for Reduction::sum or mean",
                                 per_token ? problem.N : 1);
}

/// Throws std::invalid_argument for gradients whose sizes are not what CceGradients states. Expects a valid problem.
template <class Real>
void validate_gradients(const reference::CceProblem<Real>& problem, const CceGradients<Real>& gradients) {
  using reference::detail::expect_size;
  if (!gradients.dhidden.empty())
    expect_size("dhidden", gradients.dhidden.size(), "N * H, or empty", problem.N * problem.H);
  if (!gradients.dweight.empty())
    expect_size("dweight", gradients.dweight.size(), "V * H, or empty", problem.V * problem.H);
  if (!gradients.dbias.empty())
    expect_size("dbias", gradients.dbias.size(),
                problem.bias.empty() ? "none for a problem without bias" : "V, or empty",
                problem.bias.empty() ? 0 : problem.V);
}

}  // namespace assay::metal::cpu
