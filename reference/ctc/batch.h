// Loss and gradient of a batch, from a CtcProblem: what a kernel is judged by.
//
//   y_t(k)         = softmax of the logits, or exp(log_probs) as given                              [T_b, C]
//   loss_b         = -ln p(l_b | x_b), +inf where no alignment has a probability above 0
//   dL_b/da_t(k)   = y_t(k) - gamma_t(k)      (Graves et al. 2006, equation 16)
//   dL_b/dln y_t(k)=        - gamma_t(k)
//   gradient       = upstream * weight_b * the above; weight_b = 1, or 1 / (B max(S_b, 1)) for Reduction::mean
//
// Frames t >= T_b have gradient 0. A row without alignments has gradient NaN at t < T_b, or loss and gradient 0 with
// zero_infinity.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "reference/ctc/alpha.h"
#include "reference/ctc/labels.h"
#include "reference/ctc/posterior.h"
#include "reference/ctc/problem.h"
#include "reference/ctc/softmax.h"
#include "reference/ctc/targets.h"
#include "reference/ctc/validate.h"
#include "reference/ctc/weights.h"
#include "reference/matrix.h"
#include "reference/number/extended.h"
#include "reference/number/log_number.h"
#include "reference/number/precision.h"
#include "reference/number/semiring.h"
#include "reference/number/traits.h"

