// Everything about one token: capped logits, their softmax, log-sum-exp, loss. hidden [H], weight [V, H], bias [V] or
// empty, target t in [0, V).
//
//   z = weight hidden + bias                                       logits.h
//   x = cap tanh(z / cap)                                          softcap.h
//   p_v = exp(x_v - max) / (1 + others),  lse = max + ln(1 + others)      log_sum_exp.h, in two passes
//   rest = 1 - p_t, as sum_{v != t} p_v: a target of p_t = 1 - 1e-300 has rest = 1e-300, to all digits
//
// Over a floating point of unit roundoff u: let E bound the errors of all x. Then p_v has, to first order, the relative
// error 2 E + (max - x_v + ln V + V + 6) u, of which 2 E is the logits' and the rest the softmax's own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "reference/cce/log_sum_exp.h"
#include "reference/cce/logits.h"
#include "reference/cce/loss.h"
#include "reference/cce/softcap.h"
#include "reference/number/traits.h"

namespace assay::reference {

/// The true results of one token.
template <class Number>
struct CceRow {
  std::vector<Number> x;           ///< [V], capped logits
  std::vector<Number> derivative;  ///< [V], dx/dz
  std::vector<Number> p;           ///< [V], softmax of x
  OnlineSum<Number> sum;           ///< of exp x
  Number lse;                      ///< ln of it
  Number rest;                     ///< 1 - p_t
  Number loss;                     ///< +inf where the target, or with label smoothing any entry, has x = -inf
};

namespace detail {

/// Replaces the logits z [V] in row.x by x, and writes the derivative.
template <class Number>
void cap_logits(CceRow<Number>& row, const Number& cap) {
  row.derivative.reserve(row.x.size());
  for (Number& x : row.x) {
    Capped<Number> capped = softcap(x, cap);
    x = std::move(capped.value);
    row.derivative.push_back(std::move(capped.derivative));
  }
}

/// sum and p of row.x, of which one at least is finite.
template <class Number>
void normalize(CceRow<Number>& row) {
  const std::vector<Number>& x = row.x;
  std::size_t largest = 0;
  for (std::size_t v = 1; v < x.size(); ++v)
    if (x[largest] < x[v]) largest = v;
  row.sum = {false, x[largest], Number(0)};
  row.p.assign(x.size(), Number(0));
  for (std::size_t v = 0; v < x.size(); ++v) {
    if (v == largest) continue;
    row.p[v] = NumberTraits<Number>::exp(x[v] - row.sum.max);
    row.sum.others += row.p[v];
  }
  row.p[largest] = Number(1);
  const Number total = Number(1) + row.sum.others;
  for (Number& p : row.p) p /= total;
}

}  // namespace detail

/// The row of a token.
template <class Number>
CceRow<Number> cce_row(std::span<const Number> hidden, std::span<const Number> weight, std::span<const Number> bias,
                       std::int64_t t, const CceTerms<Number>& terms) {
  CceRow<Number> row;
  row.x = logits(hidden, weight, bias);
  detail::cap_logits(row, terms.cap);
  detail::normalize(row);
  row.lse = row.sum.log();
  row.rest = Number(0);
  for (std::size_t v = 0; v < row.p.size(); ++v)
    if (v != static_cast<std::size_t>(t)) row.rest += row.p[v];
  row.loss = loss<Number>(row.x, t, row.sum, terms);
  return row;
}

}  // namespace assay::reference
