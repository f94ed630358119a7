#include "validation/ctc/bounds.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>

#include "validation/core/reach.h"
#include "validation/core/sums.h"

namespace assay::validation {
namespace {

double states(const CtcCase& c, std::int64_t b) {
  return 2 * static_cast<double>(c.target_lengths[static_cast<std::size_t>(b)]) + 1;
}

/// lambda such that none of the walks of the case (alpha and beta of each state of each frame, and p, of each row) is
/// farther than lambda times the root of the sum of its squared steps, but once in 10^10 cases (Azuma and Hoeffding).
double deviations_of(const CtcCase& c) {
  double walks = 0;
  for (std::int64_t b = 0; b < c.B; ++b)
    walks += 2 * static_cast<double>(c.input_lengths[static_cast<std::size_t>(b)]) * states(c, b) + 1;
  return std::sqrt(2 * std::log(2 * walks / 1e-10));
}

bool is_same_row(const CtcCase& c, std::int64_t a, std::int64_t b) {
  if (c.input_lengths[static_cast<std::size_t>(a)] != c.input_lengths[static_cast<std::size_t>(b)]) return false;
  const auto at = [&](std::int64_t t, std::int64_t row) { return c.activations.begin() + (t * c.B + row) * c.C; };
  for (std::int64_t t = 0; t < c.T; ++t)
    if (!std::equal(at(t, a), at(t, a) + c.C, at(t, b))) return false;
  return c.labels(a) == c.labels(b);
}

}  // namespace

CtcBounds::CtcBounds(const CtcCase& c, const CtcKernelInfo& kernel, Rounding rounding)
    : case_(c), kernel_(kernel), deviations_(rounding == Rounding::random ? deviations_of(c) : 0) {
  for (std::int64_t b = 0; b < c.B; ++b) {
    if (b >= needle_period && is_same_row(c, b, b - needle_period)) {
      rows_.push_back(rows_[static_cast<std::size_t>(b - needle_period)]);
      continue;
    }
    const auto shared = std::make_shared<Row>();
    rows_.push_back(shared);
    Row& row = *shared;
    row.sizes = log_magnitudes(c, b);
    for (std::int64_t t = 0; t < c.input_lengths[static_cast<std::size_t>(b)] && c.input == CtcInput::logits; ++t)
      row.sums.push_back(softmax_sum(c, t, b, kernel.unit_roundoff));
    if (kernel.arithmetic == Arithmetic::probability) {
      bound_probability(row, b);
    } else {
      bound_log_space(row, b);
    }
  }
  bound_losses();
}

double CtcBounds::gamma(double operations) const {
  return validation::gamma(operations, kernel_.unit_roundoff);
}

/// Counts an exponential, a division and, from logits, the softmax's sum; in log space also the logarithms' sizes.
double CtcBounds::emission(const Row& row, std::size_t t, double log_y) const {
  const bool log_space = kernel_.arithmetic == Arithmetic::log_space;
  const double size = std::abs(log_y);
  if (row.sums.empty()) return gamma(log_space ? 2 * size + 8 : 8);
  const SoftmaxSum& sum = row.sums[t];
  const double argument = std::max(size - sum.logarithm, 0.0);                 // m - a
  const double differences = (sum.exact ? 1 : 2) * (argument + sum.distance);  // roundings of it, and in exp2's product
  const double logarithms = log_space ? size + 2 * sum.logarithm : 0;
  return gamma(sum.terms + sum.rescaling + differences + logarithms + 10);
}

/// The largest error of storing a result near zero.
double CtcBounds::smallest_store(Dtype dtype) const {
  if (kernel_.flushes_subnormals && dtype != Dtype::float16) return smallest_unflushed;
  return format_of(dtype).smallest / 2;
}

/// The underflow of storing. If the arithmetic has at most the range of float32 or a 16-bit type, the underflow of y,
/// of the posterior and of the weighting is added. If it flushes, each of the row's L + 3 numbers may lose as much.
double CtcBounds::underflow(double weight, std::int64_t b) const {
  const double stored = smallest_store(case_.dtype);
  const double u = kernel_.unit_roundoff;
  if (u < 0x1p-24) return stored;
  const double lost = kernel_.flushes_subnormals ? (weight + 1) * (states(case_, b) + 3) : 4 * weight + 1;
  return stored + lost * (u > 0x1p-24 ? stored : smallest_store(Dtype::float32));
}

bool CtcBounds::possible(std::int64_t b) const {
  return std::isfinite(rough_loss(b));
}

double CtcBounds::rough_loss(std::int64_t b) const {
  return rows_[static_cast<std::size_t>(b)]->sizes.loss;
}

/// The errors of ln p and of ln alpha + ln beta - ln p, of which `steps` are the parts of the frames.
void CtcBounds::add_frames(Row& row, const std::vector<double>& steps, double own) const {
  double sum = 0;
  double squares = 0;
  double largest = 0;
  for (const double step : steps) {
    sum += step;
    squares += step * step;
    largest = std::max(largest, step);
  }
  const double walk = deviations_ * std::sqrt(squares) + 2 * squares;
  const bool is_less = deviations_ > 0 && largest < 0.5 && walk < sum;
  row.log_probability = own + (is_less ? walk : sum);
  row.log_posterior = 2 * own + (is_less ? std::min(2 * sum, (1 + std::numbers::sqrt2) * walk + largest) : 2 * sum);
}

void CtcBounds::bound_probability(Row& row, std::int64_t b) const {
  const auto frames = row.sizes.alpha.size();
  std::vector<double> steps;
  for (std::size_t t = 0; t < frames; ++t) steps.push_back(emission(row, t, row.sizes.emission[t]) + gamma(4));
  add_frames(row, steps, gamma(4));
  row.posterior.assign(frames, row.log_posterior + gamma(states(case_, b) + 4));
}

void CtcBounds::bound_log_space(Row& row, std::int64_t b) const {
  const LogMagnitudes& found = row.sizes;
  const double loss = std::isfinite(found.loss) ? std::abs(found.loss) : 0.0;
  std::vector<double> steps;
  for (std::size_t t = 0; t < found.alpha.size(); ++t) {
    const double before = t > 0 ? found.alpha[t - 1] : 0;
    const double after = t + 1 < found.beta.size() ? found.beta[t + 1] : 0;
    const double met = std::max(found.alpha[t] + before, found.beta[t] + after);
    steps.push_back(emission(row, t, found.emission[t]) + gamma(3 * met + 8));
  }
  add_frames(row, steps, gamma(2 * loss + 4));
  for (std::size_t t = 0; t < found.alpha.size(); ++t) {
    const double met = found.alpha[t] + found.beta[t] + found.emission[t] + loss;
    row.posterior.push_back(std::expm1(row.log_posterior + gamma(3 * met + states(case_, b) + 8)));
  }
}

void CtcBounds::bound_losses() {
  const double u = kernel_.unit_roundoff;
  const Dtype dtype = kernel_.losses_of_dtype ? case_.dtype : Dtype::float32;
  const double v = std::max(kernel_.output_unit_roundoff, format_of(dtype).roundoff);
  const double smallest = smallest_store(dtype);
  const auto stored = [&](double size, double error) { return error + v * (size + error) + smallest; };
  double total_size = 0;
  double total_error = 0;
  std::vector<double> sizes;
  for (std::size_t b = 0; b < rows_.size(); ++b) {
    const double size = std::isfinite(rows_[b]->sizes.loss) ? std::abs(rows_[b]->sizes.loss) : 0.0;
    const double error = rows_[b]->log_probability + u * size;
    if (case_.reduction == Reduction::none) loss_.push_back(stored(size, error));
    const double labels = static_cast<double>(std::max<std::int64_t>(case_.target_lengths[b], 1));
    const double factor = case_.reduction == Reduction::mean ? 1 / (static_cast<double>(case_.B) * labels) : 1.0;
    sizes.push_back(factor * (size + error));
    total_size += factor * size;
    total_error += factor * error;
  }
  if (case_.reduction == Reduction::none) return;
  const double adding = gamma(effective_terms(sizes, total_size + total_error, u) + 3) * total_size;
  loss_.push_back(stored(total_size, total_error + adding));
}

double CtcBounds::gradient(std::int64_t t, std::int64_t b, const GradientSizes& sizes) const {
  const Row& row = *rows_[static_cast<std::size_t>(b)];
  const double rho = row.posterior[static_cast<std::size_t>(t)];
  const double weight = std::abs(case_.row_weight(b));
  if (weight == 0) return underflow(0, b);
  const bool has_y = case_.variable == CtcVariable::logits && sizes.y > 0;
  const auto frame = static_cast<std::size_t>(t);
  const double in_row = static_cast<double>(case_.target_lengths[static_cast<std::size_t>(b)] + 1);
  const double of_sum = kernel_.two_step ? rho + gamma(std::min(static_cast<double>(case_.C), in_row) + 2) : 0;
  const double y_error = has_y ? (emission(row, frame, std::log(sizes.y)) + of_sum) * sizes.y : 0;
  const double exact = weight * sizes.exact;
  const double posterior_error = sizes.posterior > 0 ? rho * sizes.posterior : 0;  // rho may be infinite
  const double inside = weight * (y_error + posterior_error) + 4 * kernel_.unit_roundoff * exact;
  const double stored = std::max(kernel_.output_unit_roundoff, format_of(case_.dtype).roundoff);
  return inside + stored * (exact + inside) + underflow(weight, b);
}

}  // namespace assay::validation