namespace assay::reference {

/// The true results of one row of a batch.
template <class Number>
struct CtcRow {
  bool possible = false;     ///< whether some alignment has a probability above 0; decided exactly
  Number probability;        ///< p(l|x); may underflow to 0 in a Number of small range, the loss then still holds
  Number loss;               ///< -ln p(l|x), +inf where not possible
  Matrix<Number> y;          ///< [T_b, C]
  Matrix<Number> posterior;  ///< gamma [T_b, C], rows sum to 1; empty where not possible
};

/// The true results of a batch.
template <class Number>
struct CtcOutcome {
  std::vector<Number> loss;      ///< [B], or [1] after a reduction
  std::vector<Number> gradient;  ///< [T, B, C], with respect to problem.variable
};

namespace detail {

/// The activations of row b at frame t, [C].
template <class Real>
std::span<const Real> frame(const CtcProblem<Real>& problem, std::int64_t t, std::int64_t b) {
  return problem.activations.subspan(static_cast<std::size_t>((t * problem.B + b) * problem.C),
                                     static_cast<std::size_t>(problem.C));
}

/// y [T_b, C] of row b, as weights.
template <class Weight, class Real>
Matrix<Weight> outputs(const CtcProblem<Real>& problem, std::int64_t b) {
  Matrix<Weight> y(problem.input_lengths[static_cast<std::size_t>(b)], problem.C);
  for (std::int64_t t = 0; t < y.rows(); ++t) {
    const std::span<const Real> activations = frame(problem, t, b);
    if (problem.input == CtcInput::logits) {
      softmax<Weight, Real>(activations, y.row(t));
    } else {
      for (std::int64_t k = 0; k < problem.C; ++k)
        y(t, k) = exp_shifted<Weight>(activations[static_cast<std::size_t>(k)], Real(0));
    }
  }
  return y;
}

/// Whether some alignment of row b has a probability above 0 in exact arithmetic: none of its activations is -inf.
template <class Real>
bool possible(const CtcProblem<Real>& problem, std::int64_t b, Expanded labels) {
  Matrix<Boolean> y(problem.input_lengths[static_cast<std::size_t>(b)], problem.C);
  for (std::int64_t t = 0; t < y.rows(); ++t)
    for (std::int64_t k = 0; k < problem.C; ++k)
      y(t, k) = Boolean(frame(problem, t, b)[static_cast<std::size_t>(k)] > -std::numeric_limits<Real>::infinity());
  return static_cast<bool>(alpha_total(live_alpha(y, labels)));
}

/// The row as computed with `Weight`; not possible where p(l|x) comes out as 0 or, for an enclosure, may be 0.
template <class Number, class Weight, class Real>
CtcRow<Number> row_over(const CtcProblem<Real>& problem, std::int64_t b, Expanded labels) {
  using Traits = NumberTraits<Weight>;
  Matrix<Weight> y = outputs<Weight>(problem, b);
  const LiveTable<Weight> forward = live_alpha(y, labels);
  const Weight p = alpha_total(forward);
  CtcRow<Number> row{Traits::is_positive(p), Number(0), NumberTraits<Number>::infinity(), {}, {}};
  if (row.possible) {
    row.probability = Traits::value(p);
    row.loss = loss(p);
    row.posterior = values(posterior(y, labels, forward, p));
  }
  row.y = values(std::move(y));
  return row;
}

/// The precision in which ln p(l|x) of row b has the digits in force *after* the point: |ln p| <= 2 T_b max
/// |activation|.
template <class Real>
int digits_of_logarithms(const CtcProblem<Real>& problem, std::int64_t b) {
  const std::int64_t T = problem.input_lengths[static_cast<std::size_t>(b)];
  double largest = 1;
  for (std::int64_t t = 0; t < T; ++t)
    for (const Real activation : frame(problem, t, b))
      if (std::isfinite(activation)) largest = std::max(largest, std::abs(static_cast<double>(activation)));
  const double digits = std::log10(largest) + std::log10(2 * static_cast<double>(T) + 1);
  return std::min(precision_digits() + static_cast<int>(std::ceil(digits)), max_digits);
}

/// The row of a problem that has been validated. float and double compute with an exponent of 64 bits, and whatever
/// underflows even so (logits some 10^18 apart) is computed again in the log semiring, with digits to spare.
template <class Number, class Real>
CtcRow<Number> row_of_valid(const CtcProblem<Real>& problem, std::int64_t b, Targets targets) {
  const std::vector<std::int64_t> labels = expand(targets, problem.blank);
  CtcRow<Number> row = row_over<Number, WideRange<Number>>(problem, b, labels);
  if (row.possible || !possible(problem, b, labels)) return row;
  const PrecisionScope scope(digits_of_logarithms(problem, b));
  return row_over<Number, LogNumber<Number>>(problem, b, labels);
}

/// The weight of row b in the reduction: a factor of its loss and of its gradient.
template <class Number, class Real>
Number row_weight(const CtcProblem<Real>& problem, std::int64_t b) {
  if (problem.reduction != Reduction::mean) return Number(1);
  return Number(1) / Number(problem.B * std::max<std::int64_t>(problem.target_lengths[static_cast<std::size_t>(b)], 1));
}

template <class Number, class Real>
Number upstream(const CtcProblem<Real>& problem, std::int64_t b) {
  if (problem.upstream.empty()) return Number(1);
  const std::size_t i = problem.reduction == Reduction::none ? static_cast<std::size_t>(b) : 0;
  return NumberTraits<Number>::from_real(problem.upstream[i]);
}

/// Writes the gradient of row b, [T_b, C], into that of the batch, [T, B, C], which holds zeros.
template <class Number, class Real>
void scatter_gradient(const CtcProblem<Real>& problem, std::int64_t b, const CtcRow<Number>& row,
                      std::vector<Number>& gradient) {
  if (!row.possible && problem.zero_infinity) return;
  Number factor = upstream<Number>(problem, b);
  factor *= row_weight<Number>(problem, b);
  for (std::int64_t t = 0; t < row.y.rows(); ++t)
    for (std::int64_t k = 0; k < problem.C; ++k) {
      Number& g = gradient[static_cast<std::size_t>((t * problem.B + b) * problem.C + k)];
      if (!row.possible) {
        g = NumberTraits<Number>::nan();
        continue;
      }
      if (problem.variable == CtcVariable::logits) g = row.y(t, k);
      g -= row.posterior(t, k);  // (16)
      g *= factor;
    }
}

/// An outcome of zeros.
template <class Number, class Real>
CtcOutcome<Number> blank_outcome(const CtcProblem<Real>& problem) {
  const std::int64_t losses = problem.reduction != Reduction::none ? 1 : problem.B;
  return {std::vector<Number>(static_cast<std::size_t>(losses), Number(0)),
          std::vector<Number>(static_cast<std::size_t>(problem.T * problem.B * problem.C), Number(0))};
}

/// Adds row b to the outcome: reduction, zero_infinity and upstream.
template <class Number, class Real>
void add_row(const CtcProblem<Real>& problem, std::int64_t b, const CtcRow<Number>& row, CtcOutcome<Number>& outcome) {
  const bool reduced = problem.reduction != Reduction::none;
  if (row.possible || !problem.zero_infinity)
    outcome.loss[reduced ? 0 : static_cast<std::size_t>(b)] += row.loss * row_weight<Number>(problem, b);
  scatter_gradient(problem, b, row, outcome.gradient);
}

}  // namespace detail

/// Row b of the problem: probability, loss, outputs, posterior. Throws std::invalid_argument where the problem is
/// ill posed or an activation of the row is not allowed.
template <class Number, class Real>
CtcRow<Number> ctc_row(const CtcProblem<Real>& problem, std::int64_t b) {
  validate(problem);
  if (b < 0 || b >= problem.B) detail::refuse("b = ", b, ": expected a row in [0, B=", problem.B, ")");
  for (std::int64_t t = 0; t < problem.input_lengths[static_cast<std::size_t>(b)]; ++t)
    detail::validate_frame(detail::frame(problem, t, b), problem.input, t, static_cast<std::size_t>(b));
  return detail::row_of_valid<Number>(problem, b, target_rows(problem)[static_cast<std::size_t>(b)]);
}

/// All rows of the problem. Throws std::invalid_argument where `validate` or `validate_activations` do.
template <class Number, class Real>
std::vector<CtcRow<Number>> ctc_rows(const CtcProblem<Real>& problem) {
  validate(problem);
  validate_activations(problem);
  const std::vector<Targets> targets = target_rows(problem);
  std::vector<CtcRow<Number>> rows;
  rows.reserve(targets.size());
  for (std::int64_t b = 0; b < problem.B; ++b)
    rows.push_back(detail::row_of_valid<Number>(problem, b, targets[static_cast<std::size_t>(b)]));
  return rows;
}

/// Loss and gradient of the batch from its rows [B]: reduction, zero_infinity and upstream.
template <class Number, class Real>
CtcOutcome<Number> combine(const CtcProblem<Real>& problem, std::span<const CtcRow<Number>> rows) {
  detail::expect_size("rows", rows.size(), "B", problem.B);
  CtcOutcome<Number> outcome = detail::blank_outcome<Number>(problem);
  for (std::int64_t b = 0; b < problem.B; ++b) detail::add_row(problem, b, rows[static_cast<std::size_t>(b)], outcome);
  return outcome;
}

/// Loss and gradient of the batch. Calls use(row) for each row in turn, and keeps none. Throws std::invalid_argument
/// where `validate` or `validate_activations` do.
template <class Number, class Real, class Use>
CtcOutcome<Number> ctc_outcome(const CtcProblem<Real>& problem, const Use& use) {
  validate(problem);
  validate_activations(problem);
  const std::vector<Targets> targets = target_rows(problem);
  CtcOutcome<Number> outcome = detail::blank_outcome<Number>(problem);
  for (std::int64_t b = 0; b < problem.B; ++b) {
    const CtcRow<Number> row = detail::row_of_valid<Number>(problem, b, targets[static_cast<std::size_t>(b)]);
    detail::add_row(problem, b, row, outcome);
    use(row);
  }
  return outcome;
}

template <class Number, class Real>
CtcOutcome<Number> ctc_outcome(const CtcProblem<Real>& problem) {
  return ctc_outcome<Number>(problem, [](const CtcRow<Number>&) {});
}

}  // namespace assay::reference
