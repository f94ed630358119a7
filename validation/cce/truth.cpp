#include "validation/cce/truth.h"

#include <utility>

namespace assay::validation {
namespace {

CceTruth compute(const CceCase& c, int digits) {
  const reference::PrecisionScope scope(digits);
  return reference::cce_outcome<reference::BigFloat>(c.view());
}

CceTruth in_long_double(const CceCase& c) {
  const auto outcome = reference::cce_outcome<long double>(c.view());
  return {exactly(outcome.loss), exactly(outcome.dhidden), exactly(outcome.dweight), exactly(outcome.dbias)};
}

}  // namespace

void require_agreement(const CceTruth& low, const CceTruth& high, int digits) {
  require_same(low.loss, high.loss, digits, "loss");
  require_same(low.dhidden, high.dhidden, digits, "dhidden");
  require_same(low.dweight, high.dweight, digits, "dweight");
  require_same(low.dbias, high.dbias, digits, "dbias");
}

CceTruth truth_of(const CceCase& c, int digits) {
  if (digits == long_double_digits) return in_long_double(c);
  auto [low, high] = both(
      c.hidden.size() + c.weight.size() >= worth_a_thread, [&] { return compute(c, digits); },
      [&] { return compute(c, digits + extra_digits); });
  require_agreement(low, high, digits);
  return std::move(high);
}

}  // namespace assay::validation
