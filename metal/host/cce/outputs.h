// From what a run has computed to the outputs of linear cross-entropy. Without a run, no token counts: all is 0.
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
  if (!results.run) return;
  Buffer& buffer = *results.run->buffers().loss.buffer;
  const auto* const of_rows = reinterpret_cast<const float*>(buffer.contents());
  double sum = 0;
  for (const cce::Token& token : results.tokens) {
    if (reduction == reference::Reduction::none) {
      loss[token.row] = of_rows[token.row];
      buffer.did_copy(&loss[token.row], token.row * sizeof(float), sizeof(float));
    }
    sum += double{of_rows[token.row]};
  }
  if (reduction == reference::Reduction::none) return;
  const bool is_mean = reduction == reference::Reduction::mean;
  loss[0] = static_cast<float>(is_mean ? sum / static_cast<double>(results.tokens.size()) : sum);
}

/// `offset`: the kernels subtract it from all logits of a token.
inline void write_log_sums(const CceResults& results, double offset, std::span<double> log_sum_exp) {
  std::ranges::fill(log_sum_exp, 0.0);
  if (!results.run) return;
  const auto* const sums = reinterpret_cast<const cce::LogSum*>(results.run->buffers().lse.buffer->contents());
  for (std::size_t i = 0; i < results.tokens.size(); ++i)
    log_sum_exp[results.tokens[i].row] = (double{sums[i].high} + offset) + double{sums[i].low};
}

/// Copies a gradient, if it is wanted.
template <class Real>
void write_gradient(const CceResults& results, BufferPart CceBuffers::* from, std::span<Real> gradient) {
  if (gradient.empty()) return;
  if (!results.run) {
    std::ranges::fill(gradient, Real(0.0F));
    return;
  }
  Buffer& buffer = *(results.run->buffers().*from).buffer;
  std::memcpy(gradient.data(), buffer.contents(), gradient.size_bytes());
  buffer.did_copy(gradient.data(), 0, gradient.size_bytes());
}

template <class Real>
void write_gradients(const CceResults& results, const CceGradients<Real>& gradients) {
  write_gradient(results, &CceBuffers::dhidden, gradients.dhidden);
  write_gradient(results, &CceBuffers::dweight, gradients.dweight);
  write_gradient(results, &CceBuffers::dbias, gradients.dbias);
}

}  // namespace assay::metal::host
