// Loss and gradients of a batch of tokens, from a CceProblem: what a kernel is judged by.
//
//   outcome.loss = loss_n,   sum_n loss_n,   or sum_n loss_n / valid           none, sum, mean; valid: not ignored
//   gradients    = sum_n w_n d loss_n,   w_n = upstream_n, upstream, or upstream / valid
//
// An ignored token has loss 0 and gradient 0, and its row of hidden is not read. Where no token is valid all is 0.
//
// One token at a time: beside inputs and gradients as Numbers, V Numbers of one row are held, never [N, V]. The rows
// are computed with digits to spare, so that the digits in force hold relative to the loss and to each p_v; results are
// rounded to the digits in force.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "reference/cce/gradient.h"
#include "reference/cce/logits.h"
#include "reference/cce/loss.h"
#include "reference/cce/problem.h"
#include "reference/cce/row.h"
#include "reference/cce/validate.h"
#include "reference/number/precision.h"
#include "reference/number/traits.h"

namespace assay::reference {

/// The true results of a batch.
template <class Number>
struct CceOutcome {
  std::vector<Number> loss;     ///< [N], or [1] after a reduction
  std::vector<Number> dhidden;  ///< [N, H]
  std::vector<Number> dweight;  ///< [V, H]
  std::vector<Number> dbias;    ///< [V]; empty for a problem without bias
};

/// How many tokens are not ignored.
template <class Real>
std::int64_t valid_tokens(const CceProblem<Real>& problem) {
  std::int64_t valid = 0;
  for (std::int64_t n = 0; n < problem.N; ++n) valid += problem.is_ignored(n) ? 0 : 1;
  return valid;
}

/// w_n: what the gradients of the loss of token n are multiplied by, where `valid` tokens are not ignored.
template <class Number, class Real>
Number token_weight(const CceProblem<Real>& problem, std::int64_t n, std::int64_t valid) {
  Number w(1);
  if (!problem.upstream.empty())
    w = NumberTraits<Number>::from_real(
        problem.upstream[problem.reduction == Reduction::none ? static_cast<std::size_t>(n) : 0]);
  if (problem.reduction == Reduction::mean) w /= Number(valid);
  return w;
}

namespace detail {

/// The arrays that every token reads, as Numbers.
template <class Number>
struct CceShared {
  std::vector<Number> weight;  // [V, H]
  std::vector<Number> bias;    // [V] or empty
  CceTerms<Number> terms;

  template <class Real>
  explicit CceShared(const CceProblem<Real>& problem)
      : weight(elements<Number>(problem.weight)),
        bias(elements<Number>(problem.bias)),
        terms(terms_of<Number>(problem)) {}
};

template <class Number, class Real>
CceOutcome<Number> zeros(const CceProblem<Real>& problem) {
  const auto N = static_cast<std::size_t>(problem.N), H = static_cast<std::size_t>(problem.H);
  CceOutcome<Number> outcome;
  outcome.loss.resize(problem.reduction == Reduction::none ? N : 1, Number(0));
  outcome.dhidden.resize(N * H, Number(0));
  outcome.dweight.resize(problem.weight.size(), Number(0));
  outcome.dbias.resize(problem.bias.size(), Number(0));
  return outcome;
}

/// Adds token n, of weight w, to the outcome.
template <class Number, class Real>
void add_token(const CceProblem<Real>& problem, std::int64_t n, const CceRow<Number>& row, const Number& w,
               std::span<const Number> hidden, const CceShared<Number>& shared, CceOutcome<Number>& outcome) {
  const std::int64_t t = problem.targets[static_cast<std::size_t>(n)];
  std::vector<Number> dz = gradient_wrt_logits(row, t, shared.terms);
  for (Number& element : dz) element *= w;
  outcome.loss[problem.reduction == Reduction::none ? static_cast<std::size_t>(n) : 0] += row.loss;
  const std::span<Number> dhidden(outcome.dhidden);
  add_gradient_wrt_hidden<Number>(dz, shared.weight,
                                  dhidden.subspan(static_cast<std::size_t>(n) * hidden.size(), hidden.size()));
  add_gradient_wrt_weight<Number>(dz, hidden, outcome.dweight);
  add_gradient_wrt_bias<Number>(dz, outcome.dbias);
}

}  // namespace detail

/// Loss and gradients of the batch; `visit(n, row)` is shown the CceRow of each token that is not ignored, once,
/// in the precision of the row, which has more digits than are in force outside.
/// Throws std::invalid_argument where `validate` or `validate_values` do.
template <class Number, class Real, class Visit>
CceOutcome<Number> cce_outcome(const CceProblem<Real>& problem, Visit visit) {
  validate(problem);
  validate_values(problem);
  CceOutcome<Number> outcome = detail::zeros<Number>(problem);
  const std::int64_t valid = valid_tokens(problem);
  const PrecisionScope scope(digits_of_logits(problem));
  const detail::CceShared<Number> shared(problem);
  for (std::int64_t n = 0; n < problem.N; ++n) {
    if (problem.is_ignored(n)) continue;
    const std::vector<Number> hidden = elements<Number>(detail::matrix_row(problem.hidden, n, problem.H));
    const CceRow<Number> row =
        cce_row<Number>(hidden, shared.weight, shared.bias, problem.targets[static_cast<std::size_t>(n)], shared.terms);
    detail::add_token<Number>(problem, n, row, token_weight<Number>(problem, n, valid), hidden, shared, outcome);
    visit(n, row);
  }
  if (problem.reduction == Reduction::mean && valid > 0) outcome.loss[0] /= Number(valid);
  return outcome;
}

/// Loss and gradients of the batch. Throws std::invalid_argument where `validate` or `validate_values` do.
template <class Number, class Real>
CceOutcome<Number> cce_outcome(const CceProblem<Real>& problem) {
  return cce_outcome<Number>(problem, [](std::int64_t, const CceRow<Number>&) {});
}

/// The row of token n. Throws std::invalid_argument where `cce_outcome` does, and unless n is in [0, N) and not
/// ignored.
template <class Number, class Real>
CceRow<Number> cce_row(const CceProblem<Real>& problem, std::int64_t n) {
  validate(problem);
  validate_values(problem);
  if (n < 0 || n >= problem.N) detail::refuse("n = ", n, ": expected a token in [0, N=", problem.N, ")");
  if (problem.is_ignored(n)) detail::refuse("n = ", n, ": expected a token that is not ignored");
  const PrecisionScope scope(digits_of_logits(problem));
  const detail::CceShared<Number> shared(problem);
  const std::vector<Number> hidden = elements<Number>(detail::matrix_row(problem.hidden, n, problem.H));
  return cce_row<Number>(hidden, shared.weight, shared.bias, problem.targets[static_cast<std::size_t>(n)],
                         shared.terms);
}

}  // namespace assay::reference
