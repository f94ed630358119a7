#include "validation/ctc/compare.h"

#include <cmath>

#include "validation/core/number.h"
#include "validation/ctc/softmax.h"

namespace assay::validation {

double gradient_bound(const CtcCase& c, const CtcBounds& bounds, const CtcTruth& truth, std::int64_t t, std::int64_t b,
                      std::int64_t k) {
  const auto& row = truth.rows[static_cast<std::size_t>(b)];
  if (!row.possible || t >= c.input_lengths[static_cast<std::size_t>(b)]) return 0;
  return bounds.gradient(t, b, k);
}

double gradient_range(const CtcCase& c, std::int64_t b) {
  return std::abs(c.row_weight(b));
}

namespace {

std::int64_t most_probable_class(const CtcTruth& truth, std::int64_t t, std::int64_t b) {
  const auto& posterior = truth.rows[static_cast<std::size_t>(b)].posterior;
  std::int64_t most = 0;
  for (std::int64_t k = 1; k < posterior.cols(); ++k)
    if (posterior(t, k) > posterior(t, most)) most = k;
  return most;
}

/// The letter of the frames of all rows.
constexpr char frame_of_row = 'f';

}  // namespace

void compare_losses(Comparison& comparison, const CtcBounds& bounds, const CtcRun& run, const CtcTruth& truth,
                    std::int64_t first_row) {
  for (std::size_t i = 0; i < run.loss.size(); ++i)
    comparison.near({"loss", -1, first_row + static_cast<std::int64_t>(i)}, run.loss[i], truth.loss, i, bounds.loss(i));
}

void compare_gradient(Comparison& comparison, const CtcCase& c, const CtcBounds& bounds, const CtcRun& run,
                      const CtcTruth& truth, std::int64_t first_row) {
  for (std::int64_t t = 0; t < c.T; ++t) {
    for (std::int64_t b = 0; b < c.B; ++b) {
      const double range = gradient_range(c, b);
      for (std::int64_t k = 0; k < c.C; ++k) {
        const auto i = static_cast<std::size_t>((t * c.B + b) * c.C + k);
        comparison.near({"gradient", t, first_row + b, k}, run.gradient[i], truth.gradient, i,
                        gradient_bound(c, bounds, truth, t, b, k), range);
      }
      if (!truth.rows[static_cast<std::size_t>(b)].possible || t >= c.input_lengths[static_cast<std::size_t>(b)])
        continue;
      comparison.must_judge(frame_of_row, (first_row + b) * c.T + t,
                            bounds.gradient(t, b, most_probable_class(truth, t, b)), range);
    }
  }
}

void compare_single_alignment(Comparison& comparison, const CtcCase& c, const CtcBounds& bounds, const CtcRun& run,
                              std::int64_t b, std::span<const std::int64_t> path) {
  const auto row = static_cast<std::size_t>(b);
  long double expected = 0;
  for (std::int64_t t = 0, s = 0; t < std::ssize(path); ++t) {
    const std::int64_t emitted = path[static_cast<std::size_t>(t)];
    const auto log_y = log_softmax(c, t, b);
    const long double term = log_y[static_cast<std::size_t>(emitted)];
    expected -= term;
    comparison.would_notice('t', t, static_cast<double>(std::abs(term)), bounds.loss(row));
    for (std::int64_t k = 0; k < c.C; ++k) {
      const long double all = c.variable == CtcVariable::logits ? std::exp(log_y[static_cast<std::size_t>(k)]) : 0;
      const auto exact = static_cast<double>(all - (k == emitted ? 1 : 0));
      const double bound = bounds.gradient(t, b, k);
      comparison.near({"gradient", t, b, k}, run.gradient_at(c, t, b, k), exact, bound, gradient_range(c, b));
      if (k == emitted && k != c.blank) comparison.would_notice('s', s++, 1, bound);
    }
  }
  comparison.near({"loss", -1, b}, run.loss[row], static_cast<double>(expected), bounds.loss(row));
}

namespace {

template <class BoundOf>
void compare_each(Comparison& comparison, const CtcCase& c, const CtcBounds& bounds, const CtcRun& got,
                  const CtcRun& expected, const BoundOf& bound_of) {
  for (std::int64_t b = 0; b < c.B; ++b) {
    const bool possible = bounds.possible(b);
    for (std::int64_t t = 0; t < c.input_lengths[static_cast<std::size_t>(b)]; ++t)
      for (std::int64_t k = 0; k < c.C; ++k)
        comparison.near({"gradient", t, b, k}, got.gradient_at(c, t, b, k), double{expected.gradient_at(c, t, b, k)},
                        possible ? bound_of(t, b, k) : 0, gradient_range(c, b));
  }
}

}  // namespace

void compare_gradients(Comparison& comparison, const CtcCase& c, const CtcBounds& bounds, const CtcRun& got,
                       const CtcRun& expected, double slack) {
  compare_each(comparison, c, bounds, got, expected,
               [&](std::int64_t t, std::int64_t b, std::int64_t k) { return slack * bounds.gradient(t, b, k); });
}

void compare_gradients(Comparison& comparison, const CtcCase& c, const CtcBounds& of_got, const CtcRun& got,
                       const CtcBounds& of_expected, const CtcRun& expected) {
  compare_each(comparison, c, of_expected, got, expected, [&](std::int64_t t, std::int64_t b, std::int64_t k) {
    return of_got.gradient(t, b, k) + of_expected.gradient(t, b, k);
  });
}

}  // namespace assay::validation
