// From the results of the tokens that are not ignored to the outputs of linear cross-entropy.
#pragma once

#include <algorithm>
#include <cstring>
#include <span>

#include "metal/cpu/cce/output.h"
#include "metal/host/cce/run.h"

namespace assay::metal::host {

using cpu::validate_gradients;
using cpu::validate_loss;

/// Writes the losses of the tokens, or their sum or mean, summed in double.
inline void write_losses(reference::Reduction reduction, const CceResults& results, std::span<float> loss) {
  std::ranges::fill(loss, 0.0F);
  double sum = 0;
  const auto* const of_tokens = reinterpret_cast<const float*>(results.contents(cce::losses_index));
  for (std::size_t i = 0; i < results.tokens.size(); ++i) {
    if (reduction == reference::Reduction::none) loss[results.tokens[i].row] = of_tokens[i];
    sum += double{of_tokens[i]};
  }
  if (reduction == reference::Reduction::none || results.tokens.empty()) return;
  const bool is_mean = reduction == reference::Reduction::mean;
  loss[0] = static_cast<float>(is_mean ? sum / static_cast<double>(results.tokens.size()) : sum);
}

/// `offset`: the kernels subtract it from all logits of a token.
inline void write_log_sums(const CceResults& results, double offset, std::span<double> log_sum_exp) {
  std::ranges::fill(log_sum_exp, 0.0);
  const auto* const of_tokens = reinterpret_cast<const cce::LogSum*>(results.contents(cce::lse_index));
  for (std::size_t i = 0; i < results.tokens.size(); ++i)
    log_sum_exp[results.tokens[i].row] = (double{of_tokens[i].high} + offset) + double{of_tokens[i].low};
}

/// Copies the rows of tokens that are not ignored. The kernels do not write the other rows, which become 0.
template <class Real>
void write_dhidden(const CceResults& results, std::size_t H, std::span<Real> dhidden) {
  std::ranges::fill(dhidden, Real(0.0F));
  if (dhidden.empty() || !results.run) return;
  const std::byte* const rows = results.contents(cce::dhidden_index);
  for (const cce::Token& token : results.tokens) {
    const std::size_t begin = token.row * H;
    std::memcpy(dhidden.subspan(begin).data(), rows + begin * sizeof(Real), H * sizeof(Real));
  }
}

template <class Real>
void write_all(const CceResults& results, cce::BufferIndex index, std::span<Real> gradient) {
  if (results.run)
    std::memcpy(gradient.data(), results.contents(index), gradient.size_bytes());
  else
    std::ranges::fill(gradient, Real(0.0F));
}

template <class Real>
void write_gradients(const CceResults& results, std::size_t H, const CceGradients<Real>& gradients) {
  write_dhidden(results, H, gradients.dhidden);
  if (!gradients.dweight.empty()) write_all(results, cce::dweight_index, gradients.dweight);
  if (!gradients.dbias.empty()) write_all(results, cce::dbias_index, gradients.dbias);
}

}  // namespace assay::metal::host
