#include "validation/ctc/truth.h"

#include <utility>

namespace assay::validation {
namespace {

/// Loss and gradient in a type of number, and the rows, whose numbers are rounded to double.
template <class Number>
reference::CtcOutcome<Number> outcome_in(const CtcCase& c, std::vector<reference::CtcRow<double>>& rows) {
  const auto rounded = [](const Number& x) { return static_cast<double>(x); };
  rows.reserve(static_cast<std::size_t>(c.B));
  return reference::ctc_outcome<Number>(c.view(), [&](const reference::CtcRow<Number>& row) {
    rows.push_back({row.possible, rounded(row.probability), rounded(row.loss), reference::map(row.y, rounded),
                    reference::map(row.posterior, rounded)});
  });
}

template <class Number>
CtcTruth computed_in(const CtcCase& c) {
  CtcTruth truth;
  auto outcome = outcome_in<Number>(c, truth.rows);
  truth.loss = std::move(outcome.loss);
  truth.gradient = std::move(outcome.gradient);
  return truth;
}

CtcTruth compute(const CtcCase& c, int digits) {
  const reference::PrecisionScope scope(digits);
  return computed_in<BigFloat>(c);
}

}  // namespace

std::vector<reference::CtcRow<BigFloat>> rows_of(const CtcCase& c, int digits) {
  const reference::PrecisionScope scope(digits);
  return reference::ctc_rows<BigFloat>(c.view());
}

void require_agreement(const CtcTruth& low, const CtcTruth& high, int digits) {
  require_same(low.loss, high.loss, digits, "loss");
  require_same(low.gradient, high.gradient, digits, "gradient");
}

CtcTruth truth_of(const CtcCase& c, int digits) {
  if (digits == long_double_digits) return computed_in<long double>(c);
  auto [low, high] = both(
      c.activations.size() >= worth_a_thread, [&] { return compute(c, digits); },
      [&] { return compute(c, digits + extra_digits); });
  require_agreement(low, high, digits);
  return std::move(high);
}

}  // namespace assay::validation
