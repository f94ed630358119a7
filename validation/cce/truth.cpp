#include "validation/cce/truth.h"

#include <utility>

#include "reference/cce/outcome.h"

namespace assay::validation {
namespace {

template <class Number>
CceTruth computed_in(const CceCase& c) {
  auto outcome = reference::cce_outcome<Number>(c.view());
  return {std::move(outcome.loss), std::move(outcome.dhidden), std::move(outcome.dweight), std::move(outcome.dbias)};
}

CceTruth compute(const CceCase& c, int digits) {
  const reference::PrecisionScope scope(digits);
  return computed_in<reference::BigFloat>(c);
}

}  // namespace

void require_agreement(const CceTruth& low, const CceTruth& high, int digits) {
  require_same(low.loss, high.loss, digits, "loss");
  require_same(low.dhidden, high.dhidden, digits, "dhidden");
  require_same(low.dweight, high.dweight, digits, "dweight");
  require_same(low.dbias, high.dbias, digits, "dbias");
}

CceTruth truth_of(const CceCase& c, int digits) {
  if (digits == long_double_digits) return computed_in<long double>(c);
  auto [low, high] = both(
      c.hidden.size() + c.weight.size() >= worth_a_thread, [&] { return compute(c, digits); },
      [&] { return compute(c, digits + extra_digits); });
  require_agreement(low, high, digits);
  return std::move(high);
}

}  // namespace assay::validation
