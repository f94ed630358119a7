// The reference's result for row 0 of a batch, and the error of a kernel's gradient there.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "bench/ctc_batch.h"
#include "reference/ctc/batch.h"
#include "reference/number/big_float.h"
#include "reference/number/precision.h"

namespace assay::bench {

/// From 30 digits, as doubles.
struct CtcTruth {
  double loss;
  std::vector<double> gradient;  ///< dL/dlogits [T, C]
};

template <class Real>
CtcTruth truth(const CtcBatch<Real>& batch) {
  const reference::PrecisionScope scope(30);
  const auto T = static_cast<std::size_t>(batch.size.T), C = static_cast<std::size_t>(batch.size.C);
  const auto B = static_cast<std::size_t>(batch.size.B);
  std::vector<double> logits;
  for (std::size_t t = 0; t < T; ++t)
    for (std::size_t c = 0; c < C; ++c) logits.push_back(static_cast<float>(batch.logits[t * B * C + c]));
  reference::CtcProblem<double> row;
  row.T = batch.size.T, row.B = 1, row.C = batch.size.C;
  row.activations = logits;
  row.targets = std::span(batch.targets).first(static_cast<std::size_t>(batch.target_lengths[0]));
  row.layout = reference::CtcTargets::concatenated;
  row.input_lengths = std::span(batch.input_lengths).first(1);
  row.target_lengths = std::span(batch.target_lengths).first(1);
  const auto outcome = reference::ctc_outcome<reference::BigFloat>(row);
  CtcTruth result{static_cast<double>(outcome.loss[0]), {}};
  for (const auto& element : outcome.gradient) result.gradient.push_back(static_cast<double>(element));
  return result;
}

/// `truth`: of row 0, [T, C]. `gradient`: [T, B, C].
template <class Real>
double largest_error(const CtcBatch<Real>& batch, const std::vector<double>& truth, const std::vector<Real>& gradient) {
  const auto B = static_cast<std::size_t>(batch.size.B), C = static_cast<std::size_t>(batch.size.C);
  double worst = 0.0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const double error = std::fabs(truth[i] - static_cast<float>(gradient[i / C * B * C + i % C]));
    if (!(error <= worst)) worst = error;
    if (std::isnan(worst)) break;  // the next error would replace it
  }
  return worst;
}

}  // namespace assay::bench
