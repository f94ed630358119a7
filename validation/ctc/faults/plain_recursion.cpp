// ln y, alpha, beta and p of one row: Graves et al. 2006, eq. 6-11 in logarithms.
#include "validation/ctc/faults/plain_kernel.h"

#include <algorithm>
#include <cmath>

namespace assay::validation {

// ln y.

void PlainCtcKernel::read_log_y(Row& row) const {
  row.log_y = LogMatrix(row.frames, row.problem.C);
  for (std::int64_t t = 0; t < row.frames; ++t) {
    const std::span<const float> frame = frame_of(row.problem, t, row.b);
    const std::span<double> log_y = row.log_y.row(t);
    std::copy(frame.begin(), frame.end(), log_y.begin());
    if (row.problem.input == reference::CtcInput::log_probs) continue;
    const double shift = softmax_shift(row, t);
    double sum = 0;
    for (const double a : log_y) sum += std::exp(a - shift);
    for (double& a : log_y) a = (a - shift) - std::log(sum);
  }
}

double PlainCtcKernel::softmax_shift(const Row& row, std::int64_t t) const {
  const std::span<const float> frame = frame_of(row.problem, t, row.b);
  return double{*std::max_element(frame.begin(), frame.end())};
}

/// ln(exp(a) + exp(b))
double PlainCtcKernel::log_add(double a, double b) const {
  if (a < b) std::swap(a, b);
  if (b == log_zero) return a;
  return a + std::log1p(std::exp(b - a));
}

// The two recursions.

bool PlainCtcKernel::may_skip(const Row& row, std::int64_t s) const {
  return s >= 2 && row.label_of(s) != row.problem.blank && row.label_of(s) != row.label_of(s - 2);
}

double PlainCtcKernel::alpha_first(const Row& row, std::int64_t s) const {
  return s < 2 ? row.log_y_of(0, s) : log_zero;
}

double PlainCtcKernel::alpha_step(const Row& row, std::int64_t t, std::int64_t s) const {
  double sum = row.alpha(t - 1, s);
  if (s >= 1) sum = log_add(sum, row.alpha(t - 1, s - 1));
  if (may_skip(row, s)) sum = log_add(sum, row.alpha(t - 1, s - 2));
  return sum + row.log_y_of(t, s);
}

void PlainCtcKernel::forward(Row& row) const {
  for (std::int64_t t = 0; t < row.frames; ++t)
    for (std::int64_t s = 0; s < row.L(); ++s) row.alpha(t, s) = t == 0 ? alpha_first(row, s) : alpha_step(row, t, s);
}

double PlainCtcKernel::beta_last(const Row& row, std::int64_t t, std::int64_t s) const {
  return s >= row.L() - 2 ? row.log_y_of(t, s) : log_zero;
}

double PlainCtcKernel::beta_step(const Row& row, std::int64_t t, std::int64_t s) const {
  double sum = row.beta(t + 1, s);
  if (s + 1 < row.L()) sum = log_add(sum, row.beta(t + 1, s + 1));
  if (s + 2 < row.L() && may_skip(row, s + 2)) sum = log_add(sum, row.beta(t + 1, s + 2));
  return sum + row.log_y_of(t, s);
}

void PlainCtcKernel::backward(Row& row) const {
  const std::int64_t last = row.frames - 1;
  for (std::int64_t t = last; t >= 0; --t)
    for (std::int64_t s = 0; s < row.L(); ++s) row.beta(t, s) = t == last ? beta_last(row, t, s) : beta_step(row, t, s);
}

// The loss.

double PlainCtcKernel::log_likelihood(const Row& row) const {
  const std::int64_t last = row.frames - 1;
  if (row.frames == 0) return row.labels.empty() ? 0 : log_zero;  // without frames: p = 1 without labels, else 0
  const double ends_in_blank = row.alpha(last, row.L() - 1);
  return row.labels.empty() ? ends_in_blank : log_add(ends_in_blank, row.alpha(last, row.L() - 2));
}

bool PlainCtcKernel::impossible(const Row& row) const {
  return row.log_p == log_zero;
}

double PlainCtcKernel::impossible_loss(const Row& row) const {
  return row.problem.zero_infinity ? 0 : infinity;
}

double PlainCtcKernel::loss(const Row& row) const {
  if (impossible(row)) return impossible_loss(row);
  // A softmax sums to 1, so p <= 1, and p is clamped to 1 after rounding. Log-probabilities may have any sum.
  return row.problem.input == reference::CtcInput::logits ? std::max(-row.log_p, 0.0) : -row.log_p;
}

}  // namespace assay::validation
