// The gradient of one row from its alpha and beta: Graves et al. 2006, eq. 14-16.
#include "validation/core/index.h"
#include "validation/ctc/faults/plain_kernel.h"

#include <algorithm>
#include <cmath>

namespace assay::validation {

double PlainCtcKernel::weight(const Problem& problem, std::int64_t b) const {
  if (problem.upstream.empty()) return reduction_factor(problem, b);
  const std::int64_t which = problem.reduction == reference::Reduction::none ? b : 0;
  return double{problem.upstream[index(which)]} * reduction_factor(problem, b);
}

double PlainCtcKernel::occupancy(const Row& row, std::int64_t t, std::int64_t s) const {
  return row.alpha(t, s) + row.beta(t, s);
}

double PlainCtcKernel::gather(double sum, double term) const {
  return log_add(sum, term);
}

double PlainCtcKernel::posterior(const Row& row, std::int64_t t, std::int64_t k, double gathered) const {
  if (gathered == log_zero) return 0;  // also if y_t(k) = 0, where the quotient would be 0/0
  return std::exp(gathered - row.log_y(t, k) - row.log_p);
}

double PlainCtcKernel::element(const Row& row, std::int64_t t, std::int64_t k, double posterior, double weight) const {
  if (row.problem.variable == reference::CtcVariable::log_probs) return -weight * posterior;
  return weight * (std::exp(row.log_y(t, k)) - posterior);
}

void PlainCtcKernel::frame_gradient(const Row& row, std::int64_t t, std::span<float> frame) const {
  std::vector<double> gathered(frame.size(), log_zero);
  for (std::int64_t s = 0; s < row.L(); ++s) {
    double& sum = gathered[index(row.label_of(s))];
    sum = gather(sum, occupancy(row, t, s));
  }
  const double weight_of_row = weight(row.problem, row.b);
  for (std::int64_t k = 0; k < row.problem.C; ++k)
    frame[index(k)] = to_float(element(row, t, k, posterior(row, t, k, gathered[index(k)]), weight_of_row));
}

void PlainCtcKernel::impossible_gradient(const Row& row, std::int64_t, std::span<float> frame) const {
  std::fill(frame.begin(), frame.end(), row.problem.zero_infinity ? 0 : std::numeric_limits<float>::quiet_NaN());
}

void PlainCtcKernel::gradient_past_length(const Row&, std::int64_t, std::span<float> frame) const {
  std::fill(frame.begin(), frame.end(), 0.0F);
}

void PlainCtcKernel::store_gradient(const Row& row, std::span<float> gradient) const {
  const auto C = index(row.problem.C);
  for (std::int64_t t = 0; t < row.problem.T; ++t) {
    const std::span<float> frame = gradient.subspan(index(t * row.problem.B + row.b) * C, C);
    if (t >= row.frames) {
      gradient_past_length(row, t, frame);
    } else if (impossible(row)) {
      impossible_gradient(row, t, frame);
    } else {
      frame_gradient(row, t, frame);
    }
  }
}

}  // namespace assay::validation
