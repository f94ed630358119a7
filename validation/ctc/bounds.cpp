#include "validation/ctc/bounds.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "reference/ctc/labels.h"
#include "validation/core/reach.h"
#include "validation/core/sums.h"

namespace assay::validation {
namespace {

constexpr std::int64_t no_slot = -1;

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

CtcBounds::CtcBounds(const CtcCase& c, const CtcKernelInfo& kernel, const CtcBoundsOptions& options)
    : case_(c),
      kernel_(kernel),
      input_roundoff_(options.input_roundoff),
      deviations_(options.rounding == Rounding::random ? deviations_of(c) : 0) {
  for (std::int64_t b = 0; b < c.B; ++b) {
    const bool repeats = b >= needle_period && is_same_row(c, b, b - needle_period);
    rows_.push_back(repeats ? rows_[static_cast<std::size_t>(b - needle_period)]
                            : std::make_shared<const Row>(row_of(b)));
  }
  bound_losses();
}

CtcBounds::Row CtcBounds::row_of(std::int64_t b) const {
  Row row;
  const std::int64_t T = case_.input_lengths[static_cast<std::size_t>(b)];
  for (std::int64_t t = 0; t < T && case_.input == CtcInput::logits; ++t)
    row.sums.push_back(softmax_sum(case_, t, b, kernel_.unit_roundoff));
  RowLattice lattice;
  lattice.states = reference::expand(case_.labels(b), case_.blank);
  row.slots.assign(static_cast<std::size_t>(case_.C), no_slot);
  std::vector<std::int64_t> classes;
  for (const std::int64_t k : lattice.states) {
    std::int64_t& slot = row.slots[static_cast<std::size_t>(k)];
    if (slot == no_slot) {
      slot = std::ssize(classes);
      classes.push_back(k);
    }
    lattice.slots.push_back(slot);
  }
  lattice.log_y = lattice.log_y_error = reference::Matrix<double>(T, std::ssize(classes));
  for (std::int64_t t = 0; t < T; ++t) {
    for (std::int64_t slot = 0; slot < std::ssize(classes); ++slot) {
      const double log_y = log_emission(row, t, b, classes[static_cast<std::size_t>(slot)]);
      lattice.log_y(t, slot) = log_y;
      if (std::isfinite(log_y)) lattice.log_y_error(t, slot) = emission(row, t, log_y);
    }
  }
  row.errors = row_errors(lattice, kernel_, deviations_);
  return row;
}

double CtcBounds::gamma(double operations) const {
  return validation::gamma(operations, kernel_.unit_roundoff);
}

/// ln y_t(k)
double CtcBounds::log_emission(const Row& row, std::int64_t t, std::int64_t b, std::int64_t k) const {
  const double a{case_.activation(t, b, k)};
  if (row.sums.empty()) return a;
  const SoftmaxSum& sum = row.sums[static_cast<std::size_t>(t)];
  return (a - sum.largest) - sum.logarithm;
}

/// Counts an exponential, a division and, from logits, the softmax's sum; in log space also the logarithms' sizes.
double CtcBounds::emission(const Row& row, std::int64_t t, double log_y) const {
  const bool log_space = kernel_.arithmetic == Arithmetic::log_space;
  const double size = std::abs(log_y);
  if (row.sums.empty()) return gamma(log_space ? 2 * size + 8 : 8) + input_roundoff_ * size;
  const SoftmaxSum& sum = row.sums[static_cast<std::size_t>(t)];
  const double argument = std::max(size - sum.logarithm, 0.0);                 // m - a
  const double differences = (sum.exact ? 1 : 2) * (argument + sum.distance);  // roundings of it, and in exp2's product
  const double logarithms = log_space ? size + 2 * sum.logarithm + 2 * std::abs(sum.largest + sum.logarithm) : 0;
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
  return rows_[static_cast<std::size_t>(b)]->errors.loss;
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
    const RowErrors& row = rows_[b]->errors;
    const double size = std::isfinite(row.loss) ? std::abs(row.loss) : 0.0;
    const bool log_space = kernel_.arithmetic == Arithmetic::log_space;
    const double last_sum = log_space ? 2 * u * size + gamma(8) : gamma(4);
    const double error = row.log_p_error + last_sum + u * size;
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

double CtcBounds::gradient(std::int64_t t, std::int64_t b, std::int64_t k) const {
  const Row& row = *rows_[static_cast<std::size_t>(b)];
  const double weight = std::abs(case_.row_weight(b));
  if (weight == 0) return underflow(0, b);
  const std::int64_t slot = row.slots[static_cast<std::size_t>(k)];
  const double posterior = slot == no_slot ? 0 : row.errors.posterior(t, slot);
  const double posterior_error = slot == no_slot ? 0 : row.errors.posterior_error(t, slot);
  const double log_y = log_emission(row, t, b, k);
  const double y = case_.variable == CtcVariable::logits ? std::exp(log_y) : 0;
  const double labels = static_cast<double>(case_.target_lengths[static_cast<std::size_t>(b)] + 1);
  const double of_sum = kernel_.two_step ? row.errors.frame_error[static_cast<std::size_t>(t)] +
                                               gamma(std::min(static_cast<double>(case_.C), labels) + 2)
                                         : 0;
  const double y_error = y > 0 ? (emission(row, t, log_y) + of_sum) * y : 0;
  const double exact = weight * std::abs(y - posterior);
  const double inside = weight * (y_error + posterior_error) + 4 * kernel_.unit_roundoff * exact;
  const double stored = std::max(kernel_.output_unit_roundoff, format_of(case_.dtype).roundoff);
  return inside + stored * (exact + inside) + underflow(weight, b);
}

}  // namespace assay::validation
